/*
 * bench gate: what nightly CI calls. Measures, compares, measures again in fresh processes what looks slower,
 * and says which of it is. docs/gate.md has the steps and the reasons.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/contest.h"
#include "compare/gate.h"
#include "core/clock.h"

#define FIRST_SHARE 0.6  /* of the budget is for the run, the rest for what must be measured again */
#define LEAST_AGAIN 0.25 /* of the budget is for that in any case */
#define MOST_AGAIN  2.0  /* times the invocations: there are fewer cases, and time for more processes */
#define CONFIRM_ALPHA                                                                                        \
	0.05 /* of the second look at a metric, by itself: the first look's alpha is the gate's */
#define CONFIRM_SHARE                                                                                        \
	0.5 /* of the threshold, for the same: what was picked for being large comes out smaller */
#define REFERENCE       "reference"
#define DEFAULT_AGAINST "rolling:10"
#define BASE_THRESHOLD                                                                                       \
	0.02 /* of --base: pairs can tell it, and what the layout of a build does is mostly less */

static const struct cli_option options[] = {
	CLI_OPTIONS_MEASURING,
	CLI_OPTIONS_COMPARE_WITH("what to compare with (default: " DEFAULT_AGAINST ")"),
	{"reference", 0, "NAME",
	 "a fixed baseline, against drift (default: '" REFERENCE "', if there is one)"},
	{"base", 0, "BENCH",
	 "no history: measure that executable and this one in turns, as 'duel' does (threshold: 2%)"},
	{"strict", 0, NULL, "exit with status 6 where something is unclear"},
	CLI_OPTION_FORMAT,
	{0},
};

struct gate {
	const struct cli_args *args;
	struct bench_report_options report;
	struct bench_report_gate facts;
	uint64_t started_ns;
	double budget; /* seconds, of both runs; 0: none */
	struct cli_measuring first, again;
	const char *base;                          /* whom this bench is set against; NULL: a history */
	struct cli_contest contest;                /* with it */
	struct cli_baseline baseline, reference;   /* no runs: there is none */
	struct bench_comparison *verdicts, *drift; /* of the first run */
	struct bench_comparison *again_verdicts, *again_drift; /* of the second */
	struct bench_error first_night; /* why there is nothing to compare with yet; BENCH_OK: there is */
	struct bench_error trouble;     /* what kept the gate from judging all; BENCH_OK: nothing did */
};

static double seconds_since_start(const struct gate *gate)
{
	return (double)(bench_clock_real.now_ns(bench_clock_real.context) - gate->started_ns) / 1e9;
}

static int check(const struct cli_baseline *baseline, size_t count, const struct bench_run *run,
		 struct bench_error *error)
{
	return bench_compare_check((const struct bench_run *const *)(uintptr_t)baseline->runs, count,
				   baseline->name, run, &baseline->options, error);
}

/*
 * After a change of the environment that was allowed once, a rolling baseline reaches back to the change: its
 * newest run is like today's, and what came before it is left out. Where the newest differs, nothing is.
 */
static void end_at_change(struct cli_baseline *baseline, const struct bench_run *run)
{
	struct cli_baseline one = *baseline;
	struct bench_error ignored;
	size_t kept = 0;
	for (; kept < baseline->count; kept++) {
		one.runs = baseline->runs + kept;
		if (check(&one, 1, run, &ignored) != 0)
			break;
	}
	if (kept == 0 || kept == baseline->count || baseline->options.allow_env_change)
		return;
	fprintf(stderr, "bench: baseline %s: the newest %zu of its %zu runs are of this environment\n",
		baseline->name, kept, baseline->count);
	while (baseline->count > kept)
		bench_run_free(baseline->runs[--baseline->count]);
}

/* The base instead of a baseline: the sides are asked what they have, before time is spent. */
static int prepare_contest(struct gate *gate, struct bench_error *error)
{
	static const char *const excluded[] = {"baseline", "reference", "allow-env-change"};
	const struct cli_args *args = gate->args;
	struct cli_contest *contest = &gate->contest;
	for (size_t i = 0; i < sizeof(excluded) / sizeof(*excluded); i++)
		if (cli_given(args, excluded[i]))
			return bench_fail(
				error, BENCH_USAGE,
				"--base measures what it compares with, now and here: --%s cannot be "
				"given too",
				excluded[i]);
	gate->facts.in_turns = true;
	if (cli_read_judging(args, BASE_THRESHOLD, &contest->judging.threshold, &contest->judging.alpha,
			     error) != 0 ||
	    cli_contest_meet(contest, args, gate->base, NULL, gate->first.plan, error) != 0)
		return -1;
	return cli_contest_enter(contest, &gate->first, error);
}

/* Both baselines, and whether they can be compared with at all, before time is spent. */
static int prepare(struct gate *gate, struct bench_error *error)
{
	const struct cli_args *args = gate->args;
	struct bench_store *store = gate->first.store;
	const struct bench_run *run = gate->first.run;
	const char *name = cli_value(args, "baseline", DEFAULT_AGAINST);
	bool rolling = strncmp(name, "rolling:", 8) == 0;
	const char *reference =
		cli_value(args, "reference", cli_has_baseline(store, REFERENCE) ? REFERENCE : NULL);
	if (cli_prepare_against(args, store, run, name, &gate->baseline, error) != 0) {
		/* The first night of a rolling baseline is to give it its first run. */
		if (!rolling || error->code != BENCH_NOTHING)
			return -1;
		gate->first_night = *error;
	}
	if (rolling)
		end_at_change(&gate->baseline, run);
	if (gate->baseline.count && check(&gate->baseline, gate->baseline.count, run, error) != 0)
		return -1;
	if (!reference)
		return 0;
	if (cli_prepare_against(args, store, run, reference, &gate->reference, error) != 0 ||
	    check(&gate->reference, gate->reference.count, run, error) != 0)
		return -1;
	gate->facts.reference = reference;
	/* Alpha is for the whole gate: each of the two comparisons gets half of it. */
	gate->baseline.options.alpha /= 2;
	gate->reference.options.alpha /= 2;
	return 0;
}

static int compare(const struct gate *gate, const struct bench_run *run, struct bench_comparison **comparison,
		   struct bench_error *error)
{
	return gate->base ? bench_compare_duel(run, &gate->contest.judging, comparison, error)
			  : cli_compare_with(&gate->baseline, run, comparison, error);
}

static void note_trouble(struct gate *gate, const char *what, const struct bench_error *error)
{
	if (gate->trouble.code == BENCH_OK)
		bench_fail(&gate->trouble, error->code, "%s%.900s", what, error->text);
}

/*
 * How the second look judges. A false alarm needs the first look to accuse, which it does with the chance
 * alpha over all metrics together: whatever the second look's own rate is, it only takes away from that. So
 * it need not be as hard to convince.
 */
static void judge_alone(struct gate *gate)
{
	struct bench_duel_options *paired = &gate->contest.judging;
	struct bench_compare_options *const histories[] = {&gate->baseline.options, &gate->reference.options};
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
static int measure_again(struct gate *gate, const char *const *keys, size_t count, struct bench_error *error)
{
	struct cli_measuring *again = &gate->again;
	if (cli_measuring_plan(gate->args, keys, again, error) != 0 ||
	    (gate->base && cli_contest_enter(&gate->contest, again, error) != 0))
		return -1;
	struct bench_run *run = again->run;
	const struct bench_run *first = gate->first.run;
	char *aside = bench_arena_format(&run->arena, "confirms %s", first->id);
	bench_pair_set(&run->arena, &run->labels, &run->label_count, "aside", aside);
	if (gate->budget > 0) {
		/* The groups are fewer: each gets the time that it had, in more processes. */
		run->budget_seconds =
			fmax(gate->budget - seconds_since_start(gate), LEAST_AGAIN * gate->budget);
		double time = run->budget_seconds / first->budget_seconds *
			      (double)gate->first.plan->group_count / (double)again->plan->group_count;
		run->invocations = (unsigned)(first->invocations * fmin(fmax(time, 1), MOST_AGAIN));
	}
	fprintf(stderr,
		"bench: measured again, in fresh processes: %zu case%s that look%s slower or broken\n", count,
		count == 1 ? "" : "s", count == 1 ? "s" : "");
	if (cli_measuring_open(again, error) != 0 || cli_measuring_run(again, error) != 0)
		return -1;
	gate->facts.again = run->id;
	if (cli_measuring_keep(again) == CLI_ENVIRONMENT)
		note_trouble(gate, "",
			     &(struct bench_error){BENCH_ENVIRONMENT, "the second run was not kept"});
	if (run->interrupted)
		note_trouble(gate, "", &(struct bench_error){BENCH_NOTHING, "interrupted"});
	judge_alone(gate);
	if (compare(gate, run, &gate->again_verdicts, error) != 0)
		return -1;
	return gate->drift ? cli_compare_with(&gate->reference, run, &gate->again_drift, error) : 0;
}

/* Second looks at what is accused; the verdicts are final then. */
static void confirm(struct gate *gate)
{
	struct bench_arena arena = {0};
	struct bench_error error;
	size_t count;
	const char *const *keys = bench_compare_gate_suspects(gate->verdicts, gate->drift, &arena, &count);
	struct bench_compare_confirmation again = {0};
	if (count > 0 && measure_again(gate, keys, count, &error) != 0) {
		note_trouble(gate, "suspects could not be measured again: ", &error);
		again.failure = error.text;
	}
	again.run = again.failure ? NULL : gate->again.run;
	again.comparison = gate->again_verdicts;
	again.reference = gate->again_drift;
	bench_compare_gate_conclude(gate->verdicts, gate->drift, count ? &again : NULL);
	bench_arena_free(&arena);
}

static int status_of(const struct gate *gate, int measured)
{
	if (measured == CLI_INTERRUPTED || (gate->again.run && gate->again.run->interrupted))
		return CLI_INTERRUPTED;
	int status = bench_compare_exit(gate->verdicts, gate->report.strict);
	if (status != CLI_OK)
		return status;
	if (gate->trouble.code != BENCH_OK)
		return gate->trouble.code == BENCH_ENVIRONMENT ? CLI_ENVIRONMENT : CLI_NOTHING;
	return measured; /* never a pass where the run itself was none */
}

/*
 * Compares with the reference. One whose every metric was accepted away since has no say any more, until it
 * is set anew: no failure, as a shift is one alarm and not a month of them.
 */
static void compare_with_reference(struct gate *gate)
{
	const struct bench_run *run = gate->first.run;
	struct cli_baseline unshifted = gate->reference;
	struct bench_comparison *before = NULL;
	struct bench_error error, ignored;
	if (gate->reference.count == 0 || cli_compare_with(&gate->reference, run, &gate->drift, &error) == 0)
		return;
	unshifted.options.accepted_count = 0;
	if (cli_compare_with(&unshifted, run, &before, &ignored) == 0)
		fprintf(stderr,
			"bench: warning: shifts of all metrics of reference '%s' were accepted since it was "
			"measured: a drift is not seen until it is set anew\n",
			gate->reference.name);
	else
		note_trouble(gate, "reference: ", &error);
	bench_compare_free(before);
}

/* Compares what was measured, has it confirmed, shows and keeps the verdicts. */
static int judge(struct gate *gate, int measured)
{
	struct bench_error error;
	const struct bench_run *run = gate->first.run;
	if (measured == CLI_ENVIRONMENT)
		note_trouble(gate, "", &(struct bench_error){BENCH_ENVIRONMENT, "the run was not kept"});
	if (compare(gate, run, &gate->verdicts, &error) != 0)
		return cli_refuse(gate->args, &gate->report, &error);
	compare_with_reference(gate);
	confirm(gate);
	gate->facts.seconds = seconds_since_start(gate);
	gate->facts.trouble = gate->trouble.code == BENCH_OK ? NULL : gate->trouble.text;
	gate->report.gate = &gate->facts;
	gate->report.candidate = run;
	int status = cli_print_verdicts(gate->verdicts, &gate->report, status_of(gate, measured));
	cli_keep_verdicts(gate->args, gate->verdicts);
	struct bench_arena arena = {0};
	fprintf(stderr, "%s\n",
		bench_report_gate_line(&arena, gate->verdicts, &gate->facts, gate->report.strict));
	bench_arena_free(&arena);
	return status;
}

/* There is a run now, for the next night, and no verdict. */
static int end_first_night(struct gate *gate, int measured)
{
	struct bench_error error;
	if (measured == CLI_ENVIRONMENT)
		return measured;
	bench_fail(&error, BENCH_NOTHING,
		   "no verdict yet: %.600s. Run %s is kept: the next gate has "
		   "something to compare with",
		   gate->first_night.text, gate->first.run->id);
	int status = cli_refuse(gate->args, &gate->report, &error);
	return measured == CLI_WRONG ? CLI_WRONG : status;
}

static int run_gate(struct gate *gate)
{
	struct bench_error error;
	struct cli_measuring *first = &gate->first;
	gate->started_ns = bench_clock_real.now_ns(bench_clock_real.context);
	if (cli_report_options(gate->args, &gate->report, &error) != 0 ||
	    cli_measuring_plan(gate->args, NULL, first, &error) != 0 ||
	    (gate->base && prepare_contest(gate, &error) != 0) || cli_measuring_open(first, &error) != 0 ||
	    (!gate->base && prepare(gate, &error) != 0))
		return cli_refuse(gate->args, &gate->report, &error);
	gate->budget = first->run->budget_seconds;
	first->run->budget_seconds *= FIRST_SHARE;
	if (cli_measuring_run(first, &error) != 0)
		return cli_refuse(gate->args, &gate->report, &error);
	int measured = cli_measuring_keep(first);
	if (measured == CLI_INTERRUPTED) {
		fprintf(stderr, "gate: FAIL: interrupted, no verdict; run %s has what was measured\n",
			first->run->id);
		return measured;
	}
	return gate->first_night.code == BENCH_OK ? judge(gate, measured) : end_first_night(gate, measured);
}

static int gate(const struct cli_args *args)
{
	struct gate gate = {.args = args, .base = cli_value(args, "base", NULL)};
	int status = run_gate(&gate);
	bench_compare_free(gate.verdicts);
	bench_compare_free(gate.drift);
	bench_compare_free(gate.again_verdicts);
	bench_compare_free(gate.again_drift);
	cli_baseline_free(&gate.baseline);
	cli_baseline_free(&gate.reference);
	cli_contest_free(&gate.contest);
	cli_measuring_free(&gate.again);
	cli_measuring_free(&gate.first);
	return status;
}

const struct cli_verb cli_gate = {
	.name = "gate",
	.summary = "measure, compare, confirm what looks slower: for nightly CI",
	.usage = "[options of bench run] [--baseline NAME|RUN|rolling:N | --base BENCH] [--reference NAME] "
		 "[--strict]",
	.about = "Environments are compared before time is spent. What looks slower, or broke, is measured "
		 "again\n"
		 "in fresh processes, within the same budget, and is slower only where that says so too. "
		 "With a\n"
		 "reference, a slow drift is seen as well: 'bench baseline set reference' makes one. All "
		 "runs and\n"
		 "verdicts are kept in the history. Where runs of unchanged code differ by more than what is "
		 "to be\n"
		 "found, --base measures an executable of the base beside this one, in turns ('bench duel "
		 "--help').\n"
		 "docs/gate.md says how to set it up.\n"
		 "Exit status: 4 if a case is broken or missing, else 1 if something is slower, else 0; 3 if "
		 "there is\n"
		 "nothing to compare with (as in the first night: its run is kept), or not in this "
		 "environment; 6 "
		 "if\n"
		 "something is unclear, under --strict; 5 if the run could not be kept; 130 if interrupted.",
	.examples = "bench gate --preset nightly\n"
		    "bench gate --suite gemm,transfer --budget 5m --baseline rolling:10 --threshold 3%\n"
		    "bench gate --preset nightly --format github\n"
		    "bench gate --preset nightly --format junit >verdicts.xml\n"
		    "bench gate --suite gemm --baseline release-1.2 --strict\n"
		    "bench gate --preset quick --base /tmp/base/build/bench --format github",
	.options = options,
	.rendered = BENCH_RENDERED_COMPARISON,
	.run = gate,
};
