/* SPDX-License-Identifier: MIT */
#include "compare/columns_pairs.h"

#include <string.h>

/* The case as the run of that id has it in the column; NULL: not at all. */
static const struct bench_result *find_in(const struct bench_column *column, const char *id, const char *key)
{
	for (size_t i = 0; i < column->run_count; i++)
		if (strcmp(column->runs[i]->id, id) == 0)
			return bench_record_find(column->runs[i], key);
	return NULL;
}

static bool is_ok(const struct bench_result *result)
{
	return result && result->status == BENCH_STATUS_OK && bench_record_metric(result, "time");
}

static char *what_of(struct bench_arena *arena, const struct bench_column *column,
		     const struct bench_result *result)
{
	if (!result)
		return bench_arena_format(arena, "%s does not have it", column->name);
	return bench_arena_format(arena, "%s: %s%s%s", column->name, bench_record_status_name(result->status),
				  *result->reason ? ": " : "", result->reason);
}

/* How many invocations a run made: the same for all cases, since a mean of them goes by their numbers. */
static int invocations_of(const struct bench_run *run)
{
	int count = 0;

	for (size_t r = 0; r < run->result_count; r++)
		for (size_t m = 0; m < run->results[r].metric_count; m++) {
			const struct bench_metric *metric = &run->results[r].metrics[m];

			for (size_t s = 0; s < metric->series_count; s++)
				if (metric->series[s].invocation >= count)
					count = metric->series[s].invocation + 1;
		}
	return count;
}

static void append(struct bench_arena *arena, struct bench_metric *metric, int invocation, double value)
{
	double *slot = bench_arena_alloc(arena, 1, sizeof(*slot));
	struct bench_series *series =
		bench_arena_push(arena, &metric->series, &metric->series_count, sizeof(*series));

	*slot = value;
	*series = (struct bench_series){.invocation = invocation, .values = slot, .count = 1};
}

enum { RELATIVE, OWN, OTHER, METRICS };

static void begin_metrics(struct bench_arena *arena, struct bench_result *result)
{
	static const char *const names[METRICS] = {"relative_time", "time", "base_time"};

	result->metrics = bench_arena_alloc(arena, METRICS, sizeof(*result->metrics));
	result->metric_count = METRICS;
	for (size_t i = 0; i < METRICS; i++)
		result->metrics[i] = (struct bench_metric){
			.name = bench_arena_string(arena, names[i]),
			.unit = bench_arena_string(arena, i == RELATIVE ? "ratio" : "s"),
			.better = BENCH_BETTER_LOWER,
			.derived_from = bench_arena_string(arena, "")};
}

/* Adds the undisturbed pairs of one run, whose first invocation has the number `first`. */
static void add_pairs(struct bench_arena *arena, const struct bench_result *base,
		      const struct bench_result *result, int first, struct bench_result *paired)
{
	const struct bench_metric *own = bench_record_metric(result, "time");
	const struct bench_metric *other = bench_record_metric(base, "time");
	struct bench_pair *pairs = bench_arena_alloc(arena, own->series_count + 1, sizeof(*pairs));
	size_t count = bench_record_pairs(own, other, pairs);

	for (size_t i = 0; i < count; i++) {
		bool disturbed;
		int at = first + pairs[i].invocation;
		double now =
			bench_record_series_median(bench_record_series(own, pairs[i].invocation), &disturbed);

		if (pairs[i].disturbed)
			continue;
		append(arena, &paired->metrics[RELATIVE], at, 1 / pairs[i].ratio);
		append(arena, &paired->metrics[OWN], at, now);
		append(arena, &paired->metrics[OTHER], at, now * pairs[i].ratio);
	}
}

/* A case of the column with its pairs in all runs; `result`: its last one. */
static void pair_case(struct bench_arena *arena, const struct bench_column *base,
		      const struct bench_column *column, const struct bench_result *result,
		      struct bench_result *paired)
{
	const struct bench_result *other = NULL;
	int first = 0;

	*paired = *result;
	begin_metrics(arena, paired);
	for (size_t r = 0; r < column->run_count; first += invocations_of(column->runs[r++])) {
		const struct bench_result *own = bench_record_find(column->runs[r], result->key);
		const struct bench_result *against = find_in(base, column->runs[r]->id, result->key);

		other = against ? against : other;
		if (is_ok(own) && is_ok(against))
			add_pairs(arena, against, own, first, paired);
	}
	for (size_t i = 0; i < METRICS; i++)
		paired->metrics[i].summary.median =
			bench_record_median(paired->metrics[i].series, paired->metrics[i].series_count);
	if (paired->metrics[RELATIVE].series_count > 0 || paired->status != BENCH_STATUS_OK)
		return;
	paired->status = BENCH_STATUS_SKIPPED;
	paired->reason =
		is_ok(other) ? bench_arena_format(arena, "no invocation measured it beside %s", base->name)
			     : what_of(arena, base, other);
}

static const struct bench_result *last_of(const struct bench_column *column, const char *key)
{
	const struct bench_result *last = NULL;

	for (size_t r = 0; r < column->run_count; r++) {
		const struct bench_result *result = bench_record_find(column->runs[r], key);

		if (result && !(is_ok(last) && !is_ok(result)))
			last = result;
	}
	return last;
}

/* Cases that the base has, and the column has not or cannot do. */
static void find_missing(struct bench_arena *arena, const struct bench_column *base,
			 const struct bench_column *column, struct bench_duel_options *options)
{
	const char **keys = NULL, **causes = NULL;
	size_t count = 0, cause_count = 0;

	for (size_t r = 0; r < base->run_count; r++)
		for (size_t i = 0; i < base->runs[r]->result_count; i++) {
			const struct bench_result *result = &base->runs[r]->results[i];
			const struct bench_result *own = last_of(column, result->key);
			bool told =
				own && (own->status == BENCH_STATUS_OK || own->status >= BENCH_STATUS_FAILED);

			for (size_t k = 0; k < count && !told; k++)
				told = strcmp(keys[k], result->key) == 0;
			if (told || !is_ok(result))
				continue;
			BENCH_PUSH(arena, keys, count) = result->key;
			BENCH_PUSH(arena, causes, cause_count) = what_of(arena, column, own);
		}
	options->missing = keys;
	options->missing_cause = causes;
	options->missing_count = count;
}

/* The results of all runs, of each case the last that is ok, without those that were not measured. */
static void collect(struct bench_arena *arena, const struct bench_column *column,
		    const struct bench_result ***results, size_t *count)
{
	for (size_t r = 0; r < column->run_count; r++)
		for (size_t i = 0; i < column->runs[r]->result_count; i++) {
			const struct bench_result *result = &column->runs[r]->results[i];

			if (last_of(column, result->key) == result)
				BENCH_PUSH(arena, *results, *count) = result;
		}
}

const struct bench_run *bench_compare_columns_pair(struct bench_arena *arena, const struct bench_column *base,
						   const struct bench_column *column,
						   struct bench_duel_options *options)
{
	const struct bench_result **results = NULL;
	size_t count = 0;
	struct bench_run *run = bench_arena_alloc(arena, 1, sizeof(*run));

	*run = *column->runs[column->run_count - 1];
	collect(arena, column, &results, &count);
	run->results = bench_arena_alloc(arena, count + 1, sizeof(*run->results));
	run->result_count = 0;
	for (size_t i = 0; i < count; i++) {
		struct bench_result *paired = &run->results[run->result_count];

		if (results[i]->status != BENCH_STATUS_OK && results[i]->status < BENCH_STATUS_FAILED)
			continue;
		pair_case(arena, base, column, results[i], paired);
		run->result_count++;
	}
	find_missing(arena, base, column, options);
	return run;
}

/* Adds the invocations of a run's result, of which the first gets the number `first`. */
static void add_result(struct bench_arena *arena, struct bench_result *into,
		       const struct bench_result *result, int first)
{
	for (size_t m = 0; m < into->metric_count; m++) {
		struct bench_metric *metric = &into->metrics[m];
		const struct bench_metric *more = bench_record_metric(result, metric->name);

		for (size_t s = 0; more && s < more->series_count; s++) {
			struct bench_series *series = bench_arena_push(
				arena, &metric->series, &metric->series_count, sizeof(*series));
			*series = more->series[s];
			series->invocation += first;
		}
		metric->summary.median = bench_record_median(metric->series, metric->series_count);
	}
	for (size_t w = 0; w < result->watched_count; w++) {
		struct bench_watched *watched =
			bench_arena_push(arena, &into->watched, &into->watched_count, sizeof(*watched));
		*watched = result->watched[w];
		watched->invocation += first;
	}
}

/* A copy to which invocations can be added. */
static void copy_result(struct bench_arena *arena, struct bench_result *into,
			const struct bench_result *result)
{
	*into = *result;
	into->watched = NULL;
	into->watched_count = 0;
	into->metrics = bench_arena_alloc(arena, result->metric_count + 1, sizeof(*into->metrics));
	for (size_t m = 0; m < result->metric_count; m++) {
		into->metrics[m] = result->metrics[m];
		into->metrics[m].series = NULL;
		into->metrics[m].series_count = 0;
	}
}

const struct bench_run *bench_compare_columns_merge(struct bench_arena *arena,
						    const struct bench_column *column)
{
	const struct bench_result **results = NULL;
	size_t count = 0;
	struct bench_run *run = bench_arena_alloc(arena, 1, sizeof(*run));

	if (column->run_count == 1)
		return column->runs[0];
	*run = *column->runs[column->run_count - 1];
	collect(arena, column, &results, &count);
	run->results = bench_arena_alloc(arena, count + 1, sizeof(*run->results));
	run->result_count = count;
	for (size_t i = 0; i < count; i++) {
		int first = 0;

		copy_result(arena, &run->results[i], results[i]);
		for (size_t r = 0; r < column->run_count; first += invocations_of(column->runs[r++])) {
			const struct bench_result *result =
				bench_record_find(column->runs[r], results[i]->key);

			if (result && result->status == results[i]->status)
				add_result(arena, &run->results[i], result, first);
		}
	}
	return run;
}
