/* SPDX-License-Identifier: MIT */
/*
 * Convolution in f16, bf16 and tf32 on the tensor cores of NVIDIA's Hopper, sums in float: the instructions,
 * marks and ring of gemm_tma.cl, whose comment explains them and names the sources, on operands that
 * conv2d_tensor.cl brings, in the layout that wgmma calls swizzle by 128 bytes. A warpgroup computes 64 rows of
 * the tile, with all of its columns.
 */
#ifndef TILE_M /* a multiple of 64 */
#define TILE_M 128
#endif
#ifndef TILE_N /* 64, 128 or 256 */
#define TILE_N 128
#endif
#ifndef STAGES
#define STAGES 4
#endif
#define ITEMS (TILE_M / 64 * 128)
#include "conv2d_tensor.cl"

/* Where lines are along k, BLOCK means nothing. */
#define TRANS_A 0
#define TRANS_B (!GIVEN)
#define BLOCK BLOCK_BYTES
#define STEP_BYTES 32 /* of lines along k */
#include "wgmma.cl"

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
conv2d_wgmma(ARGUMENTS)
{
	__local uchar stages[STAGES * STAGE] __attribute__((aligned(1024)));
	const uint first = (uint)(ulong)stages;
	const uint item = (uint)get_local_id(0), lane = item % 32, warp = item / 32, warpgroup = item / 128;
	struct part part;
	FIND_PART(part, item);

	float sum[SUMS];
#pragma unroll
	for (uint i = 0; i < SUMS; i++)
		sum[i] = 0;
	touch(sum);

	for (uint round = 0; round < STAGES - 2; round++)
		COPY_ROUND(part, part.begin + round, first + round * STAGE);
	uint reading = 0, writing = STAGES - 2;
	for (uint round = part.begin; round < part.end; round++) {
		/* This round's operands, for all work-items and for wgmma, which does not read as the instructions of work-items do. */
		__asm__ volatile("cp.async.wait_group %0;" ::"n"(STAGES - 3));
		__asm__ volatile("fence.proxy.async.shared::cta;");
		barrier(CLK_LOCAL_MEM_FENCE);

		const uint a = first + reading * STAGE + AT_A + warpgroup * (64 * ACROSS * 16);
		const uint b = first + reading * STAGE + AT_B;
		touch(sum);
		__asm__ volatile("//sm_90a wgmma.fence.sync.aligned;");
#pragma unroll
		for (uint at = 0; at < LINE_BYTES; at += STEP_BYTES)
			multiply(sum, describe(a + at), describe(b + (GIVEN ? at / BYTES * LINE_BYTES : at)));
		__asm__ volatile("//sm_90a wgmma.commit_group.sync.aligned;");
		/* The round before is multiplied by now, by this warpgroup; the one before that by all, as they came to the
		 * barrier, so that its stage is free. */
		__asm__ volatile("//sm_90a wgmma.wait_group.sync.aligned 1;");
		COPY_ROUND(part, round + STAGES - 2, first + writing * STAGE);
		reading = reading == STAGES - 1 ? 0 : reading + 1;
		writing = writing == STAGES - 1 ? 0 : writing + 1;
	}
	__asm__ volatile("//sm_90a wgmma.wait_group.sync.aligned 0;");
	touch(sum);

#if SPLIT
	__local uint last;
	const uint number = (uint)(get_group_id(1) * get_num_groups(0) + get_group_id(0)), apart = ITEMS;
	__global FOUR *own = (__global FOUR *)parts + (ulong)number * PART_FOURS + item;
	LEAVE_SUMS(own, sum, SUMS, apart);
	LAST_GOES_ON(arrived + number / splits, splits, item, last);
	JOIN_SUMS(own, number % splits, sum, SUMS, apart);
#endif

	/* No copies are in flight, and nobody reads a stage any more. */
	__asm__ volatile("cp.async.wait_group 0;");
	barrier(CLK_LOCAL_MEM_FENCE);
	const uint to_row = warp * 16 + lane / 4;
#pragma unroll
	for (uint j = 0; j < TILE_N / 8; j++) {
		KEEP_TWO(to_row, j * 8 + lane % 4 * 2, sum[4 * j], sum[4 * j + 1]);
		KEEP_TWO(to_row + 8, j * 8 + lane % 4 * 2, sum[4 * j + 2], sum[4 * j + 3]);
	}
	WRITE_TILE(part, item);
}
