/* SPDX-License-Identifier: MIT */
/* What is in a history beside its runs, out of a file of which not all can be read any more. */
#include <string.h>

#include "store/sqlite.h"
#include "store/tables.h"

/*
 * Rows keep their numbers, so that a table that comes over whole has its old digest. What refers to a run
 * finds it by its id: ?1 of these statements.
 */
static const struct {
	const char *table, *select, *insert;
} by_id[] = {
	{"baseline_run",
	 "SELECT id, baseline_run.baseline, position FROM baseline_run LEFT JOIN run USING (run) ORDER BY "
	 "baseline_run.baseline, position",
	 "INSERT OR IGNORE INTO baseline_run SELECT ?2, run, ?3 FROM run WHERE id = ?1"},
	{"verdict",
	 "SELECT id, verdict.baseline, key, verdict, ratio, lo, hi, p_adjusted, mde, threshold, "
	 "verdict.ci_level, reason, owner, finished FROM verdict LEFT JOIN run USING (run) ORDER BY "
	 "verdict.run, verdict.baseline, key",
	 /* Not on a record that is more complete than the one that was judged. */
	 "INSERT OR IGNORE INTO verdict SELECT run, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13 FROM "
	 "run WHERE id = ?1 AND finished IS ?14"},
};

/* 1: it is there; 0: it has no place; -1. */
static int put_row(struct bench_store *to, struct store_statement **put, const char *table,
		   struct store_statement *row, struct bench_error *error)
{
	int64_t count = 0;
	if (store_put_row(to, put, "INSERT OR IGNORE", table, row, error) == 0)
		return store_changed(to, &count, error) == 0 ? count > 0 : -1;
	/* A row that breaks a rule of the table is damaged. */
	return (sqlite3_errcode(to->connection) & 0xff) == SQLITE_CONSTRAINT ? 0 : -1;
}

static int copy_table(struct bench_store *from, struct bench_store *to, const struct store_table *table,
		      struct bench_arena *arena, struct bench_store_copied *copied, struct bench_error *error)
{
	STORE_SCOPED_STATEMENT *row = NULL, *put = NULL;
	struct bench_error cause;
	const char *select = NULL;
	int result = 0;
	for (size_t i = 0; i < sizeof(by_id) / sizeof(by_id[0]); i++)
		if (strcmp(by_id[i].table, table->name) == 0) {
			select = by_id[i].select;
			result = store_prepare(to, by_id[i].insert, &put, error);
		}
	int state = result == 0 ? store_select(from, &row, &cause, select ? select : table->select, "") : 0;
	copied->problem = "";
	for (; state == 1; state = store_next(from, row, &cause)) {
		const int there = put_row(to, &put, table->name, row, error);
		if (there < 0) {
			result = -1;
			break;
		}
		copied->rows += there == 1;
		copied->lost += there == 0;
	}
	if (state < 0 && cause.code == BENCH_NO_MEMORY) {
		*error = cause;
		result = -1;
	} else if (state < 0) {
		copied->problem = bench_arena_string(arena, cause.text);
	}
	return result;
}

/* Are the rows of it, in the file that they came from, those that were written? -1: there was no memory to
 * see. */
static int is_intact(struct bench_store *from, enum store_digest kind, struct bench_error *error)
{
	BENCH_SCOPED_ARENA arena = {0};
	struct store_part *parts;
	struct bench_error cause = {0};
	size_t count;
	bool kept, right, intact = store_digest_parts(from, &arena, &parts, &count, &cause) == 0;
	for (size_t i = 0; i < count && intact; i++)
		if (parts[i].kind == kind)
			intact = store_digest_check(from, &parts[i], &kept, &right, &cause) == 0 && right;
	if (cause.code != BENCH_NO_MEMORY)
		return intact;
	*error = cause;
	return -1;
}

int bench_store_copy(struct bench_store *from, struct bench_store *to, struct bench_arena *arena,
		     struct bench_store_copied **copied, size_t *count, struct bench_error *error)
{
	*copied = NULL;
	*count = 0;
	if (bench_store_begin(to, error) != 0)
		return -1;
	int status = 0;
	for (size_t i = 0; i < STORE_TABLE_COUNT && status == 0; i++) {
		if (!store_tables[i].what)
			continue;
		struct bench_store_copied *one = bench_arena_push(arena, copied, count, sizeof(*one));
		one->what = store_tables[i].what;
		status = copy_table(from, to, &store_tables[i], arena, one, error);
		int intact = status == 0 && one->lost == 0 && !*one->problem
				     ? is_intact(from, store_tables[i].digest, error)
				     : 0;
		one->intact = intact > 0;
		status = intact < 0 ? -1 : status;
	}
	if (status == 0)
		status = store_digest_all(to, error);
	return bench_store_end(to, status, error);
}
