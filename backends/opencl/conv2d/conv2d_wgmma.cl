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

#if TILE_N == 64
#define SIZE "m64n64"
#elif TILE_N == 128
#define SIZE "m64n128"
#else
#define SIZE "m64n256"
#endif
/* For the first two types, whether the operands are stored with their lines along k: they are. */
#if TYPE == 3
#define MMA "wgmma.mma_async.sync.aligned." SIZE "k8.f32.tf32.tf32 "
#define STORED ""
#elif TYPE == 2
#define MMA "wgmma.mma_async.sync.aligned." SIZE "k16.f32.bf16.bf16 "
#define STORED ", 0, 0"
#else
#define MMA "wgmma.mma_async.sync.aligned." SIZE "k16.f32.f16.f16 "
#define STORED ", 0, 0"
#endif
#define STEP_BYTES 32
#define SUMS (TILE_N / 2) /* of a work-item: 64 x TILE_N / 128 */

/* The descriptor of an operand that begins at `from` in local memory: swizzled by 128 bytes (1 in the top bits);
 * from 8 lines to the next it is 1024 bytes. */
static inline ulong describe(uint from)
{
	return (ulong)(from >> 4 & 0x3fff) | (ulong)1 << 16 | (ulong)(1024 >> 4) << 32 | (ulong)1 << 62;
}

#define SUM4(i) "+f"(sum[i]), "+f"(sum[i + 1]), "+f"(sum[i + 2]), "+f"(sum[i + 3])
#define SUM32(i) SUM4(i), SUM4(i + 4), SUM4(i + 8), SUM4(i + 12), SUM4(i + 16), SUM4(i + 20), SUM4(i + 24), SUM4(i + 28)
#define NAMES_64                                                                                                     \
	"%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                                     \
	"%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define NAMES_128                                                                                                    \
	NAMES_64 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "                \
		 "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define NAMES_256                                                                                                    \
	NAMES_128 ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "               \
		  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "                 \
		  "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "     \
		  "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#if TILE_N == 64
#define NAMES NAMES_64
#define OPERANDS "%32, %33"
#define ALL_SUMS SUM32(0)
#elif TILE_N == 128
#define NAMES NAMES_128
#define OPERANDS "%64, %65"
#define ALL_SUMS SUM32(0), SUM32(32)
#else
#define NAMES NAMES_256
#define OPERANDS "%128, %129"
#define ALL_SUMS SUM32(0), SUM32(32), SUM32(64), SUM32(96)
#endif

/* sum += STEP_BYTES of k, of 64 rows by TILE_N columns; it is under way, and the sums must not be touched. */
static inline void multiply(float sum[SUMS], ulong a, ulong b)
{
	__asm__ volatile("//sm_90a { .reg .pred p; setp.eq.u32 p, 0, 0; " MMA "{" NAMES "}, " OPERANDS
			 ", p, 1, 1" STORED "; }"
			 : ALL_SUMS
			 : "l"(a), "l"(b));
}

/* Work in flight may have changed the sums: the compiler must read them again. */
static inline void touch(float sum[SUMS])
{
#pragma unroll
	for (uint i = 0; i < SUMS; i++)
		__asm__ volatile("" : "+f"(sum[i]));
}

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
		COPY_ROUND(part, round, first + round * STAGE);
	uint reading = 0, writing = STAGES - 2;
	for (uint round = 0; round < ROUNDS; round++) {
		/* This round's operands, for all work-items and for wgmma, which does not read as the instructions of work-items do. */
		__asm__ volatile("cp.async.wait_group %0;" ::"n"(STAGES - 3));
		__asm__ volatile("fence.proxy.async.shared::cta;");
		barrier(CLK_LOCAL_MEM_FENCE);

		const uint a = first + reading * STAGE + AT_A + warpgroup * (64 * ACROSS * 16);
		const uint b = first + reading * STAGE + AT_B;
		touch(sum);
		__asm__ volatile("//sm_90a wgmma.fence.sync.aligned;");
#pragma unroll
		for (uint at = 0; at < ACROSS * 16; at += STEP_BYTES)
			multiply(sum, describe(a + at), describe(b + at));
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
