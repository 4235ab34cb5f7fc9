/* SPDX-License-Identifier: MIT */
/*
 * Sparse matrix times vector on GPUs.
 *
 * spmv_row: a row to a work-item. Bell and Garland, "Implementing sparse matrix-vector
 * multiplication on throughput-oriented processors" (SC09), call it the scalar kernel: good
 * for rows of a few entries, bad for long ones, where neighbors read far apart.
 *
 * spmv_group: a row to TEAM neighboring work-items. They read it together, four entries each at a time, and
 * add up their sums. The same paper calls it the vector kernel, for one warp.
 *
 * spmv_adaptive: a block of rows to a work-group. It reads the block's entries in order, whatever row they
 * belong to, keeps the products in local memory, and sums each row from there. A block may also be one longer
 * row, or a part of one. Greathouse and Daga, "Efficient sparse matrix-vector multiplication on GPUs using the
 * CSR storage format" (SC14). The parts of a row are added up by the last of their groups to be done, or by
 * spmv_join, always in the same order.
 *
 * A small matrix is over in a few accesses to memory one after the other, so what can be read is read before what
 * was read is used.
 */
#include "real.cl"
#include "buffer.cl"
#ifndef GROUP /* work-items of a group, a power of two */
#define GROUP 128
#endif
#ifndef TEAM /* work-items of a row, a power of two up to GROUP */
#define TEAM 32
#endif
#ifndef BLOCK /* entries of a block, a multiple of GROUP */
#define BLOCK 1024
#endif
#ifndef LAST /* 1: the last group adds up the parts of a row: on devices with a fence */
#define LAST 0
#endif
#if LAST
#include "last.cl"
#endif
#ifndef EACH /* entries of a row that a work-item reads before it uses them */
#define EACH 4
#endif
#define OWN (BLOCK / GROUP) /* entries of a block that a work-item multiplies */

/* Work-items that exchange registers: NVIDIA's warp. */
#ifdef __NV_CL_C_VERSION
#define WARP 32u
static inline uint exchange_word(uint word, uint distance)
{
	uint other;
	__asm__ volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(other) : "r"(word), "r"(distance));
	return other;
}
static inline float exchange_float(float own, uint distance)
{
	return as_float(exchange_word(as_uint(own), distance));
}
#ifdef cl_khr_fp64
static inline double exchange_double(double own, uint distance)
{
	const uint2 words = as_uint2(own);
	return as_double((uint2)(exchange_word(words.x, distance), exchange_word(words.y, distance)));
}
#endif
#define EXCHANGE(own, distance) PASTE(exchange_, REAL)(own, distance)
#endif

/* Adds up what the work-items of each team of `count`, a power of two, have; the first one of a team has the sum. */
static inline REAL add_up(__local REAL *sum, uint item, uint count, REAL own)
{
#ifdef WARP
	for (uint step = min(count, WARP) / 2; step > 0; step /= 2)
		own += EXCHANGE(own, step);
	if (count <= WARP)
		return own;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (item % WARP == 0)
		sum[item / WARP] = own;
	barrier(CLK_LOCAL_MEM_FENCE);
	own = 0;
	for (uint i = 0; i < count / WARP; i++)
		own += sum[item / WARP + i];
	return own;
#else
	sum[item] = own;
	for (uint step = count / 2; step > 0; step /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if ((item & (count - 1)) < step)
			sum[item] += sum[item + step];
	}
	return sum[item];
#endif
}

/* The entries k, k + step, ... before `end`. Beyond it the last one is read, and its product dropped. */
static inline REAL sum_span(__global const uint *restrict columns, __global const REAL *restrict values,
			    __global const REAL *restrict x, uint k, uint step, uint end)
{
	REAL sum = 0;
	for (; k < end; k += EACH * step)
#pragma unroll
		for (uint i = 0; i < EACH; i++) {
			const uint at = k + i * step, in = min(at, end - 1);
			const REAL product = values[in] * x[columns[in]];
			sum += at < end ? product : 0;
		}
	return sum;
}

/* What all of them take. */
#define TAKES_MATRIX                                                                                         \
	TAKES(const uint *restrict, offsets), TAKES(const uint *restrict, columns),                          \
		TAKES(const REAL *restrict, values), TAKES(const REAL *restrict, x), TAKES(REAL *restrict, y)
#define OPEN_MATRIX                                                                                          \
	OPEN(const uint *restrict, offsets);                                                                 \
	OPEN(const uint *restrict, columns);                                                                 \
	OPEN(const REAL *restrict, values);                                                                  \
	OPEN(const REAL *restrict, x);                                                                       \
	OPEN(REAL *restrict, y)

__kernel void spmv_row(TAKES_MATRIX, uint rows)
{
	OPEN_MATRIX;
	uint row = (uint)get_global_id(0);
	if (row >= rows)
		return;
	REAL sum = 0;
	for (uint k = offsets[row], end = offsets[row + 1]; k < end; k++)
		sum += values[k] * x[columns[k]];
	y[row] = sum;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
spmv_group(TAKES_MATRIX, uint rows)
{
	OPEN_MATRIX;
	__local REAL sums[GROUP];
	uint item = (uint)get_local_id(0), lane = item & (TEAM - 1);
	/* By group and team: the number of work-items may not fit an uint. */
	uint row = (uint)get_group_id(0) * (GROUP / TEAM) + item / TEAM;
	REAL sum = 0;
	if (row < rows)
		sum = sum_span(columns, values, x, offsets[row] + lane, TEAM, offsets[row + 1]);
	sum = add_up(sums, item, TEAM, sum);
	if (row < rows && lane == 0)
		y[row] = sum;
}

/*
 * Every work-item of a group comes to every barrier: none is in a branch, since some compilers for CPUs get
 * those wrong even where all of a group take the same one.
 *
 * parts: a sum of each block that is a part of a row. part_entries: entries of each part but a row's last. arrived: for each block
 * a counter that is 0, and so again.
 */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
spmv_adaptive(TAKES_MATRIX, TAKES(const uint2 *restrict, blocks), TAKES(REAL *, parts)
#if LAST
	      , uint part_entries, TAKES(volatile uint *, arrived)
#endif
)
{
	OPEN_MATRIX;
	OPEN(const uint2 *restrict, blocks);
	OPEN(REAL *, parts);
#if LAST
	OPEN(volatile uint *, arrived);
#endif
	__local REAL products[BLOCK];
	__local REAL sums[GROUP];
	uint item = (uint)get_local_id(0), block = (uint)get_group_id(0);
	/* A place is a row and an entry, as in bench/op/spmv.h. */
	uint2 place = blocks[block], next = blocks[block + 1];
	uint first = place.x, from = place.y, entries = next.y - from;
	uint count = max(next.x - first, 1u);
	uint team = GROUP; /* of a row: as many as there are for each */
	while (team > 1 && team * count > GROUP)
		team /= 2;
	uint row = item / team, lane = item & (team - 1);
	uint first_from = offsets[first];
	uint begin = offsets[first + min(row, count - 1)] - from, end = offsets[first + min(row, count - 1) + 1] - from;
	uint column[OWN];
	REAL value[OWN];
	__global const uint *const own_columns = columns + from;
	__global const REAL *const own_values = values + from;
#pragma unroll
	for (uint i = 0; i < OWN; i++) {
		uint k = item + i * GROUP;
		column[i] = k < entries ? own_columns[k] : 0;
		value[i] = k < entries ? own_values[k] : 0;
	}
#pragma unroll
	for (uint i = 0; i < OWN; i++)
		products[item + i * GROUP] = value[i] * x[column[i]];
	/* What is longer than local memory is one row, or a part of one. */
	REAL sum = sum_span(own_columns, own_values, x, item + BLOCK, GROUP, entries);
	bool part = first == next.x || from != first_from;
	if (part) {
		begin = 0;
		end = entries;
	}
	end = min(end, (uint)BLOCK);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (row < count)
		for (uint k = begin + lane; k < end; k += team)
			sum += products[k];
	sum = add_up(sums, item, team, sum);
	if (part && item == 0)
		parts[block] = sum;
	else if (!part && row < count && lane == 0)
		y[first + row] = sum;
	/* More rows than work-items: those that are left, which are short in the mean. */
	for (row += GROUP; row < count; row += GROUP) {
		sum = 0;
		for (uint k = offsets[first + row] - from, end = offsets[first + row + 1] - from; k < end; k++)
			sum += products[k];
		y[first + row] = sum;
	}
#if LAST
	if (!part)
		return;
	__local bool last;
	/* The parts of a row are consecutive blocks of one length; the last may be shorter. */
	uint number = (from - first_from) / part_entries;
	uint length = offsets[first + 1] - first_from, groups = (length + part_entries - 1) / part_entries;
	LAST_GOES_ON(arrived + block - number, groups, item, last);
	sum = 0;
	for (uint i = item; i < groups; i += GROUP)
		sum += parts[block - number + i];
	sum = add_up(sums, item, GROUP, sum);
	if (item == 0)
		y[first] = sum;
#endif
}

/* A row that is in parts to a group; splits: the first block of each such row. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
spmv_join(__global REAL *restrict y, __global const uint2 *restrict blocks,
	  __global const uint *restrict splits, __global const REAL *restrict parts, uint block_count)
{
	__local REAL sums[GROUP];
	uint item = (uint)get_local_id(0), first = splits[get_group_id(0)], row = blocks[first].x;
	REAL sum = 0;
	for (uint block = first + item; block < block_count && blocks[block].x == row; block += GROUP)
		sum += parts[block];
	sum = add_up(sums, item, GROUP, sum);
	if (item == 0)
		y[row] = sum;
}
