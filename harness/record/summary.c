/* SPDX-License-Identifier: MIT */
/* What the samples of a metric come to: pure functions. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "record/record.h"
#include "stats/stats.h"

#define INTERVAL_LEVEL 0.95

/* All samples behind each other, malloc'd. */
static double *gather(const struct bench_series *series, size_t series_count, size_t *count)
{
	*count = 0;
	for (size_t i = 0; i < series_count; i++)
		*count += series[i].count;
	double *all = bench_memory_alloc(*count, sizeof(*all));
	size_t at = 0;
	for (size_t i = 0; i < series_count; i++) {
		memcpy(all + at, series[i].values, series[i].count * sizeof(*all));
		at += series[i].count;
	}
	return all;
}

/*
 * The medians of the undisturbed invocations, or of all if none is undisturbed; malloc'd. *disturbed: how
 * many are disturbed.
 */
static double *medians(const struct bench_series *series, size_t series_count, size_t *count,
		       size_t *disturbed)
{
	double *values = bench_memory_alloc(series_count, sizeof(*values));
	*count = *disturbed = 0;
	for (size_t i = 0; i < series_count; i++) {
		bool spoiled;
		double median = bench_record_series_median(&series[i], &spoiled);
		*disturbed += spoiled;
		if (!spoiled)
			values[(*count)++] = median;
	}
	for (size_t i = 0; *disturbed == series_count && i < series_count; i++) {
		bool spoiled;
		values[(*count)++] = bench_record_series_median(&series[i], &spoiled);
	}
	return values;
}

double bench_record_median(const struct bench_series *series, size_t series_count)
{
	size_t count, disturbed;
	BENCH_SCOPED_MEMORY double *middles = medians(series, series_count, &count, &disturbed);
	return bench_stats_median(middles, count);
}

/* The samples that bench_record_series_median takes the median of, malloc'd. */
static double *representative(const struct bench_series *series, size_t *count, bool *disturbed)
{
	double *values = bench_memory_alloc(series->count, sizeof(*values));
	*count = 0;
	for (size_t i = 0; i < series->count; i++)
		if (!series->disturbed || !series->disturbed[i])
			values[(*count)++] = series->values[i];
	*disturbed = *count * 2 < series->count;
	if (*disturbed) {
		memcpy(values, series->values, series->count * sizeof(*values));
		*count = series->count;
	}
	return values;
}

double bench_record_series_median(const struct bench_series *series, bool *disturbed)
{
	size_t count;
	*disturbed = false;
	if (!series->disturbed)
		return bench_stats_median(series->values, series->count);
	BENCH_SCOPED_MEMORY double *values = representative(series, &count, disturbed);
	return bench_stats_median(values, count);
}

/* Of one invocation: the first that is not disturbed, or the only one. Over its samples. */
static struct bench_interval interval_within(const struct bench_series *series, size_t series_count)
{
	size_t count;
	bool disturbed;
	for (; series_count > 1; series_count--, series++) {
		bench_record_series_median(series, &disturbed);
		if (!disturbed)
			break;
	}
	BENCH_SCOPED_MEMORY double *values = representative(series, &count, &disturbed);
	struct bench_interval interval = bench_stats_series_interval(values, count, INTERVAL_LEVEL);
	return interval;
}

static double smallest(const double *values, size_t count)
{
	double min = count ? values[0] : NAN;
	for (size_t i = 1; i < count; i++)
		min = values[i] < min ? values[i] : min;
	return min;
}

void bench_record_summarize(const struct bench_series *series, size_t series_count,
			    struct bench_summary *summary)
{
	*summary = (struct bench_summary){.median = NAN,
					  .ci_lo = NAN,
					  .ci_hi = NAN,
					  .min = NAN,
					  .mean = NAN,
					  .stddev = NAN,
					  .p05 = NAN,
					  .p95 = NAN};
	size_t count, middle_count;
	BENCH_SCOPED_MEMORY double *all = gather(series, series_count, &count);
	BENCH_SCOPED_MEMORY double *middles =
		medians(series, series_count, &middle_count, &summary->disturbed);
	summary->count = count;
	if (!count || !middle_count)
		return;
	summary->over_samples = middle_count == 1;
	struct bench_interval interval =
		summary->over_samples ? interval_within(series, series_count)
				      : bench_stats_series_interval(middles, middle_count, INTERVAL_LEVEL);
	summary->median = bench_stats_median(middles, middle_count);
	/* One value is no interval: its ends are unknown, and not that value. */
	summary->ci_lo = interval.level > 0 ? interval.lo : NAN;
	summary->ci_hi = interval.level > 0 ? interval.hi : NAN;
	summary->ci_level = interval.level;
	summary->min = smallest(all, count);
	summary->mean = bench_stats_mean(all, count);
	summary->stddev = bench_stats_stddev(all, count);
	summary->p05 = bench_stats_quantile(all, count, 0.05);
	summary->p95 = bench_stats_quantile(all, count, 0.95);
}
