/* SPDX-License-Identifier: MIT */
/*
 * Sum and product of two vectors. OpenBLAS has neither for a third vector (axpy overwrites one). Its users
 * write this: a loop.
 */
#include "backends/cpu.h"
#include "backends/cpu/operations.h"
#include "backends/cpu/share.h"

struct loops {
	void (*run[BENCH_ELEMENTWISE_MUL + 1])(const void *left, const void *right, void *to, size_t count);
};

#define LOOPS "backends/cpu/elementwise_loops.h"
#include "backends/cpu/wide.h"

static void make(const void *operation, size_t first, size_t count, void *to)
{
	const struct bench_elementwise *elementwise = operation;
	size_t at = first * bench_dtype_bytes(elementwise->dtype);
	wide_loops(elementwise->dtype)
		->run[elementwise->op]((const char *)elementwise->a->data + at,
				       (const char *)elementwise->b->data + at, to, count);
}

int bench_cpu_elementwise(struct bench_device *device, const struct bench_elementwise *elementwise,
			  struct bench_error *error)
{
	if (bench_cpu_check_width("openblas", elementwise->width, error) ||
	    bench_cpu_check_dtype("openblas", "elementwise", elementwise->dtype, error))
		return -1;
	size_t count = elementwise->count, real = bench_dtype_bytes(elementwise->dtype);
	bench_cpu_make(bench_cpu_threads(device, count),
		       &(struct bench_cpu_vector){make, elementwise, elementwise->c->data, count, real});
	return 0;
}
