/* SPDX-License-Identifier: MIT */
/* What 'bench tune' measured: candidates, and the values that they made current. */
#include <time.h>

#include "core/text.h"
#include "store/sql.h"

#define COLUMNS                                                                                              \
	"fingerprint, backend, device, driver, name, value, base, step, step_lo, step_hi, ratio, lo, hi, "   \
	"chosen, run, created"

#define NAME 4 /* in these */

#define SELECTED                                                                                             \
	"fingerprint = ?1 AND (?2 IS NULL OR backend = ?2) AND (?3 IS NULL OR device = ?3) "                 \
	"AND (?4 IS NULL OR driver = ?4)"

static int put(struct bench_store *store, const struct bench_tuning_row *row, struct bench_error *error)
{
	/* Replaced, not updated, so that the row that was measured last is the last one. */
	if (store_write(store, error,
			"DELETE FROM tuning WHERE fingerprint = ? AND backend = ? AND device = ? "
			"AND driver = ? AND name = ? AND value = ?",
			"ttttti", row->fingerprint, row->backend, row->device, row->driver, row->name,
			(int64_t)row->value) != 0)
		return -1;
	return store_write(
		store, error,
		"INSERT INTO tuning (" COLUMNS ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		"tttttiirrrrrriti", row->fingerprint, row->backend, row->device, row->driver, row->name,
		(int64_t)row->value, (int64_t)row->base, row->step, row->step_lo, row->step_hi, row->ratio,
		row->lo, row->hi, (int64_t)row->chosen, row->run, (int64_t)time(NULL));
}

int bench_store_tuning_put(struct bench_store *store, const struct bench_tuning_row *rows, size_t count,
			   struct bench_error *error)
{
	int status = 0;
	if (bench_store_begin(store, error) != 0)
		return -1;
	for (size_t i = 0; i < count && status == 0; i++)
		status = put(store, &rows[i], error);
	return store_end_table(store, status, STORE_DIGEST_TUNING, error);
}

static void read_row(struct store_statement *statement, struct bench_arena *arena,
		     struct bench_tuning_row *row)
{
	*row = (struct bench_tuning_row){
		.fingerprint = store_text(arena, statement, 0),
		.backend = store_text(arena, statement, 1),
		.device = store_text(arena, statement, 2),
		.driver = store_text(arena, statement, 3),
		.name = store_text(arena, statement, 4),
		.value = (uint64_t)store_int(statement, 5),
		.base = (uint64_t)store_int(statement, 6),
		.step = store_real(statement, 7),
		.step_lo = store_real(statement, 8),
		.step_hi = store_real(statement, 9),
		.ratio = store_real(statement, 10),
		.lo = store_real(statement, 11),
		.hi = store_real(statement, 12),
		.chosen = store_int(statement, 13) != 0,
		.run = store_text(arena, statement, 14),
		.created = store_int(statement, 15),
	};
}

/* Does the row at hand, whose name is in that column, have a name that matches? */
static bool is_wanted(const struct bench_tuning_query *query, const struct store_statement *row, int column)
{
	const char *name = store_chars(row, column);
	return !query->name || (name && bench_text_match(query->name, name));
}

static int read_rows(struct bench_store *store, const char *sql, const struct bench_tuning_query *query,
		     struct bench_arena *arena, struct bench_tuning_row **rows, size_t *count,
		     struct bench_error *error)
{
	STORE_SCOPED_STATEMENT *statement = NULL;
	*rows = NULL;
	*count = 0;
	int state = store_select(store, &statement, error, sql, "tttt", query->fingerprint, query->backend,
				 query->device, query->driver);
	for (; state == 1; state = store_next(store, statement, error))
		if (is_wanted(query, statement, NAME))
			read_row(statement, arena, bench_arena_push(arena, rows, count, sizeof(**rows)));
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
		" FROM tuning WHERE tuning IN (SELECT max(tuning) FROM tuning WHERE chosen <> 0 AND " SELECTED
		" GROUP BY backend, device, driver, name) ORDER BY tuning",
		query, arena, rows, count, error);
}

int bench_store_tuning_forget(struct bench_store *store, const struct bench_tuning_query *query,
			      size_t *count, struct bench_error *error)
{
	struct store_statement *row = NULL;
	*count = 0;
	if (bench_store_begin(store, error) != 0)
		return -1;
	int state = store_select(store, &row, error, "SELECT tuning, name FROM tuning WHERE " SELECTED,
				 "tttt", query->fingerprint, query->backend, query->device, query->driver);
	for (; state == 1; state = store_next(store, row, error)) {
		if (!is_wanted(query, row, 1))
			continue;
		if (store_write(store, error, "DELETE FROM tuning WHERE tuning = ?", "i",
				store_int(row, 0)) != 0) {
			state = -1;
			break;
		}
		++*count;
	}
	store_finish(row);
	if (state == 0)
		state = store_digest_table(store, STORE_DIGEST_TUNING, error);
	return bench_store_end(store, state, error);
}
