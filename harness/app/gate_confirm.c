/* SPDX-License-Identifier: MIT */
/* The second look of a gate: what is in question is measured again, in fresh processes. */
#include <math.h>
#include <string.h>

#include "app/gate_internal.h"

#include "core/text.h"

#define LEAST_AGAIN 0.1 /* of the budget is for the second look in any case */
#define MOST_AGAIN                                                                                           \
	2.0 /* times the invocations of a run: there are fewer cases, and time for more processes */

/* The first run with the invocations of the second. */
static int compare_both(struct bench_app_gate *gate, struct bench_error *error)
{
	const struct bench_run *again = gate->confirmation.run;
	gate->duel.judging.again = again;
	gate->baseline.options.again = again;
	int result = app_gate_compare(gate, gate->first.run, &gate->pooled, error);
	gate->duel.judging.again = NULL;
	gate->baseline.options.again = NULL;
	return result;
}

/* As the second look judges. */
static void judge_alone(struct bench_app_gate *gate)
{
	struct bench_duel_options *paired = &gate->duel.judging;
	struct bench_compare_options eased = gate->request->options;
	bench_compare_gate_ease(&eased, &gate->arena);
	paired->alpha = eased.alpha;
	paired->each_alone = eased.each_alone;
	paired->two_looks = false;
	paired->threshold *= BENCH_GATE_CONFIRM_SHARE;
	paired->rules = eased.rules;
	bench_compare_gate_ease(&gate->baseline.options, &gate->arena);
	bench_compare_gate_ease(&gate->fixed.options, &gate->arena);
}

/*
 * When interleaved, all time goes to the cases in question: others in the group would slow both executables
 * alike.
 */
static void leave_others_out(struct bench_plan *plan, const char *const *keys)
{
	for (size_t i = 0; i < plan->case_count; i++) {
		bool meant = false;
		for (size_t k = 0; keys[k]; k++)
			meant |= strcmp(plan->cases[i].key, keys[k]) == 0;
		if (!meant && !plan->cases[i].lacking)
			plan->cases[i].lacking = "decided at the first look";
	}
}

/* Plans, measures and keeps the suspects. */
static int measure_confirmation(struct bench_app_gate *gate, const char *const *keys, size_t count,
				struct bench_error *error)
{
	struct bench_app_measure *second = &gate->confirmation;
	if (bench_app_measure_plan(second, gate->first.request, gate->first.host, keys, error) != 0 ||
	    (app_gate_in_turns(gate) && app_gate_enter(gate, second, error) != 0))
		return -1;
	if (app_gate_in_turns(gate))
		leave_others_out(second->plan, keys);
	struct bench_run *run = second->run;
	const struct bench_run *first = gate->first.run;
	char *aside = bench_arena_format(&run->arena, "confirms %s", first->id);
	bench_record_attribute_set(&run->arena, &run->labels, &run->label_count, "aside", aside);
	if (gate->budget > 0) {
		/* The groups are fewer: each gets the time that it had, in more processes. */
		run->budget_seconds = fmax(gate->budget - app_gate_seconds(gate), LEAST_AGAIN * gate->budget);
		second->share = run->budget_seconds / gate->budget;
		second->least_invocations = 1; /* what they leave open is said */
		double time = run->budget_seconds / first->budget_seconds *
			      (double)gate->first.plan->group_count / (double)second->plan->group_count;
		/* When interleaved, longer blocks say more than additional ones, because each has start-up
		 * costs. */
		run->invocations =
			(unsigned)(first->invocations *
				   (app_gate_in_turns(gate) ? 1 : fmin(fmax(time, 1), MOST_AGAIN)));
	}
	bench_app_note(gate->first.host,
		       "measured again, in fresh processes: %zu case%s that look%s slower or broken, or %s "
		       "undecided",
		       count, bench_text_plural(count), count == 1 ? "s" : "", count == 1 ? "is" : "are");
	if (bench_app_measure_open(second, error) != 0 || bench_app_measure_run(second, error) != 0)
		return -1;
	gate->confirmation_id = run->id;
	if (bench_app_measure_keep(second) == BENCH_OUTCOME_NOT_KEPT)
		app_gate_trouble(gate, "",
				 &(struct bench_error){BENCH_ENVIRONMENT, "the second run was not kept"});
	if (run->interrupted)
		app_gate_trouble(gate, "", &(struct bench_error){BENCH_NOTHING, "interrupted"});
	if (compare_both(gate, error) != 0)
		return -1;
	judge_alone(gate);
	if (app_gate_compare(gate, run, &gate->confirmation_verdicts, error) != 0)
		return -1;
	return gate->drift ? bench_app_baseline_compare(&gate->fixed, run, &gate->confirmation_drift, error)
			   : 0;
}

/* Second looks at what is accused; the verdicts are final then. */
void app_gate_confirm(struct bench_app_gate *gate)
{
	BENCH_SCOPED_ARENA arena = {0};
	struct bench_error error;
	size_t count;
	const char *const *keys = bench_compare_gate_suspects(gate->verdicts, gate->drift, &arena, &count);
	struct bench_compare_confirmation confirmation = {0};
	if (count > 0 && measure_confirmation(gate, keys, count, &error) != 0) {
		app_gate_trouble(gate, "suspects could not be measured again: ", &error);
		confirmation.failure = error.text;
	}
	confirmation.run = confirmation.failure ? NULL : gate->confirmation.run;
	confirmation.comparison = gate->confirmation_verdicts;
	confirmation.pooled = gate->pooled;
	confirmation.reference = gate->confirmation_drift;
	bench_compare_gate_conclude(gate->verdicts, gate->drift, count ? &confirmation : NULL);
}
