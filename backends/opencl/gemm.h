/* GEMM in OpenCL: two schemes, for CPUs and for GPUs (docs/opencl.md). */
#ifndef BENCH_OPENCL_GEMM_H
#define BENCH_OPENCL_GEMM_H

#include "internal.h"

/* The type that a problem is computed in: all short ones are types of storage. */
static inline enum bench_dtype bench_opencl_gemm_computes(enum bench_dtype dtype)
{
	return dtype == BENCH_F64 ? BENCH_F64 : BENCH_F32;
}

/* How many products the problem is: 0 is 1. */
static inline size_t bench_opencl_gemm_batch(const struct bench_gemm *gemm)
{
	return gemm->batch ? gemm->batch : 1;
}

/* The ends of a product that kernels are compiled for: none (0), an activation, a bias and an activation. */
static inline unsigned bench_opencl_gemm_end(const struct bench_gemm *gemm)
{
	return (gemm->bias ? 4U : 0) + (unsigned)gemm->activation;
}

/* The guard: the problem is whole and fits its buffers; BENCH_USAGE where not. */
int bench_opencl_gemm_check(const struct bench_gemm *gemm, struct bench_error *error);

/* "-DREAL=... -DHALF=... -DEXACT=... -DBIAS=... -DACTIVATION=...": what both schemes are compiled with. */
void bench_opencl_gemm_options(char *options, size_t size, enum bench_dtype dtype, bool exact, unsigned end);

/*
 * A problem that bench_opencl_gemm has checked: m, n, k fit in 32 bits, the buffers hold the
 * matrices. exact: all that struct bench_gemm has a raw caller vouch for is so.
 */
int bench_opencl_gemm_cpu(struct bench_device *device, const struct bench_gemm *gemm, bool exact,
			  struct bench_error *error);
/* Does a GPU have tensor cores that can take the problem? Where not, tf32 is to be given to it as f32. */
bool bench_opencl_gemm_has_tensor_cores(const struct bench_device *device, const struct bench_gemm *gemm);
int bench_opencl_gemm_gpu(struct bench_device *device, const struct bench_gemm *gemm, bool exact,
			  struct bench_error *error);

#endif
