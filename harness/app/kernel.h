/* SPDX-License-Identifier: MIT */
/* Kernels that the user names: source and specification become an extension (extend/extend.h). */
#ifndef BENCH_APP_KERNEL_H
#define BENCH_APP_KERNEL_H

#include <stdbool.h>

#include "bench/error.h"

/*
 * Adds the kernel of the file to this process. `spec_file`: NULL, the specification is in a comment of the
 * source. `search`: with the twin by which 'bench tune' searches (suites/kernel/tune.h). BENCH_USAGE with
 * the file, and where it has lines the line.
 */
int bench_app_kernel(const char *file, const char *spec_file, bool search, struct bench_error *error);

#endif
