/* SPDX-License-Identifier: MIT */
/*
 * Random numbers: Philox 4x32-10 of Salmon et al., "Parallel random numbers: as easy as 1, 2, 3"
 * (SC11), section 4.3 and table 2, and what include/bench/op/random.h makes of them. A work-item makes LANES
 * blocks side by side, as vectors: one on a GPU, where its neighbors are the other lanes; more on a
 * CPU, whose compiler then has logarithms and sines of vectors.
 *
 * Written from the paper rather than included from Random123, which the host uses: the headers of that are
 * not where the kernels are compiled, and two implementations that agree check one another.
 */
#define BITS 0
#define UNIFORM 1
#define NORMAL 2

#ifndef DISTRIBUTION
#define DISTRIBUTION UNIFORM
#endif
#ifndef WIDE /* elements of 64 bits, two to a block, rather than of 32, four */
#define WIDE 0
#endif
#ifndef LANES /* 1 or 8 */
#define LANES 1
#endif

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#if LANES == 1
#define OF_LANES(type) type
#else
#define OF_LANES(type) PASTE(type, LANES)
#endif

#define UINT OF_LANES(uint)
#define ULONG OF_LANES(ulong)

#if WIDE
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#define REAL double
#define WORD ulong
#define SPARE_BITS 11
#define UNIT 0x1p-53
#define OF_A_BLOCK 2
#else
#define REAL float
#define WORD uint
#define SPARE_BITS 8
#define UNIT 0x1p-24f
#define OF_A_BLOCK 4
#endif

#define WORDS OF_LANES(WORD)
#define REALS OF_LANES(REAL)
#if DISTRIBUTION == BITS
#define ELEMENT WORD
#else
#define ELEMENT REAL
#endif
#define ELEMENTS OF_LANES(ELEMENT)

/*
 * One round for each lane: two products of 32 x 32 bits, their halves mixed with the counter and the key.
 * Products of 64 bits rather than mul_hi, of which PoCL makes no vector instructions (2.7 times the time).
 */
#define ROUND(v0, v1, v2, v3, key0, key1)                                                            \
	{                                                                                            \
		const ULONG p0 = OF_LANES(convert_ulong)(v0) * 0xD2511F53;                           \
		const ULONG p1 = OF_LANES(convert_ulong)(v2) * 0xCD9E8D57;                           \
		v0 = OF_LANES(convert_uint)(p1 >> 32) ^ v1 ^ (key0);                                 \
		v1 = OF_LANES(convert_uint)(p1);                                                     \
		v2 = OF_LANES(convert_uint)(p0 >> 32) ^ v3 ^ (key1);                                 \
		v3 = OF_LANES(convert_uint)(p0);                                                     \
	}

/* The upper bits of a number, in [0, 1). */
REALS uniform(WORDS number)
{
	return OF_LANES(PASTE(convert_, REAL))(number >> SPARE_BITS) * UNIT;
}

#if DISTRIBUTION == NORMAL && WIDE
void normal(WORDS a, WORDS b, REALS *x, REALS *y)
{
	const REALS radius = sqrt((REAL)-2 * log((REAL)1 - uniform(a))), turn = (REAL)2 * uniform(b);
	*x = radius * cospi(turn);
	*y = radius * sinpi(turn);
}
#elif DISTRIBUTION == NORMAL
/*
 * The same without what a library's functions do for arguments that there are not here, and with one reduction for
 * sine and cosine. Polynomials of least relative error, by Lawson's iteration.
 */
#define INTS OF_LANES(int)

/* Of x in [2^-24, 1], within 2e-7 of itself: x = m 2^e, m in [sqrt(1/2), sqrt(2)), and f = m - 1. */
REALS logarithm(REALS x)
{
	const INTS above = OF_LANES(as_int)(x) - 0x3f3504f3, e = above >> 23;
	const REALS f = OF_LANES(as_float)((above & 0x7fffff) + 0x3f3504f3) - 1.0f;
	REALS sum = mad(f, -0.10082372f, 0.161805004f);
	sum = mad(sum, f, -0.172432259f);
	sum = mad(sum, f, 0.199068829f);
	sum = mad(sum, f, -0.249712288f);
	sum = mad(sum, f, 0.333347142f);
	sum = mad(sum, f, -0.500003219f);
	return mad(OF_LANES(convert_float)(e), 0.693147181f, mad(sum, f * f, f));
}

/* The angle is q + z quarters of a turn, z in [-1/2, 1/2). */
void normal(WORDS a, WORDS b, REALS *x, REALS *y)
{
	const REALS radius = sqrt(-2.0f * logarithm(1.0f - uniform(a)));
	const UINT q = (b + 0x20000000) >> 30;
	const REALS z = OF_LANES(convert_float)(OF_LANES(as_int)((b & ~(uint)255) << 2)) * 0x1p-32f, zz = z * z;
	const REALS s = z * mad(mad(mad(zz, -0.00460165646f, 0.0796800330f), zz, -0.645963430f), zz, 1.57079637f);
	const REALS c = mad(mad(mad(zz, -0.0204172824f, 0.253603220f), zz, -1.23369765f), zz, 1.0f);
	const UINT odd = -(q & 1), negative_x = ((q + 1) & 2) << 30, negative_y = (q & 2) << 30;
	*x = radius * OF_LANES(as_float)(OF_LANES(as_uint)(select(c, s, odd)) ^ negative_x);
	*y = radius * OF_LANES(as_float)(OF_LANES(as_uint)(select(s, c, odd)) ^ negative_y);
}
#endif

/* Two numbers to two elements. */
void finish(WORDS a, WORDS b, ELEMENTS *x, ELEMENTS *y)
{
#if DISTRIBUTION == BITS
	*x = a;
	*y = b;
#elif DISTRIBUTION == UNIFORM
	*x = uniform(a);
	*y = uniform(b);
#else
	normal(a, b, x, y);
#endif
}

/* The elements of a work-item, block by block: VECTORS times STORED. */
#if LANES == 1
#define STORED OF_A_BLOCK
#define VECTORS 1
#elif WIDE
#define STORED 16
#define VECTORS 1
#define BLOCK(lane) x.s##lane, y.s##lane
#else
#define STORED 16
#define VECTORS 2
#define BLOCK(lane) x.s##lane, y.s##lane, z.s##lane, w.s##lane
#endif
#define MADE (VECTORS * STORED)
#define VECTOR PASTE(ELEMENT, STORED)

/* The work-item that reaches beyond `count` writes its elements one by one. */
__kernel void fill(__global ELEMENT *out, ulong count, ulong position, ulong stream, ulong seed)
{
	const ulong first = get_global_id(0) * MADE;
	if (first >= count)
		return;
	ULONG block = position + get_global_id(0) * LANES;
#if LANES == 8
	block += (ULONG)(0, 1, 2, 3, 4, 5, 6, 7);
#endif
	UINT v0 = OF_LANES(convert_uint)(block), v1 = OF_LANES(convert_uint)(block >> 32);
	UINT v2 = (uint)stream, v3 = (uint)(stream >> 32);
	for (uint round = 0; round < 10; round++)
		ROUND(v0, v1, v2, v3, (uint)seed + round * 0x9E3779B9,
		      (uint)(seed >> 32) + round * 0xBB67AE85)

	ELEMENTS x, y;
	VECTOR made[VECTORS];
#if WIDE
	finish(OF_LANES(convert_ulong)(v0) | OF_LANES(convert_ulong)(v1) << 32,
	       OF_LANES(convert_ulong)(v2) | OF_LANES(convert_ulong)(v3) << 32, &x, &y);
#else
	ELEMENTS z, w;
	finish(v0, v1, &x, &y);
	finish(v2, v3, &z, &w);
#endif
#if LANES == 1 && WIDE
	made[0] = (VECTOR)(x, y);
#elif LANES == 1
	made[0] = (VECTOR)(x, y, z, w);
#elif WIDE
	made[0] = (VECTOR)(BLOCK(0), BLOCK(1), BLOCK(2), BLOCK(3), BLOCK(4), BLOCK(5), BLOCK(6), BLOCK(7));
#else
	made[0] = (VECTOR)(BLOCK(0), BLOCK(1), BLOCK(2), BLOCK(3));
	made[1] = (VECTOR)(BLOCK(4), BLOCK(5), BLOCK(6), BLOCK(7));
#endif
	if (first + MADE <= count) {
		for (int i = 0; i < VECTORS; i++)
			((__global VECTOR *)(out + first))[i] = made[i];
		return;
	}
	ELEMENT rest[MADE];
	for (int i = 0; i < VECTORS; i++)
		PASTE(vstore, STORED)(made[i], i, rest);
	for (ulong i = first; i < count; i++)
		out[i] = rest[i - first];
}
