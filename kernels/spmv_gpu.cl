/*
 * Sparse matrix times vector on GPUs.
 *
 * spmv_row: a row to a work-item. Bell and Garland, "Implementing sparse matrix-vector
 * multiplication on throughput-oriented processors" (SC09), call it the scalar kernel: good
 * for rows of a few entries, bad for long ones, where neighbours read far apart.
 *
 * spmv_group: a row to TEAM neighbouring work-items, which read it side by side and add up
 * their sums in local memory; theirs is the vector kernel of one warp.
 *
 * spmv_adaptive: a block of rows to a work-group. It reads the block's entries side by side,
 * whatever row they belong to, keeps the products in local memory, and sums each row from
 * there; a block that is one row, or a part of a longer one, is summed by the whole group. Greathouse and
 * Daga, "Efficient sparse matrix-vector multiplication on GPUs using the CSR storage format" (SC14). The
 * parts of a row are added up by spmv_join, always in the same order.
 */
#include "real.cl"
#ifndef GROUP /* work-items of a group, a power of two */
#define GROUP 128
#endif
#ifndef TEAM /* work-items of a row, a power of two up to GROUP */
#define TEAM 32
#endif
#ifndef BLOCK /* entries of a block */
#define BLOCK 1024
#endif

/* Adds up sum[0..count-1], count a power of two, of each team of that size; the first one of a team has it. */
static inline REAL add_up(__local REAL *sum, uint local_id, uint count, REAL own)
{
	sum[local_id] = own;
	for (uint step = count / 2; step > 0; step /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if ((local_id & (count - 1)) < step)
			sum[local_id] += sum[local_id + step];
	}
	return sum[local_id];
}

__kernel void spmv_row(__global const uint *restrict offsets, __global const uint *restrict columns,
		       __global const REAL *restrict values, __global const REAL *restrict x,
		       __global REAL *restrict y, uint rows)
{
	uint row = (uint)get_global_id(0);
	if (row >= rows)
		return;
	REAL sum = 0;
	for (uint k = offsets[row], end = offsets[row + 1]; k < end; k++)
		sum += values[k] * x[columns[k]];
	y[row] = sum;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
spmv_group(__global const uint *restrict offsets, __global const uint *restrict columns,
	   __global const REAL *restrict values, __global const REAL *restrict x, __global REAL *restrict y,
	   uint rows)
{
	__local REAL sums[GROUP];
	uint item = (uint)get_local_id(0), lane = item & (TEAM - 1);
	/* By group and team: the number of work-items may not fit an uint. */
	uint row = (uint)get_group_id(0) * (GROUP / TEAM) + item / TEAM;
	REAL sum = 0;
	if (row < rows)
		for (uint k = offsets[row] + lane, end = offsets[row + 1]; k < end; k += TEAM)
			sum += values[k] * x[columns[k]];
	sum = add_up(sums, item, TEAM, sum);
	if (row < rows && lane == 0)
		y[row] = sum;
}

/*
 * Every work-item of a group comes to every barrier: none stands in a branch, since some
 * compilers for CPUs get those wrong even where all of a group take the same one.
 */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
spmv_adaptive(__global const uint *restrict offsets, __global const uint *restrict columns,
	      __global const REAL *restrict values, __global const REAL *restrict x, __global REAL *restrict y,
	      __global const uint2 *restrict blocks, __global REAL *restrict parts)
{
	__local REAL products[BLOCK];
	__local REAL sums[GROUP];
	uint item = (uint)get_local_id(0);
	/* A place is a row and an entry, as in bench/op/spmv.h. */
	uint2 place = blocks[get_group_id(0)], next = blocks[get_group_id(0) + 1];
	uint first = place.x, from = place.y, entries = next.y - from;
	bool part = first == next.x || from != offsets[first];
	uint count = part ? 1 : next.x - first;
	values += from;
	columns += from;
	REAL sum = 0;
	if (count == 1) {
		for (uint k = item; k < entries; k += GROUP)
			sum += values[k] * x[columns[k]];
	} else {
		for (uint k = item; k < entries; k += GROUP)
			products[k] = values[k] * x[columns[k]];
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	uint team = GROUP; /* of a row: as many as there are for each */
	while (team > 1 && team * count > GROUP)
		team /= 2;
	uint row = item / team, lane = item & (team - 1);
	if (count > 1 && row < count)
		for (uint k = offsets[first + row] - from + lane, end = offsets[first + row + 1] - from; k < end;
		     k += team)
			sum += products[k];
	sum = add_up(sums, item, team, sum);
	if (part && item == 0)
		parts[get_group_id(0)] = sum;
	else if (!part && row < count && lane == 0)
		y[first + row] = sum;
	/* More rows than work-items: those that are left, which are short in the mean. */
	for (row += GROUP; row < count; row += GROUP) {
		sum = 0;
		for (uint k = offsets[first + row] - from, end = offsets[first + row + 1] - from; k < end; k++)
			sum += products[k];
		y[first + row] = sum;
	}
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
