/*
 * Cold caches: before a sample, whatever the case has in a cache is driven out by reading
 * memory several times as large as the caches, on every processor, and on a device with memory of its own
 * by an operation over buffers larger than its caches.
 */
#ifndef BENCH_MEASURE_WORKER_FLUSH_H
#define BENCH_MEASURE_WORKER_FLUSH_H

#include "bench/error.h"

struct bench_case;
struct bench_flush;

/* BENCH_NO_MEMORY where the buffer cannot be had. Freed with bench_worker_flush_free; NULL is allowed. */
int bench_worker_flush_new(struct bench_flush **flush, struct bench_error *error);
/* Before the devices are closed: their buffers are released. */
void bench_worker_flush_free(struct bench_flush *flush);

/*
 * Makes ready for a case's device, where it is no CPU. BENCH_UNSUPPORTED where its backend has no operation
 * to do it by.
 */
int bench_worker_flush_add(struct bench_flush *flush, const struct bench_case *bench_case,
			   struct bench_error *error);

/* Empties the caches of the host, and of the case's device. */
int bench_worker_flush_run(struct bench_flush *flush, const struct bench_case *bench_case,
			   struct bench_error *error);

#endif
