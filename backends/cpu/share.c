/* SPDX-License-Identifier: MIT */
#include "backends/cpu/share.h"

#include <omp.h>

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

void bench_cpu_share(unsigned threads, size_t count,
		     void (*run)(void *context, unsigned number, size_t first, size_t end), void *context)
{
	if (threads <= 1) {
		run(context, 0, 0, count);
		return;
	}
#pragma omp parallel num_threads(threads)
	{
		size_t number = (size_t)omp_get_thread_num(), all = (size_t)omp_get_num_threads();
		size_t parts = (count - 1) / BENCH_CPU_PART + 1;
		size_t each = ((parts - 1) / all + 1) * BENCH_CPU_PART;
		size_t first = smaller(number * each, count), end = smaller(first + each, count);
		if (first < end)
			run(context, (unsigned)number, first, end);
	}
}

static void make_part(void *context, unsigned number, size_t first, size_t end)
{
	const struct bench_cpu_vector *vector = context;
	(void)number;
	vector->make(vector->operation, first, end - first, (char *)vector->data + first * vector->element);
}

void bench_cpu_make(unsigned threads, const struct bench_cpu_vector *vector)
{
	/* `share` hands the context on as it is. */
	bench_cpu_share(threads, vector->count, make_part, (void *)vector);
}
