/* SPDX-License-Identifier: MIT */
#include "core/observed.h"

#include <math.h>
#include <string.h>

/*
 * The bounds on costs are generous: a launch or a copy waits for a driver, a fault that zeroes a huge page of
 * 2 MiB takes 0.5 ms, one that reads a disk 0.1 s, a thread that is preempted waits for a time slice.
 */
const struct bench_observed bench_observed[BENCH_OBSERVED_KINDS] = {
	[BENCH_OBSERVED_LAUNCHES] = {"launches", "count", "kernel launches", BENCH_RANK_WORK, 1, INFINITY},
	[BENCH_OBSERVED_COPIES] = {"copies", "count", "copies", BENCH_RANK_WORK, 1, 0.1},
	[BENCH_OBSERVED_COPIED] = {"copied", "B", "bytes copied", BENCH_RANK_WORK, 1, 1e-8},
	[BENCH_OBSERVED_MINOR_FAULTS] = {"minor_faults", "count", "page faults", BENCH_RANK_WORK, 1, 5e-4},
	[BENCH_OBSERVED_MAJOR_FAULTS] = {"major_faults", "count", "page faults that read a disk",
					 BENCH_RANK_WORK, 1, 0.1},
	[BENCH_OBSERVED_HEAP] = {"heap_growth", "B", "heap growth", BENCH_RANK_WORK, 1, 1e-8},
	[BENCH_OBSERVED_INSTRUCTIONS] = {"instructions", "count", "instructions", BENCH_RANK_COUNTER, 1,
					 1e-8},
	[BENCH_OBSERVED_CYCLES] = {"cycles", "count", "cycles", BENCH_RANK_TIME, 1, 1e-8},
	[BENCH_OBSERVED_CACHE_MISSES] = {"cache_misses", "count", "cache misses", BENCH_RANK_COUNTER, 1,
					 1e-6},
	[BENCH_OBSERVED_L1D_MISSES] = {"l1d_misses", "count", "L1 data misses", BENCH_RANK_COUNTER, 1, 1e-6},
	[BENCH_OBSERVED_DTLB_MISSES] = {"dtlb_misses", "count", "data TLB misses", BENCH_RANK_COUNTER, 1,
					1e-6},
	[BENCH_OBSERVED_BRANCH_MISSES] = {"branch_misses", "count", "branch misses", BENCH_RANK_COUNTER, 1,
					  1e-7},
	[BENCH_OBSERVED_MIGRATIONS] = {"migrations", "count", "migrations", BENCH_RANK_TIME, 1, 1e-3},
	[BENCH_OBSERVED_SWITCHES] = {"switches", "count", "waits (voluntary context switches)",
				     BENCH_RANK_TIME, 1, 0.1},
	[BENCH_OBSERVED_PREEMPTIONS] = {"preemptions", "count", "preemptions", BENCH_RANK_NONE, 1, 0.1},
	[BENCH_OBSERVED_HOST_TIME] = {"host_time", "s", "CPU time of the calling thread", BENCH_RANK_TIME, 1,
				      1},
	[BENCH_OBSERVED_USER_TIME] = {"user_time", "s", "user time", BENCH_RANK_TIME, 1, 1},
	[BENCH_OBSERVED_SYSTEM_TIME] = {"system_time", "s", "system time", BENCH_RANK_TIME, 1, 1},
	[BENCH_OBSERVED_PARALLELISM] = {"parallelism", "ratio", "processors in use", BENCH_RANK_COUNTER, -1,
					INFINITY},
	[BENCH_OBSERVED_HUGE] = {"huge_pages", "B", "memory in huge pages", BENCH_RANK_WORK, -1, INFINITY},
	[BENCH_OBSERVED_RESIDENT] = {"resident", "B", "resident memory", BENCH_RANK_NONE, 1, INFINITY},
	[BENCH_OBSERVED_BUILDS] = {"builds", "count", "program builds", BENCH_RANK_NONE, 1, INFINITY},
	[BENCH_OBSERVED_FIRST_CALL] = {"first_call", "s", "first call", BENCH_RANK_NONE, 1, INFINITY},
	[BENCH_OBSERVED_OCCUPANCY_LIMIT] = {"occupancy_limit", "share", "occupancy", BENCH_RANK_KERNEL, -1,
					    INFINITY},
	[BENCH_OBSERVED_SPILLED] = {"spilled", "B", "spilled registers", BENCH_RANK_KERNEL, 1, INFINITY},
	[BENCH_OBSERVED_REGISTERS] = {"registers", "count", "registers", BENCH_RANK_NONE, 1, INFINITY},
	[BENCH_OBSERVED_PRIVATE] = {"private_memory", "B", "private memory", BENCH_RANK_KERNEL, 1, INFINITY},
	[BENCH_OBSERVED_LOCAL] = {"local_memory", "B", "local memory", BENCH_RANK_NONE, 1, INFINITY},
	[BENCH_OBSERVED_GROUP] = {"group", "count", "work-items of a group", BENCH_RANK_NONE, 1, INFINITY},
	[BENCH_OBSERVED_GROUP_LIMIT] = {"group_limit", "count", "largest group", BENCH_RANK_NONE, -1,
					INFINITY},
	/* At most 100 GB/s, and 1 GHz: GPUs are faster. */
	[BENCH_OBSERVED_DRAM] = {"dram_bytes", "B", "DRAM bytes", BENCH_RANK_COUNTER, 1, 1e-11},
	[BENCH_OBSERVED_CLOCK] = {"gpu_clock", "Hz", "GPU clock", BENCH_RANK_PIPE, -1, INFINITY},
	[BENCH_OBSERVED_TENSOR] = {"tensor_cycles", "count", "tensor core cycles", BENCH_RANK_PIPE, -1,
				   INFINITY},
	[BENCH_OBSERVED_F64] = {"fp64_cycles", "count", "FP64 cycles", BENCH_RANK_PIPE, 1, 1e-9},
	[BENCH_OBSERVED_F32] = {"fp32_cycles", "count", "FP32 cycles", BENCH_RANK_PIPE, 1, 1e-9},
	[BENCH_OBSERVED_F16] = {"fp16_cycles", "count", "FP16 cycles", BENCH_RANK_PIPE, 1, 1e-9},
	[BENCH_OBSERVED_SM] = {"sm_activity", "share", "busy multiprocessors", BENCH_RANK_TIME, -1, INFINITY},
	[BENCH_OBSERVED_OCCUPANCY] = {"occupancy", "share", "active warps", BENCH_RANK_TIME, -1, INFINITY},
};

static const struct bench_observed function = {BENCH_OBSERVED_FUNCTION, "s", "function",
					       BENCH_RANK_FUNCTION,     1,   1};

bool bench_observed_is(const char *metric)
{
	return strncmp(metric, BENCH_OBSERVED_HEAD, strlen(BENCH_OBSERVED_HEAD)) == 0;
}

const struct bench_observed *bench_observed_find(const char *name)
{
	for (size_t i = 0; i < BENCH_OBSERVED_KINDS; i++)
		if (strcmp(bench_observed[i].name, name) == 0)
			return &bench_observed[i];
	return strncmp(name, function.name, strlen(function.name)) == 0 ? &function : NULL;
}
