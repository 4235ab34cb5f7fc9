/* SPDX-License-Identifier: MIT */
/*
 * The ceiling of tensor cores by mma.sync (include/bench/op/peak.h, BENCH_PEAK_TENSOR). All operands are ones, so that
 * each sum becomes the number of steps. A warp has TILES independent tiles, with operands in registers.
 */
#ifndef TYPE /* gemm_tensor.cl */
#define TYPE 1
#endif
#define ITEMS 256
#define STEPS (TYPE >= 3 ? 8 : 16) /* of one instruction */
#if TYPE == 4
#define ONES 1.0
#elif TYPE == 3
#define ONES 0x3f800000
#elif TYPE == 2
#define ONES 0x3f803f80
#else
#define ONES 0x3c003c00
#endif
#define TILES 8
#include "mma.cl"

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void tensor_peak(__global REAL *out, uint rounds)
{
	const FRAGMENT ones[4] = {ONES, ONES, ONES, ONES};
	REAL sum[TILES][4];
#pragma unroll
	for (uint i = 0; i < TILES * 4; i++)
		sum[i / 4][i % 4] = 0;
	for (uint step = 0; step < rounds; step += STEPS)
#pragma unroll
		for (uint t = 0; t < TILES; t++)
			multiply(sum[t], ones, ONES, ONES);
	out += get_group_id(0) * (ITEMS * TILES * 4) + get_local_id(0);
#pragma unroll
	for (uint i = 0; i < TILES * 4; i++)
		out[i * ITEMS] = sum[i / 4][i % 4];
}
