/* SPDX-License-Identifier: MIT */
/*
 * Short floating-point types that C11 lacks: IEEE 754 binary16 ("half") and bfloat16 in their storage
 * formats, and TF32, a float with 10 fraction bits. Conversion to float and double is exact; conversion back
 * rounds.
 */
#ifndef BENCH_KIT_HALF_H
#define BENCH_KIT_HALF_H

#include <stdint.h>
#include <string.h>

/* The error of one rounding to half: 2^-11 of a normal number, 2^-25 for a subnormal one (below 2^-14). */
#define BENCH_HALF_ROUNDOFF           0x1p-11
#define BENCH_HALF_SUBNORMAL_ROUNDOFF 0x1p-25

/* The number; infinities and NaN stay what they are. */
static inline float bench_half_to_float(uint16_t half)
{
	/* The bits at their place in a float, with half's exponent in float's: the value is 2^112 too small.
	 */
	uint32_t bits = (uint32_t)(half & 0x7fffU) << 13;
	float value;
	if (bits >= 0x0f800000U)
		bits |= 0x7f800000U;
	memcpy(&value, &bits, sizeof(value));
	if (bits < 0x7f800000U)
		value *= 0x1p112F;
	return half & 0x8000U ? -value : value;
}

/* Rounds to the nearest half, ties to even; from 65520 on infinity; NaN for NaN. */
uint16_t bench_half_from_double(double value);

/* The error of one rounding to bfloat16: 2^-8 of a normal number; half of the smallest subnormal one. */
#define BENCH_BFLOAT_ROUNDOFF           0x1p-8
#define BENCH_BFLOAT_SUBNORMAL_ROUNDOFF 0x1p-134

static inline float bench_bfloat_to_float(uint16_t bfloat)
{
	uint32_t bits = (uint32_t)bfloat << 16;
	float value;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* Rounds to the nearest float and from that to the nearest bfloat16, ties to even; infinity beyond its range;
 * NaN for NaN. */
uint16_t bench_bfloat_from_double(double value);

/* Rounds to TF32 in the same way. */
float bench_tf32_from_double(double value);

#endif
