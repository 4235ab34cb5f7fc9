/* SPDX-License-Identifier: MIT */
/* What the tests of many compiled shapes leave out, since compilation is what they spend their time on. With
 * BENCH_EVERY_SHAPE set, as before a release, they leave out nothing but what AddressSanitizer makes too
 * slow. */
#ifndef BENCH_TESTS_SAMPLE_H
#define BENCH_TESTS_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static inline bool is_sampled(void)
{
	return !getenv("BENCH_EVERY_SHAPE");
}

/* Every how many shapes are taken: every second. With AddressSanitizer, which sees the host's side alone and
 * slows the compiler, every fourth. */
static inline size_t sample_step(void)
{
#ifdef __SANITIZE_ADDRESS__
	return 4;
#else
	return is_sampled() ? 2 : 1;
#endif
}

/* First in main(). PoCL compiles without optimization, in half of the time, and into a folder apart from the
 * kernels that other tests measure. What the optimizer makes of the kernels, the suites' tests see
 * (unit.correctness). Without XDG_CACHE_HOME, as by hand, kernels are optimized. */
static inline void sample_set_up(void)
{
	const char *home = getenv("XDG_CACHE_HOME");
	char folder[4096];

	if (!is_sampled() || !home ||
	    snprintf(folder, sizeof(folder), "%s/unoptimized", home) >= (int)sizeof(folder))
		return;
	mkdir(home, 0777);
	mkdir(folder, 0777);
	setenv("XDG_CACHE_HOME", folder, 1);
	setenv("POCL_EXTRA_BUILD_FLAGS", "-cl-opt-disable", 1);
}

#endif
