/* SPDX-License-Identifier: MIT */
#include "suites/pool/buffer_pool.h"

#include <stdlib.h>

enum {
	SMALLEST_LOG = 8, /* class 0: 2^8 bytes */
	STEPS_LOG = 2,    /* 2^2 classes to a doubling */
	STEPS = 1 << STEPS_LOG,
	CLASSES = (60 - SMALLEST_LOG) * STEPS + 1,
};

TAILQ_HEAD(pooled_list, bench_pooled);

struct bench_pool {
	const struct bench_backend *backend;
	struct bench_device *device;
	struct pooled_list classes[CLASSES]; /* those that wait */
	struct pooled_list waiting;          /* all of them, longest first */
	struct pooled_list live;
	struct bench_pool_stats stats;
};

/* The class of `bytes`, and its size. */
static size_t class_of(size_t bytes, size_t *class_bytes)
{
	*class_bytes = (size_t)1 << SMALLEST_LOG;
	if (bytes <= *class_bytes)
		return 0;
	/* The doubling 2^log < bytes <= 2^(log + 1), and the step of it that bytes is not beyond. */
	size_t log = 63 - (size_t)__builtin_clzll(bytes - 1), step_log = log - STEPS_LOG;
	size_t step = ((bytes - 1) >> step_log) % STEPS + 1;
	*class_bytes = ((size_t)1 << log) + (step << step_log);
	return (log - SMALLEST_LOG) * STEPS + step;
}

size_t bench_pool_class_bytes(size_t bytes)
{
	size_t class_bytes;
	class_of(bytes, &class_bytes);
	return class_bytes;
}

int bench_pool_make(const struct bench_backend *backend, struct bench_device *device,
		    struct bench_pool **pool, struct bench_error *error)
{
	struct bench_pool *made = *pool = calloc(1, sizeof(*made));
	if (!made)
		return bench_fail(error, BENCH_NO_MEMORY, "no host memory for a pool");
	made->backend = backend;
	made->device = device;
	for (size_t i = 0; i < CLASSES; i++)
		TAILQ_INIT(&made->classes[i]);
	TAILQ_INIT(&made->waiting);
	TAILQ_INIT(&made->live);
	return 0;
}

void bench_pool_free(struct bench_pool *pool)
{
	if (!pool)
		return;
	bench_pool_shrink(pool, 0);
	while (!TAILQ_EMPTY(&pool->live)) {
		struct bench_pooled *pooled = TAILQ_FIRST(&pool->live);
		TAILQ_REMOVE(&pool->live, pooled, by_age);
		pool->backend->release(pool->device, pooled->buffer);
		free(pooled);
	}
	free(pool);
}

/* From those that wait; NULL where the class has none. */
static struct bench_pooled *take_waiting(struct bench_pool *pool, size_t size_class)
{
	struct bench_pooled *pooled = TAILQ_FIRST(&pool->classes[size_class]);
	if (!pooled)
		return NULL;
	TAILQ_REMOVE(&pool->classes[size_class], pooled, in_class);
	TAILQ_REMOVE(&pool->waiting, pooled, by_age);
	pool->stats.kept--;
	pool->stats.bytes_kept -= pooled->bytes;
	return pooled;
}

static struct bench_pooled *allocate(struct bench_pool *pool, size_t size_class, size_t bytes,
				     struct bench_error *error)
{
	struct bench_error cause = {0};
	struct bench_pooled *pooled = calloc(1, sizeof(*pooled));
	if (!pooled) {
		bench_fail(error, BENCH_NO_MEMORY, "no host memory for a pooled buffer's record");
		return NULL;
	}
	pooled->size_class = size_class;
	pooled->bytes = bytes;
	int result = pool->backend->alloc(pool->device, bytes, &pooled->buffer, &cause);
	if (result != 0 && cause.code == BENCH_NO_MEMORY && bench_pool_shrink(pool, 0) > 0)
		result = pool->backend->alloc(pool->device, bytes, &pooled->buffer, &cause);
	if (result != 0) {
		if (error)
			*error = cause;
		free(pooled);
		return NULL;
	}
	return pooled;
}

int bench_pool_acquire(struct bench_pool *pool, size_t bytes, struct bench_pooled **pooled,
		       struct bench_error *error)
{
	struct bench_pool_stats *stats = &pool->stats;
	if (bytes < 1 || bytes > BENCH_POOL_BYTES_MAX)
		return bench_fail(error, BENCH_USAGE, "%zu bytes is no size of a pooled buffer", bytes);
	size_t class_bytes, size_class = class_of(bytes, &class_bytes);
	struct bench_pooled *taken = take_waiting(pool, size_class);
	if (taken) {
		stats->hits++;
	} else {
		taken = allocate(pool, size_class, class_bytes, error);
		if (!taken)
			return -1;
		stats->allocations++;
	}
	taken->live = true;
	TAILQ_INSERT_HEAD(&pool->live, taken, by_age);
	stats->acquired++;
	stats->live++;
	stats->bytes_live += class_bytes;
	stats->bytes_asked += bytes;
	stats->bytes_served += class_bytes;
	if (stats->bytes_live + stats->bytes_kept > stats->bytes_high)
		stats->bytes_high = stats->bytes_live + stats->bytes_kept;
	*pooled = taken;
	return 0;
}

int bench_pool_release(struct bench_pool *pool, struct bench_pooled *pooled, struct bench_error *error)
{
	if (!pooled)
		return 0;
	if (!pooled->live)
		return bench_fail(error, BENCH_USAGE, "a pooled buffer of %zu bytes was given back twice",
				  pooled->bytes);
	pooled->live = false;
	TAILQ_REMOVE(&pool->live, pooled, by_age);
	TAILQ_INSERT_HEAD(&pool->classes[pooled->size_class], pooled, in_class);
	TAILQ_INSERT_TAIL(&pool->waiting, pooled, by_age);
	pool->stats.live--;
	pool->stats.bytes_live -= pooled->bytes;
	pool->stats.kept++;
	pool->stats.bytes_kept += pooled->bytes;
	return 0;
}

uint64_t bench_pool_shrink(struct bench_pool *pool, uint64_t bytes)
{
	uint64_t before = pool->stats.bytes_kept;
	while (pool->stats.bytes_kept > bytes) {
		struct bench_pooled *oldest = TAILQ_FIRST(&pool->waiting);
		TAILQ_REMOVE(&pool->waiting, oldest, by_age);
		TAILQ_REMOVE(&pool->classes[oldest->size_class], oldest, in_class);
		pool->stats.kept--;
		pool->stats.bytes_kept -= oldest->bytes;
		pool->stats.freed++;
		pool->backend->release(pool->device, oldest->buffer);
		free(oldest);
	}
	return before - pool->stats.bytes_kept;
}

void bench_pool_stats(const struct bench_pool *pool, struct bench_pool_stats *stats)
{
	*stats = pool->stats;
}
