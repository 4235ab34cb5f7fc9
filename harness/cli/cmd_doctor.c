/* SPDX-License-Identifier: MIT */
/* bench doctor: is this machine fit to measure; what was found, what it costs, how to change it. */
#include <string.h>

#include "app/doctor.h"
#include "cli/arguments.h"
#include "cli/call.h"
#include "cli/output.h"
#include "core/text.h"
#include "report/render/words.h"

static const struct cli_option options[] = {
	CLI_OPTION_DB,
	CLI_OPTION_RUNS_DIR,
	CLI_OPTION_FORMAT,
	{0},
};

/* The next line of at most `width` characters, broken at a blank, off the front of *rest; NULL at the end. */
static char *next_line(struct bench_arena *arena, const char **rest, size_t width)
{
	const char *text = *rest, *end = text;
	if (!text || !*text)
		return NULL;
	for (const char *at = text;; at++) {
		if (*at && *at != ' ')
			continue;
		char *line = bench_arena_format(arena, "%.*s", (int)(at - text), text);
		if (end > text && width && bench_render_words_columns(line) > width)
			break;
		end = at;
		if (!*at)
			break;
	}
	*rest = *end ? end + 1 : end;
	return bench_arena_format(arena, "%.*s", (int)(end - text), text);
}

/* `text` in the third column, in as many rows as it takes; the first of them is `row`. Returns the last. */
static size_t put_wrapped(struct bench_grid *grid, size_t row, const char *text, size_t width)
{
	const char *rest = text;
	char *line = next_line(&grid->arena, &rest, width);
	while (line) {
		bench_render_grid_put(grid, row, 2, line);
		line = next_line(&grid->arena, &rest, width);
		if (line)
			row = bench_render_grid_row(grid);
	}
	return row;
}

static void put_name(struct bench_grid *grid, size_t row, const struct bench_finding *finding)
{
	static const enum bench_tone tones[] = {BENCH_TONE_GOOD, BENCH_TONE_DOUBT, BENCH_TONE_BAD,
						BENCH_TONE_DOUBT};
	bench_render_grid_put(grid, row, 0, finding->name);
	bench_render_grid_set(grid, row, 1, tones[finding->grade], bench_fitness_grade_name(finding->grade));
}

/* For people: what was found in the third column, cost and change below it, the command never cut. */
static void fill_table(const struct bench_fitness *fitness, unsigned width, struct bench_grid *grid)
{
	size_t names = strlen("check"), left;
	bench_render_grid_column(grid, "check", false, 0);
	bench_render_grid_column(grid, "grade", false, 0);
	bench_render_grid_column(grid, "found", false, 0);
	for (size_t i = 0; i < fitness->count; i++)
		if (strlen(fitness->findings[i].name) > names)
			names = strlen(fitness->findings[i].name);
	/* The margin, the names, the grades, and the gaps behind both: as the grid lays it out. */
	left = 2 + names + 2 + strlen("unknown") + 2;
	size_t room = width > left + 20 ? width - left : width ? 20 : 0;
	for (size_t i = 0; i < fitness->count; i++) {
		const struct bench_finding *finding = &fitness->findings[i];
		size_t row = bench_render_grid_row(grid);
		put_name(grid, row, finding);
		row = put_wrapped(grid, row, bench_render_words_line(&grid->arena, finding->found), room);
		if (finding->cost)
			row = put_wrapped(grid, bench_render_grid_row(grid),
					  bench_arena_format(&grid->arena, "cost: %s", finding->cost), room);
		if (finding->change)
			row = put_wrapped(grid, bench_render_grid_row(grid),
					  bench_arena_format(&grid->arena, "change: %s", finding->change),
					  room);
		if (finding->command)
			bench_render_grid_under(grid, row,
						bench_arena_format(&grid->arena, "%*s%s", (int)left - 2, "",
								   finding->command));
	}
}

/* For programs and documents: a column a field. */
static void fill_columns(const struct bench_fitness *fitness, struct bench_grid *grid)
{
	static const char *const titles[] = {"check", "grade", "found", "cost", "change", "command"};
	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
		bench_render_grid_column(grid, titles[i], false, 0);
	for (size_t i = 0; i < fitness->count; i++) {
		const struct bench_finding *finding = &fitness->findings[i];
		const char *texts[] = {finding->found, finding->cost, finding->change, finding->command};
		size_t row = bench_render_grid_row(grid);
		put_name(grid, row, finding);
		for (size_t c = 0; c < sizeof(texts) / sizeof(texts[0]); c++)
			bench_render_grid_put(grid, row, 2 + c, texts[c] ? texts[c] : "");
	}
}

/* "not fit: 2 findings (governor, load); bench duel still judges here" */
static void add_verdict(const struct bench_fitness *fitness, bool color, struct bench_text *out)
{
	size_t bad = bench_fitness_count(fitness, BENCH_GRADE_BAD), named = 0;
	if (bad == 0) {
		bench_render_tone_add(out, color, BENCH_TONE_GOOD, "fit to measure");
		bench_text_add(out, "\n");
		return;
	}
	bench_render_tone_add(out, color, BENCH_TONE_BAD, "not fit");
	bench_text_add(out, ": %zu finding%s (", bad, bench_text_plural(bad));
	for (size_t i = 0; i < fitness->count; i++)
		if (fitness->findings[i].grade == BENCH_GRADE_BAD)
			bench_text_add(out, "%s%s", named++ ? ", " : "", fitness->findings[i].name);
	bench_text_add(out, "); bench duel still judges here\n");
}

static int print(struct cli_call *call, const struct bench_fitness *fitness)
{
	const size_t bad = bench_fitness_count(fitness, BENCH_GRADE_BAD);
	if (call->report.format->terminal)
		fill_table(fitness, call->report.width, &call->grid);
	else
		fill_columns(fitness, &call->grid);
	/* The texts are wrapped already: the grid has nothing to cut. */
	call->report.width = 0;
	cli_add_grid(call);
	if (!call->report.format->exact) {
		bench_text_add(&call->out, "\n");
		add_verdict(fitness, call->report.color, &call->out);
	}
	return cli_print(&call->out, bad ? CLI_SLOWER : CLI_OK);
}

static int doctor(struct cli_call *call, struct bench_error *error)
{
	const struct bench_app_places places = cli_places(call->args);
	struct bench_fitness fitness = {0};
	int status = bench_app_doctor(&places, &fitness, error);
	if (status == 0)
		status = print(call, &fitness);
	bench_fitness_free(&fitness);
	return status;
}

const struct cli_verb cli_doctor = {
	.name = "doctor",
	.summary = "check whether this machine is fit to measure",
	.usage = "[--format F]",
	.about = "Reports what disturbs measurements on this machine, what each item costs, and how to "
		 "change it. Watches the machine for one second, and runs a test load for two. Changes "
		 "nothing.\n"
		 "Exit status: 0 fit; 1 not fit, because something is graded bad; 5 if nothing could be "
		 "examined.",
	.examples = "bench doctor\n"
		    "bench doctor --format json >doctor.json\n"
		    "bench doctor >/dev/null || echo 'not tonight'",
	.options = options,
	.rendered = BENCH_RENDERED_GRID,
	.max_operands = 0,
	.run = doctor,
};
