/* SPDX-License-Identifier: MIT */
/*
 * The last of several groups to be done goes on alone, with what all of them have left in global memory: one launch
 * where there would be two. For devices with a fence that reaches all of them (struct bench_device, has_fence).
 */

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
 * After a group has left its part: the last one of `groups` goes on, and can read what the others have left; the
 * others return from the kernel. arrived: their counter, 0 before the first and after the last; item: the
 * work-item's number; last: a flag of the group's, in local memory.
 */
#define LAST_GOES_ON(arrived, groups, item, last)                                                                    \
	do {                                                                                                         \
		barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);                                                 \
		if ((item) == 0) {                                                                                   \
			DEVICE_FENCE();                                                                              \
			(last) = atomic_inc(arrived) == (groups)-1;                                                  \
			if (last)                                                                                    \
				*(arrived) = 0;                                                                      \
			DEVICE_FENCE();                                                                              \
		}                                                                                                    \
		barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);                                                 \
		if (!(last))                                                                                         \
			return;                                                                                      \
	} while (0)

/*
 * Where groups share a tile of TILE_M x TILE_N sums in REAL, each of a part of k: the sums of a part, four at a time, to
 * the group's own place among all parts, and, in the last group, those of all `splits` parts, added in their order.
 * own: the place of this work-item's first four, the next ones `apart`; count: of its sums.
 */
#define FOUR PASTE(REAL, 4)
#define PART_FOURS (TILE_M * TILE_N / 4)
#define LEAVE_SUMS(own, sum, count, apart)                                                                           \
	_Pragma("unroll") for (uint q = 0; q < (count); q += 4)(own)[q / 4 * (apart)] = vload4(0, (const REAL *)(sum) + q)
#define JOIN_SUMS(own, part, sum, count, apart)                                                                      \
	do {                                                                                                         \
		__global const FOUR *from = (own) - (ulong)(part)*PART_FOURS;                                        \
		_Pragma("unroll") for (uint q = 0; q < (count); q += 4)                                              \
			vstore4(from[q / 4 * (apart)], 0, (REAL *)(sum) + q);                                        \
		for (uint p = 1; p < splits; p++) {                                                                  \
			from += PART_FOURS;                                                                          \
			_Pragma("unroll") for (uint q = 0; q < (count); q += 4)                                      \
				vstore4(vload4(0, (const REAL *)(sum) + q) + from[q / 4 * (apart)], 0, (REAL *)(sum) + q); \
		}                                                                                                    \
	} while (0)
