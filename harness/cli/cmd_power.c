/* bench power: how small a slowdown would be seen here? Puts known ones in, and counts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/measuring.h"
#include "core/clock.h"
#include "core/text.h"
#include "kit/rng.h"
#include "report/plot/gnuplot.h"
#include "report/plot/plot.h"

#define LEAST_TRIALS   2
#define USUAL_TRIALS   10 /* where neither --trials nor --budget says */
#define MOST_TRIALS    1000
#define MOST_SLOWDOWNS 20

static const struct cli_option options[] = {
	{"slowdowns", 0, "P,..", "what to put in (default: 1%,2%,3%,5%,10%)"},
	{"trials", 0, "N", "runs at each slowdown (default: 10; with --budget, as many as fit)"},
	{"baseline-runs", 0, "N", "runs of unchanged code that each is compared with (default: 3)"},
	{"run-budget", 0, "TIME", "the budget of each run (default: the preset's)"},
	CLI_OPTIONS_VERDICT,
	{"output", 'o', "FILE", "draw it, too: .svg, .png or .pdf"},
	CLI_OPTION_FORMAT,
	{"no-store", 0, NULL, "leave the history alone"},
	CLI_OPTIONS_MEASURING,
	{0},
};

/* What is to be measured. */
struct task {
	const struct cli_args *args;
	double slowdowns[MOST_SLOWDOWNS]; /* ascending */
	size_t level_count;               /* with unchanged code, which is level 0 */
	uint64_t trials;                  /* runs a slowdown at most */
	uint64_t baseline_runs;
	double budget; /* of all runs together; 0: none */
	double run_seconds;
	size_t case_count;
	unsigned invocations;
	uint64_t seed;
	struct bench_compare_options comparing;
};

/* What has been measured. */
struct measured {
	struct bench_power_run *runs;
	struct bench_run **owned; /* the runs again, to be freed */
	size_t count;
	double start;
	int status; /* the first that was not CLI_OK */
	bool over;  /* nothing more is to be measured */
};

static double now(void)
{
	return (double)bench_clock_real.now_ns(bench_clock_real.context) * 1e-9;
}

static int read_slowdowns(struct task *task, struct bench_error *error)
{
	const char *text = cli_value(task->args, "slowdowns", "1%,2%,3%,5%,10%");
	struct bench_arena arena = {0};
	char *rest = bench_arena_string(&arena, text), *item;
	double last = 0;
	size_t count = 0;
	int result = 0;
	while (result == 0 && (item = bench_text_next(&rest, ','))) {
		double value;
		if (!bench_text_fraction(item, &value) || !(value > last) || count == MOST_SLOWDOWNS) {
			result = bench_fail(error, BENCH_USAGE,
					    "--slowdowns '%s': expected up to %d fractions above 0, "
					    "ascending, such as "
					    "1%%,2%%,5%%",
					    text, MOST_SLOWDOWNS);
			break;
		}
		task->slowdowns[count++] = last = value;
	}
	if (result == 0 && count == 0)
		result = bench_fail(error, BENCH_USAGE, "--slowdowns: there is none");
	task->level_count = count + 1;
	bench_arena_free(&arena);
	return result;
}

/* The least that says anything must fit before the first is measured. */
static int check_budget(const struct task *task, struct bench_error *error)
{
	double least = (double)(LEAST_TRIALS * task->level_count) + (double)task->baseline_runs;
	if (!(task->run_seconds > 0))
		return bench_fail(error, BENCH_USAGE,
				  "preset %s has no budget for a run: --run-budget says how long one is",
				  cli_value(task->args, "preset", "full"));
	if (task->budget > 0 && least * task->run_seconds > task->budget)
		return bench_fail(
			error, BENCH_USAGE,
			"--budget %.4gs holds %.0f runs of %.4g s, and it takes %.0f (%llu for the baseline, "
			"%d of unchanged code, %d at each of %zu slowdowns): --budget %.0fs would do, or "
			"--run-budget %.2gs",
			task->budget, floor(task->budget / task->run_seconds), task->run_seconds, least,
			(unsigned long long)task->baseline_runs, LEAST_TRIALS, LEAST_TRIALS,
			task->level_count - 1, ceil(least * task->run_seconds),
			floor(100 * task->budget / least) / 100);
	return 0;
}

/* Everything that can be refused is, before time is spent. */
static int read_task(const struct cli_args *args, struct task *task, struct bench_error *error)
{
	struct cli_measuring measuring = {0};
	struct bench_text script = {0};
	const char *output = cli_value(args, "output", NULL), *set = getenv(BENCH_SLOWDOWN_VARIABLE);
	*task = (struct task){.args = args};
	if (set && *set)
		return bench_fail(error, BENCH_USAGE,
				  "bench power sets " BENCH_SLOWDOWN_VARIABLE " itself: unset it");
	uint64_t usual = cli_given(args, "budget") ? MOST_TRIALS : USUAL_TRIALS;
	int result = read_slowdowns(task, error);
	if (result == 0)
		result = cli_read_whole(args, "trials", usual, LEAST_TRIALS, MOST_TRIALS, &task->trials,
					error);
	if (result == 0)
		result = cli_read_whole(args, "baseline-runs", 3, 1, 100, &task->baseline_runs, error);
	if (result == 0)
		result = cli_read_comparing(args, &task->comparing, error);
	if (result == 0)
		result = cli_read_seconds(args, "budget", 0, &task->budget, error);
	if (result == 0 && output)
		result = bench_gnuplot_start(&script, output, 1, 1, error);
	if (result == 0)
		result = cli_measuring_plan(args, NULL, &measuring, error);
	if (result == 0)
		result = cli_read_seconds(args, "run-budget", measuring.preset_budget, &task->run_seconds,
					  error);
	if (result == 0) {
		task->case_count = measuring.plan->case_count;
		task->invocations = measuring.run->invocations;
		task->seed = measuring.run->seed;
		result = check_budget(task, error);
	}
	cli_measuring_free(&measuring);
	bench_text_free(&script);
	return result;
}

/* One run as the gate would make it. The workers read the slowdown from the environment. */
static int measure_one(const struct task *task, size_t level, struct measured *measured,
		       struct bench_error *error)
{
	struct cli_measuring measuring = {0};
	char value[32];
	snprintf(value, sizeof(value), "%.17g", level ? task->slowdowns[level - 1] : 0);
	if (level)
		setenv(BENCH_SLOWDOWN_VARIABLE, value, 1);
	int result = cli_measuring_plan(task->args, NULL, &measuring, error);
	if (result == 0) {
		struct bench_run *run = measuring.run;
		bench_pair_set(&run->arena, &run->labels, &run->label_count, "aside", "power");
		run->budget_seconds = task->run_seconds;
		measuring.quiet = true;
		result = cli_measuring_open(&measuring, error);
	}
	if (result == 0)
		result = cli_measuring_run(&measuring, error);
	unsetenv(BENCH_SLOWDOWN_VARIABLE);
	if (result == 0) {
		int status = cli_measuring_keep(&measuring);
		measured->status = measured->status ? measured->status : status;
		measured->over = status == CLI_INTERRUPTED || status == CLI_NOTHING;
		if (!measured->over) {
			measured->owned[measured->count] = measuring.run;
			measured->runs[measured->count++] = (struct bench_power_run){measuring.run, level};
			measuring.run = NULL;
		}
	}
	cli_measuring_free(&measuring);
	return result;
}

static void show_progress(const struct task *task, const struct measured *measured, size_t level)
{
	double elapsed = now() - measured->start, each = elapsed / (double)measured->count;
	double total = (double)(task->trials * task->level_count + task->baseline_runs);
	double left = each * (total - (double)measured->count);
	char what[32] = "unchanged code", out_of[32] = "";
	if (level)
		snprintf(what, sizeof(what), "slowdown %.4g%%", 100 * task->slowdowns[level - 1]);
	if (task->budget > 0)
		left = fmax(0, fmin(left, task->budget - elapsed));
	else
		snprintf(out_of, sizeof(out_of), "/%.0f", total);
	fprintf(stderr, "[%zu%s] %s, about %.0f s left\n", measured->count, out_of, what, left);
}

/*
 * A block has one run at each slowdown and one of unchanged code, in an order of its own: whatever the
 * machine does over the time, it does it to all alike. The first two have those that the baselines take
 * beside.
 */
static size_t make_block(const struct task *task, size_t block, struct bench_rng *rng, size_t *levels)
{
	size_t count = 0, all = (size_t)task->baseline_runs;
	size_t more = block == 0 ? (all + 1) / 2 : block == 1 ? all / 2 : 0;
	for (size_t i = 0; i < task->level_count; i++)
		levels[count++] = i;
	while (more-- > 0)
		levels[count++] = 0;
	bench_rng_shuffle(rng, levels, count);
	return count;
}

/* Would another block be over by the end of the budget, if its runs take as long as those before? */
static bool has_time(const struct task *task, const struct measured *measured)
{
	double elapsed = now() - measured->start;
	double block = elapsed / (double)measured->count * (double)task->level_count;
	return !(task->budget > 0) || elapsed + block <= task->budget;
}

static int measure(const struct task *task, struct measured *measured, struct bench_error *error)
{
	size_t most = (size_t)(task->trials * task->level_count + task->baseline_runs);
	size_t *levels = calloc(task->level_count + (size_t)task->baseline_runs, sizeof(*levels));
	struct bench_rng rng;
	int result = 0;
	measured->runs = calloc(most, sizeof(*measured->runs));
	measured->owned = calloc(most, sizeof(struct bench_run *));
	bench_rng_start(&rng, task->seed, 2);
	if (!levels || !measured->runs || !measured->owned)
		result = bench_fail(error, BENCH_NO_MEMORY, "no memory for the runs");
	double seconds = (double)most * task->run_seconds;
	bool ends = task->budget > 0 && task->budget < seconds;
	fprintf(stderr,
		"bench: %zu cases, %u invocations and %.4g s a run, %s%zu runs, about %.0f s in all\n",
		task->case_count, task->invocations, task->run_seconds, ends ? "at most " : "", most,
		ends ? task->budget : seconds);
	measured->start = now();
	size_t block = 0;
	for (; result == 0 && block < task->trials && !measured->over; block++) {
		if (block >= LEAST_TRIALS && !has_time(task, measured))
			break;
		size_t count = make_block(task, block, &rng, levels);
		for (size_t i = 0; result == 0 && i < count && !measured->over; i++) {
			result = measure_one(task, levels[i], measured, error);
			if (result == 0 && !measured->over)
				show_progress(task, measured, levels[i]);
		}
	}
	if (result == 0 && !measured->over && task->budget > 0)
		fprintf(stderr, "bench: the budget held %zu runs at each slowdown\n", block);
	free(levels);
	return result;
}

static int show(const struct task *task, const struct measured *measured,
		const struct bench_report_options *report)
{
	struct bench_error error;
	struct bench_text out = {0};
	const char *output = cli_value(task->args, "output", NULL);
	int status = measured->status;
	struct bench_power *power =
		bench_compare_power_new(task->slowdowns, task->level_count - 1, &task->comparing);
	power->invocations = task->invocations;
	power->run_seconds = task->run_seconds;
	if (bench_compare_power_runs(power, measured->runs, measured->count, (size_t)task->baseline_runs,
				     task->seed, &error) != 0) {
		status = cli_fail(&error);
		goto out;
	}
	report->format->power(power, report, &out);
	status = cli_print(&out, status);
	if (!output)
		goto out;
	if (bench_plot_power(power, output, &error) == 0) {
		fprintf(stderr, "bench: drew %s\n", output);
	} else {
		int failed = cli_fail(&error);
		status = status == CLI_OK ? failed : status;
	}
out:
	bench_compare_power_free(power);
	return status;
}

static int power(const struct cli_args *args)
{
	struct bench_error error;
	struct bench_report_options report;
	struct task task;
	struct measured measured = {0};
	if (cli_report_options(args, &report, &error) != 0 || read_task(args, &task, &error) != 0)
		return cli_fail(&error);
	/* What was measured before something went wrong is counted all the same. */
	if (measure(&task, &measured, &error) != 0)
		measured.status = cli_fail(&error);
	int status = measured.count ? show(&task, &measured, &report) : measured.status;
	for (size_t i = 0; i < measured.count; i++)
		bench_run_free(measured.owned[i]);
	free(measured.owned);
	free(measured.runs);
	return status;
}

const struct cli_verb cli_power = {
	.name = "power",
	.summary = "say how small a slowdown would be seen on this machine",
	.usage = "[--suite S,..] [--slowdowns P,..] [--trials N] [--budget TIME] [-o FILE] [options]",
	.about = "Measures the cases many times, as they are and slowed by known amounts, compares each run "
		 "with\n"
		 "others of unchanged code as 'bench compare' does, and counts what is called slower. The "
		 "preset is\n"
		 "quick unless said otherwise; --budget is for all runs together, --run-budget for each. The "
		 "runs are\n"
		 "kept, with the label aside=power, and no rolling baseline takes them. Exit status 0; 4 if "
		 "a case\n"
		 "failed or gave a wrong result; 3 if nothing could be measured; 130 if interrupted, with "
		 "what was\n"
		 "measured counted. docs/power.md says how to read the result.",
	.examples = "bench power --suite gemm --set n=256,512 --backend openblas --budget 10m\n"
		    "bench power --suite gemm --slowdowns 2%,5%,10% --trials 20 -o power.svg\n"
		    "bench power --suite view --run-budget 5s --baseline-runs 7 --format json",
	.options = options,
	.rendered = BENCH_RENDERED_POWER,
	.preset = "quick",
	.run = power,
};
