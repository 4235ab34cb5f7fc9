/* SPDX-License-Identifier: MIT */
/*
 * Sparse matrix times vector on CPU devices: a work-item takes rows that follow each other,
 * one after another, as a thread would, so that the matrix is read from start to end.
 *
 * WIDTH rows that are equally long and short, as those of a stencil or a mesh are, are summed side by side, a
 * row to a lane. Their entries follow each other in memory: they are multiplied as they come, a vector at a
 * time, and the products then change places in registers. So the matrix is read by whole vectors, and what is
 * left of a row's cost is a few shuffles.
 *
 * Of the others each row is summed by itself, term by term, or with BY_LANES in the lanes of a vector, if it is
 * as long as one.
 */
#include "real.cl"
#ifndef BY_LANES /* 1: long rows in the lanes of a vector */
#define BY_LANES 0
#endif

#ifndef WIDTH /* elements of the device's vectors: 2, 4, 8 or 16 */
#define WIDTH 8
#endif
#ifndef INDEX /* an unsigned type as long as REAL, for compilers that have no shuffle but shuffle2() */
#define INDEX uint
#endif

#define VECTOR       PASTE(REAL, WIDTH)
#define LANE         PASTE(INDEX, WIDTH)
#define OFFSETS      PASTE(uint, WIDTH)

/* Vectors in global memory, wherever they start. */
typedef VECTOR unaligned_vector __attribute__((aligned(sizeof(REAL))));
typedef OFFSETS unaligned_offsets __attribute__((aligned(sizeof(uint))));

/* Products of WIDTH entries. Columns are below 2^31, and as int they can be the indices of a gather. */
static inline VECTOR products(__global const uint *restrict columns, __global const REAL *restrict values,
			      __global const REAL *restrict x)
{
	union {
		VECTOR vector;
		REAL elements[WIDTH];
	} gathered;
#pragma unroll
	for (uint lane = 0; lane < WIDTH; lane++)
		gathered.elements[lane] = x[(int)columns[lane]];
	return *(__global const unaligned_vector *)values * gathered.vector;
}

/* What the lanes hold, added up. */
static inline REAL add_lanes(VECTOR v)
{
#if WIDTH == 16
	PASTE(REAL, 8) eight = v.lo + v.hi;
#elif WIDTH == 8
	PASTE(REAL, 8) eight = v;
#endif
#if WIDTH >= 8
	PASTE(REAL, 4) four = eight.lo + eight.hi;
#elif WIDTH == 4
	PASTE(REAL, 4) four = v;
#endif
#if WIDTH >= 4
	PASTE(REAL, 2) two = four.lo + four.hi;
#else
	PASTE(REAL, 2) two = v;
#endif
	return two.x + two.y;
}

#define NUMBERS_2  0, 1
#define NUMBERS_4  NUMBERS_2, 2, 3
#define NUMBERS_8  NUMBERS_4, 4, 5, 6, 7
#define NUMBERS_16 NUMBERS_8, 8, 9, 10, 11, 12, 13, 14, 15

static inline REAL sum_row(__global const uint *restrict columns, __global const REAL *restrict values,
			   __global const REAL *restrict x, uint k, uint end)
{
	REAL sum = 0;
#if BY_LANES
	if (end - k >= WIDTH) {
		VECTOR partial = products(columns + k, values + k, x);
		for (k += WIDTH; end - k >= WIDTH; k += WIDTH)
			partial += products(columns + k, values + k, x);
		/* The last WIDTH entries once more, of which those before k are in the sum already. */
		if (k < end) {
			const LANE lanes = (LANE)(PASTE(NUMBERS_, WIDTH)), done = WIDTH - (end - k);
			VECTOR last = products(columns + end - WIDTH, values + end - WIDTH, x);
			partial += select(last, (VECTOR)(0), lanes < done);
		}
		return add_lanes(partial);
	}
#endif
	for (; k < end; k++)
		sum += values[k] * x[columns[k]];
	return sum;
}

/*
 * The sums of WIDTH rows of `length` entries each. Entry j of row i is number i * length + j of them all, and
 * so in a known lane of a known product. These numbers are literals, and the loops over products and entries
 * are written out, because PoCL 5 makes loops over memory of what it does not see through at once.
 */
#define NUMBER(j, length, lane) ((lane) * (length) + (j))
#define SOURCE(p, j, length, lane)                                                                           \
	(NUMBER(j, length, lane) / WIDTH == (p) ? WIDTH + NUMBER(j, length, lane) % WIDTH : (lane))
#define SOURCES_2(p, j, length, lane)  SOURCE(p, j, length, lane), SOURCE(p, j, length, lane + 1)
#define SOURCES_4(p, j, length, lane)  SOURCES_2(p, j, length, lane), SOURCES_2(p, j, length, lane + 2)
#define SOURCES_8(p, j, length, lane)  SOURCES_4(p, j, length, lane), SOURCES_4(p, j, length, lane + 4)
#define SOURCES_16(p, j, length, lane) SOURCES_8(p, j, length, lane), SOURCES_8(p, j, length, lane + 8)
#define SOURCES(p, j, length)          PASTE(SOURCES_, WIDTH)(p, j, length, 0)

#ifdef __has_builtin
#if __has_builtin(__builtin_shufflevector)
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#endif
#endif
#ifndef SHUFFLE
#define SHUFFLE(a, b, ...) shuffle2(a, b, (LANE)(__VA_ARGS__))
#endif

#define PRODUCT(p) const VECTOR product##p = products(columns + p * WIDTH, values + p * WIDTH, x);
#define PRODUCTS_1 PRODUCT(0)
#define PRODUCTS_2 PRODUCTS_1 PRODUCT(1)
#define PRODUCTS_3 PRODUCTS_2 PRODUCT(2)
#define PRODUCTS_4 PRODUCTS_3 PRODUCT(3)
#define PRODUCTS_5 PRODUCTS_4 PRODUCT(4)
#define PRODUCTS_6 PRODUCTS_5 PRODUCT(5)
#define PRODUCTS_7 PRODUCTS_6 PRODUCT(6)
#define PRODUCTS_8 PRODUCTS_7 PRODUCT(7)

#define PICK(p, j, length) own = SHUFFLE(own, product##p, SOURCES(p, j, length));
#define PICKS_1(j, length) PICK(0, j, length)
#define PICKS_2(j, length) PICKS_1(j, length) PICK(1, j, length)
#define PICKS_3(j, length) PICKS_2(j, length) PICK(2, j, length)
#define PICKS_4(j, length) PICKS_3(j, length) PICK(3, j, length)
#define PICKS_5(j, length) PICKS_4(j, length) PICK(4, j, length)
#define PICKS_6(j, length) PICKS_5(j, length) PICK(5, j, length)
#define PICKS_7(j, length) PICKS_6(j, length) PICK(6, j, length)
#define PICKS_8(j, length) PICKS_7(j, length) PICK(7, j, length)

#define ENTRY(j, length)                                                                                     \
	{                                                                                                    \
		VECTOR own = product0;                                                                       \
		PICKS_##length(j, length) sum += own;                                                        \
	}
#define ENTRIES_1(length) ENTRY(0, length)
#define ENTRIES_2(length) ENTRIES_1(length) ENTRY(1, length)
#define ENTRIES_3(length) ENTRIES_2(length) ENTRY(2, length)
#define ENTRIES_4(length) ENTRIES_3(length) ENTRY(3, length)
#define ENTRIES_5(length) ENTRIES_4(length) ENTRY(4, length)
#define ENTRIES_6(length) ENTRIES_5(length) ENTRY(5, length)
#define ENTRIES_7(length) ENTRIES_6(length) ENTRY(6, length)
#define ENTRIES_8(length) ENTRIES_7(length) ENTRY(7, length)

#define EVEN_CASE(length)                                                                                    \
	case length: {                                                                                       \
		PRODUCTS_##length ENTRIES_##length(length) break;                                            \
	}

/* WIDTH rows, if they are even and short enough; else nothing, and false. */
static inline bool multiply_even_rows(__global const uint *restrict offsets,
				      __global const uint *restrict columns,
				      __global const REAL *restrict values, __global const REAL *restrict x,
				      __global REAL *restrict y)
{
	const OFFSETS from = *(__global const unaligned_offsets *)offsets;
	const OFFSETS lengths = *(__global const unaligned_offsets *)(offsets + 1) - from;
	VECTOR sum = 0;
	if (any(lengths != lengths.s0))
		return false;
	columns += from.s0;
	values += from.s0;
	switch (lengths.s0) {
		EVEN_CASE(1)
		EVEN_CASE(2)
		EVEN_CASE(3)
		EVEN_CASE(4)
		EVEN_CASE(5)
		EVEN_CASE(6)
		EVEN_CASE(7)
		EVEN_CASE(8)
	default:
		return false;
	}
	*(__global unaligned_vector *)y = sum;
	return true;
}

/* Rows are counted in size_t: in uint, PoCL 3.1 takes half as long again for some of the callers. */
static inline void multiply_rows(__global const uint *restrict offsets, __global const uint *restrict columns,
				 __global const REAL *restrict values, __global const REAL *restrict x,
				 __global REAL *restrict y, uint first, uint count)
{
	for (size_t row = first, end = (size_t)first + count; row < end;) {
		if (row + WIDTH <= end && multiply_even_rows(offsets + row, columns, values, x, y + row)) {
			row += WIDTH;
			continue;
		}
		/* Not one row and another look: where rows are uneven, looking must cost little. */
		for (size_t some = min(row + WIDTH, end); row < some; row++)
			y[row] = sum_row(columns, values, x, offsets[row], offsets[row + 1]);
	}
}

/* `span` rows to a work-item. */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
spmv_spans(__global const uint *restrict offsets, __global const uint *restrict columns,
	   __global const REAL *restrict values, __global const REAL *restrict x, __global REAL *restrict y,
	   uint rows, uint span)
{
	uint first = (uint)get_global_id(0) * span;
	multiply_rows(offsets, columns, values, x, y, first, min(span, rows - first));
}

/*
 * A block to a work-item: whole rows, or a part of one, whose sum goes to the block's own place in
 * `parts`. A place is a row and an entry, as in bench/op/spmv.h.
 */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
spmv_blocks(__global const uint *restrict offsets, __global const uint *restrict columns,
	    __global const REAL *restrict values, __global const REAL *restrict x, __global REAL *restrict y,
	    __global const uint2 *restrict blocks, __global REAL *restrict parts)
{
	uint block = (uint)get_global_id(0);
	uint2 from = blocks[block], to = blocks[block + 1];
	if (from.x == to.x || from.y != offsets[from.x])
		parts[block] = sum_row(columns, values, x, from.y, to.y);
	else
		multiply_rows(offsets, columns, values, x, y, from.x, to.x - from.x);
}

/* The parts of a row, in their order; splits: the first one of each such row. */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
spmv_join(__global REAL *restrict y, __global const uint2 *restrict blocks,
	  __global const uint *restrict splits, __global const REAL *restrict parts, uint block_count)
{
	uint first = splits[get_global_id(0)], row = blocks[first].x;
	REAL sum = 0;
	for (uint block = first; block < block_count && blocks[block].x == row; block++)
		sum += parts[block];
	y[row] = sum;
}
