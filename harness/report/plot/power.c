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

/* What all cases share goes with the line of them all, so that it stands in the title and not in each label.
 */
static void add_shared_parts(const struct bench_power *power, struct bench_plot *plot,
			     struct bench_plot_line *line)
{
	const char *part = power->cases[0].key;
	for (size_t length; (length = next_part(&part)); part += length) {
		bool shared = true;
		for (size_t i = 1; i < power->case_count; i++)
			shared &= has_part(power->cases[i].key, part, length);
		if (shared)
			bench_plot_add_part(plot, line, part, length);
	}
}

static int add_all(const struct bench_power *power, struct bench_plot *plot, struct bench_error *error)
{
	struct bench_plot_line *line;
	if (bench_plot_add_line(plot, "all", "", &line, error) != 0)
		return -1;
	add_shared_parts(power, plot, line);
	if (power->case_count > 1)
		line->remark = bench_arena_format(&plot->arena, "all cases, with the 95%% interval");
	for (size_t i = 0; i < power->level_count; i++) {
		const struct bench_power_level *level = &power->levels[i];
		struct bench_interval rate = bench_stats_proportion(level->found, level->cases, LEVEL);
		bench_plot_add_point(plot, line, 100 * level->slowdown, 100 * rate.estimate, 100 * rate.lo,
				     100 * rate.hi);
	}
	return 0;
}

static int add_case(const struct bench_power *power, const struct bench_power_case *one,
		    struct bench_plot *plot, struct bench_error *error)
{
	struct bench_plot_line *line;
	const char *part = one->key;
	if (bench_plot_add_line(plot, one->key, "", &line, error) != 0)
		return -1;
	for (size_t length; (length = next_part(&part)); part += length)
		bench_plot_add_part(plot, line, part, length);
	for (size_t i = 0; i < power->level_count; i++) {
		double rate = bench_stats_proportion(one->found[i], one->trials[i], LEVEL).estimate;
		bench_plot_add_point(plot, line, 100 * power->levels[i].slowdown, 100 * rate, 100 * rate,
				     100 * rate);
	}
	return 0;
}

static void add_axes(const struct bench_power *power, struct bench_plot *plot)
{
	double largest = 100 * power->levels[power->level_count - 1].slowdown;
	double last = -largest;
	for (size_t i = 0; i < power->level_count; i++) {
		double x = 100 * power->levels[i].slowdown;
		struct bench_plot_tick *tick =
			bench_arena_push(&plot->arena, &plot->ticks, &plot->tick_count, sizeof(*tick));
		/* Labels that would run into each other are left out; the mark stays. */
		bool room = x - last >= 0.04 * largest;
		tick->x = x;
		/* gnuplot reads a label as a format: it takes two signs to show one. */
		tick->label = room ? bench_arena_format(&plot->arena, "%.4g%%%%", x)
				   : bench_arena_string(&plot->arena, "");
		last = room ? x : last;
	}
	plot->tick_rows = 1;
	plot->x_label = bench_arena_format(
		&plot->arena, "slowdown that was put in; 0%%: unchanged code; the threshold is %.4g%%",
		100 * power->options.threshold);
	plot->y_label = "called slower, % of the comparisons of a case";
	plot->x_min = -0.02 * largest;
	plot->x_max = 1.03 * largest;
	plot->y_min = -2;
	plot->y_max = 104;
}

int bench_plot_power(const struct bench_power *power, const char *output, struct bench_error *error)
{
	struct bench_plot plot = {.title = "Power"};
	int result = 0;
	if (power->case_count == 0)
		return bench_fail(error, BENCH_NOTHING, "nothing was compared: there is nothing to draw");
	result = add_all(power, &plot, error);
	for (size_t i = 0;
	     i < power->case_count && power->case_count > 1 && power->case_count < BENCH_LINES_MAX; i++)
		if (result == 0)
			result = add_case(power, &power->cases[i], &plot, error);
	if (result == 0) {
		add_axes(power, &plot);
		result = bench_plot_draw(&plot, output, error);
	}
	bench_plot_free(&plot);
	return result;
}
