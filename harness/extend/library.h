/* SPDX-License-Identifier: MIT */
/* Libraries that users name by their path: the backend openblas with another one
 * (backends/openblas/by_path.h). */
#ifndef BENCH_EXTEND_LIBRARY_H
#define BENCH_EXTEND_LIBRARY_H

#include <cjson/cJSON.h>

#include "bench/error.h"

/*
 * The extension {"kind": "library", "name": of the backend, "path": absolute, "hash": of its content}: adds
 * the backend. BENCH_USAGE if it is not a library or the file has other content.
 */
int bench_extend_library_add(const cJSON *extension, struct bench_error *error);

#endif
