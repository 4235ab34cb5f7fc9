/* SPDX-License-Identifier: MIT */
/*
 * The reference of a ratio is a part of its identity. The rows of a metric do not have it, only the head of
 * the case. Most histories have one reference per metric, so that the full name suffices.
 */
#include <stdlib.h>
#include <string.h>

#include "record/event.h"
#include "store/sql.h"

#define RELATIVE "/relative_time"

/* A head of a variant. */
struct variant {
	int64_t head;
	const char *key, *reference;
	bool ambiguous;    /* the history has its case with another reference, too */
	size_t first, end; /* the points of its key */
};

static int read_variant(struct bench_store *store, struct store_statement *row, struct bench_arena *arena,
			struct variant *variant, struct bench_error *error)
{
	BENCH_SCOPED_RUN *run = bench_record_new();
	struct bench_error cause;
	const char *text = store_chars(row, 1);
	int result = text ? bench_record_apply_line(run, text, strlen(text), "a head", &cause) : -1;
	if (result == 0 && run->result_count == 1)
		*variant = (struct variant){
			store_int(row, 0),
			store_named(store, arena,
				    bench_arena_format(arena, "%s" RELATIVE, run->results[0].key)),
			store_named(store, arena, bench_arena_string(arena, run->results[0].relative_to)),
			false,
			0,
			0};
	else
		result = bench_fail(error, BENCH_ENVIRONMENT,
				    "database '%s': a head is none of a case; it is damaged", store->path);
	return result;
}

static int compare_variants(const void *left, const void *right)
{
	return strcmp(((const struct variant *)left)->key, ((const struct variant *)right)->key);
}

/* Marks those whose case has more than one reference. Returns whether there are any. */
static bool mark(struct variant *variants, size_t count)
{
	bool some = false;
	if (count > 1)
		qsort(variants, count, sizeof(*variants), compare_variants);
	for (size_t first = 0, end; first < count; first = end) {
		bool differ = false;
		for (end = first; end < count && strcmp(variants[end].key, variants[first].key) == 0; end++)
			differ |= strcmp(variants[end].reference, variants[first].reference) != 0;
		for (size_t i = first; differ && i < end; i++)
			some = variants[i].ambiguous = true;
	}
	return some;
}

static int compare_points(const void *left, const void *right)
{
	const struct bench_point *a = left, *b = right;
	const int by_key = strcmp(a->key, b->key);
	if (by_key || a->started != b->started)
		return by_key ? by_key : (a->started > b->started) - (a->started < b->started);
	const size_t of_a = strlen(a->run), of_b = strlen(b->run);
	return of_a != of_b ? (of_a > of_b) - (of_a < of_b) : strcmp(a->run, b->run);
}

/* Of points that are sorted by key still. */
static void find_points(struct variant *variant, const struct bench_point *points, size_t count)
{
	size_t low = 0, high = count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (strcmp(points[middle].key, variant->key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	variant->first = variant->end = low;
	while (variant->end < count && strcmp(points[variant->end].key, variant->key) == 0)
		variant->end++;
}

/* Renames the points of a variant, in the runs that have it. */
static int rename_points(struct bench_store *store, const struct variant *variant, struct bench_arena *arena,
			 struct bench_point *points, struct bench_error *error)
{
	char *name = bench_arena_format(arena, "%s against %s", variant->key, variant->reference);
	STORE_SCOPED_STATEMENT *row = NULL;
	int state = store_select(store, &row, error,
				 "SELECT DISTINCT id FROM result JOIN run USING (run) WHERE result.head = ?",
				 "i", variant->head);
	for (; state == 1; state = store_next(store, row, error)) {
		const char *id = store_chars(row, 0);
		for (size_t i = variant->first; id && i < variant->end; i++)
			if (strcmp(points[i].run, id) == 0)
				points[i].key = name;
	}
	return state;
}

int bench_store_reference(struct bench_store *store, const char *id, const char *key,
			  struct bench_arena *arena, const char **reference, struct bench_error *error)
{
	struct store_statement *row = NULL;
	bool there = false;
	int state = store_select(
		store, &row, error,
		"SELECT head.head, head.text FROM run LEFT JOIN result ON result.run = run.run LEFT JOIN "
		"head ON head.head = result.head AND head.text LIKE '%\"relative_to\":\"%' WHERE id = ?",
		"t", id);
	*reference = "";
	for (; state == 1; state = store_next(store, row, error)) {
		struct variant variant;
		there = true;
		if (!store_chars(row, 1))
			continue;
		if (read_variant(store, row, arena, &variant, error) != 0) {
			state = -1;
			break;
		}
		if (strcmp(variant.key, key) == 0)
			*reference = variant.reference;
	}
	store_finish(row);
	if (!there)
		*reference = NULL;
	return state;
}

int store_name_references(struct bench_store *store, struct bench_arena *arena, struct bench_point *points,
			  size_t count, struct bench_error *error)
{
	struct variant *variants = NULL;
	size_t variant_count = 0, relative = 0;
	struct store_statement *row = NULL;
	for (size_t i = 0; i < count; i++) {
		const size_t length = strlen(points[i].key), tail = strlen(RELATIVE);
		relative += length > tail && strcmp(points[i].key + length - tail, RELATIVE) == 0;
	}
	if (relative == 0)
		return 0;
	int state = store_select(store, &row, error,
				 "SELECT head, text FROM head WHERE text LIKE '%\"relative_to\":\"%'", "");
	for (; state == 1; state = store_next(store, row, error)) {
		struct variant *variant =
			bench_arena_push(arena, &variants, &variant_count, sizeof(*variant));
		if (read_variant(store, row, arena, variant, error) != 0) {
			state = -1;
			break;
		}
	}
	store_finish(row);
	if (state != 0 || !mark(variants, variant_count))
		return state;
	for (size_t i = 0; i < variant_count; i++)
		find_points(&variants[i], points, count);
	for (size_t i = 0; state == 0 && i < variant_count; i++)
		if (variants[i].ambiguous)
			state = rename_points(store, &variants[i], arena, points, error);
	if (count > 1)
		qsort(points, count, sizeof(*points), compare_points);
	return state;
}
