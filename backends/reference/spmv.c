/* SPDX-License-Identifier: MIT */
/* Sparse matrix times vector, plainly: each row summed in double and rounded once. */
#include "backends/check.h"
#include "backends/cpu.h"
#include "backends/reference/operations.h"

int bench_reference_spmv(struct bench_device *device, const struct bench_spmv *spmv,
			 struct bench_error *error)
{
	(void)device;
	if (bench_spmv_check("reference", spmv, bench_cpu_bytes, error))
		return -1;
	bool wide = spmv->dtype == BENCH_F64;
	const uint32_t *offsets = spmv->offsets->data, *columns = spmv->columns->data;
	const void *values = spmv->values->data, *x = spmv->x->data;
	for (size_t row = 0; row < spmv->rows; row++) {
		double sum = 0;
		for (uint32_t k = offsets[row]; k < offsets[row + 1]; k++)
			sum += wide ? ((const double *)values)[k] * ((const double *)x)[columns[k]]
				    : (double)((const float *)values)[k] *
					       (double)((const float *)x)[columns[k]];
		if (wide)
			((double *)spmv->y->data)[row] = sum;
		else
			((float *)spmv->y->data)[row] = (float)sum;
	}
	return 0;
}
