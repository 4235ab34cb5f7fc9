/* SPDX-License-Identifier: MIT */
/* Sums and products of two vectors, one element after the other in double. */
#include "backends/cpu.h"
#include "backends/reference/operations.h"
#include "kit/reference.h"

/* Rounded to double and then to float is rounded once: double has more than twice float's digits. */
int bench_reference_elementwise(struct bench_device *device, const struct bench_elementwise *elementwise,
				struct bench_error *error)
{
	(void)device;
	enum bench_dtype dtype = elementwise->dtype;
	if (bench_cpu_check_width("reference", elementwise->width, error) ||
	    bench_cpu_check_dtype("reference", "elementwise", dtype, error))
		return -1;
	for (size_t i = 0; i < elementwise->count; i++) {
		double a = bench_reference_element(dtype, elementwise->a->data, i);
		double b = bench_reference_element(dtype, elementwise->b->data, i);
		double c = elementwise->op == BENCH_ELEMENTWISE_MUL ? a * b : a + b;
		bench_reference_store(dtype, elementwise->c->data, i, c);
	}
	return 0;
}
