/* SPDX-License-Identifier: MIT */
/* How many of the shapes whose kernels are compiled the tests take. Compilation is what these tests spend
 * their time on. */
#ifndef BENCH_TESTS_SAMPLE_H
#define BENCH_TESTS_SAMPLE_H

#include <stddef.h>
#include <stdlib.h>

/* Every how many shapes are taken: all with BENCH_EVERY_SHAPE set, as before a release; else every second.
 * With AddressSanitizer, which sees the host's side alone and slows the compiler, every fourth. */
static inline size_t sample_step(void)
{
#ifdef __SANITIZE_ADDRESS__
	return 4;
#else
	return getenv("BENCH_EVERY_SHAPE") ? 1 : 2;
#endif
}

#endif
