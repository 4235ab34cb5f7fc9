/* SPDX-License-Identifier: MIT */
/* OpenCL's status codes as errors that name the call, the thing and the device. */
#ifndef BENCH_OPENCL_ERRORS_H
#define BENCH_OPENCL_ERRORS_H

#include "backends/opencl/runtime/device.h"

/*
 * The status of a call that makes an object. A driver may say CL_SUCCESS and give no object, which becomes
 * BENCH_OPENCL_NO_OBJECT, a number that OpenCL does not use.
 */
#define BENCH_OPENCL_NO_OBJECT (-30001)
static inline cl_int bench_opencl_made(const void *object, cl_int status)
{
	return status == CL_SUCCESS && !object ? BENCH_OPENCL_NO_OBJECT : status;
}

/* NULL: no status of OpenCL. */
const char *bench_opencl_error_name(cl_int status);
/* "STATUS in CALL, WHAT, device SLUG"; `what` (may be NULL) is "kernel gemm_tile", "4096 bytes". */
int bench_opencl_fail(struct bench_error *error, const struct bench_device *device, cl_int status,
		      const char *call, const char *what);

#endif
