/* SPDX-License-Identifier: MIT */
/* Activation functions of a vector (curves.h): loops over all threads, which the compiler makes vectors of.
 */
#include "backends/cpu.h"
#include "backends/cpu/curves.h"
#include "backends/cpu/operations.h"
#include "backends/cpu/share.h"

struct loops {
	void (*run[BENCH_ACTIVATION_GELU_TANH + 1])(const void *from, void *to, size_t count);
};

#define LOOPS "backends/cpu/activation_loops.h"
#include "backends/cpu/wide.h"

static void make(const void *operation, size_t first, size_t count, void *to)
{
	const struct bench_activate *activate = operation;
	size_t at = first * bench_dtype_bytes(activate->dtype);
	wide_loops(activate->dtype)->run[activate->function]((const char *)activate->a->data + at, to, count);
}

int bench_cpu_activate(struct bench_device *device, const struct bench_activate *activate,
		       struct bench_error *error)
{
	if (bench_cpu_check_width("openblas", activate->width, error) ||
	    bench_cpu_check_dtype("openblas", "activation", activate->dtype, error) ||
	    bench_cpu_check_function("openblas", activate->function, error))
		return -1;
	size_t count = activate->count, real = bench_dtype_bytes(activate->dtype);
	bench_cpu_make(bench_cpu_threads(device, count),
		       &(struct bench_cpu_vector){make, activate, activate->c->data, count, real});
	return 0;
}
