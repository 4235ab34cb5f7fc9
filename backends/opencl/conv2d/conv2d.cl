/* SPDX-License-Identifier: MIT */
/*
 * Convolution by its definition, on CPUs. A tile of the output is MR channels by NV vectors of LANES
 * neighbors of a row. It is summed in registers over all channels and taps of the kernel.
 *
 * The loop has no edges and no stride: conv2d_pad first copies the input with zeros around it, split by phase.
 * Columns that are `stride` apart become neighbors, and rows likewise. A tap of the kernel is then an offset
 * into the padded channel, the same for every place of the output. conv2d_pad computes these offsets as well.
 * The weights are read in place, each for a whole tile.
 *
 * A row's last vector moves in so that it is whole, and so do the last channels. Where they overlap those
 * before, the same bits are written twice.
 */
#include "real.cl"
#ifndef LANES
#define LANES 16
#endif
#ifndef MR /* at most the filters of a group */
#define MR 8
#endif
#ifndef NV
#define NV 3
#endif
#include "conv2d_shape.cl"

#define VECTOR PASTE(REAL, LANES)
#define LOAD(at) PASTE(vload, LANES)(0, at)
#define STORE(value, at) PASTE(vstore, LANES)(value, 0, at)

/*
 * padded[image][channel][phase of rows][phase of columns][rows_out][pitch]: element (i, j) of phases
 * (p, q) is the input's row i * stride + p - pad, column j * stride + q - pad, or 0. A work-item copies
 * `per_item` of the `lines` lines of `pitch` elements. It also fills offsets[tap] into a padded channel, of
 * r x s taps.
 */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
conv2d_pad(__global const REAL *restrict in, __global REAL *restrict padded, __global uint *restrict offsets,
	   uint channels, uint h, uint w, uint r, uint s, uint stride, uint pad, uint dilation, uint rows_out,
	   uint pitch, ulong lines, ulong per_item)
{
	for (uint tap = get_global_id(0); tap < r * s; tap += get_global_size(0)) {
		const uint row = tap / s * dilation, column = tap % s * dilation;
		const uint phase = row % stride * stride + column % stride;
		offsets[tap] = (phase * rows_out + row / stride) * pitch + column / stride;
	}
	const ulong first = get_global_id(0) * per_item, end = min(first + per_item, lines);
	for (ulong line = first; line < end; line++) {
		const ulong plane = line / rows_out / stride / stride;
		/* Above or left of the input wraps around, to beyond it. */
		const uint row = (uint)(line % rows_out) * stride + (uint)(line / rows_out / stride % stride) - pad;
		const uint start = (uint)(line / rows_out % stride) - pad;
		__global REAL *to = padded + line * pitch;
		if (row >= h) {
			for (uint j = 0; j < pitch; j++)
				to[j] = 0;
			continue;
		}
#if NHWC
		__global const REAL *from = in + (plane / channels * h + row) * w * channels + plane % channels;
		const uint step = channels;
#else
		__global const REAL *from = in + (plane * h + row) * w;
		const uint step = 1;
#endif
		if (stride == 1) { /* a plain copy between two edges, which compilers vectorize */
			const uint edge = min(pad, pitch), inside = min(edge + w, pitch);
			for (uint j = 0; j < edge; j++)
				to[j] = 0;
			for (uint j = edge; j < inside; j++)
				to[j] = from[(ulong)(j - edge) * step];
			for (uint j = inside; j < pitch; j++)
				to[j] = 0;
			continue;
		}
		for (uint j = 0; j < pitch; j++) {
			const uint column = j * stride + start;
			to[j] = column < w ? from[(ulong)column * step] : 0;
		}
	}
}

/*
 * The tile's sums; at[j]: where vector j starts in a padded channel of `plane` elements. The weights of a filter
 * are `apart` from those of the next; from tap to tap they are `step` apart, from channel to channel `down`.
 */
static inline void multiply(VECTOR sum[MR][NV], __global const REAL *restrict padded, const uint at[NV],
			    __global const uint *restrict offsets, __global const REAL *restrict weights,
			    ulong apart, ulong step, ulong down, ulong plane, uint channels, uint taps)
{
#pragma unroll
	for (uint i = 0; i < MR; i++)
#pragma unroll
		for (uint j = 0; j < NV; j++)
			sum[i][j] = 0;
	for (uint channel = 0; channel < channels; channel++) {
		__global const REAL *weight = weights;
		for (uint tap = 0; tap < taps; tap++) {
			__global const REAL *from = padded + offsets[tap];
			VECTOR b[NV];
#pragma unroll
			for (uint j = 0; j < NV; j++)
				b[j] = LOAD(from + at[j]);
#pragma unroll
			for (uint i = 0; i < MR; i++) {
				const VECTOR a = weight[i * apart];
#pragma unroll
				for (uint j = 0; j < NV; j++)
					sum[i][j] += a * b[j];
			}
			weight += step;
		}
		weights += down;
		padded += plane;
	}
}

/* LANES neighbors of a row of one channel, of which `left` are within it. */
static inline void write(__global REAL *restrict out, ulong step, VECTOR value, uint left)
{
	if (step == 1 && left >= LANES) {
		STORE(value, out);
		return;
	}
	REAL line[LANES];
	STORE(value, line);
#pragma unroll
	for (uint lane = 0; lane < LANES; lane++)
		if (lane < left)
			out[lane * step] = line[lane];
}

/*
 * The first dimension runs over the tiles of a channel's places, per_item of them to a work-item. The second
 * runs over groups and their blocks of MR filters, the third over images.
 */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
conv2d_direct(__global const REAL *restrict padded, __global const uint *restrict offsets,
	      __global const REAL *restrict weights, __global REAL *restrict out, ulong plane, uint pitch,
	      uint channels, uint taps, uint filters, uint groups, uint rows, uint columns, uint tiles, uint per_item)
{
	const uint block = get_global_id(1), image = get_global_id(2);
	const uint blocks = (filters + MR - 1) / MR, group = block / blocks;
	const uint filter = min(block % blocks * MR, filters - MR);
	const uint across = (columns + LANES - 1) / LANES, vectors = rows * across;
	const ulong q = (ulong)group * filters + filter, k = (ulong)groups * filters;
	padded += ((ulong)image * groups + group) * channels * plane;
#if NHWC
	const ulong step = k, apart = 1; /* of neighbors in a row, of channels */
	const ulong filter_apart = 1, tap_apart = channels * k, channel_apart = k;
	weights += q;
	out += (ulong)image * rows * columns * k + q;
#else
	const ulong step = 1, apart = (ulong)rows * columns;
	const ulong filter_apart = (ulong)channels * taps, tap_apart = 1, channel_apart = taps;
	weights += q * filter_apart;
	out += (image * k + q) * apart;
#endif
	const uint first = (uint)get_global_id(0) * per_item, end = min(first + per_item, tiles);
	for (uint tile = first; tile < end; tile++) {
		VECTOR sum[MR][NV];
		uint at[NV], to[NV];
#define VECTOR_OF(j) (tile * NV + (j))
#pragma unroll
		for (uint j = 0; j < NV; j++) {
			const uint v = min(VECTOR_OF(j), vectors - 1), y = v / across;
			const uint x = min((v - y * across) * LANES, max(columns, (uint)LANES) - LANES);
			at[j] = y * pitch + x;
			to[j] = y * columns + x;
		}
		multiply(sum, padded, at, offsets, weights, filter_apart, tap_apart, channel_apart, plane, channels,
			 taps);
#pragma unroll
		for (uint j = 0; j < NV; j++)
#pragma unroll
			for (uint i = 0; i < MR; i++)
				if (VECTOR_OF(j) < vectors)
					write(out + i * apart + to[j] * step, step, sum[i][j], columns);
	}
}
