/* SPDX-License-Identifier: MIT */
/* Loops over vectors, shared among threads. */
#ifndef BACKENDS_CPU_SHARE_H
#define BACKENDS_CPU_SHARE_H

#include <stddef.h>

/*
 * Calls `run` for parts of the elements 0..count-1, by `threads` threads: thread `number` has first..end-1,
 * of which first is a multiple of BENCH_CPU_PART. The same parts at every call.
 */
enum { BENCH_CPU_PART = 256 };
void bench_cpu_share(unsigned threads, size_t count,
		     void (*run)(void *context, unsigned number, size_t first, size_t end), void *context);

/*
 * A vector that a loop writes. `make` writes elements first..first+count-1 of it to `to`; first is a multiple
 * of BENCH_CPU_PART.
 */
struct bench_cpu_vector {
	void (*make)(const void *operation, size_t first, size_t count, void *to);
	const void *operation;
	void *data;
	size_t count, element; /* element: bytes */
};
void bench_cpu_make(unsigned threads, const struct bench_cpu_vector *vector);

#endif
