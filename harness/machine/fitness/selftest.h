/* SPDX-License-Identifier: MIT */
/*
 * A self-test of the machine: a fixed piece of arithmetic, timed many times, alone and on two threads at
 * once. It shows how often it is interrupted, how much it varies, and what two threads take from each other.
 */
#ifndef BENCH_MACHINE_FITNESS_SELFTEST_H
#define BENCH_MACHINE_FITNESS_SELFTEST_H

#include <stdbool.h>
#include <stddef.h>

struct bench_selftest {
	bool there;           /* it was done: enough pieces for the figures below */
	size_t samples;       /* of 2 ms or so */
	double seconds;       /* of all samples together */
	double spread;        /* 95th percentile over the median of the samples */
	double gaps_a_second; /* interruptions of more than 1 ms */
	double largest_gap_seconds;
	double lost;     /* fraction of the time that these gaps took */
	bool both_there; /* two threads were measured, each on a different CPU */
	double both;     /* a piece's median time beside another thread, over that alone */
};

/* One second alone; where there is a second CPU (not -1), half a second more with a thread on each. */
void bench_fitness_selftest_run(int first_cpu, int second_cpu, struct bench_selftest *result);

/* What the times of pieces (ns, in order) tell about the machine: all of the above but `both`. */
void bench_fitness_selftest_describe(const double *pieces, size_t count, struct bench_selftest *result);

#endif
