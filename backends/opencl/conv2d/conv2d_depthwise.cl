/* SPDX-License-Identifier: MIT */
/*
 * Depthwise convolution for CPU devices with the channels last: lanes are channels, and nothing is copied. NEAR
 * neighboring places share a vector of weights; at the edges of a row each place is computed alone. A
 * work-item takes rows that follow each other, of any images.
 */
#include "real.cl"
#ifndef LANES
#define LANES 16
#endif
#include "gemm_vectors.cl"

#define NEAR 4

/*
 * DEFINE_PLACES(count, inside): `count` places from column x of the output on. Their taps begin at `row` and
 * `column` of the input; positions above or left of it wrap around to beyond it. inside: no tap is left or
 * right of it.
 */
#define DEFINE_PLACES(name, count, inside)                                                                      \
	static inline void name(__global const REAL *restrict in, __global const REAL *restrict weights,        \
				__global REAL *restrict out, uint row, uint column, uint c, uint h, uint w,     \
				uint r, uint s, uint stride, uint dilation)                                     \
	{                                                                                                       \
		for (uint next = 0; next < c; next += LANES) {                                                  \
			const uint channel = min(next, c - LANES); /* the last ones move in */                  \
			__global const REAL *weight = weights + channel;                                        \
			VECTOR sum[count];                                                                      \
			_Pragma("unroll") for (uint i = 0; i < count; i++) sum[i] = 0;                          \
			for (uint y = row, left = r; left; left--, y += dilation) {                             \
				if (y >= h) {                                                                   \
					weight += s * c;                                                        \
					continue;                                                               \
				}                                                                               \
				for (uint x = column, taps = s; taps; taps--, x += dilation, weight += c) {     \
					if (!inside && x >= w)                                                  \
						continue;                                                       \
					const VECTOR b = FETCH(0, weight);                                      \
					__global const REAL *from = in + ((ulong)y * w + x) * c + channel;      \
					_Pragma("unroll") for (uint i = 0; i < count; i++)                      \
						sum[i] += FETCH(0, from + i * stride * c) * b;                  \
				}                                                                               \
			}                                                                                       \
			_Pragma("unroll") for (uint i = 0; i < count; i++)                                      \
				KEEP(sum[i], 0, out + i * c + channel);                                         \
		}                                                                                               \
	}
DEFINE_PLACES(one_place, 1, 0)
DEFINE_PLACES(near_places, NEAR, 1)

/* lines: rows of all images; per_item of them to a work-item. */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
conv2d_depthwise(__global const REAL *restrict in, __global const REAL *restrict weights, __global REAL *restrict out,
		 uint c, uint h, uint w, uint r, uint s, uint stride, uint pad, uint dilation, uint rows, uint columns,
		 ulong lines, ulong per_item)
{
	const ulong first = get_global_id(0) * per_item, end = min(first + per_item, lines);
	for (ulong line = first; line < end; line++) {
		const uint row = (uint)(line % rows) * stride - pad;
		__global const REAL *image = in + line / rows * h * w * c;
		__global REAL *to = out + line * columns * c;
		for (uint x = 0; x < columns;) {
			const uint column = x * stride - pad, last = x + NEAR - 1;
			if (x * stride >= pad && last < columns && last * stride + (s - 1) * dilation - pad < w) {
				near_places(image, weights, to + (ulong)x * c, row, column, c, h, w, r, s, stride, dilation);
				x += NEAR;
			} else {
				one_place(image, weights, to + (ulong)x * c, row, column, c, h, w, r, s, stride, dilation);
				x++;
			}
		}
	}
}
