/* SPDX-License-Identifier: MIT */
/*
 * GEMM for CPU devices without packing A: tiles of C that stay in registers, ROWS or ROWS - 1 rows by WIDE or WIDE - 1
 * vectors. Tiles differ by one at most, so that they cover C exactly. Where n is no multiple of LANES (RAGGED), the last
 * vector of each row moves in so that it is whole; some of its lanes are computed twice, and written once.
 *
 * A work-item takes `together` tiles below each other. It reads op(B) in place, or copies the columns of its tiles first:
 * then a step is one piece, whatever the strides. A launch may be a part of the whole: some tiles of each column, or
 * some columns.
 */
#include "real.cl"
#ifndef LANES /* elements of a vector */
#define LANES 16
#endif
#ifndef ROWS /* of a tile */
#define ROWS 6
#endif
#ifndef WIDE /* vectors of a row of a tile */
#define WIDE 4
#endif
#ifndef NARROWER /* 1: there are tiles of WIDE - 1 vectors, too */
#define NARROWER 0
#endif
#ifndef RAGGED
#define RAGGED 1
#endif
#ifndef FORM_B /* op(B) is read in place (0), or from a copy, being stored by rows (1) or by columns (2) */
#define FORM_B 0
#endif
#ifndef WASTE_PERCENT /* share of the steps that is done twice: a slower kernel, for tests of the gate */
#define WASTE_PERCENT 0
#endif
#define FETCHES_AHEAD 0
#include "buffer.cl"
#include "gemm_vectors.cl"

#define END VECTOR
#include "gemm_end.cl"

#define UNROLL _Pragma("unroll") for
#define UNROLL_STEPS _Pragma("unroll 4") for

/* What a call is about, as struct problem of cpu_direct.c. The first `tall` tiles of a column of them have ROWS rows, the
 * first `broad` of a row of them WIDE vectors. The addresses are used with ADDRESSES alone. */
struct problem {
	ulong a_address, b_address, c_address, bias_address, copies_address;
	ulong a_row, a_step, ldb, ldc, stride_a, stride_b, stride_c;
	uint n, steps, tall, broad, together;
	uint first, tiles;          /* tiles first to tiles - 1 of each column */
	uint place, columns, slot;  /* from this column of tiles on, of so many; and from this place for copies on */
	uint by_rows;               /* the first dimension runs over columns, so that a thread has rows of its own */
	REAL alpha __attribute__((aligned(8))), beta;
};

union lanes {
	VECTOR all;
	REAL lane[LANES];
};

/* Lanes first.. of a vector: 1 to LANES - 1 of them. */
static inline void put_last(VECTOR value, __global REAL *c, uint first)
{
	const union lanes line = {.all = value};
	const uint count = LANES - first;
	uint i = first;
#if LANES > 8
	if (count & 8) {
		vstore8(vload8(0, line.lane + i), 0, c + i);
		i += 8;
	}
#endif
#if LANES > 4
	if (count & 4) {
		vstore4(vload4(0, line.lane + i), 0, c + i);
		i += 4;
	}
#endif
	if (count & 2) {
		vstore2(vload2(0, line.lane + i), 0, c + i);
		i += 2;
	}
	if (count & 1)
		c[i] = line.lane[i];
}

/*
 * A tile at a, b and c, of which the last vector is `moved` elements to the left of where it belongs.
 */
#define AT(j, wide) ((j)*LANES - ((j) == (wide)-1 ? moved : 0))
#define DEFINE_TILE(name, rows, wide)                                                                            \
	static inline void add_##name(VECTOR sum[rows][wide], struct problem p, __global const REAL *a,          \
				      __global const REAL *b, uint steps, uint moved)                            \
	{                                                                                                        \
		UNROLL_STEPS (uint s = 0; s < steps; s++) {                                                      \
			VECTOR bs[wide];                                                                         \
			UNROLL (uint j = 0; j < wide; j++)                                                       \
				bs[j] = FETCH(0, b + (FORM_B ? j * LANES : AT(j, wide)));                        \
			UNROLL (uint i = 0; i < rows; i++) {                                                     \
				const VECTOR ai = a[i * p.a_row];                                                  \
				UNROLL (uint j = 0; j < wide; j++)                                               \
					sum[i][j] += ai * bs[j];                                                 \
			}                                                                                        \
			a += p.a_step;                                                                             \
			b += FORM_B ? wide * LANES : p.ldb;                                                      \
		}                                                                                                \
	}                                                                                                        \
	static inline void name(struct problem p, __global const REAL *a, __global const REAL *b,                \
				__global REAL *c, __global const REAL *bias, uint moved)                         \
	{                                                                                                        \
		VECTOR sum[rows][wide];                                                                          \
		UNROLL (uint i = 0; i < rows; i++)                                                               \
			UNROLL (uint j = 0; j < wide; j++)                                                       \
				sum[i][j] = 0;                                                                   \
		if (WASTE_PERCENT) {                                                                             \
			add_##name(sum, p, a, b, p.steps * WASTE_PERCENT / 100, moved);                          \
			/* Back to zero, in a way that no compiler sees through: a NaN stays, and is in the      \
			 * product anyway. */                                                                    \
			UNROLL (uint i = 0; i < rows; i++)                                                       \
				UNROLL (uint j = 0; j < wide; j++)                                               \
					sum[i][j] = select(sum[i][j], (VECTOR)(0),                               \
							   isequal(sum[i][j], sum[i][j]));                       \
		}                                                                                                \
		add_##name(sum, p, a, b, p.steps, moved);                                                        \
		if (p.alpha != 1)                                                                                \
			UNROLL (uint i = 0; i < rows; i++)                                                       \
				UNROLL (uint j = 0; j < wide; j++)                                               \
					sum[i][j] *= p.alpha;                                                    \
		if (p.beta != 0)                                                                                 \
			UNROLL (uint i = 0; i < rows; i++)                                                       \
				UNROLL (uint j = 0; j < wide; j++)                                               \
					sum[i][j] += p.beta * FETCH(0, c + i * p.ldc + AT(j, wide));              \
		UNROLL (uint i = 0; i < rows; i++)                                                               \
			UNROLL (uint j = 0; j < wide; j++) {                                                     \
				__global REAL *to = c + i * p.ldc + AT(j, wide);                                 \
				VECTOR value = sum[i][j], biases = 0;                                            \
				if (BIAS)                                                                        \
					biases = FETCH(0, bias + AT(j, wide));                                   \
				value = finish(value, biases);                                                   \
				if (j == wide - 1 && moved)                                                      \
					put_last(value, to, moved);                                              \
				else                                                                             \
					KEEP(value, 0, to);                                                      \
			}                                                                                        \
	}

DEFINE_TILE(tile, ROWS, WIDE)
#if ROWS > 1
DEFINE_TILE(shorter, (ROWS - 1), WIDE)
#else
#define shorter tile
#endif
#if NARROWER
#define LESS (WIDE - 1)
DEFINE_TILE(narrower, ROWS, LESS)
#if ROWS > 1
DEFINE_TILE(smaller, (ROWS - 1), LESS)
#else
#define smaller narrower
#endif
#endif

#if FORM_B
/*
 * The columns of a tile, row after row. Of an op(B) that is stored by columns LANES steps of LANES columns are transposed
 * in registers; the last steps move in.
 */
static inline void copy_b(struct problem p, __global const REAL *b, uint wide, uint moved, __global REAL *copy)
{
	if (FORM_B == 1)
		for (uint s = 0; s < p.steps; s++, b += p.ldb, copy += wide * LANES)
			for (uint j = 0; j < wide; j++)
				KEEP(FETCH(0, b + AT(j, wide)), j, copy);
	for (uint j = 0; FORM_B == 2 && j < wide; j++) {
		__global const REAL *from = b + AT(j, wide) * p.ldb;
		for (uint own = 0; own < p.steps && p.steps >= LANES; own += LANES) {
			const uint s = min(own, p.steps - LANES);
			VECTOR block[LANES];
			UNROLL (uint i = 0; i < LANES; i++)
				block[i] = FETCH(0, from + i * p.ldb + s);
			transpose(block);
			UNROLL (uint i = 0; i < LANES; i++)
				KEEP(block[i], j, copy + (s + i) * wide * LANES);
		}
		for (uint s = 0; s < p.steps && p.steps < LANES; s++)
			for (uint i = 0; i < LANES; i++)
				copy[(s * wide + j) * LANES + i] = from[i * p.ldb + s];
	}
}
#endif

/* The first dimension runs over `together` tiles each, the second over columns of tiles, the third over products. */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void gemm_direct(
	const struct problem p
#if !ADDRESSES
	,
	__global const REAL *a, __global const REAL *b, __global REAL *c
#if BIAS
	,
	__global const REAL *bias
#endif
#if FORM_B
	,
	__global REAL *copies
#endif
#endif
)
{
#if ADDRESSES
	__global const REAL *a = (__global const REAL *)p.a_address, *b = (__global const REAL *)p.b_address;
	__global REAL *c = (__global REAL *)p.c_address;
#if BIAS
	__global const REAL *bias = (__global const REAL *)p.bias_address;
#endif
#if FORM_B
	__global REAL *copies = (__global REAL *)p.copies_address;
#endif
#endif
#if !BIAS
	__global const REAL *bias = 0;
#endif
	const ulong product = get_global_id(2);
	const uint column_of_tiles = (uint)get_global_id(!p.by_rows), part = (uint)get_global_id(p.by_rows);
	const uint place = p.place + column_of_tiles, first = p.first + part * p.together;
	const uint end = min(first + p.together, p.tiles);
	const bool broad = !NARROWER || place < p.broad;
	const uint column = (NARROWER ? place * (WIDE - 1) + min(place, p.broad) : place * WIDE) * LANES;
	const uint moved = RAGGED && place + 1 == p.columns ? -p.n & (LANES - 1) : 0;
	a += product * p.stride_a;
	b += product * p.stride_b + (FORM_B == 2 ? column * p.ldb : column);
	c += product * p.stride_c + column;
	if (BIAS)
		bias += column;
#if FORM_B
	copies += (p.slot + (product * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0)) *
		  p.steps * WIDE * LANES;
	copy_b(p, b, broad ? WIDE : WIDE - 1, moved, copies);
	b = copies;
#endif
	for (uint t = first; t < end; t++) {
		const ulong row = (ulong)t * (ROWS - 1) + min(t, p.tall);
		__global const REAL *rows = a + row * p.a_row;
		__global REAL *to = c + row * p.ldc;
#if NARROWER
		if (!broad && t < p.tall)
			narrower(p, rows, b, to, bias, moved);
		else if (!broad)
			smaller(p, rows, b, to, bias, moved);
		else
#endif
			if (t < p.tall)
			tile(p, rows, b, to, bias, moved);
		else
			shorter(p, rows, b, to, bias, moved);
	}
}
