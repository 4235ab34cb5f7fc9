/* What 'bench tune' measured: candidates, and the values that they made current. */
#include <time.h>

#include "store/sql.h"

#define COLUMNS                                                                                              \
	"fingerprint, backend, device, driver, name, value, base, step, step_lo, step_hi, ratio, lo, hi, "   \
	"chosen, run, created"

#define SELECTED                                                                                             \
	"fingerprint = ?1 AND (?2 IS NULL OR backend = ?2) AND (?3 IS NULL OR device = ?3) "                 \
	"AND (?4 IS NULL OR driver = ?4) AND (?5 IS NULL OR bench_match(?5, name))"

int bench_store_tuning_put(struct bench_store *store, const struct bench_tuning_row *row,
			   struct bench_error *error)
{
	if (bench_store_begin(store, error) != 0)
		return -1;
	/* Replaced, not updated, so that the row that was measured last is the last one. */
	int status = store_write(store, error,
				 "INSERT OR REPLACE INTO tuning (" COLUMNS
				 ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
				 "tttttiirrrrrriti", row->fingerprint, row->backend, row->device, row->driver,
				 row->name, (int64_t)row->value, (int64_t)row->base, row->step, row->step_lo,
				 row->step_hi, row->ratio, row->lo, row->hi, (int64_t)row->chosen, row->run,
				 (int64_t)time(NULL));
	if (status == 0)
		status = store_digest_table(store, STORE_DIGEST_TUNING, error);
	return bench_store_end(store, status, error);
}

static void read_row(sqlite3_stmt *statement, struct bench_arena *arena, struct bench_tuning_row *row)
{
	*row = (struct bench_tuning_row){
		.fingerprint = store_text(arena, statement, 0),
		.backend = store_text(arena, statement, 1),
		.device = store_text(arena, statement, 2),
		.driver = store_text(arena, statement, 3),
		.name = store_text(arena, statement, 4),
		.value = (uint64_t)sqlite3_column_int64(statement, 5),
		.base = (uint64_t)sqlite3_column_int64(statement, 6),
		.step = store_real(statement, 7),
		.step_lo = store_real(statement, 8),
		.step_hi = store_real(statement, 9),
		.ratio = store_real(statement, 10),
		.lo = store_real(statement, 11),
		.hi = store_real(statement, 12),
		.chosen = sqlite3_column_int(statement, 13) != 0,
		.run = store_text(arena, statement, 14),
		.created = sqlite3_column_int64(statement, 15),
	};
}

static int read_rows(struct bench_store *store, const char *sql, const struct bench_tuning_query *query,
		     struct bench_arena *arena, struct bench_tuning_row **rows, size_t *count,
		     struct bench_error *error)
{
	sqlite3_stmt *statement = NULL;
	*rows = NULL;
	*count = 0;
	int state = store_select(store, &statement, error, sql, "ttttt", query->fingerprint, query->backend,
				 query->device, query->driver, query->name);
	for (; state == 1; state = store_next(store, statement, error))
		read_row(statement, arena, bench_arena_push(arena, rows, count, sizeof(**rows)));
	sqlite3_finalize(statement);
	return state;
}

int bench_store_tuning(struct bench_store *store, const struct bench_tuning_query *query,
		       struct bench_arena *arena, struct bench_tuning_row **rows, size_t *count,
		       struct bench_error *error)
{
	return read_rows(store, "SELECT " COLUMNS " FROM tuning WHERE " SELECTED " ORDER BY tuning", query,
			 arena, rows, count, error);
}

int bench_store_tuned(struct bench_store *store, const struct bench_tuning_query *query,
		      struct bench_arena *arena, struct bench_tuning_row **rows, size_t *count,
		      struct bench_error *error)
{
	return read_rows(
		store,
		"SELECT " COLUMNS
		" FROM tuning WHERE tuning IN (SELECT max(tuning) FROM tuning WHERE chosen AND " SELECTED
		" GROUP BY backend, device, driver, name) ORDER BY tuning",
		query, arena, rows, count, error);
}

int bench_store_tuning_forget(struct bench_store *store, const struct bench_tuning_query *query,
			      size_t *count, struct bench_error *error)
{
	if (bench_store_begin(store, error) != 0)
		return -1;
	int status =
		store_write(store, error, "DELETE FROM tuning WHERE " SELECTED, "ttttt", query->fingerprint,
			    query->backend, query->device, query->driver, query->name);
	*count = status == 0 ? (size_t)sqlite3_changes(store->db) : 0;
	if (status == 0)
		status = store_digest_table(store, STORE_DIGEST_TUNING, error);
	return bench_store_end(store, status, error);
}
