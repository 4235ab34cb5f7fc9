/* SPDX-License-Identifier: MIT */
/*
 * Copies matrices row by row, each row to a multiple of 16 bytes: for products whose fastest kernel copies 16
 * bytes at a time, where the rows lie elsewhere. The padding after a row becomes 0.
 *
 * A work-item writes 16 bytes. The rows of a matrix of a batch follow those of the one before it.
 */
#ifndef BYTES /* of an element: 2 or 4 */
#define BYTES 2
#endif
#if BYTES == 2
#define ELEMENT ushort
#else
#define ELEMENT uint
#endif
#define CHUNK (16 / BYTES)
#include "chunk.cl"

/* count: of rows of all matrices; to_ld: a multiple of CHUNK */
__kernel void gemm_pad(__global const ELEMENT *restrict from, ulong from_ld, ulong from_stride, __global ELEMENT *restrict to,
		       ulong to_ld, uint rows, uint columns, ulong count)
{
	const uint across = (uint)(to_ld / CHUNK);
	const ulong chunk = get_global_id(0), line = chunk / across;
	const uint column = (uint)(chunk - line * across) * CHUNK;
	if (line >= count)
		return;
	from += line / rows * from_stride + line % rows * from_ld + column;
	const uint skip = (uint)(ulong)from & 15;
	const int bytes = ((int)columns - (int)column) * BYTES;
	const struct chunks chunks = read_chunks((__global const uint4 *)((ulong)from - skip), skip, bytes);
	*(__global uint4 *)(to + line * to_ld + column) = join_chunks(chunks, skip, bytes);
}
