/* SPDX-License-Identifier: MIT */
/*
 * The geometric mean of several metrics, judged by the rules of a single one.
 *
 * An invocation of the mean is the geometric mean of the cases' medians in that invocation. Cases of one
 * process share its luck (memory layout, temperature, other programs), so that their errors are correlated:
 * the spread of these means from invocation to invocation has that in it, whereas the cases' own intervals,
 * taken for independent, would not. What runs of one code differ by is allowed for as for any metric.
 *
 * An invocation that lacks some of the cases, or in which they were disturbed, is the mean of the others'
 * deviations from their own level, so that it does not move the level. It needs half of the cases.
 *
 * The estimate is that of these means, and not the mean of the cases' estimates: one slow process moves all
 * of those alike, which no spread shows (tests/statistics/means.c).
 */
#include <stdlib.h>
#include <string.h>

#include "compare/duel.h"
#include "compare/internal.h"

/* The metrics of one group, as indices of options.mean_of. */
struct group {
	const char *name, *metric;
	const size_t *members;
	size_t count;
};

struct making {
	struct bench_arena arena;
	struct bench_comparison *comparison;
	struct group *groups;
	size_t group_count;
};

/* A value of a parameter in the key, up to the next one. */
static size_t find_param(const char *key, const char *name, const char **value)
{
	const char *target = strchr(key, '/'), *at = target ? strchr(target + 1, '/') : NULL;
	size_t length = strlen(name);

	for (; at && *at; at += strcspn(at, ",")) {
		at++;
		if (strncmp(at, name, length) == 0 && at[length] == '=') {
			*value = at + length + 1;
			return strcspn(*value, ",/");
		}
	}
	return 0;
}

char *bench_compare_group(struct bench_arena *arena, const char *key)
{
	const char *op = "";
	size_t length = find_param(key, "op", &op);

	return bench_arena_format(arena, "%.*s%s%.*s", (int)strcspn(key, "/"), key, length ? " " : "",
				  (int)length, op);
}

static const char *metric_of(const char *key)
{
	const char *slash = strrchr(key, '/');

	return slash ? slash + 1 : key;
}

/* Adds the metrics of the same group and metric; `all`: of every group. Nothing if an earlier one has them.
 */
static void add_group(struct making *in, char *const *names, size_t first, bool all)
{
	const struct bench_compare_options *options = &in->comparison->options;
	const char *const *keys = options->mean_of;
	size_t *members = bench_arena_alloc(&in->arena, options->mean_count, sizeof(*members));
	struct group group = {
		.name = all ? "all" : names[first], .metric = metric_of(keys[first]), .members = members};

	for (size_t i = 0; i < in->group_count; i++)
		if (strcmp(in->groups[i].name, group.name) == 0 &&
		    strcmp(in->groups[i].metric, group.metric) == 0)
			return;
	for (size_t i = first; i < options->mean_count; i++)
		if (strcmp(metric_of(keys[i]), group.metric) == 0 && (all || !strcmp(names[i], group.name)))
			members[group.count++] = i;
	BENCH_PUSH(&in->arena, in->groups, in->group_count) = group;
}

static void make_groups(struct making *in)
{
	const struct bench_compare_options *options = &in->comparison->options;
	char **names = bench_arena_alloc(&in->arena, options->mean_count + 1, sizeof(*names));

	for (size_t i = 0; i < options->mean_count; i++)
		names[i] = bench_compare_group(&in->arena, options->mean_of[i]);
	for (size_t i = 0; i < options->mean_count; i++) {
		add_group(in, names, i, true);
		add_group(in, names, i, false);
	}
}

static int by_key(const void *left, const void *right)
{
	const struct bench_result *const *a = left, *const *b = right;

	return strcmp((*a)->key, (*b)->key);
}

/* The results of a run by key, to be looked up. */
struct lookup {
	const struct bench_run *run;
	const struct bench_result **results;
};

static struct lookup look_up(struct making *in, const struct bench_run *run)
{
	struct lookup lookup = {
		run, bench_arena_alloc(&in->arena, run->result_count + 1, sizeof(*lookup.results))};

	for (size_t i = 0; i < run->result_count; i++)
		lookup.results[i] = &run->results[i];
	qsort(lookup.results, run->result_count, sizeof(*lookup.results), by_key);
	return lookup;
}

/* The case of a metric; NULL: it is not there, or not ok. */
static const struct bench_result *find_case(struct making *in, const struct lookup *lookup, const char *key)
{
	char *name = bench_arena_format(&in->arena, "%.*s", (int)(metric_of(key) - key - 1), key);
	const struct bench_result wanted = {.key = name}, *const sought = &wanted;
	const struct bench_result *const *found = bsearch(&sought, lookup->results, lookup->run->result_count,
							  sizeof(*lookup->results), by_key);

	return found && (*found)->status == BENCH_STATUS_OK ? *found : NULL;
}

/* Sums of the cases' deviations from their levels, by the number of the invocation. */
struct sums {
	double *deviations;
	size_t *cases;
	size_t room;
	double level; /* sum of the cases' levels */
};

/* Adds the logarithms of a case's undisturbed invocations; false where it has none. */
static bool add_case(struct making *in, const struct bench_metric *metric, struct sums *sums)
{
	double *logs = bench_arena_alloc(&in->arena, metric->series_count + 1, sizeof(*logs));
	size_t *places = bench_arena_alloc(&in->arena, metric->series_count + 1, sizeof(*places)), count = 0;
	double level;

	for (size_t i = 0; i < metric->series_count; i++) {
		const struct bench_series *series = &metric->series[i];
		bool disturbed = true;
		double median = series->count ? bench_record_series_median(series, &disturbed) : 0;

		if (!disturbed && !(median > 0))
			return false;
		if (disturbed || series->invocation < 0 || (size_t)series->invocation >= sums->room)
			continue;
		places[count] = (size_t)series->invocation;
		logs[count++] = log(median);
	}
	level = bench_stats_mean(logs, count);
	for (size_t i = 0; i < count; i++) {
		sums->deviations[places[i]] += logs[i] - level;
		sums->cases[places[i]]++;
	}
	sums->level += level;
	return count > 0;
}

static void add_series(struct making *in, const struct sums *sums, size_t cases, struct bench_metric *mean)
{
	double *values = bench_arena_alloc(&in->arena, sums->room + 1, sizeof(*values));

	mean->series = bench_arena_alloc(&in->arena, sums->room + 1, sizeof(*mean->series));
	for (size_t i = 0; i < sums->room; i++) {
		if (sums->cases[i] == 0 || 2 * sums->cases[i] < cases)
			continue;
		values[i] = exp(sums->level / (double)cases + sums->deviations[i] / (double)sums->cases[i]);
		mean->series[mean->series_count++] =
			(struct bench_series){.invocation = (int)i, .values = &values[i], .count = 1};
	}
	mean->summary.median = exp(sums->level / (double)cases);
}

/* The mean of a group's metric; false where the run lacks one of the cases. `name`: "" stands for the
 * group's. */
static bool make_mean(struct making *in, const struct lookup *lookup, const struct group *group,
		      const char *name, struct bench_metric *mean)
{
	const struct bench_metric *metric = NULL;
	struct sums sums = {0};

	name = *name ? name : group->metric;
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < group->count; i++) {
			const struct bench_result *result =
				find_case(in, lookup, in->comparison->options.mean_of[group->members[i]]);

			metric = result ? bench_record_metric(result, name) : NULL;
			if (!metric || (pass == 1 && !add_case(in, metric, &sums)))
				return false;
			for (size_t s = 0; pass == 0 && s < metric->series_count; s++)
				if (metric->series[s].invocation >= (int)sums.room)
					sums.room = (size_t)metric->series[s].invocation + 1;
		}
		if (pass == 0) {
			sums.deviations =
				bench_arena_alloc(&in->arena, sums.room + 1, sizeof(*sums.deviations));
			sums.cases = bench_arena_alloc(&in->arena, sums.room + 1, sizeof(*sums.cases));
		}
	}
	if (!metric)
		return false;
	*mean = (struct bench_metric){.name = bench_arena_string(&in->arena, name),
				      .unit = metric->unit,
				      .better = metric->better,
				      .derived_from = bench_arena_string(&in->arena, "")};
	add_series(in, &sums, group->count, mean);
	return mean->series_count > 0;
}

/* The result of a group in a run of means, which its metrics share; made where there is none. */
static struct bench_result *result_of(struct making *in, struct bench_run *made, const struct group *group,
				      const struct bench_result *first)
{
	struct bench_result *result = made->results;

	while (result < made->results + made->result_count && strcmp(result->key, group->name) != 0)
		result++;
	if (result < made->results + made->result_count)
		return result;
	*result = *first;
	result->key = bench_arena_string(&in->arena, group->name);
	result->metrics = bench_arena_alloc(&in->arena, 3 * in->group_count, sizeof(*result->metrics));
	result->metric_count = 0;
	made->result_count++;
	return result;
}

/*
 * A run of the means of another one, a result for each group. `names`: the metrics, where "" stands for the
 * group's. Its canary is that of the group's first case.
 */
static const struct bench_run *make_run(struct making *in, const struct bench_run *run,
					const char *const *names, size_t name_count)
{
	const struct lookup lookup = look_up(in, run);
	struct bench_run *made = bench_arena_alloc(&in->arena, 1, sizeof(*made));

	*made = *run;
	made->results = bench_arena_alloc(&in->arena, in->group_count + 1, sizeof(*made->results));
	made->result_count = 0;
	for (size_t g = 0; g < in->group_count; g++) {
		const struct group *group = &in->groups[g];
		const struct bench_result *first =
			find_case(in, &lookup, in->comparison->options.mean_of[group->members[0]]);
		struct bench_metric means[3];
		size_t count = 0;

		while (first && count < name_count &&
		       make_mean(in, &lookup, group, names[count], &means[count]))
			count++;
		if (count < name_count || count == 0)
			continue;
		struct bench_result *result = result_of(in, made, group, first);
		memcpy(result->metrics + result->metric_count, means, count * sizeof(*means));
		result->metric_count += count;
	}
	return made;
}

static bool is_left_out(const struct making *in, const struct bench_run *run,
			const struct bench_run *candidate)
{
	const struct bench_compare_options *options = &in->comparison->options;

	for (size_t i = 0; i < options->mean_count; i++) {
		const struct bench_accepted *accepted =
			bench_compare_find_accepted(in->comparison, candidate, options->mean_of[i]);

		if (bench_compare_is_excluded(options, options->mean_of[i], run->started, false) ||
		    (accepted && run->started < accepted->since))
			return true;
	}
	return false;
}

static const char *const own[] = {""};

/* The runs of the means, without those that have none or do not count. */
static const struct bench_run **make_runs(struct making *in, const struct bench_run *const *runs,
					  size_t count, const struct bench_run *candidate, size_t *made_count)
{
	const struct bench_run **made = bench_arena_alloc(&in->arena, count + 1, sizeof(*made));

	*made_count = 0;
	for (size_t i = 0; i < count; i++) {
		if (is_left_out(in, runs[i], candidate))
			continue;
		made[*made_count] = make_run(in, runs[i], own, 1);
		*made_count += made[*made_count]->result_count > 0;
	}
	return made;
}

void bench_compare_means(struct bench_comparison *comparison, const struct bench_compare_sides *sides)
{
	struct making in = {.comparison = comparison};
	struct bench_compare_options options = comparison->options;
	const struct bench_run *const *history = options.history;
	struct bench_error none;
	size_t base_count;

	make_groups(&in);
	const struct bench_run **base =
		make_runs(&in, sides->baseline, sides->baseline_count, sides->candidate, &base_count);
	const struct bench_run *now = make_run(&in, sides->candidate, own, 1);
	options.history =
		make_runs(&in, history, options.history_count, sides->candidate, &options.history_count);
	options.again = NULL;
	options.mean_of = NULL;
	options.accepted_count = options.excluded_count = 0;
	options.allow_env_change = true;
	/* Without means, comparison->means stays NULL. */
	if (base_count > 0 && now->result_count > 0)
		(void)bench_compare_runs(base, base_count, comparison->baseline_name, now, &options,
					 &comparison->means, &none);
	bench_arena_free(&in.arena);
}

void bench_compare_duel_means(struct bench_comparison *comparison, const struct bench_run *run,
			      const struct bench_duel_options *options)
{
	static const char *const names[] = {"relative_time", "time", "base_time"};
	struct making in = {.comparison = comparison};
	struct bench_duel_options again = *options;
	struct bench_error none;

	make_groups(&in);
	again.mean_of = NULL;
	again.missing_count = 0;
	(void)bench_compare_duel(make_run(&in, run, names, 3), &again, &comparison->means, &none);
	bench_arena_free(&in.arena);
}
