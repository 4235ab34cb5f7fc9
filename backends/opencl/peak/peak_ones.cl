/* SPDX-License-Identifier: MIT */
/* Ones of TYPE (gemm_tensor.cl) for tensor cores, in a register: as many as it holds; and the steps of an instruction. */
#ifndef TYPE
#define TYPE 1
#endif
#define ITEMS 256
#define STEPS (TYPE >= 3 ? 8 : 16)
#if TYPE == 4
#define ONES 1.0
#elif TYPE == 3
#define ONES 0x3f800000
#elif TYPE == 2
#define ONES 0x3f803f80
#else
#define ONES 0x3c003c00
#endif
