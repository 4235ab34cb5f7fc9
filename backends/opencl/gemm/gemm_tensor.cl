/* SPDX-License-Identifier: MIT */
/*
 * What the kernels for NVIDIA's tensor cores share, and include after TILE_M, TILE_N and ITEMS, the work-items of a
 * group: the types of elements, their copies into local memory, and the writing of C. Sums are in REAL.
 */
#ifndef TYPE /* of the elements: 1 half, 2 bfloat16, 3 tf32 in float, 4 double; REAL is double for these alone */
#define TYPE 1
#endif
#ifndef EXACT /* 1: m, n and k are multiples of the tile: no code for edges */
#define EXACT 0
#endif
#define TWO PASTE(REAL, 2)

#if TYPE == 4
#define ELEMENT double
#define BYTES 8 /* of an element */
#define GET(p, i) (p)[i]
#define PUT(value, p, i) (p)[i] = (value)
#define GET_TWO(p) (*(__global const double2 *)(p))
#define PUT_TWO(value, p) *(__global double2 *)(p) = (value)
#elif TYPE == 3
#define ELEMENT float
#define BYTES 4
#define GET(p, i) (p)[i]
#define PUT(value, p, i) (p)[i] = (value)
#define GET_TWO(p) (*(__global const float2 *)(p))
#define PUT_TWO(value, p) *(__global float2 *)(p) = (value)
#elif TYPE == 2
#define ELEMENT ushort
#define BYTES 2
/* What carries in rounding to even goes into the exponent. */
static inline uint round_upper(float x)
{
	const uint bits = as_uint(x);
	return isnan(x) ? 0x7fc00000 : bits + 0x7fff + (bits >> 16 & 1);
}
#define GET(p, i) as_float((uint)(p)[i] << 16)
#define PUT(value, p, i) (p)[i] = (ushort)(round_upper(value) >> 16)
#define GET_TWO(p) (float2)(GET(p, 0), GET(p, 1))
#define PUT_TWO(value, p)                                                                                            \
	*(__global uint *)(p) = round_upper((value).x) >> 16 | (round_upper((value).y) & 0xffff0000)
#else
#define ELEMENT half
#define BYTES 2
#define GET(p, i) vload_half(i, p)
#define PUT(value, p, i) vstore_half_rte(value, i, p)
#define GET_TWO(p) vloada_half2(0, p)
#define PUT_TWO(value, p) vstorea_half2_rte(value, 0, p)
#endif
#define CHUNK (16 / BYTES) /* elements that are copied at once: 16 bytes */
#define STEPS (TYPE == 4 ? 8 : 32 / BYTES) /* of one instruction */

static inline void copy_chunk(uint to, __global const ELEMENT *from, uint elements)
{
#if EXACT
	__asm__ volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from));
#else
	__asm__ volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(BYTES * elements));
#endif
}

/* Two neighbors of a row of C = alpha sum + beta C, and the end of it. */
static inline void write(__global ELEMENT *restrict c, REAL x, REAL y, REAL alpha, REAL beta, TWO bias, uint column,
			 uint columns)
{
	TWO value = alpha * (TWO)(x, y);
	if (EXACT || column + 2 <= columns) {
		if (beta != 0)
			value += beta * GET_TWO(c + column);
		value = (TWO)(finish(value.x, bias.x), finish(value.y, bias.y));
		PUT_TWO(value, c + column);
	} else if (column < columns) {
		if (beta != 0)
			value.x += beta * GET(c, column);
		PUT(finish(value.x, bias.x), c, column);
	}
}

/* The bias of two neighboring columns. */
#if BIAS
#define BIAS_OF bias
#define BIAS_AT(column)                                                                                              \
	(TWO)(EXACT || (column) < n ? GET(bias, column) : 0,                                                         \
	      EXACT || (column) + 1 < n ? GET(bias, (column) + 1) : 0)
#else
#define BIAS_OF 0
#define BIAS_AT(column) (TWO)(0)
#endif
