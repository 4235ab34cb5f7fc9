/* SPDX-License-Identifier: MIT */
/* One value from a vector: in the order of the elements, in double. */
#include <math.h>

#include "backends/cpu.h"
#include "backends/reference/operations.h"
#include "kit/reference.h"

static double sum_of(const struct bench_reduction *reduction)
{
	double sum = 0;
	for (size_t i = 0; i < reduction->count; i++) {
		double a = bench_reference_element(reduction->dtype, reduction->a->data, i);
		sum += reduction->op == BENCH_REDUCTION_DOT
			       ? a * bench_reference_element(reduction->dtype, reduction->b->data, i)
			       : a;
	}
	return sum;
}

static size_t largest_of(const struct bench_reduction *reduction)
{
	size_t at = 0;
	double largest = bench_reference_element(reduction->dtype, reduction->a->data, 0);
	for (size_t i = 1; i < reduction->count && !isnan(largest); i++) {
		double a = bench_reference_element(reduction->dtype, reduction->a->data, i);
		if (a > largest || isnan(a)) {
			largest = a;
			at = i;
		}
	}
	return at;
}

int bench_reference_reduction(struct bench_device *device, const struct bench_reduction *reduction,
			      struct bench_error *error)
{
	(void)device;
	double value;
	if (bench_cpu_check_reduction("reference", reduction, error))
		return -1;
	void *result = bench_cpu_reduction_result(reduction);
	if (reduction->op == BENCH_REDUCTION_ARGMAX) {
		*(uint64_t *)result = largest_of(reduction);
		return 0;
	}
	if (reduction->op == BENCH_REDUCTION_MAX)
		value = bench_reference_element(reduction->dtype, reduction->a->data, largest_of(reduction));
	else
		value = sum_of(reduction);
	if (reduction->dtype == BENCH_F64)
		*(double *)result = value;
	else
		*(float *)result = (float)value;
	return 0;
}
