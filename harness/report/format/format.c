/* SPDX-License-Identifier: MIT */
#include "report/format/format.h"

#include <string.h>

#define ADDRESS(name) &bench_format_##name,
const struct bench_format *const bench_formats[] = {BENCH_FORMATS(ADDRESS) NULL};

#define COUNT (sizeof(bench_formats) / sizeof(bench_formats[0]) - 1)

static bool can_render(const struct bench_format *format, enum bench_rendered what)
{
	const bool can[BENCH_RENDERED] = {[BENCH_RENDERED_RUN] = format->run,
					  [BENCH_RENDERED_COMPARISON] = format->comparison,
					  [BENCH_RENDERED_GRID] = format->grid,
					  [BENCH_RENDERED_POWER] = format->power,
					  [BENCH_RENDERED_COLUMNS] = format->columns};
	return can[what];
}

/* "a, b LAST c" */
static char *join(struct bench_arena *arena, const char *const *items, size_t count, const char *last)
{
	char *list = bench_arena_string(arena, count ? items[0] : "none");
	for (size_t i = 1; i < count; i++)
		list = i + 1 < count ? bench_arena_format(arena, "%s, %s", list, items[i])
				     : bench_arena_format(arena, "%s %s %s", list, last, items[i]);
	return list;
}

char *bench_format_list(struct bench_arena *arena, enum bench_rendered what, const char *last)
{
	const char *names[COUNT];
	size_t count = 0;
	for (size_t i = 0; i < COUNT; i++)
		if (can_render(bench_formats[i], what))
			names[count++] = bench_formats[i]->name;
	return join(arena, names, count, last);
}

static int no_such_format(const char *text, struct bench_error *error)
{
	BENCH_SCOPED_ARENA arena = {0};
	const char *names[COUNT];
	for (size_t i = 0; i < COUNT; i++)
		names[i] = bench_formats[i]->name;
	const char *nearest = bench_text_nearest(text, names, COUNT);
	bench_fail(error, BENCH_USAGE, "there is no format '%.40s'; the formats are %s%s%s%s", text,
		   join(&arena, names, COUNT, "and"), nearest ? " (did you mean '" : "",
		   nearest ? nearest : "", nearest ? "'?)" : "");
	return -1;
}

static int cannot_render(const struct bench_format *format, const char *verb, enum bench_rendered what,
			 struct bench_error *error)
{
	static const char *const things[BENCH_RENDERED] = {
		[BENCH_RENDERED_RUN] = "runs ('bench show' gives it)",
		[BENCH_RENDERED_COMPARISON] = "verdicts ('bench compare' and 'bench gate' give it)",
		[BENCH_RENDERED_GRID] = "lists ('bench list' gives it)",
		[BENCH_RENDERED_POWER] = "power ('bench power' gives it)",
		[BENCH_RENDERED_COLUMNS] = "several columns ('bench compare RUN RUN RUN' gives it)",
	};
	BENCH_SCOPED_ARENA arena = {0};
	const char *able[BENCH_RENDERED];
	size_t count = 0;
	for (enum bench_rendered other = 0; other < BENCH_RENDERED; other++)
		if (can_render(format, other))
			able[count++] = things[other];
	bench_fail(error, BENCH_USAGE, "bench %s cannot give %s, which is for %s; it can give %s", verb,
		   format->name, join(&arena, able, count, "and"), bench_format_list(&arena, what, "and"));
	return -1;
}

int bench_format_parse(const char *text, const char *verb, enum bench_rendered what,
		       const struct bench_format **format, struct bench_error *error)
{
	for (size_t i = 0; i < COUNT; i++) {
		if (strcmp(text, bench_formats[i]->name) != 0)
			continue;
		if (!can_render(bench_formats[i], what))
			return cannot_render(bench_formats[i], verb, what, error);
		*format = bench_formats[i];
		return 0;
	}
	return no_such_format(text, error);
}

size_t bench_format_next(struct bench_arena *arena, const struct bench_comparison *comparison,
			 const struct bench_report_options *options, struct bench_next **next)
{
	const struct bench_next_source source = {.comparison = comparison,
						 .candidate = options->candidate,
						 .gate = options->gate,
						 .failing = options->failing,
						 .command = options->command,
						 .places = options->places};
	return bench_render_next(arena, &source, next);
}
