/* SPDX-License-Identifier: MIT */
/* Two or three targets side by side: a row for each case, and the sentence that sums the rows up. */
#include <math.h>
#include <string.h>

#include "core/text.h"
#include "report/render/block.h"
#include "report/render/words.h"

#define SIDES 3
#define MANY  4000 /* rows, of which the values that are not supported are not looked for */

/* What a result shows in its cell; "" where it has nothing of the kind. */
struct side {
	const char *time, *spread, *rate;
	const char *status; /* in place of these */
	enum bench_tone tone;
};

/* Columns of each part over all rows of a target. */
struct widths {
	size_t time, spread, rate;
};

/* The results of one case, by target; NULL: none. */
struct line {
	const struct bench_block_row *rows[SIDES];
};

static size_t target_of(const struct bench_block *block, const struct bench_result *result)
{
	size_t t = 0;
	while (t < block->target_count && !bench_render_block_same_target(block->targets[t], result))
		t++;
	return t;
}

/* Takes the rows of the next case from *at on. */
static struct line next_line(const struct bench_block *block, const struct bench_block_layout *layout,
			     size_t *at)
{
	struct line line = {0};
	const char *point = NULL;
	for (; *at < block->row_count; (*at)++) {
		const struct bench_block_row *row = &block->rows[layout->order[*at]];
		const char *own = bench_record_point(row->result);
		if (point && strcmp(own, point) != 0)
			break;
		point = own;
		line.rows[target_of(block, row->result)] = row;
	}
	return line;
}

static struct side side_of(struct bench_arena *arena, const struct bench_block_row *row)
{
	struct side side = {"", "", "", "", BENCH_TONE_PLAIN};
	if (!row) {
		side.status = "-";
		return side;
	}
	const struct bench_result *result = row->result;
	if (result->status != BENCH_STATUS_OK || !row->time) {
		bool bad = result->status == BENCH_STATUS_FAILED || result->status == BENCH_STATUS_INCORRECT;
		side.status =
			result->status == BENCH_STATUS_OK ? "-" : bench_record_status_name(result->status);
		side.tone = bad ? BENCH_TONE_BAD : BENCH_TONE_DOUBT;
		return side;
	}
	const struct bench_metric *rate = row->rate ? row->rate : bench_record_metric(result, "bandwidth");
	side.time = bench_render_words_short(arena, row->time->summary.median, row->time->unit);
	side.spread =
		bench_arena_format(arena, "+-%s", bench_render_words_precision(arena, &row->time->summary));
	if (rate)
		side.rate = bench_render_words_short(arena, rate->summary.median, rate->unit);
	return side;
}

static size_t wider(size_t width, const char *text)
{
	size_t columns = bench_render_words_columns(text);
	return columns > width ? columns : width;
}

static char *side_text(struct bench_arena *arena, const struct side *side, const struct widths *widths)
{
	if (*side->status)
		return bench_arena_format(arena, "%*s", (int)widths->time, side->status);
	return bench_arena_format(arena, "%*s %-*s %*s", (int)widths->time, side->time, (int)widths->spread,
				  side->spread, (int)widths->rate, side->rate);
}

/* The case's fastest result, if it is faster than every other by its interval: "openblas, 1.32x
 * [1.29, 1.35]". */
static const char *winner_of(struct bench_arena *arena, const struct bench_block *block,
			     const struct line *line)
{
	const struct bench_block_row *best = NULL;
	struct bench_versus nearest = {0};
	double medians = NAN;
	size_t measured = 0;
	for (size_t t = 0; t < block->target_count; t++) {
		const struct bench_block_row *row = line->rows[t];
		measured += row && !isnan(row->speed);
		if (row && !isnan(row->speed) && (!best || row->speed > best->speed))
			best = row;
	}
	for (size_t t = 0; t < block->target_count; t++) {
		const struct bench_block_row *row = line->rows[t];
		struct bench_versus versus;
		if (row && row != best && best && bench_record_versus(best->result, row->result, &versus) &&
		    (!nearest.ratio.count || best->speed / row->speed < medians)) {
			nearest = versus;
			medians = best->speed / row->speed;
		}
	}
	if (measured < 2 || !nearest.ratio.count)
		return "";
	if (nearest.verdict == BENCH_VERSUS_NOT_DIFFERENT || nearest.verdict == BENCH_VERSUS_UNDECIDED)
		return bench_render_words_versus(arena, &nearest, medians);
	return bench_arena_format(arena, "%s %s", bench_render_block_target_name(arena, block, best->result),
				  bench_render_words_versus(arena, &nearest, medians));
}

static void set_ratio(const struct bench_block *block, const struct line *line, struct bench_grid *grid,
		      size_t at, size_t column)
{
	struct bench_versus versus;
	if (block->target_count > 2) {
		bench_render_grid_put(grid, at, column, winner_of(&grid->arena, block, line));
	} else if (line->rows[0] && line->rows[1] &&
		   bench_record_versus(line->rows[0]->result, line->rows[1]->result, &versus)) {
		enum bench_tone tone = versus.verdict == BENCH_VERSUS_FASTER   ? BENCH_TONE_GOOD
				       : versus.verdict == BENCH_VERSUS_SLOWER ? BENCH_TONE_DOUBT
									       : BENCH_TONE_PLAIN;
		bench_render_grid_set(grid, at, column, tone,
				      bench_render_words_versus(&grid->arena, &versus,
								line->rows[0]->speed / line->rows[1]->speed));
	}
}

static void fill(const struct bench_block *block, const struct bench_block_layout *layout,
		 struct bench_grid *grid)
{
	struct bench_arena *arena = &grid->arena;
	struct widths widths[SIDES] = {0};
	for (size_t i = 0; i < block->row_count; i++) {
		const struct side side = side_of(arena, &block->rows[i]);
		struct widths *wide = &widths[target_of(block, block->rows[i].result)];
		*wide = (struct widths){wider(wide->time, side.time), wider(wide->spread, side.spread),
					wider(wide->rate, side.rate)};
	}
	for (size_t v = 0; v < block->varying_count; v++)
		if (!layout->grouped[v])
			bench_render_grid_column(grid, block->titles[v],
						 bench_render_block_is_number(block, block->varying[v]), 0);
	const size_t first = grid->column_count;
	for (size_t t = 0; t < block->target_count; t++)
		bench_render_grid_column(
			grid, bench_render_block_target_name(arena, block, block->targets[t]), false, 0);
	const char *ratio = "fastest";
	if (block->target_count == 2)
		ratio = bench_arena_format(arena, "%s vs %s",
					   bench_render_block_target_name(arena, block, block->targets[0]),
					   bench_render_block_target_name(arena, block, block->targets[1]));
	if (bench_render_words_columns(ratio) > 24)
		ratio = "first vs second";
	const size_t last = bench_render_grid_column(grid, ratio, false, 0);
	for (size_t i = 0; i < block->row_count;) {
		const size_t start = i;
		const struct bench_block_row *row = &block->rows[layout->order[i]];
		const struct line line = next_line(block, layout, &i);
		bench_render_block_add_group(layout, start, grid);
		size_t at = bench_render_grid_row(grid), column = 0;
		for (size_t v = 0; v < block->varying_count; v++)
			if (!layout->grouped[v])
				bench_render_grid_put(
					grid, at, column++,
					bench_render_block_shown(row->result, block->varying[v]));
		for (size_t t = 0; t < block->target_count; t++) {
			const struct side side = side_of(arena, line.rows[t]);
			bench_render_grid_set(grid, at, first + t, side.tone,
					      side_text(arena, &side, &widths[t]));
		}
		set_ratio(block, &line, grid, at, last);
	}
}

/* More than sides have room for: metrics that only rows show. */
static bool needs_rows(const struct bench_block *block, const struct bench_block_view *view)
{
	if (view->wide || view->repeat || view->columns || block->target_count < 2 ||
	    block->target_count > SIDES)
		return true;
	for (size_t i = 0; i < block->row_count; i++) {
		const struct bench_block_row *row = &block->rows[i];
		if (row->verdict || bench_record_metric(row->result, "relative_time"))
			return true;
		/* Of a suite's own metrics, those that are better lower or higher, and not those that
		 * describe the case. */
		for (size_t m = 0; m < row->result->metric_count; m++)
			if (bench_render_block_is_own(&row->result->metrics[m]) &&
			    row->result->metrics[m].better != BENCH_BETTER_NONE)
				return true;
	}
	return false;
}

bool bench_render_block_sides(const struct bench_block *block, const struct bench_block_view *view,
			      struct bench_grid *grid)
{
	if (needs_rows(block, view))
		return false;
	/* Where numbers that have few values need too much room as columns, they stand above their rows. */
	for (int by = BENCH_BLOCK_BY_WORDS; by <= BENCH_BLOCK_BY_NUMBERS; by++) {
		const struct bench_block_layout layout =
			bench_render_block_layout(&grid->arena, block, (enum bench_block_grouping)by);
		fill(block, &layout, grid);
		if (!view->width || bench_render_grid_width(grid) <= view->width)
			return true;
		bench_render_grid_free(grid);
	}
	return false;
}

/* How the cases of a run came out for two targets. */
struct score {
	size_t both, counts[BENCH_VERSUS_SLOWER + 1];
};

static void add_part(struct bench_text *text, size_t count, const char *what)
{
	if (count)
		bench_text_add(text, ", %s in %zu", what, count);
}

static char *sentence(struct bench_arena *arena, const char *first, const char *second,
		      const struct score *score)
{
	const size_t undecided = score->counts[BENCH_VERSUS_UNDECIDED] + score->counts[BENCH_VERSUS_UNKNOWN];
	static const char *const words[] = {[BENCH_VERSUS_FASTER] = "faster",
					    [BENCH_VERSUS_SLOWER] = "slower",
					    [BENCH_VERSUS_NOT_DIFFERENT] = "not different"};
	static const enum bench_versus_verdict order[] = {BENCH_VERSUS_FASTER, BENCH_VERSUS_SLOWER,
							  BENCH_VERSUS_NOT_DIFFERENT};
	struct bench_text text = {0};
	bool begun = false;
	if (undecided == score->both)
		return bench_arena_format(arena, "%s vs %s: undecided in all %zu cases", first, second,
					  undecided);
	bench_text_add(&text, "%s is ", first);
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		size_t count = score->counts[order[i]];
		if (count && !begun)
			bench_text_add(&text, "%s %s %s in %zu of %zu cases", words[order[i]],
				       order[i] == BENCH_VERSUS_NOT_DIFFERENT ? "from" : "than", second,
				       count, score->both);
		else
			add_part(&text, count, words[order[i]]);
		begun |= count > 0;
	}
	add_part(&text, undecided, "undecided");
	return bench_text_keep(&text, arena);
}

/* The values of the parameter that tells the cases that a target does not support from the others: " (f16,
 * bf16)". */
static const char *unsupported_values(struct bench_arena *arena, const struct bench_block *block,
				      const struct bench_result *target)
{
	for (size_t v = 0; v < block->varying_count && block->row_count <= MANY; v++) {
		struct bench_text text = {0};
		size_t count = 0;
		bool tells = true;
		for (size_t i = 0; i < block->row_count && tells; i++) {
			const struct bench_result *result = block->rows[i].result;
			const char *value = bench_record_param(result, block->varying[v]);
			if (result->status != BENCH_STATUS_UNSUPPORTED ||
			    !bench_render_block_same_target(result, target))
				continue;
			bool seen = false;
			for (size_t j = 0; j < block->row_count; j++) {
				const struct bench_result *other = block->rows[j].result;
				if (!bench_render_block_same_target(other, target) ||
				    strcmp(bench_record_param(other, block->varying[v]), value) != 0)
					continue;
				seen |= j < i && other->status == BENCH_STATUS_UNSUPPORTED;
				tells &= other->status == BENCH_STATUS_UNSUPPORTED;
			}
			if (!seen && ++count <= 4)
				bench_text_add(&text, "%s%s", count > 1 ? ", " : " (",
					       bench_render_words_line(arena, value));
		}
		char *list = bench_text_keep(&text, arena);
		if (tells && count > 0 && count <= 4)
			return bench_arena_format(arena, "%s)", list);
	}
	return "";
}

/* "; 7 not supported by openblas (f16, bf16)", over the blocks. */
static char *unsupported_text(struct bench_arena *arena, const struct bench_block *named,
			      const struct bench_block *blocks, size_t block_count,
			      const struct bench_result *const *targets)
{
	char *text = bench_arena_string(arena, "");
	for (size_t t = 0; t < 2; t++) {
		size_t count = 0;
		const char *values = "";
		for (size_t b = 0; b < block_count; b++) {
			size_t here = 0;
			for (size_t i = 0; blocks[b].target_count == 2 && i < blocks[b].row_count; i++)
				here += blocks[b].rows[i].result->status == BENCH_STATUS_UNSUPPORTED &&
					bench_render_block_same_target(blocks[b].rows[i].result, targets[t]);
			if (here)
				values = unsupported_values(arena, &blocks[b], targets[t]);
			count += here;
		}
		if (count)
			text = bench_arena_format(arena, "%s; %zu not supported by %s%s", text, count,
						  bench_render_block_target_name(arena, named, targets[t]),
						  block_count == 1 ? values : "");
	}
	return text;
}

char *bench_render_blocks_answer(struct bench_arena *arena, const struct bench_block *blocks, size_t count)
{
	const struct bench_result *targets[2] = {0};
	struct score score = {0};
	for (size_t b = 0; b < count; b++) {
		const struct bench_block *block = &blocks[b];
		if (block->target_count > 2)
			return NULL;
		if (block->target_count < 2)
			continue;
		if (targets[0] && (!bench_render_block_same_target(targets[0], block->targets[0]) ||
				   !bench_render_block_same_target(targets[1], block->targets[1])))
			return NULL;
		targets[0] = block->targets[0];
		targets[1] = block->targets[1];
		struct bench_block_layout layout =
			bench_render_block_layout(arena, block, BENCH_BLOCK_BY_WORDS);
		for (size_t i = 0; i < block->row_count;) {
			const struct line line = next_line(block, &layout, &i);
			struct bench_versus versus;
			if (!line.rows[0] || !line.rows[1] ||
			    !bench_record_versus(line.rows[0]->result, line.rows[1]->result, &versus))
				continue;
			score.both++;
			score.counts[versus.verdict]++;
		}
	}
	/* Of no verdict at all, a note says why. */
	if (score.both < 2 || score.counts[BENCH_VERSUS_UNKNOWN] == score.both)
		return NULL;
	const struct bench_block *block = &blocks[0];
	for (size_t b = 0; b < count && block->target_count < 2; b++)
		block = &blocks[b];
	return bench_arena_format(arena, "%s%s",
				  sentence(arena, bench_render_block_target_name(arena, block, targets[0]),
					   bench_render_block_target_name(arena, block, targets[1]), &score),
				  unsupported_text(arena, block, blocks, count, targets));
}
