/*
 * How operands are stored, which tile of C a group computes, and how groups share one: what the kernels of GEMM for
 * GPUs include, after TILE_M and TILE_N. Groups have one dimension.
 *
 * A problem of many tiles visits them in bands of BAND rows of tiles, so that the groups that run at one time
 * share operands in the second-level cache. The groups of one product of a batch follow those of the product
 * before it.
 *
 * With SPLIT a tile has several groups, each of which multiplies a part of k. They leave their sums in global
 * memory, and the last one to come adds all of them up, in the order of k, so that the result is the same every time.
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

#if SPLIT
/*
 * What this work-item has written, for the whole device to see, and what others have, for this one.
 * NVIDIA's mem_fence reaches no further than the group.
 */
#ifdef __NV_CL_C_VERSION
#define DEVICE_FENCE() __asm__ volatile("membar.gl;" ::: "memory")
#else
#define DEVICE_FENCE() mem_fence(CLK_GLOBAL_MEM_FENCE)
#endif

/*
 * After a group has left its sums: the last one of its tile's goes on, and can read what the others have left; the
 * others return from the kernel. arrived: the tile's counter, 0 before the first and after the last; item: the
 * work-item's number; last: a flag of the group's, in local memory.
 */
#define LAST_GOES_ON(arrived, splits, item, last)                                                                            \
	do {                                                                                                         \
		DEVICE_FENCE();                                                                                      \
		barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);                                                 \
		if ((item) == 0)                                                                                     \
			(last) = atomic_inc(arrived) == (splits)-1;                                                  \
		barrier(CLK_LOCAL_MEM_FENCE);                                                                        \
		if (!(last))                                                                                         \
			return;                                                                                      \
		DEVICE_FENCE();                                                                                      \
		if ((item) == 0)                                                                                     \
			*(arrived) = 0;                                                                              \
	} while (0)
#endif
