/* SPDX-License-Identifier: MIT */
/*
 * What `bench why` observes beside the time, and what a difference of it can mean. A run of it has two
 * metrics of each: BENCH_OBSERVED_HEAD and BENCH_OBSERVED_BASE with the name behind it, one sample an
 * invocation. No gate judges them.
 */
#ifndef BENCH_CORE_OBSERVED_H
#define BENCH_CORE_OBSERVED_H

#include <stdbool.h>
#include <stddef.h>

#define BENCH_OBSERVED_HEAD "why_"
#define BENCH_OBSERVED_BASE "why_base_"
/* Functions are observed by name: these precede it. */
#define BENCH_OBSERVED_FUNCTION "fn_"
/* Notes of kernels by name, of a side: "registers 32, occupancy 50%"; their instructions by class. */
#define BENCH_OBSERVED_KERNEL "kernel_"
#define BENCH_OBSERVED_MIX    "mix_"

/* Is it the name of such a metric? */
bool bench_observed_is(const char *metric);

enum bench_observed_kind {
	/* In an iteration: */
	BENCH_OBSERVED_LAUNCHES,
	BENCH_OBSERVED_COPIES,
	BENCH_OBSERVED_COPIED,
	BENCH_OBSERVED_MINOR_FAULTS,
	BENCH_OBSERVED_MAJOR_FAULTS,
	BENCH_OBSERVED_HEAP,
	BENCH_OBSERVED_INSTRUCTIONS,
	BENCH_OBSERVED_CYCLES,
	BENCH_OBSERVED_CACHE_MISSES,
	BENCH_OBSERVED_L1D_MISSES,
	BENCH_OBSERVED_DTLB_MISSES,
	BENCH_OBSERVED_BRANCH_MISSES,
	BENCH_OBSERVED_MIGRATIONS,
	BENCH_OBSERVED_SWITCHES,
	BENCH_OBSERVED_PREEMPTIONS,
	BENCH_OBSERVED_HOST_TIME,
	BENCH_OBSERVED_USER_TIME,
	BENCH_OBSERVED_SYSTEM_TIME,
	/* In an invocation: */
	BENCH_OBSERVED_PARALLELISM,
	BENCH_OBSERVED_HUGE,
	BENCH_OBSERVED_RESIDENT,
	BENCH_OBSERVED_BUILDS,
	BENCH_OBSERVED_FIRST_CALL,
	/* Of the kernels that a case launches, the most; of limits, the least: */
	BENCH_OBSERVED_OCCUPANCY_LIMIT,
	BENCH_OBSERVED_SPILLED,
	BENCH_OBSERVED_REGISTERS,
	BENCH_OBSERVED_PRIVATE,
	BENCH_OBSERVED_LOCAL,
	BENCH_OBSERVED_GROUP,
	BENCH_OBSERVED_GROUP_LIMIT,
	/* By a GPU's own counters: */
	BENCH_OBSERVED_DRAM,
	BENCH_OBSERVED_CLOCK,
	BENCH_OBSERVED_TENSOR,
	BENCH_OBSERVED_F64,
	BENCH_OBSERVED_F32,
	BENCH_OBSERVED_F16,
	BENCH_OBSERVED_SM,
	BENCH_OBSERVED_OCCUPANCY,
	BENCH_OBSERVED_KINDS,
	BENCH_OBSERVED_PER_ITERATION = BENCH_OBSERVED_PARALLELISM,
	BENCH_OBSERVED_OF_KERNELS = BENCH_OBSERVED_OCCUPANCY_LIMIT,
	BENCH_OBSERVED_OF_GPU = BENCH_OBSERVED_DRAM,
};

/* What stands first in an answer: work that was handed over says why, where the time went says less. */
enum bench_observed_rank {
	BENCH_RANK_WORK,
	BENCH_RANK_KERNEL,
	BENCH_RANK_COUNTER,
	BENCH_RANK_PIPE,
	BENCH_RANK_FUNCTION,
	BENCH_RANK_TIME,
	BENCH_RANK_NONE, /* no cause: it stands in the table alone */
};

struct bench_observed {
	const char *name, *unit, *title;
	enum bench_observed_rank rank;
	int sense; /* 1: more of it costs time; -1: less of it does; 0: neither */
	/* The most seconds that one of it can cost: so few that they cannot explain a change are no cause.
	 * INFINITY: it is not known. */
	double most_seconds;
};

extern const struct bench_observed bench_observed[BENCH_OBSERVED_KINDS];

/* That of the name behind the prefix; a function's for one that begins so; NULL for any other. */
const struct bench_observed *bench_observed_find(const char *name);

#endif
