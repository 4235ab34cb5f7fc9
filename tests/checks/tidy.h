/* SPDX-License-Identifier: MIT */
/*
 * Included by clang-tidy before each source: clang's analyzer sees one file at a time and so
 * cannot know that bench_fail always returns -1; without this it follows ways that there are not.
 */
#include "bench/error.h"
#define bench_fail(...) (bench_fail(__VA_ARGS__), -1)
