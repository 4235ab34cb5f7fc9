/* SPDX-License-Identifier: MIT */
/* The numbers that are left to measurement: tuning.c says what they are. */
#ifndef BENCH_OPENCL_TUNING_H
#define BENCH_OPENCL_TUNING_H

#include "backends/opencl/runtime/device.h"

enum bench_opencl_tunable {
	BENCH_OPENCL_GEMM_ROWS,
	BENCH_OPENCL_GEMM_SLICE,
	BENCH_OPENCL_GEMM_BLOCK,
	BENCH_OPENCL_GEMM_DIRECT,
	BENCH_OPENCL_GEMM_BAND,
	BENCH_OPENCL_GEMM_SHARE,
	BENCH_OPENCL_GEMM_THIN,
	BENCH_OPENCL_SPMV_SPAN,
	BENCH_OPENCL_SPMV_EACH,
	BENCH_OPENCL_REDUCTION_GROUPS,
	BENCH_OPENCL_TUNABLES
};
_Static_assert((int)BENCH_OPENCL_TUNABLES <= (int)BENCH_OPENCL_TUNED, "a device has room for all of them");

/* By enum bench_opencl_tunable; at the end the name is NULL. */
extern const struct bench_tunable bench_opencl_tunables[];
/* Fills device->tuned, and that of its caller. */
void bench_opencl_tune(struct bench_device *device, const struct bench_open_options *options);

#endif
