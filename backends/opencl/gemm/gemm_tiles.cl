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

/* Where groups share a tile: further parameters, and their parts of k. */
#if SPLIT
#include "last.cl"
/* Groups of a tile, rounds of each; a tile of sums for each group; 0 for each tile, and so again. */
#define TAKES_PARTS , uint splits, uint rounds_each, TAKES(REAL *, parts), TAKES(volatile uint *, arrived)
#define OPEN_PARTS                                                                                                   \
	OPEN(REAL *, parts);                                                                                         \
	OPEN(volatile uint *, arrived)
#define PARTS splits
#define FIRST_ROUND(part) ((part)*rounds_each)
#define ROUNDS(part, all) min(rounds_each, (all)-FIRST_ROUND(part))
#else
#define TAKES_PARTS
#define OPEN_PARTS
#define PARTS 1
#define FIRST_ROUND(part) 0
#define ROUNDS(part, all) (all)
#endif

/* The parameters of a kernel of which a group computes one tile, or a part of it, and what makes pointers of them. */
#define OPERANDS(element)                                                                                            \
	TAKES(const element *restrict, a), ulong lda, ulong stride_a, TAKES(const element *restrict, b), ulong ldb,  \
		ulong stride_b, TAKES(element *restrict, c), ulong ldc, ulong stride_c, uint m, uint n, uint k,      \
		REAL alpha, REAL beta TAKES_PARTS TAKES_BIAS(element)
#define OPEN_OPERANDS(element)                                                                                       \
	OPEN(const element *restrict, a);                                                                            \
	OPEN(const element *restrict, b);                                                                            \
	OPEN(element *restrict, c);                                                                                  \
	OPEN_PARTS;                                                                                                  \
	OPEN_BIAS(element)

/* Which tile and part these are, and how many rounds: a, b, c and k are then those of the part. */
#define FIND_PART()                                                                                                  \
	const uint number = (uint)get_group_id(0) / PARTS, part = (uint)get_group_id(0) - number * PARTS;            \
	const struct tile tile = find_tile(number, m, n);                                                            \
	const uint row = tile.row, column = tile.column, begin = FIRST_ROUND(part) * TILE_K;                         \
	const uint rounds = ROUNDS(part, (k + TILE_K - 1) / TILE_K);                                                 \
	a += tile.product * stride_a + begin * (TRANS_A ? lda : 1);                                                  \
	b += tile.product * stride_b + begin * (TRANS_B ? 1 : ldb);                                                  \
	c += tile.product * stride_c;                                                                                \
	k -= begin
