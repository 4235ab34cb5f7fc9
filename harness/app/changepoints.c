#include "app/changepoints.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/changepoints.h"

/* Half of a 95% interval over the deviation of normal noise. */
#define INTERVAL_STEPS 1.96

/* The points of one metric on one host that say something, and their logarithms. */
struct series {
	const struct bench_point **points;
	double *values, *deviations;
	size_t count;
};

static bool is_same_series(const struct bench_point *a, const struct bench_point *b)
{
	return strcmp(a->key, b->key) == 0 && strcmp(a->fingerprint, b->fingerprint) == 0;
}

static bool is_first_of_series(const struct bench_point *points, size_t i)
{
	for (size_t j = i; j > 0 && strcmp(points[j - 1].key, points[i].key) == 0; j--)
		if (is_same_series(&points[j - 1], &points[i]))
			return false;
	return true;
}

static void gather(const struct bench_point *points, size_t count, size_t first, struct series *series)
{
	series->count = 0;
	for (size_t i = first; i < count && strcmp(points[i].key, points[first].key) == 0; i++) {
		const struct bench_point *point = &points[i];
		if (!is_same_series(point, &points[first]) || point->disturbed || !(point->median > 0) ||
		    !isfinite(point->median))
			continue;
		double half = log(point->ci_hi / point->ci_lo) / 2 / INTERVAL_STEPS;
		series->points[series->count] = point;
		series->values[series->count] = log(point->median);
		series->deviations[series->count++] = isfinite(half) ? half : 0;
	}
}

static void add_changes(const struct series *series, const struct bench_stats_changepoint_options *options,
			struct bench_arena *arena, struct bench_app_changepoint **changes,
			size_t *change_count)
{
	struct bench_stats_changepoint *found;
	size_t count = bench_stats_changepoints(series->values, series->count, options, &found);
	for (size_t i = 0; i < count; i++) {
		struct bench_app_changepoint *change =
			bench_arena_push(arena, changes, change_count, sizeof(*change));
		const struct bench_interval *shift = &found[i].shift;
		*change = (struct bench_app_changepoint){
			.last = series->points[found[i].index - 1],
			.first = series->points[found[i].index],
			.before = exp(found[i].before),
			.after = exp(found[i].after),
			.ratio = {exp(shift->estimate), exp(shift->lo), exp(shift->hi), shift->level},
			.p = found[i].p};
	}
	free(found);
}

static void count_together(struct bench_app_changepoint *changes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < count; j++)
			changes[i].together +=
				i != j && strcmp(changes[i].first->run, changes[j].first->run) == 0;
}

size_t bench_app_changepoints(const struct bench_point *points, size_t count, double least, double alpha,
			      struct bench_arena *arena, struct bench_app_changepoint **changes)
{
	size_t metrics = 0, change_count = 0;
	struct series series = {
		.points = bench_arena_alloc(arena, count + 1, sizeof(*series.points)),
		.values = bench_arena_alloc(arena, count + 1, sizeof(double)),
		.deviations = bench_arena_alloc(arena, count + 1, sizeof(double)),
	};
	for (size_t i = 0; i < count; i++)
		metrics += is_first_of_series(points, i);
	const struct bench_stats_changepoint_options options = {
		.alpha = metrics > 0 ? alpha / (double)metrics : alpha,
		.deviations = series.deviations,
		.least = log1p(least),
	};
	*changes = NULL;
	for (size_t i = 0; i < count; i++)
		if (is_first_of_series(points, i)) {
			gather(points, count, i, &series);
			add_changes(&series, &options, arena, changes, &change_count);
		}
	count_together(*changes, change_count);
	return change_count;
}
