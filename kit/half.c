/* SPDX-License-Identifier: MIT */
#include "kit/half.h"

#include <math.h>

uint16_t bench_half_from_double(double value)
{
	unsigned sign = signbit(value) ? 0x8000U : 0;
	double size = fabs(value);
	if (isnan(value))
		return (uint16_t)(sign | 0x7e00U);
	if (size >= 65520)
		return (uint16_t)(sign | 0x7c00U);
	/* Subnormal: in units of 2^-24. Rounding up to 1024 of them gives the smallest normal number. */
	if (size < 0x1p-14)
		return (uint16_t)(sign | (unsigned)nearbyint(size * 0x1p24));
	/* 1024 to 2048 units in the last place; 2048 carries into the exponent. */
	int exponent;
	unsigned units = (unsigned)nearbyint(frexp(size, &exponent) * 0x1p11);
	return (uint16_t)(sign | (((unsigned)(exponent + 14) << 10) + units - 1024));
}

/* The float's bits without the last `count`, rounded to nearest, ties to even. */
static uint32_t round_bits(float value, unsigned count)
{
	uint32_t bits, last = (uint32_t)1 << count;
	memcpy(&bits, &value, sizeof(bits));
	if (isnan(value))
		return (bits & 0x80000000U) | 0x7fc00000U;
	/* A carry goes into the exponent, and in the end to infinity. */
	bits += last / 2 - 1 + (bits >> count & 1);
	return bits & ~(last - 1);
}

uint16_t bench_bfloat_from_double(double value)
{
	return (uint16_t)(round_bits((float)value, 16) >> 16);
}

float bench_tf32_from_double(double value)
{
	uint32_t bits = round_bits((float)value, 13);
	float rounded;
	memcpy(&rounded, &bits, sizeof(rounded));
	return rounded;
}
