/* SPDX-License-Identifier: MIT */
/*
 * The transforms of Winograd's F(4x4, 3x3): Lavin and Gray, "Fast algorithms for convolutional neural
 * networks", 2015 (arXiv 1509.09308), section 4.3. A tile of 4 x 4 of the output takes 36 products for each channel
 * instead of 144.
 *
 *   out = A^T [ (G weights G^T) . (B^T in B) ] A, summed over channels before A
 *
 * The sums over channels are, for each of the 36 elements, a matrix product of all tiles. Each array of
 * elements is 36 matrices, `apart` elements from each other. In NCHW they are channels x tiles and filters x
 * tiles, in NHWC tiles x channels and tiles x filters. A work-item transforms a tile of a channel, or of a
 * filter.
 */
#include "real.cl"
#define ITEMS 128 /* of a group */
#include "conv2d_shape.cl"

/* The rows of B^T, times x, `step` elements apart in both. */
static inline void transform_in(const REAL *x, REAL *y, uint step)
{
	const REAL x0 = x[0], x1 = x[step], x2 = x[2 * step], x3 = x[3 * step], x4 = x[4 * step], x5 = x[5 * step];
	const REAL even = x4 - 4 * x2, odd = x3 - 4 * x1, near = x4 - x2, far = 2 * (x3 - x1);
	y[0] = 4 * x0 - 5 * x2 + x4;
	y[step] = even + odd;
	y[2 * step] = even - odd;
	y[3 * step] = near + far;
	y[4 * step] = near - far;
	y[5 * step] = 4 * x1 - 5 * x3 + x5;
}

/* The rows of G. */
static inline void transform_weights(const REAL *x, uint from_step, REAL *y, uint step)
{
	const REAL x0 = x[0], x1 = x[from_step], x2 = x[2 * from_step];
	const REAL sixth = (REAL)1 / 6, outer = (x0 + 4 * x2) * (sixth / 4), inner = x1 * (sixth / 2);
	y[0] = x0 / 4;
	y[step] = -(x0 + x2 + x1) * sixth;
	y[2 * step] = -(x0 + x2 - x1) * sixth;
	y[3 * step] = outer + inner;
	y[4 * step] = outer - inner;
	y[5 * step] = x2;
}

/* The rows of A^T. */
static inline void transform_out(const REAL *x, uint from_step, REAL *y, uint step)
{
	const REAL near = x[from_step] + x[2 * from_step], near_odd = x[from_step] - x[2 * from_step];
	const REAL far = x[3 * from_step] + x[4 * from_step], far_odd = x[3 * from_step] - x[4 * from_step];
	y[0] = x[0] + near + far;
	y[step] = near_odd + 2 * far_odd;
	y[2 * step] = near + 4 * far;
	y[3 * step] = near_odd + 8 * far_odd + x[5 * from_step];
}

/* rows, columns: of tiles of an image; lines: tiles of all images, and of those that fill up a row of the matrix. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
winograd_in(__global const REAL *restrict in, __global REAL *restrict elements, uint images, uint channels, uint h,
	     uint w, uint pad, uint rows, uint columns, uint lines)
{
	const uint item = (uint)get_global_id(0);
	if (item >= lines * channels)
		return;
	const ulong apart = (ulong)lines * channels;
#if NHWC
	const uint channel = item % channels, tile = item / channels, step = channels;
#else
	const uint tile = item % lines, channel = item / lines, step = 1;
#endif
	const uint image = tile / (rows * columns), inside = tile % (rows * columns);
	const int y = (int)(inside / columns * 4) - (int)pad, x = (int)(inside % columns * 4) - (int)pad;
#if NHWC
	in += ((long)((ulong)image * h) + y) * w * channels + (long)x * channels + channel;
#else
	in += (long)(((ulong)image * channels + channel) * h * w) + (long)y * w + x;
#endif
	REAL d[6][6], t[6][6];
#pragma unroll
	for (uint i = 0; i < 6; i++)
#pragma unroll
		for (uint j = 0; j < 6; j++) {
			d[i][j] = 0;
			if (image < images && (uint)(y + (int)i) < h && (uint)(x + (int)j) < w)
				d[i][j] = in[(i * w + j) * step];
		}
#pragma unroll
	for (uint j = 0; j < 6; j++)
		transform_in(&d[0][j], &t[0][j], 6);
#pragma unroll
	for (uint i = 0; i < 6; i++)
		transform_in(&t[i][0], &d[i][0], 1);
#pragma unroll
	for (uint i = 0; i < 36; i++)
		elements[i * apart + item] = d[i / 6][i % 6];
}

/* packed[6 x 6][filter][channel], of NHWC [6 x 6][channel][filter]. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
winograd_weights(__global const REAL *restrict weights, __global REAL *restrict packed, uint channels, uint filters)
{
	const uint item = (uint)get_global_id(0), all = channels * filters;
	if (item >= all)
		return;
	REAL g[3][3], t[6][3], u[6];
#pragma unroll
	for (uint tap = 0; tap < 9; tap++)
		g[tap / 3][tap % 3] = weights[NHWC ? tap * all + item : item * 9 + tap];
#pragma unroll
	for (uint j = 0; j < 3; j++)
		transform_weights(&g[0][j], 3, &t[0][j], 3);
#pragma unroll
	for (uint i = 0; i < 6; i++) {
		transform_weights(&t[i][0], 1, u, 1);
#pragma unroll
		for (uint j = 0; j < 6; j++)
			packed[(ulong)(i * 6 + j) * all + item] = u[j];
	}
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
winograd_out(__global const REAL *restrict sums, __global REAL *restrict out, uint images, uint filters, uint rows,
	      uint columns, uint lines, uint out_rows, uint out_columns)
{
	const uint item = (uint)get_global_id(0);
#if NHWC
	const uint filter = item % filters, tile = item / filters, step = filters;
#else
	const uint tile = item % lines, filter = item / lines, step = 1;
#endif
	const uint image = tile / (rows * columns), inside = tile % (rows * columns);
	if (image >= images || filter >= filters)
		return;
	const ulong apart = (ulong)lines * filters;
	const uint y = inside / columns * 4, x = inside % columns * 4;
#if NHWC
	out += (((ulong)image * out_rows + y) * out_columns + x) * filters + filter;
#else
	out += (((ulong)image * filters + filter) * out_rows + y) * out_columns + x;
#endif
	REAL m[6][6], t[4][6];
#pragma unroll
	for (uint i = 0; i < 36; i++)
		m[i / 6][i % 6] = sums[i * apart + item];
#pragma unroll
	for (uint j = 0; j < 6; j++)
		transform_out(&m[0][j], 6, &t[0][j], 6);
#pragma unroll
	for (uint i = 0; i < 4; i++) {
		REAL line[4];
		transform_out(&t[i][0], 1, line, 1);
		if (y + i >= out_rows)
			continue;
#if !NHWC
		if (out_columns % 4 == 0) { /* then every tile is whole, and starts at a multiple of 4 */
			*(__global PASTE(REAL, 4) *)(out + i * out_columns) = PASTE(vload, 4)(0, line);
			continue;
		}
#endif
#pragma unroll
		for (uint j = 0; j < 4; j++)
			if (x + j < out_columns)
				out[(i * out_columns + j) * step] = line[j];
	}
}
