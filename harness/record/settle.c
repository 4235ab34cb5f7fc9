/* From samples to what is published: which metrics are known, derived metrics, summaries, final statuses. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/metric.h"
#include "record/internal.h"
#include "stats/stats.h"

#define INTERVAL_LEVEL 0.95

const char record_cut_short[] = "not measured: the run was cut short";

/* All samples behind each other (malloc'd), or NULL where there are none or no memory. */
static double *gather(const struct bench_series *series, size_t series_count, size_t *count)
{
	*count = 0;
	for (size_t i = 0; i < series_count; i++)
		*count += series[i].count;
	double *all = *count ? malloc(*count * sizeof(*all)) : NULL;
	size_t at = 0;
	for (size_t i = 0; all && i < series_count; i++) {
		memcpy(all + at, series[i].values, series[i].count * sizeof(*all));
		at += series[i].count;
	}
	return all;
}

/*
 * The medians of the undisturbed invocations, or, where there are none, of all (malloc'd), or NULL.
 * *disturbed: how many were.
 */
static double *medians(const struct bench_series *series, size_t series_count, size_t *count,
		       size_t *disturbed)
{
	double *values = series_count ? malloc(series_count * sizeof(*values)) : NULL;
	*count = *disturbed = 0;
	for (size_t i = 0; values && i < series_count; i++) {
		bool spoiled;
		double median = bench_series_median(&series[i], &spoiled);
		*disturbed += spoiled;
		if (!spoiled)
			values[(*count)++] = median;
	}
	for (size_t i = 0; values && *disturbed == series_count && i < series_count; i++) {
		bool spoiled;
		values[(*count)++] = bench_series_median(&series[i], &spoiled);
	}
	return values;
}

/* The samples that bench_series_median takes the median of, malloc'd; NULL without memory. */
static double *representative(const struct bench_series *series, size_t *count, bool *disturbed)
{
	double *values = malloc((series->count + 1) * sizeof(*values));
	*count = 0;
	for (size_t i = 0; values && i < series->count; i++)
		if (!series->disturbed || !series->disturbed[i])
			values[(*count)++] = series->values[i];
	*disturbed = *count * 2 < series->count;
	if (values && *disturbed) {
		memcpy(values, series->values, series->count * sizeof(*values));
		*count = series->count;
	}
	return values;
}

double bench_series_median(const struct bench_series *series, bool *disturbed)
{
	size_t count;
	*disturbed = false;
	if (!series->disturbed)
		return bench_stats_median(series->values, series->count);
	double *values = representative(series, &count, disturbed);
	double median = values ? bench_stats_median(values, count) : NAN;
	free(values);
	return median;
}

/* Of one invocation: the first that is not disturbed, or the only one. Over its samples. */
static struct bench_interval interval_within(const struct bench_series *series, size_t series_count)
{
	size_t count;
	bool disturbed;
	for (; series_count > 1; series_count--, series++) {
		bench_series_median(series, &disturbed);
		if (!disturbed)
			break;
	}
	double *values = representative(series, &count, &disturbed);
	struct bench_interval interval =
		bench_stats_series_interval(values, values ? count : 0, INTERVAL_LEVEL);
	free(values);
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
	double *all = gather(series, series_count, &count);
	double *middles = medians(series, series_count, &middle_count, &summary->disturbed);
	summary->count = count;
	if (!all || !middles)
		goto out;
	summary->over_samples = middle_count == 1;
	struct bench_interval interval =
		summary->over_samples ? interval_within(series, series_count)
				      : bench_stats_series_interval(middles, middle_count, INTERVAL_LEVEL);
	summary->median = bench_stats_median(middles, middle_count);
	summary->ci_lo = interval.lo;
	summary->ci_hi = interval.hi;
	summary->ci_level = interval.level;
	summary->min = smallest(all, count);
	summary->mean = bench_stats_mean(all, count);
	summary->stddev = bench_stats_stddev(all, count);
	summary->p05 = bench_stats_quantile(all, count, 0.05);
	summary->p95 = bench_stats_quantile(all, count, 0.95);
out:
	free(all);
	free(middles);
}

double record_check_excess(const struct bench_check *check)
{
	if (isnan(check->error))
		return INFINITY;
	if (check->tolerance > 0)
		return check->error / check->tolerance;
	return check->error <= check->tolerance ? 0 : INFINITY;
}

static struct bench_metric *add_derived(struct bench_arena *arena, struct bench_result *result,
					const char *name)
{
	const struct bench_metric_spec *known = bench_metric_known(name);
	struct bench_metric *metric =
		bench_arena_push(arena, &result->metrics, &result->metric_count, sizeof(*metric));
	metric->name = bench_arena_string(arena, known->name);
	metric->unit = bench_arena_string(arena, known->unit);
	metric->better = known->better;
	metric->derived_from = bench_arena_string(arena, "time");
	return metric;
}

static struct bench_series *push_series(struct bench_arena *arena, struct bench_metric *metric,
					int invocation, size_t count)
{
	struct bench_series *series =
		bench_arena_push(arena, &metric->series, &metric->series_count, sizeof(*series));
	series->invocation = invocation;
	series->count = count;
	series->values = bench_arena_alloc(arena, count, sizeof(*series->values));
	return series;
}

void record_derive_rate(struct bench_arena *arena, struct bench_result *result, const char *name,
			double amount)
{
	const struct bench_metric *time = bench_result_metric(result, "time");
	if (!time || !(amount > 0) || bench_result_metric(result, name))
		return;
	for (size_t i = 0; i < time->series_count; i++) {
		for (size_t j = 0; j < time->series[i].count; j++) {
			if (!(time->series[i].values[j] > 0) || !isfinite(amount / time->series[i].values[j]))
				return;
		}
	}
	/* Adding a metric may move the array that `time` points into, but not its series. */
	const struct bench_series *series = time->series;
	size_t series_count = time->series_count;
	struct bench_metric *rate = add_derived(arena, result, name);
	for (size_t i = 0; i < series_count; i++) {
		struct bench_series *to = push_series(arena, rate, series[i].invocation, series[i].count);
		to->disturbed = series[i].disturbed;
		for (size_t j = 0; j < series[i].count; j++)
			to->values[j] = amount / series[i].values[j];
	}
}

/*
 * What a lone iteration takes beside the device's time, of each invocation that has both. Iterations in
 * a row hide their launches behind each other, so that `time` less device time may well be negative.
 */
static void derive_overhead(struct bench_arena *arena, struct bench_result *result)
{
	const struct bench_metric *latency = bench_result_metric(result, "latency");
	const struct bench_metric *device = bench_result_metric(result, "device_time");
	if (!latency || !device || bench_result_metric(result, "launch_overhead"))
		return;
	const struct bench_metric host = *latency, inner = *device;
	struct bench_metric *overhead = NULL;
	for (size_t i = 0; i < host.series_count; i++) {
		for (size_t j = 0; j < inner.series_count; j++) {
			if (host.series[i].invocation != inner.series[j].invocation)
				continue;
			if (!overhead)
				overhead = add_derived(arena, result, "launch_overhead");
			struct bench_series *to = push_series(arena, overhead, host.series[i].invocation, 1);
			bool outer_disturbed, inner_disturbed;
			to->values[0] = bench_series_median(&host.series[i], &outer_disturbed) -
					bench_series_median(&inner.series[j], &inner_disturbed);
			if (outer_disturbed || inner_disturbed)
				record_mark(arena, to, 0, 1);
		}
	}
}

static void drop_derived(struct bench_result *result)
{
	size_t kept = 0;
	for (size_t i = 0; i < result->metric_count; i++) {
		if (!*result->metrics[i].derived_from)
			result->metrics[kept++] = result->metrics[i];
	}
	result->metric_count = kept;
}

static void settle_status(struct bench_arena *arena, struct bench_result *result)
{
	const struct bench_check *check = &result->check;
	if (result->status == BENCH_STATUS_PENDING) {
		result->status = BENCH_STATUS_SKIPPED;
		result->reason = bench_arena_string(arena, record_cut_short);
	}
	if (result->status == BENCH_STATUS_OK)
		result->reason = bench_arena_string(arena, "");
	/* Whatever else was said: a result that failed its check is never published. */
	if (!result->checked || check->error <= check->tolerance)
		return;
	if (result->status != BENCH_STATUS_INCORRECT || !*result->reason)
		result->reason = bench_arena_format(arena, "error %.3g is above the tolerance %.3g",
						    check->error, check->tolerance);
	result->status = BENCH_STATUS_INCORRECT;
}

/* The result of that key, looked for from `near` outwards: variants stand close to each other. */
static const struct bench_result *find_result(const struct bench_run *run, const char *key, size_t near)
{
	const size_t reach =
		10000; /* cases of a plan: further off there is none but in a file made to hurt */
	for (size_t step = 0; step < reach && (step <= near || near + step < run->result_count); step++) {
		if (step <= near && strcmp(run->results[near - step].key, key) == 0)
			return &run->results[near - step];
		if (near + step < run->result_count && strcmp(run->results[near + step].key, key) == 0)
			return &run->results[near + step];
	}
	return NULL;
}

/* Against something that failed or was wrong, if only in another invocation, nothing is said. */
static void drop_relative(struct bench_run *run, struct bench_result *result)
{
	const struct bench_result *base =
		find_result(run, result->relative_to, (size_t)(result - run->results));
	if (result->status != BENCH_STATUS_OK || !*result->relative_to ||
	    (base && base->status == BENCH_STATUS_OK))
		return;
	size_t kept = 0;
	for (size_t i = 0; i < result->metric_count; i++)
		if (strcmp(result->metrics[i].name, "relative_time") != 0)
			result->metrics[kept++] = result->metrics[i];
	result->metric_count = kept;
	bench_pair_set(&run->arena, &result->notes, &result->note_count, "relative_time",
		       bench_arena_format(&run->arena, "none: %s is %s", result->relative_to,
					  base ? bench_status_name(base->status) : "not in this run"));
}

static void summarize(struct bench_result *result)
{
	for (size_t i = 0; i < result->metric_count; i++) {
		struct bench_metric *metric = &result->metrics[i];
		bench_record_summarize(metric->series, metric->series_count, &metric->summary);
	}
}

void bench_record_settle(struct bench_run *run)
{
	for (size_t i = 0; i < run->result_count; i++)
		settle_status(&run->arena, &run->results[i]);
	for (size_t i = 0; i < run->result_count; i++) {
		struct bench_result *result = &run->results[i];
		drop_derived(result);
		if (result->status != BENCH_STATUS_OK)
			result->metric_count = 0;
		drop_relative(run, result);
		record_derive_rate(&run->arena, result, "flop_rate", result->work.flops);
		record_derive_rate(&run->arena, result, "bandwidth", result->work.bytes);
		record_derive_rate(&run->arena, result, "item_rate", result->work.items);
		derive_overhead(&run->arena, result);
		summarize(result);
	}
	/* These need the medians of others. */
	record_derive_shares(run);
	for (size_t i = 0; i < run->result_count; i++)
		summarize(&run->results[i]);
}
