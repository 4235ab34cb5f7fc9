/* SPDX-License-Identifier: MIT */
/* OpenCL's own header, for the version that this backend is written to. Includes of it go through here. */
#ifndef BENCH_OPENCL_CL_H
#define BENCH_OPENCL_CL_H

#define CL_TARGET_OPENCL_VERSION 120

#include <CL/cl.h>

#endif
