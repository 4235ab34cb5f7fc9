/* SPDX-License-Identifier: MIT */
/*
 * Convolution for CPU devices with the channels first: lanes are neighbors of a row of the output. A tile is MR
 * filters by NV vectors. A work-item takes bands of rows of single groups, which for depthwise ones are channels. It
 * copies a band's input, with zeros around it, to local memory, which stays in its thread's cache. Columns that are STRIDE apart become neighbors there, so each tap
 * is a plain load.
 *
 * A row's last vector moves in so that it is whole. A row shorter than a vector writes into the next row, which
 * is written after it.
 */
#include "real.cl"
#ifndef LANES
#define LANES 16
#endif
#ifndef CHANNELS /* of a group */
#define CHANNELS 1
#endif
#ifndef MR /* at most the filters of a group */
#define MR 1
#endif
#ifndef NV
#define NV 4
#endif
#include "conv2d_shape.cl"
#include "buffer.cl"
#include "gemm_vectors.cl"

typedef VECTOR unaligned_own __attribute__((aligned(sizeof(REAL))));

/*
 * One line of `w` elements, or zeros where `in` is NULL; `left`: elements from `in` to the end of the input. Element
 * j of phase q, of `pitch` elements, is column j * STRIDE + q - pad. Zeros before and after are there.
 */
static inline void copy_line(__global const REAL *restrict in, ulong left, __local REAL *restrict to, uint w, uint pad,
			     uint pitch)
{
	VECTOR numbers;
#pragma unroll
	for (uint lane = 0; lane < LANES; lane++)
		numbers[lane] = lane;
	for (uint x = 0; x < w; x += STRIDE * LANES) {
		VECTOR from[STRIDE];
#pragma unroll
		for (uint i = 0; i < STRIDE; i++) {
			const uint at = x + i * LANES;
			if (in && at + LANES <= left) {
				from[i] = FETCH(0, in + at);
				continue;
			}
			REAL lanes[LANES];
			for (uint lane = 0; lane < LANES; lane++)
				lanes[lane] = in && at + lane < w ? in[at + lane] : 0;
			from[i] = *(const unaligned_own *)lanes;
		}
#pragma unroll
		for (uint q = 0; q < STRIDE; q++) {
			VECTOR own;
#pragma unroll
			for (uint lane = 0; lane < LANES; lane++)
				own[lane] = from[(lane * STRIDE + q) / LANES][(lane * STRIDE + q) % LANES];
			const VECTOR inside = (int)(w - x - q + STRIDE - 1) / STRIDE; /* lanes, or more */
			own = numbers < inside ? own : 0;
			*(__local unaligned_own *)(to + (q + pad) % STRIDE * pitch + (q + pad) / STRIDE + x / STRIDE) = own;
		}
	}
}

/* `rows` rows of MR channels of the output, from a band's copy: its channels are `plane` apart, the output's `area`. */
static inline void sum_rows(__local const REAL *band, __global const REAL *restrict weights, __global REAL *restrict out,
			    uint rows, uint columns, uint pitch, uint plane, ulong area)
{
	const uint vectors = rows * ((columns + LANES - 1) / LANES), places = rows * columns;
	uint x = 0, y = 0;
	for (uint vector = 0; vector < vectors; vector += NV) {
		VECTOR sum[MR][NV];
		__local const REAL *from[NV];
		uint to[NV];
#pragma unroll
		for (uint i = 0; i < NV; i++) {
			const uint column = min(x, max(columns, (uint)LANES) - LANES);
			from[i] = band + y * STRIDE * STRIDE * pitch + column;
			to[i] = y * columns + column;
#pragma unroll
			for (uint m = 0; m < MR; m++)
				sum[m][i] = 0;
			x += LANES;
			if (x >= columns)
				x = 0, y = min(y + 1, rows - 1); /* past the last row comes that one again */
		}
		uint line = 0;
		for (uint row = 0; row < CHANNELS * R; row++) {
#pragma unroll
			for (uint tap = 0; tap < S; tap++) {
				const uint at = line + tap * DILATION % STRIDE * pitch + tap * DILATION / STRIDE;
				VECTOR b[NV];
#pragma unroll
				for (uint i = 0; i < NV; i++)
					b[i] = *(__local const unaligned_own *)(from[i] + at);
#pragma unroll
				for (uint m = 0; m < MR; m++) {
					const VECTOR weight = weights[(m * CHANNELS * R + row) * S + tap];
#pragma unroll
					for (uint i = 0; i < NV; i++)
						sum[m][i] += weight * b[i];
				}
			}
			line += DILATION * STRIDE * pitch;
			if (CHANNELS > 1 && (row + 1) % R == 0)
				line += plane - R * DILATION * STRIDE * pitch;
		}
#pragma unroll
		for (uint m = 0; m < MR; m++)
#pragma unroll
			for (uint i = 0; i < NV; i++) {
				__global REAL *own = out + m * area;
				if (to[i] + LANES <= places) {
					KEEP(sum[m][i], 0, own + to[i]);
					continue;
				}
				REAL lanes[LANES];
				*(unaligned_own *)lanes = sum[m][i];
				for (uint lane = 0; to[i] + lane < places; lane++)
					own[to[i] + lane] = lanes[lane];
			}
	}
}

/*
 * groups, filters: of a group. lines: the bands of all groups of all images, per_item of them to a work-item;
 * band i of a group has the rows from i * rows / bands on. copy: the elements of `band`, plane: of a channel there.
 * pitch: of a phase of a padded row, and a vector more, which the last one of a row may write or read.
 */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
conv2d_planes(TAKES(const REAL *restrict, in), TAKES(const REAL *restrict, weights), TAKES(REAL *restrict, out),
	      uint groups, uint h, uint w, uint pad, uint rows, uint columns, uint filters, uint copy, uint bands,
	      uint pitch, ulong planes, __local REAL *restrict band, ulong begin, ulong beyond, ulong per_item)
{
	OPEN(const REAL *restrict, in);
	OPEN(const REAL *restrict, weights);
	OPEN(REAL *restrict, out);
	const ulong first = begin + get_global_id(0) * per_item, end = min(first + per_item, beyond);
	const ulong area = (ulong)rows * columns;
	const uint plane = copy / CHANNELS;
	for (uint i = 0; i < copy; i++)
		band[i] = 0;
	for (ulong line = first; line < end; line++) {
		const ulong group = line / bands, part = line % bands; /* of all images */
		const uint y = (uint)(part * rows / bands), count = (uint)((part + 1) * rows / bands) - y;
		const uint copied = (count - 1) * STRIDE + (R - 1) * DILATION + 1;
		for (uint channel = 0; channel < CHANNELS; channel++)
			for (uint i = 0; i < copied; i++) {
				const uint row = y * STRIDE + i - pad; /* above the input wraps around, to beyond it */
				const ulong at = ((group * CHANNELS + channel) * h + row) * w;
				copy_line(row < h ? in + at : 0, planes * h * w - at, band + channel * plane + i * STRIDE * pitch, w,
					  pad, pitch);
			}
		for (uint next = 0; next < filters; next += MR) {
			const uint filter = min(next, filters - MR); /* the last ones move in */
			sum_rows(band, weights + (group % groups * filters + filter) * CHANNELS * R * S,
				 out + (group * filters + filter) * area + y * columns, count, columns, pitch, plane, area);
		}
	}
}
