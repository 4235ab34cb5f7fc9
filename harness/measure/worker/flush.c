/* SPDX-License-Identifier: MIT */
#include "measure/worker/flush.h"

#include <hwloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/suite.h"
#include "core/arena.h"
#include "machine/pin.h"

#define TIMES         4                   /* the caches' size */
#define DEVICE_BYTES  ((size_t)256 << 20) /* of each of two buffers: caches of GPUs hold up to 128 MiB */
#define DEFAULT_BYTES ((size_t)64 << 20)  /* of the last-level caches, where the machine does not tell */
#define MEMORY_PART   4                   /* the flush takes at most one part in this many of the memory */
#define LINE_BYTES    64

struct part {
	pthread_t thread;
	size_t processor;
	const unsigned char *data;
	size_t bytes;
	unsigned sum; /* keeps the compiler from leaving the reading out */
};

/* Buffers on a device other than a CPU. */
struct remote {
	const struct bench_backend *backend;
	struct bench_device *device;
	struct bench_buffer *from, *to;
	size_t count; /* floats in each */
};

struct bench_flush {
	struct bench_arena arena;
	struct remote *remotes;
	size_t remote_count;
	unsigned char *data;
	struct part *parts; /* one a processor: each core has caches that the others do not reach */
	size_t part_count;
};

/* Several times the caches, all levels but the first, of all cores. */
static size_t buffer_bytes(void)
{
	static const hwloc_obj_type_t types[] = {HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE};
	hwloc_topology_t topology;
	size_t bytes = 0;
	if (hwloc_topology_init(&topology) == 0) {
		bool loaded = hwloc_topology_load(topology) == 0;
		for (size_t i = 0; loaded && i < sizeof(types) / sizeof(types[0]); i++) {
			hwloc_obj_t cache = NULL;
			while ((cache = hwloc_get_next_obj_by_type(topology, types[i], cache)))
				bytes += cache->attr->cache.size;
		}
		hwloc_topology_destroy(topology);
	}
	long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
	size_t most =
		pages > 0 && page_bytes > 0 ? (size_t)pages * (size_t)page_bytes / MEMORY_PART : SIZE_MAX;
	bytes = TIMES * (bytes ? bytes : DEFAULT_BYTES);
	return bytes < most ? bytes : most;
}

int bench_worker_flush_new(struct bench_flush **flush, struct bench_error *error)
{
	cpu_set_t allowed[BENCH_PIN_SETS];
	struct bench_flush *made = calloc(1, sizeof(*made));
	size_t bytes = buffer_bytes(), count, at = 0;
	*flush = made;
	bench_machine_pin_allowed(allowed);
	count = (size_t)CPU_COUNT_S(sizeof(allowed), allowed);
	if (made)
		made->parts = calloc(count, sizeof(*made->parts));
	if (made)
		made->data = malloc(bytes);
	if (!made || !made->parts || !made->data) {
		bench_worker_flush_free(made);
		*flush = NULL;
		return bench_fail(error, BENCH_NO_MEMORY, "no memory for %zu MiB to flush the caches with",
				  bytes >> 20);
	}
	memset(made->data, 1, bytes); /* unwritten pages would all be the one page of zeros */
	for (size_t i = 0; i < CPU_SETSIZE * BENCH_PIN_SETS && at < count; i++)
		if (CPU_ISSET_S(i, sizeof(allowed), allowed))
			made->parts[at++].processor = i;
	for (size_t i = 0; i < at; i++) {
		made->parts[i].bytes = bytes / at;
		made->parts[i].data = made->data + i * (bytes / at);
	}
	made->part_count = at;
	return 0;
}

static void release(const struct remote *remote)
{
	remote->backend->release(remote->device, remote->from);
	remote->backend->release(remote->device, remote->to);
}

void bench_worker_flush_free(struct bench_flush *flush)
{
	if (!flush)
		return;
	for (size_t i = 0; i < flush->remote_count; i++)
		release(&flush->remotes[i]);
	bench_arena_free(&flush->arena);
	free(flush->data);
	free(flush->parts);
	free(flush);
}

static void *read_part(void *context)
{
	struct part *part = context;
	cpu_set_t own[BENCH_PIN_SETS];
	memset(own, 0, sizeof(own));
	CPU_SET_S(part->processor, sizeof(own), own);
	sched_setaffinity(0, sizeof(own), own);
	unsigned sum = 0;
	for (size_t i = 0; i < part->bytes; i += LINE_BYTES)
		sum += part->data[i];
	__atomic_store_n(&part->sum, sum, __ATOMIC_RELAXED);
	return NULL;
}

static int flush_host(struct bench_flush *flush, struct bench_error *error)
{
	size_t started = 0;
	int cause = 0;
	while (started < flush->part_count && cause == 0) {
		struct part *part = &flush->parts[started];
		cause = pthread_create(&part->thread, NULL, read_part, part);
		started += cause == 0;
	}
	for (size_t i = 0; i < started; i++)
		pthread_join(flush->parts[i].thread, NULL);
	return cause == 0 ? 0
			  : bench_fail(error, BENCH_ENVIRONMENT, "no thread to flush the caches with: %s",
				       strerror(cause));
}

static struct remote *find_remote(const struct bench_flush *flush, const struct bench_device *device)
{
	for (size_t i = 0; i < flush->remote_count; i++)
		if (flush->remotes[i].device == device)
			return &flush->remotes[i];
	return NULL;
}

int bench_worker_flush_add(struct bench_flush *flush, const struct bench_case *bench_case,
			   struct bench_error *error)
{
	const struct bench_backend *backend = bench_case->backend;
	const struct bench_device_info *info = bench_case->info;
	struct bench_device *device = bench_case->device;
	size_t bytes = DEVICE_BYTES;
	if (!device || info->kind == BENCH_DEVICE_CPU || find_remote(flush, device))
		return 0;
	if (!backend->elementwise)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "--cache cold: backend %s has no operation to flush %s with", backend->name,
				  info->name);
	while (bytes > info->memory_bytes / MEMORY_PART / 2 && bytes > sizeof(float))
		bytes /= 2;
	struct remote *remote =
		bench_arena_push(&flush->arena, &flush->remotes, &flush->remote_count, sizeof(*remote));
	*remote = (struct remote){.backend = backend, .device = device, .count = bytes / sizeof(float)};
	char *zeros = calloc(1, bytes);
	int result = zeros ? 0 : bench_fail(error, BENCH_NO_MEMORY, "no memory for %zu MiB", bytes >> 20);
	if (result == 0)
		result = backend->alloc(device, bytes, &remote->from, error);
	if (result == 0)
		result = backend->alloc(device, bytes, &remote->to, error);
	if (result == 0)
		result = backend->upload(device, remote->from, zeros, bytes, error);
	free(zeros);
	if (result != 0) {
		release(remote);
		flush->remote_count--;
	}
	return result;
}

static int flush_remote(const struct remote *remote, struct bench_error *error)
{
	const struct bench_elementwise sum = {.op = BENCH_ELEMENTWISE_ADD,
					      .dtype = BENCH_F32,
					      .count = remote->count,
					      .width = 1,
					      .a = remote->from,
					      .b = remote->from,
					      .c = remote->to};
	if (remote->backend->elementwise(remote->device, &sum, error) != 0)
		return -1;
	return remote->backend->finish(remote->device, error);
}

int bench_worker_flush_run(struct bench_flush *flush, const struct bench_case *bench_case,
			   struct bench_error *error)
{
	const struct remote *remote = bench_case->device ? find_remote(flush, bench_case->device) : NULL;
	if (remote && flush_remote(remote, error) != 0)
		return -1;
	return flush_host(flush, error);
}
