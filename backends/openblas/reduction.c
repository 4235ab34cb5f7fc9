/* SPDX-License-Identifier: MIT */
/* One value from a vector. OpenBLAS has the product of two (dot); its asum and iamax are of magnitudes. */
#include "backends/cpu.h"
#include "backends/cpu/operations.h"
#include "backends/openblas/library.h"
#include "backends/openblas/operations.h"

static int dot(const struct bench_device *device, const struct bench_reduction *reduction,
	       struct bench_error *error)
{
	const struct openblas *library = openblas_of(device, error);
	if (!library)
		return -1;
	if (reduction->count > openblas_most(library))
		return bench_fail(error, BENCH_UNSUPPORTED,
				  "openblas: dot of %zu elements: this build of OpenBLAS takes up to %zu",
				  reduction->count, openblas_most(library));
	double sum = openblas_dot(library, reduction->dtype, reduction->count, reduction->a->data,
				  reduction->b->data);
	if (reduction->dtype == BENCH_F64)
		*(double *)reduction->result = sum;
	else
		*(float *)reduction->result = (float)sum;
	return 0;
}

int bench_openblas_reduction(struct bench_device *device, const struct bench_reduction *reduction,
			     struct bench_error *error)
{
	if (reduction->op != BENCH_REDUCTION_DOT)
		return bench_cpu_reduction(device, reduction, error);
	if (bench_cpu_check_reduction("openblas", reduction, error))
		return -1;
	struct bench_reduction here = *reduction;
	here.result = bench_cpu_reduction_result(reduction);
	return dot(device, &here, error);
}
