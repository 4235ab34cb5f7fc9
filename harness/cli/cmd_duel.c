/* bench duel: two executables, interleaved in one session, judged on pairs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/measuring.h"
#include "compare/duel.h"
#include "core/text.h"
#include "measure/duel.h"

/*
 * One per cent is what pairs can tell where histories cannot. Sixteen invocations let the signed-rank test
 * speak over 300 metrics, and still over 40 where two of them point the other way.
 */
#define THRESHOLD     0.01
#define INVOCATIONS   16
#define PRECISION     0.001
#define CASE_SECONDS  16.0 /* of the budget: a second an invocation, half of it for starting both sides */
#define LEAST_SECONDS 60.0
#define MOST_SECONDS  900.0
#define PLAN_OPTIONS  5

static const struct cli_option options[] = {
	CLI_OPTIONS_MEASURING,
	{"no-store", 0, NULL, "leave the history alone; 'bench ingest' can add the run later"},
	{"threshold", 0, "P", "the change that matters (default: 1%)"},
	{"alpha", 0, "A", "chance of a false alarm, over all cases together (default: 0.01)"},
	{"strict", 0, NULL, "exit with status 6 where something is unclear"},
	CLI_OPTION_FORMAT_VERDICTS,
	{0},
};

struct contest {
	const struct cli_args *args;
	struct bench_arena arena;
	struct bench_duel duel;
	struct cli_measuring measuring;
	struct bench_duel_options judging;
	struct bench_report_options report;
	const char **base_keys, **head_keys; /* of the cases that each side has */
	size_t base_count, head_count;
};

/* Keys from the lines of 'list cases --format csv': "key","why it is unsupported". */
static void read_keys(struct bench_arena *arena, char *text, const char ***keys, size_t *count)
{
	char *line;
	while ((line = bench_text_next(&text, '\n'))) {
		char *end = line[0] == '"' ? strchr(line + 1, '"') : NULL;
		if (!end)
			continue;
		*end = '\0';
		*(const char **)bench_arena_push(arena, keys, count, sizeof(char *)) = line + 1;
	}
}

/* What a side makes of the options that make a plan. */
static int list_cases(struct contest *contest, const struct bench_side *side, const char ***keys,
		      size_t *count, struct bench_error *error)
{
	static const char *const plan_options[PLAN_OPTIONS] = {"suite", "backend", "filter", "set", "preset"};
	const struct cli_args *args = contest->args;
	const char **arguments =
		bench_arena_alloc(&contest->arena, args->given_count + 6, sizeof(*arguments));
	size_t given = 0;
	struct bench_text out = {0};
	arguments[given++] = "bench";
	arguments[given++] = "list";
	arguments[given++] = "cases";
	arguments[given++] = "--format=csv";
	for (size_t i = 0; i < args->given_count; i++)
		for (size_t o = 0; o < PLAN_OPTIONS; o++)
			if (strcmp(args->given[i]->name, plan_options[o]) == 0)
				arguments[given++] = bench_arena_format(&contest->arena, "--%s=%s",
									plan_options[o], args->values[i]);
	int result = bench_side_ask(side, arguments, &out, error);
	if (result == 0)
		read_keys(&contest->arena, bench_arena_string(&contest->arena, out.data ? out.data : ""),
			  keys, count);
	bench_text_free(&out);
	return result;
}

static bool has(const char *const *keys, size_t count, const char *key)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(keys[i], key) == 0)
			return true;
	return false;
}

static void miss(struct contest *contest, const char *key, const char *why)
{
	struct bench_arena *arena = &contest->arena;
	size_t count = contest->judging.missing_count;
	*(const char **)bench_arena_push(arena, (void *)&contest->judging.missing, &count, sizeof(char *)) =
		key;
	*(const char **)bench_arena_push(arena, (void *)&contest->judging.missing_cause,
					 &contest->judging.missing_count, sizeof(char *)) = why;
}

static bool is_planned(const struct bench_plan *plan, const char *key)
{
	for (size_t i = 0; i < plan->case_count; i++)
		if (strcmp(plan->cases[i].key, key) == 0)
			return true;
	return false;
}

/* Which cases can be measured on both sides; the others get a verdict without. */
static int match_cases(struct contest *contest, struct bench_error *error)
{
	const struct bench_duel *duel = &contest->duel;
	struct bench_plan *plan = contest->measuring.plan;
	if (list_cases(contest, &duel->base, &contest->base_keys, &contest->base_count, error) != 0 ||
	    list_cases(contest, &duel->head, &contest->head_keys, &contest->head_count, error) != 0)
		return -1;
	for (size_t i = 0; i < contest->base_count; i++) {
		const char *key = contest->base_keys[i];
		if (!has(contest->head_keys, contest->head_count, key))
			miss(contest, key, "the base has this case, and the head has not");
		else if (!is_planned(plan, key))
			miss(contest, key,
			     "both sides have this case, and the bench that was started has not: start the "
			     "head's");
	}
	for (size_t i = 0; i < plan->case_count; i++) {
		struct bench_planned *planned = &plan->cases[i];
		bool in_base = has(contest->base_keys, contest->base_count, planned->key);
		bool in_head = has(contest->head_keys, contest->head_count, planned->key);
		/* It is the two sides that are set against each other, not variants of one. */
		planned->base = BENCH_NO_BASE;
		planned->base_lacks = NULL;
		if (!in_base || !in_head)
			planned->lacking =
				in_head ? "the base has no such case" : "the head has no such case";
	}
	return 0;
}

/* What takes up to MOST_SECONDS, and as long as it takes for a handful of cases. */
static void choose_defaults(struct contest *contest)
{
	const struct cli_args *args = contest->args;
	struct bench_run *run = contest->measuring.run;
	double cases = (double)contest->measuring.plan->case_count;
	if (!cli_given(args, "invocations"))
		run->invocations = INVOCATIONS;
	if (!cli_given(args, "precision"))
		run->precision = PRECISION;
	if (!cli_given(args, "budget"))
		run->budget_seconds = fmin(fmax(CASE_SECONDS * cases, LEAST_SECONDS), MOST_SECONDS);
}

static void label_side(struct bench_run *run, const char *label, const struct bench_side *side)
{
	struct bench_text text = {0};
	for (size_t i = 0; i < side->assignment_count; i++) {
		bench_text_add_shell(&text, side->assignments[i]);
		bench_text_add(&text, " ");
	}
	bench_text_add_shell(&text, side->executable);
	bench_text_add(&text, ": bench %s", side->version);
	bench_pair_set(&run->arena, &run->labels, &run->label_count, label, text.data);
	bench_text_free(&text);
}

static void add_sides_to_command(struct bench_run *run, const struct bench_duel *duel)
{
	struct bench_text text = {0};
	bench_text_add(&text, "%s ", run->command);
	bench_text_add_shell(&text, duel->base.text);
	bench_text_add(&text, " ");
	bench_text_add_shell(&text, duel->head.text);
	run->command = bench_arena_string(&run->arena, text.data);
	bench_text_free(&text);
}

static int prepare(struct contest *contest, struct bench_error *error)
{
	const struct cli_args *args = contest->args;
	struct bench_duel *duel = &contest->duel;
	struct bench_run *run;
	if (args->operand_count < 2)
		return bench_fail(
			error, BENCH_USAGE,
			"a duel has two sides: bench duel BASE HEAD; 'bench duel --help' shows some");
	if (cli_verdict_options(args, &contest->report, error) != 0 ||
	    cli_read_judging(args, THRESHOLD, &contest->judging.threshold, &contest->judging.alpha, error) !=
		    0 ||
	    bench_side_parse(args->operands[0], &contest->arena, &duel->base, error) != 0 ||
	    bench_side_parse(args->operands[1], &contest->arena, &duel->head, error) != 0 ||
	    cli_measuring_plan(args, NULL, &contest->measuring, error) != 0)
		return -1;
	if (contest->measuring.settings.cold)
		return bench_fail(
			error, BENCH_USAGE,
			"--cache cold: a duel takes samples in turns of milliseconds, and does not flush; "
			"'bench run --cache cold' does");
	if (bench_side_meet(&duel->base, &contest->arena, error) != 0 ||
	    bench_side_meet(&duel->head, &contest->arena, error) != 0 || match_cases(contest, error) != 0)
		return -1;
	choose_defaults(contest);
	run = contest->measuring.run;
	add_sides_to_command(run, duel);
	bench_pair_set(&run->arena, &run->labels, &run->label_count, "aside", "duel");
	label_side(run, "duel_base", &duel->base);
	label_side(run, "duel_head", &duel->head);
	contest->measuring.duel = duel;
	contest->judging.base_name = duel->base.text;
	return cli_measuring_open(&contest->measuring, error);
}

/* The verdicts. A case that went wrong is among them, as broken: they say the status. */
static int judge(struct contest *contest, int kept)
{
	struct bench_error error;
	struct bench_comparison *comparison = NULL;
	const struct bench_run *run = contest->measuring.run;
	if (kept == CLI_INTERRUPTED)
		return kept;
	if (bench_compare_duel(run, &contest->judging, &comparison, &error) != 0)
		return cli_refuse(contest->args, &contest->report, &error);
	contest->report.candidate = run;
	int status = bench_comparison_exit(comparison, contest->report.strict);
	status = cli_print_verdicts(comparison, &contest->report, kept == CLI_ENVIRONMENT ? kept : status);
	if (contest->measuring.store && kept != CLI_ENVIRONMENT)
		cli_keep_verdicts(contest->args, comparison);
	if (contest->report.format == BENCH_FORMAT_TABLE)
		fprintf(stderr, "bench: 'bench show %s' shows the times of both sides\n", run->id);
	bench_comparison_free(comparison);
	return status;
}

static int duel(const struct cli_args *args)
{
	struct bench_error error;
	struct contest contest = {.args = args, .measuring = {.folder = {.events = -1, .log = -1}}};
	int status;
	if (prepare(&contest, &error) != 0 || cli_measuring_run(&contest.measuring, &error) != 0)
		status = cli_refuse(args, &contest.report, &error);
	else
		status = judge(&contest, cli_measuring_keep(&contest.measuring));
	cli_measuring_free(&contest.measuring);
	bench_arena_free(&contest.arena);
	return status;
}

const struct cli_verb cli_duel = {
	.name = "duel",
	.summary = "measure two executables in turns, and say whether one is slower",
	.usage = "BASE HEAD [--suite S,..] [--backend B[:DEV],..] [--set k=v1,v2] [options]",
	.about = "For machines too noisy to compare with an earlier run. BASE and HEAD are paths of bench "
		 "executables,\n"
		 "each with assignments of the environment before it, in one argument: \"NAME=value "
		 "./bench\". "
		 "Two\n"
		 "workers, one of each, stand side by side and take samples of a few milliseconds in turns, "
		 "A B "
		 "B A,\n"
		 "then B A A B, in fresh pairs of processes. The ratio of each four says what changed; what "
		 "disturbs\n"
		 "the machine falls out of it. Run the head's own bench: it knows the cases. Unless said "
		 "otherwise: 16\n"
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
	.max_operands = 2,
	.run = duel,
};
