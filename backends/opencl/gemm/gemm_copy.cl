/* SPDX-License-Identifier: MIT */
/*
 * Copies the matrices of an operand, or of two, for products whose fastest kernel wants them otherwise stored. The groups
 * of the second operand follow those of the first. COPY_A and COPY_B say how: COPY_PAD, or COPY_TURN for 32-bit elements.
 */
#define COPY_NONE 0
#define COPY_PAD  1 /* each row to a multiple of 16 bytes, with zeros after it */
#define COPY_TURN 2 /* transposed */
#ifndef COPY_A
#define COPY_A COPY_PAD
#endif
#ifndef COPY_B
#define COPY_B COPY_NONE
#endif
#ifndef BYTES /* of an element: 2 or 4 */
#define BYTES 4
#endif
#if BYTES == 2
#define ELEMENT ushort
#else
#define ELEMENT uint
#endif
#define ITEMS 256
#define CHUNK (16 / BYTES)
#include "chunk.cl"
#define TILE  64
#define LINES (ITEMS / TILE) /* of a tile that are moved at a time */

/*
 * Of an operand. rows, columns: of a matrix, as stored there; to_ld: a multiple of CHUNK; there are no gaps between matrices
 * there.
 */
#define OPERAND(x)                                                                                                   \
	__global const ELEMENT *restrict x##from, ulong x##from_ld, ulong x##from_stride,                            \
		__global ELEMENT *restrict x##to, ulong x##to_ld, uint x##rows, uint x##columns, uint x##count

/* groups: of the first operand. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
gemm_copy(OPERAND()
#if COPY_B
		  ,
	  OPERAND(b_), uint groups
#endif
)
{
	const uint item = (uint)get_local_id(0);
	uint group = (uint)get_group_id(0), how = COPY_A;
#if COPY_B
	if (group >= groups) {
		group -= groups, how = COPY_B;
		from = b_from, from_ld = b_from_ld, from_stride = b_from_stride;
		to = b_to, to_ld = b_to_ld;
		rows = b_rows, columns = b_columns, count = b_count;
	}
#endif

	/* A work-item writes 16 bytes. The rows of a matrix follow those of the one before it. */
	const uint chunks_across = (uint)(to_ld / CHUNK);
	const ulong chunk = (ulong)group * ITEMS + item, line = chunk / chunks_across;
	if (how == COPY_PAD && line < (ulong)count * rows) {
		const uint column = (uint)(chunk - line * chunks_across) * CHUNK;
		__global const ELEMENT *at = from + line / rows * from_stride + line % rows * from_ld + column;
		const uint skip = (uint)(ulong)at & 15;
		const int bytes = ((int)columns - (int)column) * BYTES;
		const struct chunks chunks = read_chunks((__global const uint4 *)((ulong)at - skip), skip, bytes);
		*(__global uint4 *)(to + line * to_ld + column) = join_chunks(chunks, skip, bytes);
	}

#if COPY_A == COPY_TURN || COPY_B == COPY_TURN
	/*
	 * A group takes a tile through local memory, so that rows are read and columns are written in whole lines. There a line
	 * has one element more than the tile, which puts the elements of a column into different banks.
	 */
	__local ELEMENT tile[TILE][TILE + 1];
	const uint x = item % TILE, y = item / TILE;
	const uint across = (columns + TILE - 1) / TILE, down = (rows + TILE - 1) / TILE;
	const uint matrix = group / (across * down), in_matrix = group - matrix * (across * down);
	const uint row = in_matrix / across * TILE, column = in_matrix % across * TILE;
	from += matrix * from_stride;
	to += matrix * (to_ld * columns);
#pragma unroll
	for (uint v = 0; v < TILE / LINES; v++) {
		const uint i = v * LINES + y;
		if (how == COPY_TURN && row + i < rows && column + x < columns)
			tile[i][x] = from[(row + i) * from_ld + column + x];
	}
	barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
	for (uint v = 0; v < TILE / LINES; v++) {
		const uint i = v * LINES + y;
		if (how == COPY_TURN && column + i < columns && row + x < rows)
			to[(column + i) * to_ld + row + x] = tile[x][i];
	}
#endif
}
