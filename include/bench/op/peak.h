/* SPDX-License-Identifier: MIT */
/* What a device can do at the most: operations of a backend that measure its ceilings. */
#ifndef BENCH_PEAK_H
#define BENCH_PEAK_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/dtype.h"

struct bench_buffer;

enum bench_peak_what {
	/*
	 * Arithmetic: for each i < count, x = (i mod 1024) / 1024. Then `rounds` times x = x * m + c in one
	 * rounding (fma), with m = 1 - 2^-12 and c = 2^-12. Finally out[i] = x.
	 */
	BENCH_PEAK_FMA,
	/*
	 * Reading: out has BENCH_PEAK_PARTS elements, all of which are written, and which add up
	 * to the sum of a[0..count-1]. How the elements of a fall to the parts is the backend's
	 * affair, but no part adds more than count / BENCH_PEAK_PARTS of them. Sums are of `dtype`.
	 * With `held`, for i < count it is a[i mod held] that is added: data that stays in a cache.
	 */
	BENCH_PEAK_READ,
	/*
	 * Arithmetic on tensor cores, which multiply tiles of matrices: out[i] = rounds for i < count, each
	 * the sum of so many products of ones. out is of f64 for BENCH_F64, else of f32; rounds is a multiple
	 * of BENCH_PEAK_TENSOR_STEPS. BENCH_UNSUPPORTED where the device has no such units for `dtype`.
	 */
	BENCH_PEAK_TENSOR,
};

#define BENCH_PEAK_PARTS        65536
#define BENCH_PEAK_TENSOR_STEPS 64 /* that rounds of BENCH_PEAK_TENSOR are a multiple of */
#define BENCH_PEAK_STARTS       1024
#define BENCH_PEAK_FACTOR       (1 - 0x1p-12)
#define BENCH_PEAK_ADDEND       0x1p-12
struct bench_peak {
	enum bench_peak_what what;
	enum bench_dtype
		dtype; /* BENCH_F32 or BENCH_F64; of BENCH_PEAK_TENSOR any but BENCH_F32 and BENCH_C32 */
	size_t count;
	unsigned rounds;              /* >= 1; of arithmetic */
	const struct bench_buffer *a; /* of BENCH_PEAK_READ */
	struct bench_buffer *out;
	/*
	 * Elements of a, a power of two of at most count: then count / BENCH_PEAK_PARTS is one, too, and not
	 * larger. 0: they are `count`.
	 */
	size_t held;
};

/* Does `held` go with `count`? */
static inline bool bench_peak_holds(const struct bench_peak *peak)
{
	size_t part = peak->count / BENCH_PEAK_PARTS;
	return peak->held == 0 || ((peak->held & (peak->held - 1)) == 0 && (part & (part - 1)) == 0 &&
				   part <= peak->held && peak->held <= peak->count);
}

/* Elements that a has to have. */
static inline size_t bench_peak_elements(const struct bench_peak *peak)
{
	return peak->held ? peak->held : peak->count;
}

/* What `count` must be a multiple of. */
static inline size_t bench_peak_multiple(enum bench_peak_what what)
{
	/* Four vectors of up to 16 elements a part; a group's tiles; 256 lanes in flight. */
	return what == BENCH_PEAK_READ     ? (size_t)64 * BENCH_PEAK_PARTS
	       : what == BENCH_PEAK_TENSOR ? 32768
					   : 256;
}

#endif
