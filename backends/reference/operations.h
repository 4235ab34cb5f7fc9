/*
 * Operations of the reference backend that stand in files of their own. The hooks' own
 * contracts are in include/bench.
 */
#ifndef BENCH_REFERENCE_OPERATIONS_H
#define BENCH_REFERENCE_OPERATIONS_H

#include "bench/backend.h"

int bench_reference_spmv(struct bench_device *device, const struct bench_spmv *spmv,
			 struct bench_error *error);

#endif
