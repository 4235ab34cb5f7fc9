/* SPDX-License-Identifier: MIT */
/*
 * How operands are stored, which tile of C a group computes, and how groups share one: what the kernels of GEMM for
 * GPUs include, after TILE_M and TILE_N. Groups have one dimension.
 *
 * A problem of many tiles visits them in bands of BAND rows of tiles, so that the groups that run at one time
 * share operands in the second-level cache. The groups of one product of a batch follow those of the product
 * before it.
 *
 * With SPLIT a tile has several groups, each of which multiplies a part of k. They leave their sums in global
 * memory. The last group to arrive adds them up in the order of k, so that the result is the same every time.
 */
#ifndef TRANS_A /* A is stored k x m */
#define TRANS_A 0
#endif
#ifndef TRANS_B /* B is stored n x k */
#define TRANS_B 0
#endif
#ifndef SPLIT /* 1: tiles have several groups */
#define SPLIT 0
#endif
#ifndef BAND
#define BAND 8
#endif

struct tile {
	uint product;     /* of the batch */
	uint row, column; /* of C, its first */
};

/* Tile number `number`, of C of m x n: down a band of at most BAND tiles first, then one tile to the right. */
static inline struct tile find_tile(uint number, uint m, uint n)
{
	const uint down = (m + TILE_M - 1) / TILE_M, right = (n + TILE_N - 1) / TILE_N;
	const uint product = number / (down * right);
	const uint of_product = number - product * (down * right), band = of_product / (BAND * right);
	const uint height = min((uint)BAND, down - band * BAND), place = of_product - band * BAND * right;
	const struct tile tile = {product, (band * BAND + place % height) * TILE_M, place / height * TILE_N};
	return tile;
}

/* Further parameters where groups share a tile: groups of a tile, rounds of each; a tile of each group; 0 for each tile, and so again. */
#if SPLIT
#include "last.cl"
#define TAKES_PARTS , uint splits, uint rounds_each, TAKES(REAL *, parts), TAKES(volatile uint *, arrived)
#define OPEN_PARTS                                                                                           \
	OPEN(REAL *, parts);                                                                                 \
	OPEN(volatile uint *, arrived)
#else
#define TAKES_PARTS
#define OPEN_PARTS
#endif

/*
 * Several warps of a group can compute the same part of a tile, each of other steps: slices of a round. After the last
 * round the first slice has the sums of all. sum: count of REAL in each of `items` work-items of a slice; space: local
 * memory for those of the other slices, which may hold operands until then; a group calls it whole.
 */
#ifndef WARPS_K /* slices */
#define WARPS_K 1
#endif
#define ADD_SLICES(sum, count, space, slice, item, items)                                                            \
	do {                                                                                                         \
		__local REAL *others = (__local REAL *)(space) + (item) % (items);                                   \
		barrier(CLK_LOCAL_MEM_FENCE);                                                                        \
		_Pragma("unroll") for (uint e = 0; e < (count); e++) if ((slice) > 0)                                \
			others[(((slice)-1) * (count) + e) * (items)] = ((REAL *)(sum))[e];                          \
		barrier(CLK_LOCAL_MEM_FENCE);                                                                        \
		for (uint s = 0; s < ((slice) > 0 ? 0 : WARPS_K - 1); s++)                                           \
			_Pragma("unroll") for (uint e = 0; e < (count); e++)((REAL *)(sum))[e] +=                    \
				others[(s * (count) + e) * (items)];                                                 \
	} while (0)
