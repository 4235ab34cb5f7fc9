/* SPDX-License-Identifier: MIT */
/*
 * A pool of device buffers on top of a backend's alloc and release: what was given back is kept, by
 * classes of size, and given out again.
 *
 * Classes: 256 bytes, and from there on four to each doubling (320, 384, 448, 512, 640, ...), as
 * jemalloc has had them since release 4.0; its design is J. Evans, "A scalable concurrent
 * malloc(3) implementation for FreeBSD", BSDCan 2006. A buffer is that of its class, so that rounding
 * up wastes less than a fifth of it. Within a class the one given back last goes out first:
 * its memory is the likeliest to be in a cache. shrink() gives back to the backend what has lain there
 * longest.
 *
 * The caller makes sure that no work on a buffer is in flight when it gives it back: its next owner may write
 * to it. Like the backend itself, a pool is not thread-safe. A class's size may be above the device's largest
 * buffer where what was asked for is not: BENCH_NO_MEMORY.
 */
#ifndef SUITES_POOL_BUFFER_POOL_H
#define SUITES_POOL_BUFFER_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "bench/backend.h"

/* Larger buffers are refused. */
#define BENCH_POOL_BYTES_MAX ((size_t)1 << 60)

/* A buffer of the pool. */
struct bench_pooled {
	struct bench_buffer *buffer; /* the backend's; not to be released but through the pool */
	size_t bytes;                /* the size of its class, at least what was asked for */

	/* The pool's own. */
	bool live; /* given out */
	size_t size_class;
	TAILQ_ENTRY(bench_pooled) in_class; /* while kept: with those of its class, last given back first */
	TAILQ_ENTRY(bench_pooled) by_age; /* while kept: with all others, first given back first; live: any */
};

struct bench_pool_stats {
	uint64_t acquired;     /* buffers given out since the pool was made */
	uint64_t hits;         /* of them, such as were kept */
	uint64_t allocations;  /* of them, such as the backend had to allocate */
	uint64_t freed;        /* buffers given back to the backend */
	uint64_t live, kept;   /* buffers given out now; and those that wait */
	uint64_t bytes_live;   /* the sizes of those given out now */
	uint64_t bytes_kept;   /* and of those that wait */
	uint64_t bytes_high;   /* the most that both have been together */
	uint64_t bytes_asked;  /* asked for since the pool was made, in all */
	uint64_t bytes_served; /* the sizes of what was given out for it */
};

struct bench_pool;

/* BENCH_NO_MEMORY, *pool NULL. The caller keeps the device open longer than the pool. */
int bench_pool_make(const struct bench_backend *backend, struct bench_device *device,
		    struct bench_pool **pool, struct bench_error *error);
/* Gives everything back to the backend, also what is still given out. NULL is allowed. */
void bench_pool_free(struct bench_pool *pool);

/*
 * A buffer of at least `bytes` (1 to BENCH_POOL_BYTES_MAX), contents undefined. Where the backend is out
 * of memory, all that waits is given back to it and it is asked once more. The pool owns the record;
 * the caller gives it back by bench_pool_release, once.
 */
int bench_pool_acquire(struct bench_pool *pool, size_t bytes, struct bench_pooled **pooled,
		       struct bench_error *error);
/* BENCH_USAGE where it is not given out. NULL is allowed. */
int bench_pool_release(struct bench_pool *pool, struct bench_pooled *pooled, struct bench_error *error);

/*
 * Gives waiting buffers back to the backend, first those that have waited longest, until at most
 * `bytes` wait. Returns the bytes given back.
 */
uint64_t bench_pool_shrink(struct bench_pool *pool, uint64_t bytes);

void bench_pool_stats(const struct bench_pool *pool, struct bench_pool_stats *stats);

/* The size of the class that `bytes` (1 to BENCH_POOL_BYTES_MAX) belongs to. */
size_t bench_pool_class_bytes(size_t bytes);

#endif
