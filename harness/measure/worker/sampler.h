/* SPDX-License-Identifier: MIT */
/*
 * The sampler: takes the samples of a group of items in interleaved rounds. It knows no suite, no backend and
 * no file, and prints nothing: it is given callbacks and a clock.
 *
 * The iterations of a sample are calibrated so that it is long against the clock (at least 1000 ticks), with
 * the same calls that are timed later; this also warms up caches, clocks and thread pools. Every round visits
 * every item once. The order is shuffled, and every second round mirrors the one before (ABBA), so that a
 * drift of the machine hits all items alike.
 *
 * Variants of one work are visited together, as a set, one sample each, all of the same number of iterations.
 * The order is reference, first variant, second, ..., and back again (ABBA, then BAAB). The times of both
 * halves are added, and a variant's sum over the reference's is a sample of its relative time. Linear drift
 * cancels in it, and a disturbance spoils only one ratio, which a median ignores.
 *
 * Nobody gets impossible times (times.h): a device's is left out and counted, and an item with an impossible
 * host time fails.
 */
#ifndef BENCH_MEASURE_WORKER_SAMPLER_H
#define BENCH_MEASURE_WORKER_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/error.h"
#include "core/clock.h"
#include "record/event.h"

/* The judgment of all visits since the last one. */
enum bench_visits {
	BENCH_VISITS_OPEN, /* not known yet */
	BENCH_VISITS_FINE,
	BENCH_VISITS_HOST_DISTURBED, /* the host was slowed from outside; the GPU, which does the work, not */
	BENCH_VISITS_DISTURBED,      /* the machine was slowed from outside */
};

struct bench_segments_observer;

struct bench_sampler_item {
	/* Does the work `iterations` times and returns when it is done. This call is timed. */
	int (*run)(void *context, uint64_t iterations, struct bench_error *error);
	/* The same, and gives the device's own time of it, in seconds. NULL: the device has none. */
	int (*run_device)(void *context, uint64_t iterations, double *seconds, struct bench_error *error);
	/*
	 * The same for iterations in a row, on a device whose stamps cost more than short work takes.
	 * Preferred where the call is not a sample of time as well. NaN: the work left gaps; after the third
	 * time run_device is called instead. NULL: the device cannot.
	 */
	int (*run_row)(void *context, uint64_t iterations, double *seconds, struct bench_error *error);
	/* Called after each sample of time, untimed, so that a suite can look at its results. NULL: not. */
	int (*observe)(void *context, struct bench_error *error);
	/*
	 * Called untimed at the start of a visit, at random moments that grow rarer: puts back inputs and
	 * spoils what was computed, so that work which is not done again is seen by a check. Not of fixed
	 * items. NULL: not.
	 */
	int (*spoil)(void *context, struct bench_error *error);
	/* Called before each timed call, untimed. A sample is one iteration then. NULL: nothing is. */
	int (*before)(void *context, struct bench_error *error);
	const struct bench_segments_observer *observer; /* of a duel's segments; NULL: nothing observes */
	bool fresh;                                     /* no call warms up the next: none is made untimed */
	void *context;
	/*
	 * Exactly this number of samples of one iteration each, and no other call: no calibration, no device
	 * time, and neither precision nor slice ends it. 0: as many as the options say. A fixed item neither
	 * has a reference nor is one.
	 */
	size_t fixed;
	size_t ready; /* iterations, each on its own data, that a flush makes ready; 0: 1 */
	/* The item in the same array that this one is a variant of; it has no reference itself. NULL: none.
	 */
	const struct bench_sampler_item *reference;
	/*
	 * Items of one pool share what may still be busy after a call (a library's threads):
	 * between items of different pools the sampler calls quiesce().
	 */
	int pool;

	/* Filled by the sampler. */
	uint64_t iterations;   /* of a sample */
	double estimate;       /* seconds of one iteration, from the calibration */
	size_t samples;        /* taken */
	size_t spoiled_at;     /* of these, when it is spoiled next */
	size_t device_samples; /* taken; none where run_device is NULL */
	size_t gaps;           /* rows that were none */
	size_t refused_count;  /* of these, those that cannot be (times.h), which sample() is not given: */
	double refused_seconds, refused_within; /* what the device said of the last, and what its call took */
	size_t relative_samples;                /* taken; none where reference is NULL */
	enum bench_stop stopped;                /* why no more were taken */
	bool failed; /* run or run_device failed: `error` says why; left out from then on */
	struct bench_error error;
};

struct bench_sampler_options {
	const struct bench_clock *clock;
	struct bench_clock_quality quality; /* of that clock */
	double (*witness)(
		void); /* seconds of another one (times.h), in case that leaps; NULL: there is none */
	/*
	 * Stop when the 95% interval of each median is within this fraction of it on either side. The
	 * interval of each relative time must also be no wider in total than half this fraction.
	 */
	double precision;
	double least_seconds;  /* the precision does not end sampling earlier: the watch needs some time */
	double slice_seconds;  /* stop when this much time has passed and every item has a sample */
	double sample_seconds; /* a sample should last this long at least */
	size_t visit_samples;  /* samples in a row of a short item, or pairs of short variants, in a visit */
	double set_seconds;    /* the length of a visit to a set of variants */
	bool uneven;           /* members of a set make as many iterations as each needs alone */
	size_t max_samples;    /* of an item that is not fixed */
	size_t least_samples;  /* of such an item, whatever the slice and the precision; 0: 1 */
	uint64_t seed;         /* of the order */
	bool in_order; /* every round visits the items in their order, neither shuffled nor mirrored */
	void (*quiesce)(void *context); /* NULL: nothing needs to quiesce */
	/*
	 * Called before each timed call, untimed, to empty the caches. A sample is then the iterations that
	 * are ready behind it, and nothing is run untimed to fill the caches. Its failure is the item's.
	 * NULL: caches stay hot.
	 */
	int (*flush)(void *context, size_t item, struct bench_error *error);
	/* Called after each sample, untimed. `value`: seconds of one iteration, or a ratio. Non-zero ends
	 * sampling. */
	int (*sample)(void *context, size_t item, enum bench_sample_kind kind, double value,
		      uint64_t iterations);
	/*
	 * Called after each visit, untimed. `last`: open visits have to be judged now. Disturbed samples do
	 * not count towards the precision, so that others are taken while the slice lasts. NULL: nothing
	 * watches.
	 */
	enum bench_visits (*visited)(void *context, bool last);
	void *context;
};

/*
 * Samples the items until each has reached the precision or the slice is over, and each fixed one has its
 * number. An item that fails is left out and the others go on; if it was a reference, its variants go on
 * without one. 0, or -1 if sample() asked to end or there was no memory.
 */
int bench_worker_sampler_run(struct bench_sampler_item *items, size_t count,
			     const struct bench_sampler_options *options);

#endif
