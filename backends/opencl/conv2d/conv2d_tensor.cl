/* SPDX-License-Identifier: MIT */
/*
 * What the kernels for convolution on NVIDIA's tensor cores share, and include after TILE_M, TILE_N and ITEMS, the
 * work-items of a group: how the operands come into local memory, and the writing of the output. TYPE is as in
 * gemm_tensor.cl.
 *
 * Both operands have k in chunks of 16 bytes, k running over the taps, and over the channels of each: the
 * weights as conv2d_chunks.cl packs them, and the input with its channels last. So each chunk of a place's line
 * is a run of channels of one pixel, which cp.async copies, or zeros where the tap is outside. The matrix of
 * these lines is never written. Places are the rows of the product in nhwc and its columns in nchw. In both,
 * the two adjacent sums of a work-item are neighbors in the output.
 *
 * With GIVEN the weights are those of the problem in nhwc, a line of filters for each step of k, and wgmma turns
 * them.
 *
 * A line in local memory has the 8 chunks of a round, or with GIVEN 64 filters. A chunk is at its index XOR (the
 * number of its line mod 8), so that eight lines that are read together are in different banks.
 *
 * With SPLIT several groups share a tile (last.cl), each with a part of k.
 */
#include "conv2d_shape.cl"
#ifndef PIECE /* bytes of a row of the product, from a multiple of them on, that are so in the output too: up to 16 */
#define PIECE BYTES
#endif
#ifndef CHUNKS
#define CHUNKS 8
#endif
#ifndef GIVEN /* 1: in nhwc, of types of 2 bytes, where the filters of a group are whole chunks, and so the channels */
#define GIVEN 0
#endif
#ifndef SPLIT
#define SPLIT 0
#endif
#include "gemm_end.cl"
#include "gemm_tensor.cl"

#define ACROSS 8 /* chunks of a round */
#define LENGTH (R * S * CHUNKS) /* of k, in chunks */
#define ROUNDS ((LENGTH + ACROSS - 1) / ACROSS)
#define APART (ITEMS / ACROSS)
#define TILE_PLACES (NHWC ? TILE_M : TILE_N)
#define TILE_FILTERS (NHWC ? TILE_N : TILE_M)
#define LINES_PLACES (TILE_PLACES / APART) /* that a work-item copies a chunk of */
#define LINES_FILTERS (TILE_FILTERS / APART)
#define BYTES_PLACES (TILE_PLACES * ACROSS * 16)
#define BYTES_FILTERS (TILE_FILTERS * ACROSS * 16)
#define STAGE (BYTES_PLACES + BYTES_FILTERS)
#define AT_PLACES 0 /* in a stage */
#define AT_FILTERS BYTES_PLACES
#define AT_A (NHWC ? AT_PLACES : AT_FILTERS) /* the rows of the product */
#define AT_B (NHWC ? AT_FILTERS : AT_PLACES)
#define LINE_BYTES (ACROSS * 16)
#define BLOCK_BYTES (ACROSS * CHUNK * LINE_BYTES) /* with GIVEN: 64 filters of all steps */
#define GIVEN_ACROSS (TILE_FILTERS / CHUNK)
#define GIVEN_APART (ITEMS / GIVEN_ACROSS)

/*
 * The arguments of the kernels. in: [image][h][w][group][CHUNKS], weights: [group][filter][R][S][CHUNKS]; filters: of a
 * group; at most 2^31 - 1 chunks of each, places, and elements of an image of the output. With SPLIT: the groups of a
 * tile, the rounds of each, a tile of sums for each group, and 0 for each tile, which it is again in the end.
 */
#if SPLIT
#include "last.cl"
#define TAKES_SPLITS                                                                                                 \
	, uint splits, uint rounds_each, __global float *restrict parts, volatile __global uint *restrict arrived
#define SPLITS splits
#define ROUNDS_EACH rounds_each
#else
#define TAKES_SPLITS
#define SPLITS 1
#define ROUNDS_EACH ROUNDS
#endif
#define ARGUMENTS                                                                                                    \
	__global const uint4 *restrict in, __global const uint4 *restrict weights, __global ELEMENT *restrict out,   \
		uint filters, uint groups, uint h, uint w, uint rows, uint columns, uint stride, uint pad, uint dilation, \
		uint places TAKES_SPLITS

/* What a group computes, and what a work-item copies for it. */
struct part {
	uint group, filter, place; /* of the problem, and the tile's first ones */
	uint begin, end;           /* its rounds */
	uint chunk, line;          /* of the work-item: its chunk of a round, and the first of its lines */
	uint filter_chunk, step;   /* and with GIVEN of the weights: its chunk of a line, and the first of its lines */
	__global const uint4 *weights;
	int from[LINES_PLACES]; /* where the first tap of a place lies, in chunks */
	uint within[LINES_PLACES]; /* bits: which rows (from 0) and columns (from 16) of its taps are within the input */
};

#define FIND_PART(part, item)                                                                                        \
	do {                                                                                                         \
		const uint blocks = (filters + TILE_FILTERS - 1) / TILE_FILTERS, area = rows * columns;              \
		const uint tile = (uint)get_group_id(0) / SPLITS;                                                    \
		(part).group = (uint)get_group_id(1);                                                                \
		(part).filter = tile % blocks * TILE_FILTERS;                                                        \
		(part).place = tile / blocks * TILE_PLACES;                                                          \
		(part).begin = ((uint)get_group_id(0) - tile * SPLITS) * ROUNDS_EACH;                                \
		(part).end = min((uint)ROUNDS, (part).begin + ROUNDS_EACH);                                          \
		(part).chunk = (item) % ACROSS;                                                                      \
		(part).line = (item) / ACROSS;                                                                       \
		(part).filter_chunk = (item) % GIVEN_ACROSS;                                                         \
		(part).step = (item) / GIVEN_ACROSS;                                                                 \
		(part).weights =                                                                                     \
			GIVEN ? weights + ((part).group * filters + (part).filter) / CHUNK + (part).filter_chunk     \
			      : weights + ((ulong)(part).group * filters + (part).filter + (part).line) * LENGTH;    \
		_Pragma("unroll") for (uint v = 0; v < LINES_PLACES; v++)                                            \
		{                                                                                                    \
			const uint place = (part).place + (part).line + v * APART, inside = place % area;            \
			const int y = (int)(inside / columns * stride) - (int)pad;                                   \
			const int x = (int)(inside % columns * stride) - (int)pad;                                   \
			uint bits = 0;                                                                               \
			(part).from[v] = (((int)(place / area * h) + y) * (int)w + x) * (int)(groups * CHUNKS) +     \
					 (int)((part).group * CHUNKS);                                               \
			for (uint i = 0; i < R; i++)                                                                 \
				bits |= (place < places && (uint)(y + (int)(i * dilation)) < h ? 1u : 0u) << i;      \
			for (uint i = 0; i < S; i++)                                                                 \
				bits |= ((uint)(x + (int)(i * dilation)) < w ? 1u : 0u) << (i + 16);                 \
			(part).within[v] = bits;                                                                     \
		}                                                                                                    \
	} while (0)

/* The offset of a chunk in an operand, in bytes. */
static inline uint place_of(uint line, uint chunk)
{
	return (line * ACROSS + (chunk ^ (line & 7))) * 16;
}

/* 16 bytes, or zeros. */
static inline void copy_or_zero(uint to, __global const uint4 *from, bool within)
{
	__asm__ volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(within ? 16 : 0));
}

/* Brings a round's operands into the stage at `to`, if there is such a round; a group of copies in any case. */
#define COPY_ROUND(part, round, to)                                                                                  \
	do {                                                                                                         \
		if ((round) < (part).end) {                                                                          \
			const uint k = (round)*ACROSS + (part).chunk, tap = k / CHUNKS, tap_row = tap / S;           \
			const uint tap_column = tap - tap_row * S;                                                   \
			const uint bits = 1u << (tap_row & 15) | 0x10000u << (tap_column & 15);                      \
			const int offset =                                                                           \
				(int)((tap_row * w + tap_column) * dilation * groups * CHUNKS + k - tap * CHUNKS);   \
			const uint at = (to) + place_of((part).line, (part).chunk);                                  \
			_Pragma("unroll") for (uint v = 0; v < LINES_PLACES; v++)                                    \
			{                                                                                            \
				const bool is = k < LENGTH && ((part).within[v] & bits) == bits;                     \
				copy_or_zero(at + AT_PLACES + v * (APART * ACROSS * 16),                             \
					     in + (is ? (part).from[v] + offset : 0), is);                           \
			}                                                                                            \
			_Pragma("unroll") for (uint v = 0; GIVEN && v < LINES_FILTERS; v++)                          \
			{                                                                                            \
				const uint line = (part).step + v * GIVEN_APART, step = (round)*ACROSS * CHUNK + line; \
				const bool is = step < LENGTH * CHUNK &&                                             \
						(part).filter + (part).filter_chunk * CHUNK < filters;               \
				copy_or_zero((to) + AT_FILTERS + (part).filter_chunk / ACROSS * BLOCK_BYTES +        \
						     place_of(line, (part).filter_chunk % ACROSS),                   \
					     (part).weights + (is ? step * (filters / CHUNK * groups) : 0), is);     \
			}                                                                                            \
			_Pragma("unroll") for (uint v = 0; !GIVEN && v < LINES_FILTERS; v++)                         \
			{                                                                                            \
				const bool is = k < LENGTH &&                                                        \
						(part).filter + (part).line + v * APART < filters;                   \
				copy_or_zero(at + AT_FILTERS + v * (APART * ACROSS * 16),                            \
					     (part).weights + (is ? v * APART * LENGTH + k : 0), is);                \
			}                                                                                            \
		}                                                                                                    \
		__asm__ volatile("cp.async.commit_group;");                                                          \
	} while (0)

/*
 * The tile goes to the output by way of local memory, which the operands have left: a work-item's own sums are two
 * neighbors here and there, and stores of so few bytes take several times as long as stores of 16.
 */
#define PITCH (TILE_N * BYTES + 16) /* bytes of a row there; its rows begin in different banks */
#define KEEP_TWO(to_row, to_column, x, y)                                                                            \
	PUT_TWO_LOCAL((float2)(x, y), (__local ELEMENT *)(stages + (to_row)*PITCH) + (to_column))
#if TYPE == 3
#define PUT_TWO_LOCAL(value, p) *(__local float2 *)(p) = (value)
#elif TYPE == 2
#define PUT_TWO_LOCAL(value, p)                                                                                      \
	*(__local uint *)(p) = round_upper((value).x) >> 16 | (round_upper((value).y) & 0xffff0000)
#else
#define PUT_TWO_LOCAL(value, p) vstorea_half2_rte(value, 0, p)
#endif

#if PIECE == 16
#define PIECE_TYPE uint4
#elif PIECE == 8
#define PIECE_TYPE uint2
#elif PIECE == 4
#define PIECE_TYPE uint
#else
#define PIECE_TYPE ushort
#endif

/* What all work-items have kept, as far as it is within the output: chunk by chunk, and these in pieces. */
#define WRITE_TILE(part, item)                                                                                       \
	do {                                                                                                         \
		const uint all = filters * groups, area = rows * columns, across = TILE_N / CHUNK;                   \
		barrier(CLK_LOCAL_MEM_FENCE);                                                                        \
		for (uint v = (item); v < TILE_M * across; v += ITEMS) {                                             \
			const uint to_row = v / across, to_column = v % across * CHUNK;                              \
			__local const uchar *kept = stages + to_row * PITCH + to_column * BYTES;                     \
			uint place = (part).place + (NHWC ? to_row : to_column);                                     \
			uint q = (part).filter + (NHWC ? to_column : to_row);                                        \
			for (uint e = 0; e < CHUNK; e += PIECE / BYTES) {                                            \
				const uint image = place / area, of_all = (part).group * filters + q;                \
				__global ELEMENT *at =                                                               \
					NHWC ? out + (ulong)place * all + of_all                                     \
					     : out + ((ulong)image * all + of_all) * area + (place - image * area);  \
				if (place < places && q < filters)                                                   \
					*(__global PIECE_TYPE *)at = *(__local const PIECE_TYPE *)(kept + e * BYTES); \
				place += NHWC ? 0 : PIECE / BYTES;                                                   \
				q += NHWC ? PIECE / BYTES : 0;                                                       \
			}                                                                                            \
		}                                                                                                    \
	} while (0)
