/* SPDX-License-Identifier: MIT */
/* What is unclear in a comparison, summed up. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/render/answer.h"
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

/* "2 metrics are unclear; the largest estimate among them is +4.3% (`KEY`)" */
static void add_heading(struct bench_arena *arena, const struct bench_verdict *most, size_t count,
			const char *prefix, struct bench_text *out)
{
	bench_text_add(out, "%s%zu metric%s unclear", prefix, count, count == 1 ? " is" : "s are");
	if (most) {
		bench_text_add(out, "; %s is %s (",
			       count == 1 ? "the estimate" : "the largest estimate among them",
			       bench_render_words_size(arena, most));
		bench_render_words_add_behind(arena, most->key, prefix, out);
		bench_text_add(out, ")");
	}
	bench_text_add(out, "\n");
}

void bench_render_comparison_add_unclear(struct bench_arena *arena, const struct bench_comparison *comparison,
					 const char *prefix, struct bench_text *out)
{
	const struct bench_verdict *most = NULL;
	struct cause *causes = NULL;
	size_t cause_count = 0, rest = 0;
	for (size_t i = 0; i < comparison->verdict_count; i++) {
		const struct bench_verdict *verdict = &comparison->verdicts[i];
		const char *why = bench_render_answer_why(verdict);
		size_t at = 0;
		if (verdict->kind != BENCH_UNCLEAR)
			continue;
		if (bench_compare_has_size(verdict) &&
		    (!most || fabs(bench_compare_size(verdict)) > fabs(bench_compare_size(most))))
			most = verdict;
		if (!*why)
			continue;
		while (at < cause_count && !same_cause(causes[at].reason, why))
			at++;
		if (at == cause_count)
			BENCH_PUSH(arena, causes, cause_count) = (struct cause){why, 0};
		causes[at].count++;
	}
	if (cause_count > 1)
		qsort(causes, cause_count, sizeof(*causes), by_count);
	if (*prefix && comparison->counts[BENCH_UNCLEAR])
		add_heading(arena, most, comparison->counts[BENCH_UNCLEAR], prefix, out);
	const char *indent = *prefix ? "  " : "";
	for (size_t i = 0; i < cause_count && i < CAUSES; i++) {
		bench_text_add(out, "%s%s%zu unclear: ", indent, prefix, causes[i].count);
		bench_render_words_add_behind(arena, causes[i].reason, prefix, out);
		bench_text_add(out, "\n");
	}
	for (size_t i = CAUSES; i < cause_count; i++)
		rest += causes[i].count;
	if (rest)
		bench_text_add(out, "%s%s%zu unclear for other reasons\n", indent, prefix, rest);
}
