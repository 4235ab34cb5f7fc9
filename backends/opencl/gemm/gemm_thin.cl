/* SPDX-License-Identifier: MIT */
/*
 * GEMM for GPUs where C has few rows or few columns (THIN at most): the other operand, a matrix of `length` lanes by
 * k steps, is read once, at the memory's speed. The thin operand is read again by each group, into local memory,
 * CHUNK steps at a time.
 *
 * A group computes TILE lanes of C. Its work-items stand ACROSS side by side and DOWN below each other: those
 * side by side take different lanes, those below each other different steps, whose sums are added up in the end
 * in a tree. Their operands are in registers a round before they are multiplied. gemm_tiles.cl has how several
 * groups share a tile, each a part of k.
 *
 * ALONG says how the matrix is stored: 0, lanes are neighbors; 1, steps are. A vector is 16 bytes. Where rows
 * are not at multiples of that (ALIGNED 0), a work-item reads single elements instead, ACROSS apart.
 *
 * With TENSOR elements of 16 bits are multiplied by NVIDIA's tensor cores (gemm_thin_mma.cl), else by multiply-adds
 * (gemm_thin_fma.cl).
 */
#include "real.cl"
#ifndef LANES /* elements of a vector */
#define LANES 4
#endif
#ifndef THIN /* rows of the thin operand, at most; a power of 2, with TENSOR 8 or 16 */
#define THIN 16
#endif
#ifndef ITEMS
#define ITEMS 256
#endif
#ifndef ALONG
#define ALONG 0
#endif
#ifndef ALIGNED
#define ALIGNED 0
#endif
#ifndef TENSOR
#define TENSOR 0
#endif
#ifndef NVIDIA /* the major number of the device's compute capability; 0: another's device */
#define NVIDIA 0
#endif

#include "gemm_stored.cl"
#include "buffer.cl"
#include "gemm_end.cl"
#define TILE_M 1 /* tiles have a number here */
#define TILE_N 1
#include "gemm_tiles.cl"

#if TENSOR
#include "gemm_thin_mma.cl"
#else
#include "gemm_thin_fma.cl"
#endif

#define SEATS (ITEMS / DOWN) /* work-items side by side */
#define SUM_SPACE (20480 / sizeof(REAL))
#define MOST(a, b) ((a) > (b) ? (a) : (b))
/* Sums of each work-item that have room there at one time. */
#define HAVE_ROOM(sums) ((sums)*SEATS * (DOWN + 1) <= SUM_SPACE)
#define PIECE                                                                                                        \
	(HAVE_ROOM(SUMS)       ? SUMS                                                                                \
	 : HAVE_ROOM(SUMS / 2) ? SUMS / 2                                                                            \
	 : HAVE_ROOM(SUMS / 4) ? SUMS / 4                                                                            \
	 : HAVE_ROOM(SUMS / 8) ? SUMS / 8                                                                            \
			       : SUMS / 16)

/* Sum e of all that stand below each other. */
static inline REAL add_up(__local const REAL *space, uint e, uint seat)
{
	REAL all = space[find_seat(e, seat, 0)];
#pragma unroll 8
	for (uint d = 1; d < DOWN; d++)
		all += space[find_seat(e, seat, d)];
	return all;
}

#if BIAS
#define END_ARGUMENTS bias, bias_row, bias_lane
#else
#define END_ARGUMENTS 0, 0, 0
#endif

/* One element of C = alpha sum + beta C, and the end of it, if the matrix has such a lane. */
static inline void write(__global STORED *restrict c, ulong c_row, ulong c_lane, uint row, uint lane, uint length, REAL sum,
			 REAL alpha, REAL beta, __global const STORED *restrict bias, uint bias_row, uint bias_lane)
{
	if (lane < length) {
		const ulong at = row * c_row + lane * c_lane;
		REAL value = alpha * sum;
		if (beta != 0)
			value += beta * GET(c, at);
		value = finish(value, BIAS ? GET(bias, row * bias_row + lane * bias_lane) : (REAL)0);
		PUT(value, c, at);
	}
}

/*
 * matrix: its lanes or its steps lie `ld` apart, as ALONG says. Of the thin operand rows lie thin_row and steps
 * thin_step apart; of C rows c_row and lanes c_lane; of the bias bias_row and bias_lane, one of which is 0. The fourth
 * number of each is what lies between products of a batch. With SPLIT: groups of a tile, rounds of each; parts: a tile of each
 * group; arrived: 0 for each tile, and so again.
 */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
gemm_thin(__global const STORED *restrict matrix, ulong ld, ulong stride, __global const STORED *restrict thin,
	  ulong thin_row, ulong thin_step, ulong thin_stride, __global STORED *restrict c, ulong c_row, ulong c_lane,
	  ulong c_stride, uint rows, uint length, uint k, REAL alpha, REAL beta TAKES_PARTS
#if BIAS
	  ,
	  __global const STORED *restrict bias, uint bias_row, uint bias_lane
#endif
)
{
	OPEN_PARTS;
	__local REAL space[MOST(THIN_SPACE, SUM_SPACE)] __attribute__((aligned(16)));
	const uint item = (uint)get_local_id(0);
#if SPLIT
	const uint number = (uint)get_group_id(0) / splits, part = (uint)get_group_id(0) - number * splits;
	__local uint last;
#else
	const uint number = (uint)get_group_id(0);
#endif
	const uint tiles = (length + TILE - 1) / TILE, product = number / tiles;
	const uint first = (number - product * tiles) * TILE;

	matrix += product * stride;
	thin += product * thin_stride;
	c += product * c_stride;

	uint rounds = (k + ROUND - 1) / ROUND;
#if SPLIT
	const uint begin = part * rounds_each * ROUND;
	matrix += begin * (ALONG ? 1 : ld);
	thin += begin * thin_step;
	rounds = min(rounds_each, rounds - part * rounds_each);
	k -= begin;
#endif

	const struct place place = find_place(item);
	HELD held[FETCHES], next[FETCHES];
	REAL sum[SUMS];
#pragma unroll
	for (uint e = 0; e < SUMS; e++)
		sum[e] = 0;

	FETCH(held, 0);
	for (uint round = 0; round < rounds; round++) {
#if TENSOR
		const uint in_chunk = 0;
#else
		const uint in_chunk = round % (CHUNK / ROUND);
		if (in_chunk == 0) {
			if (round > 0)
				barrier(CLK_LOCAL_MEM_FENCE);
			put_thin(space, thin + round * ROUND * thin_step, thin_row, thin_step, rows,
				 min((uint)(CHUNK), (rounds - round) * ROUND), k - round * ROUND, item);
			barrier(CLK_LOCAL_MEM_FENCE);
		}
#endif
		if (round + 1 < rounds)
			FETCH(next, round + 1);
		add_round(sum, held, space, in_chunk * ROUND, &place);
#pragma unroll
		for (uint v = 0; v < FETCHES; v++)
			held[v] = next[v];
	}

#define OF_OUTPUT(o)                                                                                                 \
	const uint e = (o) / SEATS, seat = (o) % SEATS, i = find_row(seat, e);                                       \
	if (i >= rows)                                                                                               \
	continue
#if SPLIT
	__global REAL *own = parts + (ulong)get_group_id(0) * (SUMS * SEATS);
#endif
	/* Those below each other leave their sums, a piece at a time, and all work-items add them up. */
#pragma unroll
	for (uint piece = 0; piece < SUMS; piece += PIECE) {
		barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
		for (uint e = 0; e < PIECE; e++)
			space[find_seat(e, place.seat, place.down)] = sum[piece + e];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint o = piece * SEATS + item; o < (piece + PIECE) * SEATS; o += ITEMS) {
			OF_OUTPUT(o);
			const REAL all = add_up(space, e - piece, seat);
#if SPLIT
			own[o] = all;
#else
			write(c, c_row, c_lane, i, first + find_lane(seat, e), length, all, alpha, beta, END_ARGUMENTS);
#endif
		}
	}
#if SPLIT
	LAST_GOES_ON(arrived + number, splits, item, last);
	own -= (ulong)part * (SUMS * SEATS);
	for (uint o = item; o < SUMS * SEATS; o += ITEMS) {
		OF_OUTPUT(o);
		REAL all = own[o];
#pragma unroll 8
		for (uint p = 1; p < splits; p++)
			all += own[p * (SUMS * SEATS) + o];
		write(c, c_row, c_lane, i, first + find_lane(seat, e), length, all, alpha, beta, END_ARGUMENTS);
	}
#endif
}
