/* SPDX-License-Identifier: MIT */
/* Runs that go, and labels that change. */

#include "core/memory.h"
#include "record/event.h"
#include "store/sql.h"

int bench_store_needs(struct bench_store *store, const char *id, struct bench_arena *arena, char **why,
		      struct bench_error *error)
{
	STORE_SCOPED_STATEMENT *statement = NULL;
	int state = store_select(
		store, &statement, error,
		"SELECT 'baseline ''' || name || ''' has it' FROM run JOIN baseline_run USING (run) JOIN "
		"baseline USING (baseline) WHERE id = ?1 UNION ALL SELECT 'it measured an anchor' FROM "
		"anchor WHERE run = ?1 UNION ALL SELECT 'an accepted shift of ' || pattern || ' counts from "
		"it on' FROM accepted WHERE run = ?1 UNION ALL SELECT 'alarm ' || alarm || ' is open and "
		"names it' FROM alarm JOIN alarm_metric USING (alarm) WHERE state = 'open' AND ?1 IN "
		"(first_bad, last_good, last_run) LIMIT 1",
		"t", id);
	*why = state == 1 ? store_text(arena, statement, 0) : bench_arena_string(arena, "");
	return state < 0 ? -1 : 0;
}

/* Results, metrics and verdicts go with their run. */
static int remove_run(struct bench_store *store, const char *id, struct bench_error *error)
{
	int64_t run;
	if (store_find_run(store, id, &run, error) != 0 ||
	    store_write(store, error, "DELETE FROM run WHERE run = ?", "i", run) != 0)
		return -1;
	return store_write(store, error, "DELETE FROM digest WHERE kind IN ('run', 'verdicts') AND id = ?",
			   "t", id);
}

int bench_store_remove(struct bench_store *store, const char *const *ids, size_t count,
		       struct bench_error *error)
{
	if (bench_store_begin(store, error) != 0)
		return -1;
	int status = 0;
	for (size_t i = 0; status == 0 && i < count; i++)
		status = remove_run(store, ids[i], error);
	/* What the runs shared, and no other has. */
	if (status == 0)
		status = store_write(store, error,
				     "DELETE FROM metric_key WHERE metric_key NOT IN (SELECT DISTINCT "
				     "metric_key FROM metric)",
				     "");
	if (status == 0)
		status = store_write(store, error,
				     "DELETE FROM head WHERE head NOT IN (SELECT DISTINCT head FROM result)",
				     "");
	return bench_store_end(store, status, error);
}

int bench_store_relabel(struct bench_store *store, const struct bench_run *run, struct bench_error *error)
{
	struct store_part part = {STORE_DIGEST_RUN, 0, run->id, NULL};
	BENCH_SCOPED_MEMORY char *head = bench_record_event_run_line(run);
	int status = bench_store_begin(store, error);
	if (status == 0) {
		status = store_find_run(store, run->id, &part.run, error);
		if (status == 0)
			status = store_write(store, error,
					     "UPDATE run SET head = ?, aside = ?, anchor = ? WHERE run = ?",
					     "ttti", head, bench_record_label(run, "aside"),
					     bench_record_label(run, "anchor"), part.run);
		if (status == 0)
			status = store_digest_put(store, &part, error);
		status = bench_store_end(store, status, error);
	}
	return status;
}
