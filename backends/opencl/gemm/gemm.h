/* GEMM in OpenCL: two schemes, for CPUs and for GPUs (docs/opencl.md). */
#ifndef BENCH_OPENCL_GEMM_H
#define BENCH_OPENCL_GEMM_H

#include "backends/opencl/runtime/internal.h"

/* The type that a problem is computed in: all short ones are types of storage. */
static inline enum bench_dtype bench_opencl_gemm_computes(enum bench_dtype dtype)
{
	return dtype == BENCH_F64 ? BENCH_F64 : BENCH_F32;
}

/* Groups of a launch, at most, where tiles have several: 128 MiB of sums in float. */
#define BENCH_OPENCL_GEMM_SPLIT_GROUPS 2048

/* Multiply-adds of vectors on a CPU from which a caller's helper has a part: they take 1.3 us at 4 GHz, what
 * it takes to hand a part over twice. */
#define BENCH_OPENCL_GEMM_HELPED 9000.0

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
/* BENCH_UNSUPPORTED where the device does not run so large groups of a kernel, which would say less at
 * launch. */
int bench_opencl_gemm_check_group(struct bench_device *device, const struct bench_opencl_kernel *kernel,
				  size_t items, struct bench_error *error);
/*
 * Memory for sums of groups that share tiles (device->gemm.partial), and a counter for each tile, at most
 * BENCH_OPENCL_GEMM_SPLIT_GROUPS of them, that is 0 between calls (device->gemm.arrived).
 */
int bench_opencl_gemm_reserve_parts(struct bench_device *device, size_t bytes, struct bench_error *error);
int bench_opencl_gemm_gpu(struct bench_device *device, const struct bench_gemm *gemm, bool exact,
			  struct bench_error *error);

#endif
