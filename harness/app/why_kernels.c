/* SPDX-License-Identifier: MIT */
/* What compilers made of the kernels that two sides launched. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/why_internal.h"
#include "core/observed.h"
#include "core/text.h"

/* Of a list of "NAME NUMBER". */
struct item {
	char *name;
	double base, head;
};

struct items {
	struct bench_arena *arena;
	struct item *list;
	size_t count;
};

static struct item *find(struct items *items, char *name)
{
	for (size_t i = 0; i < items->count; i++)
		if (strcmp(items->list[i].name, name) == 0)
			return &items->list[i];
	struct item *item = bench_arena_push(items->arena, &items->list, &items->count, sizeof(*item));
	*item = (struct item){.name = name};
	return item;
}

static void take(struct items *items, const char *text, bool head)
{
	char *rest = bench_arena_string(items->arena, text), *word;
	while ((word = bench_text_next(&rest, ','))) {
		word += strspn(word, " ");
		char *blank = strrchr(word, ' ');
		if (!blank)
			continue;
		*blank = '\0';
		double value = strtod(blank + 1, NULL);
		*(head ? &find(items, word)->head : &find(items, word)->base) = value;
	}
}

static bool is_other(const struct item *item)
{
	return strcmp(item->name, "other") == 0;
}

static int by_change(const void *left, const void *right)
{
	const struct item *a = left, *b = right;
	double of_a = fabs(log((a->head + 1) / (a->base + 1))),
	       of_b = fabs(log((b->head + 1) / (b->base + 1)));
	if (is_other(a) != is_other(b))
		return is_other(a) ? 1 : -1;
	return of_a != of_b ? (of_a > of_b ? -1 : 1) : strcmp(a->name, b->name);
}

char *app_why_compare(struct bench_arena *arena, const char *base, const char *head, bool *telling)
{
	struct items items = {.arena = arena};
	struct bench_text out = {0};
	*telling = false;
	take(&items, base, false);
	take(&items, head, true);
	if (items.count)
		qsort(items.list, items.count, sizeof(*items.list), by_change);
	for (size_t i = 0; i < items.count; i++) {
		const struct item *item = &items.list[i];
		if (item->base == item->head)
			continue;
		*telling |= !is_other(item);
		bench_text_add(&out, "%s%s %.6g -> %.6g", out.length ? ", " : "", item->name, item->base,
			       item->head);
	}
	return out.length ? bench_text_keep(&out, arena) : bench_arena_string(arena, "");
}

/* The notes of a kind that a side has; gives the only one, or NULL. */
static const struct bench_attribute *only_one(const struct bench_result *result, const char *prefix)
{
	const struct bench_attribute *found = NULL;
	for (size_t i = 0; i < result->note_count; i++) {
		if (strncmp(result->notes[i].name, prefix, strlen(prefix)) != 0)
			continue;
		if (found)
			return NULL;
		found = &result->notes[i];
	}
	return found;
}

/* "NAME TEXT" of both sides. */
static void compare(struct app_why_facts *facts, const char *base, const char *head, bool is_mix)
{
	size_t of_base = strcspn(base, " "), length = strcspn(head, " ");
	bool telling;
	char *brief = app_why_compare(facts->arena, base + of_base, head + length, &telling);
	if (*brief)
		app_why_add(facts, is_mix && telling ? BENCH_FACT_MIX : BENCH_FACT_LISTED,
			    bench_arena_format(facts->arena, "%s %.*s", is_mix ? "PTX of" : "kernel",
					       (int)length, head),
			    brief, NULL);
}

/* Kernels of one name; or the only one of each side, whatever it is called. */
static void compare_all(struct app_why_facts *facts, const struct bench_result *result, const char *kind,
			bool is_mix)
{
	const char *of_base = bench_arena_format(facts->arena, BENCH_OBSERVED_BASE "%s", kind),
		   *of_head = bench_arena_format(facts->arena, BENCH_OBSERVED_HEAD "%s", kind);
	const struct bench_attribute *base = only_one(result, of_base), *head = only_one(result, of_head);
	if (base && head) {
		compare(facts, base->value, head->value, is_mix);
		return;
	}
	for (size_t i = 0; i < result->note_count; i++) {
		const struct bench_attribute *note = &result->notes[i];
		bool is_base = strncmp(note->name, of_base, strlen(of_base)) == 0;
		if (!is_base && strncmp(note->name, of_head, strlen(of_head)) != 0)
			continue;
		const char *name = note->name + strlen(is_base ? of_base : of_head);
		const char *other = bench_record_attribute_get(
			result->notes, result->note_count,
			bench_arena_format(facts->arena, "%s%s", is_base ? of_head : of_base, name));
		if (*other && is_base)
			compare(facts, note->value, other, is_mix);
		else if (!*other && !is_mix)
			app_why_add(facts, BENCH_FACT_LISTED,
				    bench_arena_format(facts->arena, "kernel %.*s",
						       (int)strcspn(note->value, " "), note->value),
				    is_base ? "only the base launches it" : "only the head launches it",
				    NULL);
	}
}

void app_why_kernels(struct app_why_facts *facts, const struct bench_result *result)
{
	if (!result)
		return;
	compare_all(facts, result, BENCH_OBSERVED_KERNEL, false);
	compare_all(facts, result, BENCH_OBSERVED_MIX, true);
}
