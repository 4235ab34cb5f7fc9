/* SPDX-License-Identifier: MIT */
/*
 * The operands of conv2d_mma.cl: the input with its channels last, [image][h][w][group][channel], and the weights as
 * [group][filter][r][s][channel], the channels of each group filled up with zeros to whole chunks of 16 bytes.
 */
#ifndef ELEMENT /* an unsigned type of the elements' size */
#define ELEMENT ushort
#endif
#ifndef CHUNK /* elements of 16 bytes */
#define CHUNK 8
#endif
#include "conv2d_shape.cl"
#define TILE 64 /* pixels, and channels, of a group */
#define ITEMS 256
#define ACROSS (TILE / CHUNK)

/* channels: of a group; padded: of its copy. The first dimension runs over the pixels of an image. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
conv2d_chunks_in(__global const ELEMENT *restrict in, __global ELEMENT *restrict chunks, uint pixels, uint groups,
		 uint channels, uint padded)
{
	__local ELEMENT tile[TILE][TILE + 2];
	const uint item = (uint)get_local_id(0), first = (uint)get_group_id(0) * TILE, image = (uint)get_group_id(2);
	const uint parts = (padded + TILE - 1) / TILE, group = (uint)get_group_id(1) / parts;
	const uint channel = (uint)get_group_id(1) % parts * TILE;
	for (uint i = item; i < TILE * TILE; i += ITEMS) {
#if NHWC
		const uint c = i % TILE, p = i / TILE;
		const ulong at = ((ulong)image * pixels + first + p) * groups * channels + group * channels + channel + c;
#else
		const uint p = i % TILE, c = i / TILE;
		const ulong at = ((ulong)(image * groups + group) * channels + channel + c) * pixels + first + p;
#endif
		tile[c][p] = 0;
		if (first + p < pixels && channel + c < channels)
			tile[c][p] = in[at];
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	const uint across = min((uint)ACROSS, (padded - channel) / CHUNK);
	for (uint i = item; i < TILE * across; i += ITEMS) {
		const uint p = i / across, c = i % across * CHUNK;
		ELEMENT chunk[CHUNK] __attribute__((aligned(16)));
		if (first + p >= pixels)
			continue;
#pragma unroll
		for (uint e = 0; e < CHUNK; e++)
			chunk[e] = tile[c + e][p];
		*(__global uint4 *)(chunks + (((ulong)image * pixels + first + p) * groups + group) * padded + channel + c) =
			*(const uint4 *)chunk;
	}
}

/*
 * A chunk to a work-item, of `chunks`, in the order in which the weights lie, so that neighbors read neighbors. taps:
 * r x s; filters: of a group; across: the chunks of a tap.
 */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
conv2d_chunks_weights(__global const ELEMENT *restrict weights, __global uint4 *restrict to, uint taps, uint filters,
		      uint groups, uint channels, uint across, uint chunks)
{
	const uint item = (uint)get_global_id(0), all = filters * groups;
	if (item >= chunks)
		return;
#if NHWC
	const uint q = item % all, tap = item / all / across, chunk = item / all % across;
#else
	const uint tap = item % taps, q = item / taps / across, chunk = item / taps % across;
#endif
	ELEMENT chunk_of[CHUNK] __attribute__((aligned(16)));
#pragma unroll
	for (uint e = 0; e < CHUNK; e++) {
		const uint channel = chunk * CHUNK + e;
		const ulong at = NHWC ? ((ulong)tap * channels + channel) * all + q
				      : ((ulong)q * channels + channel) * taps + tap;
		chunk_of[e] = channel < channels ? weights[at] : 0;
	}
	to[(q * taps + tap) * across + chunk] = *(const uint4 *)chunk_of;
}
