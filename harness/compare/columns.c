/* SPDX-License-Identifier: MIT */
#include "compare/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/columns_pairs.h"
#include "compare/duel.h"
#include "core/text.h"

void bench_compare_columns_note(struct bench_columns *columns, const char *text)
{
	bench_text_find_or_add(&columns->arena, &columns->notes, &columns->note_count, sizeof(char *),
			       bench_arena_string(&columns->arena, text));
}

static void free_comparisons(struct bench_columns *columns)
{
	for (size_t i = 0; i < columns->count; i++) {
		bench_compare_free(columns->items[i].comparison);
		columns->items[i].comparison = NULL;
	}
}

void bench_compare_columns_free(struct bench_columns *columns)
{
	free_comparisons(columns);
	bench_arena_free(&columns->arena);
}

/* A run in both columns is compared in pairs. */
static bool share_a_run(const struct bench_column *base, const struct bench_column *column)
{
	for (size_t i = 0; i < base->run_count; i++)
		for (size_t k = 0; k < column->run_count; k++)
			if (strcmp(base->runs[i]->id, column->runs[k]->id) == 0)
				return true;
	return false;
}

static int compare_paired(struct bench_arena *arena, const struct bench_column *base,
			  struct bench_column *column, const struct bench_compare_options *options,
			  struct bench_error *error)
{
	struct bench_duel_options duel = {.base_name = base->name,
					  .threshold = options->threshold,
					  .alpha = options->alpha,
					  .floor = options->floor,
					  .rules = options->rules,
					  .rule_count = options->rule_count,
					  .mean_of = options->mean_of,
					  .mean_count = options->mean_count};

	return bench_compare_duel(bench_compare_columns_pair(arena, base, column, &duel), &duel,
				  &column->comparison, error);
}

static int compare_column(struct bench_columns *columns, struct bench_column *column,
			  const struct bench_compare_options *options, struct bench_error *error)
{
	const struct bench_column *base = &columns->items[0];
	struct bench_compare_options chosen = *options;
	BENCH_SCOPED_ARENA scratch = {0};

	/* The columns differ in what was asked for. */
	chosen.allow_env_change = true;
	column->paired = share_a_run(base, column);
	return column->paired ? compare_paired(&scratch, base, column, options, error)
			      : bench_compare_runs(base->runs, base->run_count, base->name,
						   bench_compare_columns_merge(&scratch, column), &chosen,
						   &column->comparison, error);
}

static int compare_all(struct bench_columns *columns, const struct bench_compare_options *options,
		       struct bench_error *error)
{
	free_comparisons(columns);
	for (size_t i = 1; i < columns->count; i++)
		if (compare_column(columns, &columns->items[i], options, error) != 0)
			return -1;
	return 0;
}

int bench_compare_columns(struct bench_columns *columns, const struct bench_compare_options *options,
			  struct bench_error *error)
{
	struct bench_compare_options with_means = *options;

	if (compare_all(columns, options, error) != 0)
		return -1;
	bench_compare_columns_match(columns);
	if (columns->mean_count == 0)
		return 0;
	with_means.mean_of = columns->mean_of;
	with_means.mean_count = columns->mean_count;
	return compare_all(columns, &with_means, error);
}

/* The key of the case, without the metric behind it. */
static char *case_of(struct bench_arena *arena, const char *key)
{
	return bench_arena_format(arena, "%.*s", (int)(strrchr(key, '/') - key), key);
}

const struct bench_verdict *bench_compare_columns_find(const struct bench_column *column, const char *key)
{
	BENCH_SCOPED_ARENA scratch = {0};
	const struct bench_verdict *verdict = bench_compare_find(column->comparison, key);

	if (!verdict && strchr(key, '/'))
		verdict = bench_compare_find(column->comparison, case_of(&scratch, key));
	return verdict && (!*verdict->metric || strcmp(verdict->key, key) == 0) ? verdict : NULL;
}

static bool is_known(char *const *keys, size_t count, const char *key)
{
	return count && bsearch(&key, keys, count, sizeof(*keys), bench_text_order);
}

/* Adds the keys of verdicts on metrics, or of those on whole cases of which no metric is known. */
static void add_keys(struct bench_columns *columns, bool whole)
{
	BENCH_SCOPED_ARENA scratch = {0};
	char **cases = NULL, **found = NULL;
	size_t case_count = 0, found_count = 0;

	for (size_t i = 0; i < columns->key_count; i++)
		BENCH_PUSH(&scratch, cases, case_count) = case_of(&scratch, columns->keys[i]);
	if (case_count)
		qsort(cases, case_count, sizeof(*cases), bench_text_order);
	for (size_t c = 1; c < columns->count; c++) {
		const struct bench_comparison *comparison = columns->items[c].comparison;

		for (size_t i = 0; i < comparison->verdict_count; i++) {
			const struct bench_verdict *verdict = &comparison->verdicts[i];

			if (!*verdict->metric == whole &&
			    !(whole && is_known(cases, case_count, verdict->key)))
				BENCH_PUSH(&scratch, found, found_count) = verdict->key;
		}
	}
	if (found_count)
		qsort(found, found_count, sizeof(*found), bench_text_order);
	for (size_t i = 0; i < found_count; i++)
		if (i == 0 || strcmp(found[i], found[i - 1]) != 0)
			BENCH_PUSH(&columns->arena, columns->keys, columns->key_count) =
				bench_arena_string(&columns->arena, found[i]);
}

/* Why the metric cannot be in a mean of all columns; NULL: it can. */
static char *why_not(struct bench_columns *columns, const char *key)
{
	for (size_t c = 1; c < columns->count; c++) {
		const struct bench_column *column = &columns->items[c];
		const struct bench_verdict *verdict = bench_compare_columns_find(column, key);

		if (verdict && isfinite(verdict->ratio) && verdict->ratio > 0)
			continue;
		if (!verdict)
			return bench_arena_format(&columns->arena, "%s does not have it", column->name);
		if (verdict->by_difference)
			return bench_arena_format(&columns->arena,
						  "%s: a value of zero or below has no ratio", column->name);
		return bench_arena_format(&columns->arena, "%s: %s%s%s", column->name,
					  bench_compare_verdict_name(verdict->kind),
					  *verdict->reason ? ", " : "", verdict->reason);
	}
	return NULL;
}

void bench_compare_columns_match(struct bench_columns *columns)
{
	columns->key_count = 0;
	add_keys(columns, false);
	add_keys(columns, true);
	if (columns->key_count)
		qsort(columns->keys, columns->key_count, sizeof(*columns->keys), bench_text_order);
	for (size_t i = 0; columns->means && i < columns->key_count; i++) {
		char *why = why_not(columns, columns->keys[i]);

		if (!why)
			BENCH_PUSH(&columns->arena, columns->mean_of, columns->mean_count) = columns->keys[i];
		else
			BENCH_PUSH(&columns->arena, columns->left_out, columns->left_out_count) =
				(struct bench_left_out){columns->keys[i], why};
	}
}
