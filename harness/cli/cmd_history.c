/* SPDX-License-Identifier: MIT */
/* bench history: every stored value of some metrics, oldest first, or where they shifted. */
#include <stdio.h>
#include <string.h>

#include "app/changepoints.h"
#include "cli/arguments.h"
#include "cli/call.h"
#include "cli/output.h"
#include "cli/say.h"
#include "core/clock.h"
#include "core/text.h"
#include "report/render/changes.h"
#include "report/render/history.h"
#include "report/render/words.h"

static const struct cli_option options[] = {
	{"changepoints", 0, NULL, "show where the metrics shifted for good instead of all values"},
	{"branch", 0, "NAME|any", "only runs of this branch, or all runs"},
	CLI_OPTIONS_PERIOD,
	CLI_OPTIONS_SHIFT,
	CLI_OPTION_DB,
	CLI_OPTION_FORMAT,
	{0},
};

static const struct cli_default defaults[] = {
	{"branch", NULL, NULL, "any"},
	{"branch", "--changepoints", NULL, "the first-parent line"},
	{"threshold", NULL, "1.25%", NULL},
	{0},
};

/* What is to be known of a point: that the machine was disturbed, and the shift that counts from it on. */
static void add_note(struct bench_grid *grid, size_t row, size_t column, const struct bench_point *point)
{
	BENCH_SCOPED_TEXT note = {0};
	bench_text_add(&note, "%s%s%s%s", point->disturbed ? "disturbed" : "",
		       point->disturbed && *point->accepted ? "; " : "", *point->accepted ? "accepted: " : "",
		       point->accepted);
	bench_render_grid_set(grid, row, column, point->disturbed ? BENCH_TONE_DOUBT : BENCH_TONE_PLAIN,
			      note.data);
}

static void add_point(struct bench_grid *grid, const struct bench_point *point, bool exact)
{
	char started[40], text[64];
	double values[] = {point->median, point->ci_lo, point->ci_hi};
	size_t row = bench_render_grid_row(grid);
	bench_clock_iso(point->started, started, sizeof(started));
	bench_render_grid_put(grid, row, 0, point->key);
	bench_render_grid_put(grid, row, 1, started);
	bench_render_grid_put(grid, row, 2, point->run);
	snprintf(text, sizeof(text), "%.12s", point->commit);
	bench_render_grid_put(grid, row, 3, exact ? point->commit : text);
	for (size_t i = 0; i < 3; i++) {
		BENCH_SCOPED_TEXT number = {0};
		if (exact)
			bench_render_words_add_number(&number, values[i]);
		else if (i > 0 && point->ci_level == 0) /* one value has no interval */
			bench_text_add(&number, "unknown");
		if (!number.data)
			bench_text_quantity(text, sizeof(text), values[i], point->unit);
		bench_render_grid_put(grid, row, 4 + i, number.data ? number.data : text);
	}
	const char *level = bench_render_words_level(&grid->arena, point->ci_level);
	bench_render_grid_put(grid, row, 7, exact ? point->unit : level + strspn(level, " at"));
	add_note(grid, row, 8, point);
	if (exact)
		bench_render_grid_put(grid, row, 9, bench_render_words_number(&grid->arena, point->ci_level));
}

static void add_points(struct bench_grid *grid, const struct bench_point *points, size_t count, bool exact)
{
	static const char *const titles[] = {"metric", "started", "run",  "commit",
					     "median", "ci_lo",   "ci_hi"};
	/* Files carry SI units and every digit; people read scaled ones, and the confidence of an interval
	 * where it is not the usual 95%. */
	for (size_t i = 0; i < 7; i++)
		bench_render_grid_column(grid, titles[i], i >= 4, i == 1 || i >= 5 ? 1 : 0);
	bench_render_grid_column(grid, exact ? "unit" : "confidence", false, 1);
	bench_render_grid_column(grid, "note", false, 0);
	if (exact)
		bench_render_grid_column(grid, "ci_level", true, 0);
	for (size_t i = 0; i < count; i++)
		add_point(grid, &points[i], exact);
}

/* For people at a terminal. */
static void show_values(struct cli_call *call, const struct bench_point *points, size_t count)
{
	struct bench_history_value *values = bench_arena_alloc(call->args->arena, count + 1, sizeof(*values));
	for (size_t i = 0; i < count; i++)
		values[i] = (struct bench_history_value){.key = points[i].key,
							 .run = points[i].run,
							 .commit = points[i].commit,
							 .unit = points[i].unit,
							 .started = points[i].started,
							 .median = points[i].median,
							 .ci_lo = points[i].ci_lo,
							 .ci_hi = points[i].ci_hi,
							 .ci_level = points[i].ci_level,
							 .disturbed = points[i].disturbed,
							 .accepted = points[i].accepted};
	bench_render_history(values, count, call->report.width, call->report.color, &call->out);
}

/* What is on the line of history: for change points, or where a branch is named. */
static int choose_points(struct cli_call *call, struct bench_app_line *line, struct bench_point *points,
			 size_t *count, struct bench_error *error)
{
	const struct bench_app_places places = cli_places(call->args);
	struct bench_app_line_tally tally;
	if (!cli_given(call->args, "changepoints") && !places.line.branch)
		return 0;
	if (bench_app_line_here(call->store, &places.line, call->args->arena, line, error) != 0)
		return -1;
	*count = bench_app_line_points(line, points, *count, &tally);
	const char *note = bench_app_line_note(line, &tally, call->args->arena);
	if (note)
		cli_say("line of history: %s", note);
	return 0;
}

/* Where the metrics shifted, as a grid. */
static int add_changepoints(struct cli_call *call, const struct bench_app_line *line,
			    const struct bench_point *points, size_t count,
			    const struct bench_app_changepoint_options *searched, struct bench_error *error)
{
	struct bench_arena *arena = call->args->arena;
	struct bench_change *changes;
	size_t change_count = bench_app_changepoints(points, count, searched, arena, &changes);
	if (bench_app_changepoints_explain(call->store, line, changes, change_count, arena, error) != 0)
		return -1;
	if (call->report.format->terminal)
		bench_render_changes_terminal(changes, change_count, &call->grid);
	else
		bench_render_changes_grid(changes, change_count, call->report.format->exact, &call->grid);
	if (change_count == 0)
		cli_say("no change of %.3g%% or more in %zu value%s", 100 * searched->least, count,
			bench_text_plural(count));
	return 0;
}

static int show(struct cli_call *call, struct bench_app_line *line, struct bench_point *points, size_t count,
		const struct bench_app_changepoint_options *searched, struct bench_error *error)
{
	if (choose_points(call, line, points, &count, error) != 0)
		return -1;
	if (!cli_given(call->args, "changepoints")) {
		if (call->report.format->terminal)
			show_values(call, points, count);
		else
			add_points(&call->grid, points, count, call->report.format->exact);
	} else if (add_changepoints(call, line, points, count, searched, error) != 0) {
		return -1;
	}
	return cli_print_rows(call, CLI_OK);
}

static int history(struct cli_call *call, struct bench_error *error)
{
	const struct cli_args *args = call->args;
	const char *pattern = args->operand_count ? args->operands[0] : "*/time";
	struct bench_app_changepoint_options searched = {0};
	struct bench_app_line line = {0};
	struct bench_app_period period;
	struct bench_point *points;
	size_t count;
	if (cli_read_judging(args, NULL, &searched.least, &searched.alpha, error) != 0 ||
	    cli_open_store(call, error) != 0 || cli_read_period(args, call->store, &period, error) != 0 ||
	    bench_store_history(call->store, pattern, args->arena, &points, &count, error) != 0)
		return -1;
	if (count == 0)
		return bench_fail(error, BENCH_NOTHING,
				  "no metric in the history matches '%s' ('bench list metrics' lists them)",
				  pattern);
	count = bench_app_period_points(&period, points, count);
	if (count == 0)
		cli_say("no value of '%s' is from that period", pattern);
	return show(call, &line, points, count, &searched, error);
}

const struct cli_verb cli_history = {
	.name = "history",
	.summary = "show every stored value of some metrics, oldest first",
	.usage = "[METRIC-PATTERN] [--changepoints] [--since WHEN] [--until WHEN] [--branch NAME|any] "
		 "[--format F]",
	.about = "The pattern (*, ?, [...]) is matched against full metric names, "
		 "suite/backend:device/k=v,k=v/metric; the default is '*/time'. Notes mark runs whose "
		 "invocations were all disturbed, and the first run of an accepted shift. Runs that were set "
		 "aside (label aside) are left out; 'bench list runs' lists them.\n"
		 "--changepoints shows where a metric's level shifted for good on each host, and the commits "
		 "between the last run of the old level and the first of the new one. It also shows how many "
		 "metrics shifted together, and whether the code or the machine changed, where that is "
		 "known. A level needs at least three runs. Only runs of commits on the first-parent line of "
		 "the commit checked out here are used, in the order of that line "
		 "(docs/change-points.md).",
	.examples = "bench history\n"
		    "bench history 'gemm/opencl:*n=1024*/flop_rate'\n"
		    "bench history 'gemm/*/time' --since 2026-11-01\n"
		    "bench history 'gemm/*/time' --format csv >gemm.csv\n"
		    "bench history 'gemm/*' --changepoints --threshold 3%\n"
		    "bench history --changepoints --branch release-1.2",
	.options = options,
	.defaults = defaults,
	.rendered = BENCH_RENDERED_GRID,
	.max_operands = 1,
	.run = history,
};
