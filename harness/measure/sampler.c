#include "measure/sampler.h"

#include <math.h>
#include <stdlib.h>

#include "core/rng.h"
#include "stats/stats.h"

#define MIN_SAMPLES     5  /* before precision may stop an item: fewer have no 90% interval of the median */
#define DEVICE_RUNS_MAX 16 /* iterations of a device-time sample: each costs events to keep */
#define WARM_UP_SECONDS 5e-3
#define LONG_SECONDS    20e-3 /* of a call to which the device's time stamps add nothing that can be seen */
#define CALIBRATION_MAX 12    /* steps; each grows the count at most tenfold */

struct sampling {
	struct bench_sampler_item *items;
	size_t count;
	double *values; /* of item i from i * max_samples on: seconds for one iteration */
	size_t *order;
	struct bench_rng rng;
	int pool; /* of the item that ran last; -1: none has */
	const struct bench_sampler_options *options;
};

static double now(const struct bench_sampler_options *options)
{
	return (double)options->clock->now_ns(options->clock->context) * 1e-9;
}

static int timed_run(const struct sampling *sampling, struct bench_sampler_item *item, uint64_t iterations,
		     double *seconds)
{
	const struct bench_clock *clock = sampling->options->clock;
	uint64_t start = clock->now_ns(clock->context);
	int result = item->run(item->context, iterations, &item->error);
	uint64_t end = clock->now_ns(clock->context);
	*seconds = (double)(end - start) * 1e-9;
	if (result != 0)
		item->failed = true;
	return result;
}

/* `runs` iterations: end to end, and by the device's own clock. */
static int timed_run_device(const struct sampling *sampling, struct bench_sampler_item *item, uint64_t runs,
			    double *seconds, double *device_seconds)
{
	const struct bench_clock *clock = sampling->options->clock;
	uint64_t start = clock->now_ns(clock->context);
	int result = item->run_device(item->context, runs, device_seconds, &item->error);
	uint64_t end = clock->now_ns(clock->context);
	*seconds = (double)(end - start) * 1e-9;
	if (result != 0)
		item->failed = true;
	return result;
}

/* Keeps a sample of `time`. */
static int keep(const struct sampling *sampling, size_t index, double seconds)
{
	const struct bench_sampler_options *options = sampling->options;
	struct bench_sampler_item *item = &sampling->items[index];
	double each = seconds / (double)item->iterations;
	sampling->values[index * options->max_samples + item->samples++] = each;
	return options->sample(options->context, index, BENCH_SAMPLE_TIME, each, item->iterations);
}

/* Keeps what belongs to the device's time: that of a lone iteration, and the device's own. */
static int keep_device(const struct sampling *sampling, size_t index, double lone_seconds,
		       double device_seconds, uint64_t runs)
{
	const struct bench_sampler_options *options = sampling->options;
	sampling->items[index].device_samples++;
	if (options->sample(options->context, index, BENCH_SAMPLE_LATENCY, lone_seconds, 1) != 0)
		return -1;
	return options->sample(options->context, index, BENCH_SAMPLE_DEVICE_TIME,
			       device_seconds / (double)runs, runs);
}

static void settle(struct sampling *sampling, const struct bench_sampler_item *item)
{
	const struct bench_sampler_options *options = sampling->options;
	if (options->settle && sampling->pool >= 0 && sampling->pool != item->pool)
		options->settle(options->context);
	sampling->pool = item->pool;
}

/* The shortest sample worth taking: what was asked for, and 1000 ticks of the clock. */
static double shortest_sample(const struct bench_sampler_options *options)
{
	double ticks = 1000 * fmax(options->quality.tick_ns, options->quality.cost_ns) * 1e-9;
	return fmax(ticks, options->sample_seconds);
}

/*
 * Finds how many iterations make a sample, and warms up by doing so. A single call that is
 * long enough for both is a sample already: its first call has been before it.
 */
static int calibrate(const struct sampling *sampling, size_t index)
{
	struct bench_sampler_item *item = &sampling->items[index];
	double wanted = shortest_sample(sampling->options), seconds = 0, spent = 0;
	uint64_t iterations = 1;
	for (int step = 0; step < CALIBRATION_MAX; step++) {
		if (timed_run(sampling, item, iterations, &seconds) != 0)
			return 0;
		spent += seconds;
		if (seconds >= wanted)
			break;
		/* A little more than needed, so that the next try is likely the last; the first may be slow.
		 */
		double more = seconds > 0 ? 1.2 * wanted / seconds : 10;
		iterations = (uint64_t)ceil((double)iterations * fmin(fmax(more, 1.5), 10));
	}
	item->iterations = iterations;
	item->estimate = seconds / (double)iterations;
	if (item->estimate >= fmax(wanted, LONG_SECONDS))
		return keep(sampling, index, seconds);
	while (spent < WARM_UP_SECONDS && seconds > 0) {
		if (timed_run(sampling, item, iterations, &seconds) != 0)
			return 0;
		spent += seconds;
	}
	return 0;
}

/* A long call: everything from one iteration. */
static int visit_long(const struct sampling *sampling, size_t index)
{
	struct bench_sampler_item *item = &sampling->items[index];
	double seconds, device_seconds;
	if (!item->run_device)
		return timed_run(sampling, item, 1, &seconds) == 0 ? keep(sampling, index, seconds) : 0;
	if (timed_run_device(sampling, item, 1, &seconds, &device_seconds) != 0)
		return 0;
	if (keep(sampling, index, seconds) != 0)
		return -1;
	return keep_device(sampling, index, seconds, device_seconds, 1);
}

/*
 * A short one: many iterations in a row, a few times; then, where the device has a time, a
 * lone one, and that time. Waiting for the item before it to settle may have taken far
 * longer than a sample does: one would be a poor return.
 */
static int visit_short(const struct sampling *sampling, size_t index)
{
	const struct bench_sampler_options *options = sampling->options;
	struct bench_sampler_item *item = &sampling->items[index];
	double seconds, lone_seconds, device_seconds;
	/*
	 * Untimed, and as long as a sample: the item's data is in the caches again, its threads are awake,
	 * and the processor has come out of the sleep that waiting has put it in.
	 */
	if (timed_run(sampling, item, item->iterations, &seconds) != 0)
		return 0;
	for (size_t i = 0; i < options->visit_samples && item->samples < options->max_samples; i++) {
		if (timed_run(sampling, item, item->iterations, &seconds) != 0)
			return 0;
		if (keep(sampling, index, seconds) != 0)
			return -1;
	}
	if (!item->run_device)
		return 0;
	uint64_t runs = item->iterations < DEVICE_RUNS_MAX ? item->iterations : DEVICE_RUNS_MAX;
	if (timed_run(sampling, item, 1, &lone_seconds) != 0 ||
	    timed_run_device(sampling, item, runs, &seconds, &device_seconds) != 0)
		return 0;
	return keep_device(sampling, index, lone_seconds, device_seconds, runs);
}

static bool is_precise(const double *values, size_t count, double precision)
{
	if (count < MIN_SAMPLES)
		return false;
	struct bench_interval interval = bench_stats_median_interval(values, count, 0.95);
	return (interval.hi - interval.lo) / 2 <= precision * interval.estimate;
}

static bool all_done(const struct sampling *sampling)
{
	const struct bench_sampler_options *options = sampling->options;
	bool done = true;
	for (size_t i = 0; i < sampling->count; i++) {
		struct bench_sampler_item *item = &sampling->items[i];
		if (item->failed)
			continue;
		bool precise = is_precise(sampling->values + i * options->max_samples, item->samples,
					  options->precision);
		item->stopped = precise ? BENCH_STOP_PRECISION : BENCH_STOP_NONE;
		done &= precise || item->samples >= options->max_samples;
	}
	return done;
}

/* Has it what every item gets, however short the time? */
static bool has_least(const struct bench_sampler_item *item)
{
	return item->samples > 0 && (!item->run_device || item->device_samples > 0);
}

static int rounds(struct sampling *sampling, double end)
{
	const struct bench_sampler_options *options = sampling->options;
	for (size_t round = 0; !all_done(sampling); round++) {
		bool over = true; /* the time is, and nothing was sampled in this round */
		if (round % 2 == 0)
			bench_rng_shuffle(&sampling->rng, sampling->order, sampling->count);
		for (size_t i = 0; i < sampling->count; i++) {
			size_t index = sampling->order[round % 2 ? sampling->count - 1 - i : i];
			struct bench_sampler_item *item = &sampling->items[index];
			if (item->failed || item->samples >= options->max_samples ||
			    (has_least(item) && now(options) >= end))
				continue;
			over = false;
			settle(sampling, item);
			bool is_long = item->iterations == 1 && item->estimate >= LONG_SECONDS;
			if ((is_long ? visit_long(sampling, index) : visit_short(sampling, index)) != 0)
				return -1;
		}
		if (over)
			return 0;
	}
	return 0;
}

static int sample(struct sampling *sampling, double end)
{
	for (size_t i = 0; i < sampling->count; i++)
		sampling->order[i] = i;
	bench_rng_start(&sampling->rng, sampling->options->seed, 0);
	bench_rng_shuffle(&sampling->rng, sampling->order, sampling->count);
	for (size_t i = 0; i < sampling->count; i++) {
		settle(sampling, &sampling->items[sampling->order[i]]);
		if (calibrate(sampling, sampling->order[i]) != 0)
			return -1;
	}
	return rounds(sampling, end);
}

int bench_sampler_run(struct bench_sampler_item *items, size_t count,
		      const struct bench_sampler_options *options)
{
	int result = -1;
	if (count == 0)
		return 0;
	struct sampling sampling = {.items = items, .count = count, .pool = -1, .options = options};
	double end = now(options) + options->slice_seconds;
	sampling.order = calloc(count, sizeof(*sampling.order));
	sampling.values = calloc(count * options->max_samples, sizeof(*sampling.values));
	if (sampling.order && sampling.values)
		result = sample(&sampling, end);
	for (size_t i = 0; i < count; i++)
		if (!items[i].failed && items[i].stopped == BENCH_STOP_NONE)
			items[i].stopped = BENCH_STOP_BUDGET;
	free(sampling.order);
	free(sampling.values);
	return result;
}
