/* SPDX-License-Identifier: MIT */
/* What a run was asked to cover. */
#include <stdlib.h>
#include <string.h>

#include "compare/internal.h"
#include "core/text.h"

/* Are they the same words, in any order? Neither list has a word twice. */
static bool same_words(char *const *a, size_t a_count, char *const *b, size_t b_count)
{
	if (a_count != b_count)
		return false;
	for (size_t i = 0; i < a_count; i++)
		if (!BENCH_FIND(b, b_count, a[i]))
			return false;
	return true;
}

/* Runs from before --backend was recorded have none. */
static bool same_backends(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

bool bench_compare_has_target(const struct bench_run *run, const char *backend, const char *slug)
{
	const struct bench_selection *selection = &run->selection;
	size_t length = strlen(backend);

	for (size_t i = 0; i < selection->target_count; i++) {
		const char *target = selection->targets[i];

		if (strncmp(target, backend, length) == 0 && target[length] == ':' &&
		    strcmp(target + length + 1, slug) == 0)
			return true;
	}
	return false;
}

bool bench_compare_in_turns(const struct bench_run *run)
{
	return *bench_record_label(run, "duel_base") != '\0';
}

bool bench_compare_same_selection(const struct bench_run *a, const struct bench_run *b)
{
	const struct bench_selection *x = &a->selection, *y = &b->selection;

	return same_words(x->suites, x->suite_count, y->suites, y->suite_count) &&
	       same_words(x->sets, x->set_count, y->sets, y->set_count) &&
	       strcmp(x->filter, y->filter) == 0 && same_backends(x->backends, y->backends);
}

bool bench_compare_is_selected(const struct bench_run *candidate, const struct bench_run *run,
			       const struct bench_result *result)
{
	const struct bench_selection *now = &candidate->selection, *then = &run->selection;

	return BENCH_FIND(now->suites, now->suite_count, result->suite) != NULL &&
	       strcmp(now->filter, then->filter) == 0 && strcmp(candidate->preset, run->preset) == 0 &&
	       same_words(now->sets, now->set_count, then->sets, then->set_count) &&
	       (bench_compare_has_target(candidate, result->backend, result->device) ||
		same_backends(now->backends, then->backends));
}

static void add_words(struct bench_text *text, const char *name, char *const *words, size_t count,
		      struct bench_arena *arena)
{
	const char **sorted = bench_arena_alloc(arena, count + 1, sizeof(*sorted));

	for (size_t i = 0; i < count; i++)
		sorted[i] = words[i];
	if (count > 1)
		qsort(sorted, count, sizeof(*sorted), bench_text_order);
	for (size_t i = 0; i < count; i++)
		bench_text_add(text, "%s=%s;", name, sorted[i]);
}

char *bench_compare_track(const struct bench_run *run, struct bench_arena *arena)
{
	static const char *const settings[] = {"threads", "pin", "cache"};
	const struct bench_selection *selection = &run->selection;
	struct bench_text text = {0};

	bench_text_add(&text, "preset=%s;", run->preset);
	add_words(&text, "suite", selection->suites, selection->suite_count, arena);
	add_words(&text, "set", selection->sets, selection->set_count, arena);
	if (*selection->filter)
		bench_text_add(&text, "filter=%s;", selection->filter);
	if (selection->backends && *selection->backends)
		bench_text_add(&text, "backend=%s;", selection->backends);
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		const char *value = bench_record_fact(run, settings[i]);

		if (*value)
			bench_text_add(&text, "%s=%s;", settings[i], value);
	}
	return bench_text_keep(&text, arena);
}
