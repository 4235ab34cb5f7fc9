/* Operations of the reference backend, one thread each. The hooks' own contracts are in include/bench. */
#ifndef BENCH_REFERENCE_OPERATIONS_H
#define BENCH_REFERENCE_OPERATIONS_H

#include "bench/backend.h"

int bench_reference_random(struct bench_device *device, const struct bench_random *random,
			   struct bench_error *error);
int bench_reference_reduction(struct bench_device *device, const struct bench_reduction *reduction,
			      struct bench_error *error);
int bench_reference_spmv(struct bench_device *device, const struct bench_spmv *spmv,
			 struct bench_error *error);

#endif
