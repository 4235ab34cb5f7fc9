/* SPDX-License-Identifier: MIT */
#include "report/render/power.h"

#include <math.h>

#include "report/render/words.h"

const char *const bench_render_power_count_names[BENCH_POWER_COUNTS] = {
	[BENCH_POWER_RUNS] = "runs_slower",
	[BENCH_POWER_METRICS] = "metrics_slower",
	[BENCH_POWER_CASES] = "cases_slower",
	[BENCH_POWER_UNCLEAR] = "metrics_unclear"};

struct bench_power_count bench_render_power_count_of(const struct bench_power_level *level,
						     enum bench_power_counted what)
{
	const struct bench_power_count counts[BENCH_POWER_COUNTS] = {
		[BENCH_POWER_RUNS] = {level->alarms, level->comparisons},
		[BENCH_POWER_METRICS] = {level->slower, level->metrics},
		[BENCH_POWER_CASES] = {level->found, level->cases},
		[BENCH_POWER_UNCLEAR] = {level->unclear, level->metrics}};
	return counts[what];
}

struct bench_interval bench_render_power_rate(struct bench_power_count count)
{
	return bench_stats_proportion(count.hits, count.trials, BENCH_POWER_RATE_LEVEL);
}

static char *level_name(struct bench_arena *arena, const struct bench_power_level *level)
{
	return level->slowdown > 0 ? bench_arena_format(arena, "%.4g%%", 100 * level->slowdown)
				   : bench_arena_string(arena, "none");
}

static char *words_of(struct bench_arena *arena, struct bench_power_count count)
{
	if (!count.trials)
		return bench_arena_string(arena, "");
	return bench_arena_format(arena, "%zu of %zu, %s", count.hits, count.trials,
				  bench_render_words_percent(arena, bench_render_power_rate(count).estimate));
}

static char *interval_of(struct bench_arena *arena, struct bench_power_count count)
{
	struct bench_interval rate = bench_render_power_rate(count);
	if (!count.trials)
		return bench_arena_string(arena, "");
	return bench_arena_format(arena, "%s..%s", bench_render_words_percent(arena, rate.lo),
				  bench_render_words_percent(arena, rate.hi));
}

static void fill_levels(const struct bench_power *power, struct bench_grid *grid)
{
	static const struct bench_grid_column columns[] = {
		{"slowdown", true, 0},     {"runs called slower", true, 0},
		{"95% interval", true, 2}, {"cases called slower", true, 0},
		{"95% interval", true, 1}, {"metrics unclear", true, 3}};
	bench_render_grid_columns(grid, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < power->level_count; i++) {
		const struct bench_power_level *level = &power->levels[i];
		struct bench_arena *arena = &grid->arena;
		struct bench_power_count runs = bench_render_power_count_of(level, BENCH_POWER_RUNS);
		struct bench_power_count cases = bench_render_power_count_of(level, BENCH_POWER_CASES);
		struct bench_power_count unclear = bench_render_power_count_of(level, BENCH_POWER_UNCLEAR);
		size_t row = bench_render_grid_row(grid);
		bench_render_grid_set(grid, row, 0, BENCH_TONE_STRONG, level_name(arena, level));
		bench_render_grid_set(grid, row, 1,
				      i == 0 && level->alarms ? BENCH_TONE_BAD : BENCH_TONE_PLAIN,
				      words_of(arena, runs));
		bench_render_grid_put(grid, row, 2, interval_of(arena, runs));
		bench_render_grid_put(grid, row, 3, words_of(arena, cases));
		bench_render_grid_put(grid, row, 4, interval_of(arena, cases));
		if (level->metrics)
			bench_render_grid_put(
				grid, row, 5,
				bench_render_words_percent(arena, bench_render_power_rate(unclear).estimate));
	}
}

static void set_smallest(const struct bench_power *power, const struct bench_power_case *one, double share,
			 struct bench_grid *grid, size_t row, size_t column)
{
	double smallest = bench_compare_power_smallest(power, one, share);
	bench_render_grid_set(grid, row, column, isnan(smallest) ? BENCH_TONE_DOUBT : BENCH_TONE_GOOD,
			      isnan(smallest) ? "-"
					      : bench_arena_format(&grid->arena, "%.4g%%", 100 * smallest));
}

static void fill_cases(const struct bench_power *power, struct bench_grid *grid)
{
	size_t key = bench_render_grid_column(grid, "case", false, 0), first = 0;
	for (size_t i = 0; i < power->level_count; i++) {
		size_t column =
			bench_render_grid_column(grid, level_name(&grid->arena, &power->levels[i]), true, 2);
		first = i ? first : column;
	}
	size_t most = bench_render_grid_column(grid, "found >=80%", true, 0);
	size_t nearly_all = bench_render_grid_column(grid, "found >=95%", true, 0);
	size_t mde = bench_render_grid_column(grid, "MDE", true, 1);
	for (size_t i = 0; i < power->case_count; i++) {
		const struct bench_power_case *one = &power->cases[i];
		size_t row = bench_render_grid_row(grid);
		bench_render_grid_put(grid, row, key, one->key);
		for (size_t l = 0; l < power->level_count; l++)
			if (one->trials[l])
				bench_render_grid_set(grid, row, first + l,
						      l == 0 && one->found[l] ? BENCH_TONE_BAD
									      : BENCH_TONE_PLAIN,
						      bench_arena_format(&grid->arena, "%zu/%zu",
									 one->found[l], one->trials[l]));
		set_smallest(power, one, 0.80, grid, row, most);
		set_smallest(power, one, 0.95, grid, row, nearly_all);
		bench_render_grid_put(grid, row, mde,
				      bench_render_words_percent(&grid->arena, bench_compare_power_mde(one)));
	}
}

static char *head_of(struct bench_arena *arena, const struct bench_power *power)
{
	size_t runs = 0;
	for (size_t i = 0; i < power->level_count; i++)
		runs += power->levels[i].comparisons;
	if (!power->baseline_runs)
		return bench_arena_string(arena, "nothing was compared: it takes two runs of unchanged code");
	/* A budget that is too small for the invocations cuts runs short. */
	const char *least = power->least_invocations < power->invocations
				    ? bench_arena_format(arena, "%zu to ", power->least_invocations)
				    : "";
	return bench_arena_format(
		arena,
		"%zu run%s of %s%u invocation%s and %.4g s, each against %zu of unchanged "
		"code; threshold %s, alpha %.4g",
		runs, bench_text_plural(runs), least, power->invocations,
		bench_text_plural(power->invocations), power->run_seconds, power->baseline_runs,
		bench_render_words_percent(arena, power->options.threshold), power->options.alpha);
}

static void add_foot(struct bench_arena *arena, const struct bench_power *power, const char *prefix,
		     struct bench_text *out)
{
	struct bench_power_count alarms = bench_render_power_count_of(&power->levels[0], BENCH_POWER_METRICS);
	size_t missing = 0;
	for (size_t i = 0; i < power->level_count; i++)
		missing += power->levels[i].missing;
	if (alarms.trials)
		bench_text_add(out,
			       "%sunchanged code: %zu of %zu metrics were called slower, %s (95%%: %s)\n",
			       prefix, alarms.hits, alarms.trials,
			       bench_render_words_percent(arena, bench_render_power_rate(alarms).estimate),
			       interval_of(arena, alarms));
	if (missing)
		bench_text_add(out,
			       "%s%zu time%s a case or metric was missing or broken, and is not counted\n",
			       prefix, missing, bench_text_plural(missing));
}

void bench_render_power(const struct bench_power *power, const char *prefix, bench_power_grid_adder add_grid,
			const struct bench_report_options *options, struct bench_text *out)
{
	BENCH_SCOPED_ARENA arena = {0};
	BENCH_SCOPED_GRID levels = {0}, cases = {0};
	bench_text_add(out, "%s\n", head_of(&arena, power));
	if (power->baseline_runs) {
		bench_text_add(out, "\n");
		fill_levels(power, &levels);
		add_grid(&levels, options, out);
		bench_text_add(out, "\n");
		fill_cases(power, &cases);
		add_grid(&cases, options, out);
		bench_text_add(out, "\n");
		add_foot(&arena, power, prefix, out);
	}
}
