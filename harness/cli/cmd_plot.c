/* bench plot: trends, scaling and rooflines as pictures. */
#include <stdio.h>
#include <string.h>

#include "app/changepoints.h"
#include "app/runs.h"
#include "cli/arguments.h"
#include "cli/output.h"
#include "cli/say.h"
#include "core/text.h"
#include "report/plot/plot.h"

static const struct cli_option options[] = {
	{"output", 'o', "FILE", "where to draw: .svg, .png or .pdf (default: the kind's name, .svg)"},
	{"metric", 'm', "PATTERN", "trend: which metrics (default: */time)"},
	{"threshold", 0, "P", "trend: the smallest shift of a level that is marked (default: 5%)"},
	{"alpha", 0, "A", "trend: chance of any false mark, over all metrics together (default: 0.01)"},
	{"suite", 's', "S", "scaling: which suite (default: the run's first)"},
	{"over", 0, "PARAM", "scaling: the parameter on the x axis (default: the one with most values)"},
	CLI_OPTION_DB,
	CLI_OPTION_RUNS_DIR,
	{0},
};

static int plot_trend(const struct cli_args *args, struct bench_store *store, const char *output,
		      struct bench_error *error)
{
	struct bench_arena arena = {0};
	struct bench_point *points;
	struct bench_app_changepoint_options searched = {0};
	struct bench_change *changes;
	size_t count;
	const char *pattern = cli_value(args, "metric", "*/time");
	if (cli_read_judging(args, 0.05, &searched.least, &searched.alpha, error) != 0)
		return -1;
	int result = bench_store_history(store, pattern, &arena, &points, &count, error);
	if (result == 0 && count == 0)
		result = bench_fail(error, BENCH_NOTHING, "no metric in the history matches '%s'", pattern);
	if (result == 0) {
		size_t change_count = bench_app_changepoints(points, count, &searched, &arena, &changes);
		result = bench_plot_trend(points, count, changes, change_count, output, error);
	}
	bench_arena_free(&arena);
	return result;
}

static int plot_scaling(const struct cli_args *args, struct bench_store *store, const char *output,
			struct bench_error *error)
{
	struct bench_run *run = NULL;
	const char *name = args->operand_count > 1 ? args->operands[1] : "last";
	if (bench_app_load_run(store, cli_places(args).runs_dir, name, &run, error) != 0)
		return -1;
	int result;
	const char *suite = cli_value(args, "suite", run->result_count ? run->results[0].suite : NULL);
	if (!suite)
		result = bench_fail(error, BENCH_NOTHING, "run %s has no results to draw", run->id);
	else
		result = bench_plot_scaling(run, suite, cli_value(args, "over", NULL), output, error);
	bench_record_free(run);
	return result;
}

static int plot_roofline(const struct cli_args *args, struct bench_store *store, const char *output,
			 struct bench_error *error)
{
	struct bench_run *run = NULL;
	const char *name = args->operand_count > 1 ? args->operands[1] : "last";
	if (bench_app_load_run(store, cli_places(args).runs_dir, name, &run, error) != 0)
		return -1;
	int result = bench_plot_roofline(run, output, error);
	bench_record_free(run);
	return result;
}

enum kind { TREND, SCALING, ROOFLINE, KINDS };

static int plot(const struct cli_args *args)
{
	static const char *const kinds[KINDS] = {"trend", "scaling", "roofline"};
	struct bench_error error;
	struct bench_store *store = NULL;
	char fallback[32];
	const char *kind = args->operand_count ? args->operands[0] : "";
	int result, which = 0;
	while (which < KINDS && strcmp(kind, kinds[which]) != 0)
		which++;
	snprintf(fallback, sizeof(fallback), "%.20s.svg", kind);
	const char *output = cli_value(args, "output", fallback);
	if (which == KINDS) {
		const char *nearest = bench_text_nearest(kind, kinds, KINDS);
		result = bench_fail(
			&error, BENCH_USAGE,
			"bench plot: '%s' is no kind of plot: there are trend, scaling and roofline%s%s%s",
			kind, BENCH_DID_YOU_MEAN(nearest));
	} else if (which == TREND && args->operand_count > 1) {
		result = bench_fail(&error, BENCH_USAGE,
				    "bench plot trend takes no run: it draws the whole history");
	} else {
		/* A run folder can be drawn without a history. */
		const char *db = cli_places(args).db,
			   *run = args->operand_count > 1 ? args->operands[1] : NULL;
		result = which == TREND ? bench_app_open_store(db, &store, &error)
					: bench_app_try_store(db, run, &store, &error);
		if (result == 0 && which == TREND)
			result = plot_trend(args, store, output, &error);
		else if (result == 0)
			result = (which == SCALING ? plot_scaling : plot_roofline)(args, store, output,
										   &error);
	}
	bench_store_close(store);
	if (result != 0)
		return cli_fail(&error);
	cli_say("drew %s", output);
	return CLI_OK;
}

const struct cli_verb cli_plot = {
	.name = "plot",
	.summary = "draw trends over runs, scaling over a parameter, or a roofline",
	.usage = "trend [-o FILE] [--metric PATTERN] [--threshold P]\nscaling [RUN] [-o FILE] [--suite S] "
		 "[--over "
		 "PARAM]\nroofline [RUN] [-o FILE]",
	.about = "Drawn by gnuplot. A trend marks where a level shifted for good, and by how much.",
	.examples = "bench plot trend -o trend.svg --metric 'gemm/*n=1024*/flop_rate'\n"
		    "bench plot scaling -o gemm.png --suite gemm\n"
		    "bench plot roofline -o roofline.svg",
	.options = options,
	.max_operands = 2,
	.run = plot,
};
