#include "app/gate.h"

#include <math.h>
#include <string.h>

#include "app/alarms.h"
#include "app/runs.h"
#include "compare/baseline.h"
#include "core/clock.h"
#include "core/text.h"
#include "extend/extend.h"

#define FIRST_SHARE 0.6  /* of the budget is for the run, the rest for what must be measured again */
#define LEAST_AGAIN 0.25 /* of the budget is for that in any case */
#define MOST_AGAIN                                                                                           \
	2.0 /* times the invocations of a run: there are fewer cases, and time for more processes */
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

enum bench_app_gate_against bench_app_gate_against(const struct bench_app_gate_request *request)
{
	if (request->base)
		return BENCH_APP_GATE_BASE;
	return !bench_extend_can_be_kept() || request->baseline || request->reference ||
			       request->measure.settings.cold || request->measure.settings.counters ||
			       request->measure.no_store
		       ? BENCH_APP_GATE_HISTORY
		       : BENCH_APP_GATE_ANCHOR;
}

static bool in_turns(const struct bench_app_gate *gate)
{
	return gate->against != BENCH_APP_GATE_HISTORY;
}

static const char *baseline_name(const struct bench_app_gate *gate)
{
	return gate->request->baseline ? gate->request->baseline : BENCH_APP_GATE_AGAINST;
}

static bool is_rolling(const struct bench_app_gate *gate)
{
	return !in_turns(gate) &&
	       bench_compare_baseline_kind(baseline_name(gate), NULL) == BENCH_BASELINE_ROLLING;
}

/* An executable instead of a baseline: both are asked what they have, before time is spent. */
static int meet(struct bench_app_gate *gate, const char *base, struct bench_error *error)
{
	const struct bench_app_gate_request *request = gate->request;
	bench_app_duel_free(&gate->duel);
	gate->duel = (struct bench_app_duel){.share = FIRST_SHARE,
					     .judging = {.threshold = request->options.threshold,
							 .floor = request->options.floor,
							 .alpha = request->options.alpha,
							 .rules = request->options.rules,
							 .rule_count = request->options.rule_count,
							 .two_looks = true}};
	return bench_app_duel_meet(&gate->duel, &request->measure.cases, base, NULL, gate->first.plan, error);
}

/* A run of the gate, in turns. A night beside its anchor is part of the history; a run beside a base is not.
 */
static int enter(struct bench_app_gate *gate, struct bench_app_measure *measure, struct bench_error *error)
{
	struct bench_run *run = measure->run;
	bool anchored = gate->against == BENCH_APP_GATE_ANCHOR;
	if (bench_app_duel_enter(&gate->duel, anchored ? NULL : "gate", measure, error) != 0)
		return -1;
	if (anchored)
		bench_record_attribute_set(&run->arena, &run->labels, &run->label_count, "anchor",
					   gate->anchor.row.run);
	return 0;
}

/* What the anchor has, and this executable lacks since a shift of it was accepted, was removed on purpose. */
static int forget_removed(struct bench_app_gate *gate, struct bench_error *error)
{
	struct bench_duel_options *judging = &gate->duel.judging;
	struct bench_accepted_row *rows;
	struct bench_arena *arena = &gate->anchor.arena;
	size_t count, kept = 0;
	if (judging->missing_count == 0)
		return 0;
	if (bench_store_accepted(gate->first.store, gate->anchor.fingerprint, arena, &rows, &count, error) !=
	    0)
		return -1;
	const char **missing = bench_arena_alloc(arena, judging->missing_count, sizeof(*missing));
	const char **causes = bench_arena_alloc(arena, judging->missing_count, sizeof(*causes));
	for (size_t i = 0; i < judging->missing_count; i++) {
		char *key = bench_arena_format(arena, "%s/time", judging->missing[i]);
		bool removed = false;
		for (size_t j = 0; j < count; j++)
			removed |= rows[j].created >= gate->anchor.row.created &&
				   bench_text_match(rows[j].pattern, key);
		if (!removed) {
			missing[kept] = judging->missing[i];
			causes[kept++] = judging->missing_cause[i];
		}
	}
	judging->missing = missing;
	judging->missing_cause = causes;
	judging->removed += judging->missing_count - kept;
	judging->missing_count = kept;
	return 0;
}

/* The anchor, and what it has. One that cannot be started any more is replaced, as in the first night. */
static int prepare_anchor(struct bench_app_gate *gate, struct bench_error *error)
{
	struct bench_app_anchor *anchor = &gate->anchor;
	struct bench_error cause;
	char *lost;
	size_t others;
	if (bench_app_anchor_find(anchor, &gate->first, &gate->line, &lost, &others, error) != 0)
		return -1;
	if (lost)
		bench_fail(&gate->first_night, BENCH_NOTHING, "the anchor is lost: %.900s", lost);
	else if (anchor->first && others > 0)
		bench_fail(&gate->first_night, BENCH_NOTHING,
			   "no gate of this command has an anchor on this line of history, and other lines "
			   "have %zu (--branch any takes the newest)",
			   others);
	else if (anchor->first)
		bench_fail(&gate->first_night, BENCH_NOTHING,
			   "no gate of this command has run on this host before");
	if (meet(gate, anchor->program, &cause) != 0) {
		if (anchor->first && cause.code == BENCH_NOTHING)
			return bench_fail(error, BENCH_NOTHING,
					  "%.900s ('bench gate --baseline rolling:10' needs no anchor)",
					  cause.text);
		if (anchor->first || cause.code != BENCH_NOTHING) {
			*error = cause;
			return -1;
		}
		bench_fail(&gate->first_night, BENCH_NOTHING,
			   "the anchor cannot be measured any more: %.900s", cause.text);
		if (bench_app_anchor_drop(anchor, error) != 0 || meet(gate, anchor->program, error) != 0)
			return -1;
	}
	gate->duel.judging.base_name = anchor->name;
	gate->duel.judging.levels = anchor->row.levels;
	gate->duel.judging.level_count = anchor->row.level_count;
	if (!anchor->first && forget_removed(gate, error) != 0)
		return -1;
	return enter(gate, &gate->first, error);
}

static int usual_reference(struct bench_store *store, const char **reference, struct bench_error *error)
{
	struct bench_arena arena = {0};
	struct bench_baseline_row row;
	bool found = false;
	/* With --no-store there is none. */
	int result = store ? bench_app_find_baseline(store, REFERENCE, &arena, &row, &found, error) : 0;
	bench_arena_free(&arena);
	*reference = found ? REFERENCE : NULL;
	return result;
}

/* Both baselines, and whether they can be compared with at all, before time is spent. */
static int prepare(struct bench_app_gate *gate, struct bench_error *error)
{
	const struct bench_app_gate_request *request = gate->request;
	const struct bench_app_places *places = &request->measure.places;
	struct bench_store *store = gate->first.store;
	const struct bench_run *run = gate->first.run;
	const char *name = baseline_name(gate);
	const bool rolling = is_rolling(gate);
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
		end_at_change(gate, run);
	if (gate->baseline.count && check(&gate->baseline, gate->baseline.count, run, error) != 0)
		return -1;
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

static int compare(const struct bench_app_gate *gate, const struct bench_run *run,
		   struct bench_comparison **comparison, struct bench_error *error)
{
	return in_turns(gate) ? bench_compare_duel(run, &gate->duel.judging, comparison, error)
			      : bench_app_baseline_compare(&gate->baseline, run, comparison, error);
}

/* The first run with the invocations of the second. */
static int compare_both(struct bench_app_gate *gate, struct bench_error *error)
{
	const struct bench_run *again = gate->confirmation.run;
	gate->duel.judging.again = again;
	gate->baseline.options.again = again;
	int result = compare(gate, gate->first.run, &gate->pooled, error);
	gate->duel.judging.again = NULL;
	gate->baseline.options.again = NULL;
	return result;
}

static void note_trouble(struct bench_app_gate *gate, const char *what, const struct bench_error *error)
{
	if (gate->trouble.code == BENCH_OK)
		bench_fail(&gate->trouble, error->code, "%s%.900s", what, error->text);
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
 * In turns, all the time is for what is in question: whatever else is in its group would slow both
 * executables alike.
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
	    (in_turns(gate) && enter(gate, second, error) != 0))
		return -1;
	if (in_turns(gate))
		leave_others_out(second->plan, keys);
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
		/* In turns, longer blocks say more than further ones: what starting takes is lost in each. */
		run->invocations = (unsigned)(first->invocations *
					      (in_turns(gate) ? 1 : fmin(fmax(time, 1), MOST_AGAIN)));
	}
	bench_app_note(gate->first.host,
		       "measured again, in fresh processes: %zu case%s that look%s slower or broken, or %s "
		       "undecided",
		       count, count == 1 ? "" : "s", count == 1 ? "s" : "", count == 1 ? "is" : "are");
	if (bench_app_measure_open(second, error) != 0 || bench_app_measure_run(second, error) != 0)
		return -1;
	gate->confirmation_id = run->id;
	if (bench_app_measure_keep(second) == BENCH_OUTCOME_NOT_KEPT)
		note_trouble(gate, "",
			     &(struct bench_error){BENCH_ENVIRONMENT, "the second run was not kept"});
	if (run->interrupted)
		note_trouble(gate, "", &(struct bench_error){BENCH_NOTHING, "interrupted"});
	if (compare_both(gate, error) != 0)
		return -1;
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
	confirmation.pooled = gate->pooled;
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

/* What the night means for the alarms. It means nothing if it was interrupted, or is no part of the history.
 */
static void follow_alarms(struct bench_app_gate *gate)
{
	struct bench_error error;
	const struct bench_run *run = gate->first.run, *again = gate->confirmation.run;
	bool aside = *bench_record_attribute_get(run->labels, run->label_count, "aside") != '\0';
	int result;
	if (gate->against == BENCH_APP_GATE_BASE || gate->request->measure.no_store)
		return;
	if (aside || (again && again->interrupted))
		result = bench_app_alarms_tell(gate->first.store, run, &gate->line, gate->verdicts, &error);
	else
		result = bench_app_alarms_update(gate->request->measure.places.db, run, &gate->line, NULL,
						 gate->against == BENCH_APP_GATE_HISTORY ? &gate->changes
											 : NULL,
						 gate->verdicts, &error);
	if (result != 0)
		note_trouble(gate, "the alarms: ", &error);
}

/* What the nights before it show together, for the report. */
static void look_back(struct bench_app_gate *gate)
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
		bench_app_warn(gate->first.host, "level shifts in the history were not looked for: %s",
			       error.text);
}

/* There is a run now, for the next night, or an anchor, and no verdict. */
static int end_first_night(struct bench_app_gate *gate, struct bench_error *error)
{
	if (gate->against == BENCH_APP_GATE_ANCHOR &&
	    bench_app_anchor_settle(&gate->anchor, &gate->first, NULL, error) != 0) {
		gate->first_night.code = BENCH_OK;
		return -1;
	}
	return bench_fail(error, BENCH_NOTHING,
			  "no verdict yet: %.600s. Run %s is kept: the next gate has %s",
			  gate->first_night.text, gate->first.run->id,
			  gate->against == BENCH_APP_GATE_ANCHOR ? "this executable as its anchor"
								 : "something to compare with");
}

/* Compares what was measured, and has it confirmed. */
static int judge(struct bench_app_gate *gate, struct bench_error *error)
{
	struct bench_error anchor_error;
	if (gate->measured == BENCH_OUTCOME_NOT_KEPT)
		note_trouble(gate, "", &(struct bench_error){BENCH_ENVIRONMENT, "the run was not kept"});
	if (compare(gate, gate->first.run, &gate->verdicts, error) != 0) {
		/* Where the nights so far have nothing that tonight has, it is the first for what it has. */
		if (!is_rolling(gate) || error->code != BENCH_NOTHING || gate->measured != BENCH_OUTCOME_GOOD)
			return -1;
		gate->first_night = *error;
		return end_first_night(gate, error);
	}
	compare_with_reference(gate);
	confirm(gate);
	look_back(gate);
	follow_alarms(gate);
	gate->undecided = bench_compare_gate_undecided(gate->verdicts, gate->request->undecided,
						       is_rolling(gate) && gate->baseline.count <
										   BENCH_COMPARE_ENOUGH_RUNS);
	if (gate->against == BENCH_APP_GATE_ANCHOR && gate->measured != BENCH_OUTCOME_NOT_KEPT &&
	    bench_app_anchor_settle(&gate->anchor, &gate->first, gate->verdicts, &anchor_error) != 0)
		note_trouble(gate, "the anchor: ", &anchor_error);
	gate->seconds = seconds_since_start(gate);
	return 0;
}

int bench_app_gate(struct bench_app_gate *gate, const struct bench_app_gate_request *request,
		   const struct bench_app_host *host, struct bench_error *error)
{
	struct bench_app_measure *first = &gate->first;
	*gate = (struct bench_app_gate){.request = request, .started = bench_clock_seconds()};
	gate->against = bench_app_gate_against(request);
	if (bench_app_measure_plan(first, &request->measure, host, NULL, error) != 0 ||
	    (request->base && (meet(gate, request->base, error) != 0 || enter(gate, first, error) != 0)) ||
	    bench_app_measure_open(first, error) != 0 ||
	    bench_app_line_of(first->store, &request->measure.places.line, &first->run->git, &gate->line,
			      error) != 0 ||
	    (gate->against == BENCH_APP_GATE_ANCHOR && prepare_anchor(gate, error) != 0) ||
	    (!in_turns(gate) && prepare(gate, error) != 0))
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
	if (gate->undecided.begins)
		return BENCH_OUTCOME_BEGUN;
	return gate->verdicts && gate->undecided.too_many ? BENCH_OUTCOME_UNCLEAR : BENCH_OUTCOME_GOOD;
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
	bench_app_line_free(&gate->line);
	bench_arena_free(&gate->arena);
	bench_app_measure_free(&gate->confirmation);
	bench_app_measure_free(&gate->first);
}
