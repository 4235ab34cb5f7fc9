/* SPDX-License-Identifier: MIT */
/* bench duel: two executables, interleaved in one session, judged on pairs. */

#include "app/duel.h"
#include "cli/arguments.h"
#include "cli/call.h"
#include "cli/host.h"
#include "cli/output.h"
#include "compare/bounds.h"

static const struct cli_option options[] = {
	CLI_OPTIONS_MEASURING, CLI_OPTION_NO_STORE, CLI_OPTIONS_VERDICT,
	CLI_OPTION_STRICT,     CLI_OPTION_ONLY,     CLI_OPTION_ALL,
	CLI_OPTION_EXPLAIN,    CLI_OPTION_FORMAT,   {0},
};

static const struct cli_default defaults[] = {
	CLI_DEFAULTS_DUEL,
	/* Pairs can tell what histories cannot. */
	{"threshold", NULL, "1%", NULL},
	{0},
};

struct duel {
	struct bench_app_request request;
	struct bench_app_measure measure;
	struct bench_app_duel sides;
};

static int prepare(const struct cli_args *args, struct duel *duel, struct bench_error *error)
{
	struct bench_duel_options *judging = &duel->sides.judging;
	if (args->operand_count < 2)
		return bench_fail(error, BENCH_USAGE,
				  "bench duel needs two executables: bench duel BASE HEAD; 'bench duel "
				  "--help' has examples");
	judging->floor = BENCH_COMPARE_FLOOR;
	duel->sides.across = true;
	judging->rules = cli_rules(args, &judging->rule_count);
	if (cli_read_judging(args, NULL, &judging->threshold, &judging->alpha, error) != 0 ||
	    cli_read_request(args, &duel->request, error) != 0 ||
	    bench_app_measure_plan(&duel->measure, &duel->request, cli_host(), NULL, error) != 0 ||
	    bench_app_duel_meet(&duel->sides, &duel->request.cases, args->operands[0], args->operands[1],
				duel->measure.plan, error) != 0 ||
	    bench_app_duel_enter(&duel->sides, args->verb->name, &duel->measure, error) != 0)
		return -1;
	return bench_app_measure_open(&duel->measure, error);
}

/* The verdicts. A case that went wrong is among them, as broken: they say the status. */
static int judge(struct cli_call *call, const struct duel *duel, enum bench_outcome measured,
		 struct bench_error *error)
{
	BENCH_SCOPED_COMPARISON *comparison = NULL;
	const struct bench_run *run = duel->measure.run;
	if (measured == BENCH_OUTCOME_INTERRUPTED)
		return cli_exit(measured);
	if (bench_compare_duel(run, &duel->sides.judging, &comparison, error) != 0)
		return -1;
	bench_compare_hold(comparison, run);
	call->report.candidate = run;
	if (measured != BENCH_OUTCOME_NOT_KEPT)
		measured = bench_compare_outcome(comparison, call->report.failing);
	int status = cli_print_verdicts(comparison, &call->report, cli_exit(measured));
	if (duel->measure.store && measured != BENCH_OUTCOME_NOT_KEPT)
		cli_keep_verdicts(call->args, comparison);
	return status;
}

static int duel(struct cli_call *call, struct bench_error *error)
{
	struct duel duel = {0};
	int status = -1;
	if (prepare(call->args, &duel, error) == 0 && bench_app_measure_run(&duel.measure, error) == 0)
		status = judge(call, &duel, bench_app_measure_keep(&duel.measure), error);
	bench_app_measure_free(&duel.measure);
	bench_app_duel_free(&duel.sides);
	return status;
}

static const char about[] =
	"For machines too noisy to compare with an earlier run. BASE and HEAD are paths of bench "
	"executables. Assignments of environment variables may precede each, in the same argument: "
	"\"NAME=value ./bench\". If --backend follows the base's executable, in the same argument, the base "
	"measures the same cases on another device. Two workers, one of each, alternate every few "
	"milliseconds (A B B A, then "
	"B A A B), in fresh pairs of processes. Disturbances of the machine cancel in the ratio of their "
	"times. Start the duel with the bench of HEAD, because only that one knows new cases. docs/duel.md "
	"explains what cancels and "
	"what does not.\n"
	"Exit status: 4 if a case is broken or missing; else 1 if something is slower; else 6 if something "
	"is unclear with --strict; else 0. 2 usage; 3 if a side is not a bench that can duel, or no case was "
	"measured on both; 7 if BASE knows none of the cases; 130 if interrupted.";

const struct cli_verb cli_duel = {
	.name = "duel",
	.summary = "measure two executables interleaved, and show whether one is slower",
	.usage = "BASE HEAD [--suite S,..] [--backend B[:DEV],..] [--set k=v1,v2] [options]",
	.about = about,
	.examples =
		"# what did the last commit cost?\n"
		"git worktree add /tmp/base HEAD~1\n"
		"cmake -S /tmp/base -B /tmp/base/build -DCMAKE_BUILD_TYPE=Release && cmake --build "
		"/tmp/base/build\n"
		"bench duel /tmp/base/build/bench ./build/bench --suite gemm --set n=512\n"
		"# one executable, two environments\n"
		"bench duel ./build/bench 'OPENBLAS_CORETYPE=Haswell ./build/bench' --suite gemm "
		"--backend openblas\n"
		"# two backends\n"
		"bench duel './build/bench --backend openblas' ./build/bench --backend opencl --suite gemm\n"
		"# changes of half a percent or more, in CI\n"
		"bench duel base/bench head/bench --preset quick --threshold 0.5% --format markdown",
	.options = options,
	.defaults = defaults,
	.rendered = BENCH_RENDERED_COMPARISON,
	.max_operands = 2,
	.run = duel,
};
