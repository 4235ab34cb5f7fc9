/* SPDX-License-Identifier: MIT */
/*
 * GEMM in f32 on NVIDIA's GPUs (compute capability 8.0 and later): the scheme of gemm_gpu.cl with cp.async,
 * which brings the operands into a ring of STAGES buffers in local memory while earlier stages are multiplied.
 * No operand passes through registers on its way.
 *
 * In local memory an operand has a line for each step, of TILE_M or TILE_N lanes. An operand that is stored
 * this way, at multiples of 16 bytes, is copied in vectors, any other by elements. Where steps are neighbors,
 * a warp copies eight steps of four lanes. These are in different banks, since a line has 4 elements more than
 * the tile. With AS_STORED such an operand has a line for each lane instead, and four steps of a lane are read
 * at once: copies of vectors again, but four times the registers, which large tiles do not have.
 *
 * With DRIFT the warps of a group do not wait for each other: a barrier in local memory for each stage says when all copies
 * into it are there (`full`), and another when all warps have read it (`empty`). That pays in long loops.
 *
 * With WARPS_K that many warps compute the same part, each of other steps: small products have few tiles, and are done
 * sooner so.
 *
 * A warp computes WARP_M x WARP_N of the tile. Its work-items stand 8 x 4, each with ROWS x COLUMNS sums. The
 * operands of the next step are read while this one is multiplied, even across rounds. C is written by way of
 * local memory. gemm_tiles.cl has the order of tiles, and how several groups share one.
 *
 * Source: NVIDIA, PTX ISA, "cp.async" and "mbarrier".
 */
#include "gemm_warps.cl"
#ifndef TILE_K
#define TILE_K 8
#endif
#ifndef DRIFT
#define DRIFT 0
#endif
#ifndef NVIDIA /* the major number of the device's compute capability */
#define NVIDIA 8
#endif
#ifndef AS_STORED
#define AS_STORED 0
#endif
#ifndef ALIGNED /* lda, ldb and ldc are multiples of 4 */
#define ALIGNED 0
#endif
#define SLICE (TILE_K / WARPS_K) /* steps of a warp in a round */
#define TYPE 3
#include "buffer.cl"
#include "gemm_end.cl"
#include "gemm_tensor.cl"
#include "gemm_write.cl"
#include "gemm_tiles.cl"

#define ROWS (WARP_M / 8)
#define COLUMNS (WARP_N / 4)

/* Of each operand: are its steps neighbors, as stored, and in local memory? */
#define ALONG_A !TRANS_A
#define ALONG_B TRANS_B
#define BY_LANES_A (ALONG_A && AS_STORED)
#define BY_LANES_B (ALONG_B && AS_STORED)
#define LINE(by_lanes, width) ((by_lanes ? TILE_K : width) + 4) /* elements */
#define LINE_A LINE(BY_LANES_A, TILE_M)
#define LINE_B LINE(BY_LANES_B, TILE_N)
#define SPACE_A ((BY_LANES_A ? TILE_M : TILE_K) * LINE_A)
#define STAGE (SPACE_A + (BY_LANES_B ? TILE_N : TILE_K) * LINE_B)
#define STEPS_A (BY_LANES_A ? 4 : 1) /* that are read at once */
#define STEPS_B (BY_LANES_B ? 4 : 1)

static inline void copy_element(uint to, __global const float *from, bool within)
{
#if EXACT
	__asm__ volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from));
#else
	__asm__ volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(within ? 4 : 0));
#endif
}

/*
 * An item's part of an operand's tile of a round, `width` lanes of TILE_K steps, along: steps are neighbors. x: the tile in
 * the matrix; lanes, steps: of the matrix from there on, beyond which zeros are copied.
 */
static inline void copy_part(uint to, __global const float *x, ulong ld, bool along, uint width, int lanes, int steps,
			     uint item)
{
	if (along && !AS_STORED) {
		const uint step = item % 8, lane = item / 8, apart = ITEMS / 8;
#pragma unroll
		for (uint s = step; s < TILE_K; s += 8)
#pragma unroll
			for (uint v = 0; v < width / apart; v++) {
				const uint l = lane + v * apart;
				const bool within = EXACT || ((int)s < steps && (int)l < lanes);
				copy_element(to + (s * LINE(0, width) + l) * 4, within ? x + l * ld + s : x, within);
			}
		return;
	}
	const uint lines = along ? width : TILE_K, elements = ALIGNED ? 4 : 1;
	const uint across = (along ? TILE_K : width) / elements, apart = ITEMS / across;
	const uint column = item % across * elements;
	const int lines_within = along ? lanes : steps, columns_within = along ? steps : lanes;
#pragma unroll
	for (uint v = 0; v < (lines + apart - 1) / apart; v++) {
		const uint line = item / across + v * apart, at = to + (line * LINE(along, width) + column) * 4;
		const bool within = EXACT || ((int)line < lines_within && (int)column < columns_within);
		__global const float *from = within ? x + line * ld + column : x;
		if (lines % apart == 0 || line < lines) {
			if (ALIGNED)
				copy_chunk(at, from, within ? min(4, columns_within - (int)column) : 0);
			else
				copy_element(at, from, within);
		}
	}
}

#if DRIFT
static inline void make_barrier(uint at, uint arrivals)
{
	__asm__ volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(arrivals) : "memory");
}
static inline void arrive(uint at)
{
	__asm__ volatile("{\n\t.reg .b64 state;\n\tmbarrier.arrive.shared.b64 state, [%0];\n\t}" ::"r"(at) : "memory");
}
/* Arrives when the copies of this work-item are done. */
static inline void arrive_after_copies(uint at)
{
	__asm__ volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(at) : "memory");
}
/* Until the phase of this parity is over; the one before the first counts as over. */
#if NVIDIA >= 9
#define WAIT "mbarrier.try_wait.parity.shared.b64"
#else
#define WAIT "mbarrier.test_wait.parity.shared.b64"
#endif
static inline void wait(uint at, uint parity)
{
	__asm__ volatile("{\n\t.reg .pred over;\n\tagain:\n\t" WAIT " over, [%0], %1;\n\t@!over bra again;\n\t}" ::"r"(at),
			 "r"(parity)
			 : "memory");
}
#endif

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
gemm_async(OPERANDS(float))
{
	OPEN_OPERANDS(float);
	__local float stages[STAGES * STAGE] __attribute__((aligned(128)));
	const uint first = (uint)(ulong)stages;
	const uint item = (uint)get_local_id(0), in_warp = item % 32;
	const uint warp = item / 32 % (WARPS_M * WARPS_N), slice = item / SUM_ITEMS;
	const uint my_row = warp / WARPS_N * WARP_M, my_column = warp % WARPS_N * WARP_N;
	const uint x_at = in_warp / 4, y_at = in_warp % 4;

	FIND_PART();

	const ulong step_a = TILE_K * (TRANS_A ? lda : 1), step_b = TILE_K * (TRANS_B ? 1 : ldb);
	__global const float *from_a = a + row * (TRANS_A ? 1 : lda), *from_b = b + column * (TRANS_B ? ldb : 1);

	float sum[ROWS][COLUMNS];
#pragma unroll
	for (uint i = 0; i < ROWS; i++)
#pragma unroll
		for (uint j = 0; j < COLUMNS; j++)
			sum[i][j] = 0;

#if DRIFT
	__local ulong barriers[2 * STAGES];
	const uint full = (uint)(ulong)barriers, empty = full + 8 * STAGES;
	if (item < STAGES) {
		make_barrier(full + 8 * item, ITEMS);
		make_barrier(empty + 8 * item, ITEMS / 32);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
#define COPIES_END(stage) arrive_after_copies(full + 8 * (stage))
#define WAIT_FOR(stage) wait(full + 8 * (stage), read_parity)
#else
#define COPIES_END(stage) __asm__ volatile("cp.async.commit_group;")
#define WAIT_FOR(stage)                                                                                              \
	do {                                                                                                         \
		__asm__ volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");                            \
		barrier(CLK_LOCAL_MEM_FENCE);                                                                        \
	} while (0)
#endif

	/* Brings a round's operands into a stage, if there is such a round. */
#define COPY_ROUND(round, stage)                                                                                     \
	do {                                                                                                         \
		if ((round) < rounds) {                                                                              \
			const int left = (int)(k - (round)*TILE_K);                                                  \
			const uint to = first + (stage) * (STAGE * 4);                                               \
			copy_part(to, from_a, lda, ALONG_A, TILE_M, (int)(m - row), left, item);                     \
			copy_part(to + SPACE_A * 4, from_b, ldb, ALONG_B, TILE_N, (int)(n - column), left, item);    \
			from_a += step_a;                                                                            \
			from_b += step_b;                                                                            \
		}                                                                                                    \
		COPIES_END(stage);                                                                                   \
	} while (0)

	/* Two sets: one comes in while the other is multiplied. Lane i of a work-item, without and with BY_LANES: */
#define PLACE_OF(i, by_lanes, at, items) ((by_lanes) ? (i) * (items) + (at) : (i) / 4 * 4 * (items) + (at)*4 + (i) % 4)
	float x[2][ROWS * STEPS_A], y[2][COLUMNS * STEPS_B];
#define LOAD(set, from, line, steps, by_lanes, count, items, s)                                                      \
	if ((s) % (steps) == 0)                                                                                      \
		_Pragma("unroll") for (uint i = 0; i < (count) * (steps); i += 4) vstore4(                           \
			*(__local const float4 *)((from) + ((by_lanes) ? i / 4 * (items) * (line) + (s)              \
								       : (s) * (line) + i * (items))),                \
			0, (set) + i);
#define LOAD_STEP(s)                                                                                                 \
	do {                                                                                                         \
		LOAD(x[(s) / STEPS_A % 2], x_from, LINE_A, STEPS_A, BY_LANES_A, ROWS, 8, s)                          \
		LOAD(y[(s) / STEPS_B % 2], y_from, LINE_B, STEPS_B, BY_LANES_B, COLUMNS, 4, s)                       \
	} while (0)
#define FROM_STAGE(stage)                                                                                            \
	x_from = stages + (stage)*STAGE + slice * SLICE * (BY_LANES_A ? 1 : LINE_A) +                                \
		 (BY_LANES_A ? (my_row + x_at) * LINE_A : my_row + x_at * 4);                                        \
	y_from = stages + (stage)*STAGE + SPACE_A + slice * SLICE * (BY_LANES_B ? 1 : LINE_B) +                      \
		 (BY_LANES_B ? (my_column + y_at) * LINE_B : my_column + y_at * 4)

	for (uint round = 0; round < STAGES - 1; round++)
		COPY_ROUND(round, round);
	uint reading = 0, writing = STAGES - 1, read_parity = 0, write_parity = 1;
	__local const float *x_from, *y_from;
	WAIT_FOR(0);
	FROM_STAGE(0);
	LOAD_STEP(0);
	for (uint round = 0; round < rounds; round++) {
#pragma unroll
		for (uint s = 0; s < SLICE; s++) {
			if (s == SLICE - 1) {
#if DRIFT
				/* All of this stage is in registers. */
				__asm__ volatile("bar.warp.sync 0xffffffff;" ::: "memory");
				if (in_warp == 0)
					arrive(empty + 8 * reading);
#endif
				if (++reading == STAGES)
					reading = 0, read_parity ^= 1;
				WAIT_FOR(reading);
				FROM_STAGE(reading);
			}
			/* After the last round, of what nobody uses. */
			LOAD_STEP((s + 1) % SLICE);
			if (s == 0) {
#if DRIFT
				wait(empty + 8 * writing, write_parity);
#endif
				COPY_ROUND(round + STAGES - 1, writing);
				if (++writing == STAGES)
					writing = 0, write_parity ^= 1;
			}
#pragma unroll
			for (uint i = 0; i < ROWS; i++)
#pragma unroll
				for (uint j = 0; j < COLUMNS; j++)
					sum[i][j] += x[s / STEPS_A % 2][i * STEPS_A + s % STEPS_A] *
						     y[s / STEPS_B % 2][j * STEPS_B + s % STEPS_B];
		}
	}

#if WARPS_K > 1
	ADD_SLICES(sum, ROWS * COLUMNS, stages, slice, item, SUM_ITEMS);
#else
	barrier(CLK_LOCAL_MEM_FENCE); /* where the operands were, sums go through */
#endif

#if SPLIT
	__local uint last;
	__global FOUR *own = (__global FOUR *)parts + (ulong)get_group_id(0) * PART_FOURS + item;
	if (slice == 0)
		LEAVE_SUMS(own, sum, ROWS * COLUMNS, SUM_ITEMS);
	LAST_GOES_ON(arrived + number, splits, item, last);
	if (slice > 0)
		return;
	JOIN_SUMS(own, part, sum, ROWS * COLUMNS, SUM_ITEMS);
#else
	if (slice > 0)
		return;
#endif

	/* As many rows of a warp at a time as there is room for, behind the sums of other slices. */
#define PITCH (WARP_N + (BY_LANES_B ? 4 : 16)) /* by which rows, as they are written and read, are in different banks */
#define ROOM (STAGES * STAGE - (WARPS_K - 1) * TILE_M * TILE_N)
#define TOGETHER (ROOM / (WARPS_M * WARPS_N) >= WARP_M * PITCH ? ROWS : 1)
	__local float *space = stages + (WARPS_K - 1) * TILE_M * TILE_N + warp * (TOGETHER * 8 * PITCH);
#pragma unroll
	for (uint first_i = 0; first_i < ROWS; first_i += TOGETHER) {
#pragma unroll
		for (uint i = first_i; i < first_i + TOGETHER; i++) {
			__local float *own_row = space + ((i - first_i) * 8 + x_at) * PITCH;
#pragma unroll
			for (uint j = 0; j < COLUMNS; j += BY_LANES_B ? 1 : 4)
				if (BY_LANES_B)
					own_row[PLACE_OF(j, 1, y_at, 4)] = sum[i][j];
				else
					*(__local float4 *)(own_row + PLACE_OF(j, 0, y_at, 4)) = vload4(0, sum[i] + j);
		}
		__asm__ volatile("bar.warp.sync 0xffffffff;" ::: "memory");
#pragma unroll
		for (uint i = first_i; i < first_i + TOGETHER; i++)
			write_sums(c, ldc, space + (i - first_i) * 8 * PITCH, PITCH, WARP_N, in_warp,
				   row + my_row + PLACE_OF(i, BY_LANES_A, 0, 8), BY_LANES_A ? 1 : 4, m, column + my_column, n,
				   alpha, beta, BIAS_OF);
		__asm__ volatile("bar.warp.sync 0xffffffff;" ::: "memory");
	}
}
