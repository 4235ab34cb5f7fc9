/* SPDX-License-Identifier: MIT */
/* Activation functions of a vector: the oracle's, one element after the other. */
#include "backends/cpu.h"
#include "backends/reference/operations.h"
#include "kit/reference.h"

int bench_reference_activate(struct bench_device *device, const struct bench_activate *activate,
			     struct bench_error *error)
{
	(void)device;
	enum bench_dtype dtype = activate->dtype;
	if (bench_cpu_check_width("reference", activate->width, error) ||
	    bench_cpu_check_dtype("reference", "activation", dtype, error) ||
	    bench_cpu_check_function("reference", activate->function, error))
		return -1;
	for (size_t i = 0; i < activate->count; i++) {
		double x = bench_reference_element(dtype, activate->a->data, i);
		bench_reference_store(dtype, activate->c->data, i,
				      bench_reference_activation(activate->function, x));
	}
	return 0;
}
