/* bench history: every stored value of some metrics, oldest first, or where they shifted. */
#include <math.h>
#include <stdio.h>

#include "app/changepoints.h"
#include "app/runs.h"
#include "cli/arguments.h"
#include "cli/output.h"
#include "core/clock.h"
#include "core/text.h"
#include "report/render/words.h"

static const struct cli_option options[] = {
	{"changepoints", 0, NULL, "where the metrics shifted for good, instead of all values"},
	CLI_OPTIONS_VERDICT,
	CLI_OPTION_DB,
	CLI_OPTION_FORMAT,
	{0},
};

/* What is to be known of a point: that the machine was disturbed, and the shift that counts from it on. */
static void add_note(struct bench_grid *grid, size_t row, size_t column, const struct bench_point *point)
{
	struct bench_text note = {0};
	bench_text_add(&note, "%s%s%s%s", point->disturbed ? "disturbed" : "",
		       point->disturbed && *point->accepted ? "; " : "", *point->accepted ? "accepted: " : "",
		       point->accepted);
	bench_render_grid_set(grid, row, column, point->disturbed ? BENCH_TONE_DOUBT : BENCH_TONE_PLAIN,
			      note.data);
	bench_text_free(&note);
}

static void add_point(struct bench_grid *grid, const struct bench_point *point, bool exact)
{
	struct bench_arena arena = {0};
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
		struct bench_text number = {0};
		if (exact)
			bench_render_words_add_number(&number, values[i]);
		bench_text_quantity(text, sizeof(text), values[i], point->unit);
		bench_render_grid_put(grid, row, 4 + i, exact && number.data ? number.data : text);
		bench_text_free(&number);
	}
	if (exact)
		bench_render_grid_put(grid, row, 7, point->unit);
	add_note(grid, row, exact ? 8 : 7, point);
	bench_arena_free(&arena);
}

static void add_points(struct bench_grid *grid, const struct bench_point *points, size_t count, bool exact)
{
	static const char *const titles[] = {"metric", "started", "run",   "commit",
					     "median", "ci_lo",   "ci_hi", "unit"};
	/* Files carry SI units and every digit; people read scaled ones. */
	for (size_t i = 0; i < (exact ? 8 : 7); i++)
		bench_render_grid_column(grid, titles[i], i >= 4 && i <= 6, i == 1 || i >= 5 ? 1 : 0);
	bench_render_grid_column(grid, "note", false, 0);
	for (size_t i = 0; i < count; i++)
		add_point(grid, &points[i], exact);
}

/* A value for people, or for programs. */
static void set_value(struct bench_grid *grid, size_t row, size_t column, double value, const char *unit,
		      bool exact)
{
	char text[64];
	struct bench_text number = {0};
	bench_text_quantity(text, sizeof(text), value, unit);
	if (exact)
		bench_render_words_add_number(&number, value);
	bench_render_grid_set(grid, row, column, BENCH_TONE_PLAIN, exact ? number.data : text);
	bench_text_free(&number);
}

/* The ratio as people read it, with its interval; for programs, as it is. */
static void set_change(struct bench_grid *grid, size_t row, size_t column,
		       const struct bench_app_changepoint *change, bool exact)
{
	const struct bench_interval *ratio = &change->ratio;
	enum bench_better better = change->first->better;
	enum bench_tone tone = better == BENCH_BETTER_NONE                               ? BENCH_TONE_PLAIN
			       : (ratio->estimate > 1) == (better == BENCH_BETTER_LOWER) ? BENCH_TONE_BAD
											 : BENCH_TONE_GOOD;
	struct bench_arena arena = {0};
	if (exact) {
		set_value(grid, row, column, ratio->estimate, "ratio", true);
		set_value(grid, row, column + 1, ratio->lo, "ratio", true);
		set_value(grid, row, column + 2, ratio->hi, "ratio", true);
	} else {
		bench_render_grid_set(grid, row, column, tone,
				      bench_render_words_change(&arena, ratio->estimate));
		bench_render_grid_set(grid, row, column + 1, BENCH_TONE_PLAIN,
				      bench_render_words_change(&arena, ratio->lo));
		bench_render_grid_set(grid, row, column + 2, BENCH_TONE_PLAIN,
				      bench_render_words_change(&arena, ratio->hi));
	}
	bench_arena_free(&arena);
}

static void add_changepoints(struct bench_grid *grid, const struct bench_app_changepoint *changes,
			     size_t count, bool exact)
{
	static const char *const titles[] = {"metric", "started", "run", "commits",  "before", "after",
					     "change", "lo",      "hi",  "together", "unit"};
	for (size_t i = 0; i < (exact ? 11 : 10); i++)
		bench_render_grid_column(grid, exact && i == 6 ? "ratio" : titles[i], i >= 4 && i <= 9,
					 i == 1             ? 2
					 : i == 7 || i == 8 ? 1
							    : 0);
	for (size_t i = 0; i < count; i++) {
		const struct bench_app_changepoint *change = &changes[i];
		const struct bench_point *first = change->first;
		char text[160];
		size_t row = bench_render_grid_row(grid);
		bench_render_grid_set(grid, row, 0, BENCH_TONE_PLAIN, first->key);
		bench_clock_iso(first->started, text, sizeof(text));
		bench_render_grid_set(grid, row, 1, BENCH_TONE_PLAIN, text);
		bench_render_grid_set(grid, row, 2, BENCH_TONE_PLAIN, first->run);
		snprintf(text, sizeof(text), exact ? "%s..%s" : "%.8s..%.8s", change->last->commit,
			 first->commit);
		bench_render_grid_set(grid, row, 3, BENCH_TONE_PLAIN, *first->commit ? text : "");
		set_value(grid, row, 4, change->before, first->unit, exact);
		set_value(grid, row, 5, change->after, first->unit, exact);
		set_change(grid, row, 6, change, exact);
		snprintf(text, sizeof(text), "%zu", change->together);
		bench_render_grid_set(grid, row, 9, BENCH_TONE_PLAIN, text);
		if (exact)
			bench_render_grid_set(grid, row, 10, BENCH_TONE_PLAIN, first->unit);
	}
}

static int history(const struct cli_args *args)
{
	struct bench_error error;
	struct bench_report_options report;
	struct bench_store *store = NULL;
	struct bench_arena arena = {0};
	struct bench_point *points;
	struct bench_grid grid = {0};
	struct bench_text out = {0};
	size_t count;
	double threshold, alpha;
	int status;
	const char *pattern = args->operand_count ? args->operands[0] : "*/time";
	if (cli_report_options(args, &report, &error) != 0 ||
	    cli_read_judging(args, 0.05, &threshold, &alpha, &error) != 0 ||
	    bench_app_open_store(cli_places(args).db, &store, &error) != 0 ||
	    bench_store_history(store, pattern, &arena, &points, &count, &error) != 0) {
		status = cli_fail(&error);
		goto out;
	}
	if (count == 0) {
		bench_fail(&error, BENCH_NOTHING,
			   "no metric in the history matches '%s' ('bench list metrics' lists them)",
			   pattern);
		status = cli_fail(&error);
		goto out;
	}
	bool exact = report.format->exact;
	if (cli_given(args, "changepoints")) {
		struct bench_app_changepoint *changes;
		size_t change_count =
			bench_app_changepoints(points, count, threshold, alpha, &arena, &changes);
		add_changepoints(&grid, changes, change_count, exact);
		if (change_count == 0)
			fprintf(stderr, "bench: no change of %.3g%% or more in %zu values\n", 100 * threshold,
				count);
	} else {
		add_points(&grid, points, count, exact);
	}
	if (grid.row_count > 0 || !report.format->terminal)
		report.format->grid(&grid, &report, &out);
	status = cli_print(&out, CLI_OK);
out:
	bench_render_grid_free(&grid);
	bench_arena_free(&arena);
	bench_store_close(store);
	return status;
}

const struct cli_verb cli_history = {
	.name = "history",
	.summary = "every stored value of some metrics, oldest first",
	.usage = "[METRIC-PATTERN] [--changepoints] [--format F]",
	.about = "The pattern (*, ?, [...]) is matched against a metric's full name,\n"
		 "suite/backend:device/k=v,k=v/metric. Default: '*/time'. A note says where the machine was "
		 "disturbed\n"
		 "in all invocations, and from where on an accepted shift counts. Runs that were set aside "
		 "(label\n"
		 "aside) are left out; 'bench list runs' lists them.\n"
		 "With --changepoints: where a metric's level shifted for good, on each host, with the "
		 "commits between "
		 "the\n"
		 "last run of the old level and the first of the new one, and how many metrics shifted with "
		 "it. Three\n"
		 "runs make a level.",
	.examples = "bench history\n"
		    "bench history 'gemm/opencl:*n=1024*/flop_rate'\n"
		    "bench history 'gemm/*/time' --format csv >gemm.csv\n"
		    "bench history 'gemm/*' --changepoints --threshold 3%",
	.options = options,
	.rendered = BENCH_RENDERED_GRID,
	.max_operands = 1,
	.run = history,
};
