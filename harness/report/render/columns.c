/* SPDX-License-Identifier: MIT */
#include "report/render/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/render/answer.h"
#include "report/render/comparison.h"
#include "report/render/names.h"
#include "report/render/words.h"

/* A row of the table: a metric, or the mean of a group. */
struct row {
	const char *name, *key;
	size_t cases; /* of a mean; 0: it is a metric */
};

static const struct bench_verdict *verdict_of(const struct bench_column *column, const struct row *row)
{
	if (row->cases && !column->comparison->means)
		return NULL;
	return row->cases ? bench_compare_find(column->comparison->means, row->key)
			  : bench_compare_columns_find(column, row->key);
}

bool bench_render_columns_has(const struct bench_columns *columns, const char *key, unsigned only)
{
	bool has = !only;
	for (size_t c = 1; c < columns->count && !has; c++) {
		const struct bench_verdict *verdict = bench_compare_columns_find(&columns->items[c], key);
		has = verdict && only & 1U << verdict->kind;
	}
	return has;
}

static int by_name(const void *left, const void *right)
{
	return bench_render_names_order(((const struct row *)left)->name, ((const struct row *)right)->name);
}

static size_t metric_rows(struct bench_arena *arena, const struct bench_columns *columns, unsigned only,
			  struct row **rows)
{
	struct bench_comparison all = {
		.verdict_count = columns->key_count,
		.verdicts = bench_arena_alloc(arena, columns->key_count + 1, sizeof(*all.verdicts))};
	size_t count = 0;
	for (size_t i = 0; i < columns->key_count; i++) {
		char *metric = bench_arena_string(arena, "");
		for (size_t c = 1; c < columns->count && !*metric; c++) {
			const struct bench_verdict *found =
				bench_compare_find(columns->items[c].comparison, columns->keys[i]);
			metric = found ? found->metric : metric;
		}
		all.verdicts[i].key = columns->keys[i];
		all.verdicts[i].metric = metric;
	}
	const char *const *names = bench_render_names(arena, &all);
	*rows = bench_arena_alloc(arena, columns->key_count + 1, sizeof(**rows));
	for (size_t i = 0; i < columns->key_count; i++)
		if (bench_render_columns_has(columns, columns->keys[i], only))
			(*rows)[count++] = (struct row){names[i], columns->keys[i], 0};
	if (count)
		qsort(*rows, count, sizeof(**rows), by_name);
	return count;
}

static int by_group(const void *left, const void *right)
{
	const struct bench_columns_group *a = left, *b = right;
	bool all_a = strncmp(a->key, "all/", 4) == 0, all_b = strncmp(b->key, "all/", 4) == 0;
	return all_a != all_b ? (int)all_a - (int)all_b : bench_render_names_order(a->key, b->key);
}

static void count_case(struct bench_arena *arena, struct bench_columns_group **groups, size_t *count,
		       const char *key)
{
	struct bench_columns_group *group = bench_text_find_or_add(arena, groups, count, sizeof(*group), key);
	group->cases++;
}

size_t bench_render_columns_groups(struct bench_arena *arena, const struct bench_columns *columns,
				   struct bench_columns_group **groups)
{
	size_t count = 0;
	*groups = NULL;
	for (size_t i = 0; i < columns->mean_count; i++) {
		const char *key = columns->mean_of[i], *metric = strrchr(key, '/');
		count_case(arena, groups, &count,
			   bench_arena_format(arena, "%s%s", bench_compare_group(arena, key), metric));
		count_case(arena, groups, &count, bench_arena_format(arena, "all%s", metric));
	}
	if (count)
		qsort(*groups, count, sizeof(**groups), by_group);
	return count;
}

char *bench_render_columns_name(struct bench_arena *arena, const struct bench_columns *columns, size_t at,
				enum bench_columns_detail detail)
{
	const char *name = bench_render_words_line(arena, columns->items[at].name);
	return detail == BENCH_COLUMNS_LETTERS ? bench_arena_format(arena, "%c: %s", (int)('A' + at), name)
					       : bench_arena_string(arena, name);
}

/* "slower +31.2%", "unclear +1.0%"; of what has no size the verdict alone. */
static char *judged(struct bench_arena *arena, const struct bench_verdict *verdict)
{
	const char *kind = bench_compare_verdict_name(verdict->kind);
	return bench_compare_has_size(verdict)
		       ? bench_arena_format(arena, "%s %s", kind, bench_render_words_size(arena, verdict))
		       : bench_arena_string(arena, kind);
}

static char *quantity(struct bench_arena *arena, double value, const char *unit)
{
	return isfinite(value) ? bench_render_words_quantity(arena, value, unit)
			       : bench_arena_string(arena, "");
}

static char *cell(struct bench_arena *arena, const struct bench_verdict *verdict,
		  enum bench_columns_detail detail, bool mean)
{
	const char *value = mean ? "" : quantity(arena, verdict->candidate_median, verdict->unit);
	const char *interval = bench_render_answer_interval(arena, verdict);
	if (detail == BENCH_COLUMNS_FULL)
		return bench_arena_format(arena, "%s%s%s%s%s", value, *value ? " " : "",
					  judged(arena, verdict), *interval ? ", " : "", interval);
	if (detail == BENCH_COLUMNS_INTERVAL && !verdict->by_difference && isfinite(verdict->lo))
		return bench_arena_format(arena, "%s [%.1f, %.1f]", judged(arena, verdict),
					  100 * (verdict->lo - 1), 100 * (verdict->hi - 1));
	return judged(arena, verdict);
}

static char *base_cell(struct bench_arena *arena, const struct bench_columns *columns, const struct row *row)
{
	if (row->cases)
		return bench_arena_format(arena, "%zu case%s", row->cases, bench_text_plural(row->cases));
	for (size_t c = 1; c < columns->count; c++) {
		const struct bench_verdict *verdict = verdict_of(&columns->items[c], row);
		if (verdict && isfinite(verdict->base_median))
			return quantity(arena, verdict->base_median, verdict->unit);
	}
	return bench_arena_string(arena, "-");
}

static void fill_sides(const struct bench_columns *columns, const struct row *rows, size_t count,
		       enum bench_columns_detail detail, struct bench_grid *grid)
{
	struct bench_arena *arena = &grid->arena;
	const bool means = count && rows[0].cases;
	bench_render_grid_column(grid, means ? "geometric mean" : "case", false, 0);
	for (size_t c = 0; c < columns->count; c++)
		bench_render_grid_column(grid,
					 means && c == 0 ? "of"
					 : detail == BENCH_COLUMNS_LETTERS
						 ? bench_arena_format(arena, "%c", (int)('A' + c))
						 : bench_render_columns_name(arena, columns, c, detail),
					 c == 0, 0);
	for (size_t r = 0; r < count; r++) {
		size_t at = bench_render_grid_row(grid);
		bench_render_grid_put(grid, at, 0, rows[r].name);
		bench_render_grid_put(grid, at, 1, base_cell(arena, columns, &rows[r]));
		for (size_t c = 1; c < columns->count; c++) {
			const struct bench_verdict *verdict = verdict_of(&columns->items[c], &rows[r]);
			bench_render_grid_set(grid, at, c + 1,
					      verdict ? bench_render_comparison_tone(verdict)
						      : BENCH_TONE_PLAIN,
					      verdict ? cell(arena, verdict, detail, means) : "-");
		}
	}
}

static void fill_stacked(const struct bench_columns *columns, const struct row *rows, size_t count,
			 struct bench_grid *grid)
{
	struct bench_arena *arena = &grid->arena;
	enum { NAME, VALUE, VERDICT, INTERVAL };
	bench_render_grid_column(grid, count && rows[0].cases ? "geometric mean" : "case", false, 0);
	bench_render_grid_column(grid, "value", true, 0);
	bench_render_grid_column(grid, "verdict", false, 0);
	bench_render_grid_column(grid, "interval", false, 0);
	for (size_t r = 0; r < count; r++) {
		bench_render_grid_across(grid, bench_render_grid_row(grid), NAME, BENCH_TONE_STRONG,
					 rows[r].name);
		for (size_t c = 0; c < columns->count; c++) {
			const struct bench_verdict *verdict =
				c ? verdict_of(&columns->items[c], &rows[r]) : NULL;
			size_t at = bench_render_grid_row(grid);
			bench_render_grid_put(grid, at, NAME,
					      bench_arena_format(arena, "  %s", columns->items[c].name));
			if (c == 0)
				bench_render_grid_put(grid, at, VALUE, base_cell(arena, columns, &rows[r]));
			if (!verdict)
				continue;
			if (!rows[r].cases)
				bench_render_grid_put(
					grid, at, VALUE,
					quantity(arena, verdict->candidate_median, verdict->unit));
			bench_render_grid_set(grid, at, VERDICT, bench_render_comparison_tone(verdict),
					      judged(arena, verdict));
			bench_render_grid_put(grid, at, INTERVAL,
					      bench_render_answer_interval(arena, verdict));
		}
	}
}

static void fill(const struct bench_columns *columns, const struct row *rows, size_t count,
		 enum bench_columns_detail detail, struct bench_grid *grid)
{
	if (detail == BENCH_COLUMNS_STACKED)
		fill_stacked(columns, rows, count, grid);
	else
		fill_sides(columns, rows, count, detail, grid);
}

void bench_render_columns_grid(const struct bench_columns *columns, unsigned only,
			       enum bench_columns_detail detail, struct bench_grid *grid)
{
	BENCH_SCOPED_ARENA arena = {0};
	struct row *rows;
	size_t count = metric_rows(&arena, columns, only, &rows);
	fill(columns, rows, count, detail, grid);
}

/* "gemm", or with its metric, "gemm device_time". */
static char *group_name(struct bench_arena *arena, const char *key)
{
	const char *metric = strrchr(key, '/');
	const bool time = strcmp(metric, "/time") == 0;
	return bench_arena_format(arena, "%.*s%s%s", (int)(metric - key), key, time ? "" : " ",
				  time ? "" : metric + 1);
}

void bench_render_columns_means(const struct bench_columns *columns, enum bench_columns_detail detail,
				struct bench_grid *grid)
{
	BENCH_SCOPED_ARENA arena = {0};
	struct bench_columns_group *groups;
	size_t count = bench_render_columns_groups(&arena, columns, &groups);
	struct row *rows = bench_arena_alloc(&arena, count + 1, sizeof(*rows));
	for (size_t i = 0; i < count; i++)
		rows[i] = (struct row){group_name(&arena, groups[i].key), groups[i].key, groups[i].cases};
	fill(columns, rows, count, detail, grid);
}

enum bench_columns_detail bench_render_columns_detail(const struct bench_columns *columns, unsigned width)
{
	enum bench_columns_detail detail = BENCH_COLUMNS_FULL;
	for (; width && detail < BENCH_COLUMNS_STACKED; detail++) {
		struct bench_grid grid = {0}, means = {0};
		bench_render_columns_grid(columns, 0, detail, &grid);
		bench_render_columns_means(columns, detail, &means);
		size_t needed = bench_render_grid_width(&grid), also = bench_render_grid_width(&means);
		bench_render_grid_free(&grid);
		bench_render_grid_free(&means);
		if (needed <= width && also <= width)
			break;
	}
	return detail;
}

static void add_mean(struct bench_arena *arena, const struct bench_column *column, struct bench_text *out)
{
	const struct bench_verdict *mean =
		column->comparison->means ? bench_compare_find(column->comparison->means, "all/time") : NULL;
	if (mean)
		bench_text_add(out, "; geometric mean %s", bench_render_words_verdict_measured(arena, mean));
}

void bench_render_columns_add_head(struct bench_arena *arena, const struct bench_columns *columns,
				   enum bench_columns_detail detail, unsigned failing, struct bench_text *out)
{
	for (size_t c = 1; c < columns->count; c++) {
		const struct bench_column *column = &columns->items[c];
		bench_text_add(out, "%s: %s", bench_render_columns_name(arena, columns, c, detail),
			       bench_render_answer(arena, column->comparison, NULL, failing).line);
		add_mean(arena, column, out);
		bench_text_add(out, "\n");
	}
	bench_text_add(out, "against %s; a change of %.3g%% or more counts\n",
		       bench_render_columns_name(arena, columns, 0, detail),
		       100 * columns->items[1].comparison->options.threshold);
	for (size_t c = 0; c < columns->count; c++)
		if (columns->items[c].about && *columns->items[c].about)
			bench_text_add(out, "  %s: %s\n",
				       bench_render_columns_name(arena, columns, c, detail),
				       bench_render_words_line(arena, columns->items[c].about));
}

static const char *and_more(struct bench_arena *arena, size_t more)
{
	return more ? bench_arena_format(arena, " and %zu more", more) : "";
}

/* A line each: what one column lacks or failed, each reason once. */
static void add_lacks(struct bench_arena *arena, const struct bench_columns *columns, const char *prefix,
		      struct bench_text *out)
{
	for (size_t c = 1; c < columns->count; c++) {
		const struct bench_comparison *comparison = columns->items[c].comparison;
		for (size_t i = 0; i < comparison->verdict_count; i++) {
			const struct bench_verdict *verdict = &comparison->verdicts[i];
			size_t alike = 0, before = 0;
			if (verdict->kind != BENCH_MISSING && verdict->kind != BENCH_BROKEN &&
			    verdict->kind != BENCH_NEW)
				continue;
			for (size_t k = 0; k < comparison->verdict_count; k++)
				if (comparison->verdicts[k].kind == verdict->kind &&
				    strcmp(comparison->verdicts[k].reason, verdict->reason) == 0) {
					alike++;
					before += k < i;
				}
			if (before)
				continue;
			bench_text_add(out, "%s%s: %s in %s%s: ", prefix,
				       bench_render_words_line(arena, columns->items[c].name),
				       bench_compare_verdict_name(verdict->kind),
				       bench_render_words_line(arena, verdict->key),
				       and_more(arena, alike - 1));
			bench_text_add(out, "%s\n", bench_render_words_line(arena, verdict->reason));
		}
	}
}

static void add_left_out(struct bench_arena *arena, const struct bench_columns *columns, const char *prefix,
			 struct bench_text *out)
{
	if (!columns->means)
		return;
	if (columns->mean_count == 0)
		bench_text_add(out, "%sno geometric mean: no metric has a ratio in every column\n", prefix);
	for (size_t i = 0; i < columns->left_out_count; i++) {
		const struct bench_left_out *left_out = &columns->left_out[i];
		size_t alike = 0, before = 0;
		for (size_t k = 0; k < columns->left_out_count; k++)
			if (strcmp(columns->left_out[k].why, left_out->why) == 0) {
				alike++;
				before += k < i;
			}
		if (before == 0)
			bench_text_add(out, "%snot in the geometric mean: %s%s (%s)\n", prefix,
				       bench_render_words_line(arena, left_out->key),
				       and_more(arena, alike - 1),
				       bench_render_words_line(arena, left_out->why));
	}
}

static bool differ_in_host(const struct bench_columns *columns)
{
	static const char host[] = "fingerprint: ";
	for (size_t c = 1; c < columns->count; c++) {
		const struct bench_comparison *comparison = columns->items[c].comparison;
		for (size_t i = 0; i < comparison->env_change_count; i++)
			if (strncmp(comparison->env_changes[i], host, strlen(host)) == 0)
				return true;
	}
	return false;
}

static void add_method(const struct bench_columns *columns, const char *prefix, struct bench_text *out)
{
	bool paired = false, apart = false;
	for (size_t c = 1; c < columns->count; c++) {
		paired |= columns->items[c].paired;
		apart |= !columns->items[c].paired;
	}
	if (paired)
		bench_text_add(out,
			       "%spaired: each invocation measured both columns, so that slow periods affect "
			       "both\n",
			       prefix);
	if (apart)
		bench_text_add(out,
			       "%sunpaired: the columns are separate runs. Intervals allow for between-run "
			       "variance, learned or assumed; 'bench duel' measures two builds without it\n",
			       prefix);
	if (differ_in_host(columns))
		bench_text_add(out,
			       "%sthe columns are from different hosts: ratios compare the machines as well "
			       "as the code, and no interval covers that\n",
			       prefix);
	if (columns->mean_count)
		bench_text_add(out,
			       "%sthe geometric mean weighs each case equally; its interval holds for these "
			       "cases, and says nothing about others\n",
			       prefix);
}

void bench_render_columns_add_foot(struct bench_arena *arena, const struct bench_columns *columns,
				   bool explain, const char *prefix, struct bench_text *out)
{
	add_lacks(arena, columns, prefix, out);
	add_left_out(arena, columns, prefix, out);
	for (size_t c = 1; c < columns->count; c++) {
		const struct bench_column *column = &columns->items[c];
		const char *before = bench_arena_format(arena, "%s%s: ", prefix,
							bench_render_words_line(arena, column->name));
		bench_render_comparison_add_context(arena, column->comparison, before, out);
		if (explain)
			bench_render_comparison_add_unclear(arena, column->comparison, before, out);
	}
	for (size_t i = 0; i < columns->note_count; i++)
		bench_text_add(out, "%s%s\n", prefix, bench_render_words_line(arena, columns->notes[i]));
	add_method(columns, prefix, out);
}
