/* SPDX-License-Identifier: MIT */
/* A problem of GEMM: its check, and what all schemes say about it. */
#ifndef BENCH_OPENCL_GEMM_PROBLEM_H
#define BENCH_OPENCL_GEMM_PROBLEM_H

#include "backends/opencl/runtime/device.h"
#include "backends/opencl/runtime/program.h"

/* The most groups of a product whose groups share tiles: 128 MiB of sums in float. */
#define BENCH_OPENCL_GEMM_SPLIT_GROUPS 2048

/* The type that a problem is computed in: short types are types of storage. */
static inline enum bench_dtype bench_opencl_gemm_computes(enum bench_dtype dtype)
{
	return dtype == BENCH_F64 ? BENCH_F64 : BENCH_F32;
}

/* Bytes of an element as it is computed. */
static inline size_t bench_opencl_gemm_real(const struct bench_gemm *gemm)
{
	return bench_dtype_bytes(bench_opencl_gemm_computes(gemm->dtype));
}

/* The number of products: 0 means 1. */
static inline size_t bench_opencl_gemm_batch(const struct bench_gemm *gemm)
{
	return gemm->batch ? gemm->batch : 1;
}

/* The ends of a product that kernels are compiled for: none (0), an activation, a bias and an activation. */
static inline unsigned bench_opencl_gemm_end(const struct bench_gemm *gemm)
{
	return (gemm->bias ? 4U : 0) + (unsigned)gemm->activation;
}

/* alpha and beta as they end the structure that a kernel's first argument is: both in f64, else both in f32.
 */
union bench_opencl_gemm_scales {
	cl_float f32[2];
	cl_double f64[2];
};
static inline union bench_opencl_gemm_scales bench_opencl_gemm_scales(const struct bench_gemm *gemm)
{
	if (gemm->dtype == BENCH_F64)
		return (union bench_opencl_gemm_scales){.f64 = {gemm->alpha, gemm->beta}};
	return (union bench_opencl_gemm_scales){.f32 = {(cl_float)gemm->alpha, (cl_float)gemm->beta}};
}

/* The guard: the problem is whole and fits its buffers; BENCH_USAGE where not. */
int bench_opencl_gemm_check(const struct bench_gemm *gemm, struct bench_error *error);

/* The options that all schemes are compiled with, and their values. */
#define BENCH_OPENCL_GEMM_OPTIONS "-DREAL=%s -DHALF=%d -DEXACT=%d -DBIAS=%u -DACTIVATION=%u"
#define BENCH_OPENCL_GEMM_VALUES(dtype, exact, end)                                                          \
	bench_opencl_real(dtype), bench_opencl_half(dtype), exact, (end) / 4, (end) % 4

/* A problem of BENCH_C32 that bench_opencl_gemm_check has passed (complex.c). */
int bench_opencl_gemm_complex(struct bench_device *device, const struct bench_gemm *gemm,
			      struct bench_error *error);

#endif
