/* Sources of kernels, with what they include. */
#ifndef BENCH_OPENCL_SOURCE_H
#define BENCH_OPENCL_SOURCE_H

#include "bench/error.h"

/*
 * The text of kernel file `file` ("gemm_cpu.cl"), malloc'd: embedded at build, or read from the folder
 * $BENCH_KERNELS. A line `#include "other.cl"` is replaced by that file, from the same place: OpenCL's own
 * includes are files of the machine that compiles. Compilers that heed #line (PoCL's; NVIDIA's does not) name
 * files and lines in their words as if nothing had been put in. BENCH_ENVIRONMENT where a live file cannot be
 * read, BENCH_FAILED where no such file is embedded, or one includes itself.
 */
int bench_opencl_source(const char *file, char **source, struct bench_error *error);

#endif
