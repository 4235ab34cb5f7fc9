/* SPDX-License-Identifier: MIT */
/* Baselines, and the verdicts of comparisons with them. */
#include <ctype.h>
#include <string.h>
#include <time.h>

#include "store/sql.h"

#define NAME_MAX_LENGTH 63

/*
 * A baseline may also be given as a run id, "last" or "rolling:N". A name must not be taken for one of
 * these, so it starts with a letter and has no ':'.
 */
static int check_name(const char *name, struct bench_error *error)
{
	size_t length = strlen(name);
	if (!isalpha((unsigned char)*name) || length > NAME_MAX_LENGTH || strcmp(name, "last") == 0 ||
	    strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") != length)
		return bench_fail(error, BENCH_USAGE,
				  "'%.80s' is no name for a baseline: a letter, then letters, digits, '.', "
				  "'_' and '-', at most %d in all, and not 'last'",
				  name, NAME_MAX_LENGTH);
	return 0;
}

static int put_runs(struct bench_store *store, int64_t baseline, char *const *ids, size_t count,
		    struct bench_error *error)
{
	STORE_SCOPED_STATEMENT *statement = NULL;
	int64_t run;
	/* A run that is named twice counts once: its invocations must not count double. */
	int status = store_prepare(
		store,
		"INSERT INTO baseline_run (baseline, run, position) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
		&statement, error);
	for (size_t i = 0; i < count && status == 0; i++) {
		status = store_find_run(store, ids[i], &run, error);
		if (status == 0)
			status = store_start(store, statement, error, "iii", baseline, run, (int64_t)i);
	}
	return status;
}

static int put_baseline(struct bench_store *store, const char *name, int64_t *baseline,
			struct bench_error *error)
{
	int status = store_write(store, error, "DELETE FROM baseline WHERE name = ?", "t", name);
	if (status == 0)
		status = store_write_new(
			store, baseline, error,
			"INSERT INTO baseline (name, created) VALUES (?, ?) RETURNING baseline", "ti", name,
			(int64_t)time(NULL));
	return status;
}

int bench_store_baseline_set(struct bench_store *store, const char *name, char *const *ids, size_t count,
			     struct bench_error *error)
{
	int64_t baseline;
	if (check_name(name, error) != 0)
		return -1;
	if (count == 0)
		return bench_fail(error, BENCH_USAGE, "the baseline '%s' needs a run at least", name);
	if (bench_store_begin(store, error) != 0)
		return -1;
	int status = put_baseline(store, name, &baseline, error);
	if (status == 0)
		status = put_runs(store, baseline, ids, count, error);
	return store_end_table(store, status, STORE_DIGEST_BASELINES, error);
}

int bench_store_baseline_remove(struct bench_store *store, const char *name, struct bench_error *error)
{
	if (bench_store_begin(store, error) != 0)
		return -1;
	int64_t removed = 0;
	int status = store_write(store, error, "DELETE FROM baseline WHERE name = ?", "t", name);
	if (status == 0)
		status = store_changed(store, &removed, error);
	if (status == 0 && removed == 0)
		status = store_unknown(store, BENCH_USAGE, "baseline", name,
				       "SELECT name FROM baseline ORDER BY name", error);
	return store_end_table(store, status, STORE_DIGEST_BASELINES, error);
}

int bench_store_baselines(struct bench_store *store, struct bench_arena *arena,
			  struct bench_baseline_row **rows, size_t *count, struct bench_error *error)
{
	STORE_SCOPED_STATEMENT *statement = NULL;
	struct bench_baseline_row *row = NULL;
	*rows = NULL;
	*count = 0;
	int state = store_select(store, &statement, error,
				 "SELECT name, created, id FROM baseline JOIN baseline_run USING (baseline) "
				 "JOIN run USING (run) ORDER BY name, position",
				 "");
	for (; state == 1; state = store_next(store, statement, error)) {
		char *name = store_text(arena, statement, 0);
		if (!row || strcmp(row->name, name) != 0) {
			row = bench_arena_push(arena, rows, count, sizeof(*row));
			row->name = name;
			row->created = store_int(statement, 1);
		}
		BENCH_PUSH(arena, row->runs, row->run_count) = store_text(arena, statement, 2);
	}
	return state;
}
