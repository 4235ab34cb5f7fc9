/* SPDX-License-Identifier: MIT */
/*
 * The ceiling of tensor cores by mma.sync (include/bench/op/peak.h, BENCH_PEAK_TENSOR). All operands are ones, so that
 * each sum becomes the number of steps. A warp has TILES independent tiles, with operands in registers.
 */
#include "peak_ones.cl"
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
