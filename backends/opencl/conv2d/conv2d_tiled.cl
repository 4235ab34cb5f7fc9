/* SPDX-License-Identifier: MIT */
/*
 * Convolution on GPUs as one product, as conv2d_gpu.cl has it, for problems that fill the device: large tiles, and
 * next to no arithmetic on addresses in the loop.
 *
 * nchw: a work-item fetches the taps of one place and one channel. Where each lies, and whether within the
 * input, is known before the loop; from round to round the channel changes alone. A round takes all R x S taps
 * of several channels or, with many taps (BY_ROW), one row of the taps of one channel. k runs in the order of
 * the weights.
 *
 * nhwc: it fetches vectors of four channels, of some places. A round takes STEPS channels of one tap, so that all
 * of a round lie equally far from the first; channels and filters are multiples of 4.
 *
 * A group computes TM filters by TP places; a work-item (TM / SIDE_M) x (TP / SIDE_P) of it, in blocks of 4 x 4. The
 * operands of the next round come in to registers while this one is multiplied.
 */
#include "real.cl"
#include "conv2d_shape.cl"
#ifndef TM /* all are powers of two */
#define TM 64
#endif
#ifndef TP
#define TP 256
#endif
#ifndef SIDE_M /* work-items across the filters, and across the places */
#define SIDE_M 8
#endif
#ifndef SIDE_P
#define SIDE_P 32
#endif
#ifndef ACROSS /* of 32 neighbors, those that lie across the places: the others are below */
#define ACROSS 8
#endif
#ifndef BY_ROW
#define BY_ROW 0
#endif
#ifndef EACH /* channels that a work-item fetches in a round; with BY_ROW 1 */
#define EACH 1
#endif
#ifndef STEPS /* channels of a round, with NHWC */
#define STEPS 16
#endif
#ifndef QUADS /* an image of the output has a multiple of 4 places */
#define QUADS 0
#endif

#define ITEMS (SIDE_M * SIDE_P)
#define ROWS (TM / SIDE_M)
#define COLUMNS (TP / SIDE_P)
#if NHWC
#define TK STEPS
#define ACROSS_INPUT (TK / 4)                  /* vectors of a place */
#define ACROSS_WEIGHTS (TM / 4)                /* of a step */
#define FETCHED (TP * ACROSS_INPUT / ITEMS)    /* vectors that a work-item fetches */
#define WEIGHTS (TK * ACROSS_WEIGHTS / ITEMS)
#else
#define TAP_ROWS (BY_ROW ? 1 : R)              /* of a round */
#define TAPS (TAP_ROWS * S)
#define FETCHED (TP > ITEMS ? TP / ITEMS : 1)  /* places whose input a work-item fetches */
#define BESIDE (TP > ITEMS ? 1 : ITEMS / TP)   /* work-items that fetch for the same place */
#define CHANNELS (BESIDE * EACH)               /* of a round */
#define TK (CHANNELS * TAPS)
#define WEIGHTS ((TM * TK + ITEMS - 1) / ITEMS) /* that a work-item fetches in a round */
#endif
#define GAP 4 /* between lines in local memory: fewer bank conflicts */

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
conv2d_tiled(__global const REAL *restrict in, __global const REAL *restrict weights, __global REAL *restrict out,
	     uint channels, uint filters, uint groups, uint h, uint w, uint rows, uint columns, uint stride, uint pad,
	     uint places)
{
	__local REAL weight[2][TK][TM + GAP] __attribute__((aligned(16)));
	__local REAL input[2][TK][TP + (NHWC ? GAP : 0)] __attribute__((aligned(16)));
	const uint item = (uint)get_local_id(0), block = item / 32, in_block = item % 32;
	const uint my_m = block / (SIDE_P / ACROSS) * (32 / ACROSS) + in_block / ACROSS;
	const uint my_p = block % (SIDE_P / ACROSS) * ACROSS + in_block % ACROSS;
	const uint blocks = (filters + TM - 1) / TM, area = rows * columns;
	const uint group = (uint)get_group_id(1) / blocks, filter = (uint)get_group_id(1) % blocks * TM;
	const uint first = (uint)get_group_id(0) * TP;

#if NHWC
	/* Where the first taps of this item's places lie, and a bit for each row of taps (from 0) and column (from 16) that is
	 * within the input. */
	const uint chunk = item % ACROSS_INPUT * 4, pixel = channels * groups;
	const ulong all_filters = (ulong)filters * groups;
	int from[FETCHED];
	uint within[FETCHED];
#pragma unroll
	for (uint f = 0; f < FETCHED; f++) {
		const uint place = first + item / ACROSS_INPUT + f * (ITEMS / ACROSS_INPUT), inside = place % area;
		const int y = (int)(inside / columns * stride) - (int)pad, x = (int)(inside % columns * stride) - (int)pad;
		from[f] = ((int)(place / area * h) + y) * (int)w + x;
		within[f] = 0;
#pragma unroll
		for (uint r = 0; r < R; r++)
			within[f] |= (place < places && (uint)(y + (int)(r * DILATION)) < h ? 1u : 0u) << r;
#pragma unroll
		for (uint s = 0; s < S; s++)
			within[f] |= ((uint)(x + (int)(s * DILATION)) < w ? 1u : 0u) << (s + 16);
	}
	in += group * channels + chunk;
	weights += group * filters + filter + item % ACROSS_WEIGHTS * 4 + item / ACROSS_WEIGHTS * all_filters;
	const bool has_filter = filter + item % ACROSS_WEIGHTS * 4 < filters;
	float4 next_weight[WEIGHTS], next_input[FETCHED];
	const uint rounds = (channels + TK - 1) / TK * (R * S);
	uint channel = 0, tap_row = 0, tap_column = 0;
#else
	/* Where the taps of this item's places start, in its first channel, and a bit for each that is within the input. */
	const uint beside = item / TP * EACH, plane = h * w, pitch = w * DILATION;
	__global const REAL *from[FETCHED];
	uint within[FETCHED];
#if BY_ROW
	uint within_rows[FETCHED];
#endif
#pragma unroll
	for (uint f = 0; f < FETCHED; f++) {
		const uint place = first + item % TP + f * ITEMS, inside = place % area;
		const int y = (int)(inside / columns * stride) - (int)pad, x = (int)(inside % columns * stride) - (int)pad;
		from[f] = in + ((ulong)(place / area) * groups + group) * channels * plane + (ulong)beside * plane +
			  ((long)y * w + x);
		uint down = 0, right = 0;
#pragma unroll
		for (uint r = 0; r < R; r++)
			down |= (place < places && (uint)(y + (int)(r * DILATION)) < h ? 1u : 0u) << r;
#pragma unroll
		for (uint s = 0; s < S; s++)
			right |= ((uint)(x + (int)(s * DILATION)) < w ? 1u : 0u) << s;
#if BY_ROW
		within_rows[f] = down;
		within[f] = right;
#else
		within[f] = 0;
#pragma unroll
		for (uint r = 0; r < R; r++)
			within[f] |= (down >> r & 1 ? right : 0) << r * S;
#endif
	}
	const uint length = channels * R * S;
	weights += ((ulong)group * filters + filter) * length;

	REAL next_weight[WEIGHTS], next_input[FETCHED][EACH][TAPS];
	const uint rounds = (channels + CHANNELS - 1) / CHANNELS * (BY_ROW ? R : 1);
	uint channel = beside;
#if BY_ROW
	uint row = 0;
#endif
#endif
	REAL sum[ROWS][COLUMNS];
#pragma unroll
	for (uint i = 0; i < ROWS; i++)
#pragma unroll
		for (uint j = 0; j < COLUMNS; j++)
			sum[i][j] = 0;

	for (uint round = 0; round <= rounds; round++) {
		if (round < rounds) {
#if NHWC
#pragma unroll
			for (uint j = 0; j < WEIGHTS; j++) {
				const uint k = j * (ITEMS / ACROSS_WEIGHTS);
				next_weight[j] = 0;
				if (has_filter && channel + item / ACROSS_WEIGHTS + k < channels)
					next_weight[j] = *(__global const float4 *)(weights + k * all_filters);
			}
			const int offset = (int)(tap_row * DILATION * w + tap_column * DILATION);
			const uint bits = channel + chunk < channels ? 1u << tap_row | 0x10000u << tap_column : 0xffffffffu;
#pragma unroll
			for (uint f = 0; f < FETCHED; f++) {
				next_input[f] = 0;
				if ((within[f] & bits) == bits)
					next_input[f] =
						*(__global const float4 *)(in + (ulong)(uint)(from[f] + offset) * pixel + channel);
			}
			const uint steps = min((uint)TK, channels - channel);
			weights += steps * all_filters;
			channel += steps;
			if (channel == channels) {
				channel = 0;
				tap_row += tap_column == S - 1;
				tap_column = tap_column == S - 1 ? 0 : tap_column + 1;
			}
#else
			const int left = (int)(length - round * TK);
#pragma unroll
			for (uint j = 0; j < WEIGHTS; j++) {
				const uint number = item + j * ITEMS, q = number / TK, k = number % TK;
				next_weight[j] = 0;
				if ((TM * TK % ITEMS == 0 || number < TM * TK) && filter + q < filters && (int)k < left)
					next_weight[j] = weights[q * length + k];
			}
			weights += TK;
#pragma unroll
			for (uint f = 0; f < FETCHED; f++) {
#pragma unroll
				for (uint e = 0; e < EACH; e++) {
#if BY_ROW
					const uint bits = within_rows[f] >> row & 1 ? within[f] : 0;
#else
					const uint bits = channel + e < channels ? within[f] : 0;
#endif
#pragma unroll
					for (uint t = 0; t < TAPS; t++) {
						next_input[f][e][t] = 0;
						if (bits >> t & 1)
							next_input[f][e][t] =
								from[f][e * plane + t / S * pitch + t % S * DILATION];
					}
				}
#if BY_ROW
				from[f] += row == R - 1 ? (long)plane - (long)(R - 1) * pitch : (long)pitch;
#else
				from[f] += CHANNELS * plane;
#endif
			}
#if BY_ROW
			row = row == R - 1 ? 0 : row + 1;
#endif
			channel += CHANNELS;
#endif
		}
		if (round > 0) {
			const uint buffer = (round - 1) % 2;
#pragma unroll
			for (uint k = 0; k < TK; k++) {
				REAL a[ROWS], b[COLUMNS];
#pragma unroll
				for (uint i = 0; i < ROWS; i += 4)
					vstore4(*(__local const float4 *)&weight[buffer][k][i * SIDE_M + my_m * 4], 0,
						a + i);
#pragma unroll
				for (uint j = 0; j < COLUMNS; j += 4)
					vstore4(*(__local const float4 *)&input[buffer][k][j * SIDE_P + my_p * 4], 0,
						b + j);
#pragma unroll
				for (uint i = 0; i < ROWS; i++)
#pragma unroll
					for (uint j = 0; j < COLUMNS; j++)
						sum[i][j] += a[i] * b[j];
			}
		}
		if (round < rounds) {
			const uint buffer = round % 2;
#if NHWC
#pragma unroll
			for (uint j = 0; j < WEIGHTS; j++)
				*(__local float4 *)&weight[buffer][item / ACROSS_WEIGHTS + j * (ITEMS / ACROSS_WEIGHTS)]
							  [item % ACROSS_WEIGHTS * 4] = next_weight[j];
#pragma unroll
			for (uint f = 0; f < FETCHED; f++) {
				const uint at = item / ACROSS_INPUT + f * (ITEMS / ACROSS_INPUT);
				input[buffer][chunk][at] = next_input[f].x;
				input[buffer][chunk + 1][at] = next_input[f].y;
				input[buffer][chunk + 2][at] = next_input[f].z;
				input[buffer][chunk + 3][at] = next_input[f].w;
			}
#else
#pragma unroll
			for (uint j = 0; j < WEIGHTS; j++) {
				const uint number = item + j * ITEMS;
				if (TM * TK % ITEMS == 0 || number < TM * TK)
					weight[buffer][number % TK][number / TK] = next_weight[j];
			}
#pragma unroll
			for (uint f = 0; f < FETCHED; f++)
#pragma unroll
				for (uint e = 0; e < EACH; e++)
#pragma unroll
					for (uint t = 0; t < TAPS; t++)
						input[buffer][(beside + e) * TAPS + t][item % TP + f * ITEMS] =
							next_input[f][e][t];
#endif
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}

#if NHWC
	out += group * filters + filter + my_m * 4;
#pragma unroll
	for (uint j = 0; j < COLUMNS; j++) {
		const uint at = first + j / 4 * 4 * SIDE_P + my_p * 4 + j % 4;
#pragma unroll
		for (uint i = 0; i < ROWS; i += 4)
			if (at < places && filter + i * SIDE_M + my_m * 4 < filters)
				*(__global float4 *)(out + at * all_filters + i * SIDE_M) =
					(float4)(sum[i][j], sum[i + 1][j], sum[i + 2][j], sum[i + 3][j]);
	}
#else
	out += ((ulong)group * filters + filter) * area;
	const ulong all = (ulong)filters * groups * area;
#pragma unroll
	for (uint j = 0; j < COLUMNS; j += 4) {
		const uint at = first + j * SIDE_P + my_p * 4;
#if QUADS
		__global REAL *to = out + at / area * all + at % area;
#pragma unroll
		for (uint i = 0; i < ROWS; i++) {
			const uint q = i / 4 * 4 * SIDE_M + my_m * 4 + i % 4;
			if (at < places && filter + q < filters)
				*(__global float4 *)(to + q * area) = vload4(0, sum[i] + j);
		}
#else
#pragma unroll
		for (uint e = 0; e < 4; e++) {
			__global REAL *to = out + (at + e) / area * all + (at + e) % area;
#pragma unroll
			for (uint i = 0; i < ROWS; i++) {
				const uint q = i / 4 * 4 * SIDE_M + my_m * 4 + i % 4;
				if (at + e < places && filter + q < filters)
					to[q * area] = sum[i][j + e];
			}
		}
#endif
	}
#endif
}
