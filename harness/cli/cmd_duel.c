/* bench duel: two executables, interleaved in one session, judged on pairs. */

#include "app/duel.h"
#include "cli/arguments.h"
#include "cli/host.h"
#include "cli/output.h"
#include "cli/say.h"

/* What pairs can tell where histories cannot. */
#define THRESHOLD 0.01

static const struct cli_option options[] = {
	CLI_OPTIONS_MEASURING,
	{"no-store", 0, NULL, "leave the history alone; 'bench ingest' can add the run later"},
	{"threshold", 0, "P", "the change that matters (default: 1%)"},
	{"alpha", 0, "A", "chance of a false alarm, over all cases together (default: 0.01)"},
	{"strict", 0, NULL, "exit with status 6 where something is unclear"},
	CLI_OPTION_ONLY,
	CLI_OPTION_ALL,
	CLI_OPTION_FORMAT,
	{0},
};

struct duel {
	const struct cli_args *args;
	struct bench_app_request request;
	struct bench_app_measure measure;
	struct bench_app_duel sides;
	struct bench_report_options report;
};

static int prepare(struct duel *duel, struct bench_error *error)
{
	const struct cli_args *args = duel->args;
	struct bench_duel_options *judging = &duel->sides.judging;
	if (args->operand_count < 2)
		return bench_fail(
			error, BENCH_USAGE,
			"a duel has two sides: bench duel BASE HEAD; 'bench duel --help' shows some");
	judging->floor = BENCH_COMPARE_FLOOR;
	judging->rules = cli_rules(args, &judging->rule_count);
	if (cli_report_options(args, &duel->report, error) != 0 ||
	    cli_read_judging(args, THRESHOLD, &judging->threshold, &judging->alpha, error) != 0 ||
	    cli_read_request(args, &duel->request, error) != 0 ||
	    bench_app_measure_plan(&duel->measure, &duel->request, cli_host(), NULL, error) != 0 ||
	    bench_app_duel_meet(&duel->sides, &duel->request.cases, args->operands[0], args->operands[1],
				duel->measure.plan, error) != 0 ||
	    bench_app_duel_enter(&duel->sides, args->verb->name, &duel->measure, error) != 0)
		return -1;
	bench_app_duel_name_sides(&duel->sides, duel->measure.run);
	return bench_app_measure_open(&duel->measure, error);
}

/* The verdicts. A case that went wrong is among them, as broken: they say the status. */
static int judge(struct duel *duel, enum bench_outcome measured)
{
	struct bench_error error;
	struct bench_comparison *comparison = NULL;
	const struct bench_run *run = duel->measure.run;
	if (measured == BENCH_OUTCOME_INTERRUPTED)
		return cli_exit(measured);
	if (bench_compare_duel(run, &duel->sides.judging, &comparison, &error) != 0)
		return cli_refuse(duel->args, &duel->report, &error);
	duel->report.candidate = run;
	if (measured != BENCH_OUTCOME_NOT_KEPT)
		measured = bench_compare_outcome(comparison, duel->report.failing);
	int status = cli_print_verdicts(comparison, &duel->report, cli_exit(measured));
	if (duel->measure.store && measured != BENCH_OUTCOME_NOT_KEPT)
		cli_keep_verdicts(duel->args, comparison);
	if (duel->report.format->terminal)
		cli_say("'bench show %s' shows the times of both sides", run->id);
	bench_compare_free(comparison);
	return status;
}

static int duel(const struct cli_args *args)
{
	struct bench_error error;
	struct duel duel = {.args = args};
	int status;
	if (prepare(&duel, &error) != 0 || bench_app_measure_run(&duel.measure, &error) != 0)
		status = cli_refuse(args, &duel.report, &error);
	else
		status = judge(&duel, bench_app_measure_keep(&duel.measure));
	bench_app_measure_free(&duel.measure);
	bench_app_duel_free(&duel.sides);
	return status;
}

static const char about[] =
	"For machines too noisy to compare with an earlier run. BASE and HEAD are paths of bench "
	"executables,\n"
	"each with assignments of the environment before it, in one argument: \"NAME=value ./bench\". Two\n"
	"workers, one of each, stand side by side and take turns of a few milliseconds, A B B A,\n"
	"then B A A B, in fresh pairs of processes. The ratio of their times says what changed; what "
	"disturbs\n"
	"the machine falls out of it. Run the head's own bench: it knows the cases. Unless said otherwise: "
	"up to 32\n"
	"invocations, a precision of 0.1%, and 16 s a case, at least 1 minute and at most 15. docs/duel.md "
	"says\n"
	"what cancels and what does not. Exit status: 4 if a case is broken or missing, else 1 if something "
	"is\n"
	"slower, else 0; 2 usage; 3 if a side is no bench that can duel, or no case was measured on both;\n"
	"6 if something is unclear, under --strict; 7 if BASE knows none of the cases; 130 if interrupted.";

const struct cli_verb cli_duel = {
	.name = "duel",
	.summary = "measure two executables in turns, and say whether one is slower",
	.usage = "BASE HEAD [--suite S,..] [--backend B[:DEV],..] [--set k=v1,v2] [options]",
	.about = about,
	.examples = "# what did the last commit cost?\n"
		    "git worktree add /tmp/base HEAD~1\n"
		    "cmake -S /tmp/base -B /tmp/base/build -DCMAKE_BUILD_TYPE=Release && cmake --build "
		    "/tmp/base/build\n"
		    "bench duel /tmp/base/build/bench ./build/bench --suite gemm --set n=512\n"
		    "# one executable, two environments\n"
		    "bench duel ./build/bench 'OPENBLAS_CORETYPE=Haswell ./build/bench' --suite gemm "
		    "--backend openblas\n"
		    "# changes from half a per cent on, in CI\n"
		    "bench duel base/bench head/bench --preset quick --threshold 0.5% --format markdown",
	.options = options,
	.rendered = BENCH_RENDERED_COMPARISON,
	.max_operands = 2,
	.run = duel,
};
