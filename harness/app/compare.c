/* SPDX-License-Identifier: MIT */
#include "app/compare.h"

#include <string.h>

#include "app/alarms.h"
#include "app/anchor.h"
#include "compare/bounds.h"
#include "compare/gate.h"
#include "core/memory.h"

/* Judges a run as its gate did, by its second look as well. The options are spent. */
static int compare_twice(struct bench_app_baseline *baseline, const struct bench_run *candidate,
			 const struct bench_run *again, struct bench_comparison **comparison,
			 struct bench_error *error)
{
	BENCH_SCOPED_COMPARISON *pooled = NULL, *second = NULL;
	struct bench_error cause;
	baseline->options.alpha /= 2; /* as of each look */
	if (bench_app_baseline_compare(baseline, candidate, comparison, error) != 0)
		return -1;
	baseline->options.again = again;
	int result = bench_app_baseline_compare(baseline, candidate, &pooled, &cause);
	baseline->options.again = NULL;
	bench_compare_gate_ease(&baseline->options, &baseline->arena);
	if (result == 0)
		result = bench_app_baseline_compare(baseline, again, &second, &cause);
	const struct bench_compare_confirmation confirmation = {.run = again,
								.comparison = second,
								.pooled = pooled,
								.failure = result == 0 ? NULL : cause.text};
	bench_compare_gate_conclude(*comparison, NULL, &confirmation);
	return 0;
}

/* The second look of the gate that measured a run, which judges it against a rolling baseline; NULL: it had
 * none. */
static int load_second_look(struct bench_store *store, const struct bench_run *candidate,
			    struct bench_run **again, struct bench_error *error)
{
	BENCH_SCOPED_ARENA arena = {0};
	char *id;

	if (bench_store_aside(store, bench_arena_format(&arena, "confirms %s", candidate->id), &arena, &id,
			      error) != 0)
		return -1;
	return *id ? bench_store_load(store, id, again, error) : 0;
}

/* Against the other executable of its session, or the runs that `text` names. */
static int compare_by(const struct bench_app_places *places, struct bench_store *store,
		      const struct bench_app_line *line, const struct bench_run *candidate, const char *text,
		      const struct bench_compare_options *options, struct bench_comparison **comparison,
		      struct bench_error *error)
{
	struct bench_app_baseline baseline;
	bool anchored = text ? strcmp(text, BENCH_APP_ANCHOR) == 0 : bench_app_anchor_has(candidate);
	if (anchored)
		return store ? bench_app_anchor_compare(store, candidate, options, comparison, error)
			     : bench_fail(error, BENCH_NOTHING,
					  "the anchor of a run is in the history, and there is no history");
	if (bench_app_baseline_load(places, store, line, candidate, text, options, &baseline, error) != 0)
		return -1;
	if (baseline.count == 1 && !baseline.options.newest)
		baseline.options.excluded_count = 0;
	BENCH_SCOPED_RUN *again = NULL;
	int result = text && store && baseline.options.newest
			     ? load_second_look(store, candidate, &again, error)
			     : 0;
	if (result == 0)
		result = again ? compare_twice(&baseline, candidate, again, comparison, error)
			       : bench_app_baseline_compare(&baseline, candidate, comparison, error);
	bench_app_baseline_free(&baseline);
	return result;
}

int bench_app_compare(const struct bench_app_places *places, struct bench_store *store,
		      const struct bench_run *candidate, const char *text,
		      const struct bench_compare_options *options, struct bench_comparison **comparison,
		      struct bench_error *error)
{
	BENCH_SCOPED_ARENA arena = {0};
	struct bench_app_line line;

	if (bench_app_line_of(store, &places->line, &candidate->git, &arena, &line, error) != 0 ||
	    compare_by(places, store, &line, candidate, text, options, comparison, error) != 0)
		return -1;
	if (bench_app_alarms_tell(store, candidate, &line, *comparison, error) != 0) {
		bench_compare_free(*comparison);
		*comparison = NULL;
		return -1;
	}
	bench_compare_hold(*comparison, candidate);
	return 0;
}

struct bench_verdict_row bench_app_verdict_row(const struct bench_verdict *verdict)
{
	return (struct bench_verdict_row){.key = verdict->key,
					  .verdict = bench_compare_verdict_name(verdict->kind),
					  .ratio = verdict->ratio,
					  .lo = verdict->lo,
					  .hi = verdict->hi,
					  .p_adjusted = verdict->p_adjusted,
					  .mde = verdict->mde,
					  .threshold = verdict->threshold,
					  .ci_level = verdict->level,
					  .reason = verdict->reason ? verdict->reason : "",
					  .owner = verdict->owner ? verdict->owner : ""};
}

int bench_app_keep_verdicts(const char *db, const struct bench_comparison *comparison,
			    struct bench_error *error)
{
	BENCH_SCOPED_STORE *store = NULL;
	BENCH_SCOPED_MEMORY struct bench_verdict_row *rows =
		bench_memory_alloc(comparison->verdict_count, sizeof(*rows));

	for (size_t i = 0; i < comparison->verdict_count; i++)
		rows[i] = bench_app_verdict_row(&comparison->verdicts[i]);
	return bench_store_open(db, BENCH_STORE_WRITE, &store, error) != 0
		       ? -1
		       : bench_store_keep_verdicts(store, comparison->candidate_id, comparison->baseline_name,
						   rows, comparison->verdict_count, error);
}
