/* SPDX-License-Identifier: MIT */
#include "report/render/grid.h"

#include <stdlib.h>
#include <string.h>

#include "report/render/words.h"

#define INDENT 2  /* before the first column */
#define GAP    2  /* between columns */
#define WORDS  12 /* a column of words is no narrower, unless it has no more */

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

void bench_render_grid_add_toned(struct bench_grid *grid, const char *const *texts, size_t column,
				 enum bench_tone tone)
{
	bench_render_grid_add(grid, texts);
	grid->rows[grid->row_count - 1].cells[column].tone = tone;
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

static int by_first_cell(const void *a, const void *b)
{
	const struct bench_grid_row *x = a, *y = b;
	return strverscmp(text_of(&x->cells[0]), text_of(&y->cells[0]));
}

void bench_render_grid_sort(struct bench_grid *grid)
{
	if (grid->row_count)
		qsort(grid->rows, grid->row_count, sizeof(grid->rows[0]), by_first_cell);
}

/* The widest part of a text that is not broken: a word. */
static size_t longest_word(const char *text)
{
	size_t longest = 0, columns = 0;
	for (; *text; text++) {
		columns = *text == ' ' ? 0 : columns + (((unsigned char)*text & 0xc0) != 0x80);
		longest = columns > longest ? columns : longest;
	}
	return longest;
}

/* Widths of the columns: as they are wanted, 0 for those with nothing in them; and at least, where words are
 * not broken, nor numbers. */
static void measure(const struct bench_grid *grid, size_t *widths, size_t *least)
{
	for (size_t c = 0; c < grid->column_count; c++) {
		bool empty = true;
		widths[c] = bench_render_words_columns(grid->columns[c].title);
		least[c] = longest_word(grid->columns[c].title);
		for (size_t r = 0; r < grid->row_count; r++) {
			const struct bench_grid_cell *cell = &grid->rows[r].cells[c];
			const char *text = text_of(cell);
			empty = empty && !*text;
			if (cell->across)
				continue;
			size_t wanted = bench_render_words_columns(text);
			size_t needed = grid->columns[c].right || wanted < WORDS ? wanted : WORDS;
			needed = longest_word(text) > needed ? longest_word(text) : needed;
			widths[c] = wanted > widths[c] ? wanted : widths[c];
			least[c] = needed > least[c] ? needed : least[c];
		}
		widths[c] = empty ? 0 : widths[c] ? widths[c] : 1;
		least[c] = empty ? 0 : least[c] ? least[c] : 1;
	}
}

static size_t total(const size_t *widths, size_t count)
{
	size_t sum = INDENT;
	for (size_t c = 0; c < count; c++)
		sum += widths[c] ? widths[c] + GAP : 0;
	return sum > INDENT ? sum - GAP : sum;
}

/* Drops columns of at least this rank, the highest first, until the rest fits as wide as `wanted` says. */
static void drop(const struct bench_grid *grid, const size_t *wanted, size_t *widths, size_t *least,
		 size_t width, unsigned least_rank)
{
	while (total(wanted, grid->column_count) > width) {
		size_t worst = grid->column_count;
		for (size_t c = 0; c < grid->column_count; c++) {
			if (widths[c] && grid->columns[c].rank >= least_rank &&
			    (worst == grid->column_count ||
			     grid->columns[c].rank > grid->columns[worst].rank))
				worst = c;
		}
		if (worst == grid->column_count)
			return;
		widths[worst] = least[worst] = 0;
	}
}

/* Narrows the widest column that has words to break until the rest fits. */
static void narrow(const struct bench_grid *grid, size_t *widths, const size_t *least, size_t width)
{
	while (total(widths, grid->column_count) > width) {
		size_t widest = grid->column_count;
		for (size_t c = 0; c < grid->column_count; c++) {
			if (widths[c] > least[c] &&
			    (widest == grid->column_count || widths[c] > widths[widest]))
				widest = c;
		}
		if (widest == grid->column_count)
			return;
		widths[widest]--;
	}
}

static size_t *fit(struct bench_grid *grid, size_t width)
{
	size_t *widths = bench_arena_alloc(&grid->arena, grid->column_count + 1, sizeof(*widths));
	size_t *least = bench_arena_alloc(&grid->arena, grid->column_count + 1, sizeof(*least));
	measure(grid, widths, least);
	if (width) {
		drop(grid, widths, widths, least, width, 5); /* what is nice to have goes first */
		drop(grid, least, widths, least, width, 1);
		narrow(grid, widths, least, width);
	}
	return widths;
}

static void add_blanks(struct bench_text *out, size_t count)
{
	bench_text_add(out, "%*s", (int)count, "");
}

/* One cell; `last`: nothing stands to its right, so that it needs no padding. */
static void add_cell(const struct bench_grid_cell *cell, bool right, size_t width, bool last, bool color,
		     struct bench_text *out)
{
	size_t columns = bench_render_words_columns(text_of(cell));
	size_t blanks = width > columns ? width - columns : 0;
	if (right)
		add_blanks(out, blanks);
	bench_render_tone_add(out, color, cell->tone, text_of(cell));
	if (!right && !last)
		add_blanks(out, blanks);
}

static void add_line(const struct bench_grid *grid, const struct bench_grid_cell *cells, const size_t *widths,
		     bool color, struct bench_text *out)
{
	/* What is empty at the right end is not padded. */
	size_t end = grid->column_count;
	while (end > 0 && (!widths[end - 1] || !*text_of(&cells[end - 1])))
		end--;
	add_blanks(out, INDENT);
	for (size_t c = 0; c < end; c++) {
		if (!widths[c])
			continue;
		const bool last = c + 1 == end || cells[c].across;
		add_cell(&cells[c], grid->columns[c].right && !cells[c].across, widths[c], last, color, out);
		if (last)
			break;
		add_blanks(out, GAP);
	}
	bench_text_add(out, "\n");
}

/* A row takes as many lines as its longest cell. */
static void add_row(struct bench_grid *grid, const struct bench_grid_row *row, const size_t *widths,
		    unsigned width, bool color, struct bench_text *out)
{
	struct bench_grid_cell *line = bench_arena_alloc(&grid->arena, grid->column_count + 1, sizeof(*line));
	char **rest = bench_arena_alloc(&grid->arena, grid->column_count + 1, sizeof(*rest));
	size_t at = INDENT;
	bool more = true;
	for (size_t c = 0; c < grid->column_count; c++) {
		struct bench_text lines = {0};
		size_t room = widths[c];
		if (row->cells[c].across)
			room = !width ? 0 : width > at + 8 ? width - at : 8;
		bench_render_words_add_wrapped(&lines, text_of(&row->cells[c]), 0, 0, room);
		rest[c] = bench_text_keep(&lines, &grid->arena);
		at += widths[c] ? widths[c] + GAP : 0;
	}
	while (more) {
		more = false;
		for (size_t c = 0; c < grid->column_count; c++) {
			line[c] = row->cells[c];
			line[c].text = strsep(&rest[c], "\n");
			more |= widths[c] && rest[c];
		}
		add_line(grid, line, widths, color, out);
	}
}

size_t bench_render_grid_width(struct bench_grid *grid)
{
	return total(fit(grid, 0), grid->column_count);
}

void bench_render_grid_render(struct bench_grid *grid, unsigned width, bool color, struct bench_text *out)
{
	const size_t *widths = fit(grid, width);
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
	BENCH_SCOPED_ARENA scratch = {0};
	size_t *widths = bench_arena_alloc(&scratch, grid->column_count + 1, sizeof(*widths));
	size_t *least = bench_arena_alloc(&scratch, grid->column_count + 1, sizeof(*least));
	measure(grid, widths, least);
	bench_text_add(out, "|");
	for (size_t c = 0; c < grid->column_count; c++)
		if (widths[c])
			bench_render_words_markdown(out, " %s |", grid->columns[c].title);
	bench_text_add(out, "\n|");
	for (size_t c = 0; c < grid->column_count; c++)
		bench_text_add(out, "%s", !widths[c] ? "" : grid->columns[c].right ? " ---: |" : " --- |");
	bench_text_add(out, "\n");
	for (size_t r = 0; r < grid->row_count; r++) {
		bench_text_add(out, "|");
		for (size_t c = 0; c < grid->column_count; c++)
			if (widths[c])
				bench_render_words_markdown(out, " %s |", text_of(&grid->rows[r].cells[c]));
		bench_text_add(out, "\n");
	}
}

void bench_render_grid_free(struct bench_grid *grid)
{
	bench_arena_free(&grid->arena);
	*grid = (struct bench_grid){0};
}
