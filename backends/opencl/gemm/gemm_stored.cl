/* SPDX-License-Identifier: MIT */
/*
 * Elements as products in vectors of LANES store them, and VECTOR, what is computed with: REAL, or with HALF
 * float. GET and PUT are of an element.
 */
#ifndef HALF /* A, B, C and the bias are stored as half (1) or bfloat16 (2); REAL is float */
#define HALF 0
#endif

#define VECTOR PASTE(REAL, LANES)
#define LOAD PASTE(vload, LANES)
#define STORE PASTE(vstore, LANES)
#define USHORTS PASTE(ushort, LANES)

#if HALF == 2
#define STORED ushort
#define GET(p, i) as_float((uint)(p)[i] << 16)
#define PUT(value, p, i) (p)[i] = round_one(value)
#define WIDEN(x) PASTE(as_float, LANES)(PASTE(convert_uint, LANES)(x) << 16)
#define UINTS PASTE(uint, LANES)
/* bfloat16 is the upper half of a float; what carries in rounding to even goes into the exponent. */
static inline ushort round_one(float x)
{
	const uint bits = as_uint(x);
	return (ushort)(isnan(x) ? 0x7fc0 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
static inline USHORTS round_all(VECTOR x)
{
	const UINTS bits = PASTE(as_uint, LANES)(x), rounded = bits + 0x7fff + (bits >> 16 & 1);
	return PASTE(convert_ushort, LANES)(select(rounded, (UINTS)0x7fc00000, isnan(x)) >> 16);
}
#elif HALF
#define STORED half
#define GET(p, i) vload_half(i, p)
#define PUT(value, p, i) vstore_half_rte(value, i, p)
/* vload_half for any address: the one of PoCL 6 reads as if there were vectors at all of them, and crashes. */
typedef USHORTS anywhere __attribute__((aligned(2)));
#define LOAD_HALVES(i, p) widen(((__global const anywhere *)(p))[i])
static inline VECTOR widen(const USHORTS halves)
{
	return PASTE(vloada_half, LANES)(0, (const half *)&halves);
}
#else
#define STORED REAL
#define GET(p, i) (p)[i]
#define PUT(value, p, i) (p)[i] = (value)
#endif
