/* SPDX-License-Identifier: MIT */
/* "openblas:/path/libblis.so.4" in a list of backends. */
#ifndef BENCH_APP_LIBRARY_H
#define BENCH_APP_LIBRARY_H

#include "bench/error.h"
#include "core/arena.h"

/*
 * Adds the backend of each library that the list names by a path, one with a slash, and returns the list with
 * the backends' names in their place: "openblas+blis", after the file. NULL (`backends` is not) with
 * BENCH_USAGE where there is no such file, or another backend is to take it. In `arena`. Before there are
 * threads.
 */
const char *bench_app_libraries(const char *backends, struct bench_arena *arena, struct bench_error *error);

#endif
