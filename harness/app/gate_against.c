/* SPDX-License-Identifier: MIT */
/* What a gate compares with: how that is chosen, and a history of runs made ready. */

#include "app/gate_internal.h"
#include "app/kept.h"
#include "app/runs.h"
#include "compare/baseline.h"
#include "core/text.h"
#include "extend/extend.h"
#include "stats/stats.h"

#define REFERENCE "reference"

enum bench_app_gate_against bench_app_gate_against(const struct bench_app_gate_request *request)
{
	if (request->base)
		return BENCH_APP_GATE_BASE;
	return !bench_app_can_be_kept() || request->baseline || request->reference ||
			       request->measure.settings.cold || request->measure.settings.counters ||
			       request->measure.settings.energy || request->measure.no_store
		       ? BENCH_APP_GATE_HISTORY
		       : BENCH_APP_GATE_ANCHOR;
}

bool app_gate_in_turns(const struct bench_app_gate *gate)
{
	return gate->against != BENCH_APP_GATE_HISTORY;
}

static const char *baseline_name(const struct bench_app_gate *gate)
{
	return gate->request->baseline ? gate->request->baseline : BENCH_APP_GATE_AGAINST;
}

bool app_gate_is_rolling(const struct bench_app_gate *gate)
{
	return !app_gate_in_turns(gate) &&
	       bench_compare_baseline_kind(baseline_name(gate), NULL) == BENCH_BASELINE_ROLLING;
}

static int check(const struct bench_app_baseline *baseline, size_t count, const struct bench_run *run,
		 struct bench_error *error)
{
	return bench_compare_check((const struct bench_run *const *)(uintptr_t)baseline->runs, count,
				   baseline->name, run, &baseline->options, error);
}

static int usual_reference(struct bench_store *store, const char **reference, struct bench_error *error)
{
	BENCH_SCOPED_ARENA arena = {0};
	struct bench_baseline_row row;
	bool found = false;
	/* With --no-store there is none. */
	int result = store ? bench_app_find_baseline(store, REFERENCE, &arena, &row, &found, error) : 0;
	*reference = found ? REFERENCE : NULL;
	return result;
}

/*
 * The fewest invocations that can call a case slower than the baseline, of those that are to be made: a
 * budget that does not hold them is not worth its time.
 */
static void need_invocations(struct bench_app_gate *gate)
{
	struct bench_app_measure *first = &gate->first;
	const size_t cases = first->plan->case_count;
	size_t before = 0, least = 1;
	for (size_t i = 0; i < gate->baseline.count; i++)
		before += gate->baseline.runs[i]->invocations;
	while (least < first->run->invocations &&
	       bench_stats_rank_test_floor(before, least) * (double)cases > gate->baseline.options.alpha)
		least++;
	if (before == 0 || first->request->invocations)
		return;
	first->least_invocations = (unsigned)least;
	first->purpose = bench_arena_format(&gate->arena, "decide %zu case%s at %g%%", cases,
					    bench_text_plural(cases), 100 * gate->request->options.alpha);
}

/* Both baselines, and whether they can be compared with at all, before time is spent. */
int app_gate_prepare_history(struct bench_app_gate *gate, struct bench_error *error)
{
	const struct bench_app_gate_request *request = gate->request;
	const struct bench_app_places *places = &request->measure.places;
	struct bench_store *store = gate->first.store;
	const struct bench_run *run = gate->first.run;
	const char *name = baseline_name(gate);
	const bool rolling = app_gate_is_rolling(gate);
	const char *reference = request->reference;
	if (!reference && usual_reference(store, &reference, error) != 0)
		return -1;
	if (bench_app_baseline_load(places, store, &gate->line, run, name, &request->options, &gate->baseline,
				    error) != 0) {
		/* The first night of a rolling baseline is to give it its first run. */
		if (!rolling || error->code != BENCH_NOTHING)
			return -1;
		gate->first_night = *error;
	}
	/* Alpha is for the whole gate: each of the two looks gets half of it, and of two baselines each. */
	gate->baseline.options.alpha /= 2;
	if (rolling)
		bench_app_baseline_end_at_change(&gate->baseline, run, gate->first.host);
	if (gate->baseline.count && check(&gate->baseline, gate->baseline.count, run, error) != 0)
		return -1;
	need_invocations(gate);
	if (!reference)
		return 0;
	if (bench_app_baseline_load(places, store, &gate->line, run, reference, &request->options,
				    &gate->fixed, error) != 0 ||
	    check(&gate->fixed, gate->fixed.count, run, error) != 0)
		return -1;
	gate->reference = reference;
	gate->baseline.options.alpha /= 2;
	gate->fixed.options.alpha /= 2;
	return 0;
}

int app_gate_compare(const struct bench_app_gate *gate, const struct bench_run *run,
		     struct bench_comparison **comparison, struct bench_error *error)
{
	return app_gate_in_turns(gate) ? bench_compare_duel(run, &gate->duel.judging, comparison, error)
				       : bench_app_baseline_compare(&gate->baseline, run, comparison, error);
}
