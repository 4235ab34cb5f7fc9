/* SPDX-License-Identifier: MIT */
/*
 * Copies of a case, each with its own data, for cold caches on a GPU: behind one flush, a sample runs the
 * case and each copy once. So it is many launches long, and no launch finds its data in a cache.
 */
#ifndef BENCH_MEASURE_WORKER_COPIES_H
#define BENCH_MEASURE_WORKER_COPIES_H

#include <stdint.h>

#include "bench/suite.h"

#define BENCH_COPIES_MOST 63 /* and the case: a row on a device has room for 64 launches */

struct bench_copies {
	struct bench_case *cases; /* owned */
	size_t count;
	uint64_t first_ran; /* iterations of the first one */
};

/*
 * How many copies a case needs and may have: iterations of `seconds` each that fill half a millisecond
 * together, in an eighth of the device's memory and of the host's.
 */
size_t bench_worker_copies_wanted(const struct bench_work *work, uint64_t device_bytes, uint64_t host_bytes,
				  double seconds);

/* Sets up and prepares up to `count` copies, within half a second and the memory. */
void bench_worker_copies_make(struct bench_copies *copies, const struct bench_case *of, size_t count);

/* Runs the case once, and then each copy until that many iterations are enqueued: at most 1 + count. */
int bench_worker_copies_run(struct bench_copies *copies, struct bench_case *of, uint64_t iterations,
			    struct bench_error *error);

/* Tears them down, the last first. */
void bench_worker_copies_free(struct bench_copies *copies);

#endif
