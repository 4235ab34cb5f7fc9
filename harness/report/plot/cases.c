/* SPDX-License-Identifier: MIT */
/* The cases of a suite as points over their parameters. */
#include "report/plot/cases.h"

#include <math.h>
#include <string.h>

#include "report/plot/page.h"
#include "report/render/block.h"
#include "report/render/words.h"
#include "stats/stats.h"

/* Rates first; times where no result of the suite has a rate. */
int bench_plot_cases_collect(struct bench_plot_cases *cases, const struct bench_run *run, const char *suite,
			     struct bench_error *error)
{
	static const char *const units[] = {"FLOP/s", "B/s", "item/s", "s"};
	bool known = false;
	cases->suite = suite;
	for (size_t u = 0; u < sizeof(units) / sizeof(units[0]) && cases->count == 0; u++)
		for (size_t i = 0; i < run->result_count; i++) {
			const struct bench_result *result = &run->results[i];
			if (strcmp(result->suite, suite) != 0)
				continue;
			known = true;
			const struct bench_metric *metric =
				strcmp(units[u], "s") == 0 ? bench_record_metric(result, "time")
							   : bench_render_block_metric(result, units[u]);
			if (result->status == BENCH_STATUS_OK && metric &&
			    bench_render_axis_is_usable(metric->summary.median))
				BENCH_PUSH(cases->arena, cases->items, cases->count) =
					(struct bench_plot_case){result, metric};
		}
	if (!known)
		return bench_fail(error, BENCH_NOTHING, "run %s has no results of a suite '%.60s'", run->id,
				  suite);
	if (cases->count == 0)
		return bench_fail(
			error, BENCH_NOTHING,
			"run %s has no case of suite %s that is ok, so that there is nothing to plot",
			run->id, suite);
	return 0;
}

size_t bench_plot_cases_values(const struct bench_plot_cases *cases, const char *name, double **values)
{
	double *all = bench_arena_alloc(cases->arena, cases->count, sizeof(*all));
	size_t distinct = 0, count = 0;
	*values = all;
	for (size_t i = 0; i < cases->count; i++) {
		const char *text = bench_record_param(cases->items[i].result, name);
		if (*text && !bench_text_real(text, &all[count++]))
			return 0;
	}
	if (count == 0)
		return 0;
	bench_stats_sort(all, count);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || all[i] > all[distinct - 1])
			all[distinct++] = all[i];
	return distinct;
}

/* The parameters of all cases, in the order in which they come: imported ones may differ in theirs. */
static char **all_names(const struct bench_plot_cases *cases, size_t *count)
{
	char **names = NULL;
	*count = 0;
	for (size_t c = 0; c < cases->count; c++)
		for (size_t i = 0; i < cases->items[c].result->param_count; i++)
			bench_text_find_or_add(cases->arena, &names, count, sizeof(*names),
					       cases->items[c].result->params[i].name);
	return names;
}

void bench_plot_cases_keep(struct bench_plot_cases *cases, const char *name)
{
	size_t kept = 0;
	for (size_t i = 0; i < cases->count; i++)
		if (*bench_record_param(cases->items[i].result, name))
			cases->items[kept++] = cases->items[i];
	cases->count = kept;
}

int bench_plot_cases_check(const struct bench_plot_cases *cases, const char *name, struct bench_error *error)
{
	size_t count;
	char *const *known = all_names(cases, &count);
	BENCH_SCOPED_TEXT names = {0};
	double *values;
	bool exists = false, numbers = bench_plot_cases_values(cases, name, &values) > 0;
	for (size_t i = 0; i < count; i++) {
		exists |= strcmp(known[i], name) == 0;
		bench_text_add(&names, "%s%s", i ? ", " : "", known[i]);
	}
	if (!exists)
		bench_fail(error, BENCH_USAGE, "suite %s has no parameter '%.60s'; it has %s", cases->suite,
			   name, names.data ? names.data : "none");
	else if (!numbers)
		bench_fail(
			error, BENCH_USAGE,
			"parameter '%s' of suite %s is not a number, so that nothing can be plotted over it",
			name, cases->suite);
	return exists && numbers ? 0 : -1;
}

const char *bench_plot_cases_choose(const struct bench_plot_cases *cases, const char * not )
{
	const char *chosen = NULL;
	size_t most = not ? 1 : 0, count;
	char *const *names = all_names(cases, &count);
	for (size_t i = 0; i < count; i++) {
		const char *name = names[i];
		double *values;
		size_t distinct = bench_plot_cases_values(cases, name, &values);
		if (distinct > most &&
		    !(not &&(strcmp(name, not ) == 0 || bench_plot_cases_is_same(cases, name, not )))) {
			chosen = name;
			most = distinct;
		}
	}
	return chosen;
}

bool bench_plot_cases_goes_along(const struct bench_plot_cases *cases, const char *name,
				 const char *parameter)
{
	const char *seen = NULL;
	for (size_t i = 0; i < cases->count; i++) {
		const char *value = bench_record_param(cases->items[i].result, parameter);
		if (strcmp(bench_record_param(cases->items[i].result, name), value) != 0)
			continue;
		if (seen && strcmp(seen, value) != 0)
			return true;
		seen = value;
	}
	return false;
}

bool bench_plot_cases_is_same(const struct bench_plot_cases *cases, const char *name, const char *parameter)
{
	for (size_t i = 0; i < cases->count; i++)
		if (strcmp(bench_record_param(cases->items[i].result, name),
			   bench_record_param(cases->items[i].result, parameter)) != 0)
			return false;
	return bench_plot_cases_goes_along(cases, name, parameter);
}

char *bench_plot_cases_axis(const struct bench_plot_cases *cases, const char *parameter)
{
	struct bench_text text = {0};
	const struct bench_result *first = cases->items[0].result;
	bench_text_add(&text, "%s", parameter);
	for (size_t i = 0; i < first->param_count; i++) {
		const char *name = first->params[i].name;
		if (strcmp(name, parameter) != 0 && bench_plot_cases_is_same(cases, name, parameter))
			bench_text_add(&text, " = %s", name);
	}
	return bench_render_words_keep(&text, cases->arena);
}

const char *bench_plot_cases_unit(const struct bench_plot_cases *cases, double *factor)
{
	double largest = 0;
	for (size_t i = 0; i < cases->count; i++)
		largest = fmax(largest, cases->items[i].metric->summary.median);
	const char *own = cases->items[0].metric->unit, *unit = bench_text_scale(largest, own, factor);
	return strcmp(own, "s") == 0 ? bench_arena_format(cases->arena, "time, %s", unit) : unit;
}
