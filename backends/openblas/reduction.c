/*
 * One value from a vector. OpenBLAS has the product of two (dot); its asum and iamax are of
 * magnitudes, so that sum, max and argmax are what its users write: loops.
 *
 * argmax takes blocks: the largest of a block is a loop that the compiler makes vectors of, and
 * only the block that has the largest of all is looked through for its place.
 */
#include <math.h>
#include <stdint.h>

#include "backends/cpu.h"
#include "backends/openblas/library.h"
#include "backends/openblas/operations.h"

#define BLOCK 4096 /* elements: they stay in the first-level cache */

static float sum_f32(const float *a, size_t count, unsigned threads)
{
	float sum = 0;
#pragma omp parallel for simd reduction(+ : sum) num_threads(threads) if (threads > 1)
	for (size_t i = 0; i < count; i++)
		sum += a[i];
	return sum;
}

static double sum_f64(const double *a, size_t count, unsigned threads)
{
	double sum = 0;
#pragma omp parallel for simd reduction(+ : sum) num_threads(threads) if (threads > 1)
	for (size_t i = 0; i < count; i++)
		sum += a[i];
	return sum;
}

/* The largest of a block; NaN where one is. The loop forgets NaNs, and so counts them. */
static float block_max_f32(const float *a, size_t count)
{
	float largest = -INFINITY;
	int nans = 0;
#pragma omp simd reduction(max : largest) reduction(+ : nans)
	for (size_t i = 0; i < count; i++) {
		largest = a[i] > largest ? a[i] : largest;
		nans += a[i] != a[i];
	}
	return nans ? NAN : largest;
}

static double block_max_f64(const double *a, size_t count)
{
	double largest = -INFINITY;
	int nans = 0;
#pragma omp simd reduction(max : largest) reduction(+ : nans)
	for (size_t i = 0; i < count; i++) {
		largest = a[i] > largest ? a[i] : largest;
		nans += a[i] != a[i];
	}
	return nans ? (double)NAN : largest;
}

struct best {
	double value;
	size_t block; /* the first that has it */
};

static struct best better(struct best a, struct best b)
{
	bool same = a.value == b.value || (isnan(a.value) && isnan(b.value));
	bool above = b.value > a.value || (isnan(b.value) && !isnan(a.value));
	return above || (same && b.block < a.block) ? b : a;
}

static double block_max(const struct bench_reduction *reduction, size_t block)
{
	size_t first = block * BLOCK, left = reduction->count - first, count = left < BLOCK ? left : BLOCK;
	return reduction->dtype == BENCH_F64
		       ? block_max_f64((const double *)reduction->a->data + first, count)
		       : (double)block_max_f32((const float *)reduction->a->data + first, count);
}

static struct best largest_of(const struct bench_reduction *reduction, unsigned threads)
{
	struct best best = {-INFINITY, SIZE_MAX};
	size_t blocks = (reduction->count - 1) / BLOCK + 1;
#pragma omp parallel num_threads(threads) if (threads > 1)
	{
		struct best own = {-INFINITY, SIZE_MAX};
#pragma omp for schedule(static) nowait
		for (size_t block = 0; block < blocks; block++)
			own = better(own, (struct best){block_max(reduction, block), block});
#pragma omp critical
		best = better(best, own);
	}
	return best;
}

/* The index of the first element of the block that is the best. */
static size_t place_of(const struct bench_reduction *reduction, struct best best)
{
	const double *wide = reduction->a->data;
	const float *narrow = reduction->a->data;
	for (size_t i = best.block * BLOCK;; i++) {
		double a = reduction->dtype == BENCH_F64 ? wide[i] : (double)narrow[i];
		if (a == best.value || (isnan(a) && isnan(best.value)))
			return i;
	}
}

static int dot(const struct bench_reduction *reduction, struct bench_error *error)
{
	const struct openblas *library = openblas_load(error);
	const size_t limit = sizeof(blasint) == 8 ? (size_t)INT64_MAX : (size_t)INT32_MAX;
	if (!library)
		return -1;
	if (reduction->count > limit)
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "openblas: dot of %zu elements: this build of OpenBLAS takes up to %zu",
				  reduction->count, limit);
	blasint count = (blasint)reduction->count;
	if (reduction->dtype == BENCH_F64)
		*(double *)reduction->result =
			library->ddot(count, reduction->a->data, 1, reduction->b->data, 1);
	else
		*(float *)reduction->result =
			library->sdot(count, reduction->a->data, 1, reduction->b->data, 1);
	return 0;
}

int bench_openblas_reduction(struct bench_device *device, const struct bench_reduction *reduction,
			     struct bench_error *error)
{
	if (bench_cpu_check_reduction("openblas", reduction, error))
		return -1;
	unsigned threads = bench_cpu_threads(device, reduction->count);
	bool wide = reduction->dtype == BENCH_F64;
	float *narrow_result = reduction->result;
	double *wide_result = reduction->result;
	switch (reduction->op) {
	case BENCH_REDUCTION_DOT:
		return dot(reduction, error);
	case BENCH_REDUCTION_SUM:
		if (wide)
			*wide_result = sum_f64(reduction->a->data, reduction->count, threads);
		else
			*narrow_result = sum_f32(reduction->a->data, reduction->count, threads);
		return 0;
	case BENCH_REDUCTION_MAX:
		if (wide)
			*wide_result = largest_of(reduction, threads).value;
		else
			*narrow_result = (float)largest_of(reduction, threads).value;
		return 0;
	case BENCH_REDUCTION_ARGMAX:
		*(uint64_t *)reduction->result = place_of(reduction, largest_of(reduction, threads));
		return 0;
	}
	return bench_fail(error, BENCH_USAGE, "openblas: there is no reduction %d", (int)reduction->op);
}
