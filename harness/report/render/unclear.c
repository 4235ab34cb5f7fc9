/* SPDX-License-Identifier: MIT */
/* What is unclear in a comparison, summed up. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/render/comparison.h"
#include "report/render/words.h"

#define CAUSES 3 /* listed */

/* Do two reasons differ only in their numbers? */
static bool same_cause(const char *a, const char *b)
{
	static const char numbers[] = "0123456789.+-%";
	while (*a && *b) {
		a += strspn(a, numbers);
		b += strspn(b, numbers);
		size_t length = strcspn(a, numbers);
		if (length != strcspn(b, numbers) || strncmp(a, b, length) != 0)
			return false;
		a += length;
		b += length;
	}
	return !a[strspn(a, numbers)] && !b[strspn(b, numbers)];
}

struct cause {
	const char *reason; /* of the first */
	size_t count;
};

static int by_count(const void *a, const void *b)
{
	const struct cause *x = a, *y = b;
	int order = (x->count < y->count) - (x->count > y->count);
	return order ? order : strcmp(x->reason, y->reason);
}

void bench_render_comparison_add_unclear(struct bench_arena *arena, const struct bench_comparison *comparison,
					 const char *prefix, struct bench_text *out)
{
	const struct bench_verdict *most = NULL;
	struct cause *causes = NULL;
	size_t cause_count = 0, rest = 0;
	for (size_t i = 0; i < comparison->verdict_count; i++) {
		const struct bench_verdict *verdict = &comparison->verdicts[i];
		size_t at = 0;
		if (verdict->kind != BENCH_UNCLEAR)
			continue;
		if (bench_compare_has_size(verdict) &&
		    (!most || fabs(bench_compare_size(verdict)) > fabs(bench_compare_size(most))))
			most = verdict;
		while (at < cause_count && !same_cause(causes[at].reason, verdict->reason))
			at++;
		if (at == cause_count)
			*(struct cause *)bench_arena_push(arena, &causes, &cause_count, sizeof(*causes)) =
				(struct cause){verdict->reason, 0};
		causes[at].count++;
	}
	if (cause_count == 0)
		return;
	qsort(causes, cause_count, sizeof(*causes), by_count);
	const size_t count = comparison->counts[BENCH_UNCLEAR];
	bench_text_add(out, "%s%zu metric%s unclear%s", prefix, count, count == 1 ? " is" : "s are",
		       *prefix ? "" : " (--all lists them)");
	if (most) {
		bench_text_add(out, "; %s is %s (",
			       count == 1 ? "the estimate" : "the largest estimate among them",
			       bench_render_words_size(arena, most));
		bench_render_words_add_behind(arena, most->key, prefix, out);
		bench_text_add(out, ")");
	}
	bench_text_add(out, "\n");
	for (size_t i = 0; i < cause_count && i < CAUSES; i++) {
		bench_text_add(out, "  %s%zu%s: ", prefix, causes[i].count,
			       causes[i].count == 1 ? "" : " like this");
		bench_render_words_add_behind(arena, causes[i].reason, prefix, out);
		bench_text_add(out, "\n");
	}
	for (size_t i = CAUSES; i < cause_count; i++)
		rest += causes[i].count;
	if (rest)
		bench_text_add(out, "  %s%zu for other reasons\n", prefix, rest);
}
