/* SPDX-License-Identifier: MIT */
#include "report/render/bounds.h"

#include <math.h>

#include "report/render/words.h"

/* "2.41 ms, 95% 2.38 ms..2.45 ms", or "1.21x, 95% 1.18x..1.25x" */
static void add_measured(struct bench_text *out, struct bench_arena *arena,
			 const struct bench_bound_verdict *held)
{
	const char *times = held->bound->versus ? "x" : "";
	bench_text_add(out, "%s%s", bench_render_words_quantity(arena, held->value, held->unit), times);
	if (isfinite(held->lo) && isfinite(held->hi))
		bench_text_add(out, ", %.0f%% %s%s..%s%s", 100 * held->level,
			       bench_render_words_quantity(arena, held->lo, held->unit), times,
			       bench_render_words_quantity(arena, held->hi, held->unit), times);
}

char *bench_render_bounds_told(struct bench_arena *arena, const struct bench_bound_verdict *held)
{
	struct bench_text text = {0};
	bench_text_add(&text, "%s: ", bench_render_words_line(arena, held->key));
	if (isfinite(held->value))
		add_measured(&text, arena, held);
	bench_text_add(&text, "%s%s %s", isfinite(held->value) ? "; " : "", held->is_least ? "min" : "max",
		       bench_render_words_line(arena, held->bound->text));
	if (*held->reason)
		bench_text_add(&text, "; %s", bench_render_words_line(arena, held->reason));
	if (*held->owner)
		bench_text_add(&text, "; owner: %s", bench_render_words_line(arena, held->owner));
	return bench_text_keep(&text, arena);
}

char *bench_render_bounds_expected(struct bench_arena *arena, const struct bench_expected *expected)
{
	return bench_arena_format(arena, "expected until %s: %s", expected->until,
				  bench_render_words_line(arena, expected->why));
}

char *bench_render_bounds_expectation(struct bench_arena *arena, const struct bench_expectation *expectation)
{
	const struct bench_expected *expected = expectation->expected;
	const char *pattern = bench_render_words_line(arena, expectation->pattern);
	const char *why = bench_render_words_line(arena, expected->why);
	if (expectation->state == BENCH_EXPECTATION_PASSED)
		return bench_arena_format(arena,
					  "no longer expected to fail: all that matches '%s' passes; remove "
					  "it from 'expect' in the project file (until %s: %s)",
					  pattern, expected->until, why);
	const char *failing = bench_arena_format(
		arena, "%zu metric%s that match%s '%s' fail%s", expectation->failing,
		bench_text_plural(expectation->failing), expectation->failing == 1 ? "es" : "", pattern,
		expectation->failing == 1 ? "s" : "");
	const char *key = bench_render_words_line(arena, expectation->key);
	if (expectation->state == BENCH_EXPECTATION_EXPIRED)
		return bench_arena_format(
			arena, "expectation expired on %s (%s): %s, which counts again; the first: %s",
			expected->until, why, failing, key);
	return bench_arena_format(arena, "expected until %s (%s): %s; the first: %s", expected->until, why,
				  failing, key);
}

char *bench_render_bounds_answer(struct bench_arena *arena, const struct bench_comparison *comparison,
				 const char *word, enum bench_bound_state state)
{
	for (size_t i = 0; i < comparison->bound_count; i++) {
		const struct bench_bound_verdict *held = &comparison->bounds[i];
		if (held->state == state && !held->expected)
			return bench_arena_format(arena, "%s: %zu of %zu. %s", word,
						  bench_compare_out_of_bounds(comparison, state),
						  comparison->bound_count,
						  bench_render_bounds_told(arena, held));
	}
	return bench_arena_string(arena, word);
}

void bench_render_bounds_add(struct bench_arena *arena, const struct bench_comparison *comparison,
			     const char *prefix, struct bench_text *out)
{
	size_t kept = 0;
	for (size_t i = 0; i < comparison->bound_count; i++) {
		const struct bench_bound_verdict *held = &comparison->bounds[i];
		kept += held->state == BENCH_BOUND_KEPT;
		if (held->state != BENCH_BOUND_KEPT)
			bench_text_add(out, "%s%s: %s\n", prefix,
				       held->state == BENCH_BOUND_OUT ? "out of bounds" : "bound undecided",
				       bench_render_bounds_told(arena, held));
	}
	if (kept)
		bench_text_add(out, "%sbounds kept: %zu of %zu\n", prefix, kept, comparison->bound_count);
	for (size_t i = 0; i < comparison->expectation_count; i++)
		bench_text_add(out, "%s%s\n", prefix,
			       bench_render_bounds_expectation(arena, &comparison->expectations[i]));
}
