#include "app/gate.h"

#include <math.h>
#include <string.h>

#include "app/runs.h"
#include "compare/gate.h"
#include "core/clock.h"

#define FIRST_SHARE 0.6  /* of the budget is for the run, the rest for what must be measured again */
#define LEAST_AGAIN 0.25 /* of the budget is for that in any case */
#define MOST_AGAIN  2.0  /* times the invocations: there are fewer cases, and time for more processes */
#define CONFIRM_ALPHA                                                                                        \
	0.05 /* of the second look at a metric, by itself: the first look's alpha is the gate's */
#define CONFIRM_SHARE                                                                                        \
	0.5 /* of the threshold, for the same: what was picked for being large comes out smaller */
#define REFERENCE "reference"

static double seconds_since_start(const struct bench_app_gate *gate)
{
	return bench_clock_seconds() - gate->started;
}

static int check(const struct bench_app_baseline *baseline, size_t count, const struct bench_run *run,
		 struct bench_error *error)
{
	return bench_compare_check((const struct bench_run *const *)(uintptr_t)baseline->runs, count,
				   baseline->name, run, &baseline->options, error);
}

/*
 * After a change of the environment that was allowed once, a rolling baseline reaches back to the change: its
 * newest run is like today's, and what came before it is left out. Where the newest differs, nothing is.
 */
static void end_at_change(struct bench_app_gate *gate, const struct bench_run *run)
{
	struct bench_app_baseline *baseline = &gate->baseline;
	struct bench_app_baseline one = *baseline;
	struct bench_error ignored;
	size_t kept = 0;
	for (; kept < baseline->count; kept++) {
		one.runs = baseline->runs + kept;
		if (check(&one, 1, run, &ignored) != 0)
			break;
	}
	if (kept == 0 || kept == baseline->count || baseline->options.allow_env_change)
		return;
	bench_app_note(gate->first.host,
		       "baseline %s: the newest %zu of its %zu runs are of this environment", baseline->name,
		       kept, baseline->count);
	while (baseline->count > kept)
		bench_record_free(baseline->runs[--baseline->count]);
}

/* The base instead of a baseline: the sides are asked what they have, before time is spent. */
static int prepare_duel(struct bench_app_gate *gate, struct bench_error *error)
{
	const struct bench_app_gate_request *request = gate->request;
	gate->duel.judging.threshold = request->options.threshold;
	gate->duel.judging.alpha = request->options.alpha;
	if (bench_app_duel_meet(&gate->duel, &request->measure.cases, request->base, NULL, gate->first.plan,
				error) != 0)
		return -1;
	return bench_app_duel_enter(&gate->duel, "gate", &gate->first, error);
}

static const char *usual_reference(struct bench_store *store)
{
	struct bench_arena arena = {0};
	struct bench_baseline_row row;
	bool found = bench_app_find_baseline(store, REFERENCE, &arena, &row);
	bench_arena_free(&arena);
	return found ? REFERENCE : NULL;
}

/* Both baselines, and whether they can be compared with at all, before time is spent. */
static int prepare(struct bench_app_gate *gate, struct bench_error *error)
{
	const struct bench_app_gate_request *request = gate->request;
	const struct bench_app_places *places = &request->measure.places;
	struct bench_store *store = gate->first.store;
	const struct bench_run *run = gate->first.run;
	const char *name = request->baseline ? request->baseline : BENCH_APP_GATE_AGAINST;
	bool rolling = strncmp(name, "rolling:", 8) == 0;
	const char *reference = request->reference ? request->reference : usual_reference(store);
	if (bench_app_baseline_load(places, store, run, name, &request->options, &gate->baseline, error) !=
	    0) {
		/* The first night of a rolling baseline is to give it its first run. */
		if (!rolling || error->code != BENCH_NOTHING)
			return -1;
		gate->first_night = *error;
	}
	if (rolling)
		end_at_change(gate, run);
	if (gate->baseline.count && check(&gate->baseline, gate->baseline.count, run, error) != 0)
		return -1;
	if (!reference)
		return 0;
	if (bench_app_baseline_load(places, store, run, reference, &request->options, &gate->fixed, error) !=
		    0 ||
	    check(&gate->fixed, gate->fixed.count, run, error) != 0)
		return -1;
	gate->reference = reference;
	/* Alpha is for the whole gate: each of the two comparisons gets half of it. */
	gate->baseline.options.alpha /= 2;
	gate->fixed.options.alpha /= 2;
	return 0;
}

static int compare(const struct bench_app_gate *gate, const struct bench_run *run,
		   struct bench_comparison **comparison, struct bench_error *error)
{
	return gate->request->base ? bench_compare_duel(run, &gate->duel.judging, comparison, error)
				   : bench_app_baseline_compare(&gate->baseline, run, comparison, error);
}

static void note_trouble(struct bench_app_gate *gate, const char *what, const struct bench_error *error)
{
	if (gate->trouble.code == BENCH_OK)
		bench_fail(&gate->trouble, error->code, "%s%.900s", what, error->text);
}

/*
 * How the second look judges. A false alarm needs the first look to accuse, which it does with the chance
 * alpha over all metrics together: whatever the second look's own rate is, it only takes away from that. So
 * it need not be as hard to convince.
 */
static void judge_alone(struct bench_app_gate *gate)
{
	struct bench_duel_options *paired = &gate->duel.judging;
	struct bench_compare_options *const histories[] = {&gate->baseline.options, &gate->fixed.options};
	paired->alpha = CONFIRM_ALPHA;
	paired->each_alone = true;
	paired->threshold *= CONFIRM_SHARE;
	for (size_t i = 0; i < 2; i++) {
		histories[i]->alpha = CONFIRM_ALPHA;
		histories[i]->each_alone = true;
		histories[i]->threshold *= CONFIRM_SHARE;
	}
}

/* Plans, measures and keeps the suspects. */
static int measure_confirmation(struct bench_app_gate *gate, const char *const *keys, size_t count,
				struct bench_error *error)
{
	struct bench_app_measure *second = &gate->confirmation;
	if (bench_app_measure_plan(second, gate->first.request, gate->first.host, keys, error) != 0 ||
	    (gate->request->base && bench_app_duel_enter(&gate->duel, "gate", second, error) != 0))
		return -1;
	struct bench_run *run = second->run;
	const struct bench_run *first = gate->first.run;
	char *aside = bench_arena_format(&run->arena, "confirms %s", first->id);
	bench_record_attribute_set(&run->arena, &run->labels, &run->label_count, "aside", aside);
	if (gate->budget > 0) {
		/* The groups are fewer: each gets the time that it had, in more processes. */
		run->budget_seconds =
			fmax(gate->budget - seconds_since_start(gate), LEAST_AGAIN * gate->budget);
		double time = run->budget_seconds / first->budget_seconds *
			      (double)gate->first.plan->group_count / (double)second->plan->group_count;
		run->invocations = (unsigned)(first->invocations * fmin(fmax(time, 1), MOST_AGAIN));
	}
	bench_app_note(gate->first.host,
		       "measured again, in fresh processes: %zu case%s that look%s slower or broken", count,
		       count == 1 ? "" : "s", count == 1 ? "s" : "");
	if (bench_app_measure_open(second, error) != 0 || bench_app_measure_run(second, error) != 0)
		return -1;
	gate->confirmation_id = run->id;
	if (bench_app_measure_keep(second) == BENCH_OUTCOME_NOT_KEPT)
		note_trouble(gate, "",
			     &(struct bench_error){BENCH_ENVIRONMENT, "the second run was not kept"});
	if (run->interrupted)
		note_trouble(gate, "", &(struct bench_error){BENCH_NOTHING, "interrupted"});
	judge_alone(gate);
	if (compare(gate, run, &gate->confirmation_verdicts, error) != 0)
		return -1;
	return gate->drift ? bench_app_baseline_compare(&gate->fixed, run, &gate->confirmation_drift, error)
			   : 0;
}

/* Second looks at what is accused; the verdicts are final then. */
static void confirm(struct bench_app_gate *gate)
{
	struct bench_arena arena = {0};
	struct bench_error error;
	size_t count;
	const char *const *keys = bench_compare_gate_suspects(gate->verdicts, gate->drift, &arena, &count);
	struct bench_compare_confirmation confirmation = {0};
	if (count > 0 && measure_confirmation(gate, keys, count, &error) != 0) {
		note_trouble(gate, "suspects could not be measured again: ", &error);
		confirmation.failure = error.text;
	}
	confirmation.run = confirmation.failure ? NULL : gate->confirmation.run;
	confirmation.comparison = gate->confirmation_verdicts;
	confirmation.reference = gate->confirmation_drift;
	bench_compare_gate_conclude(gate->verdicts, gate->drift, count ? &confirmation : NULL);
	bench_arena_free(&arena);
}

/*
 * Compares with the reference. One whose every metric was accepted away since has no say any more, until it
 * is set anew: no failure, as a shift is one alarm and not a month of them.
 */
static void compare_with_reference(struct bench_app_gate *gate)
{
	const struct bench_run *run = gate->first.run;
	struct bench_app_baseline unshifted = gate->fixed;
	struct bench_comparison *before = NULL;
	struct bench_error error, ignored;
	if (gate->fixed.count == 0 ||
	    bench_app_baseline_compare(&gate->fixed, run, &gate->drift, &error) == 0)
		return;
	unshifted.options.accepted_count = 0;
	if (bench_app_baseline_compare(&unshifted, run, &before, &ignored) == 0)
		bench_app_warn(gate->first.host,
			       "shifts of all metrics of reference '%s' were accepted since it was measured: "
			       "a drift is not seen until it is set anew",
			       gate->fixed.name);
	else
		note_trouble(gate, "reference: ", &error);
	bench_compare_free(before);
}

/* Compares what was measured, and has it confirmed. */
static int judge(struct bench_app_gate *gate, struct bench_error *error)
{
	if (gate->measured == BENCH_OUTCOME_NOT_KEPT)
		note_trouble(gate, "", &(struct bench_error){BENCH_ENVIRONMENT, "the run was not kept"});
	if (compare(gate, gate->first.run, &gate->verdicts, error) != 0)
		return -1;
	compare_with_reference(gate);
	confirm(gate);
	gate->seconds = seconds_since_start(gate);
	return 0;
}

/* There is a run now, for the next night, and no verdict. */
static int end_first_night(const struct bench_app_gate *gate, struct bench_error *error)
{
	return bench_fail(
		error, BENCH_NOTHING,
		"no verdict yet: %.600s. Run %s is kept: the next gate has something to compare with",
		gate->first_night.text, gate->first.run->id);
}

int bench_app_gate(struct bench_app_gate *gate, const struct bench_app_gate_request *request,
		   const struct bench_app_host *host, struct bench_error *error)
{
	struct bench_app_measure *first = &gate->first;
	*gate = (struct bench_app_gate){.request = request, .started = bench_clock_seconds()};
	if (bench_app_measure_plan(first, &request->measure, host, NULL, error) != 0 ||
	    (request->base && prepare_duel(gate, error) != 0) || bench_app_measure_open(first, error) != 0 ||
	    (!request->base && prepare(gate, error) != 0))
		return -1;
	gate->budget = first->run->budget_seconds;
	first->run->budget_seconds *= FIRST_SHARE;
	if (bench_app_measure_run(first, error) != 0)
		return -1;
	gate->measured = bench_app_measure_keep(first);
	if (gate->measured == BENCH_OUTCOME_INTERRUPTED)
		return 0;
	if (gate->first_night.code == BENCH_OK)
		return judge(gate, error);
	return gate->measured == BENCH_OUTCOME_NOT_KEPT ? 0 : end_first_night(gate, error);
}

enum bench_outcome bench_app_gate_outcome(const struct bench_app_gate *gate, bool strict)
{
	if (gate->measured == BENCH_OUTCOME_INTERRUPTED ||
	    (gate->confirmation.run && gate->confirmation.run->interrupted))
		return BENCH_OUTCOME_INTERRUPTED;
	enum bench_outcome outcome =
		gate->verdicts ? bench_compare_outcome(gate->verdicts, strict) : BENCH_OUTCOME_GOOD;
	if (outcome != BENCH_OUTCOME_GOOD)
		return outcome;
	if (gate->trouble.code != BENCH_OK)
		return gate->trouble.code == BENCH_ENVIRONMENT ? BENCH_OUTCOME_NOT_KEPT
							       : BENCH_OUTCOME_NOTHING;
	return gate->measured; /* never a pass where the run itself was none */
}

void bench_app_gate_free(struct bench_app_gate *gate)
{
	bench_compare_free(gate->verdicts);
	bench_compare_free(gate->drift);
	bench_compare_free(gate->confirmation_verdicts);
	bench_compare_free(gate->confirmation_drift);
	bench_app_baseline_free(&gate->baseline);
	bench_app_baseline_free(&gate->fixed);
	bench_app_duel_free(&gate->duel);
	bench_app_measure_free(&gate->confirmation);
	bench_app_measure_free(&gate->first);
}
