/* SPDX-License-Identifier: MIT */
/* Sources of kernels, with what they include. */
#ifndef BENCH_OPENCL_SOURCE_H
#define BENCH_OPENCL_SOURCE_H

#include "bench/error.h"

/*
 * The text of kernel file `file` ("gemm_cpu.cl"), malloc'd. It was embedded at build, or comes from the
 * folder $BENCH_KERNELS: from that folder itself, else from the subfolder that has the file in
 * backends/opencl.
 *
 * A line `#include "other.cl"` is replaced by that file, found in the same way: the compiler would look for
 * an include on the machine where it runs. Compilers that heed #line (PoCL's; NVIDIA's does not) then report
 * files and lines as if nothing had been inserted.
 *
 * BENCH_ENVIRONMENT where a live file cannot be read, BENCH_FAILED where no such file is embedded, or one
 * includes itself.
 */
int bench_opencl_source(const char *file, char **source, struct bench_error *error);

#endif
