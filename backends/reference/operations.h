/*
 * Operations of the reference backend: plain, in double, on one thread. The hooks' own
 * contracts are in include/bench.
 */
#ifndef BENCH_REFERENCE_OPERATIONS_H
#define BENCH_REFERENCE_OPERATIONS_H

#include "bench/backend.h"

int bench_reference_gemm_batch(struct bench_device *device, const struct bench_gemm *gemm,
			       struct bench_error *error);
int bench_reference_activate(struct bench_device *device, const struct bench_activate *activate,
			     struct bench_error *error);
int bench_reference_fused(struct bench_device *device, const struct bench_fused *fused,
			  struct bench_error *error);
int bench_reference_bias_add(struct bench_device *device, const struct bench_bias_add *bias_add,
			     struct bench_error *error);
int bench_reference_conv2d_run(struct bench_device *device, const struct bench_conv2d *conv,
			       struct bench_error *error);
int bench_reference_random(struct bench_device *device, const struct bench_random *random,
			   struct bench_error *error);
int bench_reference_reduction(struct bench_device *device, const struct bench_reduction *reduction,
			      struct bench_error *error);
int bench_reference_spmv(struct bench_device *device, const struct bench_spmv *spmv,
			 struct bench_error *error);

extern const struct bench_training bench_reference_training;

/* Element `index` of an array of f32 or f64, and its replacement, rounded to the type. */
static inline double bench_reference_element(enum bench_dtype dtype, const void *data, size_t index)
{
	return dtype == BENCH_F64 ? ((const double *)data)[index] : (double)((const float *)data)[index];
}

static inline void bench_reference_store(enum bench_dtype dtype, void *data, size_t index, double value)
{
	if (dtype == BENCH_F64)
		((double *)data)[index] = value;
	else
		((float *)data)[index] = (float)value;
}

#endif
