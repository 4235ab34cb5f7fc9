/*
 * GEMM in f16, bf16 and tf32 on the tensor cores of NVIDIA's Hopper, sums in float: the instructions wgmma and cp.async of
 * PTX, written into OpenCL C.
 *
 * A group of two warpgroups of 128 work-items computes a tile of C of 128 x 256, each of them 64 x 256 of it, in 128
 * registers of a work-item. The operands come 64 steps (tf32: 32) at a time into a ring of STAGES buffers in local memory, and
 * wgmma reads them there by itself: while it multiplies a round, the copies of the rounds to come are under way.
 * Local memory is in the layout that wgmma calls swizzle by 128 bytes: blocks of lines of 128 bytes, in which chunk
 * c of 16 bytes of line l stands at c XOR (l mod 8). A line is 64 steps of a row or column, or, of what is
 * stored transposed, 64 rows or columns of a step. Of tf32 a line is 32 steps: wgmma takes nothing else, and what is
 * stored otherwise must be turned before (gemm_turn.cl).
 *
 * wgmma is an instruction of sm_90a, for which NVIDIA's OpenCL does not compile. So its lines are comments here,
 * marked //sm_90a; backends/opencl/retarget.c makes them instructions in the PTX that the compiler gives, for
 * sm_90a.
 *
 * The order of tiles is that of gemm_tiles.cl, edges and alignment are those of gemm_mma.cl.
 *
 * Sources: NVIDIA, PTX ISA, "Asynchronous warpgroup level matrix instructions" (layouts, descriptors, and the
 * registers of D) and "Async proxy".
 */
#ifndef STAGES
#define STAGES 4
#endif
#define TILE_M 128
#define TILE_N 256
#define ITEMS 256
#include "gemm_end.cl"
#include "gemm_tensor.cl"
#include "gemm_tiles.cl"

#if TYPE == 3
#define MMA "wgmma.mma_async.sync.aligned.m64n256k8.f32.tf32.tf32 "
#elif TYPE == 2
#define MMA "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 "
#else
#define MMA "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 "
#endif
#ifndef TILE_K /* steps of a round: a line of 128 bytes, and no other number */
#define TILE_K (128 / BYTES)
#endif
#define BYTES_A (TILE_M * TILE_K * BYTES)
#define BYTES_B (TILE_N * TILE_K * BYTES)
#define STAGE (BYTES_A + BYTES_B)
#define BLOCK (TILE_K * 128) /* bytes of 64 rows or columns of all steps, stored by steps */
#define SUMS 128             /* of a work-item: 64 x 256 / 128 */

/* Chunks of a line as it is copied: of 64 steps, or of all rows or columns of the tile. */
#define ACROSS_A (TRANS_A ? TILE_M / CHUNK : TILE_K / CHUNK)
#define ACROSS_B (TRANS_B ? TILE_K / CHUNK : TILE_N / CHUNK)
#define LINES_A (TRANS_A ? TILE_K : TILE_M)
#define LINES_B (TRANS_B ? TILE_N : TILE_K)

/* Where a chunk stands, in bytes. */
static inline uint place(uint line, uint chunk)
{
	return chunk / 8 * BLOCK + line * 128 + (chunk % 8 ^ line % 8) * 16;
}

/*
 * The descriptor of an operand that begins at `from` in local memory: swizzled by 128 bytes (1 in the top bits);
 * from 8 lines to the next it is 1024 bytes, and from a block to the next BLOCK.
 */
static inline ulong describe(uint from)
{
	return (ulong)(from >> 4 & 0x3fff) | (ulong)(BLOCK >> 4) << 16 | (ulong)(1024 >> 4) << 32 | (ulong)1 << 62;
}

#define SUM4(i) "+f"(sum[i]), "+f"(sum[i + 1]), "+f"(sum[i + 2]), "+f"(sum[i + 3])
#define SUM32(i) SUM4(i), SUM4(i + 4), SUM4(i + 8), SUM4(i + 12), SUM4(i + 16), SUM4(i + 20), SUM4(i + 24), SUM4(i + 28)

/* How the operands are stored, for the types that may be stored both ways. */
#if TYPE == 3
#define STORED ""
#else
#define STORED ", %130, %131"
#endif

/* sum += STEPS steps of 64 rows of A by 256 columns of B; it is under way, and the sums must not be touched. */
static inline void multiply(float sum[SUMS], ulong a, ulong b)
{
	__asm__ volatile("//sm_90a { .reg .pred p; setp.eq.u32 p, 0, 0; "
			 MMA "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
			 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
			 "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
			 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
			 "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
			 "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
			 "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
			 "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
			 "%128, %129, p, 1, 1" STORED "; }"
			 : SUM32(0), SUM32(32), SUM32(64), SUM32(96)
			 : "l"(a), "l"(b), "n"(TRANS_A), "n"(!TRANS_B));
}

/* What is in flight may have changed the sums: nothing that the compiler knows of them holds any more. */
static inline void touch(float sum[SUMS])
{
#pragma unroll
	for (uint i = 0; i < SUMS; i++)
		__asm__ volatile("" : "+f"(sum[i]));
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void
gemm_wgmma(__global const ELEMENT *restrict a, ulong lda, ulong stride_a, __global const ELEMENT *restrict b, ulong ldb,
	   ulong stride_b, __global ELEMENT *restrict c, ulong ldc, ulong stride_c, uint m, uint n, uint k, float alpha,
	   float beta
#if BIAS
	   ,
	   __global const ELEMENT *restrict bias
#endif
)
{
	__local uchar stages[STAGES * STAGE] __attribute__((aligned(1024)));
	const uint first = (uint)(ulong)stages;
	const uint item = (uint)get_local_id(0), lane = item % 32, warp = item / 32, warpgroup = item / 128;

	const struct tile tile = find_tile((uint)get_group_id(0), m, n);
	const uint row = tile.row, column = tile.column;
	const uint rounds = (k + TILE_K - 1) / TILE_K;

	a += tile.product * stride_a;
	b += tile.product * stride_b;
	c += tile.product * stride_c;

	/* This item's chunks: where they come from, and their place in a stage. */
	const uint line_a = item / ACROSS_A, chunk_a = item % ACROSS_A * CHUNK;
	const uint line_b = item / ACROSS_B, chunk_b = item % ACROSS_B * CHUNK;
	const uint to_a = first + place(line_a, item % ACROSS_A);
	const uint to_b = first + BYTES_A + place(line_b, item % ACROSS_B);
	const ulong step_a = TRANS_A ? TILE_K * lda : TILE_K, step_b = TRANS_B ? TILE_K : TILE_K * ldb;
	__global const ELEMENT *from_a = TRANS_A ? a + line_a * lda + row + chunk_a : a + (row + line_a) * lda + chunk_a;
	__global const ELEMENT *from_b =
		TRANS_B ? b + (column + line_b) * ldb + chunk_b : b + line_b * ldb + column + chunk_b;

	/* Brings a round's operands into a stage, if there is such a round; a group of copies in any case. */
#define COPY_ROUND(round, stage)                                                                                     \
	do {                                                                                                         \
		if ((round) < rounds) {                                                                              \
			const int left = (int)(k - (round) * TILE_K);                                                \
			copy_tile(to_a + (stage) * STAGE, 128, from_a, lda,                                               \
				  (TRANS_A ? left : (int)(m - row)) - (int)line_a,                                   \
				  (TRANS_A ? (int)(m - row) : left) - (int)chunk_a, LINES_A, ACROSS_A);              \
			copy_tile(to_b + (stage) * STAGE, 128, from_b, ldb,                                               \
				  (TRANS_B ? (int)(n - column) : left) - (int)line_b,                                \
				  (TRANS_B ? left : (int)(n - column)) - (int)chunk_b, LINES_B, ACROSS_B);           \
			from_a += step_a;                                                                            \
			from_b += step_b;                                                                            \
		}                                                                                                    \
		__asm__ volatile("cp.async.commit_group;");                                                          \
	} while (0)

	float sum[SUMS];
#pragma unroll
	for (uint i = 0; i < SUMS; i++)
		sum[i] = 0;
	touch(sum);

	for (uint round = 0; round < STAGES - 2; round++)
		COPY_ROUND(round, round);
	uint reading = 0, writing = STAGES - 2;
	for (uint round = 0; round < rounds; round++) {
		/* This round's operands, for all work-items and for wgmma, which does not read as the instructions of work-items do. */
		__asm__ volatile("cp.async.wait_group %0;" ::"n"(STAGES - 3));
		__asm__ volatile("fence.proxy.async.shared::cta;");
		barrier(CLK_LOCAL_MEM_FENCE);

		const uint tile_a = first + reading * STAGE + (TRANS_A ? warpgroup * BLOCK : warpgroup * 64 * 128);
		const uint tile_b = first + reading * STAGE + BYTES_A;
		touch(sum);
		__asm__ volatile("//sm_90a wgmma.fence.sync.aligned;");
#pragma unroll
		for (uint s = 0; s < TILE_K; s += STEPS)
			multiply(sum, describe(tile_a + (TRANS_A ? s * 128 : s * BYTES)),
				 describe(tile_b + (TRANS_B ? s * BYTES : s * 128)));
		__asm__ volatile("//sm_90a wgmma.commit_group.sync.aligned;");
		/*
		 * The round before is multiplied by now, by this warpgroup; the one before that by both, as they
		 * came to the barrier, so that its stage is free.
		 */
		__asm__ volatile("//sm_90a wgmma.wait_group.sync.aligned 1;");
		COPY_ROUND(round + STAGES - 2, writing);
		reading = reading == STAGES - 1 ? 0 : reading + 1;
		writing = writing == STAGES - 1 ? 0 : writing + 1;
	}
	__asm__ volatile("//sm_90a wgmma.wait_group.sync.aligned 0;");
	touch(sum);

	const uint to_row = row + warp * 16 + lane / 4;
#pragma unroll
	for (uint j = 0; j < TILE_N / 8; j++) {
		const uint to_column = column + j * 8 + lane % 4 * 2;
		const float2 ends = BIAS_AT(to_column);
		if (EXACT || to_row < m)
			write(c + to_row * ldc, sum[4 * j], sum[4 * j + 1], alpha, beta, ends, to_column, n);
		if (EXACT || to_row + 8 < m)
			write(c + (to_row + 8) * ldc, sum[4 * j + 2], sum[4 * j + 3], alpha, beta, ends, to_column,
			      n);
	}
}
