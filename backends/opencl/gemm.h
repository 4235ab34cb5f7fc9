/* GEMM in OpenCL: two schemes, for CPUs and for GPUs (docs/opencl.md). */
#ifndef BENCH_OPENCL_GEMM_H
#define BENCH_OPENCL_GEMM_H

#include "internal.h"

/* alpha or beta as a kernel argument of the problem's type. */
union bench_opencl_scalar {
	cl_float f32;
	cl_double f64;
};
static inline union bench_opencl_scalar bench_opencl_scalar(enum bench_dtype dtype, double value)
{
	union bench_opencl_scalar scalar = {0};
	if (dtype == BENCH_F64)
		scalar.f64 = value;
	else
		scalar.f32 = (cl_float)value;
	return scalar;
}

/* A problem that bench_opencl_gemm has checked: m, n, k fit in 32 bits, the buffers hold the matrices. */
int bench_opencl_gemm_cpu(struct bench_device *device, const struct bench_gemm *gemm,
			  struct bench_error *error);
int bench_opencl_gemm_gpu(struct bench_device *device, const struct bench_gemm *gemm,
			  struct bench_error *error);

#endif
