/* SPDX-License-Identifier: MIT */
/*
 * Convolution in f16, bf16 and tf32 on NVIDIA's tensor cores (compute capability 8.0 and later), sums in float: the
 * instructions, fragments and ring of gemm_mma.cl, whose comment names the sources, on operands that
 * conv2d_tensor.cl brings.
 */
#include "gemm_warps.cl"
#include "conv2d_tensor.cl"

#include "mma.cl"
#define BLOCKS_M (WARP_M / 16) /* fragments of a warp */
#define BLOCKS_N (WARP_N / 8)
#define STEP_CHUNKS 2 /* of one instruction */
#define ROUND_STEPS (ACROSS / STEP_CHUNKS)

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
conv2d_mma(ARGUMENTS)
{
	__local uchar stages[STAGES * STAGE] __attribute__((aligned(128)));
	const uint first = (uint)(ulong)stages;
	const uint item = (uint)get_local_id(0), lane = item % 32, warp = item / 32;
	const uint my_row = warp / WARPS_N * WARP_M, my_column = warp % WARPS_N * WARP_N;
	struct part part;
	FIND_PART(part, item);

	float sum[BLOCKS_M][BLOCKS_N][4];
#pragma unroll
	for (uint i = 0; i < BLOCKS_M; i++)
#pragma unroll
		for (uint j = 0; j < BLOCKS_N; j++)
#pragma unroll
			for (uint e = 0; e < 4; e++)
				sum[i][j][e] = 0;

	/* Until the oldest of the copies in flight is there, for all warps. */
#define WAIT()                                                                                                       \
	do {                                                                                                         \
		__asm__ volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2));                                       \
		barrier(CLK_LOCAL_MEM_FENCE);                                                                        \
	} while (0)

	/* Fragments of one instruction's steps, in two sets: one comes in while the other is multiplied. */
	uint x[2][BLOCKS_M][4], y[2][BLOCKS_N / 2][4];
#define LOAD_FRAGMENTS(set, stage, step)                                                                             \
	do {                                                                                                         \
		const uint a = first + (stage)*STAGE + AT_A, b = first + (stage)*STAGE + AT_B;                       \
		const uint chunk = (step)*STEP_CHUNKS;                                                               \
		_Pragma("unroll") for (uint i = 0; i < BLOCKS_M; i++)                                                \
			load_fragments(x[set][i], a + place_of(my_row + i * 16 + (lane & 15), chunk + (lane >> 4))); \
		_Pragma("unroll") for (uint j = 0; j < BLOCKS_N / 2; j++)                                            \
			load_fragments(y[set][j], b + place_of(my_column + j * 16 + (lane & 7) + (lane >> 4) * 8,    \
							       chunk + (lane >> 3 & 1)));                            \
	} while (0)

	for (uint round = 0; round < STAGES - 1; round++)
		COPY_ROUND(part, part.begin + round, first + round * STAGE);
	WAIT();
	uint reading = 0, writing = STAGES - 1;
	LOAD_FRAGMENTS(0, 0, 0);
	for (uint round = part.begin; round < part.end; round++) {
#pragma unroll
		for (uint step = 0; step < ROUND_STEPS; step++) {
			if (step == ROUND_STEPS - 1) {
				WAIT();
				reading = reading == STAGES - 1 ? 0 : reading + 1;
			}
			/* Those of the next steps; after the last round, of what nobody uses. */
			LOAD_FRAGMENTS((step + 1) % 2, reading, (step + 1) % ROUND_STEPS);
			/* Into the stage that all warps have left, as they came to the barrier. */
			if (step == 0) {
				COPY_ROUND(part, round + STAGES - 1, first + writing * STAGE);
				writing = writing == STAGES - 1 ? 0 : writing + 1;
			}
#pragma unroll
			for (uint i = 0; i < BLOCKS_M; i++)
#pragma unroll
				for (uint j = 0; j < BLOCKS_N; j++)
					multiply(sum[i][j], x[step % 2][i], y[step % 2][j / 2][j % 2 * 2],
						 y[step % 2][j / 2][j % 2 * 2 + 1]);
		}
	}

	/* No copies are in flight, and nobody reads a stage any more. */
	__asm__ volatile("cp.async.wait_group 0;");
	barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
	for (uint i = 0; i < BLOCKS_M; i++)
#pragma unroll
		for (uint e = 0; e < 4; e += 2)
#pragma unroll
			for (uint j = 0; j < BLOCKS_N; j++)
				KEEP_TWO(my_row + i * 16 + e * 4 + lane / 4, my_column + j * 8 + lane % 4 * 2, sum[i][j][e],
					 sum[i][j][e + 1]);
	WRITE_TILE(part, item);
}
