/* SPDX-License-Identifier: MIT */
/*
 * Tensor cores for gemm_thin.cl: f16 and bf16, mma.sync.m16n8k16, whose 16 rows are those of the thin operand.
 *
 * A warp reads 32 lanes of 32 steps at a time, DEPTH times a round, from memory straight to the registers that
 * the instruction reads. Which step a register stands for is free as long as both operands agree, and so is
 * which lane: Of those 32 steps a work-item has eight neighbors, and the same steps of the thin operand. Its
 * four lanes are eight apart (ALONG 1) or neighbors (ALONG 0).
 *
 * Source: NVIDIA, PTX ISA, "Matrix fragments for mma.m16n8k16".
 */
#ifndef ACROSS /* warps side by side, a power of 2 */
#define ACROSS 1
#endif
#ifndef DEPTH
#define DEPTH 1
#endif
#ifndef THIN_VECTORS /* 1: of the thin operand steps are neighbors, and k and its rows multiples of 8 */
#define THIN_VECTORS 0
#endif
#define DOWN (ITEMS / 32 / ACROSS)
#define ROUND (DOWN * DEPTH * 32)
#define TILE (ACROSS * 32)
#define BLOCKS 4 /* instructions side by side */
#define HALVES (THIN / 8) /* of the instruction's rows */
#define FETCHES (DEPTH * (4 + HALVES))
#define OF_BLOCK (2 * HALVES) /* sums of a work-item */
#define SUMS (BLOCKS * OF_BLOCK)
#define HELD uint4
#define THIN_SPACE 0

#if HALF == 2
#define MMA "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"
#else
#define MMA "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
#endif

/* Which of those side by side a work-item is, and which of those below each other. */
struct place {
	uint seat, down;
};

static inline struct place find_place(uint item)
{
	const struct place place = {item % (32 * ACROSS), item / (32 * ACROSS)};
	return place;
}

/* Where sum e of a work-item goes. */
static inline uint find_seat(uint e, uint seat, uint down)
{
	return (e * DOWN + down) * (32 * ACROSS) + seat;
}

/* The row and the lane, in the tile, of sum e. */
static inline uint find_row(uint seat, uint e)
{
	return seat % 32 / 4 + e % OF_BLOCK / 2 * 8;
}
static inline uint find_lane(uint seat, uint e)
{
	const uint block = e / OF_BLOCK, column = seat % 4 * 2 + e % 2;
	return seat / 32 * 32 + (ALONG ? block * 8 + column : column * 4 + block);
}

/* Eight steps of a row of the thin operand from s on, zero outside of it. */
static inline uint4 fetch_thin(__global const STORED *restrict thin, ulong row, ulong step, bool within, uint s, uint k)
{
	__global const ushort *at = (__global const ushort *)thin + row + s * step;
#if THIN_VECTORS
	return within && s < k ? *(__global const uint4 *)at : (uint4)0;
#else
	uint part[8];
#pragma unroll
	for (uint i = 0; i < 8; i++)
		part[i] = within && s + i < k ? at[i * step] : 0;
	return (uint4)(part[0] | part[1] << 16, part[2] | part[3] << 16, part[4] | part[5] << 16,
		       part[6] | part[7] << 16);
#endif
}

/* Eight steps of four lanes of the matrix: of each lane in ALONG, else two steps of all four at a time. */
static inline uint4 fetch_matrix(__global const STORED *restrict matrix, ulong ld, uint lane, uint length, uint s, uint k,
				 uint which)
{
#if ALONG
	lane += which * 8;
	return lane < length && s < k ? *(__global const uint4 *)(matrix + lane * ld + s) : (uint4)0;
#else
	s += which * 2;
	__global const STORED *at = matrix + s * ld + lane;
	return (uint4)(lane < length && s < k ? *(__global const uint2 *)at : (uint2)0,
		       lane < length && s + 1 < k ? *(__global const uint2 *)(at + ld) : (uint2)0);
#endif
}

/* What a work-item multiplies in a round: four times the matrix, then the thin operand's rows. */
static inline void fetch_round(uint4 held[FETCHES], __global const STORED *restrict matrix, ulong ld, uint first,
			       uint length, __global const STORED *restrict thin, ulong thin_row, ulong thin_step,
			       uint rows, uint step, uint k, const struct place *place)
{
	const uint row = place->seat % 32 / 4;
	const uint lane = first + place->seat / 32 * 32 + (ALONG ? row : row * 4);
#pragma unroll
	for (uint d = 0; d < DEPTH; d++) {
		const uint s = step + (place->down * DEPTH + d) * 32 + place->seat % 4 * 8;
		uint4 *to = held + d * (4 + HALVES);
#pragma unroll
		for (uint i = 0; i < 4; i++)
			to[i] = fetch_matrix(matrix, ld, lane, length, s, k, i);
#pragma unroll
		for (uint h = 0; h < HALVES; h++) {
			const uint i = row + h * 8;
			to[4 + h] = fetch_thin(thin, i * thin_row, thin_step, i < rows, s, k);
		}
	}
}
#define FETCH(held, round)                                                                                           \
	fetch_round(held, matrix, ld, first, length, thin, thin_row, thin_step, rows, (round)*ROUND, k, &place)

/* x: of the thin operand two steps and two more of a row, and the same of the row eight below. */
static inline void multiply(REAL *sum, uint x0, uint x1, uint below0, uint below1, uint y0, uint y1)
{
#if THIN > 8
	__asm__ volatile(MMA " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
			 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
			 : "r"(x0), "r"(below0), "r"(x1), "r"(below1), "r"(y0), "r"(y1));
#else
	float none0 = 0, none1 = 0;
	__asm__ volatile(MMA " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
			 : "+f"(sum[0]), "+f"(sum[1]), "+f"(none0), "+f"(none1)
			 : "r"(x0), "r"(0), "r"(x1), "r"(0), "r"(y0), "r"(y1));
#endif
}

static inline void add_round(REAL sum[SUMS], const uint4 held[FETCHES], __local const REAL *space, uint at,
			     const struct place *place)
{
#pragma unroll
	for (uint d = 0; d < DEPTH; d++) {
		const uint4 *from = held + d * (4 + HALVES), x = from[4], below = HALVES > 1 ? from[3 + HALVES] : (uint4)0;
		uint y[4][4]; /* as read: of a lane two steps each; or of two steps, two pairs of lanes each */
#pragma unroll
		for (uint i = 0; i < 4; i++)
			vstore4(from[i], 0, y[i]);
#pragma unroll
		for (uint b = 0; b < BLOCKS; b++) {
#if ALONG
			const uint *z = y[b];
#else
			uint z[4];
#pragma unroll
			for (uint i = 0; i < 4; i++) {
				const uint upper = y[i][2 + b / 2], lower = y[i][b / 2];
				z[i] = b % 2 ? lower >> 16 | (upper & 0xffff0000) : (lower & 0xffff) | upper << 16;
			}
#endif
			multiply(sum + b * OF_BLOCK, x.x, x.y, below.x, below.y, z[0], z[1]);
			multiply(sum + b * OF_BLOCK, x.z, x.w, below.z, below.w, z[2], z[3]);
		}
	}
}
