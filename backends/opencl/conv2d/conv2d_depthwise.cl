/* SPDX-License-Identifier: MIT */
/*
 * Depthwise convolution for CPU devices with the channels last: lanes are channels, and nothing is copied. NEAR
 * neighboring places share VECTORS vectors of weights. Their sums are enough to hide the latency of an addition. A
 * work-item takes rows that follow each other, of any images.
 */
#include "real.cl"
#ifndef LANES
#define LANES 16
#endif
#ifndef VECTORS /* of channels, at most those that there are */
#define VECTORS 2
#endif
#include "buffer.cl"
#include "gemm_vectors.cl"

#define NEAR 4
#define BAND 4 /* rows of the output that follow each other: what they share of the input stays in a cache */

#define UNROLL _Pragma("unroll") for

/*
 * DEFINE_PLACES(name, count, inside): `count` places, whose taps begin at `row` and `column` of the input; positions
 * above or left of it wrap around to beyond it. inside: no tap is left or right of it.
 */
#define DEFINE_PLACES(name, count, inside)                                                                      \
	static inline void name(__global const REAL *restrict in, __global const REAL *restrict weight,         \
				__global REAL *restrict out, uint row, uint column, uint c, uint h, uint w,     \
				uint r, uint s, uint stride, uint dilation)                                     \
	{                                                                                                       \
		VECTOR sum[count][VECTORS];                                                                     \
		UNROLL (uint i = 0; i < count * VECTORS; i++)                                                   \
			sum[i / VECTORS][i % VECTORS] = 0;                                                      \
		for (uint y = row, left = r; left; left--, y += dilation) {                                     \
			if (y >= h) {                                                                           \
				weight += s * c;                                                                \
				continue;                                                                       \
			}                                                                                       \
			__global const REAL *line = in + (ulong)y * w * c;                                      \
			for (uint x = column, taps = s; taps; taps--, x += dilation, weight += c) {             \
				VECTOR b[VECTORS];                                                              \
				UNROLL (uint v = 0; v < VECTORS; v++)                                           \
					b[v] = FETCH(v, weight);                                                \
				UNROLL (uint i = 0; i < count; i++) {                                           \
					if (!inside && x + i * stride >= w)                                     \
						continue;                                                       \
					__global const REAL *from =                                             \
						inside ? line + (ulong)x * c + (ulong)i * stride * c            \
						       : line + (ulong)(x + i * stride) * c;                    \
					UNROLL (uint v = 0; v < VECTORS; v++)                                   \
						sum[i][v] += FETCH(v, from) * b[v];                             \
				}                                                                               \
			}                                                                                       \
		}                                                                                               \
		UNROLL (uint i = 0; i < count; i++)                                                             \
			UNROLL (uint v = 0; v < VECTORS; v++)                                                   \
				KEEP(sum[i][v], v, out + i * c);                                                \
	}
DEFINE_PLACES(one_place, 1, 0)
DEFINE_PLACES(edge_places, NEAR, 0)
DEFINE_PLACES(near_places, NEAR, 1)

/* lines: rows of all images, from `begin` on and before `beyond`; per_item of them to a work-item. */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
conv2d_depthwise(TAKES(const REAL *restrict, in), TAKES(const REAL *restrict, weights), TAKES(REAL *restrict, out),
		 uint c, uint h, uint w, uint pad, uint rows, uint columns, uint r, uint s, uint stride, uint dilation,
		 ulong begin, ulong beyond, ulong per_item)
{
	OPEN(const REAL *restrict, in);
	OPEN(const REAL *restrict, weights);
	OPEN(REAL *restrict, out);
	const ulong first = begin + get_global_id(0) * per_item, end = min(first + per_item, beyond);
	const uint near = columns < NEAR ? 1 : NEAR;
	uint count;
	for (ulong line = first; line < end; line += count) {
		const uint y = (uint)(line % rows);
		count = (uint)min(min((ulong)BAND, end - line), (ulong)(rows - y));
		/* The last channels move in so that they are whole, and the last places. */
		for (uint next = 0; next < c; next += VECTORS * LANES)
			for (uint place = 0; place < columns; place += near)
				for (uint i = 0; i < count; i++) {
					const uint x = min(place, columns - near), channel = min(next, c - VECTORS * LANES);
					const uint row = (y + i) * stride - pad, column = x * stride - pad;
					__global const REAL *image = in + line / rows * h * w * c + channel;
					__global const REAL *weight = weights + channel;
					__global REAL *to = out + ((line + i) * columns + x) * c + channel;
#define TAPS image, weight, to, row, column, c, h, w, r, s, stride, dilation
					if (near == 1)
						one_place(TAPS);
					else if (x * stride < pad || column + (near - 1) * stride + (s - 1) * dilation >= w)
						edge_places(TAPS);
					else
						near_places(TAPS);
				}
	}
}
