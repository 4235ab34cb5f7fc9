/* SPDX-License-Identifier: MIT */
/*
 * The instruction mma.sync of NVIDIA's tensor cores, for kernels that define TYPE (gemm_tensor.cl): 16 rows by 8 columns,
 * of 16 steps (tf32, f64: 8). Sums are in REAL.
 *
 * Source: NVIDIA, PTX ISA, "Matrix multiply-accumulate operation using mma instruction" and "ldmatrix".
 */
#ifndef REAL
#define REAL float
#endif
#if TYPE == 4
#define MMA "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64"
#define FRAGMENT double
#define IN_REGISTER "d"
#elif TYPE == 3
#define MMA "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"
#elif TYPE == 2
#define MMA "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"
#else
#define MMA "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
#endif
#if TYPE != 4
#define FRAGMENT uint
#define IN_REGISTER "r"
#endif

static inline void load_fragments(uint r[4], uint from)
{
	__asm__ volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
			 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
			 : "r"(from));
}

static inline void multiply(REAL sum[4], const FRAGMENT a[4], FRAGMENT b0, FRAGMENT b1)
{
#if TYPE == 4
#define SUM "+d"
#else
#define SUM "+f"
#endif
	__asm__ volatile(MMA " {%0, %1, %2, %3}, "
			     "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
			 : SUM(sum[0]), SUM(sum[1]), SUM(sum[2]), SUM(sum[3])
			 : IN_REGISTER(a[0]), IN_REGISTER(a[1]), IN_REGISTER(a[2]), IN_REGISTER(a[3]), IN_REGISTER(b0),
			   IN_REGISTER(b1));
}
