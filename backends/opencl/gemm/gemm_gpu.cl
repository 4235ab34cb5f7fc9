/* SPDX-License-Identifier: MIT */
/*
 * GEMM for GPUs: one work-group of 16 x 16 work-items a tile of C.
 *
 * The tile's operands pass through local memory TILE_K steps at a time, in two halves: while one half is
 * multiplied, the next operands come in to registers, so that one barrier a round is enough. A work-item holds
 * (TILE_M / 16) x (TILE_N / 16) sums, in blocks of LANES neighbors that are 16 * LANES apart. So a row of
 * work-items reads local memory without bank conflicts. Elements outside of the matrices are read as zero.
 *
 * gemm_tiles.cl has the order of tiles, and how several groups share one.
 *
 * With HALF elements are stored in 16 bits and computed with as float: they are widened on the
 * way into local memory, and C is rounded once.
 */
#include "real.cl"
#ifndef LANES /* elements of a vector: 16 bytes are one memory instruction */
#define LANES 4
#endif
#ifndef TILE_M
#define TILE_M 128
#endif
#ifndef TILE_N
#define TILE_N 128
#endif
#ifndef TILE_K
#define TILE_K 16
#endif
#ifndef ALIGNED /* lda, ldb and ldc are multiples of LANES */
#define ALIGNED 0
#endif
#ifndef EXACT /* 1: ALIGNED, and m, n and k are multiples of the tile: no code for edges */
#define EXACT 0
#endif
#ifndef ACROSS /* work-items of 32 neighbors that lie in one row: the others are below */
#define ACROSS 4
#endif

#define SIDE 16 /* of the square of work-items */
#define ITEMS (SIDE * SIDE)
#define ROWS (TILE_M / SIDE) /* of sums in a work-item */
#define COLUMNS (TILE_N / SIDE)
#define LINE_A (TILE_M + LANES) /* of local memory, padded against bank conflicts of transposing writes */
#define LINE_B (TILE_N + LANES)
#define FETCH_A (TILE_M * TILE_K / LANES / ITEMS) /* vectors that a work-item brings in a round */
#define FETCH_B (TILE_N * TILE_K / LANES / ITEMS)

#include "gemm_stored.cl"

/* A vector at p, as stored. */
#if HALF == 2
#define GET_ALIGNED(p) WIDEN(*(__global const USHORTS *)(p))
#define GET_VECTOR(p) WIDEN(LOAD(0, p))
#define PUT_ALIGNED(value, p) *(__global USHORTS *)(p) = round_all(value)
#elif HALF
#define GET_ALIGNED(p) PASTE(vloada_half, LANES)(0, p)
#define GET_VECTOR(p) LOAD_HALVES(0, p)
#define PUT_ALIGNED(value, p) PASTE(PASTE(vstorea_half, LANES), _rte)(value, 0, p)
#else
#define GET_ALIGNED(p) (*(__global const VECTOR *)(p))
#define GET_VECTOR(p) LOAD(0, p)
#define PUT_ALIGNED(value, p) *(__global VECTOR *)(p) = (value)
#endif

#include "buffer.cl"
#include "gemm_end.cl"
#include "gemm_tiles.cl"

/* LANES elements of a row, zero outside of the matrix of rows x columns. */
static inline VECTOR fetch(__global const STORED *restrict x, ulong stride, uint row, uint rows, uint column,
			   uint columns)
{
	REAL line[LANES];
	if (EXACT || (row < rows && column + LANES <= columns)) {
		__global const STORED *at = x + row * stride + column;
#if ALIGNED
		return GET_ALIGNED(at);
#else
		return GET_VECTOR(at);
#endif
	}
#pragma unroll
	for (uint i = 0; i < LANES; i++)
		line[i] = row < rows && column + i < columns ? GET(x, row * stride + column + i) : 0;
	return LOAD(0, line);
}

/*
 * Vector v of the tile of an operand whose lanes (rows of op(A), columns of op(B)) start
 * at `lane` and whose steps start at `step`. Stored by lanes, a vector holds LANES steps
 * of one lane; stored by steps, LANES lanes of one step.
 */
static inline VECTOR fetch_by_lanes(__global const STORED *restrict x, ulong stride, uint v, uint lane,
				    uint lanes, uint step, uint steps)
{
	const uint across = TILE_K / LANES;
	return fetch(x, stride, lane + v / across, lanes, step + v % across * LANES, steps);
}
static inline VECTOR fetch_by_steps(__global const STORED *restrict x, ulong stride, uint v, uint width,
				    uint lane, uint lanes, uint step, uint steps)
{
	const uint across = width / LANES;
	return fetch(x, stride, step + v / across, steps, lane + v % across * LANES, lanes);
}

/* The same vectors into local memory, which holds steps of `line` elements. */
static inline void put_by_lanes(__local REAL *tile, uint line, uint v, VECTOR value)
{
	const uint across = TILE_K / LANES;
	REAL part[LANES];
	STORE(value, 0, part);
#pragma unroll
	for (uint i = 0; i < LANES; i++)
		tile[(v % across * LANES + i) * line + v / across] = part[i];
}
static inline void put_by_steps(__local REAL *tile, uint line, uint v, uint width, VECTOR value)
{
	const uint across = width / LANES;
	*(__local VECTOR *)(tile + v / across * line + v % across * LANES) = value;
}

#if TRANS_A
#define GET_A(v, step) fetch_by_steps(a, lda, v, TILE_M, row, m, step, k)
#define PUT_A(v, value) put_by_steps(next_a, LINE_A, v, TILE_M, value)
#else
#define GET_A(v, step) fetch_by_lanes(a, lda, v, row, m, step, k)
#define PUT_A(v, value) put_by_lanes(next_a, LINE_A, v, value)
#endif
#if TRANS_B
#define GET_B(v, step) fetch_by_lanes(b, ldb, v, column, n, step, k)
#define PUT_B(v, value) put_by_lanes(next_b, LINE_B, v, value)
#else
#define GET_B(v, step) fetch_by_steps(b, ldb, v, TILE_N, column, n, step, k)
#define PUT_B(v, value) put_by_steps(next_b, LINE_B, v, TILE_N, value)
#endif

/* sum += one round; my_row and my_column: the work-item's place in the group. */
static inline void add_round(REAL sum[ROWS][COLUMNS], __local const REAL *tile_a, __local const REAL *tile_b,
			     uint my_row, uint my_column)
{
#pragma unroll
	for (uint s = 0; s < TILE_K; s++) {
		REAL x[ROWS], y[COLUMNS];
#pragma unroll
		for (uint i = 0; i < ROWS; i += LANES)
			STORE(*(__local const VECTOR *)(tile_a + s * LINE_A + i * SIDE + my_row * LANES), 0, x + i);
#pragma unroll
		for (uint j = 0; j < COLUMNS; j += LANES)
			STORE(*(__local const VECTOR *)(tile_b + s * LINE_B + j * SIDE + my_column * LANES), 0,
			      y + j);
#pragma unroll
		for (uint i = 0; i < ROWS; i++)
#pragma unroll
			for (uint j = 0; j < COLUMNS; j++)
				sum[i][j] += x[i] * y[j];
	}
}

/* LANES neighbors of a row of C = alpha sum + beta C, as far as they are within it, and the end of it. */
static inline void write(__global STORED *restrict c, const REAL *sum, REAL alpha, REAL beta,
			 const REAL *bias, uint column, uint columns)
{
#if ALIGNED
	if (EXACT || column + LANES <= columns) {
		VECTOR value = alpha * LOAD(0, sum);
		if (beta != 0)
			value += beta * GET_ALIGNED(c + column);
#if BIAS || ACTIVATION
		REAL part[LANES];
		STORE(value, 0, part);
#pragma unroll
		for (uint j = 0; j < LANES; j++)
			part[j] = finish(part[j], bias[j]);
		value = LOAD(0, part);
#endif
		PUT_ALIGNED(value, c + column);
		return;
	}
#endif
#pragma unroll
	for (uint j = 0; j < LANES; j++)
		if (column + j < columns) {
			REAL value = alpha * sum[j];
			if (beta != 0)
				value += beta * GET(c, column + j);
			PUT(finish(value, bias[j]), c, column + j);
		}
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
gemm_local(OPERANDS(STORED))
{
	OPEN_OPERANDS(STORED);
	__local REAL tiles_a[2][TILE_K * LINE_A] __attribute__((aligned(16)));
	__local REAL tiles_b[2][TILE_K * LINE_B] __attribute__((aligned(16)));
	/* 32 neighbors, which NVIDIA runs in step, share a block of the square, and so read less of the operands. */
	const uint item = (uint)get_local_id(0), block = item / 32, in_block = item % 32;
	const uint my_row = block / (SIDE / ACROSS) * (32 / ACROSS) + in_block / ACROSS;
	const uint my_column = block % (SIDE / ACROSS) * ACROSS + in_block % ACROSS;

	FIND_PART();

	REAL sum[ROWS][COLUMNS];
	VECTOR held_a[FETCH_A], held_b[FETCH_B];
#pragma unroll
	for (uint i = 0; i < ROWS; i++)
#pragma unroll
		for (uint j = 0; j < COLUMNS; j++)
			sum[i][j] = 0;

	/* Round r of `all` brings operands in; round r + 1 multiplies them. */
	for (uint round = 0; round <= rounds; round++) {
		__local REAL *next_a = tiles_a[round & 1], *next_b = tiles_b[round & 1];
		if (round < rounds) {
#pragma unroll
			for (uint v = 0; v < FETCH_A; v++)
				held_a[v] = GET_A(item + v * ITEMS, round * TILE_K);
#pragma unroll
			for (uint v = 0; v < FETCH_B; v++)
				held_b[v] = GET_B(item + v * ITEMS, round * TILE_K);
		}
		if (round > 0)
			add_round(sum, tiles_a[~round & 1], tiles_b[~round & 1], my_row, my_column);
		if (round < rounds) {
#pragma unroll
			for (uint v = 0; v < FETCH_A; v++)
				PUT_A(item + v * ITEMS, held_a[v]);
#pragma unroll
			for (uint v = 0; v < FETCH_B; v++)
				PUT_B(item + v * ITEMS, held_b[v]);
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}

#if SPLIT
	__local uint last;
	__global REAL *own = parts + (ulong)get_group_id(0) * (TILE_M * TILE_N) + item;
#pragma unroll
	for (uint i = 0; i < ROWS; i++)
#pragma unroll
		for (uint j = 0; j < COLUMNS; j++)
			own[(i * COLUMNS + j) * ITEMS] = sum[i][j];
	LAST_GOES_ON(arrived + number, splits, item, last);
	own -= (ulong)part * (TILE_M * TILE_N);
#pragma unroll
	for (uint i = 0; i < ROWS; i++)
#pragma unroll
		for (uint j = 0; j < COLUMNS; j++)
			sum[i][j] = own[(i * COLUMNS + j) * ITEMS];
	for (uint p = 1; p < splits; p++) {
		own += TILE_M * TILE_N;
#pragma unroll
		for (uint i = 0; i < ROWS; i++)
#pragma unroll
			for (uint j = 0; j < COLUMNS; j++)
				sum[i][j] += own[(i * COLUMNS + j) * ITEMS];
	}
#endif

	REAL column_bias[COLUMNS];
#pragma unroll
	for (uint j = 0; j < COLUMNS; j++) {
		column_bias[j] = 0;
#if BIAS
		const uint at = column + j / LANES * LANES * SIDE + my_column * LANES + j % LANES;
		if (EXACT || at < n)
			column_bias[j] = GET(bias, at);
#endif
	}
#pragma unroll
	for (uint i = 0; i < ROWS; i++) {
		const uint to_row = row + i / LANES * LANES * SIDE + my_row * LANES + i % LANES;
#pragma unroll
		for (uint j = 0; j < COLUMNS; j += LANES)
			if (EXACT || to_row < m)
				write(c + to_row * ldc, sum[i] + j, alpha, beta, column_bias + j,
				      column + j * SIDE + my_column * LANES, n);
	}
}
