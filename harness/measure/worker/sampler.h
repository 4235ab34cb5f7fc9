/*
 * The sampler: takes the samples of a group of things in interleaved rounds. It knows no
 * suite, no backend and no file, and prints nothing: it is given callbacks and a clock.
 *
 * Iterations a sample are calibrated so that one is long against the clock (1000 ticks at
 * least), with the same calls that are timed later, which warms up caches, clocks and
 * pools on the way. Every round visits every item once, in an order that is shuffled and,
 * every second round, the mirror of the one before (ABBA), so that a drift of the machine
 * hits all alike.
 *
 * Items that are variants of one work are visited together, as a set: reference, first variant, second, ...,
 * and back again (ABBA, then BAAB), a sample each, all of the same number of iterations. The times of both
 * halves are added, and a variant's sum over the base's is a sample of its relative time. What changes
 * linearly in time falls out of it, and a disturbance spoils one ratio, which a median passes over.
 */
#ifndef BENCH_MEASURE_WORKER_SAMPLER_H
#define BENCH_MEASURE_WORKER_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/error.h"
#include "core/clock.h"
#include "record/event.h"

/* What is said of all visits since it was last said. */
enum bench_visits {
	BENCH_VISITS_OPEN, /* not known yet */
	BENCH_VISITS_FINE,
	BENCH_VISITS_DISTURBED, /* the machine was slowed from outside */
};

struct bench_sampler_item {
	/* Does the work `iterations` times and returns when it is done. What is timed is this call. */
	int (*run)(void *context, uint64_t iterations, struct bench_error *error);
	/* The same, and gives the device's own time of it, in seconds. NULL: the device has none. */
	int (*run_device)(void *context, uint64_t iterations, double *seconds, struct bench_error *error);
	/* Called after each sample of time, and not timed. NULL: nothing looks. */
	int (*observe)(void *context, struct bench_error *error);
	void *context;
	/*
	 * Exactly so many samples of one iteration each, and no other call: no calibration, no device
	 * time, and neither precision nor slice ends it. 0: as many as the options say. One that is
	 * fixed has no reference and is none.
	 */
	size_t fixed;
	/* The item of the same array that this one is a variant of, which has no reference itself. NULL:
	 * none. */
	const struct bench_sampler_item *reference;
	/*
	 * Items of one pool share what may still be busy after a call (a library's threads):
	 * between items of different pools the sampler calls quiesce().
	 */
	int pool;

	/* Filled by the sampler. */
	uint64_t iterations;     /* a sample */
	double estimate;         /* seconds of one iteration, from the calibration */
	size_t samples;          /* taken */
	size_t device_samples;   /* taken; none where run_device is NULL */
	size_t relative_samples; /* taken; none where reference is NULL */
	enum bench_stop stopped; /* why no more were taken */
	bool failed;             /* run or run_device failed: `error` says why; left out from then on */
	struct bench_error error;
};

struct bench_sampler_options {
	const struct bench_clock *clock;
	struct bench_clock_quality quality; /* of that clock */
	/*
	 * Stop when the 95% interval of each median reaches no further than this fraction of it to
	 * either side, and that of a relative time is no wider than half of it in all.
	 */
	double precision;
	double least_seconds; /* the precision does not end sampling before: what watches needs some time, too
			       */
	double slice_seconds; /* stop when this much time has passed and every item has a sample */
	double sample_seconds; /* a sample should last this long at least */
	size_t visit_samples;  /* of a short item in a row, or pairs of short variants, each time that a round
				  comes to it */
	double set_seconds;    /* a visit of variants goes on for so long */
	size_t max_samples;    /* of an item that is not fixed */
	uint64_t seed;         /* of the order */
	bool in_order;         /* every round visits the items as they stand, neither shuffled nor mirrored */
	void (*quiesce)(void *context); /* NULL: nothing needs to quiesce */
	/*
	 * Called before each call that is timed, outside of the time, to empty the caches; then a sample is
	 * one iteration, and nothing is run untimed to fill them. Its failure is the item's. NULL: caches
	 * stay hot.
	 */
	int (*flush)(void *context, size_t item, struct bench_error *error);
	/* Called after each sample, outside of what is timed. `value`: seconds of one iteration, or a ratio.
	 * Non-zero ends sampling. */
	int (*sample)(void *context, size_t item, enum bench_sample_kind kind, double value,
		      uint64_t iterations);
	/*
	 * Called after each visit, outside of what is timed; `last`: what is open has to be judged now. What
	 * was disturbed does not count towards the precision, so that it is measured again while the slice
	 * lasts. NULL: nothing watches.
	 */
	enum bench_visits (*visited)(void *context, bool last);
	void *context;
};

/*
 * Samples the items until each has reached the precision, or the slice is over, and each
 * that is fixed has its number. An item that fails is left out and the others go on; where it was
 * a reference, its variants go on without one. 0, or -1 when sample() asked to end.
 */
int bench_worker_sampler_run(struct bench_sampler_item *items, size_t count,
			     const struct bench_sampler_options *options);

#endif
