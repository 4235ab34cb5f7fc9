/* SPDX-License-Identifier: MIT */
#include "report/render/alarm_list.h"

#include <math.h>

#include "report/render/alarms.h"
#include "report/render/words.h"

#define COMMIT_DIGITS 8

static const char *number(struct bench_grid *grid, unsigned long long value)
{
	return bench_arena_format(&grid->arena, "%llu", value);
}

/* "1b2c3d4e..4af884b1" */
static const char *commits_of(struct bench_grid *grid, const struct bench_alarm *alarm)
{
	char *good = bench_arena_format(&grid->arena, "%.*s", COMMIT_DIGITS, alarm->good_commit);
	char *bad = bench_arena_format(&grid->arena, "%.*s", COMMIT_DIGITS, alarm->bad_commit);
	return bench_render_alarms_commits(&grid->arena, good, bad);
}

static const char *state_of(const struct bench_alarm *alarm)
{
	enum bench_alarm_state state = alarm->metrics->state;
	for (size_t m = 0; m < alarm->metric_count; m++)
		if (alarm->metrics[m].state == BENCH_ALARM_ACCEPTED)
			state = BENCH_ALARM_ACCEPTED;
	return bench_record_alarm_state_name(bench_record_alarm_is_open(alarm) ? BENCH_ALARM_OPEN : state);
}

/* Its open metrics; all of a closed one. */
static size_t count_of(const struct bench_alarm *alarm)
{
	const size_t open = bench_record_alarm_whole(alarm).open;
	return open ? open : alarm->metric_count;
}

/* "gemm/openblas:cpu/n=512/time and 4 more" */
static const char *metrics_of(struct bench_grid *grid, const struct bench_alarm *alarm)
{
	const char *largest = bench_record_alarm_largest(alarm)->key;
	const size_t count = count_of(alarm);
	return count < 2 ? largest : bench_arena_format(&grid->arena, "%s and %zu more", largest, count - 1);
}

void bench_render_alarm_list(const struct bench_alarm *alarms, const struct bench_alarm_origin *origins,
			     size_t count, bool under, struct bench_grid *grid)
{
	static const struct bench_grid_column columns[] = {
		{"id", true, 0},       {"since", false, 0},     {"state", false, 0},   {"nights", true, 3},
		{"metrics", true, 4},  {"change", true, 0},     {"interval", true, 0}, {"commits", false, 0},
		{"culprit", false, 5}, {"first bad", false, 6}, {"host", false, 7},    {"command", false, 8},
		{"largest", false, 0}};
	bool all_open = true;
	bench_render_grid_columns(grid, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < count; i++)
		all_open = all_open && bench_record_alarm_is_open(&alarms[i]);
	for (size_t i = 0; i < count; i++) {
		const struct bench_alarm *alarm = &alarms[i];
		const struct bench_alarm_metric *largest = bench_record_alarm_largest(alarm);
		bool sized = isfinite(largest->ratio);
		bench_render_grid_add(
			grid,
			(const char *[]){number(grid, (unsigned long long)alarm->id),
					 bench_render_alarms_day(&grid->arena, alarm->since),
					 all_open ? "" : state_of(alarm),
					 number(grid, bench_record_alarm_whole(alarm).nights),
					 number(grid, count_of(alarm)),
					 bench_render_words_kept(&grid->arena, largest->ratio, largest->lo,
								 largest->hi, largest->unit),
					 sized ? bench_render_words_interval(&grid->arena, largest->lo,
									     largest->hi, largest->ci_level,
									     NULL)
					       : "",
					 commits_of(grid, alarm), alarm->culprit, alarm->first_bad,
					 origins[i].host, origins[i].command, under ? "" : largest->key});
		if (under)
			bench_render_grid_under(grid, i, metrics_of(grid, alarm));
	}
}

/* "accepted with run 20261121-021500: the price of it"; "" of an open one. */
static const char *closed_text(struct bench_grid *grid, const struct bench_alarm_metric *metric)
{
	if (!*metric->closed_run)
		return "";
	return bench_arena_format(&grid->arena, "%s with run %s%s%s",
				  bench_record_alarm_state_name(metric->state), metric->closed_run,
				  *metric->why ? ": " : "", metric->why);
}

static void add_metric(const struct bench_alarm *alarm, const struct bench_alarm_metric *metric, bool under,
		       struct bench_grid *grid)
{
	struct bench_arena *arena = &grid->arena;
	const size_t row = grid->row_count;
	const char *closed = closed_text(grid, metric);
	bench_render_grid_add(
		grid,
		(const char *[]){number(grid, (unsigned long long)alarm->id),
				 bench_record_alarm_state_name(metric->state),
				 isfinite(metric->level)
					 ? bench_render_words_quantity(arena, metric->level, metric->unit)
					 : "",
				 bench_render_words_measured(arena, metric->ratio, metric->lo, metric->hi,
							     metric->ci_level, metric->unit),
				 bench_render_words_measured(arena, metric->last_ratio, metric->last_lo,
							     metric->last_hi, metric->last_ci_level,
							     metric->unit),
				 number(grid, metric->nights), metric->last_run, under ? "" : metric->key,
				 under ? "" : closed});
	if (!under)
		return;
	bench_render_grid_under(grid, row, metric->key);
	if (*closed)
		bench_render_grid_under(grid, row, closed);
}

void bench_render_alarm_metrics(const struct bench_alarm *alarms, size_t count, bool under,
				struct bench_grid *grid)
{
	static const struct bench_grid_column columns[] = {
		{"alarm", true, 6},   {"state", false, 0},   {"before", true, 0},
		{"change", true, 0},  {"last run", true, 0}, {"nights", true, 5},
		{"of run", false, 7}, {"metric", false, 0},  {"closed", false, 0}};
	bench_render_grid_columns(grid, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < count; i++)
		for (size_t m = 0; m < alarms[i].metric_count; m++)
			add_metric(&alarms[i], &alarms[i].metrics[m], under, grid);
}
