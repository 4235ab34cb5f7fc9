/* SPDX-License-Identifier: MIT */
#include "capture/calls.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EMPTY, CLAIMED, USED };

#define VERSION  1
#define PATIENCE 10000 /* looks at a count that another process is filling in, and may have died over */

static struct bench_capture *map(int fd)
{
	void *memory = mmap(NULL, sizeof(struct bench_capture), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

struct bench_capture *bench_capture_make(int *fd)
{
	*fd = memfd_create("bench-capture", MFD_CLOEXEC);
	struct bench_capture *capture = *fd >= 0 && ftruncate(*fd, sizeof(*capture)) == 0 ? map(*fd) : NULL;
	if (capture)
		capture->version = VERSION;
	return capture;
}

struct bench_capture *bench_capture_open(void)
{
	const char *path = getenv(BENCH_CAPTURE_VARIABLE);
	struct stat status;
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	if (fd < 0)
		return NULL;
	struct bench_capture *capture =
		fstat(fd, &status) == 0 && status.st_size == sizeof(*capture) ? map(fd) : NULL;
	close(fd);
	if (capture && capture->version != VERSION) {
		munmap(capture, sizeof(*capture));
		return NULL;
	}
	return capture;
}

/* The part with numbers; names follow by the byte, of launches alone: products have few. */
#define NUMBERS offsetof(struct bench_capture_call, name)

static uint64_t hash_of(const struct bench_capture_call *call)
{
	uint64_t hash = 0, words[NUMBERS / sizeof(uint64_t)];
	memcpy(words, call, sizeof(words));
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		hash = (hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
	for (const char *at = call->name; call->kind == BENCH_CAPTURE_LAUNCH && *at; at++)
		hash = (hash ^ (unsigned char)*at) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

static int is_same(const struct bench_capture_call *a, const struct bench_capture_call *b)
{
	return memcmp(a, b, NUMBERS) == 0 && strcmp(a->name, b->name) == 0;
}

/* Is this, now or in a moment, the count of the call? */
static int takes(struct bench_capture_count *count, const struct bench_capture_call *call)
{
	uint32_t state = EMPTY;
	if (atomic_load_explicit(&count->state, memory_order_relaxed) == EMPTY &&
	    atomic_compare_exchange_strong(&count->state, &state, CLAIMED)) {
		count->call = *call;
		atomic_store_explicit(&count->state, USED, memory_order_release);
		return 1;
	}
	for (int i = 0; i < PATIENCE; i++)
		if (bench_capture_is_used(count))
			return is_same(&count->call, call);
	return 0;
}

struct bench_capture_count *bench_capture_find(struct bench_capture *capture,
					       const struct bench_capture_call *call)
{
	uint64_t hash = hash_of(call);
	for (uint64_t i = 0; i < BENCH_CAPTURE_CALLS; i++) {
		struct bench_capture_count *count = &capture->counts[(hash + i) % BENCH_CAPTURE_CALLS];
		if (takes(count, call))
			return count;
	}
	atomic_fetch_add_explicit(&capture->lost, 1, memory_order_relaxed);
	return NULL;
}

int bench_capture_is_used(const struct bench_capture_count *count)
{
	return atomic_load_explicit(&count->state, memory_order_acquire) == USED;
}
