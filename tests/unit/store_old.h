/* SPDX-License-Identifier: MIT */
/* Results as versions 1 to 4 of results.db kept them: a row a metric, and one for its samples in each
 * invocation. */
#ifndef BENCH_TESTS_STORE_OLD_H
#define BENCH_TESTS_STORE_OLD_H

#include <zlib.h>

#include "store_fixture.h"

/* Runs a statement with its arguments, each as text that SQL reads, and returns the last row's id. */
static inline sqlite3_int64 old_insert(sqlite3 *db, sqlite3_stmt *statement)
{
	int code = sqlite3_step(statement);
	if (code != SQLITE_DONE)
		fail_msg("%s", sqlite3_errmsg(db));
	sqlite3_finalize(statement);
	return sqlite3_last_insert_rowid(db);
}

static inline sqlite3_stmt *old_prepare(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *statement;
	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sqlite3_errmsg(db), sql);
	return statement;
}

/* A number that the query gives for a text. */
static inline sqlite3_int64 old_find(sqlite3 *db, const char *sql, const char *text)
{
	sqlite3_stmt *statement = old_prepare(db, sql);
	sqlite3_bind_text(statement, 1, text, -1, SQLITE_STATIC);
	sqlite3_int64 found = sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
	sqlite3_finalize(statement);
	return found;
}

static inline void old_put_series(sqlite3 *db, int version, sqlite3_int64 metric,
				  const struct bench_series *series)
{
	unsigned char packed[1024], flags[8] = {0};
	uLongf bytes = sizeof(packed);
	bool any = false;
	assert_int_equal(
		compress(packed, &bytes, (const Bytef *)series->values, series->count * sizeof(double)),
		Z_OK);
	for (size_t i = 0; series->disturbed && i < series->count; i++) {
		flags[i / 8] |= (unsigned char)(series->disturbed[i] << i % 8);
		any |= series->disturbed[i];
	}
	sqlite3_stmt *statement = old_prepare(
		db, version < 2 ? "INSERT INTO sample (metric, invocation, n, data) VALUES (?, ?, ?, ?)"
				: "INSERT INTO sample (metric, invocation, n, data, disturbed) VALUES (?, ?, "
				  "?, ?, ?)");
	sqlite3_bind_int64(statement, 1, metric);
	sqlite3_bind_int(statement, 2, series->invocation);
	sqlite3_bind_int64(statement, 3, (sqlite3_int64)series->count);
	sqlite3_bind_blob(statement, 4, packed, (int)bytes, SQLITE_TRANSIENT);
	if (any)
		sqlite3_bind_blob(statement, 5, flags, (int)(series->count + 7) / 8, SQLITE_TRANSIENT);
	old_insert(db, statement);
}

static inline void old_put_metric(sqlite3 *db, int version, sqlite3_int64 result_id,
				  const struct bench_result *result, const struct bench_metric *metric)
{
	char key[BENCH_KEY_MAX];
	const struct bench_summary *summary = &metric->summary;
	const double numbers[] = {summary->median,   summary->ci_lo, summary->ci_hi,
				  summary->ci_level, summary->min,   summary->mean,
				  summary->stddev,   summary->p05,   summary->p95};
	assert_true(bench_record_metric_key(key, sizeof(key), result, metric));
	sqlite3_stmt *statement = old_prepare(db, "INSERT OR IGNORE INTO metric_key (key) VALUES (?)");
	sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC);
	old_insert(db, statement);
	statement =
		old_prepare(db, version < 2 ? "INSERT INTO metric (result, metric_key, name, unit, better, "
					      "derived_from, ci_over, n, "
					      "median, ci_lo, ci_hi, ci_level, min, mean, stddev, p05, p95) "
					      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, "
					      "?, ?, ?, ?, ?, ?, ?, ?, ?)"
					    : "INSERT INTO metric (result, metric_key, name, unit, better, "
					      "derived_from, ci_over, n, "
					      "median, ci_lo, ci_hi, ci_level, min, mean, stddev, p05, p95, "
					      "disturbed, invocations) VALUES "
					      "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
	sqlite3_bind_int64(statement, 1, result_id);
	sqlite3_bind_int64(statement, 2,
			   old_find(db, "SELECT metric_key FROM metric_key WHERE key = ?", key));
	sqlite3_bind_text(statement, 3, metric->name, -1, SQLITE_STATIC);
	sqlite3_bind_text(statement, 4, metric->unit, -1, SQLITE_STATIC);
	sqlite3_bind_text(statement, 5, bench_record_better_name(metric->better), -1, SQLITE_STATIC);
	sqlite3_bind_text(statement, 6, metric->derived_from, -1, SQLITE_STATIC);
	sqlite3_bind_text(statement, 7, summary->over_samples ? "samples" : "invocations", -1, SQLITE_STATIC);
	sqlite3_bind_int64(statement, 8, (sqlite3_int64)summary->count);
	for (int i = 0; i < 9; i++)
		sqlite3_bind_double(statement, 9 + i, numbers[i]);
	if (version > 1) {
		sqlite3_bind_int64(statement, 18, (sqlite3_int64)summary->disturbed);
		sqlite3_bind_int64(statement, 19, (sqlite3_int64)metric->series_count);
	}
	sqlite3_int64 id = old_insert(db, statement);
	for (size_t i = 0; !*metric->derived_from && i < metric->series_count; i++)
		old_put_series(db, version, id, &metric->series[i]);
}

static inline void old_put_watched(sqlite3 *db, sqlite3_int64 result, size_t position,
				   const struct bench_watched *watched)
{
	const double numbers[] = {watched->disturbed, watched->canary, watched->canary_worst,
				  watched->others,    watched->steal,  watched->frequency};
	sqlite3_stmt *statement = old_prepare(db, "INSERT INTO watched (result, position, invocation, "
						  "device, disturbed, canary, canary_worst, others, "
						  "steal, frequency) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
	sqlite3_bind_int64(statement, 1, result);
	sqlite3_bind_int64(statement, 2, (sqlite3_int64)position);
	sqlite3_bind_int(statement, 3, watched->invocation);
	sqlite3_bind_text(statement, 4, watched->device, -1, SQLITE_STATIC);
	for (int i = 0; i < 6; i++)
		sqlite3_bind_double(statement, 5 + i, numbers[i]);
	old_insert(db, statement);
}

static inline void old_put_result(sqlite3 *db, int version, sqlite3_int64 run_id, const struct bench_run *run,
				  size_t index)
{
	const struct bench_result *result = &run->results[index];
	char *head = bench_record_event_case_line(run, index);
	sqlite3_stmt *statement =
		old_prepare(db, "INSERT INTO result (run, position, suite, device, status, reason, "
				"iterations, stopped, head, error, "
				"tolerance, method) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
	sqlite3_bind_int64(statement, 1, run_id);
	sqlite3_bind_int64(statement, 2, (sqlite3_int64)index);
	sqlite3_bind_text(statement, 3, result->suite, -1, SQLITE_STATIC);
	sqlite3_bind_int64(statement, 4,
			   old_find(db, "SELECT device FROM device WHERE backend = ?", result->backend));
	sqlite3_bind_text(statement, 5, bench_record_status_name(result->status), -1, SQLITE_STATIC);
	sqlite3_bind_text(statement, 6, result->reason, -1, SQLITE_STATIC);
	sqlite3_bind_int64(statement, 7, (sqlite3_int64)result->iterations);
	sqlite3_bind_text(statement, 8, result->stopped, -1, SQLITE_STATIC);
	sqlite3_bind_text(statement, 9, head, -1, SQLITE_STATIC);
	if (result->checked) {
		sqlite3_bind_double(statement, 10, result->check.error);
		sqlite3_bind_double(statement, 11, result->check.tolerance);
		sqlite3_bind_text(statement, 12, result->check.method, -1, SQLITE_STATIC);
	}
	sqlite3_int64 id = old_insert(db, statement);
	free(head);
	for (size_t i = 0; i < result->metric_count; i++)
		old_put_metric(db, version, id, result, &result->metrics[i]);
	for (size_t i = 0; version > 1 && i < result->watched_count; i++)
		old_put_watched(db, id, i, &result->watched[i]);
}

/* The results of a run whose own row is there. */
static inline void old_put_results(sqlite3 *db, int version, const struct bench_run *run)
{
	sqlite3_int64 id = old_find(db, "SELECT run FROM run WHERE id = ?", run->id);
	for (size_t i = 0; i < run->result_count; i++)
		old_put_result(db, version, id, run, i);
}

#endif
