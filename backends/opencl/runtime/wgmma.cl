/* SPDX-License-Identifier: MIT */
/*
 * The instruction wgmma of NVIDIA's Hopper for kernels that define TYPE (gemm_tensor.cl), TILE_N (64, 128 or 256),
 * TRANS_A, TRANS_B (how operands lie in local memory) and BLOCK (bytes from 64 rows or columns of all steps to the
 * next, where steps are lines). A warpgroup multiplies 64 rows of A by TILE_N columns of B. Lines marked //sm_90a:
 * retarget.h.
 *
 * Source: NVIDIA, PTX ISA, "Asynchronous warpgroup level matrix instructions".
 */
/* Also where it is long: sums that are passed are registers. */
#define INLINE static inline __attribute__((always_inline))
#define SUMS (TILE_N / 2) /* of a work-item, in 64 x TILE_N */

#if TYPE == 3
#define MMA_K "k8.f32.tf32.tf32 "
#elif TYPE == 2
#define MMA_K "k16.f32.bf16.bf16 "
#else
#define MMA_K "k16.f32.f16.f16 "
#endif

/* The operands of wgmma that are sums: their names, and what they stand for. */
#define SUM4(i) "+f"(sum[i]), "+f"(sum[i + 1]), "+f"(sum[i + 2]), "+f"(sum[i + 3])
#define SUM32(i) SUM4(i), SUM4(i + 4), SUM4(i + 8), SUM4(i + 12), SUM4(i + 16), SUM4(i + 20), SUM4(i + 24), SUM4(i + 28)
#define NAMES32                                                                                                      \
	"%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                                     \
	"%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define NAMES64                                                                                                      \
	NAMES32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "                 \
		"%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define NAMES128                                                                                                     \
	NAMES64 ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "                 \
		"%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "                   \
		"%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "       \
		"%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#if TILE_N == 256
#define MMA_N "n256"
#define NAMES NAMES128
#define ALL_SUMS SUM32(0), SUM32(32), SUM32(64), SUM32(96)
#elif TILE_N == 128
#define MMA_N "n128"
#define NAMES NAMES64
#define ALL_SUMS SUM32(0), SUM32(32)
#else
#define MMA_N "n64"
#define NAMES NAMES32
#define ALL_SUMS SUM32(0)
#endif

/* How the operands are stored, for the types that may be stored both ways. */
#if TYPE == 3
#define STORED ""
#else
#define STORED ", %[trans_a], %[trans_b]"
#endif

/*
 * The descriptor of an operand that begins at `from` in local memory: swizzled by 128 bytes (1 in the top bits);
 * from 8 lines to the next it is 1024 bytes, and from a block to the next BLOCK.
 */
INLINE ulong describe(uint from)
{
	return (ulong)(from >> 4 & 0x3fff) | (ulong)(BLOCK >> 4) << 16 | (ulong)(1024 >> 4) << 32 | (ulong)1 << 62;
}

/* sum += STEPS steps of 64 rows of A by TILE_N columns of B; it is under way, and the sums must not be touched. */
INLINE void multiply(float sum[SUMS], ulong a, ulong b)
{
	__asm__ volatile("//sm_90a { .reg .pred p; setp.eq.u32 p, 0, 0; wgmma.mma_async.sync.aligned.m64" MMA_N MMA_K
			 "{" NAMES "}, %[a], %[b], p, 1, 1" STORED "; }"
			 : ALL_SUMS
			 : [a] "l"(a), [b] "l"(b), [trans_a] "n"(TRANS_A), [trans_b] "n"(!TRANS_B));
}

/* Work in flight may have changed the sums: the compiler must read them again. */
INLINE void touch(float sum[SUMS])
{
#pragma unroll
	for (uint i = 0; i < SUMS; i++)
		__asm__ volatile("" : "+f"(sum[i]));
}
