/* SPDX-License-Identifier: MIT */
/* Libraries with the C interface of BLAS, by their path: another OpenBLAS, BLIS, oneMKL. */
#ifndef BACKENDS_OPENBLAS_BY_PATH_H
#define BACKENDS_OPENBLAS_BY_PATH_H

#include "bench/error.h"

#define BENCH_OPENBLAS_PATHS 4 /* of a process, at most */

/*
 * Adds the backend `name` ("openblas+blis"), which is the backend openblas with the library of this absolute
 * path. The library is loaded when its device is asked for. BENCH_USAGE where there are too many, the name is
 * taken or no backend's, or the path is too long. Before there are threads.
 */
int bench_openblas_add_path(const char *name, const char *path, struct bench_error *error);

#endif
