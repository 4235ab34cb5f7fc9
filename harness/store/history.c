/* Metrics over all runs. */
#include "store/sql.h"

int bench_store_history(struct bench_store *store, const char *pattern, struct bench_arena *arena,
			struct bench_point **points, size_t *count, struct bench_error *error)
{
	sqlite3_stmt *statement = NULL;
	*points = NULL;
	*count = 0;
	/*
	 * CROSS JOIN keeps the order: the few keys are matched first, and their rows are found by index. Runs
	 * that are aside measured something else on purpose. What heads say is read once a run, not once a
	 * point.
	 */
	int state =
		store_select(store, &statement, error,
			     "WITH anchored(run, anchor) AS MATERIALIZED (SELECT run, "
			     "json_extract(head, '$.run.labels.anchor') FROM run WHERE "
			     "instr(head, '\"anchor\"') AND json_valid(head)) "
			     "SELECT id, commit_hash, key, unit, started, median, ci_lo, ci_hi, better, "
			     "metric.disturbed > 0 AND metric.disturbed >= metric.invocations, fingerprint, "
			     "coalesce(anchor, '') "
			     "FROM metric_key CROSS JOIN metric USING (metric_key) CROSS JOIN result USING "
			     "(result) CROSS JOIN run USING (run) CROSS JOIN host USING (host) LEFT JOIN "
			     "anchored USING (run) WHERE "
			     "bench_match(?, key) AND aside = '' ORDER BY key, started, length(id), id",
			     "t", pattern);
	for (; state == 1; state = store_next(store, statement, error)) {
		struct bench_point *point = bench_arena_push(arena, points, count, sizeof(*point));
		*point = (struct bench_point){
			.run = store_text(arena, statement, 0),
			.commit = store_text(arena, statement, 1),
			.key = store_text(arena, statement, 2),
			.unit = store_text(arena, statement, 3),
			.started = sqlite3_column_int64(statement, 4),
			.median = store_real(statement, 5),
			.ci_lo = store_real(statement, 6),
			.ci_hi = store_real(statement, 7),
			.disturbed = sqlite3_column_int(statement, 9) != 0,
			.fingerprint = store_text(arena, statement, 10),
			.anchor = store_text(arena, statement, 11),
			.accepted = "",
		};
		const char *better = (const char *)sqlite3_column_text(statement, 8);
		if (better && !bench_record_better_parse(better, &point->better))
			state = bench_fail(error, BENCH_ENVIRONMENT,
					   "database '%s': '%s' has the direction '%.20s'; it is damaged",
					   store->path, point->key, better);
		if (state != 1)
			break;
	}
	sqlite3_finalize(statement);
	return state == 0 ? store_fill_accepted(store, arena, *points, *count, error) : -1;
}

int bench_store_metrics(struct bench_store *store, const char *pattern, struct bench_arena *arena,
			char ***keys, size_t *count, struct bench_error *error)
{
	return store_texts(store, arena, keys, count, error,
			   "SELECT key FROM metric_key WHERE bench_match(?, key) ORDER BY key", "t", pattern);
}
