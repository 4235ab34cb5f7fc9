/* SPDX-License-Identifier: MIT */
/*
 * The ceiling of tensor cores by the instruction of Hopper, as in peak_tensor.cl: two warpgroups multiply what lies in
 * local memory.
 */
#include "peak_ones.cl"
#define TILE_N 256
#define TRANS_A 0
#define TRANS_B 1
#define BLOCK 16
#define LINES (2 * 64 + TILE_N) /* of 128 bytes: of both operands */
#include "wgmma.cl"

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void tensor_peak(__global float *out, uint rounds)
{
	__local uint operands[LINES * 32] __attribute__((aligned(1024)));
	const uint item = (uint)get_local_id(0);
	for (uint i = item; i < LINES * 32; i += ITEMS)
		operands[i] = ONES;
	__asm__ volatile("fence.proxy.async.shared::cta;" ::: "memory");
	barrier(CLK_LOCAL_MEM_FENCE);
	const uint a = (uint)(ulong)operands + item / 128 * (64 * 128), b = (uint)(ulong)operands + 2 * 64 * 128;
	float sum[SUMS];
#pragma unroll
	for (uint i = 0; i < SUMS; i++)
		sum[i] = 0;
#pragma unroll 1
	for (uint step = 0; step < rounds; step += 4 * STEPS) {
		touch(sum);
		__asm__ volatile("//sm_90a wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
		for (uint at = 0; at < 128; at += 32)
			multiply(sum, describe(a + at), describe(b + at));
		__asm__ volatile("//sm_90a wgmma.commit_group.sync.aligned;" ::: "memory");
		__asm__ volatile("//sm_90a wgmma.wait_group.sync.aligned 1;" ::: "memory");
	}
	__asm__ volatile("//sm_90a wgmma.wait_group.sync.aligned 0;" ::: "memory");
	touch(sum);
	out += get_group_id(0) * (ITEMS * SUMS) + item;
#pragma unroll
	for (uint i = 0; i < SUMS; i++)
		out[i * ITEMS] = sum[i];
}
