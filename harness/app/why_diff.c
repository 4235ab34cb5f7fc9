/* SPDX-License-Identifier: MIT */
/* A diff of two texts by their longest common subsequence of lines; equal ends are set aside first. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "app/why_internal.h"
#include "core/text.h"

#define MOST_LINES 2000 /* on each side, between the equal ends: the table grows with their product */

struct lines {
	char **at;
	size_t count;
};

static struct lines split(struct bench_arena *arena, const char *text)
{
	struct lines lines = {0};
	char *rest = bench_arena_string(arena, text);
	while (*rest) {
		char *end = rest + strcspn(rest, "\n");
		bool last = *end == '\0';
		*end = '\0';
		BENCH_PUSH(arena, lines.at, lines.count) = rest;
		rest = last ? end : end + 1;
	}
	return lines;
}

static bool same(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

static void add(struct bench_text *out, char sign, const char *line)
{
	bench_text_add(out, "%c%s\n", sign, line);
}

/* length[i][j]: of the longest common subsequence of what is left from line i and line j on. */
static void add_middle(struct bench_arena *arena, char *const *base, size_t base_count, char *const *head,
		       size_t head_count, struct bench_text *out)
{
	size_t width = head_count + 1, i = 0, j = 0;
	uint16_t *length = bench_arena_alloc(arena, (base_count + 1) * width, sizeof(*length));
	for (size_t a = base_count; a-- > 0;)
		for (size_t b = head_count; b-- > 0;) {
			uint16_t down = length[(a + 1) * width + b], right = length[a * width + b + 1];
			length[a * width + b] = same(base[a], head[b])
							? (uint16_t)(length[(a + 1) * width + b + 1] + 1)
						: down > right ? down
							       : right;
		}
	while (i < base_count || j < head_count) {
		if (i < base_count && j < head_count && same(base[i], head[j])) {
			i++;
			j++;
		} else if (i < base_count &&
			   (j == head_count || length[(i + 1) * width + j] >= length[i * width + j + 1])) {
			add(out, '-', base[i++]);
		} else {
			add(out, '+', head[j++]);
		}
	}
}

char *app_why_diff(struct bench_arena *arena, const char *base, const char *head)
{
	struct lines a = split(arena, base), b = split(arena, head);
	struct bench_text out = {0};
	size_t first = 0;
	while (first < a.count && first < b.count && same(a.at[first], b.at[first]))
		first++;
	while (a.count > first && b.count > first && same(a.at[a.count - 1], b.at[b.count - 1])) {
		a.count--;
		b.count--;
	}
	if (a.count - first > MOST_LINES || b.count - first > MOST_LINES)
		bench_text_add(&out, "%zu lines became %zu\n", a.count - first, b.count - first);
	else
		add_middle(arena, a.at + first, a.count - first, b.at + first, b.count - first, &out);
	return bench_text_keep(&out, arena);
}
