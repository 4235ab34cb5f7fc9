/* SPDX-License-Identifier: MIT */
/*
 * A case: one thing timed on one device of one backend at one point of a suite's
 * parameters. The harness makes it, hands it to the suite's hooks and frees it; a suite
 * keeps what it needs in `state`.
 */
#ifndef BENCH_CASE_H
#define BENCH_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/backend.h"
#include "bench/param.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bench_suite;

struct bench_case {
	const struct bench_value *values; /* in the order of the suite's parameter table */
	uint64_t seed;                    /* of the input data; the same for every backend */
	const struct bench_backend *backend;
	const struct bench_device_info *info; /* of the device */
	struct bench_device *device;          /* open while setup..teardown run; else NULL */
	void *state;                          /* the suite's own, NULL before setup */
	const struct bench_suite *suite;      /* whose case it is */
	size_t index;                         /* of the device, in the order of backend->devices() */
	bool no_device_time; /* setup sets it where nobody asks for the device's time, or where its clock
				would tell of a part of the work alone */
	/* The following may be set by setup, too. */
	bool fresh; /* each iteration is a process of its own, which no call before it warms up */
	/* Called before each timed call, untimed; a sample is one iteration then. NULL: nothing is. */
	int (*before_call)(struct bench_case *bench_case, struct bench_error *error);
};

/* What one iteration of a case is worth, and what a case needs. Unknown: 0. */
struct bench_work {
	double flops;           /* floating-point operations */
	double bytes;           /* bytes that must move at least once, read and written */
	double items;           /* things handled, where neither of the above says it */
	uint64_t device_bytes;  /* device memory that setup takes, in all */
	uint64_t largest_bytes; /* the largest single buffer */
	uint64_t host_bytes;    /* host memory that setup and check take, in all */
	/*
	 * Samples to take, each of one iteration, end to end, and no calls between them: for work
	 * whose iterations build on each other, such as the epochs of a training. 0: as many as the
	 * precision needs.
	 */
	uint64_t samples;
};

/* What a check found. It passes when error <= tolerance, both of them finite and not negative. */
struct bench_check {
	double error;
	double tolerance;
	char method[80]; /* "elementwise against reference in double", ... */
};

#ifdef __cplusplus
}
#endif
#endif
