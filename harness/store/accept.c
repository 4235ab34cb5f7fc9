/* SPDX-License-Identifier: MIT */
/* Accepted shifts. */
#include <string.h>
#include <time.h>

#include "core/text.h"
#include "store/sql.h"

#define WHY_MAX 500

/* Why no run was found: there is no such run, no metric matches in any run, or none in that one. */
static int explain(struct bench_store *store, const char *pattern, const char *id, struct bench_error *error)
{
	BENCH_SCOPED_ARENA arena = {0};
	char **keys;
	size_t count;
	int64_t run;
	int status = id ? store_find_run(store, id, &run, error) : 0;
	if (status == 0)
		status = bench_store_metrics(store, pattern, &arena, &keys, &count, error);
	if (status != 0)
		return -1;
	if (count == 0)
		return store_unknown(store, BENCH_NOTHING, "metric that matches", pattern,
				     "SELECT key FROM metric_key ORDER BY key", error);
	if (id)
		return bench_fail(error, BENCH_NOTHING, "run %s has no metric that matches '%.200s'", id,
				  pattern);
	return bench_fail(error, BENCH_NOTHING,
			  "no run of this host has a metric that matches '%.200s'; name a run of another one",
			  pattern);
}

/* Has the run a metric that matches? */
static int has_metric(struct bench_store *store, int64_t run, const char *pattern, bool *found,
		      struct bench_error *error)
{
	STORE_SCOPED_STATEMENT *row = NULL;
	int state = store_select(store, &row, error,
				 "SELECT key FROM metric JOIN metric_key USING (metric_key) WHERE run = ?",
				 "i", run);
	*found = false;
	for (; state == 1 && !*found; state = store_next(store, row, error)) {
		BENCH_SCOPED_ARENA arena = {0};
		const char *key = store_named(store, &arena, store_text(&arena, row, 0));
		*found = bench_text_match(pattern, key);
	}
	return state < 0 ? -1 : 0;
}

int bench_store_accept_from(struct bench_store *store, const char *pattern, const char *fingerprint,
			    const char *id, struct bench_arena *arena, struct bench_accepted_row *row,
			    struct bench_error *error)
{
	STORE_SCOPED_STATEMENT *statement = NULL;
	bool found = false;
	int state = store_select(
		store, &statement, error,
		"SELECT id, started, fingerprint, run FROM run JOIN host USING (host) WHERE (?1 IS NULL OR "
		"fingerprint = ?1) AND CASE WHEN ?2 IS NULL THEN aside = '' ELSE id = ?2 END " NEWEST_FIRST,
		"tt", fingerprint, id);
	for (; state == 1; state = store_next(store, statement, error)) {
		if (has_metric(store, store_int(statement, 3), pattern, &found, error) != 0) {
			state = -1;
			break;
		}
		if (!found)
			continue;
		row->run = store_text(arena, statement, 0);
		row->since = store_int(statement, 1);
		row->fingerprint = store_text(arena, statement, 2);
		break;
	}
	return state < 0 ? -1 : found ? 0 : explain(store, pattern, id, error);
}

int bench_store_accept(struct bench_store *store, const struct bench_accepted_row *row,
		       struct bench_error *error)
{
	if (strspn(row->why, " \t\n") == strlen(row->why) || strlen(row->why) > WHY_MAX)
		return bench_fail(error, BENCH_USAGE,
				  "why a shift is accepted has to be said, in at most %d bytes", WHY_MAX);
	if (bench_store_begin(store, error) != 0)
		return -1;
	int status = store_write(
		store, error,
		"INSERT INTO accepted (pattern, since, run, fingerprint, why, created, removal) VALUES (?, "
		"?, ?, ?, ?, ?, ?) ON CONFLICT (pattern, since, fingerprint) DO UPDATE SET run = "
		"excluded.run, why = excluded.why, created = excluded.created, removal = excluded.removal",
		"titttii", row->pattern, row->since, row->run, row->fingerprint, row->why,
		(int64_t)time(NULL), (int64_t)row->removal);
	return store_end_table(store, status, STORE_DIGEST_ACCEPTED, error);
}

int bench_store_accepted(struct bench_store *store, const char *fingerprint, struct bench_arena *arena,
			 struct bench_accepted_row **rows, size_t *count, struct bench_error *error)
{
	STORE_SCOPED_STATEMENT *statement = NULL;
	*rows = NULL;
	*count = 0;
	int state = store_select(store, &statement, error,
				 "SELECT pattern, why, since, run, fingerprint, created, name, removal FROM "
				 "accepted LEFT JOIN host USING (fingerprint) WHERE ?1 IS NULL OR "
				 "fingerprint IN ('', ?1) ORDER BY since, pattern, fingerprint",
				 "t", fingerprint);
	for (; state == 1; state = store_next(store, statement, error)) {
		struct bench_accepted_row *row = bench_arena_push(arena, rows, count, sizeof(*row));
		*row = (struct bench_accepted_row){
			.pattern = store_text(arena, statement, 0),
			.why = store_text(arena, statement, 1),
			.since = store_int(statement, 2),
			.run = store_text(arena, statement, 3),
			.fingerprint = store_text(arena, statement, 4),
			.created = store_int(statement, 5),
			.host = store_text(arena, statement, 6),
			.removal = store_int(statement, 7) != 0,
		};
		const char *now = store_new_name(store, arena, row->pattern);
		if (store_int(statement, 7) > 1) /* of a rename: all of the case is gone */
			row->pattern =
				bench_arena_format(arena, "%s/*", bench_text_literal(arena, row->pattern));
		else if (now)
			row->pattern = now;
	}
	return state;
}

int bench_store_unaccept(struct bench_store *store, const char *pattern, const char *run,
			 struct bench_error *error)
{
	if (bench_store_begin(store, error) != 0)
		return -1;
	int64_t removed = 0;
	int status = store_write(store, error,
				 "DELETE FROM accepted WHERE pattern = ?1 AND (?2 IS NULL OR run = ?2) AND "
				 "removal <> 2 /* a rename */",
				 "tt", pattern, run);
	if (status == 0)
		status = store_changed(store, &removed, error);
	if (status == 0 && removed == 0)
		status = store_unknown(
			store, BENCH_USAGE, run ? "shift accepted from that run on for" : "accepted shift",
			pattern, "SELECT DISTINCT pattern FROM accepted WHERE removal <> 2 ORDER BY pattern",
			error);
	return store_end_table(store, status, STORE_DIGEST_ACCEPTED, error);
}

/* Gives the reason of the shift to the first point of each metric from which it counts. */
static void annotate(struct bench_arena *arena, const struct bench_accepted_row *row,
		     struct bench_point *points, size_t count)
{
	bool matches = false, done = false;
	for (size_t i = 0; i < count; i++) {
		struct bench_point *point = &points[i];
		if (i == 0 || strcmp(point->key, points[i - 1].key) != 0) {
			matches = bench_text_match(row->pattern, point->key);
			done = false;
		}
		if (!matches || done || point->started < row->since ||
		    (*row->fingerprint && strcmp(row->fingerprint, point->fingerprint) != 0))
			continue;
		point->accepted = *point->accepted
					  ? bench_arena_format(arena, "%s; %s", point->accepted, row->why)
					  : row->why;
		done = true;
	}
}

int store_fill_accepted(struct bench_store *store, struct bench_arena *arena, struct bench_point *points,
			size_t count, struct bench_error *error)
{
	struct bench_accepted_row *rows;
	size_t row_count;
	if (bench_store_accepted(store, NULL, arena, &rows, &row_count, error) != 0)
		return -1;
	for (size_t i = 0; i < row_count; i++)
		annotate(arena, &rows[i], points, count);
	return 0;
}
