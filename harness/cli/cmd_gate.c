/* SPDX-License-Identifier: MIT */
/* bench gate: what nightly CI calls. */
#include <stdio.h>
#include <unistd.h>

#include "app/gate.h"
#include "app/turn.h"
#include "cli/arguments.h"
#include "cli/call.h"
#include "cli/hooks.h"
#include "cli/host.h"
#include "cli/output.h"
#include "cli/say.h"
#include "compare/bounds.h"
#include "report/render/bounds.h"

static const struct cli_option options[] = {
	CLI_OPTIONS_MEASURING,
	CLI_OPTIONS_COMPARE_WITH("compare with earlier runs instead of the anchor"),
	{"reference", 0, "NAME",
	 "also compare with this fixed baseline, which detects slow drift; then earlier runs replace the "
	 "anchor"},
	{"base", 0, "BENCH", "compare with this executable instead of the anchor"},
	{"undecided", 0, "SHARE", "exit with status 6 if more of the metrics are unclear"},
	CLI_OPTION_ON_ALARM,
	CLI_OPTION_NEW_ONLY,
	CLI_OPTION_STRICT,
	CLI_OPTION_ONLY,
	CLI_OPTION_ALL,
	CLI_OPTION_EXPLAIN,
	CLI_OPTION_FORMAT,
	{0},
};

static const struct cli_default defaults[] = {
	CLI_DEFAULTS_DUEL,
	{"budget", CLI_HISTORICAL, NULL, "the preset's"},
	{"invocations", CLI_HISTORICAL, NULL, "the preset's"},
	{"precision", CLI_HISTORICAL, NULL, "the preset's"},
	{"reference", NULL, NULL, "'reference', if it exists"},
	/* Pairs can tell 2%; the layout of a build mostly changes less. */
	{"threshold", NULL, "2%", NULL},
	{"threshold", CLI_HISTORICAL, "5%", NULL},
	{"undecided", NULL, "10%", NULL},
	{0},
};

static int read_gate(const struct cli_args *args, struct bench_app_gate_request *request,
		     struct bench_error *error)
{
	static const char *const excluded[] = {"baseline", "branch", "reference", "allow-env-change"};
	request->baseline = cli_value(args, "baseline");
	request->reference = cli_value(args, "reference");
	request->base = cli_value(args, "base");
	if (cli_read_request(args, &request->measure, error) != 0 ||
	    cli_read_fraction(args, "undecided", 0, 1, &request->undecided, error) != 0)
		return -1;
	request->measure.cases.without_harness = true;
	for (size_t i = 0; request->base && i < sizeof(excluded) / sizeof(*excluded); i++)
		if (cli_given(args, excluded[i]))
			return bench_fail(error, BENCH_USAGE,
					  "--base measures what it compares with, here and now: --%s does "
					  "not go with it",
					  excluded[i]);
	const bool historical = bench_app_gate_against(request) == BENCH_APP_GATE_HISTORY;
	return cli_read_comparing(args, historical ? CLI_HISTORICAL : NULL, &request->options, error);
}

/* What a status means for the change that is judged: action.yml treats 6 and 7 so. */
static const char *exit_words(struct bench_arena *arena, int status, bool suspected)
{
	switch (status) {
	case CLI_OK:
		return "exit status 0: the gate passes";
	case CLI_UNCLEAR:
		return bench_arena_format(arena, "exit status %d: %s, which should warn and not block",
					  status, suspected ? "suspected" : "undecided");
	case CLI_BEGUN:
		return bench_arena_format(
			arena, "exit status %d: nothing to judge by yet, which should not block", status);
	default:
		return bench_arena_format(arena, "exit status %d: blocks the change", status);
	}
}

static int show(struct cli_call *call, const struct bench_app_gate *gate)
{
	struct bench_arena *arena = call->args->arena;
	struct bench_report_options *report = &call->report;
	const int meant = cli_exit(bench_app_gate_outcome(gate, report->failing));
	const struct bench_report_gate facts = {
		.exit = exit_words(arena, meant, gate->verdicts->counts[BENCH_SUSPECTED] > 0),
		.reference = gate->reference,
		.confirmation = gate->confirmation_id,
		.trouble = gate->trouble.code == BENCH_OK ? NULL : gate->trouble.text,
		.seconds = gate->seconds,
		.in_turns = gate->against != BENCH_APP_GATE_HISTORY,
		.undecided = gate->undecided,
		.machine = gate->machine};
	report->gate = &facts;
	report->candidate = gate->first.run;
	report->changes = gate->changes.count ? &gate->changes : NULL;
	int status = cli_print_verdicts(gate->verdicts, report, meant);
	cli_keep_verdicts(call->args, gate->verdicts);
	/* For the log of a job. A table on the screen has it all. */
	if (!report->format->terminal || !isatty(STDOUT_FILENO))
		cli_say_plain("%s", bench_render_gate_line(arena, gate->verdicts, &facts, report->failing));
	return status;
}

/* A first night: there is no verdict yet, and it ends as the run did, or by the bounds, which need no
 * history. */
static int begin(struct cli_call *call, const struct bench_app_gate *gate, const struct bench_error *error)
{
	const struct bench_report_options *report = &call->report;
	struct bench_text *out = &call->out;
	struct bench_comparison held = {.options = gate->request->options};
	int status = cli_refuse(call->args, report, error);
	bench_compare_hold(&held, gate->first.run);
	const size_t beyond = bench_compare_out_of_bounds(&held, BENCH_BOUND_OUT);
	const enum bench_outcome good = beyond ? BENCH_OUTCOME_SLOWER : BENCH_OUTCOME_BEGUN;
	const int meant = cli_exit(gate->measured == BENCH_OUTCOME_GOOD ? good : gate->measured);
	if (report->format->terminal)
		bench_text_add(out, "%sFIRST NIGHT: run %s is kept; there is nothing to compare with yet\n",
			       beyond ? "OUT OF BOUNDS. " : "", gate->first.run->id);
	bench_render_bounds_add(call->args->arena, &held, "", out);
	if (report->format->terminal) {
		bench_text_add(out, "%s\n\nthe next night, the same command:\n  %s\n",
			       exit_words(call->args->arena, meant, false), report->command);
		status = cli_print(out, status);
	} else if (out->length) {
		fputs(out->data, stderr);
	}
	if (beyond)
		cli_say_plain("gate: FAIL: %zu out of bounds", beyond);
	bench_arena_free(&held.arena);
	return status == CLI_ENVIRONMENT ? status : meant;
}

/* When all is said, and the machine is free for others: takes the gate apart. A gate waits for hooks for a
 * hundredth of its own time. */
static void run_hooks(const struct cli_args *args, const struct bench_app_hooks *hooks,
		      struct bench_app_gate *gate)
{
	const struct bench_run *run = gate->first.run;
	const double seconds = gate->seconds;
	const struct bench_app_hooks_scope scope = {
		bench_arena_string(args->arena, bench_record_fact(run, "fingerprint")),
		bench_compare_track(run, args->arena)};
	bench_app_gate_free(gate);
	*gate = (struct bench_app_gate){0};
	bench_app_turn_leave();
	cli_run_hooks(args, hooks, &scope, 1, seconds / 100);
}

static int gate(struct cli_call *call, struct bench_error *error)
{
	const struct cli_args *args = call->args;
	struct bench_app_gate_request request = {0};
	struct bench_app_gate gate = {0};
	struct bench_app_hooks hooks;
	int status;
	if (read_gate(args, &request, error) != 0 || cli_read_hooks(args, &hooks, error) != 0)
		return -1;
	request.hooked = hooks.count > 0;
	if (bench_app_gate(&gate, &request, cli_host(), error) != 0) {
		status = gate.first_night.code != BENCH_OK ? begin(call, &gate, error) : -1;
	} else if (gate.verdicts) {
		status = show(call, &gate);
		if (gate.against != BENCH_APP_GATE_BASE && !request.measure.no_store)
			run_hooks(args, &hooks, &gate);
	} else {
		status = cli_exit(bench_app_gate_outcome(&gate, call->report.failing));
		if (gate.measured == BENCH_OUTCOME_INTERRUPTED)
			cli_say_plain("gate: FAIL: interrupted, no verdict; run %s has what was measured",
				      gate.first.run->id);
	}
	bench_app_gate_free(&gate);
	return status;
}

static const char about[] =
	"The first night keeps this executable as the anchor. Each later night measures anchor and "
	"executable interleaved, so that the state of the machine cancels. What looks slower, broken or "
	"undecided is measured again in fresh processes, within the same budget; a slowdown counts only if "
	"that confirms it.\n"
	"A slowdown opens an alarm, which stays open until it recovers or is accepted ('bench alarms'). "
	"--baseline compares with earlier runs instead, --base with an executable of your choice. Against "
	"rolling:N, a slowdown is suspected on its first night; the next night confirms or clears it. "
	"docs/gate.md describes the setup.\n"
	"Exit status: 4 if a case is broken or missing; else 1 if something is slower or out of bounds, or "
	"an alarm is open; else 6 if something is suspected or too many metrics are unclear; else 0. 7 on a "
	"first night; 3 if there is nothing to compare with, or not in this environment; 5 if the run could "
	"not be stored; 130 if interrupted.";

const struct cli_verb cli_gate = {
	.name = "gate",
	.summary = "measure, compare and confirm slowdowns: for nightly CI",
	.usage = "[options of bench run] [--baseline NAME|RUN|rolling:N [--reference NAME] | --base BENCH] "
		 "[--branch NAME|any] [--strict]",
	.about = about,
	.examples = "bench gate --preset nightly\n"
		    "bench gate --suite gemm,transfer --budget 5m --baseline rolling:10 --threshold 3%\n"
		    "bench gate --preset nightly --format github\n"
		    "bench gate --preset nightly --format junit >verdicts.xml\n"
		    "bench gate --suite gemm --baseline release-1.2 --strict\n"
		    "bench gate --preset quick --base /tmp/base/build/bench --format github",
	.options = options,
	.defaults = defaults,
	.rendered = BENCH_RENDERED_COMPARISON,
	.run = gate,
};
