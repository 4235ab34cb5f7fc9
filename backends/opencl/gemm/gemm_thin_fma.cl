/* SPDX-License-Identifier: MIT */
/*
 * Multiply-adds of gemm_thin.cl: a work-item reads DEPTH vectors a round. Where lanes are neighbors, these are of
 * DEPTH steps, and it has sums of LANES lanes; where steps are, of DEPTH lanes.
 */
#ifndef ACROSS /* work-items side by side, a power of 2 */
#define ACROSS 32
#endif
#ifndef DEPTH
#define DEPTH 4
#endif
#define DOWN (ITEMS / ACROSS)
#define FETCHES DEPTH
#if ALONG
#define OF_ITEM DEPTH /* lanes */
#define ROUND (DOWN * LANES) /* steps */
#else
#define OF_ITEM LANES
#define ROUND (DOWN * DEPTH)
#endif
#define TILE (ACROSS * OF_ITEM)
#define SUMS (THIN * OF_ITEM)
#define CHUNK (THIN * ROUND > 4096 ? ROUND : 4096 / THIN / ROUND * ROUND)
#define HELD VECTOR
#define AT_ONCE (THIN < 8 ? 8 / THIN : 1) /* steps of the thin operand */

/* Of the thin operand in local memory: rows of CHUNK steps, or steps of THIN rows, and what parts their banks. */
#if ALONG
#define THIN_LINE (CHUNK + LANES)
#define THIN_SPACE (THIN * THIN_LINE)
#else
#define THIN_LINE (THIN > LANES ? THIN + LANES : THIN)
#define THIN_SPACE (CHUNK * THIN_LINE)
#endif

/* Which of those side by side a work-item is, and which of those below each other. */
struct place {
	uint seat, down;
};

/* Neighbors read neighbors: lanes side by side, or eight vectors of steps of each lane. */
static inline struct place find_place(uint item)
{
#if ALONG
	const uint block = DOWN < 8 ? DOWN : 8;
	const struct place place = {item / block % ACROSS, item / (block * ACROSS) * block + item % block};
#else
	const struct place place = {item % ACROSS, item / ACROSS};
#endif
	return place;
}

/* Where sum e of a work-item goes: neighbors leave theirs in different banks. */
static inline uint find_seat(uint e, uint seat, uint down)
{
	return ALONG ? (e * ACROSS + seat) * (DOWN + 1) + down : (e * DOWN + down) * ACROSS + seat;
}

/* The row and the lane, in the tile, of sum e. */
static inline uint find_row(uint seat, uint e)
{
	return e / OF_ITEM;
}
static inline uint find_lane(uint seat, uint e)
{
	return !ALONG && ALIGNED ? seat * LANES + e % OF_ITEM : seat + e % OF_ITEM * ACROSS;
}

/* `count` steps of the thin operand, whose rows and steps lie so far apart; zero outside of its rows and its k steps. */
static inline void put_thin(__local REAL *space, __global const STORED *restrict thin, ulong row, ulong step, uint rows,
			    uint count, uint k, uint item)
{
#if !ALONG
	if (step != 1) {
#pragma unroll 4
		for (uint e = item; e < THIN * count; e += ITEMS) {
			const uint i = e % THIN, s = e / THIN;
			space[s * THIN_LINE + i] = i < rows && s < k ? GET(thin, i * row + s * step) : (REAL)0;
		}
		return;
	}
#endif
	/* Several at once, so that they are on their way together. */
	for (uint begin = item; begin < count; begin += AT_ONCE * ITEMS) {
		REAL part[AT_ONCE][THIN];
#pragma unroll
		for (uint p = 0; p < AT_ONCE; p++)
#pragma unroll
			for (uint i = 0; i < THIN; i++) {
				const uint s = begin + p * ITEMS;
				part[p][i] = i < rows && s < k ? GET(thin, i * row + s * step) : (REAL)0;
			}
#pragma unroll
		for (uint p = 0; p < AT_ONCE; p++) {
			const uint s = begin + p * ITEMS;
			if (s >= count)
				continue;
#if !ALONG && THIN >= LANES
#pragma unroll
			for (uint i = 0; i < THIN; i += LANES)
				*(__local VECTOR *)(space + s * THIN_LINE + i) = LOAD(0, part[p] + i);
#else
#pragma unroll
			for (uint i = 0; i < THIN; i++)
				space[ALONG ? i * THIN_LINE + s : s * THIN_LINE + i] = part[p][i];
#endif
		}
	}
}

#if HALF == 2
#define GET_ALIGNED(p) WIDEN(*(__global const USHORTS *)(p))
#elif HALF
#define GET_ALIGNED(p) PASTE(vloada_half, LANES)(0, p)
#else
#if NVIDIA >= 8 && LANES == 4
/* Nobody reads it again: past the first-level cache. */
static inline float4 get_once(__global const float *p)
{
	float4 v;
	__asm__ volatile("ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
			 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
			 : "l"(p));
	return v;
}
#define GET_ALIGNED(p) get_once(p)
#else
#define GET_ALIGNED(p) (*(__global const VECTOR *)(p))
#endif
#endif

/* LANES elements, `apart` from each other, of which the first `inside` count; with ALIGNED, all or none of them. */
static inline VECTOR fetch(__global const STORED *restrict x, uint apart, int inside)
{
#if ALIGNED
	return inside > 0 ? GET_ALIGNED(x) : (VECTOR)0;
#else
	REAL part[LANES];
#pragma unroll
	for (uint i = 0; i < LANES; i++)
		part[i] = (int)(i * apart) < inside ? GET(x, i * apart) : (REAL)0;
	return LOAD(0, part);
#endif
}

static inline void fetch_round(VECTOR held[DEPTH], __global const STORED *restrict matrix, ulong ld, uint first,
			       uint length, uint step, uint k, const struct place *place)
{
	const uint along = ALIGNED ? LANES : 1;
#pragma unroll
	for (uint v = 0; v < DEPTH; v++) {
#if ALONG
		const uint lane = first + place->seat + v * ACROSS, s = step + place->down * along;
		held[v] = fetch(matrix + lane * ld + s, DOWN, lane < length ? (int)(k - s) : 0);
#else
		const uint lane = first + place->seat * along, s = step + place->down + v * DOWN;
		held[v] = fetch(matrix + s * ld + lane, ACROSS, s < k ? (int)(length - lane) : 0);
#endif
	}
}
#define FETCH(held, round) fetch_round(held, matrix, ld, first, length, (round)*ROUND, k, &place)

/* at: the round's first step in the chunk. */
static inline void add_round(REAL sum[SUMS], const VECTOR held[DEPTH], __local const REAL *space, uint at,
			     const struct place *place)
{
	REAL y[DEPTH][LANES];
#pragma unroll
	for (uint v = 0; v < DEPTH; v++)
		STORE(held[v], 0, y[v]);
#if ALONG
#pragma unroll
	for (uint i = 0; i < THIN; i++) {
		__local const REAL *from = space + i * THIN_LINE + at + place->down * (ALIGNED ? LANES : 1);
		REAL x[LANES];
#if ALIGNED
		STORE(*(__local const VECTOR *)from, 0, x);
#else
#pragma unroll
		for (uint j = 0; j < LANES; j++)
			x[j] = from[j * DOWN];
#endif
#pragma unroll
		for (uint v = 0; v < DEPTH; v++)
#pragma unroll
			for (uint j = 0; j < LANES; j++)
				sum[i * DEPTH + v] += x[j] * y[v][j];
	}
#else
#pragma unroll
	for (uint v = 0; v < DEPTH; v++) {
		__local const REAL *from = space + (at + place->down + v * DOWN) * THIN_LINE;
		REAL x[THIN];
#if THIN >= LANES
#pragma unroll
		for (uint i = 0; i < THIN; i += LANES)
			STORE(*(__local const VECTOR *)(from + i), 0, x + i);
#else
#pragma unroll
		for (uint i = 0; i < THIN; i++)
			x[i] = from[i];
#endif
#pragma unroll
		for (uint i = 0; i < THIN; i++)
#pragma unroll
			for (uint j = 0; j < LANES; j++)
				sum[i * LANES + j] += x[i] * y[v][j];
	}
#endif
}
