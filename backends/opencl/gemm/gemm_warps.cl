/* SPDX-License-Identifier: MIT */
/*
 * How the warps of a group share a tile of TILE_M x TILE_N: what kernels for NVIDIA's GPUs include first. Operands come
 * into a ring of STAGES buffers in local memory.
 */
#ifndef TILE_M
#define TILE_M 128
#endif
#ifndef TILE_N
#define TILE_N 128
#endif
#ifndef WARPS_M /* rows and columns of warps in a group */
#define WARPS_M 2
#endif
#ifndef WARPS_N
#define WARPS_N 2
#endif
#ifndef WARPS_K /* so many compute the same part of a tile, each of other steps */
#define WARPS_K 1
#endif
#ifndef STAGES
#define STAGES 3
#endif
#define ITEMS (32 * WARPS_M * WARPS_N * WARPS_K)
#define SUM_ITEMS (32 * WARPS_M * WARPS_N) /* that have the sums at the end */
#define WARP_M (TILE_M / WARPS_M)
#define WARP_N (TILE_N / WARPS_N)

/*
 * Several warps of a group can compute the same part of a tile, each of other steps: slices of a round. After the last
 * round the first slice has the sums of all. sum: count of REAL in each of `items` work-items of a slice; space: local
 * memory for those of the other slices, which may hold operands until then; a group calls it whole.
 */
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
