/* SPDX-License-Identifier: MIT */
/* Questions to the history. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "store/sql.h"

/* Adds "the nearest is 'x'", or "there are a, b, c, ...", or that there are none. */
static void add_names(struct bench_text *text, const char *name, char **names, size_t count)
{
	const char *near = bench_text_nearest(name, (const char *const *)names, count);
	if (near) {
		bench_text_add(text, "; the nearest is '%s'", near);
		return;
	}
	bench_text_add(text, count ? "; there are: " : "; there are none");
	for (size_t i = 0; i < count && i < 3; i++)
		bench_text_add(text, "%s%s", i ? ", " : "", names[i]);
	if (count > 3)
		bench_text_add(text, ", ... (%zu in all)", count);
}

int store_unknown(struct bench_store *store, enum bench_code code, const char *what, const char *name,
		  const char *sql, struct bench_error *error)
{
	BENCH_SCOPED_ARENA arena = {0};
	BENCH_SCOPED_TEXT text = {0};
	char **names;
	size_t count;
	if (store_texts(store, &arena, &names, &count, error, sql, "") == 0) {
		bench_text_add(&text, "database '%s' has no %s '%.100s'", store->path, what, name);
		add_names(&text, name, names, count);
		bench_fail(error, code, "%s", text.data);
	}
	return -1;
}

int bench_store_has(struct bench_store *store, const char *id, bool *there, struct bench_error *error)
{
	int64_t run;
	const int state = store_number(store, &run, error, "SELECT run FROM run WHERE id = ?", "t", id);
	*there = state == 1;
	return state < 0 ? -1 : 0;
}

int store_find_run(struct bench_store *store, const char *id, int64_t *run, struct bench_error *error)
{
	const int state = store_number(store, run, error, "SELECT run FROM run WHERE id = ?", "t", id);
	if (state == 0)
		return store_unknown(store, BENCH_NOTHING, "run", id, "SELECT id FROM run " NEWEST_FIRST,
				     error);
	return state == 1 ? 0 : -1;
}

/* The id in the first column of the row at hand. */
static int read_id(struct bench_store *store, struct store_statement *row, char *id, size_t size,
		   struct bench_error *error)
{
	const char *text = store_chars(row, 0);
	int length = snprintf(id, size, "%s", text ? text : "");
	return length > 0 && (size_t)length < size ? 0 : store_damaged(store, "a run's id is wrong", error);
}

int bench_store_last(struct bench_store *store, unsigned back, char *id, size_t size,
		     struct bench_error *error)
{
	STORE_SCOPED_STATEMENT *statement = NULL;
	int state = store_select(store, &statement, error,
				 "SELECT id FROM run WHERE aside = '' " NEWEST_FIRST " LIMIT 1 OFFSET ?", "i",
				 (int64_t)back);
	int status = state == 1 ? read_id(store, statement, id, size, error) : -1;
	if (state == 0)
		bench_fail(error, BENCH_NOTHING,
			   back ? "database '%s' has no run %u before the last one"
				: "database '%s' has no run, or only ones that are set aside ('bench list "
				  "runs')",
			   store->path, back);
	return status;
}

int bench_store_aside(struct bench_store *store, const char *why, struct bench_arena *arena, char **id,
		      struct bench_error *error)
{
	STORE_SCOPED_STATEMENT *statement = NULL;
	int state = store_select(store, &statement, error,
				 "SELECT id FROM run WHERE aside = ? " NEWEST_FIRST " LIMIT 1", "t", why);
	*id = state == 1 ? store_text(arena, statement, 0) : bench_arena_string(arena, "");
	return state < 0 ? -1 : 0;
}

int bench_store_last_of(struct bench_store *store, const char *suite, const char *backend, const char *device,
			const char *fingerprint, char *id, size_t size, struct bench_error *error)
{
	STORE_SCOPED_STATEMENT *statement = NULL;
	*id = '\0';
	int state = store_select(
		store, &statement, error,
		"SELECT id FROM run JOIN host USING (host) WHERE fingerprint = ?1 AND aside = '' AND "
		"replace(',' || suites || ',', ',' || ?2 || ',', '') <> ',' || suites || ',' AND EXISTS "
		"(SELECT 1 FROM result JOIN head USING (head) JOIN device USING (device) WHERE result.run = "
		"run.run AND suite = ?2 AND status = 'ok' AND backend = ?3 AND slug = ?4) " NEWEST_FIRST
		" LIMIT 1",
		"tttt", fingerprint, suite, backend, device);
	if (state == 1 && read_id(store, statement, id, size, error) != 0)
		state = -1;
	return state < 0 ? -1 : 0;
}

/* The preset of a project file, which stands near the start of a head, else `preset`. A quote in a text of
 * JSON is escaped, so that nothing else reads like the member. */
static char *shown_preset(struct bench_arena *arena, const char *head, char *preset)
{
	static const char member[] = "\"project_preset\":\"";
	const char *at = strstr(head, member), *end = at ? strchr(at + sizeof(member) - 1, '"') : NULL;
	at = at ? at + sizeof(member) - 1 : NULL;
	return end && end > at ? bench_arena_format(arena, "%.*s", (int)(end - at), at) : preset;
}

int bench_store_runs(struct bench_store *store, size_t limit, struct bench_arena *arena,
		     struct bench_run_row **rows, size_t *count, struct bench_error *error)
{
	STORE_SCOPED_STATEMENT *statement = NULL;
	*rows = NULL;
	*count = 0;
	int state = store_select(
		store, &statement, error,
		"SELECT id, preset, commit_hash, branch, name, suites, folder, dirty, interrupted, started, "
		"finished, results, not_ok, fingerprint, aside, substr(head, 1, 400) FROM run JOIN host "
		"USING (host) " NEWEST_FIRST " LIMIT ?",
		"i", limit ? (int64_t)limit : INT64_MAX);
	for (; state == 1; state = store_next(store, statement, error)) {
		struct bench_run_row *row = bench_arena_push(arena, rows, count, sizeof(*row));
		*row = (struct bench_run_row){
			.id = store_text(arena, statement, 0),
			.preset = store_text(arena, statement, 1),
			.commit = store_text(arena, statement, 2),
			.branch = store_text(arena, statement, 3),
			.host = store_text(arena, statement, 4),
			.suites = store_text(arena, statement, 5),
			.folder = store_text(arena, statement, 6),
			.dirty = store_int(statement, 7) != 0,
			.interrupted = store_int(statement, 8) != 0,
			.started = store_int(statement, 9),
			.finished = store_int(statement, 10),
			.results = (unsigned)store_int(statement, 11),
			.not_ok = (unsigned)store_int(statement, 12),
			.fingerprint = store_text(arena, statement, 13),
			.aside = store_text(arena, statement, 14),
		};
		const char *head = store_chars(statement, 15);
		row->shown_preset = shown_preset(arena, head ? head : "", row->preset);
	}
	return state;
}

bool bench_store_is_same_kind(const struct bench_run_row *a, const struct bench_run_row *b)
{
	return strcmp(a->fingerprint, b->fingerprint) == 0 && strcmp(a->preset, b->preset) == 0 &&
	       strcmp(a->suites, b->suites) == 0;
}

int bench_store_runs_before(struct bench_store *store, const char *fingerprint, const char *preset,
			    const char *id, int64_t started, struct bench_arena *arena,
			    struct bench_older_run **runs, size_t *count, struct bench_error *error)
{
	STORE_SCOPED_STATEMENT *statement = NULL;
	*runs = NULL;
	*count = 0;
	int state = store_select(
		store, &statement, error,
		"SELECT id, started, commit_hash, branch FROM run JOIN host USING (host) WHERE fingerprint = "
		"? AND preset = ? AND aside = '' AND interrupted = 0 AND finished IS NOT NULL AND (?3 = '' "
		"OR (started, length(id), id) < (?4, length(?3), ?3)) " NEWEST_FIRST,
		"ttti", fingerprint, preset, id, started);
	for (; state == 1; state = store_next(store, statement, error))
		BENCH_PUSH(arena, *runs, *count) =
			(struct bench_older_run){.id = store_text(arena, statement, 0),
						 .started = store_int(statement, 1),
						 .commit = store_text(arena, statement, 2),
						 .branch = store_text(arena, statement, 3)};
	return state;
}

int bench_store_commits(struct bench_store *store, struct bench_arena *arena,
			struct bench_run_commit **commits, size_t *count, struct bench_error *error)
{
	STORE_SCOPED_STATEMENT *statement = NULL;
	*commits = NULL;
	*count = 0;
	int state = store_select(store, &statement, error,
				 "SELECT DISTINCT commit_hash, branch FROM run WHERE aside = ''", "");
	for (; state == 1; state = store_next(store, statement, error))
		BENCH_PUSH(arena, *commits, *count) = (struct bench_run_commit){
			store_text(arena, statement, 0), store_text(arena, statement, 1)};
	return state;
}

int bench_store_metrics(struct bench_store *store, const char *pattern, struct bench_arena *arena,
			char ***keys, size_t *count, struct bench_error *error)
{
	char **all;
	size_t all_count;
	*keys = NULL;
	*count = 0;
	if (store_texts(store, arena, &all, &all_count, error,
			"SELECT DISTINCT key FROM metric_key ORDER BY key", "") != 0)
		return -1;
	for (size_t i = 0; i < all_count; i++)
		all[i] = store_named(store, arena, all[i]);
	if (all_count > 1 && store->rename_count > 0)
		qsort(all, all_count, sizeof(*all), bench_text_order);
	for (size_t i = 0; i < all_count; i++)
		if ((i == 0 || strcmp(all[i - 1], all[i]) != 0) && bench_text_match(pattern, all[i]))
			BENCH_PUSH(arena, *keys, *count) = all[i];
	return 0;
}
