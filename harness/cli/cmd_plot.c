/* SPDX-License-Identifier: MIT */
/* bench plot: the history, a run or a comparison as pictures. */
#include <string.h>

#include "app/before.h"
#include "app/changepoints.h"
#include "app/compare.h"
#include "app/runs.h"
#include "cli/arguments.h"
#include "cli/call.h"
#include "cli/output.h"
#include "cli/say.h"
#include "core/memory.h"
#include "core/text.h"
#include "report/plot/plot.h"

#define USUAL_COLUMNS 100 /* of characters, where stdout is no terminal */

static const struct cli_option options[] = {
	{"output", 'o', "FILE", "the picture: .svg, .png or .pdf"},
	{"terminal", 0, NULL, "draw in characters, on standard output"},
	{"theme", 0, "light|dark", "colors; without it, an .svg follows the reader's setting"},
	{"metric", 'm', "PATTERN", "trend, distribution: which metrics"},
	{"suite", 's', "S", "scaling, heatmap, learning: which suite"},
	{"over", 0, "PARAM", "scaling: the parameter of the x axis; heatmap: A,B for both axes"},
	{"baseline", 0, "NAME|RUN|rolling:N", "compare, distribution: what to compare with"},
	CLI_OPTION_BRANCH,
	CLI_OPTIONS_PERIOD,
	{"threshold", 0, "P", "trend: the smallest shift to mark; compare: the smallest change that matters"},
	{"alpha", 0, "A", "probability of any false mark or verdict, over all metrics together"},
	CLI_OPTION_ALLOW_ENV_CHANGE,
	CLI_OPTION_DB,
	CLI_OPTION_RUNS_DIR,
	{0},
};

static const struct cli_default defaults[] = {
	{"baseline", NULL, NULL, "the previous run"},
	{"metric", NULL, "*/time", NULL},
	{"output", NULL, NULL, "the kind's name, .svg"},
	{"over", NULL, NULL, "those with the most values"},
	{"suite", NULL, NULL, "the run's first that can be drawn"},
	{"theme", NULL, "light", NULL},
	{"threshold", "trend", "1.25%", NULL},
	{"threshold", "compare", "5%", NULL},
	{"threshold", CLI_ANCHORED, "2%", NULL},
	{0},
};

/* What a kind of plot is given. */
struct request {
	struct cli_call *call;
	const struct cli_args *args; /* of the call */
	struct bench_run *run;       /* NULL for trend */
	struct bench_plot_place *place;
};

/* Of the values that are drawn, those on the line of history, where shifts are looked for. */
static int choose_points(const struct request *request, const struct bench_point *points, size_t *count,
			 struct bench_point **chosen, struct bench_error *error)
{
	const struct bench_app_places places = cli_places(request->args);
	struct bench_app_line line;
	struct bench_app_line_tally tally;
	if (bench_app_line_here(request->call->store, &places.line, request->args->arena, &line, error) != 0)
		return -1;
	*chosen = bench_arena_alloc(request->args->arena, *count, sizeof(**chosen));
	memcpy(*chosen, points, *count * sizeof(**chosen));
	*count = bench_app_line_points(&line, *chosen, *count, &tally);
	return 0;
}

static int plot_trend(const struct request *request, struct bench_error *error)
{
	const struct cli_args *args = request->args;
	struct bench_store *store = request->call->store;
	struct bench_arena *arena = args->arena;
	struct bench_point *points, *chosen;
	struct bench_alarm *alarms;
	struct bench_kept_comparison *comparisons;
	struct bench_app_changepoint_options searched = {0};
	struct bench_change *changes;
	struct bench_run_row *runs;
	struct bench_plot_trend trend = {0};
	struct bench_app_period period;
	const char *pattern = cli_value(args, "metric");
	if (cli_read_judging(args, NULL, &searched.least, &searched.alpha, error) != 0 ||
	    cli_read_period(args, store, &period, error) != 0 ||
	    bench_store_history(store, pattern, arena, &points, &trend.count, error) != 0)
		return -1;
	if (trend.count == 0)
		return bench_fail(error, BENCH_NOTHING, "no metric in the history matches '%s'", pattern);
	trend.count = bench_app_period_points(&period, points, trend.count);
	if (trend.count == 0)
		return bench_fail(error, BENCH_NOTHING, "no value of '%s' is from that period", pattern);
	size_t chosen_count = trend.count;
	if (bench_store_alarms(store, NULL, NULL, false, arena, &alarms, &trend.alarm_count, error) != 0 ||
	    bench_store_comparisons(store, arena, &comparisons, &trend.comparison_count, error) != 0 ||
	    bench_store_runs(store, 0, arena, &runs, &trend.run_count, error) != 0 ||
	    choose_points(request, points, &chosen_count, &chosen, error) != 0)
		return -1;
	trend.change_count = bench_app_changepoints(chosen, chosen_count, &searched, arena, &changes);
	trend.points = points;
	trend.runs = runs;
	trend.alarms = alarms;
	trend.comparisons = comparisons;
	trend.changes = changes;
	return bench_plot_trend(&trend, request->place, error);
}

/* --suite, else the first of the run; NULL: the run has no results. */
static const char *suite_of(const struct request *request)
{
	const char *suite = cli_value(request->args, "suite");
	return suite || !request->run->result_count ? suite : request->run->results[0].suite;
}

/* A plot of one suite, over what --over names. */
static int plot_suite(const struct request *request,
		      int (*draw)(const struct bench_run *, const char *, const char *,
				  struct bench_plot_place *, struct bench_error *),
		      struct bench_error *error)
{
	const char *suite = suite_of(request);
	if (!suite)
		return bench_fail(error, BENCH_NOTHING, "run %s has no results to draw", request->run->id);
	return draw(request->run, suite, cli_value(request->args, "over"), request->place, error);
}

static int plot_scaling(const struct request *request, struct bench_error *error)
{
	return plot_suite(request, bench_plot_scaling, error);
}

static int plot_heatmap(const struct request *request, struct bench_error *error)
{
	return plot_suite(request, bench_plot_heatmap, error);
}

static int plot_learning(const struct request *request, struct bench_error *error)
{
	return bench_plot_learning(request->run, cli_value(request->args, "suite"), request->place, error);
}

/* The slopes of caches are those of the newest run of suite peak, of each device. */
static int plot_roofline(const struct request *request, struct bench_error *error)
{
	const struct bench_run *run = request->run;
	const char *host = bench_record_fact(run, "fingerprint");
	struct bench_store *store = request->call->store;
	struct bench_run **peaks =
		bench_arena_alloc(request->args->arena, run->device_count + 1, sizeof(*peaks));
	size_t count = 0;
	int result = 0;
	for (size_t i = 0; result == 0 && store && i < run->device_count; i++) {
		const struct bench_device_record *device = &run->devices[i];
		char id[64];
		result = bench_store_last_of(store, "peak", device->backend, device->info.slug, host, id,
					     sizeof(id), error);
		if (result == 0 && *id && strcmp(id, run->id) != 0)
			result = bench_store_load(store, id, &peaks[count], error);
		count += result == 0 && peaks[count];
	}
	if (result == 0)
		result = bench_plot_roofline(run, (const struct bench_run *const *)peaks, count,
					     request->place, error);
	for (size_t i = 0; i < count; i++)
		bench_record_free(peaks[i]);
	return result;
}

static int plot_distribution(const struct request *request, struct bench_error *error)
{
	const struct bench_app_places places = cli_places(request->args);
	BENCH_SCOPED_RUN *base = NULL;
	const char *name = cli_value(request->args, "baseline");
	struct bench_app_line line;
	char **ids;
	size_t count = 0;
	int result = 0;
	if (!name && request->call->store) {
		/* The first run of all has none before it, and is drawn alone. */
		result = bench_app_line_of(request->call->store, &places.line, &request->run->git,
					   request->args->arena, &line, error);
		if (result == 0)
			result = bench_app_runs_before(request->call->store, 1, request->run, &line,
						       request->args->arena, &ids, &count, error);
		name = result == 0 && count ? ids[0] : NULL;
		result = result != 0 && error->code == BENCH_NOTHING ? 0 : result;
	}
	if (result == 0 && name)
		result = bench_app_load_run(request->call->store, places.runs_dir, name, &base, error);
	if (result == 0)
		result = bench_plot_distribution(request->run, base, cli_value(request->args, "metric"),
						 request->place, error);
	return result;
}

static int plot_compare(const struct request *request, struct bench_error *error)
{
	BENCH_SCOPED_COMPARISON *comparison = NULL;

	if (cli_compare_run(request->args, request->call->store, request->run, &comparison, error) != 0)
		return -1;
	return bench_plot_compare(comparison, request->place, error);
}

static const struct kind {
	const char *name;
	int (*plot)(const struct request *request, struct bench_error *error);
	bool history; /* of all runs, and needs the history */
} kinds[] = {
	{"trend", plot_trend, true},
	{"scaling", plot_scaling, false},
	{"heatmap", plot_heatmap, false},
	{"roofline", plot_roofline, false},
	{"distribution", plot_distribution, false},
	{"compare", plot_compare, false},
	{"learning", plot_learning, false},
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static int find_kind(const struct cli_args *args, const struct kind **kind, struct bench_error *error)
{
	const char *names[KINDS], *word = args->operand_count ? args->operands[0] : "";
	*kind = NULL;
	for (size_t i = 0; i < KINDS; i++) {
		names[i] = kinds[i].name;
		if (strcmp(word, names[i]) == 0)
			*kind = &kinds[i];
	}
	if (!*kind)
		return bench_text_no_such("kind of plot", word, names, KINDS, "", error);
	if ((*kind)->history && args->operand_count > 1)
		return bench_fail(error, BENCH_USAGE,
				  "bench plot trend takes no run: it draws the whole history");
	if (!(*kind)->history && (cli_given(args, "since") || cli_given(args, "until")))
		return bench_fail(error, BENCH_USAGE,
				  "bench plot %s draws a run: --since and --until are for 'plot trend'",
				  word);
	return 0;
}

/* --output, --terminal and --theme. */
static int find_place(const struct cli_args *args, const char *fallback, struct bench_plot_place *place,
		      struct bench_error *error)
{
	const char *theme = cli_value(args, "theme");
	place->dark = strcmp(theme, "dark") == 0;
	if (!place->dark && strcmp(theme, "light") != 0)
		return bench_fail(error, BENCH_USAGE, "theme '%.40s': expected light or dark", theme);
	if (!cli_given(args, "terminal")) {
		place->file = cli_given(args, "output") ? cli_value(args, "output") : fallback;
		return bench_plot_check(place, error);
	}
	if (cli_given(args, "output"))
		return bench_fail(error, BENCH_USAGE,
				  "--terminal draws on stdout, and --output into a file: give one of them");
	place->columns = cli_columns() ? cli_columns() : USUAL_COLUMNS;
	if (place->columns < BENCH_PLOT_COLUMNS)
		place->columns = BENCH_PLOT_COLUMNS;
	return 0;
}

static int draw(const struct kind *kind, struct request *request, struct bench_error *error)
{
	const char *name = request->args->operand_count > 1 ? request->args->operands[1] : "last";
	if (kind->history ? cli_open_store(request->call, error) != 0
			  : cli_load_run(request->call, name, false, &request->run, error) != 0)
		return -1;
	return kind->plot(request, error);
}

static int plot(struct cli_call *call, struct bench_error *error)
{
	const struct cli_args *args = call->args;
	struct bench_plot_place place = {.text = &call->out};
	struct request request = {.call = call, .args = args, .place = &place};
	const struct kind *kind;
	if (find_kind(args, &kind, error) != 0 ||
	    find_place(args, bench_arena_format(args->arena, "%s.svg", kind->name), &place, error) != 0)
		return -1;
	int result = draw(kind, &request, error);
	bench_record_free(request.run);
	if (result != 0)
		return -1;
	if (!place.file)
		return cli_print(&call->out, CLI_OK);
	BENCH_SCOPED_MEMORY char *last = bench_plot_file(&place, place.files);
	cli_say("drew %s%s%s", place.file, place.files > 1 ? " to " : "", place.files > 1 ? last : "");
	return CLI_OK;
}

const struct cli_verb cli_plot = {
	.name = "plot",
	.summary = "draw the history, a run or a comparison",
	.usage = "trend [--metric PATTERN] [--since WHEN] [--until WHEN] [-o FILE]\nscaling [RUN] [--suite "
		 "S] [--over PARAM] [-o FILE]\n"
		 "heatmap [RUN] [--suite S] [--over A,B] [-o FILE]\nroofline [RUN] [-o FILE]\n"
		 "distribution [RUN] [--baseline RUN] [--metric PATTERN] [-o FILE]\n"
		 "compare [RUN] [--baseline NAME|RUN|rolling:N] [-o FILE]\nlearning [RUN] [--suite S] [-o "
		 "FILE]",
	.about = "Draws with gnuplot, into a file or, with --terminal, in characters.\n"
		 "trend: metrics over the runs, with verdicts, disturbed runs, alarms, accepted shifts, and "
		 "where a level shifted for good. scaling, heatmap: a suite's rate over one or two "
		 "parameters. roofline: FLOP/s below the limits of the device. distribution: the samples of "
		 "two runs. compare: ratios with their intervals. learning: the accuracy of a training after "
		 "each epoch.",
	.examples = "bench plot trend -o trend.svg --metric 'gemm/*n=1024*/flop_rate'\n"
		    "bench plot scaling -o gemm.png --suite gemm\n"
		    "bench plot roofline -o roofline.pdf\n"
		    "bench plot compare last --baseline main --terminal",
	.options = options,
	.defaults = defaults,
	.max_operands = 2,
	.run = plot,
};
