/* SPDX-License-Identifier: MIT */
/*
 * Convolution of many small groups on GPUs, depthwise above all: each filter sees so few channels that there is
 * no product to tile, and the memory is what bounds it. A work-item computes a column of TY places of FILTERS
 * filters of a group, and reads each row of the input once for all of them. Neighbors read neighbors (columns
 * in nchw, groups in nhwc), and shared elements come from the first-level cache.
 */
#include "real.cl"
#define LANES 4 /* of what gemm_stored.cl has for vectors */
#include "gemm_stored.cl"
#include "conv2d_shape.cl"
#ifndef TY
#define TY 8
#endif
#ifndef FILTERS
#define FILTERS 1
#endif
#ifndef CHANNELS /* of a group; known here too, one needs no loop */
#define CHANNELS 1
#endif
#ifndef WIDE /* neighboring groups of a work-item, 1, 2 or 4: with NHWC, one channel and one filter each */
#define WIDE 1
#endif
#define ITEMS 128 /* of a group of work-items */
#define SUMS (FILTERS * WIDE) /* of a place */
#define LINES ((TY - 1) * STRIDE + (R - 1) * DILATION + 1) /* rows of the input that TY places see */

/* Elements as they are stored, WIDE neighbors. */
#if HALF
#define BITS_OF_ONE ushort
#else
#define BITS_OF_ONE REAL
#endif
#if WIDE == 1
#define BITS BITS_OF_ONE
#else
#define BITS PASTE(BITS_OF_ONE, WIDE)
#endif

/*
 * filters: of a group. All arrays have at most 2^31 - 1 elements. items: n * (groups / WIDE) * (filters / FILTERS) *
 * columns * (rows / TY), each rounded up.
 */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
conv2d_grouped(__global const STORED *restrict in, __global const STORED *restrict weights,
	       __global STORED *restrict out, uint filters, uint groups, uint h, uint w, uint rows,
	       uint columns, uint pad, uint items)
{
	const uint item = (uint)get_global_id(0), strips = (rows + TY - 1) / TY;
	const uint blocks = (filters + FILTERS - 1) / FILTERS, all = groups / WIDE * blocks;
	if (item >= items)
		return;
#if NHWC
	const uint number = item % all, place = item / all, x = place % columns, strip = place / columns % strips;
	const uint image = place / columns / strips, step = CHANNELS * groups, plane = 1;
#else
	const uint x = item % columns, strip = item / columns % strips, line = item / columns / strips;
	const uint number = line % all, image = line / all, step = 1, plane = h * w;
#endif
	const uint group = number / blocks * WIDE, first = number % blocks * FILTERS, q = group * filters + first;
	in += image * h * w * groups * CHANNELS + group * CHANNELS * plane;

	REAL sum[TY][SUMS];
#pragma unroll
	for (uint i = 0; i < TY; i++)
#pragma unroll
		for (uint f = 0; f < SUMS; f++)
			sum[i][f] = 0;
	const uint column = x * STRIDE - pad, row = strip * TY * STRIDE - pad; /* left of the input wraps around */
#pragma unroll 1
	for (uint channel = 0; channel < CHANNELS; channel++) {
		REAL weight[R][S][SUMS];
#pragma unroll
		for (uint r = 0; r < R; r++)
#pragma unroll
			for (uint s = 0; s < S; s++)
#pragma unroll
				for (uint f = 0; f < SUMS; f++) {
#if NHWC
					const uint at = ((r * S + s) * CHANNELS + channel) * filters * groups + q + f;
#else
					const uint at = (((q + f) * CHANNELS + channel) * R + r) * S + s;
#endif
					weight[r][s][f] = WIDE > 1 || first + f < filters ? GET(weights, at) : 0;
				}
#pragma unroll
		for (uint line = 0; line < LINES; line++) {
			const uint y = row + line;
			REAL input[S][WIDE];
#pragma unroll
			for (uint s = 0; s < S; s++) {
				const uint at = column + s * DILATION;
				/* As stored first: what is converted within a branch is a branch, and not one instruction. */
				BITS bits = 0;
				if (y < h && at < w)
					bits = *(__global const BITS *)(in + (y * w + at) * step);
#pragma unroll
				for (uint e = 0; e < WIDE; e++)
					input[s][e] = GET((const STORED *)&bits, e);
			}
#pragma unroll
			for (uint i = 0; i < TY; i++)
#pragma unroll
				for (uint r = 0; r < R; r++)
					if (i * STRIDE + r * DILATION == line)
#pragma unroll
						for (uint s = 0; s < S; s++)
#pragma unroll
							for (uint f = 0; f < SUMS; f++)
								sum[i][f] += input[s][f % WIDE] * weight[r][s][f];
		}
		in += plane;
	}
	const uint area = rows * columns, k = filters * groups;
#pragma unroll
	for (uint i = 0; i < TY; i++) {
		const uint inside = (strip * TY + i) * columns + x;
		if (strip * TY + i >= rows)
			continue;
#if WIDE > 1
		BITS bits;
#pragma unroll
		for (uint e = 0; e < WIDE; e++)
			PUT(sum[i][e], (STORED *)&bits, e);
		*(__global BITS *)(out + (image * area + inside) * k + q) = bits;
#else
#pragma unroll
		for (uint f = 0; f < FILTERS; f++)
			if (first + f < filters)
				PUT(sum[i][f], out, NHWC ? (image * area + inside) * k + q + f : (image * k + q + f) * area + inside);
#endif
	}
}
