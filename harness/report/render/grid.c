/* SPDX-License-Identifier: MIT */
#include "report/render/grid.h"

#include <string.h>

#include "report/render/words.h"

#define INDENT 2 /* before the first column */
#define GAP    2 /* between columns */

static const char *const tones[] = {[BENCH_TONE_PLAIN] = "",
				    [BENCH_TONE_GOOD] = "\033[32m",
				    [BENCH_TONE_BAD] = "\033[31m",
				    [BENCH_TONE_DOUBT] = "\033[33m",
				    [BENCH_TONE_STRONG] = "\033[1m"};

void bench_render_tone_add(struct bench_text *out, bool color, enum bench_tone tone, const char *text)
{
	bool painted = color && *tones[tone] && *text;
	bench_text_add(out, "%s%s%s", painted ? tones[tone] : "", text, painted ? "\033[0m" : "");
}

size_t bench_render_grid_column(struct bench_grid *grid, const char *title, bool right, unsigned rank)
{
	struct bench_grid_column *column =
		bench_arena_push(&grid->arena, &grid->columns, &grid->column_count, sizeof(*column));
	column->title = bench_render_words_line(&grid->arena, title);
	column->right = right;
	column->rank = rank;
	return grid->column_count - 1;
}

void bench_render_grid_columns(struct bench_grid *grid, const struct bench_grid_column *columns, size_t count)
{
	for (size_t c = 0; c < count; c++)
		bench_render_grid_column(grid, columns[c].title, columns[c].right, columns[c].rank);
}

size_t bench_render_grid_row(struct bench_grid *grid)
{
	struct bench_grid_row *row =
		bench_arena_push(&grid->arena, &grid->rows, &grid->row_count, sizeof(*row));
	row->cells = bench_arena_alloc(&grid->arena, grid->column_count, sizeof(row->cells[0]));
	return grid->row_count - 1;
}

void bench_render_grid_put(struct bench_grid *grid, size_t row, size_t column, const char *text)
{
	bench_render_grid_set(grid, row, column, BENCH_TONE_PLAIN, text);
}

void bench_render_grid_add(struct bench_grid *grid, const char *const *texts)
{
	size_t row = bench_render_grid_row(grid);
	for (size_t c = 0; c < grid->column_count; c++)
		bench_render_grid_put(grid, row, c, texts[c]);
}

void bench_render_grid_set(struct bench_grid *grid, size_t row, size_t column, enum bench_tone tone,
			   const char *text)
{
	struct bench_grid_cell *cell = &grid->rows[row].cells[column];
	cell->text = bench_render_words_line(&grid->arena, text);
	cell->tone = tone;
}

void bench_render_grid_across(struct bench_grid *grid, size_t row, size_t column, enum bench_tone tone,
			      const char *text)
{
	bench_render_grid_set(grid, row, column, tone, text);
	grid->rows[row].cells[column].across = true;
}

void bench_render_grid_under(struct bench_grid *grid, size_t row, const char *text)
{
	const char *line = bench_render_words_line(&grid->arena, text), *before = grid->rows[row].under;
	grid->rows[row].under = bench_arena_format(&grid->arena, "%s    %s\n", before ? before : "", line);
}

static const char *text_of(const struct bench_grid_cell *cell)
{
	return cell->text ? cell->text : "";
}

/* Widths of the columns as they are wanted; 0 for those with nothing in them. */
static void measure(const struct bench_grid *grid, size_t *widths)
{
	for (size_t c = 0; c < grid->column_count; c++) {
		bool empty = true;
		size_t width = bench_render_words_columns(grid->columns[c].title);
		for (size_t r = 0; r < grid->row_count; r++) {
			const struct bench_grid_cell *cell = &grid->rows[r].cells[c];
			empty = empty && !*text_of(cell);
			size_t wanted = cell->across ? 0 : bench_render_words_columns(text_of(cell));
			if (wanted > width)
				width = wanted;
		}
		widths[c] = empty ? 0 : width ? width : 1;
	}
}

static size_t total(const size_t *widths, size_t count)
{
	size_t sum = INDENT;
	for (size_t c = 0; c < count; c++)
		sum += widths[c] ? widths[c] + GAP : 0;
	return sum > INDENT ? sum - GAP : sum;
}

/* Drops columns of at least this rank, the highest first, until the rest fits. */
static void drop(const struct bench_grid *grid, size_t *widths, size_t width, unsigned least_rank)
{
	while (total(widths, grid->column_count) > width) {
		size_t worst = grid->column_count;
		for (size_t c = 0; c < grid->column_count; c++) {
			if (widths[c] && grid->columns[c].rank >= least_rank &&
			    (worst == grid->column_count ||
			     grid->columns[c].rank > grid->columns[worst].rank))
				worst = c;
		}
		if (worst == grid->column_count)
			return;
		widths[worst] = 0;
	}
}

/* Narrows the widest column of words, none below `least`, until the rest fits. */
static void narrow(const struct bench_grid *grid, size_t *widths, size_t width, size_t least)
{
	while (total(widths, grid->column_count) > width) {
		size_t widest = grid->column_count;
		for (size_t c = 0; c < grid->column_count; c++) {
			if (!grid->columns[c].right && widths[c] > least &&
			    (widest == grid->column_count || widths[c] > widths[widest]))
				widest = c;
		}
		if (widest == grid->column_count)
			return;
		widths[widest]--;
	}
}

static void fit(const struct bench_grid *grid, size_t *widths, size_t width)
{
	drop(grid, widths, width, 5); /* what is nice to have goes before names are cut */
	narrow(grid, widths, width, 12);
	drop(grid, widths, width, 1);
	narrow(grid, widths, width, 6);
}

static void add_blanks(struct bench_text *out, size_t count)
{
	bench_text_add(out, "%*s", (int)count, "");
}

/* One cell; `last`: nothing stands to its right, so that it needs no padding. */
static void add_cell(struct bench_grid *grid, const char *text, bool right, size_t width, bool last,
		     bool color, enum bench_tone tone, struct bench_text *out)
{
	const char *cut = bench_render_words_cut(&grid->arena, text, width);
	size_t blanks = width - bench_render_words_columns(cut);
	if (right)
		add_blanks(out, blanks);
	bench_render_tone_add(out, color, tone, cut);
	if (!right && !last)
		add_blanks(out, blanks);
}

static void add_row(struct bench_grid *grid, const struct bench_grid_row *row, const size_t *widths,
		    unsigned width, bool color, struct bench_text *out)
{
	/* What is empty at the right end is not padded. */
	size_t end = grid->column_count;
	while (end > 0 && (!widths[end - 1] || !*text_of(&row->cells[end - 1])))
		end--;
	size_t at = INDENT;
	add_blanks(out, INDENT);
	for (size_t c = 0; c < end; c++) {
		const struct bench_grid_cell *cell = &row->cells[c];
		if (cell->across) {
			size_t room = width > at + 8 ? width - at : 8;
			const char *text = text_of(cell);
			bench_render_tone_add(out, color, cell->tone,
					      width ? bench_render_words_cut(&grid->arena, text, room)
						    : text);
			break;
		}
		if (!widths[c])
			continue;
		add_cell(grid, text_of(cell), grid->columns[c].right, widths[c], c + 1 == end, color,
			 cell->tone, out);
		if (c + 1 < end)
			add_blanks(out, GAP);
		at += widths[c] + GAP;
	}
	bench_text_add(out, "\n");
}

void bench_render_grid_render(struct bench_grid *grid, unsigned width, bool color, struct bench_text *out)
{
	size_t *widths = bench_arena_alloc(&grid->arena, grid->column_count + 1, sizeof(*widths));
	measure(grid, widths);
	if (width)
		fit(grid, widths, width);
	struct bench_grid_row head = {
		.cells = bench_arena_alloc(&grid->arena, grid->column_count + 1, sizeof(head.cells[0]))};
	for (size_t c = 0; c < grid->column_count; c++)
		head.cells[c] = (struct bench_grid_cell){grid->columns[c].title, BENCH_TONE_STRONG, false};
	add_row(grid, &head, widths, width, color, out);
	for (size_t r = 0; r < grid->row_count; r++) {
		add_row(grid, &grid->rows[r], widths, width, color, out);
		if (grid->rows[r].under)
			bench_text_add(out, "%s", grid->rows[r].under);
	}
}

void bench_render_grid_markdown(const struct bench_grid *grid, struct bench_text *out)
{
	struct bench_arena scratch = {0};
	size_t *widths = bench_arena_alloc(&scratch, grid->column_count + 1, sizeof(*widths));
	measure(grid, widths);
	bench_text_add(out, "|");
	for (size_t c = 0; c < grid->column_count; c++) {
		if (!widths[c])
			continue;
		bench_text_add(out, " ");
		bench_render_words_add_markdown(out, grid->columns[c].title);
		bench_text_add(out, " |");
	}
	bench_text_add(out, "\n|");
	for (size_t c = 0; c < grid->column_count; c++)
		bench_text_add(out, "%s", !widths[c] ? "" : grid->columns[c].right ? " ---: |" : " --- |");
	bench_text_add(out, "\n");
	for (size_t r = 0; r < grid->row_count; r++) {
		bench_text_add(out, "|");
		for (size_t c = 0; c < grid->column_count; c++) {
			if (!widths[c])
				continue;
			bench_text_add(out, " ");
			bench_render_words_add_markdown(out, text_of(&grid->rows[r].cells[c]));
			bench_text_add(out, " |");
		}
		bench_text_add(out, "\n");
	}
	bench_arena_free(&scratch);
}

void bench_render_grid_free(struct bench_grid *grid)
{
	bench_arena_free(&grid->arena);
	*grid = (struct bench_grid){0};
}
