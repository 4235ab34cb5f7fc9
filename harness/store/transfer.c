/* SPDX-License-Identifier: MIT */
/*
 * A history from one engine to another, or to the same: all rows, with their numbers and digests. The digests
 * of the source prove that the copy is complete. It is complete, or nothing is copied.
 */
#include "store/engine.h"
#include "store/tables.h"

struct transfer {
	struct bench_store *from, *to;
	struct store_statement *put; /* into the table at hand */
	struct bench_error *error;
};

/* The rows of a table, or those of `run` if it is copied run by run. */
static int put_rows(struct transfer *in, const struct store_table *table, struct store_statement *select,
		    int64_t run)
{
	int state = store_start(in->from, select, in->error, table->of_run ? "i" : "", run);
	for (; state == 1; state = store_next(in->from, select, in->error))
		if (store_put_row(in->to, &in->put, "INSERT", table->name, select, in->error) != 0)
			return -1;
	return state;
}

static int put_table(struct transfer *in, const struct store_table *table)
{
	struct store_statement *select = NULL, *run = NULL;
	int status = store_prepare(in->from, table->select, &select, in->error);
	if (status == 0 && !table->of_run) {
		status = put_rows(in, table, select, 0);
	} else if (status == 0) {
		int state = store_select(in->from, &run, in->error, "SELECT run FROM run ORDER BY run", "");
		for (; state == 1; state = store_next(in->from, run, in->error))
			if (put_rows(in, table, select, store_int(run, 0)) != 0) {
				state = -1;
				break;
			}
		status = state;
	}
	store_finish(run);
	store_finish(select);
	store_finish(in->put);
	in->put = NULL;
	if (status == 0 && in->to->engine->renumber && table->numbered)
		status = in->to->engine->renumber(in->to, table->name, in->error);
	return status;
}

/* A new history has digests of its empty tables. */
static int check_empty(struct transfer *in)
{
	int64_t rows = 0;
	int state = store_number(in->to, &rows, in->error,
				 "SELECT (SELECT count(*) FROM host) + (SELECT count(*) FROM run) + (SELECT "
				 "count(*) FROM accepted) + (SELECT count(*) FROM tuning) + (SELECT count(*) "
				 "FROM alarm) + (SELECT count(*) FROM anchor)",
				 "");
	if (state < 0)
		return -1;
	if (rows > 0)
		return bench_fail(in->error, BENCH_USAGE,
				  "database '%s': it has a history already: a copy goes to one that has none",
				  in->to->path);
	return store_write(in->to, in->error, "DELETE FROM digest", "");
}

static int check_whole(struct bench_store *store, struct bench_error *error)
{
	struct bench_store_finding *findings;
	BENCH_SCOPED_ARENA arena = {0};
	size_t count;
	int status = bench_store_examine(store, &arena, &findings, &count, error);
	if (status == 0 && count > 0)
		status = bench_fail(
			error, BENCH_ENVIRONMENT,
			"database '%s' is damaged, and not copied: %s: %s; 'bench db check' says more",
			store->path, findings[0].what, findings[0].problem);
	return status;
}

/* From one state of the source; what another process writes meanwhile is in the source alone. */
static int put_all(struct transfer *in)
{
	struct bench_error ignored;
	if (store_script(in->from, in->from->engine->begin_reading, in->error) != 0)
		return -1;
	int status = check_empty(in);
	for (size_t i = 0; i < STORE_TABLE_COUNT && status == 0; i++)
		status = put_table(in, &store_tables[i]);
	(void)store_script(in->from, "ROLLBACK", &ignored);
	return status == 0 ? check_whole(in->to, in->error) : -1;
}

int store_transfer(const char *from, const char *to, struct bench_error *error)
{
	struct transfer in = {.error = error};
	int status = bench_store_open(from, BENCH_STORE_READ, &in.from, error);
	if (status == 0)
		status = check_whole(in.from, error);
	if (status == 0)
		status = bench_store_open(to, BENCH_STORE_WRITE, &in.to, error);
	if (status == 0)
		status = bench_store_begin(in.to, error);
	if (status == 0)
		status = bench_store_end(in.to, put_all(&in), error);
	bench_store_close(in.to);
	bench_store_close(in.from);
	return status;
}
