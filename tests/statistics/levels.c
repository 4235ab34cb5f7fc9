/* SPDX-License-Identifier: MIT */
/*
 * How much do whole runs of unchanged code differ? The level of a case in a run is the median of its
 * invocations' medians. Their spread from run to run is what a comparison with an earlier run cannot see
 * through, however long each run is.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "statistics/trials.h"
#include "stats/stats.h"

enum { MAX_CASES = 200 };

struct series {
	char key[BENCH_KEY_MAX];
	double levels[TRIALS_MAX], canaries[TRIALS_MAX]; /* logarithms; one a run */
	size_t count;
};

static double level_of(const struct bench_metric *metric)
{
	double medians[1000];
	size_t count = 0;
	bool disturbed;

	for (size_t s = 0; s < metric->series_count && count < 1000; s++)
		medians[count++] = bench_record_series_median(&metric->series[s], &disturbed);
	return log(bench_stats_median(medians, count));
}

static double canary_of(const struct bench_result *result)
{
	double canaries[1000];
	size_t count = 0;

	for (size_t w = 0; w < result->watched_count && count < 1000; w++)
		if (result->watched[w].canary > 0)
			canaries[count++] = result->watched[w].canary;
	return count ? log(bench_stats_median(canaries, count)) : NAN;
}

static void add(struct series *cases, size_t *count, const struct bench_result *result)
{
	const struct bench_metric *metric = bench_record_metric(result, "time");
	size_t c = 0;

	if (!metric)
		return;
	while (c < *count && strcmp(cases[c].key, result->key) != 0)
		c++;
	if (c == MAX_CASES)
		trials_die(result->key, "too many cases");
	if (c == *count) {
		snprintf(cases[c].key, sizeof(cases[c].key), "%s", result->key);
		(*count)++;
	}
	cases[c].levels[cases[c].count] = level_of(metric);
	cases[c].canaries[cases[c].count++] = canary_of(result);
}

static double correlation(const double *x, const double *y, size_t count)
{
	double x_mean = bench_stats_mean(x, count), y_mean = bench_stats_mean(y, count), sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += (x[i] - x_mean) * (y[i] - y_mean);
	return sum / (double)(count - 1) / bench_stats_stddev(x, count) / bench_stats_stddev(y, count);
}

/* Of the ratio of two runs, one after the other. */
static double step_deviation(const struct series *series)
{
	double steps[TRIALS_MAX];

	for (size_t i = 1; i < series->count; i++)
		steps[i - 1] = series->levels[i] - series->levels[i - 1];
	return bench_stats_stddev(steps, series->count - 1);
}

static void print_row(const char *what, const double *values, size_t count, double scale, const char *unit)
{
	printf("| %s | %.2f%s | %.2f%s | %.2f%s |\n", what, scale * bench_stats_quantile(values, count, 0.25),
	       unit, scale * bench_stats_quantile(values, count, 0.5), unit,
	       scale * bench_stats_quantile(values, count, 0.75), unit);
}

void trials_print_levels(const struct trials *trials)
{
	static struct series cases[MAX_CASES];
	double spread[MAX_CASES], step[MAX_CASES], follows[MAX_CASES];
	size_t count = 0, runs = 0, kept = 0;

	for (size_t t = 0; t < trials->count; t++) {
		const struct trial *trial = &trials->items[t];

		if (strcmp(trial->kind, "run") != 0 || strcmp(trial->load, "quiet") != 0 ||
		    trial->slowdown > 0)
			continue;
		struct bench_run *run = trials_load(trial->path);

		for (size_t i = 0; i < run->result_count; i++)
			add(cases, &count, &run->results[i]);
		bench_record_free(run);
		runs++;
	}
	for (size_t c = 0; c < count; c++) {
		if (cases[c].count < 3)
			continue;
		spread[kept] = bench_stats_stddev(cases[c].levels, cases[c].count);
		step[kept] = step_deviation(&cases[c]);
		follows[kept++] = correlation(cases[c].levels, cases[c].canaries, cases[c].count);
	}
	if (kept == 0)
		return;
	printf("## How much do whole runs differ?\n\nOver %zu quiet runs of unchanged code and %zu cases, "
	       "the "
	       "level of `time`:\n\n| | lower quartile | median case | upper quartile |\n|---|---|---|---|\n",
	       runs, kept);
	print_row("standard deviation between runs", spread, kept, 100, "%");
	print_row("standard deviation of the ratio of one run to the one before", step, kept, 100, "%");
	print_row("correlation with the canary", follows, kept, 1, "");
	printf("\n");
}
