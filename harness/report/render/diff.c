/* SPDX-License-Identifier: MIT */
#include "report/render/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "report/render/words.h"

/* A row of results. */
struct row {
	const char *what, *first, *second;
	double ratio; /* of the second over the first; NaN: there is none */
	enum bench_better better;
	bool differs;
};

struct diff {
	const struct bench_run *first, *second;
	const struct bench_diff_options *options;
	struct bench_grid *grid;
	struct bench_arena arena;
	struct row *rows; /* of results */
	size_t row_count;
	size_t same;
};

/* What a cell may have where the terminal is narrow; nothing is cut, since the end of a text may be what
 * differs. */
static bool fits(const struct diff *diff, const char *text)
{
	enum { OTHERS = 23, LEAST = 8 }; /* what part, change and gaps take */
	unsigned width = diff->options->width;
	size_t most = width > OTHERS + 3 * LEAST ? (width - OTHERS) / 3 : LEAST;
	return width == 0 || bench_render_words_columns(text) <= most;
}

/* A text in its cell, or under its row. */
static void put(struct diff *diff, size_t row, size_t column, const char *text)
{
	struct bench_grid *grid = diff->grid;
	if (fits(diff, text))
		bench_render_grid_put(grid, row, column, text);
	else
		bench_render_grid_under(
			grid, row,
			bench_arena_format(&diff->arena, "%s: %s", grid->columns[column].title, text));
}

static void add_row(struct diff *diff, const char *part, const struct row *row)
{
	struct bench_grid *grid = diff->grid;
	struct bench_text change = {0};
	bool worse = (row->ratio > 1) == (row->better == BENCH_BETTER_LOWER);
	if (!row->differs && !diff->options->all) {
		diff->same++;
		return;
	}
	size_t at = bench_render_grid_row(grid);
	bench_render_grid_put(grid, at, 0, part);
	if (fits(diff, row->what)) {
		bench_render_grid_put(grid, at, 1, row->what);
	} else {
		bench_render_grid_across(grid, at, 1, BENCH_TONE_PLAIN, row->what);
		if ((*row->first && fits(diff, row->first)) || (*row->second && fits(diff, row->second)))
			at = bench_render_grid_row(grid);
	}
	put(diff, at, 2, row->first);
	put(diff, at, 3, row->second);
	if (isfinite(row->ratio) && diff->options->exact)
		bench_render_words_add_number(&change, row->ratio);
	else if (isfinite(row->ratio))
		bench_text_add(&change, "%s", bench_render_words_change(&diff->arena, row->ratio));
	bench_render_grid_set(grid, at, 4,
			      !row->differs || !isfinite(row->ratio) || row->better == BENCH_BETTER_NONE
				      ? BENCH_TONE_PLAIN
			      : worse ? BENCH_TONE_BAD
				      : BENCH_TONE_GOOD,
			      bench_text_keep(&change, &diff->arena));
}

static void add_fact(struct diff *diff, const char *part, const char *what, const char *first,
		     const char *second)
{
	add_row(diff, part,
		&(struct row){what, first, second, NAN, BENCH_BETTER_NONE, strcmp(first, second) != 0});
}

/* The facts of both: in the first one's order, then those that only the second one has. */
static void add_facts(struct diff *diff, const char *part, const struct bench_attribute *first,
		      size_t first_count, const struct bench_attribute *second, size_t second_count)
{
	for (size_t i = 0; i < first_count; i++)
		add_fact(diff, part, first[i].name, first[i].value,
			 bench_record_attribute_get(second, second_count, first[i].name));
	for (size_t i = 0; i < second_count; i++)
		if (!*bench_record_attribute_get(first, first_count, second[i].name))
			add_fact(diff, part, second[i].name, "", second[i].value);
}

static char *quantity(struct diff *diff, double value, const char *unit)
{
	return diff->options->exact ? bench_render_words_number(&diff->arena, value)
				    : bench_render_words_quantity(&diff->arena, value, unit);
}

/* 0: not measured. */
static char *ceiling(struct diff *diff, double value, const char *unit)
{
	return quantity(diff, value > 0 ? value : NAN, unit);
}

static char *moment(struct diff *diff, int64_t seconds)
{
	char text[40];
	(diff->options->exact ? bench_clock_iso : bench_clock_minute)(seconds, text, sizeof(text));
	return bench_arena_string(&diff->arena, text);
}

/* How it came to its end. */
static const char *end_of(const struct bench_run *run)
{
	return run->interrupted ? "interrupted" : run->finished ? "finished" : "cut short";
}

static void add_run(struct diff *diff)
{
	const struct bench_run *a = diff->first, *b = diff->second;
	add_fact(diff, "run", "id", a->id, b->id);
	add_fact(diff, "run", "started", moment(diff, a->started), moment(diff, b->started));
	add_fact(diff, "run", "end", end_of(a), end_of(b));
	add_fact(diff, "run", "command", a->command, b->command);
	add_facts(diff, "label", a->labels, a->label_count, b->labels, b->label_count);
}

static void add_plan(struct diff *diff)
{
	const struct bench_run *a = diff->first, *b = diff->second;
	const struct bench_selection *s = &a->selection, *t = &b->selection;
	add_fact(diff, "plan", "preset", bench_record_preset(a), bench_record_preset(b));
	add_fact(diff, "plan", "suites", bench_render_words_list(&diff->arena, s->suites, s->suite_count),
		 bench_render_words_list(&diff->arena, t->suites, t->suite_count));
	add_fact(diff, "plan", "targets", bench_render_words_list(&diff->arena, s->targets, s->target_count),
		 bench_render_words_list(&diff->arena, t->targets, t->target_count));
	add_fact(diff, "plan", "backends", s->backends, t->backends);
	add_fact(diff, "plan", "filter", s->filter, t->filter);
	add_fact(diff, "plan", "sets", bench_render_words_list(&diff->arena, s->sets, s->set_count),
		 bench_render_words_list(&diff->arena, t->sets, t->set_count));
	add_fact(diff, "plan", "extensions",
		 bench_render_words_list(&diff->arena, s->extensions, s->extension_count),
		 bench_render_words_list(&diff->arena, t->extensions, t->extension_count));
	add_fact(diff, "plan", "cases", bench_render_words_number(&diff->arena, (double)a->result_count),
		 bench_render_words_number(&diff->arena, (double)b->result_count));
	add_fact(diff, "plan", "invocations", bench_render_words_number(&diff->arena, a->invocations),
		 bench_render_words_number(&diff->arena, b->invocations));
	add_fact(diff, "plan", "budget", quantity(diff, a->budget_seconds, "s"),
		 quantity(diff, b->budget_seconds, "s"));
	add_fact(diff, "plan", "precision", bench_render_words_number(&diff->arena, a->precision),
		 bench_render_words_number(&diff->arena, b->precision));
	add_fact(diff, "plan", "seed", bench_arena_format(&diff->arena, "%llu", (unsigned long long)a->seed),
		 bench_arena_format(&diff->arena, "%llu", (unsigned long long)b->seed));
}

/* People tell commits by twelve digits. */
static const char *commit(struct diff *diff, const struct bench_git *git)
{
	return bench_arena_format(&diff->arena, "%.*s", diff->options->exact ? 64 : 12,
				  git->present ? git->commit : "");
}

static void add_git(struct diff *diff)
{
	const struct bench_git *a = &diff->first->git, *b = &diff->second->git;
	add_fact(diff, "git", "commit", commit(diff, a), commit(diff, b));
	add_fact(diff, "git", "branch", a->present ? a->branch : "", b->present ? b->branch : "");
	add_fact(diff, "git", "dirty files",
		 bench_render_words_list(&diff->arena, a->dirty_files, a->dirty_count),
		 bench_render_words_list(&diff->arena, b->dirty_files, b->dirty_count));
}

/* Each NULL: that run has no such device. */
static void add_device(struct diff *diff, const struct bench_device_record *a,
		       const struct bench_device_record *b)
{
	const struct bench_device_record *any = a ? a : b;
	const char *name = bench_arena_format(&diff->arena, "%s:%s", any->backend, any->info.slug);
	if (!a || !b) {
		add_row(diff, "device",
			&(struct row){name, a ? "measured" : "", b ? "measured" : "", NAN, BENCH_BETTER_NONE,
				      true});
		return;
	}
	const struct {
		const char *what;
		const char *first, *second;
	} facts[] = {
		{"name", a->info.name, b->info.name},
		{"platform", a->info.platform, b->info.platform},
		{"driver", a->info.driver, b->info.driver},
		{"compute units", bench_render_words_number(&diff->arena, a->info.compute_units),
		 bench_render_words_number(&diff->arena, b->info.compute_units)},
		{"clock_mhz", bench_render_words_number(&diff->arena, a->info.clock_mhz),
		 bench_render_words_number(&diff->arena, b->info.clock_mhz)},
		{"memory", quantity(diff, (double)a->info.memory_bytes, "B"),
		 quantity(diff, (double)b->info.memory_bytes, "B")},
		{"ceiling of memory", ceiling(diff, a->ceilings.bandwidth, "B/s"),
		 ceiling(diff, b->ceilings.bandwidth, "B/s")},
	};
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		add_fact(diff, "device", bench_arena_format(&diff->arena, "%s %s", name, facts[i].what),
			 facts[i].first, facts[i].second);
	for (size_t i = 0; i < BENCH_CEILING_TYPES; i++) {
		const double rates[] = {a->ceilings.flop_rate[i], b->ceilings.flop_rate[i]};
		if (rates[0] > 0 || rates[1] > 0)
			add_fact(diff, "device",
				 bench_arena_format(&diff->arena, "%s ceiling %s", name,
						    bench_record_ceiling_types[i]),
				 ceiling(diff, rates[0], "FLOP/s"), ceiling(diff, rates[1], "FLOP/s"));
	}
}

static void add_devices(struct diff *diff)
{
	const struct bench_run *a = diff->first, *b = diff->second;
	for (size_t i = 0; i < a->device_count; i++)
		add_device(diff, &a->devices[i],
			   bench_record_device(b, a->devices[i].backend, a->devices[i].info.slug));
	for (size_t i = 0; i < b->device_count; i++)
		if (!bench_record_device(a, b->devices[i].backend, b->devices[i].info.slug))
			add_device(diff, NULL, &b->devices[i]);
}

static void keep(struct diff *diff, struct row row)
{
	BENCH_PUSH(&diff->arena, diff->rows, diff->row_count) = row;
}

/* Each NULL: that run has not measured it. */
static void compare_metric(struct diff *diff, const char *case_key, const struct bench_metric *a,
			   const struct bench_metric *b)
{
	const struct bench_metric *any = a ? a : b;
	const struct bench_summary *s = a ? &a->summary : NULL, *t = b ? &b->summary : NULL;
	if (!any || *any->derived_from)
		return;
	keep(diff,
	     (struct row){
		     bench_arena_format(&diff->arena, "%s/%s", case_key, any->name),
		     a ? quantity(diff, s->median, a->unit) : "",
		     b ? quantity(diff, t->median, b->unit) : "",
		     a && b ? t->median / s->median : NAN,
		     any->better,
		     /* Where an interval is not known, any difference is one. */
		     !a || !b || (s->median != t->median && !(s->ci_hi >= t->ci_lo && t->ci_hi >= s->ci_lo)),
	     });
}

/* "incorrect: REASON"; the status of a case that one of the runs lacks is "". */
static const char *ended(struct diff *diff, const struct bench_result *result)
{
	if (!result)
		return "";
	return bench_arena_format(&diff->arena, "%s%s%s", bench_record_status_name(result->status),
				  *result->reason ? ": " : "", result->reason);
}

/* Each NULL: that run has no such case. */
static void compare_result(struct diff *diff, const struct bench_result *a, const struct bench_result *b)
{
	if (!a || !b || a->status != BENCH_STATUS_OK || b->status != BENCH_STATUS_OK) {
		const char *first = ended(diff, a), *second = ended(diff, b);
		keep(diff, (struct row){a ? a->key : b->key, first, second, NAN, BENCH_BETTER_NONE,
					strcmp(first, second) != 0});
		return;
	}
	for (size_t i = 0; i < a->metric_count; i++)
		compare_metric(diff, a->key, &a->metrics[i], bench_record_metric(b, a->metrics[i].name));
	for (size_t i = 0; i < b->metric_count; i++)
		if (!bench_record_metric(a, b->metrics[i].name))
			compare_metric(diff, b->key, NULL, &b->metrics[i]);
}

static int by_key(const void *left, const void *right)
{
	const struct bench_result *const *a = left, *const *b = right;
	return strcmp((*a)->key, (*b)->key);
}

static const struct bench_result **sorted(struct diff *diff, const struct bench_run *run)
{
	const struct bench_result **list =
		bench_arena_alloc(&diff->arena, run->result_count + 1, sizeof(*list));
	for (size_t i = 0; i < run->result_count; i++)
		list[i] = &run->results[i];
	qsort(list, run->result_count, sizeof(*list), by_key);
	return list;
}

/* What has no ratio first, then the largest change. */
static int by_change(const void *left, const void *right)
{
	const struct row *a = left, *b = right;
	double x = isfinite(a->ratio) && a->ratio > 0 ? fabs(log(a->ratio)) : INFINITY;
	double y = isfinite(b->ratio) && b->ratio > 0 ? fabs(log(b->ratio)) : INFINITY;
	if (a->differs != b->differs)
		return a->differs ? -1 : 1;
	return x > y ? -1 : x < y ? 1 : strcmp(a->what, b->what);
}

static void add_results(struct diff *diff)
{
	const struct bench_result **a = sorted(diff, diff->first), **b = sorted(diff, diff->second);
	/* Both lists end with NULL. */
	while (*a || *b) {
		int order = !*a ? 1 : !*b ? -1 : strcmp((*a)->key, (*b)->key);
		compare_result(diff, order <= 0 ? *a : NULL, order >= 0 ? *b : NULL);
		a += order <= 0;
		b += order >= 0;
	}
	if (diff->row_count)
		qsort(diff->rows, diff->row_count, sizeof(*diff->rows), by_change);
	for (size_t i = 0; i < diff->row_count; i++)
		add_row(diff, "result", &diff->rows[i]);
}

size_t bench_render_diff_grid(const struct bench_run *first, const struct bench_run *second,
			      const struct bench_diff_options *options, struct bench_grid *grid)
{
	static const struct bench_grid_column columns[] = {{"part", false, 1},
							   {"what", false, 0},
							   {"first", false, 0},
							   {"second", false, 0},
							   {"change", true, 0}};
	struct diff diff = {.first = first, .second = second, .options = options, .grid = grid};
	bench_render_grid_columns(grid, columns, sizeof(columns) / sizeof(columns[0]));
	add_run(&diff);
	add_plan(&diff);
	add_git(&diff);
	add_facts(&diff, "host", first->host, first->host_count, second->host, second->host_count);
	add_devices(&diff);
	add_results(&diff);
	bench_arena_free(&diff.arena);
	return diff.same;
}
