/* SPDX-License-Identifier: MIT */
/*
 * Instructions that NVIDIA's OpenCL compiler does not know.
 *
 * Hopper's wgmma is an instruction of sm_90a, and the compiler gives PTX for sm_90. PTX is text, though, and
 * the driver builds PTX for any target that the device has. So a kernel writes such an instruction as a
 * comment in its inline assembly, after the mark //sm_90a. It comes out in the PTX with its registers filled
 * in. This module removes the marks, and makes sm_90a the target.
 */
#ifndef BENCH_OPENCL_RETARGET_H
#define BENCH_OPENCL_RETARGET_H

#include <stddef.h>

#include "bench/error.h"

#define BENCH_OPENCL_RETARGET_MARK "//sm_90a"

/*
 * `binary` of *length bytes, as clGetProgramInfo gives it, in memory of two bytes more: changed in place, and
 * ends with a zero byte. BENCH_UNSUPPORTED where it is no PTX for sm_90, or has no such mark.
 */
int bench_opencl_retarget(char *binary, size_t *length, struct bench_error *error);

#endif
