/* SPDX-License-Identifier: MIT */
/*
 * The transforms of Winograd's F(2x2, 3x3), on CPUs: Lavin and Gray, "Fast algorithms for
 * convolutional neural networks", 2015 (arXiv 1509.09308), section 4.1. A tile of 2 x 2 of the output
 * takes 16 products for each channel instead of 36.
 *
 *   out = A^T [ (G weights G^T) . (B^T in B) ] A, summed over channels before A
 *
 *         1  0 -1  0           1    0    0
 *   B^T = 0  1  1  0      G = 1/2  1/2  1/2      A^T = 1  1  1  0
 *         0 -1  1  0          1/2 -1/2  1/2            0  1 -1 -1
 *         0  1  0 -1           0    0    1
 *
 * The sums over channels are, for each of the 16 elements, a matrix product: 16 groups of a
 * convolution by 1x1, which conv2d.cl does.
 */
#include "real.cl"
#include "conv2d_shape.cl"

/*
 * elements[4 x 4][channel][image][tile row][tile] from the input that conv2d_pad took apart by
 * stride 2: elements 2 i + p of a tile's row are elements i, i + 1 of phase p. A line is a row
 * of tiles.
 */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
winograd_in(__global const REAL *restrict padded, __global REAL *restrict elements, uint images, uint channels,
	    uint rows, uint columns, ulong lines, ulong per_item)
{
	const ulong first = get_global_id(0) * per_item, end = min(first + per_item, lines);
	const ulong phase = (ulong)(rows + 1) * (columns + 1), apart = lines * columns;
	for (ulong line = first; line < end; line++) {
		const uint y = line % rows, image = line / rows % images, channel = line / rows / images;
		__global const REAL *from =
			padded + ((ulong)image * channels + channel) * 4 * phase + (ulong)y * (columns + 1);
		__global REAL *to = elements + line * columns;
		for (uint x = 0; x < columns; x++) {
			REAL d[4][4], t[4][4];
#pragma unroll
			for (uint i = 0; i < 4; i++)
#pragma unroll
				for (uint j = 0; j < 4; j++)
					d[i][j] = from[(i % 2 * 2 + j % 2) * phase + i / 2 * (columns + 1) + j / 2 + x];
#pragma unroll
			for (uint j = 0; j < 4; j++) {
				t[0][j] = d[0][j] - d[2][j];
				t[1][j] = d[1][j] + d[2][j];
				t[2][j] = d[2][j] - d[1][j];
				t[3][j] = d[1][j] - d[3][j];
			}
#pragma unroll
			for (uint i = 0; i < 4; i++) {
				to[(i * 4 + 0) * apart + x] = t[i][0] - t[i][2];
				to[(i * 4 + 1) * apart + x] = t[i][1] + t[i][2];
				to[(i * 4 + 2) * apart + x] = t[i][2] - t[i][1];
				to[(i * 4 + 3) * apart + x] = t[i][1] - t[i][3];
			}
		}
	}
}

/*
 * packed[4 x 4][filter][channel], and the one offset of a 1x1. A line is a filter.
 */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
winograd_weights(__global const REAL *restrict weights, __global REAL *restrict packed,
		 __global uint *restrict offsets, uint channels, ulong lines, ulong per_item)
{
	const ulong first = get_global_id(0) * per_item, end = min(first + per_item, lines);
	const ulong apart = lines * channels;
	if (get_global_id(0) == 0)
		offsets[0] = 0;
	for (ulong filter = first; filter < end; filter++) {
		__global REAL *to = packed + filter * channels;
		for (uint channel = 0; channel < channels; channel++) {
			REAL g[3][3], t[4][3];
			for (uint tap = 0; tap < 9; tap++)
#if NHWC
				g[tap / 3][tap % 3] = weights[(tap * channels + channel) * lines + filter];
#else
				g[tap / 3][tap % 3] = weights[(filter * channels + channel) * 9 + tap];
#endif
			for (uint j = 0; j < 3; j++) {
				t[0][j] = g[0][j];
				t[1][j] = (g[0][j] + g[1][j] + g[2][j]) / 2;
				t[2][j] = (g[0][j] - g[1][j] + g[2][j]) / 2;
				t[3][j] = g[2][j];
			}
			for (uint i = 0; i < 4; i++) {
				to[(i * 4 + 0) * apart + channel] = t[i][0];
				to[(i * 4 + 1) * apart + channel] = (t[i][0] + t[i][1] + t[i][2]) / 2;
				to[(i * 4 + 2) * apart + channel] = (t[i][0] - t[i][1] + t[i][2]) / 2;
				to[(i * 4 + 3) * apart + channel] = t[i][2];
			}
		}
	}
}

/* The output from sums[4 x 4][filter][image][tile row][tile]; a line is a row of tiles of one filter. */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
winograd_out(__global const REAL *restrict sums, __global REAL *restrict out, uint images, uint filters,
	     uint rows, uint columns, uint out_rows, uint out_columns, ulong lines, ulong per_item)
{
	const ulong first = get_global_id(0) * per_item, end = min(first + per_item, lines);
	const ulong apart = lines * columns;
	for (ulong line = first; line < end; line++) {
		const uint y = line % rows, image = line / rows % images, filter = line / rows / images;
		__global const REAL *from = sums + line * columns;
#if NHWC
		const ulong step = filters, down = (ulong)out_columns * filters;
		__global REAL *to = out + ((ulong)image * out_rows + 2 * y) * down + filter;
#else
		const ulong step = 1, down = out_columns;
		__global REAL *to = out + (((ulong)image * filters + filter) * out_rows + 2 * y) * down;
#endif
		const bool low = 2 * y + 1 < out_rows;
		for (uint x = 0; x < columns; x++) {
			REAL t[2][4];
#pragma unroll
			for (uint j = 0; j < 4; j++) {
				const REAL m0 = from[j * apart + x], m1 = from[(4 + j) * apart + x];
				const REAL m2 = from[(8 + j) * apart + x], m3 = from[(12 + j) * apart + x];
				t[0][j] = m0 + m1 + m2;
				t[1][j] = m1 - m2 - m3;
			}
			const bool right = 2 * x + 1 < out_columns;
			to[2 * x * step] = t[0][0] + t[0][1] + t[0][2];
			if (right)
				to[(2 * x + 1) * step] = t[0][1] - t[0][2] - t[0][3];
			if (low)
				to[down + 2 * x * step] = t[1][0] + t[1][1] + t[1][2];
			if (low && right)
				to[down + (2 * x + 1) * step] = t[1][1] - t[1][2] - t[1][3];
		}
	}
}
