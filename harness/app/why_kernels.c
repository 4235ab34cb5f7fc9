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
	return bench_text_find_or_add(items->arena, &items->list, &items->count, sizeof(*items->list), name);
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

/* "NAME TEXT" of both sides; NULL: a side does not launch it. */
static void compare(struct app_why_facts *facts, const char *base, const char *head, bool is_mix)
{
	bool telling = false;
	const char *any = head ? head : base ? base : "", *what;
	what = bench_arena_format(facts->arena, "%s %.*s", is_mix ? "PTX of" : "kernel",
				  (int)strcspn(any, " "), any);
	if (!base || !head) {
		if (!is_mix)
			app_why_add(facts, BENCH_FACT_LISTED, what,
				    base ? "only of the base" : "only of the head", NULL);
		return;
	}
	char *brief =
		app_why_compare(facts->arena, base + strcspn(base, " "), head + strcspn(head, " "), &telling);
	if (*brief)
		app_why_add(facts, is_mix && telling ? BENCH_FACT_MIX : BENCH_FACT_LISTED, what, brief, NULL);
}

/* The note of that name, behind a side's prefix; "": the only one of that side, if it has just one. */
static const char *note_of(const struct bench_result *result, const char *prefix, const char *name)
{
	const char *found = NULL;
	for (size_t i = 0; i < result->note_count; i++) {
		const char *note = result->notes[i].name;
		if (strncmp(note, prefix, strlen(prefix)) != 0 ||
		    (*name && strcmp(note + strlen(prefix), name) != 0))
			continue;
		if (found)
			return NULL;
		found = result->notes[i].value;
	}
	return found;
}

/* Kernels of one name; or the only one of each side, whatever it is called. */
static void compare_all(struct app_why_facts *facts, const struct bench_result *result, const char *of_base,
			const char *of_head, bool is_mix)
{
	const char *base = note_of(result, of_base, ""), *head = note_of(result, of_head, "");
	if (base && head) {
		compare(facts, base, head, is_mix);
		return;
	}
	for (size_t i = 0; i < result->note_count; i++) {
		const char *note = result->notes[i].name, *value = result->notes[i].value;
		if (strncmp(note, of_base, strlen(of_base)) == 0)
			compare(facts, value, note_of(result, of_head, note + strlen(of_base)), is_mix);
		else if (strncmp(note, of_head, strlen(of_head)) == 0 &&
			 !note_of(result, of_base, note + strlen(of_head)))
			compare(facts, NULL, value, is_mix);
	}
}

void app_why_kernels(struct app_why_facts *facts, const struct bench_result *result)
{
	if (!result)
		return;
	compare_all(facts, result, BENCH_OBSERVED_BASE BENCH_OBSERVED_KERNEL,
		    BENCH_OBSERVED_HEAD BENCH_OBSERVED_KERNEL, false);
	compare_all(facts, result, BENCH_OBSERVED_BASE BENCH_OBSERVED_MIX,
		    BENCH_OBSERVED_HEAD BENCH_OBSERVED_MIX, true);
}
