/* SPDX-License-Identifier: MIT */
#include "report/render/history.h"

#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "report/render/grid.h"
#include "report/render/names.h"
#include "report/render/words.h"

#define COMMIT_DIGITS 8

/* The values of one metric. */
struct series {
	const struct bench_history_value *values;
	size_t count;
};

static int by_name(const void *left, const void *right)
{
	const struct series *a = left, *b = right;
	int order = bench_render_names_order(a->values->key, b->values->key);
	return order ? order : (a->values > b->values) - (a->values < b->values);
}

/* The half of an interval, "0.4%"; "0.4% at 50%" where its confidence is not 95%. */
static char *spread(struct bench_arena *arena, const struct bench_history_value *value)
{
	const struct bench_summary summary = {.median = value->median,
					      .ci_lo = value->ci_lo,
					      .ci_hi = value->ci_hi,
					      .ci_level = value->ci_level,
					      /* One value has no interval. */
					      .count = value->ci_level == 0 ? 1 : 2};
	return bench_render_words_spread(arena, &summary);
}

/* What is to be known of a value: that the machine was disturbed, and the shift that counts from it on. */
static const char *note_of(struct bench_arena *arena, const struct bench_history_value *value)
{
	const bool accepted = value->accepted && *value->accepted;
	return bench_arena_format(arena, "%s%s%s%s", value->disturbed ? "disturbed" : "",
				  value->disturbed && accepted ? "; " : "", accepted ? "accepted: " : "",
				  accepted ? value->accepted : "");
}

static void fill(const struct series *series, struct bench_grid *grid)
{
	enum { STARTED, RUN, COMMIT, MEDIAN, SPREAD };
	static const struct bench_grid_column columns[] = {{"started", false, 5},
							   {"run", false, 0},
							   {"commit", false, 0},
							   {"median", true, 0},
							   {"+/-", true, 0}};
	struct bench_arena *arena = &grid->arena;
	bench_render_grid_columns(grid, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < series->count; i++) {
		const struct bench_history_value *value = &series->values[i];
		const size_t row = bench_render_grid_row(grid);
		char started[40];
		bench_clock_minute(value->started, started, sizeof(started));
		bench_render_grid_put(grid, row, STARTED, started);
		bench_render_grid_put(grid, row, RUN, value->run);
		bench_render_grid_put(grid, row, COMMIT,
				      bench_arena_format(arena, "%.*s", COMMIT_DIGITS, value->commit));
		bench_render_grid_put(grid, row, MEDIAN,
				      bench_render_words_quantity(arena, value->median, value->unit));
		bench_render_grid_put(grid, row, SPREAD, spread(arena, value));
		const char *note = note_of(arena, value);
		if (*note)
			bench_render_grid_under(grid, row, note);
	}
}

void bench_render_history(const struct bench_history_value *values, size_t count, unsigned width, bool color,
			  struct bench_text *out)
{
	BENCH_SCOPED_ARENA arena = {0};
	struct series *all = NULL;
	size_t series_count = 0;
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || strcmp(values[i - 1].key, values[i].key) != 0)
			BENCH_PUSH(&arena, all, series_count) = (struct series){&values[i], 0};
		all[series_count - 1].count++;
	}
	if (series_count > 1)
		qsort(all, series_count, sizeof(*all), by_name);
	for (size_t i = 0; i < series_count; i++) {
		BENCH_SCOPED_GRID grid = {0};
		bench_text_add(out, "%s", i ? "\n" : "");
		bench_render_tone_add(out, color, BENCH_TONE_STRONG,
				      bench_render_words_line(&arena, all[i].values->key));
		bench_text_add(out, "\n");
		fill(&all[i], &grid);
		bench_render_grid_render(&grid, width, color, out);
	}
}
