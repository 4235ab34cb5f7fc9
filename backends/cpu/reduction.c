/* SPDX-License-Identifier: MIT */
/*
 * One value from a vector: sum, max and argmax.
 *
 * argmax takes blocks. The compiler vectorizes the loop for the largest of a block, and only the block with
 * the largest of all is searched for its place.
 */
#include <math.h>
#include <stdint.h>

#include "backends/cpu.h"
#include "backends/cpu/operations.h"
#include "backends/cpu/share.h"

#define BLOCK 1024 /* elements: they stay in the first-level cache */

struct loops {
	double (*sum)(const void *data, size_t count);
	double (*max)(const void *data, size_t count);
};

#define LOOPS "backends/cpu/reduction_loops.h"
#include "backends/cpu/wide.h"

/* One thread's result. */
struct best {
	double value;
	size_t block; /* the first that has it */
};
union part {
	double sum;
	struct best best;
	char line[64]; /* for itself */
};

struct work {
	const struct bench_reduction *reduction;
	union part *parts; /* of each thread; those of threads with no elements stay as they are */
};

static const char *element_at(const struct bench_reduction *reduction, size_t i)
{
	return (const char *)reduction->a->data + i * bench_dtype_bytes(reduction->dtype);
}

static void sum_part(void *context, unsigned number, size_t first, size_t end)
{
	const struct work *work = context;
	work->parts[number].sum =
		wide_loops(work->reduction->dtype)->sum(element_at(work->reduction, first), end - first);
}

static struct best better(struct best a, struct best b)
{
	bool same = a.value == b.value || (isnan(a.value) && isnan(b.value));
	bool above = b.value > a.value || (isnan(b.value) && !isnan(a.value));
	return above || (same && b.block < a.block) ? b : a;
}

static void best_part(void *context, unsigned number, size_t first, size_t end)
{
	const struct work *work = context;
	const struct loops *loops = wide_loops(work->reduction->dtype);
	struct best best = {-INFINITY, SIZE_MAX};
	for (size_t at = first; at < end; at += BLOCK) {
		size_t count = end - at < BLOCK ? end - at : BLOCK;
		best = better(best, (struct best){loops->max(element_at(work->reduction, at), count), at});
	}
	work->parts[number].best = best;
}

/* The parts of all threads, as they are where a thread has no elements. */
static int get_parts(struct bench_device *device, unsigned threads, union part with, union part **parts,
		     struct bench_error *error)
{
	void *workspace;
	if (bench_cpu_reserve(device, threads * sizeof(with), &workspace, error) != 0)
		return -1;
	*parts = workspace;
	for (unsigned i = 0; i < threads; i++)
		(*parts)[i] = with;
	return 0;
}

/* Threads' sums are added in their order: the same bits every time. */
static int sum(struct bench_device *device, const struct bench_reduction *reduction,
	       struct bench_error *error)
{
	unsigned threads = bench_cpu_threads(device, reduction->count);
	struct work work = {reduction, NULL};
	double all = 0;
	if (get_parts(device, threads, (union part){.sum = 0}, &work.parts, error) != 0)
		return -1;
	bench_cpu_share(threads, reduction->count, sum_part, &work);
	for (unsigned i = 0; i < threads; i++)
		all += work.parts[i].sum;
	if (reduction->dtype == BENCH_F64)
		*(double *)reduction->result = all;
	else
		*(float *)reduction->result = (float)all;
	return 0;
}

static double value_at(const struct bench_reduction *reduction, size_t i)
{
	const void *at = element_at(reduction, i);
	return reduction->dtype == BENCH_F64 ? *(const double *)at : (double)*(const float *)at;
}

static int max(struct bench_device *device, const struct bench_reduction *reduction,
	       struct bench_error *error)
{
	unsigned threads = bench_cpu_threads(device, reduction->count);
	struct best best = {-INFINITY, SIZE_MAX};
	struct work work = {reduction, NULL};
	if (get_parts(device, threads, (union part){.best = best}, &work.parts, error) != 0)
		return -1;
	bench_cpu_share(threads, reduction->count, best_part, &work);
	for (unsigned i = 0; i < threads; i++)
		best = better(best, work.parts[i].best);
	if (reduction->op == BENCH_REDUCTION_ARGMAX) {
		size_t i = best.block;
		while (value_at(reduction, i) != best.value &&
		       !(isnan(value_at(reduction, i)) && isnan(best.value)))
			i++;
		*(uint64_t *)reduction->result = i;
	} else if (reduction->dtype == BENCH_F64) {
		*(double *)reduction->result = best.value;
	} else {
		*(float *)reduction->result = (float)best.value;
	}
	return 0;
}

int bench_cpu_reduction(struct bench_device *device, const struct bench_reduction *reduction,
			struct bench_error *error)
{
	if (bench_cpu_check_reduction("openblas", reduction, error))
		return -1;
	struct bench_reduction here = *reduction;
	here.result = bench_cpu_reduction_result(reduction);
	switch (reduction->op) {
	case BENCH_REDUCTION_SUM:
		return sum(device, &here, error);
	case BENCH_REDUCTION_DOT:
		break;
	case BENCH_REDUCTION_MAX:
	case BENCH_REDUCTION_ARGMAX:
		return max(device, &here, error);
	}
	return bench_fail(error, BENCH_USAGE, "openblas: there is no reduction %d", (int)reduction->op);
}
