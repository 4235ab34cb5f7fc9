/* SPDX-License-Identifier: MIT */
/*
 * Cold caches. Before a sample, drives the case's data out of all caches. On the host, every processor reads
 * memory several times their size; on a device with separate memory, an operation runs over buffers larger
 * than its caches.
 */
#ifndef BENCH_MEASURE_WORKER_FLUSH_H
#define BENCH_MEASURE_WORKER_FLUSH_H

#include "bench/error.h"

struct bench_case;
struct bench_flush;

/* BENCH_NO_MEMORY if there is none for the buffer. The caller frees it with bench_worker_flush_free. */
int bench_worker_flush_new(struct bench_flush **flush, struct bench_error *error);
/* Releases buffers on devices too, so call it before these are closed. NULL is allowed. */
void bench_worker_flush_free(struct bench_flush *flush);

/*
 * Prepares flushing the caches of a case's device, unless it is a CPU. BENCH_UNSUPPORTED if its backend has
 * no operation for it.
 */
int bench_worker_flush_add(struct bench_flush *flush, const struct bench_case *bench_case,
			   struct bench_error *error);

/* Empties the caches of the host, and of the case's device. */
int bench_worker_flush_run(struct bench_flush *flush, const struct bench_case *bench_case,
			   struct bench_error *error);

#endif
