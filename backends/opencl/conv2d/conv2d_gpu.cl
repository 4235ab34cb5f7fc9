/* SPDX-License-Identifier: MIT */
/*
 * Convolution on GPUs as one product, whose right matrix is never written: with k over the channels and taps of
 * a group, out[filter][place] is the sum of weights[filter][k] * in[where tap k of that place lies] (implicit
 * GEMM; Chetlur et al., "cuDNN: efficient primitives for deep learning", 2014). A place is an output pixel
 * of any image.
 *
 * A group computes TM filters by TP places. Each round brings TK steps of k into local memory. A work-item
 * fetches those of the next round into registers while this one is multiplied, then stores them in the other
 * buffer: a round has one barrier. A work-item's part is WM neighboring filters by WP places that are TP / WP
 * apart, so that neighboring items read and write neighboring places.
 */
#include "real.cl"
#define LANES 4 /* of what gemm_stored.cl has for vectors */
#include "gemm_stored.cl"
#include "conv2d_shape.cl"
#ifndef TM /* all are powers of two */
#define TM 16
#endif
#ifndef TP
#define TP 32
#endif
#ifndef TK
#define TK 32
#endif
#ifndef WM
#define WM 2
#endif
#ifndef WP
#define WP 2
#endif

#define PLACES (TP / WP)             /* work-items side by side */
#define ITEMS (TM / WM * PLACES)     /* of a group */
#define WEIGHTS (TM * TK / ITEMS)    /* that a work-item fetches in a round */
#define INPUTS (TP * TK / ITEMS)
#define GAP 4                        /* between the lines of weights: fewer bank conflicts */
#define OUTSIDE (-(1 << 30))

struct shape {
	uint channels, filters, groups; /* of a group: channels and filters */
	uint h, w, rows, columns;       /* of the input, and of the output */
	int stride, pad, dilation;
};

/* Which line and which step the j-th fetch of a work-item is: neighboring items take neighbors in memory. */
#if NHWC
#define FILTER_OF(j) ((item + (j) * ITEMS) % TM)
#define FILTER_STEP(j) ((item + (j) * ITEMS) / TM)
#define PLACE_OF(j) ((item + (j) * ITEMS) / TK)
#define PLACE_STEP(j) ((item + (j) * ITEMS) % TK)
#else
#define FILTER_OF(j) ((item + (j) * ITEMS) / TK)
#define FILTER_STEP(j) ((item + (j) * ITEMS) % TK)
#define PLACE_OF(j) ((item + (j) * ITEMS) % TP)
#define PLACE_STEP(j) ((item + (j) * ITEMS) / TP)
#endif

/* Step k of the input for a place whose first tap is at (y, x), or 0 beyond the edges. */
static inline REAL fetch(__global const STORED *restrict in, const struct shape *shape, uint k, int y, int x)
{
#if NHWC
	const uint tap = k / shape->channels, channel = k % shape->channels;
#else
	const uint tap = k % (R * S), channel = k / (R * S);
#endif
	y += (int)(tap / S) * shape->dilation;
	x += (int)(tap % S) * shape->dilation;
	/* By a branch, and not by a choice between two values: that came out a quarter slower. */
	if ((uint)y >= shape->h || (uint)x >= shape->w || tap >= R * S || channel >= shape->channels)
		return 0;
#if NHWC
	return GET(in, ((uint)y * shape->w + (uint)x) * (shape->channels * shape->groups) + channel);
#else
	return GET(in, (channel * shape->h + (uint)y) * shape->w + (uint)x);
#endif
}

/* An image has at most 2^31 - 1 elements, and so have the weights. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
conv2d_implicit(__global const STORED *restrict in, __global const STORED *restrict weights, __global STORED *restrict out,
		uint channels, uint filters, uint groups, uint h, uint w, uint rows, uint columns, uint stride,
		uint pad, uint dilation, ulong places)
{
	__local REAL weight[2][TK][TM + GAP], input[2][TK][TP];
	const struct shape shape = {channels, filters, groups, h, w, rows, columns, (int)stride, (int)pad, (int)dilation};
	const uint item = (uint)get_local_id(0), length = channels * R * S;
	const uint blocks = (filters + TM - 1) / TM;
	const uint group = (uint)get_group_id(1) / blocks, filter = (uint)get_group_id(1) % blocks * TM;
	const ulong first = get_group_id(0) * (ulong)TP;
	const ulong image = (ulong)h * w * channels * groups;

	/* Where each fetch of the input starts: the image, with the group's first channel, and the first tap. */
	__global const STORED *from[INPUTS];
	int y[INPUTS], x[INPUTS];
#pragma unroll
	for (uint j = 0; j < INPUTS; j++) {
		const ulong place = first + PLACE_OF(j);
		const uint inside = (uint)(place % ((ulong)rows * columns));
		from[j] = in + place / ((ulong)rows * columns) * image + (ulong)group * channels * (NHWC ? 1 : h * w);
		y[j] = place < places ? (int)(inside / columns) * shape.stride - shape.pad : OUTSIDE;
		x[j] = (int)(inside % columns) * shape.stride - shape.pad;
	}

	REAL sum[WM][WP], next_weight[WEIGHTS], next_input[INPUTS];
#pragma unroll
	for (uint i = 0; i < WM; i++)
#pragma unroll
		for (uint j = 0; j < WP; j++)
			sum[i][j] = 0;

	const uint rounds = (length + TK - 1) / TK;
	const uint line = item / PLACES * WM, place = item % PLACES;
	for (uint round = 0; round <= rounds; round++) {
		/* Fetch a round ahead, multiply the one before: the first has nothing to multiply, the last nothing to fetch. */
		if (round < rounds) {
#pragma unroll
			for (uint j = 0; j < WEIGHTS; j++) {
				const uint k = round * TK + FILTER_STEP(j), q = filter + FILTER_OF(j);
#if NHWC
				const uint at = k * (filters * groups) + group * filters + q;
#else
				const uint at = (group * filters + q) * length + k;
#endif
				next_weight[j] = q < filters && k < length ? GET(weights, at) : 0;
			}
#pragma unroll
			for (uint j = 0; j < INPUTS; j++)
				next_input[j] = fetch(from[j], &shape, round * TK + PLACE_STEP(j), y[j], x[j]);
		}
		if (round > 0) {
			const uint buffer = (round - 1) % 2;
#pragma unroll
			for (uint k = 0; k < TK; k++) {
				REAL a[WM], b[WP];
#pragma unroll
				for (uint i = 0; i < WM; i++)
					a[i] = weight[buffer][k][line + i];
#pragma unroll
				for (uint j = 0; j < WP; j++)
					b[j] = input[buffer][k][place + j * PLACES];
#pragma unroll
				for (uint i = 0; i < WM; i++)
#pragma unroll
					for (uint j = 0; j < WP; j++)
						sum[i][j] += a[i] * b[j];
			}
		}
		if (round < rounds) {
			const uint buffer = round % 2;
#pragma unroll
			for (uint j = 0; j < WEIGHTS; j++)
				weight[buffer][FILTER_STEP(j)][FILTER_OF(j)] = next_weight[j];
#pragma unroll
			for (uint j = 0; j < INPUTS; j++)
				input[buffer][PLACE_STEP(j)][PLACE_OF(j)] = next_input[j];
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}

	const ulong all = (ulong)filters * groups, area = (ulong)rows * columns;
#pragma unroll
	for (uint j = 0; j < WP; j++) {
		const ulong at = first + place + j * PLACES;
		if (at >= places)
			continue;
#pragma unroll
		for (uint i = 0; i < WM; i++) {
			const uint q = filter + line + i;
			if (q >= filters)
				continue;
#if NHWC
			PUT(sum[i][j], out, at * all + group * filters + q);
#else
			PUT(sum[i][j], out, (at / area * all + group * filters + q) * area + at % area);
#endif
		}
	}
}
