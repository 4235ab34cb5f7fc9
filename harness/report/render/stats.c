/* SPDX-License-Identifier: MIT */
#include "report/render/stats.h"

#include <math.h>

#include "core/memory.h"
#include "core/text.h"
#include "report/render/words.h"
#include "stats/stats.h"

#define BINS  10
#define CELLS 48  /* of the longest bar */
#define REACH 4.0 /* times the quartiles' distance above the upper one: what is beyond is in the last bin */

static const struct bench_metric *metric_of(const struct bench_result *result)
{
	const struct bench_metric *time = bench_record_metric(result, "time");
	for (size_t i = 0; !time && i < result->metric_count; i++)
		if (!*result->metrics[i].derived_from && result->metrics[i].series_count)
			time = &result->metrics[i];
	return time;
}

static double *gather(const struct bench_metric *metric, size_t *count)
{
	size_t all = 0;
	for (size_t s = 0; s < metric->series_count; s++)
		all += metric->series[s].count;
	double *values = bench_memory_alloc(all + 1, sizeof(*values));
	*count = 0;
	for (size_t s = 0; s < metric->series_count; s++)
		for (size_t i = 0; i < metric->series[s].count; i++)
			values[(*count)++] = metric->series[s].values[i];
	return values;
}

static void add_bar(struct bench_text *out, size_t cells)
{
	for (size_t i = 0; i < cells; i++)
		bench_text_add(out, "#");
}

/* A line for each bin: where it begins, its bar, and how many samples are in it. */
static void add_histogram(struct bench_arena *arena, const double *values, size_t count, double lo, double hi,
			  const char *unit, struct bench_text *out)
{
	size_t bins[BINS] = {0}, most = 1;
	for (size_t i = 0; i < count; i++) {
		double at = (values[i] - lo) / (hi - lo) * BINS;
		size_t bin = at < BINS - 1 ? (size_t)fmax(at, 0) : BINS - 1;
		bins[bin]++;
		most = bins[bin] > most ? bins[bin] : most;
	}
	for (size_t b = 0; b < BINS; b++) {
		bench_text_add(out, "%14s |",
			       bench_render_words_quantity(arena, lo + (hi - lo) * (double)b / BINS, unit));
		add_bar(out, (bins[b] * CELLS + most - 1) / most);
		bench_text_add(out, "%s%zu\n", bins[b] ? " " : "", bins[b]);
	}
}

static void add_case(struct bench_arena *arena, const struct bench_result *result, struct bench_text *out)
{
	const struct bench_metric *metric = metric_of(result);
	size_t count;
	if (result->status != BENCH_STATUS_OK || !metric)
		return;
	BENCH_SCOPED_MEMORY double *values = gather(metric, &count);
	const double low = bench_stats_quantile(values, count, 0),
		     high = bench_stats_quantile(values, count, 1),
		     first = bench_stats_quantile(values, count, 0.25),
		     third = bench_stats_quantile(values, count, 0.75);
	const struct {
		const char *name;
		double value;
	} facts[] = {{"min", low},
		     {"max", high},
		     {"mean", bench_stats_mean(values, count)},
		     {"deviation", bench_stats_stddev(values, count)},
		     {"quartiles", first},
		     {"", bench_stats_median(values, count)},
		     {"", third}};
	bench_text_add(out, "\n%s\n%s of %zu sample%s\n ", bench_render_words_line(arena, result->key),
		       bench_render_words_line(arena, metric->name), count, bench_text_plural(count));
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		bench_text_add(out, "%s%s %s", i == 4 ? "\n  " : " ", facts[i].name,
			       isfinite(facts[i].value)
				       ? bench_render_words_quantity(arena, facts[i].value, metric->unit)
				       : "unknown");
	bench_text_add(out, "\n");
	if (high > low)
		add_histogram(arena, values, count, low,
			      third > first ? fmin(high, third + REACH * (third - first)) : high,
			      metric->unit, out);
}

void bench_render_stats(const struct bench_run *run, struct bench_text *out)
{
	BENCH_SCOPED_ARENA arena = {0};
	for (size_t i = 0; i < run->result_count; i++)
		add_case(&arena, &run->results[i], out);
}
