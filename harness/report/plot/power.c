/* SPDX-License-Identifier: MIT */
/* Power as a picture: the share that was found over the slowdown. */
#include <string.h>

#include "report/plot/lines.h"
#include "report/plot/plot.h"
#include "stats/stats.h"

#define LEVEL 0.95

/* The next part of a key at *rest, "suite", "backend:device", "k=v"; its length, 0 at the end. */
static size_t next_part(const char **rest)
{
	*rest += strspn(*rest, "/,");
	return strcspn(*rest, "/,");
}

static bool has_part(const char *key, const char *part, size_t length)
{
	for (size_t own; (own = next_part(&key)); key += own)
		if (own == length && strncmp(key, part, length) == 0)
			return true;
	return false;
}

/* The line of all cases takes the parts that they share, so that these stand in the title and not in each
 * label. */
static void add_shared_parts(const struct bench_power *power, struct bench_plot_lines *lines,
			     struct bench_plot_line *line)
{
	const char *part = power->cases[0].key;
	for (size_t length; (length = next_part(&part)); part += length) {
		bool shared = true;
		for (size_t i = 1; i < power->case_count; i++)
			shared &= has_part(power->cases[i].key, part, length);
		if (shared)
			bench_plot_lines_add_part(lines, line, part, length);
	}
}

static void add_all(const struct bench_power *power, struct bench_plot_lines *lines)
{
	struct bench_plot_line *line = bench_plot_lines_of(lines, "all");
	add_shared_parts(power, lines, line);
	if (power->case_count > 1)
		line->remark = bench_arena_format(lines->arena, "all cases, with the 95%% interval");
	for (size_t i = 0; i < power->level_count; i++) {
		const struct bench_power_level *level = &power->levels[i];
		struct bench_interval rate = bench_stats_proportion(level->found, level->cases, LEVEL);
		bench_plot_lines_add_point(lines, line,
					   (struct bench_plot_point){100 * level->slowdown,
								     100 * rate.estimate, 100 * rate.lo,
								     100 * rate.hi, 0});
	}
}

static void add_case(const struct bench_power *power, const struct bench_power_case *one,
		     struct bench_plot_lines *lines)
{
	struct bench_plot_line *line = bench_plot_lines_of(lines, one->key);
	const char *part = one->key;
	for (size_t length; (length = next_part(&part)); part += length)
		bench_plot_lines_add_part(lines, line, part, length);
	for (size_t i = 0; i < power->level_count; i++) {
		double rate = bench_stats_proportion(one->found[i], one->trials[i], LEVEL).estimate;
		bench_plot_lines_add_point(lines, line,
					   (struct bench_plot_point){100 * power->levels[i].slowdown,
								     100 * rate, 100 * rate, 100 * rate, 0});
	}
}

static void add_axes(const struct bench_power *power, struct bench_plot *plot, struct bench_plot_panel *panel)
{
	double largest = 100 * power->levels[power->level_count - 1].slowdown;
	double last = -largest;
	panel->x = (struct bench_plot_axis){
		.label = bench_arena_format(
			&plot->arena, "injected slowdown (0%%: unchanged code); the threshold is %.4g%%",
			100 * power->options.threshold),
		.min = -0.02 * largest,
		.max = 1.03 * largest,
		.rows = 1};
	panel->y = (struct bench_plot_axis){.label = "judged slower, % of the comparisons of each case",
					    .min = -2,
					    .max = 104,
					    .grid = true};
	for (size_t i = 0; i < power->level_count; i++) {
		double x = 100 * power->levels[i].slowdown;
		/* Labels that would run into each other are left out. */
		if (x - last < 0.04 * largest)
			continue;
		/* gnuplot reads a label as a format: it takes two signs to show one. */
		bench_plot_page_add_tick(plot, &panel->x, x, bench_arena_format(&plot->arena, "%.4g%%%%", x));
		last = x;
	}
}

int bench_plot_power(const struct bench_power *power, struct bench_plot_place *place,
		     struct bench_error *error)
{
	struct bench_plot page = {.place = place};
	BENCH_SCOPED_PLOT *plot = &page;
	struct bench_plot_lines lines = {.arena = &plot->arena};

	if (power->case_count == 0)
		return bench_fail(error, BENCH_NOTHING, "nothing was compared: there is nothing to draw");
	add_all(power, &lines);
	for (size_t i = 0;
	     i < power->case_count && power->case_count > 1 && power->case_count < BENCH_LINES_MAX; i++)
		add_case(power, &power->cases[i], &lines);
	const char *shared = bench_plot_lines_name(&lines, &lines.items[0], true);
	plot->title = bench_arena_format(&plot->arena, "Power%s%s", *shared ? ":  " : "", shared);
	struct bench_plot_panel *panel = bench_plot_page_add_panel(plot, "");
	add_axes(power, plot, panel);
	bench_plot_lines_draw(&lines, 0, lines.count, 0, true, plot, panel);
	return bench_plot_page_draw(plot, error);
}
