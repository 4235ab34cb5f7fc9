/* SPDX-License-Identifier: MIT */
/*
 * Copies matrices of 32-bit elements, transposed: for products whose fastest kernel takes an operand stored the
 * other way.
 *
 * A group of 64 x 4 work-items takes a tile of 64 x 64 through local memory, so that rows are read and columns are
 * written in whole lines. There a line has one element more than the tile, which puts the elements of a column into
 * different banks. The groups of a matrix of a batch follow those of the one before it.
 */
#define TILE 64
#define LINES 4 /* of a tile that are moved at a time */

__kernel __attribute__((reqd_work_group_size(TILE * LINES, 1, 1))) void
gemm_turn(__global const uint *restrict from, ulong from_ld, ulong from_stride, __global uint *restrict to, ulong to_ld,
	  ulong to_stride, uint rows, uint columns)
{
	__local uint tile[TILE][TILE + 1];
	const uint x = (uint)get_local_id(0) % TILE, y = (uint)get_local_id(0) / TILE;
	const uint across = (columns + TILE - 1) / TILE, down = (rows + TILE - 1) / TILE;
	const uint matrix = (uint)get_group_id(0) / (across * down);
	const uint group = (uint)get_group_id(0) - matrix * (across * down);
	const uint row = group / across * TILE, column = group % across * TILE;

	from += matrix * from_stride;
	to += matrix * to_stride;
#pragma unroll
	for (uint i = y; i < TILE; i += LINES)
		if (row + i < rows && column + x < columns)
			tile[i][x] = from[(row + i) * from_ld + column + x];
	barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
	for (uint i = y; i < TILE; i += LINES)
		if (column + i < columns && row + x < rows)
			to[(column + i) * to_ld + row + x] = tile[x][i];
}
