/* SPDX-License-Identifier: MIT */
/*
 * Suite transfer: copies between host memory and the device. docs/suites/transfer.md says
 * how to read it.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kit/rng.h"
#include "suites/operands.h"
#include "suites/params.h"
#include "suites/suites.h"

enum { DIRECTION, MEMORY, BYTES };
enum { UPLOAD = 1, DOWNLOAD = 2, ROUNDTRIP = UPLOAD | DOWNLOAD };

static const struct bench_param params[] = {
	[DIRECTION] = BENCH_CHOICE("direction", "upload", "upload|download|roundtrip",
				   "upload to the device, download from it, or one after the other"),
	[MEMORY] = BENCH_CHOICE(
		"memory", "pageable", "pageable|pinned|staged",
		"host memory: ordinary, page-locked, or ordinary and copied in page-locked pieces"),
	[BYTES] = BENCH_INT("bytes", "1MiB", 1, (int64_t)1 << 40, "bytes each way"),
	{.name = NULL},
};

static const char *const quick[] = {
	"direction=upload,download,roundtrip bytes=4KiB,1MiB,16MiB",
	"direction=upload,download memory=pinned bytes=16MiB",
	NULL,
};
static const char *const nightly[] = {
	"direction=upload,download,roundtrip memory=pageable,pinned,staged "
	"bytes=4KiB,16KiB,64KiB,256KiB,1MiB,4MiB,16MiB,64MiB,256MiB",
	NULL,
};

struct state {
	const struct bench_backend *backend;
	unsigned directions; /* UPLOAD, DOWNLOAD or both */
	size_t bytes;
	unsigned char *source, *target; /* host: where uploads read; where downloads write */
	struct bench_buffer *buffer;
};

static unsigned directions_of(const struct bench_case *bench_case)
{
	static const unsigned directions[] = {UPLOAD, DOWNLOAD, ROUNDTRIP};
	return directions[bench_case->values[DIRECTION].integer];
}

static int work(const struct bench_case *bench_case, struct bench_work *work, struct bench_error *error)
{
	int64_t bytes = bench_case->values[BYTES].integer;
	if (bytes < 1 || bytes > INT64_MAX / 4)
		return bench_fail(error, BENCH_USAGE, "transfer: bytes=%" PRId64 " is no size of a buffer",
				  bytes);
	/* Each way counts once: what crosses between host and device. */
	work->bytes = (directions_of(bench_case) == ROUNDTRIP ? 2.0 : 1.0) * (double)bytes;
	work->device_bytes = (uint64_t)bytes;
	work->largest_bytes = (uint64_t)bytes;
	work->host_bytes = 2 * (uint64_t)bytes;
	return 0;
}

/* Host memory of the kind that the case asks for. */
static int make_host(const struct bench_case *bench_case, size_t bytes, unsigned char **memory,
		     struct bench_error *error)
{
	const struct bench_backend *backend = bench_case->backend;
	const char *text = bench_case->values[MEMORY].text;
	enum bench_host_memory kind = strcmp(text, "pinned") == 0   ? BENCH_HOST_PINNED
				      : strcmp(text, "staged") == 0 ? BENCH_HOST_STAGED
								    : BENCH_HOST_PAGEABLE;
	void *made = NULL;
	if (backend->host_alloc) {
		if (backend->host_alloc(bench_case->device, bytes, kind, &made, error))
			return -1;
	} else if (kind != BENCH_HOST_PAGEABLE) {
		return bench_fail(error, BENCH_UNSUPPORTED, "backend %s has no page-locked host memory",
				  backend->name);
	} else if (posix_memalign(&made, 4096, bytes)) {
		return bench_fail(error, BENCH_NO_MEMORY, "transfer: no host memory for %zu bytes", bytes);
	}
	*memory = made;
	return 0;
}

static void free_host(const struct bench_case *bench_case, unsigned char *memory)
{
	if (!memory)
		return;
	if (bench_case->backend->host_free)
		bench_case->backend->host_free(bench_case->device, memory);
	else
		free(memory);
}

/*
 * Random words, over and over, each time with another number mixed in: quick to make, and no
 * two places look alike, so that a shifted or repeated block is seen.
 */
static void fill_pattern(uint64_t seed, unsigned char *out, size_t bytes)
{
	enum { WORDS = 512 };
	uint64_t block[WORDS];
	struct bench_rng rng;
	bench_rng_start(&rng, seed, 1);
	for (size_t i = 0; i < WORDS; i++)
		block[i] = (uint64_t)bench_rng_u32(&rng) << 32 | bench_rng_u32(&rng);
	for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
		size_t index = i / sizeof(uint64_t), left = bytes - i;
		uint64_t word = block[index % WORDS] ^ (index / WORDS * 0x9e3779b97f4a7c15);
		memcpy(out + i, &word, left < sizeof(word) ? left : sizeof(word));
	}
}

static int setup(struct bench_case *bench_case, struct bench_error *error)
{
	struct state *state = bench_state_make(bench_case, sizeof(*state), "transfer", error);
	if (!state)
		return -1;
	state->directions = directions_of(bench_case);
	state->bytes = (size_t)bench_case->values[BYTES].integer;
	if (make_host(bench_case, state->bytes, &state->source, error) ||
	    make_host(bench_case, state->bytes, &state->target, error) ||
	    bench_case->backend->alloc(bench_case->device, state->bytes, &state->buffer, error))
		return -1;
	fill_pattern(bench_case->seed, state->source, state->bytes);
	memset(state->target, 0, state->bytes); /* no page is touched for the first time while timed */
	return bench_case->backend->upload(bench_case->device, state->buffer, state->source, state->bytes,
					   error);
}

static int upload(struct bench_case *bench_case, const unsigned char *from, struct bench_error *error)
{
	struct state *state = bench_case->state;
	return bench_case->backend->upload(bench_case->device, state->buffer, from, state->bytes, error);
}

static int download(struct bench_case *bench_case, struct bench_error *error)
{
	struct state *state = bench_case->state;
	return bench_case->backend->download(bench_case->device, state->buffer, state->target, state->bytes,
					     error);
}

static int run(struct bench_case *bench_case, uint64_t iterations, struct bench_error *error)
{
	struct state *state = bench_case->state;
	for (uint64_t i = 0; i < iterations; i++)
		if (((state->directions & UPLOAD) && upload(bench_case, state->source, error)) ||
		    ((state->directions & DOWNLOAD) && download(bench_case, error)))
			return -1;
	return 0;
}

/* Where the copy is to arrive, every byte is wrong beforehand. */
static int prepare(struct bench_case *bench_case, struct bench_error *error)
{
	struct state *state = bench_case->state;
	for (size_t i = 0; i < state->bytes; i++)
		state->target[i] = (unsigned char)~state->source[i];
	return state->directions & UPLOAD ? upload(bench_case, state->target, error) : 0;
}

static int check(struct bench_case *bench_case, uint64_t iterations, struct bench_check *check,
		 struct bench_error *error)
{
	(void)iterations; /* every iteration copies the same */
	struct state *state = bench_case->state;
	if (!(state->directions & DOWNLOAD) && download(bench_case, error))
		return -1;
	size_t wrong = 0;
	for (size_t i = 0; i < state->bytes; i++)
		wrong += state->target[i] != state->source[i];
	*check = (struct bench_check){
		.error = (double)wrong, .tolerance = 0, .method = "bytes that differ from what was sent"};
	return 0;
}

static void teardown(struct bench_case *bench_case)
{
	struct state *state = bench_case->state;
	if (!state)
		return;
	bench_case->backend->release(bench_case->device, state->buffer);
	free_host(bench_case, state->source);
	free_host(bench_case, state->target);
	bench_state_free(bench_case);
}

const struct bench_suite bench_suite_transfer = {
	.name = "transfer",
	.summary = "copies between host memory and the device",
	.sweeps = {quick, nightly, NULL},
	.prepare = prepare,
	.teardown = teardown,
	BENCH_SUITE_HOOKS,
};
