/* SPDX-License-Identifier: MIT */
/* What a night of the gate means in the history: drift, level shifts, alarms. */
#include <math.h>

#include "app/alarms.h"
#include "app/gate_internal.h"

/*
 * Compares with the reference. One whose every metric was accepted away since has no say any more, until it
 * is set anew: no failure, as a shift is one alarm and not a month of them.
 */
void app_gate_compare_with_reference(struct bench_app_gate *gate)
{
	const struct bench_run *run = gate->first.run;
	struct bench_app_baseline unshifted = gate->fixed;
	BENCH_SCOPED_COMPARISON *before = NULL;
	struct bench_error error, ignored;
	if (gate->fixed.count == 0 ||
	    bench_app_baseline_compare(&gate->fixed, run, &gate->drift, &error) == 0)
		return;
	unshifted.options.accepted_count = 0;
	if (bench_app_baseline_compare(&unshifted, run, &before, &ignored) == 0)
		bench_app_warn(gate->first.host,
			       "all metrics of reference '%s' have accepted shifts since it was measured: "
			       "drift goes undetected until it is set again",
			       gate->fixed.name);
	else
		app_gate_trouble(gate, "reference: ", &error);
}

/* What the nights before it show together, for the report. */
void app_gate_look_back(struct bench_app_gate *gate)
{
	const struct bench_compare_options *options = &gate->request->options;
	const struct bench_app_changepoint_options looking = {
		.least = options->threshold, .alpha = options->alpha, .runs = BENCH_APP_RECENT_RUNS};
	struct bench_error error;
	gate->machine = NAN;
	if (gate->against == BENCH_APP_GATE_BASE || !gate->first.store)
		return;
	if (gate->against == BENCH_APP_GATE_ANCHOR)
		gate->machine = bench_app_anchor_machine(gate->first.store, gate->first.run, &error);
	if (bench_app_changepoints_recent(gate->first.store, gate->first.run, &gate->line, &looking,
					  &gate->arena, &gate->changes, &error) != 0)
		bench_app_warn(gate->first.host, "cannot search the history for level shifts: %s",
			       error.text);
}

/* What the night means for the alarms. It means nothing if it was interrupted, or is no part of the history.
 */
void app_gate_follow_alarms(struct bench_app_gate *gate)
{
	struct bench_error error;
	const struct bench_run *run = gate->first.run, *again = gate->confirmation.run;
	bool aside = *bench_record_label(run, "aside") != '\0';
	int result;
	if (gate->against == BENCH_APP_GATE_BASE || gate->request->measure.no_store)
		return;
	if (aside || (again && again->interrupted))
		result = bench_app_alarms_tell(gate->first.store, run, &gate->line, gate->verdicts, &error);
	else
		result = bench_app_alarms_update(gate->request->measure.places.db, run, &gate->line, NULL,
						 gate->against == BENCH_APP_GATE_HISTORY ? &gate->changes
											 : NULL,
						 gate->request->hooked, gate->verdicts, &error);
	if (result != 0)
		app_gate_trouble(gate, "the alarms: ", &error);
}
