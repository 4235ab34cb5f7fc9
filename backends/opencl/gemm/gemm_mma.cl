/* SPDX-License-Identifier: MIT */
/*
 * GEMM in f16, bf16 and tf32 on NVIDIA's tensor cores (compute capability 8.0 and later), sums in float: the
 * instructions mma.sync, ldmatrix and cp.async of PTX, written into OpenCL C.
 *
 * A group computes a tile of C of TILE_M x TILE_N. Each of its warps computes WARP_M x WARP_N, in fragments of
 * 16 x 8 that stay in registers. The operands come TILE_K steps at a time into a ring of STAGES buffers in
 * local memory, by copies that run while earlier stages are multiplied. They are copied as stored; ldmatrix
 * transposes where needed. It cannot do that for tf32, whose elements are then read one by one. Local memory
 * has lines of chunks of 16 bytes. A chunk is at its index XOR the number of its line, so that the eight lines
 * of one ldmatrix are in different banks. Transposed tf32 takes XOR twice that number: a warp reads eight
 * neighbors from each of four lines, which are then in different banks.
 *
 * gemm_tiles.cl has the order of tiles, and how several groups share one. All strides and offsets must be
 * multiples of 16 bytes. Elements outside of the matrices are read as zero.
 *
 * Sources: NVIDIA, PTX ISA, "Matrix multiply-accumulate operation using mma instruction", "ldmatrix" and
 * "cp.async"; for the order of copies and barriers, the same firm's CUTLASS documentation on pipelines.
 */
#ifndef TILE_M
#define TILE_M 128
#endif
#ifndef TILE_N
#define TILE_N 128
#endif
#ifndef TILE_K /* a multiple of 64 bytes */
#define TILE_K 32
#endif
#ifndef WARPS_M /* rows and columns of warps in a group */
#define WARPS_M 2
#endif
#ifndef WARPS_N
#define WARPS_N 2
#endif
#ifndef STAGES
#define STAGES 2
#endif
#define ITEMS (32 * WARPS_M * WARPS_N)
#include "buffer.cl"
#include "gemm_end.cl"
#include "gemm_tensor.cl"
#include "gemm_tiles.cl"

#if TYPE == 3
#define MMA "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"
#elif TYPE == 2
#define MMA "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"
#else
#define MMA "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
#endif
/* By elements, what ldmatrix cannot turn. */
#define SINGLY_A (TRANS_A && TYPE == 3)
#define SINGLY_B (!TRANS_B && TYPE == 3)
#define WARP_M (TILE_M / WARPS_M)
#define WARP_N (TILE_N / WARPS_N)
#define BLOCKS_M (WARP_M / 16) /* fragments of a warp */
#define BLOCKS_N (WARP_N / 8)

/* Lines of an operand in local memory, and chunks in one. */
#if TRANS_A
#define LINES_A TILE_K
#define ACROSS_A (TILE_M / CHUNK)
#else
#define LINES_A TILE_M
#define ACROSS_A (TILE_K / CHUNK)
#endif
#if TRANS_B
#define LINES_B TILE_N
#define ACROSS_B (TILE_K / CHUNK)
#else
#define LINES_B TILE_K
#define ACROSS_B (TILE_N / CHUNK)
#endif
#define BYTES_A (TILE_M * TILE_K * BYTES)
#define BYTES_B (TILE_N * TILE_K * BYTES)
#define STAGE (BYTES_A + BYTES_B)

/* Where a chunk stands, in bytes. Lines of four chunks lie two to a row of banks. */
static inline uint place(uint line, uint chunk, uint across, bool singly)
{
	const uint turn = singly ? 2 * line & 6 : across >= 8 ? line & 7 : (line >> 1) & 3;
	return (line * across + (chunk ^ turn)) * 16;
}
#define PLACE_A(line, chunk) place(line, chunk, ACROSS_A, SINGLY_A)
#define PLACE_B(line, chunk) place(line, chunk, ACROSS_B, SINGLY_B)

static inline void load_fragments(uint r[4], uint from)
{
	__asm__ volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
			 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
			 : "r"(from));
}

static inline void load_turned(uint r[4], uint from)
{
	__asm__ volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
			 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
			 : "r"(from));
}

/* The 4 bytes at a place in local memory. */
static inline uint load_element(uint from)
{
	uint value;
	__asm__ volatile("ld.shared.b32 %0, [%1];" : "=r"(value) : "r"(from));
	return value;
}

static inline void multiply(float sum[4], const uint a[4], uint b0, uint b1)
{
	__asm__ volatile(MMA " {%0, %1, %2, %3}, "
			 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
			 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
			 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/* A fragment of 16 rows and STEPS steps of op(A): row and step are its first, in the tile. */
static inline void load_a(uint r[4], uint tile, uint row, uint step, uint lane)
{
#if SINGLY_A
#pragma unroll
	for (uint e = 0; e < 4; e++) {
		const uint at = row + lane / 4 + e % 2 * 8;
		r[e] = load_element(tile + PLACE_A(step + lane % 4 + e / 2 * 4, at / CHUNK) + at % CHUNK * BYTES);
	}
#elif TRANS_A
	load_turned(r, tile + PLACE_A(step + (lane & 7) + (lane >> 4) * 8, row / CHUNK + (lane >> 3 & 1)));
#else
	load_fragments(r, tile + PLACE_A(row + (lane & 15), step / CHUNK + (lane >> 4)));
#endif
}

/* Two fragments of STEPS steps and 8 columns of op(B), side by side. */
static inline void load_b(uint r[4], uint tile, uint column, uint step, uint lane)
{
#if SINGLY_B
#pragma unroll
	for (uint e = 0; e < 4; e++) {
		const uint at = column + lane / 4 + e / 2 * 8;
		r[e] = load_element(tile + PLACE_B(step + lane % 4 + e % 2 * 4, at / CHUNK) + at % CHUNK * BYTES);
	}
#elif TRANS_B
	load_fragments(r, tile + PLACE_B(column + (lane & 7) + (lane >> 4) * 8, step / CHUNK + (lane >> 3 & 1)));
#else
	load_turned(r, tile + PLACE_B(step + (lane & 15), column / CHUNK + (lane >> 4)));
#endif
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
gemm_mma(TAKES(const ELEMENT *restrict, a), ulong lda, ulong stride_a, TAKES(const ELEMENT *restrict, b), ulong ldb,
	 ulong stride_b, TAKES(ELEMENT *restrict, c), ulong ldc, ulong stride_c, uint m, uint n, uint k, float alpha,
	 float beta TAKES_PARTS
#if BIAS
	 ,
	 TAKES(const ELEMENT *restrict, bias)
#endif
)
{
	OPEN(const ELEMENT *restrict, a);
	OPEN(const ELEMENT *restrict, b);
	OPEN(ELEMENT *restrict, c);
	OPEN_PARTS;
#if BIAS
	OPEN(const ELEMENT *restrict, bias);
#endif
	__local uchar stages[STAGES * STAGE] __attribute__((aligned(128)));
	const uint first = (uint)(ulong)stages;
	const uint item = (uint)get_local_id(0), lane = item % 32, warp = item / 32;
	const uint my_row = warp / WARPS_N * WARP_M, my_column = warp % WARPS_N * WARP_N;

#if SPLIT
	const uint number = (uint)get_group_id(0) / splits, part = (uint)get_group_id(0) - number * splits;
#else
	const uint number = (uint)get_group_id(0);
#endif
	const struct tile tile = find_tile(number, m, n);
	const uint row = tile.row, column = tile.column;
	uint rounds = (k + TILE_K - 1) / TILE_K;

	a += tile.product * stride_a;
	b += tile.product * stride_b;
	c += tile.product * stride_c;
#if SPLIT
	const uint begin = part * rounds_each * TILE_K;
	a += begin * (TRANS_A ? lda : 1);
	b += begin * (TRANS_B ? 1 : ldb);
	rounds = min(rounds_each, rounds - part * rounds_each);
	k -= begin;
#endif

	/* This item's chunks: where they come from, and their place in a stage. */
	const uint line_a = item / ACROSS_A, chunk_a = item % ACROSS_A * CHUNK;
	const uint line_b = item / ACROSS_B, chunk_b = item % ACROSS_B * CHUNK;
	const uint to_a = first + PLACE_A(line_a, item % ACROSS_A);
	const uint to_b = first + BYTES_A + PLACE_B(line_b, item % ACROSS_B);
#if TRANS_A
	const ulong step_a = TILE_K * lda;
	__global const ELEMENT *from_a = a + line_a * lda + row + chunk_a;
#else
	const ulong step_a = TILE_K;
	__global const ELEMENT *from_a = a + (row + line_a) * lda + chunk_a;
#endif
#if TRANS_B
	const ulong step_b = TILE_K;
	__global const ELEMENT *from_b = b + (column + line_b) * ldb + chunk_b;
#else
	const ulong step_b = TILE_K * ldb;
	__global const ELEMENT *from_b = b + line_b * ldb + column + chunk_b;
#endif

	float sum[BLOCKS_M][BLOCKS_N][4];
#pragma unroll
	for (uint i = 0; i < BLOCKS_M; i++)
#pragma unroll
		for (uint j = 0; j < BLOCKS_N; j++)
#pragma unroll
			for (uint e = 0; e < 4; e++)
				sum[i][j][e] = 0;

	/* Brings a round's operands into a stage, if there is such a round; a group of copies in any case. */
#define COPY_ROUND(round, stage)                                                                                     \
	do {                                                                                                         \
		if ((round) < rounds) {                                                                              \
			const int left = (int)(k - (round) * TILE_K);                                                \
			copy_tile(to_a + (stage) * STAGE, ACROSS_A * 16, from_a, lda,                                               \
				  (TRANS_A ? left : (int)(m - row)) - (int)line_a,                                   \
				  (TRANS_A ? (int)(m - row) : left) - (int)chunk_a, LINES_A, ACROSS_A);              \
			copy_tile(to_b + (stage) * STAGE, ACROSS_B * 16, from_b, ldb,                                               \
				  (TRANS_B ? (int)(n - column) : left) - (int)line_b,                                \
				  (TRANS_B ? left : (int)(n - column)) - (int)chunk_b, LINES_B, ACROSS_B);           \
			from_a += step_a;                                                                            \
			from_b += step_b;                                                                            \
		}                                                                                                    \
		__asm__ volatile("cp.async.commit_group;");                                                          \
	} while (0)

	/* Until the oldest of the copies in flight is there, for all warps. */
#define WAIT()                                                                                                       \
	do {                                                                                                         \
		__asm__ volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2));                                       \
		barrier(CLK_LOCAL_MEM_FENCE);                                                                        \
	} while (0)

	/* Fragments of STEPS steps, in two sets: one comes in while the other is multiplied. */
	uint x[2][BLOCKS_M][4], y[2][BLOCKS_N / 2][4];
#define LOAD_FRAGMENTS(set, stage, step)                                                                             \
	do {                                                                                                         \
		_Pragma("unroll") for (uint i = 0; i < BLOCKS_M; i++)                                                \
			load_a(x[set][i], first + (stage) * STAGE, my_row + i * 16, step, lane);                     \
		_Pragma("unroll") for (uint j = 0; j < BLOCKS_N / 2; j++)                                            \
			load_b(y[set][j], first + (stage) * STAGE + BYTES_A, my_column + j * 16, step, lane);        \
	} while (0)

	for (uint round = 0; round < STAGES - 1; round++)
		COPY_ROUND(round, round);
	WAIT();
	uint reading = 0, writing = STAGES - 1;
	LOAD_FRAGMENTS(0, 0, 0);
	for (uint round = 0; round < rounds; round++) {
#pragma unroll
		for (uint s = 0; s < TILE_K / STEPS; s++) {
			if (s == TILE_K / STEPS - 1) {
				WAIT();
				reading = reading == STAGES - 1 ? 0 : reading + 1;
			}
			/* Those of the next STEPS steps; after the last round, of what nobody uses. */
			LOAD_FRAGMENTS((s + 1) % 2, reading, (s + 1) % (TILE_K / STEPS) * STEPS);
			/* Into the stage that all warps have left, as they came to the barrier. */
			if (s == 0) {
				COPY_ROUND(round + STAGES - 1, writing);
				writing = writing == STAGES - 1 ? 0 : writing + 1;
			}
#pragma unroll
			for (uint i = 0; i < BLOCKS_M; i++)
#pragma unroll
				for (uint j = 0; j < BLOCKS_N; j++)
					multiply(sum[i][j], x[s % 2][i], y[s % 2][j / 2][j % 2 * 2],
						 y[s % 2][j / 2][j % 2 * 2 + 1]);
		}
	}

#if SPLIT
	__local uint last;
	__global float4 *own = (__global float4 *)parts + (ulong)get_group_id(0) * (TILE_M * TILE_N / 4) + item;
#pragma unroll
	for (uint i = 0; i < BLOCKS_M; i++)
#pragma unroll
		for (uint j = 0; j < BLOCKS_N; j++)
			own[(i * BLOCKS_N + j) * ITEMS] = vload4(0, sum[i][j]);
	LAST_GOES_ON(arrived + number, splits, item, last);
	own -= (ulong)part * (TILE_M * TILE_N / 4);
#pragma unroll
	for (uint i = 0; i < BLOCKS_M; i++)
#pragma unroll
		for (uint j = 0; j < BLOCKS_N; j++)
			vstore4(own[(i * BLOCKS_N + j) * ITEMS], 0, sum[i][j]);
	for (uint p = 1; p < splits; p++) {
		own += TILE_M * TILE_N / 4;
#pragma unroll
		for (uint i = 0; i < BLOCKS_M; i++)
#pragma unroll
			for (uint j = 0; j < BLOCKS_N; j++)
				vstore4(vload4(0, sum[i][j]) + own[(i * BLOCKS_N + j) * ITEMS], 0, sum[i][j]);
	}
#endif

#pragma unroll
	for (uint j = 0; j < BLOCKS_N; j++) {
		const uint to_column = column + my_column + j * 8 + lane % 4 * 2;
		const float2 ends = BIAS_AT(to_column);
#pragma unroll
		for (uint i = 0; i < BLOCKS_M; i++)
#pragma unroll
			for (uint e = 0; e < 4; e += 2) {
				const uint to_row = row + my_row + i * 16 + e * 4 + lane / 4;
				if (EXACT || to_row < m)
					write(c + to_row * ldc, sum[i][j][e], sum[i][j][e + 1], alpha, beta, ends,
					      to_column, n);
			}
	}
}
