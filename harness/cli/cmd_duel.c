/* bench duel: two executables, interleaved in one session, judged on pairs. */
#include <stdio.h>

#include "cli/contest.h"

/* What pairs can tell where histories cannot. */
#define THRESHOLD 0.01

static const struct cli_option options[] = {
	CLI_OPTIONS_MEASURING,
	{"no-store", 0, NULL, "leave the history alone; 'bench ingest' can add the run later"},
	{"threshold", 0, "P", "the change that matters (default: 1%)"},
	{"alpha", 0, "A", "chance of a false alarm, over all cases together (default: 0.01)"},
	{"strict", 0, NULL, "exit with status 6 where something is unclear"},
	CLI_OPTION_FORMAT,
	{0},
};

struct duel {
	const struct cli_args *args;
	struct cli_measuring measuring;
	struct cli_contest contest;
	struct bench_report_options report;
};

static int prepare(struct duel *duel, struct bench_error *error)
{
	const struct cli_args *args = duel->args;
	struct cli_contest *contest = &duel->contest;
	if (args->operand_count < 2)
		return bench_fail(
			error, BENCH_USAGE,
			"a duel has two sides: bench duel BASE HEAD; 'bench duel --help' shows some");
	if (cli_report_options(args, &duel->report, error) != 0 ||
	    cli_read_judging(args, THRESHOLD, &contest->judging.threshold, &contest->judging.alpha, error) !=
		    0 ||
	    cli_measuring_plan(args, NULL, &duel->measuring, error) != 0 ||
	    cli_contest_meet(contest, args, args->operands[0], args->operands[1], duel->measuring.plan,
			     error) != 0 ||
	    cli_contest_enter(contest, &duel->measuring, error) != 0)
		return -1;
	cli_contest_name_sides(contest, duel->measuring.run);
	return cli_measuring_open(&duel->measuring, error);
}

/* The verdicts. A case that went wrong is among them, as broken: they say the status. */
static int judge(struct duel *duel, int kept)
{
	struct bench_error error;
	struct bench_comparison *comparison = NULL;
	const struct bench_run *run = duel->measuring.run;
	if (kept == CLI_INTERRUPTED)
		return kept;
	if (bench_compare_duel(run, &duel->contest.judging, &comparison, &error) != 0)
		return cli_refuse(duel->args, &duel->report, &error);
	duel->report.candidate = run;
	int status = bench_compare_exit(comparison, duel->report.strict);
	status = cli_print_verdicts(comparison, &duel->report, kept == CLI_ENVIRONMENT ? kept : status);
	if (duel->measuring.store && kept != CLI_ENVIRONMENT)
		cli_keep_verdicts(duel->args, comparison);
	if (duel->report.format->terminal)
		fprintf(stderr, "bench: 'bench show %s' shows the times of both sides\n", run->id);
	bench_compare_free(comparison);
	return status;
}

static int duel(const struct cli_args *args)
{
	struct bench_error error;
	struct duel duel = {.args = args, .measuring = {.folder = {.events = -1, .log = -1}}};
	int status;
	if (prepare(&duel, &error) != 0 || cli_measuring_run(&duel.measuring, &error) != 0)
		status = cli_refuse(args, &duel.report, &error);
	else
		status = judge(&duel, cli_measuring_keep(&duel.measuring));
	cli_measuring_free(&duel.measuring);
	cli_contest_free(&duel.contest);
	return status;
}

const struct cli_verb cli_duel = {
	.name = "duel",
	.summary = "measure two executables in turns, and say whether one is slower",
	.usage = "BASE HEAD [--suite S,..] [--backend B[:DEV],..] [--set k=v1,v2] [options]",
	.about =
		"For machines too noisy to compare with an earlier run. BASE and HEAD are paths of bench "
		"executables,\n"
		"each with assignments of the environment before it, in one argument: \"NAME=value "
		"./bench\". "
		"Two\n"
		"workers, one of each, stand side by side and take turns of a few milliseconds, "
		"A B "
		"B A,\n"
		"then B A A B, in fresh pairs of processes. The ratio of their times says what changed; what "
		"disturbs\n"
		"the machine falls out of it. Run the head's own bench: it knows the cases. Unless said "
		"otherwise: up to 32\n"
		"invocations, a precision of 0.1%, and 16 s a case, at least 1 minute and at most 15. "
		"docs/duel.md says\n"
		"what cancels and what does not. Exit status: 4 if a case is broken or missing, else 1 if "
		"something is\n"
		"slower, else 0; 2 usage; 3 if a side is no bench that can duel, or no case was measured on "
		"both;\n"
		"6 if something is unclear, under --strict; 130 if interrupted.",
	.examples =
		"# what did the last commit cost?\n"
		"git worktree add /tmp/base HEAD~1\n"
		"cmake -S /tmp/base -B /tmp/base/build -DCMAKE_BUILD_TYPE=Release && cmake --build "
		"/tmp/base/build\n"
		"bench duel /tmp/base/build/bench ./build/bench --suite gemm --set n=512\n"
		"# one executable, two environments\n"
		"bench duel ./build/bench 'OPENBLAS_CORETYPE=Haswell ./build/bench' --suite gemm --backend "
		"openblas\n"
		"# changes from half a per cent on, in CI\n"
		"bench duel base/bench head/bench --preset quick --threshold 0.5% --format markdown",
	.options = options,
	.rendered = BENCH_RENDERED_COMPARISON,
	.max_operands = 2,
	.run = duel,
};
