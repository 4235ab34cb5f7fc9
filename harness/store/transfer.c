/*
 * A history from one engine to another, or to the same: all rows, with their numbers and digests, so that
 * what came over is told by the digests that the source has. It came over whole, or not at all.
 */
#include <stdio.h>
#include <string.h>

#include "core/text.h"
#include "store/engine.h"
#include "store/server.h"

#define MOST_COLUMNS 20 /* of a table */

/* What refers to others comes behind them. Rows of a run are many, and come run by run. */
static const struct {
	const char *name, *select;
	bool of_run;
} tables[] = {
	{"host", "SELECT * FROM host ORDER BY host", false},
	{"device", "SELECT * FROM device ORDER BY device", false},
	{"head", "SELECT * FROM head ORDER BY head", false},
	{"method", "SELECT * FROM method ORDER BY method", false},
	{"metric_key", "SELECT * FROM metric_key ORDER BY metric_key", false},
	{"run", "SELECT * FROM run ORDER BY run", false},
	{"result", "SELECT * FROM result WHERE run = ? ORDER BY result", true},
	{"metric", "SELECT * FROM metric WHERE run = ? ORDER BY metric_key", true},
	{"verdict", "SELECT * FROM verdict WHERE run = ? ORDER BY baseline, key", true},
	{"baseline", "SELECT * FROM baseline ORDER BY baseline", false},
	{"baseline_run", "SELECT * FROM baseline_run ORDER BY baseline, run", false},
	{"accepted", "SELECT * FROM accepted ORDER BY accepted", false},
	{"tuning", "SELECT * FROM tuning ORDER BY tuning", false},
	{"alarm", "SELECT * FROM alarm ORDER BY alarm", false},
	{"alarm_metric", "SELECT * FROM alarm_metric ORDER BY alarm, key", false},
	{"anchor", "SELECT * FROM anchor ORDER BY anchor", false},
	{"anchor_level", "SELECT * FROM anchor_level ORDER BY anchor, key", false},
	{"digest", "SELECT * FROM digest ORDER BY kind, id, baseline", false},
};
#define TABLES (sizeof(tables) / sizeof(tables[0]))

struct transfer {
	struct bench_store *from, *to;
	struct store_statement *put; /* into the table at hand */
	struct bench_error *error;
};

static int put_row(struct transfer *in, const char *table, const struct store_statement *row)
{
	struct store_parameter values[MOST_COLUMNS];
	const int count = store_columns(row);
	if (!in->put) {
		struct bench_text sql = {0};
		bench_text_add(&sql, "INSERT INTO %s VALUES (?", table);
		for (int i = 1; i < count; i++)
			bench_text_add(&sql, ", ?");
		bench_text_add(&sql, ")");
		const int status = store_prepare(in->to, sql.data, &in->put, in->error);
		bench_text_free(&sql);
		if (status != 0)
			return -1;
	}
	for (int i = 0; i < count; i++)
		values[i] = (struct store_parameter){store_column(row, i), STORE_NULL};
	return store_start_with(in->to, in->put, values, count, in->error);
}

/* The rows of a table; `run` is that of the rows where the statement asks for one. */
static int put_rows(struct transfer *in, size_t table, struct store_statement *select, int64_t run)
{
	int state = store_start(in->from, select, in->error, tables[table].of_run ? "i" : "", run);
	for (; state == 1; state = store_next(in->from, select, in->error))
		if (put_row(in, tables[table].name, select) != 0)
			return -1;
	return state;
}

static int put_table(struct transfer *in, size_t table)
{
	struct store_statement *select = NULL, *run = NULL;
	int status = store_prepare(in->from, tables[table].select, &select, in->error);
	if (status == 0 && !tables[table].of_run) {
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
	return status;
}

/* A new history has digests of its empty tables. */
static int check_empty(struct transfer *in)
{
	struct store_statement *row = NULL;
	int state = store_select(in->to, &row, in->error,
				 "SELECT (SELECT count(*) FROM host) + (SELECT count(*) FROM run) + (SELECT "
				 "count(*) FROM accepted) + "
				 "(SELECT count(*) FROM tuning) + (SELECT count(*) FROM alarm) + (SELECT "
				 "count(*) FROM anchor)",
				 "");
	const bool empty = state == 1 && store_int(row, 0) == 0;
	store_finish(row);
	if (state < 0)
		return -1;
	if (!empty)
		return bench_fail(in->error, BENCH_USAGE,
				  "database '%s': it has a history already: a copy goes to one that has none",
				  in->to->path);
	return store_write(in->to, in->error, "DELETE FROM digest", "");
}

static int check_whole(struct bench_store *store, struct bench_error *error)
{
	struct bench_store_finding *findings;
	struct bench_arena arena = {0};
	size_t count;
	int status = bench_store_examine(store, &arena, &findings, &count, error);
	if (status == 0 && count > 0)
		status = bench_fail(
			error, BENCH_ENVIRONMENT,
			"database '%s' is damaged, and not copied: %s: %s; 'bench db check' says more",
			store->path, findings[0].what, findings[0].problem);
	bench_arena_free(&arena);
	return status;
}

/* From one state of the source; what another process writes meanwhile is in the source alone. */
static int put_all(struct transfer *in)
{
	struct bench_error ignored;
	if (store_script(in->from, in->from->engine->begin_reading, in->error) != 0)
		return -1;
	int status = check_empty(in);
	for (size_t i = 0; i < TABLES && status == 0; i++)
		status = put_table(in, i);
	(void)store_script(in->from, "ROLLBACK", &ignored);
	if (status == 0 && in->to->server)
		status = store_server_renumber(in->to, in->error);
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
