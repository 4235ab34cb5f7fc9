/* SPDX-License-Identifier: MIT */
#include "app/gate_internal.h"
#include "compare/bounds.h"
#include "core/clock.h"

double app_gate_seconds(const struct bench_app_gate *gate)
{
	return bench_clock_seconds() - gate->started;
}

void app_gate_trouble(struct bench_app_gate *gate, const char *what, const struct bench_error *error)
{
	if (gate->trouble.code == BENCH_OK)
		bench_fail(&gate->trouble, error->code, "%s%s", what, error->text);
}

/* There is a run now, for the next night, or an anchor, and no verdict. */
static int end_first_night(struct bench_app_gate *gate, struct bench_error *error)
{
	if (gate->against == BENCH_APP_GATE_ANCHOR &&
	    bench_app_anchor_settle(&gate->anchor, &gate->first, NULL, error) != 0) {
		gate->first_night.code = BENCH_OK;
		return -1;
	}
	return bench_fail(error, BENCH_NOTHING, "no verdict yet: %s. Run %s is kept: the next gate has %s",
			  gate->first_night.text, gate->first.run->id,
			  gate->against == BENCH_APP_GATE_ANCHOR ? "this executable as its anchor"
								 : "something to compare with");
}

/* Compares what was measured, and has it confirmed. */
static int judge(struct bench_app_gate *gate, struct bench_error *error)
{
	struct bench_error anchor_error;
	if (gate->measured == BENCH_OUTCOME_NOT_KEPT)
		app_gate_trouble(gate, "", &(struct bench_error){BENCH_ENVIRONMENT, "the run was not kept"});
	if (app_gate_compare(gate, gate->first.run, &gate->verdicts, error) != 0) {
		/* Where the nights so far have nothing that tonight has, it is the first for what it has. */
		if (!app_gate_is_rolling(gate) || error->code != BENCH_NOTHING ||
		    gate->measured != BENCH_OUTCOME_GOOD)
			return -1;
		gate->first_night = *error;
		return end_first_night(gate, error);
	}
	app_gate_compare_with_reference(gate);
	app_gate_confirm(gate);
	app_gate_look_back(gate);
	bench_compare_hold(gate->verdicts, gate->first.run); /* what is expected opens no alarm */
	app_gate_follow_alarms(gate);
	bench_compare_hold(gate->verdicts, gate->first.run);
	gate->undecided = bench_compare_gate_undecided(
		gate->verdicts, gate->request->undecided,
		app_gate_is_rolling(gate) && gate->baseline.count < BENCH_COMPARE_ENOUGH_RUNS);
	if (gate->against == BENCH_APP_GATE_ANCHOR && gate->measured != BENCH_OUTCOME_NOT_KEPT &&
	    bench_app_anchor_settle(&gate->anchor, &gate->first, gate->verdicts, &anchor_error) != 0)
		app_gate_trouble(gate, "the anchor: ", &anchor_error);
	gate->seconds = app_gate_seconds(gate);
	return 0;
}

int bench_app_gate(struct bench_app_gate *gate, const struct bench_app_gate_request *request,
		   const struct bench_app_host *host, struct bench_error *error)
{
	struct bench_app_measure *first = &gate->first;
	*gate = (struct bench_app_gate){.request = request, .started = bench_clock_seconds()};
	gate->against = bench_app_gate_against(request);
	if (bench_app_measure_plan(first, &request->measure, host, NULL, error) != 0 ||
	    (request->base &&
	     (app_gate_meet(gate, request->base, error) != 0 || app_gate_enter(gate, first, error) != 0)) ||
	    bench_app_measure_open(first, error) != 0 ||
	    bench_app_line_of(first->store, &request->measure.places.line, &first->run->git, &gate->arena,
			      &gate->line, error) != 0 ||
	    (gate->against == BENCH_APP_GATE_ANCHOR && app_gate_prepare_anchor(gate, error) != 0) ||
	    (!app_gate_in_turns(gate) && app_gate_prepare_history(gate, error) != 0))
		return -1;
	gate->started = first->started; /* it may have waited before */
	gate->budget = first->run->budget_seconds;
	first->run->budget_seconds *= APP_GATE_FIRST_SHARE;
	first->share = APP_GATE_FIRST_SHARE;
	if (bench_app_measure_run(first, error) != 0) {
		gate->first_night.code = BENCH_OK; /* no night has begun */
		return -1;
	}
	gate->measured = bench_app_measure_keep(first);
	if (gate->measured == BENCH_OUTCOME_INTERRUPTED)
		return 0;
	if (gate->first_night.code == BENCH_OK)
		return judge(gate, error);
	return gate->measured == BENCH_OUTCOME_NOT_KEPT ? 0 : end_first_night(gate, error);
}

enum bench_outcome bench_app_gate_undecided(const struct bench_gate_undecided *undecided)
{
	return undecided->begins     ? BENCH_OUTCOME_BEGUN
	       : undecided->too_many ? BENCH_OUTCOME_UNCLEAR
				     : BENCH_OUTCOME_GOOD;
}

enum bench_outcome bench_app_gate_outcome(const struct bench_app_gate *gate, unsigned failing)
{
	if (gate->measured == BENCH_OUTCOME_INTERRUPTED ||
	    (gate->confirmation.run && gate->confirmation.run->interrupted))
		return BENCH_OUTCOME_INTERRUPTED;
	enum bench_outcome outcome =
		gate->verdicts ? bench_compare_outcome(gate->verdicts, failing) : BENCH_OUTCOME_GOOD;
	if (outcome != BENCH_OUTCOME_GOOD)
		return outcome;
	if (gate->trouble.code != BENCH_OK)
		return gate->trouble.code == BENCH_ENVIRONMENT ? BENCH_OUTCOME_NOT_KEPT
							       : BENCH_OUTCOME_NOTHING;
	if (gate->measured != BENCH_OUTCOME_GOOD)
		return gate->measured; /* never a pass where the run itself was none */
	return bench_app_gate_undecided(&gate->undecided);
}

void bench_app_gate_free(struct bench_app_gate *gate)
{
	bench_compare_free(gate->verdicts);
	bench_compare_free(gate->drift);
	bench_compare_free(gate->confirmation_verdicts);
	bench_compare_free(gate->confirmation_drift);
	bench_compare_free(gate->pooled);
	bench_app_baseline_free(&gate->baseline);
	bench_app_baseline_free(&gate->fixed);
	bench_app_duel_free(&gate->duel);
	bench_app_anchor_free(&gate->anchor);
	bench_arena_free(&gate->arena);
	bench_app_measure_free(&gate->confirmation);
	bench_app_measure_free(&gate->first);
}
