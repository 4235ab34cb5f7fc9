/* SPDX-License-Identifier: MIT */
/*
 * Suite pool: buffers straight from the backend against those of a pool (suites/pool/buffer_pool.h), over
 * three patterns of use. docs/suites/pool.md says how to read it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kit/rng.h"
#include "suites/operands.h"
#include "suites/params.h"
#include "suites/pool/buffer_pool.h"
#include "suites/suites.h"

enum { PATTERN, VARIANT };
enum { STEADY, MIXED, GROWING };

static const struct bench_param params[] = {
	[PATTERN] = BENCH_CHOICE("pattern", "steady", "steady|mixed|growing",
				 "sizes asked for: the same again and again, 4 KiB to 16 MiB at random, or "
				 "each larger than the one before"),
	[VARIANT] = BENCH_CHOICE("variant", "direct", "direct|pool",
				 "buffers from the backend's own alloc, or from a pool on top of it"),
	{.name = NULL},
};

static const char *const quick[] = {"pattern=steady,mixed variant=direct,pool", NULL};
static const char *const nightly[] = {"pattern=steady,mixed,growing variant=direct,pool", NULL};

enum { ALLOCATIONS, REUSE_RATE, BYTES_HELD, BYTES_WASTED, BYTES_SHRUNK };

static const struct bench_metric_spec metrics[] = {
	[ALLOCATIONS] = {"allocations", "count", BENCH_BETTER_LOWER,
			 "the backend's allocations in one iteration, from an empty pool"},
	[REUSE_RATE] = {"reuse_rate", "ratio", BENCH_BETTER_HIGHER, "buffers of it that the pool had"},
	[BYTES_HELD] = {"bytes_held", "B", BENCH_BETTER_LOWER,
			"the most memory taken from the backend in it"},
	[BYTES_WASTED] = {"bytes_wasted", "ratio", BENCH_BETTER_LOWER, "bytes of it lost to rounding up"},
	[BYTES_SHRUNK] = {"bytes_shrunk", "B", BENCH_BETTER_NONE,
			  "given back when the pool then shrinks to half"},
	{.name = NULL},
};

enum {
	STEPS = 64, /* buffers asked for in an iteration */
	SLOTS = 8,  /* alive at once, at the most */
	TOUCH = 64, /* bytes sent to each, so that memory which is only promised becomes real */
};
static const size_t smallest = (size_t)4 << 10, largest = (size_t)16 << 20;

/* A buffer is asked for, and put in the place of the one that the slot has. */
struct step {
	size_t bytes, slot;
};

struct slot {
	size_t bytes; /* that were asked for */
	struct bench_buffer *buffer;
	struct bench_pooled *pooled; /* NULL: straight from the backend */
	size_t step;                 /* that it was asked for by */
};

struct state {
	struct step steps[STEPS];
	struct slot slots[SLOTS];
	struct bench_pool *pool; /* NULL: variant direct */
	unsigned char touch[TOUCH];
	uint64_t acquired, released; /* since prepare() */
	uint64_t checked;            /* iterations that check() itself has made since */
};

/*
 * steady: the buffers of a training step of a network 784-128-10 with minibatches of 256 in f32.
 * The seed of `mixed` is fixed, since its sizes are the work itself, which is one for all time.
 */
static void make_steps(int64_t pattern, struct step *steps)
{
	static const size_t network[] = {802816, 401408, 131072, 131072, 10240, 10240, 5120, 512};
	const double doublings = log2((double)largest / (double)smallest);
	struct bench_rng rng;
	bench_rng_start(&rng, 2006, 1);
	for (size_t i = 0; i < STEPS; i++) {
		steps[i].slot = i % SLOTS;
		if (pattern == STEADY) {
			steps[i].bytes = network[i % SLOTS];
			continue;
		}
		double at = (double)i / (STEPS - 1);
		if (pattern == MIXED) {
			at = bench_rng_uniform(&rng);
			steps[i].slot = (size_t)bench_rng_below(&rng, SLOTS);
		}
		steps[i].bytes = (size_t)((double)smallest * exp2(at * doublings));
	}
}

static int work(const struct bench_case *bench_case, struct bench_work *work, struct bench_error *error)
{
	(void)error;
	struct step steps[STEPS];
	make_steps(bench_case->values[PATTERN].integer, steps);
	work->items = STEPS;
	/* A pool holds at most what was asked for, class by class. */
	for (size_t i = 0; i < STEPS; i++) {
		uint64_t bytes = bench_pool_class_bytes(steps[i].bytes);
		work->device_bytes += bytes;
		if (bytes > work->largest_bytes)
			work->largest_bytes = bytes;
	}
	work->host_bytes = largest;
	return 0;
}

static int setup(struct bench_case *bench_case, struct bench_error *error)
{
	struct state *state = bench_state_make(bench_case, sizeof(*state), "pool", error);
	if (!state)
		return -1;
	make_steps(bench_case->values[PATTERN].integer, state->steps);
	return 0;
}

static bool is_pooled(const struct bench_case *bench_case)
{
	return bench_case->values[VARIANT].integer != 0;
}

static int acquire(const struct bench_case *bench_case, size_t step, struct slot *slot,
		   struct bench_error *error)
{
	struct state *state = bench_case->state;
	size_t bytes = state->steps[step].bytes;
	*slot = (struct slot){.bytes = bytes, .step = step};
	if (!state->pool) {
		if (bench_case->backend->alloc(bench_case->device, bytes, &slot->buffer, error))
			return -1;
	} else {
		if (bench_pool_acquire(state->pool, bytes, &slot->pooled, error))
			return -1;
		slot->buffer = slot->pooled->buffer;
	}
	state->acquired++;
	return 0;
}

/* An empty slot has nothing to give back. */
static int give_back(const struct bench_case *bench_case, struct slot *slot, struct bench_error *error)
{
	struct state *state = bench_case->state;
	if (!slot->buffer)
		return 0;
	if (!slot->pooled)
		bench_case->backend->release(bench_case->device, slot->buffer);
	else if (bench_pool_release(state->pool, slot->pooled, error))
		return -1;
	*slot = (struct slot){0};
	state->released++;
	return 0;
}

static int iterate(const struct bench_case *bench_case, struct bench_error *error)
{
	struct state *state = bench_case->state;
	for (size_t i = 0; i < STEPS; i++) {
		struct slot *slot = &state->slots[state->steps[i].slot];
		if (give_back(bench_case, slot, error) || acquire(bench_case, i, slot, error) ||
		    bench_case->backend->upload(bench_case->device, slot->buffer, state->touch, TOUCH, error))
			return -1;
	}
	for (size_t i = 0; i < SLOTS; i++)
		if (give_back(bench_case, &state->slots[i], error))
			return -1;
	return 0;
}

static int run(struct bench_case *bench_case, uint64_t iterations, struct bench_error *error)
{
	for (uint64_t i = 0; i < iterations; i++)
		if (iterate(bench_case, error))
			return -1;
	return 0;
}

/* An empty pool: the first iteration fills it, and is seen as that in the first call. */
static int renew_pool(const struct bench_case *bench_case, struct bench_error *error)
{
	struct state *state = bench_case->state;
	if (!is_pooled(bench_case))
		return 0;
	bench_pool_free(state->pool);
	return bench_pool_make(bench_case->backend, bench_case->device, &state->pool, error);
}

static int prepare(struct bench_case *bench_case, struct bench_error *error)
{
	struct state *state = bench_case->state;
	state->acquired = state->released = state->checked = 0;
	return renew_pool(bench_case, error);
}

/* What buffer `step` holds while it is checked: no two of them, and no two places, look alike. */
static uint64_t word_at(uint64_t seed, size_t step, size_t index)
{
	return (seed + step + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ index * UINT64_C(0xc2b2ae3d27d4eb4f);
}

static void fill(uint64_t seed, const struct slot *slot, unsigned char *out)
{
	for (size_t i = 0; i < slot->bytes; i += sizeof(uint64_t)) {
		uint64_t word = word_at(seed, slot->step, i / sizeof(word));
		size_t left = slot->bytes - i;
		memcpy(out + i, &word, left < sizeof(word) ? left : sizeof(word));
	}
}

/* Faults: bytes that are not what was sent. */
static int expect_intact(const struct bench_case *bench_case, const struct slot *slot, unsigned char *scratch,
			 double *faults, struct bench_error *error)
{
	if (!slot->buffer)
		return 0;
	if (bench_case->backend->download(bench_case->device, slot->buffer, scratch, slot->bytes, error))
		return -1;
	for (size_t i = 0; i < slot->bytes; i++) {
		uint64_t word = word_at(bench_case->seed, slot->step, i / sizeof(word));
		*faults += scratch[i] != ((const unsigned char *)&word)[i % sizeof(word)];
	}
	return 0;
}

/* Faults: a buffer smaller than was asked for, which is then not written to; one that is given out twice. */
static double place_faults(const struct state *state, const struct slot *slot)
{
	double faults = slot->pooled && slot->pooled->bytes < slot->bytes;
	for (size_t i = 0; i < SLOTS; i++)
		faults += &state->slots[i] != slot && state->slots[i].buffer == slot->buffer;
	return faults;
}

static int replace_checked(const struct bench_case *bench_case, size_t step, unsigned char *scratch,
			   double *faults, struct bench_error *error)
{
	struct state *state = bench_case->state;
	struct slot *slot = &state->slots[state->steps[step].slot];
	if (expect_intact(bench_case, slot, scratch, faults, error) || give_back(bench_case, slot, error) ||
	    acquire(bench_case, step, slot, error))
		return -1;
	*faults += place_faults(state, slot);
	if (*faults > 0)
		return 0;
	fill(bench_case->seed, slot, scratch);
	return bench_case->backend->upload(bench_case->device, slot->buffer, scratch, slot->bytes, error);
}

/* One iteration more, in which each buffer is filled to its end, and read back before it is given back. */
static int iterate_checked(const struct bench_case *bench_case, double *faults, struct bench_error *error)
{
	struct state *state = bench_case->state;
	unsigned char *scratch = malloc(largest);
	int result = scratch ? 0 : bench_fail(error, BENCH_NO_MEMORY, "pool: no host memory for a check");
	for (size_t i = 0; i < STEPS && result == 0 && *faults == 0; i++)
		result = replace_checked(bench_case, i, scratch, faults, error);
	for (size_t i = 0; i < SLOTS && result == 0; i++) {
		if (*faults == 0)
			result = expect_intact(bench_case, &state->slots[i], scratch, faults, error);
		if (result == 0)
			result = give_back(bench_case, &state->slots[i], error);
	}
	free(scratch);
	state->checked++;
	return result;
}

static double differs(uint64_t a, uint64_t b)
{
	return a == b ? 0 : 1;
}

/* Faults: counts that do not fit each other, or the iterations. */
static double count_faults(const struct state *state, uint64_t iterations)
{
	struct bench_pool_stats stats;
	double faults = differs(state->acquired, (iterations + state->checked) * STEPS) +
			differs(state->released, state->acquired);
	if (!state->pool)
		return faults;
	bench_pool_stats(state->pool, &stats);
	return faults + differs(stats.live, 0) + differs(stats.bytes_live, 0) +
	       differs(stats.acquired, state->acquired) +
	       differs(stats.hits + stats.allocations, state->acquired) +
	       differs(stats.allocations, stats.freed + stats.kept);
}

static int check(struct bench_case *bench_case, uint64_t iterations, struct bench_check *check,
		 struct bench_error *error)
{
	const struct state *state = bench_case->state;
	double faults = count_faults(state, iterations);
	if (faults == 0) {
		if (iterate_checked(bench_case, &faults, error))
			return -1;
		if (faults == 0)
			faults = count_faults(state, iterations);
	}
	*check = (struct bench_check){.error = faults,
				      .tolerance = 0,
				      .method = "buffers filled and read back, all of them counted"};
	return 0;
}

/* The most memory that the buffers of an iteration take by themselves. */
static uint64_t direct_high(const struct step *steps)
{
	uint64_t sizes[SLOTS] = {0}, now = 0, high = 0;
	for (size_t i = 0; i < STEPS; i++) {
		now += steps[i].bytes - sizes[steps[i].slot];
		sizes[steps[i].slot] = steps[i].bytes;
		high = now > high ? now : high;
	}
	return high;
}

static void report_value(const struct bench_report *report, int metric, double value)
{
	report->value(report->context, &metrics[metric], value);
}

/* One iteration from an empty pool: the result does not depend on how long the measurement took. */
static int report(struct bench_case *bench_case, const struct bench_report *report, struct bench_error *error)
{
	struct state *state = bench_case->state;
	struct bench_pool_stats stats;
	if (!is_pooled(bench_case)) {
		report_value(report, ALLOCATIONS, STEPS);
		report_value(report, BYTES_HELD, (double)direct_high(state->steps));
		return 0;
	}
	if (renew_pool(bench_case, error) || iterate(bench_case, error))
		return -1;
	bench_pool_stats(state->pool, &stats);
	report_value(report, ALLOCATIONS, (double)stats.allocations);
	report_value(report, REUSE_RATE, (double)stats.hits / (double)stats.acquired);
	report_value(report, BYTES_HELD, (double)stats.bytes_high);
	report_value(report, BYTES_WASTED, 1 - (double)stats.bytes_asked / (double)stats.bytes_served);
	report_value(report, BYTES_SHRUNK, (double)bench_pool_shrink(state->pool, stats.bytes_kept / 2));
	return 0;
}

static void teardown(struct bench_case *bench_case)
{
	struct state *state = bench_case->state;
	if (!state)
		return;
	/* Those of a pool go with it. */
	for (size_t i = 0; i < SLOTS; i++)
		if (!state->slots[i].pooled)
			bench_case->backend->release(bench_case->device, state->slots[i].buffer);
	bench_pool_free(state->pool);
	bench_state_free(bench_case);
}

const struct bench_suite bench_suite_pool = {
	.name = "pool",
	.summary = "buffers straight from the backend against a pool of size classes",
	.sweeps = {quick, nightly, NULL},
	.variants = "variant",
	.metrics = metrics,
	.prepare = prepare,
	.report = report,
	.teardown = teardown,
	BENCH_SUITE_HOOKS,
};
