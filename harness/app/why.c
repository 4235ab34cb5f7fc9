/* SPDX-License-Identifier: MIT */
#include "app/why.h"

#include <stdlib.h>
#include <string.h>

#include "app/why_internal.h"
#include "core/json.h"
#include "core/text.h"

#define MIX_LEAST 0.1 /* by which the shares of vector instructions differ, to be told */

void app_why_add(struct app_why_facts *facts, int place, const char *what, const char *brief,
		 const char *detail)
{
	BENCH_PUSH(facts->arena, facts->list, facts->count) =
		(struct bench_why_fact){.place = place, .what = what, .brief = brief, .detail = detail};
}

/* "2 lines of diff": how many a diff has of each sign. */
static char *count_lines(struct bench_arena *arena, const char *diff)
{
	size_t gone = 0, come = 0;
	for (const char *line = diff; *line; line += strcspn(line, "\n") + 1) {
		gone += *line == '-';
		come += *line == '+';
	}
	return bench_arena_format(arena, "-%zu +%zu lines", gone, come);
}

static void compare_texts(struct app_why_facts *facts, const char *what, const char *base, const char *head)
{
	struct bench_arena *arena = facts->arena;
	if (strcmp(base, head) == 0)
		return;
	if (!strchr(base, '\n') && !strchr(head, '\n')) {
		app_why_add(facts, BENCH_FACT_LAST, what, bench_arena_format(arena, "%s -> %s", base, head),
			    NULL);
		return;
	}
	const char *diff = app_why_diff(arena, base, head);
	app_why_add(facts, BENCH_FACT_LAST, what, count_lines(arena, diff), diff);
}

/* Texts of the two objects that differ; where a kernel or a plug-in lies is no difference. */
static void compare_objects(struct app_why_facts *facts, const char *kind, const cJSON *base,
			    const cJSON *head)
{
	const cJSON *item;
	cJSON_ArrayForEach(item, head)
	{
		const cJSON *other = bench_json_member(base, item->string);
		char *a, *b;
		if (strcmp(item->string, "hash") == 0 && cJSON_IsString(item) && cJSON_IsString(other) &&
		    strcmp(item->valuestring, other->valuestring) != 0)
			app_why_add(facts, BENCH_FACT_LISTED, kind, "its content differs", NULL);
		if (strcmp(item->string, "hash") == 0 || strcmp(item->string, "path") == 0 ||
		    strstr(item->string, "file") || strcmp(item->string, "hashes") == 0)
			continue;
		/* A specification in the source's comment is part of the source. */
		if (strcmp(item->string, "spec") == 0 &&
		    strcmp(bench_json_string_or(head, "file", ""),
			   bench_json_string_or(head, "spec_file", "-")) == 0)
			continue;
		if (cJSON_IsString(item) && cJSON_IsString(other)) {
			compare_texts(facts, bench_arena_format(facts->arena, "%s %s", kind, item->string),
				      other->valuestring, item->valuestring);
			continue;
		}
		a = other ? bench_json_print(cJSON_Duplicate(other, true), false) : NULL;
		b = bench_json_print(cJSON_Duplicate(item, true), false);
		compare_texts(facts, bench_arena_format(facts->arena, "%s %s", kind, item->string),
			      a ? a : "", b ? b : "");
		free(a);
		free(b);
	}
}

static void compare_extensions(struct app_why_facts *facts, const struct bench_session_program *base,
			       const struct bench_session_program *head)
{
	if (base->extension_count != head->extension_count)
		app_why_add(facts, BENCH_FACT_LAST, "extensions",
			    bench_arena_format(facts->arena, "%zu -> %zu", base->extension_count,
					       head->extension_count),
			    NULL);
	for (size_t i = 0; i < base->extension_count && i < head->extension_count; i++) {
		cJSON *a = bench_json_parse(base->extensions[i], strlen(base->extensions[i]), "base", NULL);
		cJSON *b = bench_json_parse(head->extensions[i], strlen(head->extensions[i]), "head", NULL);
		const char *kind = bench_arena_string(facts->arena, bench_json_string_or(b, "kind", "code"));
		if (a && b)
			compare_objects(facts, kind, a, b);
		cJSON_Delete(a);
		cJSON_Delete(b);
	}
}

static char *join(struct bench_arena *arena, char *const *words, size_t count)
{
	struct bench_text text = {0};
	for (size_t i = 0; i < count; i++)
		bench_text_add(&text, "%s%s", i ? " " : "", words[i]);
	return count ? bench_text_keep(&text, arena) : bench_arena_string(arena, "(none)");
}

static void compare_sides(struct app_why_facts *facts, const struct bench_duel *sides)
{
	const struct bench_session_program *base = &sides->base, *head = &sides->head;
	struct bench_arena *arena = facts->arena;
	compare_extensions(facts, base, head);
	compare_texts(facts, "environment", join(arena, base->assignments, base->assignment_count),
		      join(arena, head->assignments, head->assignment_count));
	if (base->version && head->version)
		compare_texts(facts, "version of bench", base->version, head->version);
}

/* The function that explains most, where both sides have it in a file. */
static void compare_mix(struct app_why_facts *facts, const struct bench_why *why)
{
	struct bench_arena *arena = facts->arena;
	for (size_t i = 0; i < why->row_count; i++) {
		const struct bench_why_row *row = &why->rows[i];
		struct app_why_mix base, head;
		if (row->about->rank != BENCH_RANK_FUNCTION || !row->explains || !row->base_file ||
		    !row->head_file)
			continue;
		if (!app_why_mix(row->base_file, row->function, &base) ||
		    !app_why_mix(row->head_file, row->function, &head)) {
			app_why_add(
				facts, BENCH_FACT_LISTED, "instruction mix",
				"not read: it takes objdump and a file with symbols (apt install binutils)",
				NULL);
			return;
		}
		double from = (double)base.vector / (double)base.instructions,
		       to = (double)head.vector / (double)head.instructions;
		if (to - from >= MIX_LEAST || from - to >= MIX_LEAST)
			app_why_add(facts,
				    (to < from) == (why->answer == BENCH_WHY_SLOWER) ? BENCH_FACT_FIRST
										     : BENCH_FACT_LISTED,
				    "vector instructions",
				    bench_arena_format(arena, "%.0f%% -> %.0f%% of %s", 100 * from, 100 * to,
						       row->function),
				    NULL);
		return;
	}
}

void bench_app_why_facts(struct bench_whys *whys, const struct bench_run *run, const struct bench_duel *sides)
{
	for (size_t i = 0; i < whys->count; i++) {
		struct bench_why *why = &whys->cases[i];
		struct app_why_facts facts = {.arena = &whys->arena};
		compare_mix(&facts, why);
		app_why_kernels(&facts, bench_record_find(run, why->key));
		compare_sides(&facts, sides);
		why->facts = facts.list;
		why->fact_count = facts.count;
	}
}
