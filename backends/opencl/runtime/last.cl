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
