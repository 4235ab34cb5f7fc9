/* SPDX-License-Identifier: MIT */
#include "report/render/changes.h"

#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "core/text.h"
#include "report/render/alarms.h"
#include "report/render/words.h"

/* False also where neither direction is better. */
static bool is_worse(const struct bench_change *change)
{
	bool more = change->ratio.estimate > (change->is_difference ? 0 : 1);
	return change->better != BENCH_BETTER_NONE && more == (change->better == BENCH_BETTER_LOWER);
}

/* A value for people, or for programs. */
static void set_value(struct bench_grid *grid, size_t row, size_t column, double value, const char *unit,
		      bool exact)
{
	char text[64];
	BENCH_SCOPED_TEXT number = {0};
	bench_text_quantity(text, sizeof(text), value, unit);
	if (exact)
		bench_render_words_add_number(&number, value);
	bench_render_grid_put(grid, row, column, exact ? number.data : text);
}

/* A change as people read it: "+9.8%", or where it is a difference "+0.4". */
static void set_shift(struct bench_grid *grid, size_t row, size_t column, enum bench_tone tone,
		      const struct bench_change *change, double value)
{
	BENCH_SCOPED_ARENA arena = {0};
	char text[64];
	snprintf(text, sizeof(text), "%+.4g", value);
	bench_render_grid_set(grid, row, column, tone,
			      change->is_difference ? text : bench_render_words_change(&arena, value));
}

static enum bench_tone tone_of(const struct bench_change *change)
{
	return change->better == BENCH_BETTER_NONE ? BENCH_TONE_PLAIN
	       : is_worse(change)                  ? BENCH_TONE_BAD
						   : BENCH_TONE_GOOD;
}

static const char *interval_of(struct bench_arena *arena, const struct bench_change *change)
{
	const struct bench_interval *ratio = &change->ratio;
	return change->is_difference
		       ? bench_arena_format(arena, "%+.4g..%+.4g", ratio->lo, ratio->hi)
		       : bench_render_words_interval(arena, ratio->lo, ratio->hi, ratio->level, NULL);
}

/* The change with its interval: for programs in three columns, for people in two. */
static void set_change(struct bench_grid *grid, size_t row, size_t column, const struct bench_change *change,
		       bool exact)
{
	const struct bench_interval *ratio = &change->ratio;
	if (exact) {
		set_value(grid, row, column, ratio->estimate, "ratio", true);
		set_value(grid, row, column + 1, ratio->lo, "ratio", true);
		set_value(grid, row, column + 2, ratio->hi, "ratio", true);
		return;
	}
	set_shift(grid, row, column, tone_of(change), change, ratio->estimate);
	bench_render_grid_put(grid, row, column + 1, interval_of(&grid->arena, change));
}

static void set_count(struct bench_grid *grid, size_t row, size_t column, size_t count)
{
	char text[24];
	snprintf(text, sizeof(text), "%zu", count);
	bench_render_grid_put(grid, row, column, text);
}

/* The change between the medians shown, where that reads otherwise. */
static void set_by_medians(struct bench_grid *grid, size_t row, size_t column,
			   const struct bench_change *change)
{
	if (!change->is_difference)
		bench_render_grid_put(grid, row, column,
				      bench_render_words_of_medians(&grid->arena, change->before,
								    change->after, change->ratio.estimate,
								    0));
}

static void add_change(struct bench_grid *grid, const struct bench_change *change, bool exact)
{
	size_t row = bench_render_grid_row(grid);
	char text[160];
	bench_render_grid_put(grid, row, 0, change->key);
	bench_clock_iso(change->started, text, sizeof(text));
	bench_render_grid_put(grid, row, 1, text);
	bench_render_grid_put(grid, row, 2, change->first_run);
	snprintf(text, sizeof(text), exact ? "%.64s..%.64s" : "%.8s..%.8s", change->last_commit,
		 change->first_commit);
	bench_render_grid_put(grid, row, 3, *change->first_commit ? text : "");
	set_value(grid, row, 4, change->before, change->unit, exact);
	set_value(grid, row, 5, change->after, change->unit, exact);
	set_change(grid, row, 6, change, exact);
	if (!exact)
		set_by_medians(grid, row, 8, change);
	set_count(grid, row, 9, change->together);
	bench_render_grid_put(grid, row, 10, bench_compare_cause_name(change->cause));
	bench_render_grid_put(grid, row, 11, change->why);
	if (exact)
		bench_render_grid_put(grid, row, 12, change->unit);
}

static void add_interval_columns(struct bench_grid *grid, bool exact)
{
	bench_render_grid_column(grid, exact ? "lo" : "interval", true, 1);
	bench_render_grid_column(grid, exact ? "hi" : "by medians", true, 1);
}

void bench_render_changes_grid(const struct bench_change *changes, size_t count, bool exact,
			       struct bench_grid *grid)
{
	static const struct bench_grid_column places[] = {{"metric", false, 0}, {"started", false, 4},
							  {"run", false, 0},    {"commits", false, 0},
							  {"before", true, 1},  {"after", true, 1}},
					      reasons[] = {{"together", true, 1},
							   {"cause", false, 0},
							   {"why", false, 2},
							   {"unit", false, 0}};
	bench_render_grid_columns(grid, places, 6);
	bench_render_grid_column(grid, exact ? "ratio" : "change", true, 0);
	add_interval_columns(grid, exact);
	bench_render_grid_columns(grid, reasons, exact ? 4 : 3);
	for (size_t i = 0; i < count; i++)
		add_change(grid, &changes[i], exact);
}

/* Why it is, how many shifted with it, and what the medians say, in a line. */
static const char *remark(struct bench_arena *arena, const struct bench_change *change)
{
	const char *medians = change->is_difference
				      ? ""
				      : bench_render_words_of_medians(arena, change->before, change->after,
								      change->ratio.estimate, 0);
	struct bench_text text = {0};
	bench_text_add(&text, "cause: %s", bench_compare_cause_name(change->cause));
	if (*change->why)
		bench_text_add(&text, " (%s)", change->why);
	if (change->together > 0)
		bench_text_add(&text, "; %zu more shifted with it", change->together);
	if (*medians)
		bench_text_add(&text, "; by medians %s", medians);
	return bench_text_keep(&text, arena);
}

/* "1b2c3d4e..4af884b1"; one where the last run of the old level has the same. */
static char *commits_of(struct bench_arena *arena, const struct bench_change *change)
{
	return bench_render_alarms_commits(arena, bench_arena_format(arena, "%.8s", change->last_commit),
					   bench_arena_format(arena, "%.8s", change->first_commit));
}

void bench_render_changes_terminal(const struct bench_change *changes, size_t count, struct bench_grid *grid)
{
	enum { RUN, COMMITS, BEFORE, AFTER, CHANGE, INTERVAL };
	static const struct bench_grid_column columns[] = {{"run", false, 0},   {"commits", false, 0},
							   {"before", true, 0}, {"after", true, 0},
							   {"change", true, 0}, {"interval", true, 5}};
	bench_render_grid_columns(grid, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < count; i++) {
		const struct bench_change *change = &changes[i];
		struct bench_arena *arena = &grid->arena;
		const size_t row = bench_render_grid_row(grid);
		bench_render_grid_put(grid, row, RUN, change->first_run);
		if (*change->first_commit)
			bench_render_grid_put(grid, row, COMMITS, commits_of(arena, change));
		set_value(grid, row, BEFORE, change->before, change->unit, false);
		set_value(grid, row, AFTER, change->after, change->unit, false);
		set_shift(grid, row, CHANGE, tone_of(change), change, change->ratio.estimate);
		bench_render_grid_put(grid, row, INTERVAL, interval_of(arena, change));
		bench_render_grid_under(grid, row, change->key);
		bench_render_grid_under(grid, row, remark(arena, change));
	}
}

static void add_series_change(struct bench_grid *grid, const struct bench_change *change, bool exact)
{
	BENCH_SCOPED_ARENA arena = {0};
	BENCH_SCOPED_TEXT number = {0};
	size_t row = bench_render_grid_row(grid);
	bench_render_grid_put(grid, row, 0, change->key);
	set_count(grid, row, 1, change->index);
	bench_render_grid_put(grid, row, 2, change->last_run);
	bench_render_grid_put(grid, row, 3, change->first_run);
	set_value(grid, row, 4, change->before, change->unit, exact);
	set_value(grid, row, 5, change->after, change->unit, exact);
	set_change(grid, row, 6, change, exact);
	bench_render_words_add_number(&number, change->p);
	if (!exact)
		set_by_medians(grid, row, 8, change);
	bench_render_grid_put(grid, row, 9, exact ? number.data : bench_render_words_p(&arena, change->p));
	if (exact) {
		bench_render_grid_put(grid, row, 10, change->is_difference ? "difference" : "ratio");
		bench_render_grid_put(grid, row, 11, change->unit);
	}
}

void bench_render_changes_series_grid(const struct bench_change *changes, size_t count, bool exact,
				      struct bench_grid *grid)
{
	static const struct bench_grid_column columns[] = {
		{"series", false, 0}, {"index", true, 0}, {"last", false, 1}, {"first", false, 0},
		{"before", true, 0},  {"after", true, 0}, {"change", true, 0}};
	bench_render_grid_columns(grid, columns, sizeof(columns) / sizeof(columns[0]));
	add_interval_columns(grid, exact);
	bench_render_grid_column(grid, "p", true, 2);
	if (exact) {
		bench_render_grid_column(grid, "scale", false, 0);
		bench_render_grid_column(grid, "unit", false, 0);
	}
	for (size_t i = 0; i < count; i++)
		add_series_change(grid, &changes[i], exact);
}

char *bench_render_changes_heading(struct bench_arena *arena, const struct bench_changes *changes)
{
	return bench_arena_format(arena, "Level shifts in the history, of the last %zu run%s", changes->runs,
				  bench_text_plural(changes->runs));
}

char *bench_render_changes_told(struct bench_arena *arena, const struct bench_change *change)
{
	struct bench_text text = {0};
	bench_text_add(&text, "%s (%s) from run %s on",
		       bench_render_words_measured(arena, change->ratio.estimate, change->ratio.lo,
						   change->ratio.hi, change->ratio.level, change->unit),
		       bench_render_words_medians(arena, change->before, change->after, change->unit,
						  change->ratio.estimate),
		       bench_render_words_line(arena, change->first_run));
	if (*change->first_commit)
		bench_text_add(&text, ", commit%s %s",
			       strcmp(change->last_commit, change->first_commit) == 0 ? "" : "s",
			       commits_of(arena, change));
	if (change->together > 0)
		bench_text_add(&text, ", %zu more shifted with it", change->together);
	bench_text_add(&text, "; cause: %s", bench_compare_cause_name(change->cause));
	if (*change->why)
		bench_text_add(&text, " (%s)", change->why);
	return bench_render_words_keep(&text, arena);
}
