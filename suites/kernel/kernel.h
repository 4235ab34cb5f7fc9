/* SPDX-License-Identifier: MIT */
/* Suites of users' kernels, each from a source in OpenCL C and a specification. docs/user-kernels.md says
 * how. */
#ifndef SUITES_KERNEL_KERNEL_H
#define SUITES_KERNEL_KERNEL_H

#include <cjson/cJSON.h>

#include "bench/error.h"

/* Adds the suite of an extension of kind "kernel" (suites/kernel/spec.h). BENCH_USAGE with FILE:LINE:COLUMN.
 */
int bench_kernel_add(const cJSON *extension, struct bench_error *error);

#endif
