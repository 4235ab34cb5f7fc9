/* SPDX-License-Identifier: MIT */
/* Launches and compilations by themselves, operations of a backend: what a call costs beside its kernel. */
#ifndef BENCH_LAUNCH_H
#define BENCH_LAUNCH_H

#include <stdint.h>

struct bench_buffer;

/* Where a program comes from. */
enum bench_compile_from {
	BENCH_COMPILE_COLD, /* its source; it is dropped again afterwards, and stored nowhere */
	BENCH_COMPILE_DISK, /* the backend's cache on disk; one that is not there yet is stored first */
	BENCH_COMPILE_WARM, /* the device, which has it from a call before; the first call makes it */
};

/*
 * A program of one small kernel is made, or found, and the kernel run once: it writes `stamp`, 8
 * bytes that are compiled into it, to the start of `out`, which has 8 bytes or more. The work is done when
 * the call returns.
 *
 * COLD: the caller has never used this stamp before, on any day. The program is then in no
 * cache, be it the backend's or one that the driver keeps for itself.
 */
struct bench_compile {
	enum bench_compile_from from;
	uint64_t stamp;
	struct bench_buffer *out;
};

#endif
