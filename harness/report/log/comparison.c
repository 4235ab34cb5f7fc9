/* SPDX-License-Identifier: MIT */
/* The verdicts of an entry, grouped by kind, suite, target and metric. */
#include <stdlib.h>
#include <string.h>

#include "report/log/entry.h"
#include "report/render/alarms.h"
#include "report/render/comparison.h"
#include "report/render/words.h"

#define NAMED 5 /* metrics of a group that are listed, the largest changes */

/* Verdicts of one kind, on one metric of one suite on one target. */
struct group {
	char *name; /* "gemm/openblas:skylakex/.../time" */
	const struct bench_verdict **verdicts;
	size_t count;
};

static char *name_group(struct bench_arena *arena, const struct bench_verdict *verdict)
{
	const char *target = strchr(verdict->key, '/'), *params = target ? strchr(target + 1, '/') : NULL;
	int length = params ? (int)(params - verdict->key) : (int)strlen(verdict->key);
	return bench_arena_format(arena, "%.*s/.../%s", length, verdict->key, verdict->metric);
}

/* The groups of a kind, in the order of their first verdicts. */
static size_t gather(struct bench_arena *arena, const struct bench_comparison *comparison,
		     enum bench_verdict_kind kind, struct group **groups)
{
	size_t count = 0;
	*groups = NULL;
	for (size_t i = 0; i < comparison->verdict_count; i++) {
		const struct bench_verdict *verdict = &comparison->verdicts[i];
		if (verdict->kind != kind)
			continue;
		struct group *group = bench_text_find_or_add(arena, groups, &count, sizeof(*group),
							     name_group(arena, verdict));
		BENCH_PUSH(arena, group->verdicts, group->count) = verdict;
	}
	return count;
}

static void add_verdict(struct bench_arena *arena, const struct bench_verdict *verdict, const char *before,
			struct bench_text *out)
{
	const char *medians = bench_render_words_verdict_medians(arena, verdict);
	bool sized = bench_compare_has_size(verdict);
	bench_text_add(out, "%s**%s%s%s**: ", before, bench_compare_verdict_name(verdict->kind),
		       sized ? " " : "", sized ? bench_render_words_verdict_measured(arena, verdict) : "");
	bench_render_words_add_code(out, verdict->key);
	bench_text_add(out, "%s%s%s%s", *medians ? " (" : "", medians, *medians ? ")" : "",
		       *verdict->reason ? ": " : "");
	bench_render_words_markdown(out, "%s\n", verdict->reason);
}

/* "- **slower** `gemm/openblas:skylakex/.../time`: 12 metrics, +8.1% to +31.2%", and some of them below. */
static void add_group(struct bench_arena *arena, const struct group *group, struct bench_text *out)
{
	if (group->count == 1) {
		add_verdict(arena, group->verdicts[0], "- ", out);
		return;
	}
	qsort(group->verdicts, group->count, sizeof(const struct bench_verdict *),
	      bench_render_comparison_by_size);
	const struct bench_verdict *most = group->verdicts[0], *least = group->verdicts[group->count - 1];
	bench_text_add(out, "- **%s** ", bench_compare_verdict_name(most->kind));
	bench_render_words_add_code(out, group->name);
	bench_text_add(out, ": %zu metrics", group->count);
	if (bench_compare_has_size(most) && bench_compare_has_size(least))
		bench_text_add(out, ", %s to %s", bench_render_words_size(arena, least),
			       bench_render_words_size(arena, most));
	bench_text_add(out, "\n");
	for (size_t i = 0; i < group->count && i < NAMED; i++)
		add_verdict(arena, group->verdicts[i], "  - ", out);
	if (group->count > NAMED)
		bench_text_add(out, "  - and %zu more\n", group->count - NAMED);
}

static void add_kinds(struct bench_arena *arena, const struct bench_comparison *comparison,
		      struct bench_text *out)
{
	static const enum bench_verdict_kind kinds[] = {BENCH_BROKEN,    BENCH_MISSING, BENCH_SLOWER,
							BENCH_SUSPECTED, BENCH_FASTER,  BENCH_NEW};
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		struct group *groups;
		size_t count = gather(arena, comparison, kinds[k], &groups);
		for (size_t i = 0; i < count; i++)
			add_group(arena, &groups[i], out);
	}
}

static void add_comparison(struct bench_arena *arena, const struct bench_comparison *comparison,
			   struct bench_text *out)
{
	BENCH_SCOPED_TEXT list = {0};
	char **alarms;
	bench_render_words_markdown(out, "%s\n", bench_render_words_summary(arena, comparison));
	size_t alarm_count = bench_render_alarms_lines(arena, comparison, &alarms);
	for (size_t i = 0; i < alarm_count; i++)
		bench_render_words_markdown(&list, "- %s\n", alarms[i]);
	bench_render_comparison_add_context(arena, comparison, "- ", &list);
	add_kinds(arena, comparison, &list);
	if (comparison->counts[BENCH_UNCLEAR])
		bench_render_comparison_add_unclear(arena, comparison, "- ", &list);
	if (list.length)
		bench_text_add(out, "\n%s", list.data);
}

void bench_log_add_comparison(const struct bench_log_run *runs, size_t count, struct bench_text *out)
{
	BENCH_SCOPED_ARENA arena = {0};
	bench_text_add(out, "\n### Comparison\n");
	for (size_t i = 0; i < count; i++) {
		bench_text_add(out, "\n");
		if (count > 1)
			bench_render_words_markdown(out, "Run %s:\n\n", runs[i].run->id);
		if (runs[i].comparison)
			add_comparison(&arena, runs[i].comparison, out);
		else if (runs[i].why_not)
			bench_render_words_markdown(out, "None: %s\n", runs[i].why_not);
		else
			bench_text_add(out, "None.\n");
	}
}
