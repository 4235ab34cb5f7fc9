/* SPDX-License-Identifier: MIT */
#include "measure/worker/sampler.h"

#include <math.h>
#include <stdlib.h>

#include "kit/rng.h"
#include "measure/worker/times.h"
#include "stats/stats.h"

#define MIN_SAMPLES     5    /* before precision may stop an item: fewer have no 90% interval of the median */
#define DEVICE_RUNS_MAX 16   /* iterations of a device-time sample: each costs events to keep */
#define ROW_RUNS_MAX    64   /* iterations of a row: a device's queue has room for as many launches */
#define ROW_SECONDS     1e-3 /* that they take at most: long against the row's own stamps */
#define GAPS_MAX        3
#define WARM_UP_SECONDS 5e-3 /* or the time of so many samples, if that is less */
#define WARM_UP_SAMPLES 5
#define LONG_SECONDS    20e-3 /* in a call of this length the cost of device time stamps does not show */
#define DEVICE_SHARE    16    /* samples of a set for each of device time: pairs are what a set is for */
#define SET_STRETCH     4     /* most times the iterations that an item needs, to match its set */
#define CALIBRATION_MAX 12    /* steps; each grows the count at most tenfold */

/* Items that are visited together: an item and its variants, or an item alone. */
struct set {
	size_t *members; /* indices of items; the reference first */
	size_t count;
	bool backwards; /* the next pairs start at the other end */
	double seconds; /* that its last visit took; 0: it had none */
};

/* Samples of an item that count towards its precision: in visits that were not disturbed, or are not judged
 * yet. */
struct counted {
	size_t times, relatives;
	size_t judged_times, judged_relatives; /* of them, those that are known to be undisturbed */
};

struct sampling {
	struct bench_sampler_item *items;
	size_t count;
	struct counted *counted; /* one for each item */
	double *values;          /* those of item i from i * max_samples on: seconds of one iteration */
	double *relatives;       /* likewise: time over the reference's */
	size_t *members;         /* of all sets */
	double *halves;          /* of the set being visited: seconds of each member over both halves */
	struct set *sets;
	size_t set_count;
	size_t *order; /* of the sets */
	struct bench_rng rng;
	struct bench_rng spoils; /* of the moments */
	int pool;                /* of the item that ran last; -1: none has */
	double soonest;          /* the time before which nothing counts as precise */
	bool unjudged;           /* there were visits since the last judgment */
	double *witnessed;       /* by the witness: the end of the last call */
	const struct bench_sampler_options *options;
};

static double now(const struct bench_sampler_options *options)
{
	return (double)options->clock->now_ns(options->clock->context) * 1e-9;
}

/* Seconds of a call, if they can be. The witness is asked once a call, behind it: it saw the call and what
 * was before it. */
static int elapsed(const struct sampling *sampling, uint64_t start_ns, uint64_t end_ns, double *seconds,
		   struct bench_error *error)
{
	double (*witness)(void) = sampling->options->witness;
	double before = *sampling->witnessed;
	*sampling->witnessed = witness ? witness() : 0;
	return bench_worker_times_between(
		start_ns, end_ns, witness ? *sampling->witnessed - before : (double)INFINITY, seconds, error);
}

/* What comes before a timed call: flushes the caches, and does what the item wants done. */
static int make_ready(const struct sampling *sampling, struct bench_sampler_item *item)
{
	const struct bench_sampler_options *options = sampling->options;
	if ((!options->flush ||
	     options->flush(options->context, (size_t)(item - sampling->items), &item->error) == 0) &&
	    (!item->before || item->before(item->context, &item->error) == 0))
		return 0;
	item->failed = true;
	return -1;
}

typedef int run_device(void *context, uint64_t iterations, double *seconds, struct bench_error *error);

/* The time of `runs` iterations, end to end and, unless `run` is NULL, by the device's own clock. */
static int timed_run_device(const struct sampling *sampling, struct bench_sampler_item *item, run_device *run,
			    uint64_t runs, double *seconds, double *device_seconds)
{
	const struct bench_clock *clock = sampling->options->clock;
	if (make_ready(sampling, item) != 0)
		return -1;
	uint64_t start = clock->now_ns(clock->context);
	int result = run ? run(item->context, runs, device_seconds, &item->error)
			 : item->run(item->context, runs, &item->error);
	uint64_t end = clock->now_ns(clock->context);
	if (result == 0)
		result = elapsed(sampling, start, end, seconds, &item->error);
	if (result != 0)
		item->failed = true;
	return result;
}

static int timed_run(const struct sampling *sampling, struct bench_sampler_item *item, uint64_t iterations,
		     double *seconds)
{
	return timed_run_device(sampling, item, NULL, iterations, seconds, NULL);
}

/* A sample that took no time at all by the clock would have a rate without bound. */
static bool is_possible(struct bench_sampler_item *item, double seconds)
{
	if (bench_worker_times_is_possible(seconds))
		return true;
	item->failed = true;
	bench_fail(&item->error, BENCH_FAILED,
		   "the clock stood still during a sample: it ticks too coarsely for this case, or was "
		   "stopped");
	return false;
}

/* Keeps a sample of `time`, and lets the item look at its results. */
static int keep(const struct sampling *sampling, size_t index, double seconds)
{
	const struct bench_sampler_options *options = sampling->options;
	struct bench_sampler_item *item = &sampling->items[index];
	double each = seconds / (double)item->iterations;
	if (!is_possible(item, seconds))
		return 0;
	if (!item->fixed)
		sampling->values[index * options->max_samples + sampling->counted[index].times++] = each;
	item->samples++;
	if (options->sample(options->context, index, BENCH_SAMPLE_TIME, each, item->iterations) != 0)
		return -1;
	if (item->observe && item->observe(item->context, &item->error) != 0)
		item->failed = true;
	return 0;
}

/*
 * Keeps a sample: the end-to-end time of a lone iteration and, if plausible, the device's time in a call of
 * `runs` iterations that took `seconds`.
 */
static int keep_device(const struct sampling *sampling, size_t index, double lone_seconds, double seconds,
		       double device_seconds, uint64_t runs)
{
	const struct bench_sampler_options *options = sampling->options;
	struct bench_sampler_item *item = &sampling->items[index];
	if (!is_possible(item, lone_seconds))
		return 0;
	item->device_samples++;
	if (options->sample(options->context, index, BENCH_SAMPLE_LATENCY, lone_seconds, 1) != 0)
		return -1;
	if (!bench_worker_times_is_within(device_seconds, seconds)) {
		item->refused_count++;
		item->refused_seconds = device_seconds;
		item->refused_within = seconds;
		return 0;
	}
	return options->sample(options->context, index, BENCH_SAMPLE_DEVICE_TIME,
			       device_seconds / (double)runs, runs);
}

static void quiesce(struct sampling *sampling, const struct bench_sampler_item *item)
{
	const struct bench_sampler_options *options = sampling->options;
	if (options->quiesce && sampling->pool >= 0 && sampling->pool != item->pool)
		options->quiesce(options->context);
	sampling->pool = item->pool;
}

/* The shortest sample worth taking: as long as was asked for, and at least 1000 ticks of the clock. */
static double shortest_sample(const struct bench_sampler_options *options)
{
	double ticks = 1000 * fmax(options->quality.tick_ns, options->quality.cost_ns) * 1e-9;
	return fmax(ticks, options->sample_seconds);
}

/* Where each sample is made ready, it is no more iterations than are ready, however short. */
static int calibrate_once(const struct sampling *sampling, struct bench_sampler_item *item)
{
	double seconds;
	item->iterations = item->ready && !item->before ? item->ready : 1;
	if (timed_run(sampling, item, item->iterations, &seconds) == 0)
		item->estimate = seconds / (double)item->iterations;
	return 0;
}

/*
 * Finds how many iterations make a sample, and warms up by doing so. A single call that is long enough for
 * both is already a sample, since the item's first call was made before.
 */
static int calibrate(const struct sampling *sampling, size_t index)
{
	struct bench_sampler_item *item = &sampling->items[index];
	double wanted = shortest_sample(sampling->options), seconds = 0, spent = 0;
	uint64_t iterations = 1;
	if (sampling->options->flush || item->before)
		return calibrate_once(sampling, item);
	for (int step = 0; step < CALIBRATION_MAX; step++) {
		if (timed_run(sampling, item, iterations, &seconds) != 0)
			return 0;
		spent += seconds;
		if (seconds >= wanted)
			break;
		/* A little more than needed, so that the next try is probably the last one. */
		double more = seconds > 0 ? 1.2 * wanted / seconds : 10;
		iterations = (uint64_t)ceil((double)iterations * fmin(fmax(more, 1.5), 10));
	}
	item->iterations = iterations;
	item->estimate = seconds / (double)iterations;
	if (item->estimate >= fmax(wanted, LONG_SECONDS))
		return keep(sampling, index, seconds);
	while (spent < fmin(WARM_UP_SECONDS, WARM_UP_SAMPLES * wanted) && seconds > 0 && !item->fresh) {
		if (timed_run(sampling, item, iterations, &seconds) != 0)
			return 0;
		spent += seconds;
	}
	return 0;
}

static bool is_long(const struct bench_sampler_item *item)
{
	return item->iterations == 1 && item->estimate >= LONG_SECONDS;
}

/* Has the item all samples that it may have? */
static bool is_full(const struct sampling *sampling, const struct bench_sampler_item *item)
{
	return item->samples >= (item->fixed ? item->fixed : sampling->options->max_samples);
}

/* Takes a sample of time; from a long call, also one of device time. `seconds`: of the sample. */
static int take(const struct sampling *sampling, size_t index, double *seconds)
{
	struct bench_sampler_item *item = &sampling->items[index];
	double device_seconds;
	if (item->fixed || !is_long(item) || !item->run_device)
		return timed_run(sampling, item, item->iterations, seconds) == 0
			       ? keep(sampling, index, *seconds)
			       : 0;
	if (timed_run_device(sampling, item, item->run_device, 1, seconds, &device_seconds) != 0)
		return 0;
	if (keep(sampling, index, *seconds) != 0)
		return -1;
	return item->failed ? 0 : keep_device(sampling, index, *seconds, *seconds, device_seconds, 1);
}

/*
 * Runs a short item untimed for as long as a sample: then its data is in the caches again, its threads are
 * awake, and the processor has left the idle state that waiting put it in.
 */
static void wake(const struct sampling *sampling, size_t index)
{
	struct bench_sampler_item *item = &sampling->items[index];
	double seconds;
	if (!item->failed && !item->fixed && !item->fresh && !is_long(item) && !sampling->options->flush)
		timed_run(sampling, item, item->iterations, &seconds);
}

/* Iterations in a row, until it is one or has not been often enough. 0 runs: it has not. */
static int timed_row(const struct sampling *sampling, struct bench_sampler_item *item, uint64_t *runs,
		     double *seconds, double *device_seconds)
{
	double most = fmin(ROW_RUNS_MAX, fmax(1, ROW_SECONDS / item->estimate));
	for (; item->run_row && item->gaps < GAPS_MAX; item->gaps++) {
		*runs = (uint64_t)fmin((double)item->iterations, most);
		if (timed_run_device(sampling, item, item->run_row, *runs, seconds, device_seconds) != 0)
			return -1;
		if (!isnan(*device_seconds))
			return 0;
	}
	*runs = 0;
	return 0;
}

/* From a short item whose device reports its time: samples of a lone iteration's time and of device time. */
static int take_device(const struct sampling *sampling, size_t index)
{
	struct bench_sampler_item *item = &sampling->items[index];
	double seconds = NAN, lone_seconds, device_seconds = NAN;
	uint64_t runs;
	if (item->failed || item->fixed || is_long(item) || !item->run_device)
		return 0;
	if (timed_run(sampling, item, 1, &lone_seconds) != 0 ||
	    timed_row(sampling, item, &runs, &seconds, &device_seconds) != 0)
		return 0;
	if (runs)
		return keep_device(sampling, index, lone_seconds, seconds, device_seconds, runs);
	runs = item->iterations < DEVICE_RUNS_MAX ? item->iterations : DEVICE_RUNS_MAX;
	if (timed_run_device(sampling, item, item->run_device, runs, &seconds, &device_seconds) != 0)
		return 0;
	return keep_device(sampling, index, lone_seconds, seconds, device_seconds, runs);
}

/*
 * Visits an item alone. A short one gives a few samples in a row: waiting until the threads of the item
 * before it are idle may take far longer than a sample.
 */
static int visit_alone(const struct sampling *sampling, size_t index)
{
	struct bench_sampler_item *item = &sampling->items[index];
	size_t samples = item->fixed || is_long(item) ? 1 : sampling->options->visit_samples;
	double seconds;
	wake(sampling, index);
	for (size_t i = 0; i < samples && !item->failed && !is_full(sampling, item); i++)
		if (take(sampling, index, &seconds) != 0)
			return -1;
	return take_device(sampling, index);
}

/* Does it contain its reference, and at least one other member? */
static bool is_paired(const struct sampling *sampling, const struct set *set)
{
	return set->count > 1 && !sampling->items[set->members[0]].reference;
}

/* Removes the members of a set that have failed. */
static void drop_failed(const struct sampling *sampling, struct set *set)
{
	size_t kept = 0;
	for (size_t i = 0; i < set->count; i++)
		if (!sampling->items[set->members[i]].failed)
			set->members[kept++] = set->members[i];
	set->count = kept;
}

/* May another visit sample it? */
static bool has_room(const struct sampling *sampling, const struct set *set)
{
	bool paired = is_paired(sampling, set), some = false, both = true;
	for (size_t i = 0; i < set->count; i++) {
		const struct bench_sampler_item *item = &sampling->items[set->members[i]];
		some |= !is_full(sampling, item);
		both &= item->samples + 2 <= sampling->options->max_samples;
	}
	return paired ? both : some;
}

/*
 * Takes a sample of each member, there and back, and keeps the variants' relative times; keeps nothing if a
 * member fails. Every second time it starts at the other end, so that what is left of a wait's effect on
 * those at the ends cancels.
 */
static int take_pairs(const struct sampling *sampling, struct set *set)
{
	const struct bench_sampler_options *options = sampling->options;
	double seconds;
	for (size_t i = 0; i < set->count; i++)
		sampling->halves[i] = 0;
	for (size_t i = 0; i < 2 * set->count; i++) {
		size_t member = i < set->count ? i : 2 * set->count - 1 - i;
		if (set->backwards)
			member = set->count - 1 - member;
		if (take(sampling, set->members[member], &seconds) != 0)
			return -1;
		if (sampling->items[set->members[member]].failed)
			return 0;
		sampling->halves[member] +=
			seconds / (double)sampling->items[set->members[member]].iterations;
	}
	set->backwards = !set->backwards;
	for (size_t i = 1; i < set->count && sampling->halves[0] > 0; i++) {
		size_t index = set->members[i];
		struct bench_sampler_item *item = &sampling->items[index];
		double ratio = sampling->halves[i] / sampling->halves[0];
		sampling->relatives[index * options->max_samples + sampling->counted[index].relatives++] =
			ratio;
		item->relative_samples++;
		if (options->sample(options->context, index, BENCH_SAMPLE_RELATIVE, ratio,
				    2 * item->iterations) != 0)
			return -1;
	}
	return 0;
}

/*
 * Visits a set: many pairs in a row, since a disturbed pair is lost. The reference is woken last, so that
 * each sample follows one of its item as often as one of its neighbor. If calls are long, the reference
 * alone is called once untimed: the first call after a wait is slower by a per cent or more.
 */
static int visit_set(const struct sampling *sampling, struct set *set, double end)
{
	const struct bench_sampler_options *options = sampling->options;
	struct bench_sampler_item *reference = &sampling->items[set->members[0]];
	double seconds;
	for (size_t i = set->count; i > 0; i--)
		wake(sampling, set->members[i - 1]);
	if (is_paired(sampling, set) && is_long(reference) && !reference->fixed && !reference->fresh &&
	    !options->flush)
		timed_run(sampling, reference, 1, &seconds);
	drop_failed(sampling, set);
	double start = now(options), at = start;
	size_t least = is_long(reference) ? 1 : options->visit_samples;
	for (size_t pairs = 0; is_paired(sampling, set) && has_room(sampling, set) &&
			       (pairs < least || (at < end && at - start < options->set_seconds));
	     pairs++) {
		if (take_pairs(sampling, set) != 0)
			return -1;
		drop_failed(sampling, set);
		at = now(options);
	}
	for (size_t i = 0; i < set->count; i++) {
		const struct bench_sampler_item *item = &sampling->items[set->members[i]];
		if (item->device_samples * DEVICE_SHARE <= item->samples &&
		    take_device(sampling, set->members[i]) != 0)
			return -1;
	}
	return 0;
}

/* Is the 95% interval of the median at most this fraction of it wide, in all? */
static bool is_precise(const double *values, size_t count, double width)
{
	if (count < MIN_SAMPLES)
		return false;
	struct bench_interval interval = bench_stats_median_interval(values, count, 0.95);
	return interval.hi - interval.lo <= width * interval.estimate;
}

/* Is the item full, failed or precise, so that another visit would be of no use? */
static bool is_done(const struct sampling *sampling, size_t index)
{
	const struct bench_sampler_options *options = sampling->options;
	struct bench_sampler_item *item = &sampling->items[index];
	if (item->failed || item->fixed)
		return item->failed || is_full(sampling, item);
	const struct counted *counted = &sampling->counted[index];
	bool precise = now(options) >= sampling->soonest &&
		       is_precise(sampling->values + index * options->max_samples, counted->times,
				  2 * options->precision);
	/* Half as wide as was asked for, which holds for the interval over several processes. */
	if (item->reference && !item->reference->failed)
		precise &= is_precise(sampling->relatives + index * options->max_samples, counted->relatives,
				      options->precision / 2);
	precise &= item->samples >= options->least_samples;
	item->stopped = precise ? BENCH_STOP_PRECISION : BENCH_STOP_NONE;
	return precise || is_full(sampling, item);
}

static bool all_done(const struct sampling *sampling)
{
	bool done = true;
	for (size_t i = 0; i < sampling->count; i++)
		done &= is_done(sampling, i);
	return done;
}

/* Has every member the samples that it gets however short the time? */
static bool has_least(const struct sampling *sampling, const struct set *set)
{
	bool least = true;
	for (size_t i = 0; i < set->count; i++) {
		const struct bench_sampler_item *item = &sampling->items[set->members[i]];
		bool device = !item->run_device || item->device_samples > 0;
		bool relative = !item->reference || item->reference->failed || item->relative_samples > 0;
		if (item->fixed)
			least &= is_full(sampling, item);
		else
			least &= item->failed || (item->samples > 0 && device && relative &&
						  item->samples >= sampling->options->least_samples);
	}
	return least;
}

/* After 3 to 5 samples, and each time after twice to three times as many. */
static void spoil(struct sampling *sampling, struct bench_sampler_item *item)
{
	if (!item->spoil || item->fixed || item->failed || is_full(sampling, item))
		return;
	if (item->spoiled_at && item->samples >= item->spoiled_at) {
		item->failed = item->spoil(item->context, &item->error) != 0;
		item->spoiled_at = 2 * item->samples + bench_rng_below(&sampling->spoils, item->samples + 1);
	}
	if (!item->spoiled_at)
		item->spoiled_at = 3 + bench_rng_below(&sampling->spoils, 3);
}

static int visit(struct sampling *sampling, struct set *set, double end)
{
	quiesce(sampling, &sampling->items[set->members[0]]);
	for (size_t i = 0; i < set->count; i++)
		spoil(sampling, &sampling->items[set->members[i]]);
	drop_failed(sampling, set);
	if (set->count == 0)
		return 0;
	if (is_paired(sampling, set))
		return visit_set(sampling, set, end);
	for (size_t i = 0; i < set->count; i++)
		if (visit_alone(sampling, set->members[i]) != 0)
			return -1;
	return 0;
}

/* Asks whether the visits since the last judgment were disturbed, and drops their samples from the count if
 * so. */
static void judge(struct sampling *sampling, bool last)
{
	const struct bench_sampler_options *options = sampling->options;
	enum bench_visits visits = options->visited(options->context, last);
	if (visits == BENCH_VISITS_OPEN)
		return;
	sampling->unjudged = false;
	for (size_t i = 0; i < sampling->count; i++) {
		struct counted *counted = &sampling->counted[i];
		if (visits >= BENCH_VISITS_HOST_DISTURBED) {
			counted->times = counted->judged_times;
			counted->relatives = counted->judged_relatives;
		}
		counted->judged_times = counted->times;
		counted->judged_relatives = counted->relatives;
	}
}

/* Are there enough samples of everything, also without those that the last judgment finds disturbed? */
static bool is_over(struct sampling *sampling)
{
	if (!all_done(sampling))
		return false;
	if (sampling->unjudged)
		judge(sampling, true);
	return all_done(sampling);
}

static int rounds(struct sampling *sampling, double end)
{
	const struct bench_sampler_options *options = sampling->options;
	for (size_t round = 0; !is_over(sampling); round++) {
		bool over = true; /* the time is up, and nothing was sampled in this round */
		bool mirrored = round % 2 && !options->in_order;
		if (round % 2 == 0 && !options->in_order)
			bench_rng_shuffle(&sampling->rng, sampling->order, sampling->set_count);
		for (size_t i = 0; i < sampling->set_count; i++) {
			size_t at = mirrored ? sampling->set_count - 1 - i : i;
			struct set *set = &sampling->sets[sampling->order[at]];
			drop_failed(sampling, set);
			/* Of a long call, no further one of which more than half lies beyond the end. */
			double start = now(options);
			if (!has_room(sampling, set) ||
			    (has_least(sampling, set) && start + set->seconds / 2 >= end))
				continue;
			over = false;
			if (visit(sampling, set, end) != 0)
				return -1;
			set->seconds = now(options) - start;
			sampling->unjudged = options->visited != NULL;
			if (sampling->unjudged)
				judge(sampling, false);
		}
		if (over)
			break;
	}
	if (sampling->unjudged)
		judge(sampling, true);
	/* The last judgment may have dropped the samples that made an item precise. */
	all_done(sampling);
	return 0;
}

/*
 * All members of a set make the same number of iterations in a sample: the largest that any of them needs. So
 * a sample's fixed cost weighs alike on all. Sets with a long call are exempt, and all if caches are flushed
 * or the options say `uneven`.
 * No member makes more than SET_STRETCH times its need: if one takes ten times as long as another, that cost
 * does not matter.
 */
static int calibrate_set(struct sampling *sampling, const struct set *set)
{
	uint64_t most = 1;
	bool some_long = false;
	for (size_t i = 0; i < set->count; i++) {
		struct bench_sampler_item *item = &sampling->items[set->members[i]];
		quiesce(sampling, item);
		item->iterations = 1;
		if (!item->fixed && calibrate(sampling, set->members[i]) != 0)
			return -1;
		most = !item->failed && item->iterations > most ? item->iterations : most;
		some_long |= is_long(item);
	}
	const bool even = !some_long && !sampling->options->flush && !sampling->options->uneven;
	for (size_t i = 0; even && i < set->count; i++) {
		uint64_t *iterations = &sampling->items[set->members[i]].iterations;
		*iterations = most < SET_STRETCH * *iterations ? most : SET_STRETCH * *iterations;
	}
	return 0;
}

/* Each item that has no reference opens a set, which its variants join. */
static void make_sets(struct sampling *sampling)
{
	size_t *next = sampling->members;
	for (size_t i = 0; i < sampling->count; i++) {
		if (sampling->items[i].reference)
			continue;
		struct set *set = &sampling->sets[sampling->set_count];
		sampling->order[sampling->set_count] = sampling->set_count;
		sampling->set_count++;
		*set = (struct set){.members = next, .count = 1};
		set->members[0] = i;
		for (size_t j = 0; j < sampling->count; j++)
			if (sampling->items[j].reference == &sampling->items[i])
				set->members[set->count++] = j;
		next += set->count;
	}
}

static int sample(struct sampling *sampling, double end)
{
	make_sets(sampling);
	bench_rng_start(&sampling->rng, sampling->options->seed, 0);
	bench_rng_start(&sampling->spoils, sampling->options->seed, 1);
	if (!sampling->options->in_order)
		bench_rng_shuffle(&sampling->rng, sampling->order, sampling->set_count);
	for (size_t i = 0; i < sampling->set_count; i++)
		if (calibrate_set(sampling, &sampling->sets[sampling->order[i]]) != 0)
			return -1;
	return rounds(sampling, end);
}

int bench_worker_sampler_run(struct bench_sampler_item *items, size_t count,
			     const struct bench_sampler_options *options)
{
	int result = -1;
	if (count == 0)
		return 0;
	double witnessed = options->witness ? options->witness() : 0;
	struct sampling sampling = {
		.items = items, .count = count, .pool = -1, .witnessed = &witnessed, .options = options};
	double end = now(options) + options->slice_seconds;
	sampling.soonest = now(options) + options->least_seconds;
	sampling.order = calloc(count, sizeof(*sampling.order));
	sampling.sets = calloc(count, sizeof(*sampling.sets));
	sampling.members = calloc(count, sizeof(*sampling.members));
	sampling.halves = calloc(count, sizeof(*sampling.halves));
	sampling.counted = calloc(count, sizeof(*sampling.counted));
	sampling.values = calloc(count * options->max_samples, sizeof(*sampling.values));
	sampling.relatives = calloc(count * options->max_samples, sizeof(*sampling.relatives));
	if (sampling.order && sampling.sets && sampling.members && sampling.halves && sampling.counted &&
	    sampling.values && sampling.relatives)
		result = sample(&sampling, end);
	for (size_t i = 0; i < count; i++)
		if (!items[i].failed && !items[i].fixed && items[i].stopped == BENCH_STOP_NONE)
			items[i].stopped = BENCH_STOP_BUDGET;
	free(sampling.order);
	free(sampling.sets);
	free(sampling.members);
	free(sampling.halves);
	free(sampling.counted);
	free(sampling.values);
	free(sampling.relatives);
	return result;
}
