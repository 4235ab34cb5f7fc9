#include "measure/sampler.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "stats/stats.h"

#define MIN_SAMPLES     5  /* before precision may stop an item: fewer have no 90% interval of the median */
#define DEVICE_RUNS_MAX 16 /* iterations of a device-time sample: each costs events to keep */
#define WARM_UP_SECONDS 5e-3
#define CALIBRATION_MAX 12 /* steps; each grows the count at most tenfold */

static double now(const struct bench_sampler_options *options)
{
	return (double)options->clock->now_ns(options->clock->context) * 1e-9;
}

static int timed_run(struct bench_sampler_item *item, const struct bench_sampler_options *options,
		     uint64_t iterations, double *seconds)
{
	const struct bench_clock *clock = options->clock;
	uint64_t start = clock->now_ns(clock->context);
	int result = item->run(item->context, iterations, &item->error);
	uint64_t end = clock->now_ns(clock->context);
	*seconds = (double)(end - start) * 1e-9;
	if (result != 0)
		item->failed = true;
	return result;
}

/* The shortest sample worth taking: what was asked for, and 1000 ticks of the clock. */
static double shortest_sample(const struct bench_sampler_options *options)
{
	double ticks = 1000 * fmax(options->quality.tick_ns, options->quality.cost_ns) * 1e-9;
	return fmax(ticks, options->sample_seconds);
}

/* Finds how many iterations make a sample, and warms up by doing so. */
static void calibrate(struct bench_sampler_item *item, const struct bench_sampler_options *options)
{
	double wanted = shortest_sample(options), seconds, spent = 0;
	uint64_t iterations = 1;
	if (item->known_seconds >= fmax(wanted, WARM_UP_SECONDS)) {
		item->iterations = 1; /* one call is a sample, and it has just been warmed up by one */
		return;
	}
	for (int step = 0; step < CALIBRATION_MAX; step++) {
		if (timed_run(item, options, iterations, &seconds) != 0)
			return;
		spent += seconds;
		if (seconds >= wanted)
			break;
		/* A little more than needed, so that the next try is likely the last; a first call may be
		 * slow. */
		double more = seconds > 0 ? 1.2 * wanted / seconds : 10;
		iterations = (uint64_t)ceil((double)iterations * fmin(fmax(more, 1.5), 10));
	}
	item->iterations = iterations;
	while (spent < WARM_UP_SECONDS) {
		if (timed_run(item, options, iterations, &seconds) != 0 || seconds <= 0)
			return;
		spent += seconds;
	}
}

static bool is_precise(const double *values, size_t count, double precision)
{
	if (count < MIN_SAMPLES)
		return false;
	struct bench_interval interval = bench_stats_median_interval(values, count, 0.95);
	return (interval.hi - interval.lo) / 2 <= precision * interval.estimate;
}

/* A lone iteration, and the device's own time: what launching costs is their difference. */
static int visit_device(struct bench_sampler_item *item, size_t index, double each,
			const struct bench_sampler_options *options)
{
	double seconds = each;
	uint64_t runs = item->iterations < DEVICE_RUNS_MAX ? item->iterations : DEVICE_RUNS_MAX;
	if (item->iterations > 1 && timed_run(item, options, 1, &seconds) != 0)
		return 0;
	if (options->sample(options->context, index, BENCH_SAMPLE_LATENCY, seconds, 1) != 0)
		return -1;
	if (item->run_device(item->context, runs, &seconds, &item->error) != 0) {
		item->failed = true;
		return 0;
	}
	return options->sample(options->context, index, BENCH_SAMPLE_DEVICE_TIME, seconds / (double)runs,
			       runs);
}

/* One end-to-end sample and, where the device has a time of its own, what belongs to that. */
static int visit(struct bench_sampler_item *items, size_t index, double *values,
		 const struct bench_sampler_options *options)
{
	struct bench_sampler_item *item = &items[index];
	double seconds;
	/* Untimed: the item's data is in the caches again, its threads are awake. A long call sees to that
	 * itself. */
	if ((item->iterations > 1 && timed_run(item, options, 1, &seconds) != 0) ||
	    timed_run(item, options, item->iterations, &seconds) != 0)
		return 0;
	double each = seconds / (double)item->iterations;
	values[item->samples++] = each;
	if (options->sample(options->context, index, BENCH_SAMPLE_TIME, each, item->iterations) != 0)
		return -1;
	return item->run_device ? visit_device(item, index, each, options) : 0;
}

static void settle(const struct bench_sampler_options *options, int *pool,
		   const struct bench_sampler_item *item)
{
	if (options->settle && *pool >= 0 && *pool != item->pool)
		options->settle(options->context);
	*pool = item->pool;
}

static bool all_done(struct bench_sampler_item *items, size_t count, const double *values,
		     const struct bench_sampler_options *options)
{
	bool done = true;
	for (size_t i = 0; i < count; i++) {
		struct bench_sampler_item *item = &items[i];
		if (item->failed)
			continue;
		if (item->samples >= options->max_samples ||
		    is_precise(values + i * options->max_samples, item->samples, options->precision))
			item->stopped = BENCH_STOP_PRECISION;
		else
			done = false;
	}
	return done;
}

static int rounds(struct bench_sampler_item *items, size_t count, double *values, size_t *order,
		  const struct bench_sampler_options *options, double end)
{
	struct bench_rng rng;
	bench_rng_start(&rng, options->seed, 0);
	int pool = -1;
	bool sampled = false; /* every item has a sample */
	for (size_t round = 0; !all_done(items, count, values, options); round++) {
		if (round % 2 == 0)
			bench_rng_shuffle(&rng, order, count);
		for (size_t i = 0; i < count; i++) {
			size_t index = order[round % 2 ? count - 1 - i : i];
			if (sampled && now(options) >= end)
				return 0;
			if (items[index].failed || items[index].samples >= options->max_samples)
				continue;
			settle(options, &pool, &items[index]);
			if (visit(items, index, values + index * options->max_samples, options) != 0)
				return -1;
		}
		sampled = true;
	}
	return 0;
}

int bench_sampler_run(struct bench_sampler_item *items, size_t count,
		      const struct bench_sampler_options *options)
{
	int result = -1;
	if (count == 0)
		return 0;
	double end = now(options) + options->slice_seconds;
	size_t *order = calloc(count, sizeof(*order));
	double *values = calloc(count * options->max_samples, sizeof(*values));
	if (!order || !values)
		goto out;
	int pool = -1;
	for (size_t i = 0; i < count; i++) {
		order[i] = i;
		settle(options, &pool, &items[i]);
		calibrate(&items[i], options);
	}
	result = rounds(items, count, values, order, options, end);
	for (size_t i = 0; i < count; i++)
		if (!items[i].failed && items[i].stopped == BENCH_STOP_NONE)
			items[i].stopped = BENCH_STOP_BUDGET;
out:
	free(order);
	free(values);
	return result;
}
