/* SPDX-License-Identifier: MIT */
/*
 * The canary: a fixed piece of work that calls no library, so that it takes longer only if the machine is
 * slower. It shows what no counter of the system does: another tenant's use of the memory or of the other
 * hardware thread of a core, or a clock that fell.
 */
#ifndef BENCH_MACHINE_CANARY_H
#define BENCH_MACHINE_CANARY_H

#include <stddef.h>
#include <stdint.h>

struct bench_canary {
	uint64_t *memory;
	size_t words;
};

/* -1: there is no memory for it, and it must not be used. */
int bench_machine_canary_open(struct bench_canary *canary);
void bench_machine_canary_close(struct bench_canary *canary);

/*
 * The work: some ten thousand dependent multiplications in registers, then a word of every cache line of
 * 4 MiB, in order: more than a second-level cache holds, so that about half of it comes from the level behind
 * it. The result is the same every time.
 */
uint64_t bench_machine_canary_work(const struct bench_canary *canary);

/*
 * Seconds of the work, some two hundred microseconds: the least of three, since a single interrupt is no slow
 * machine. It is first done once untimed, to load its data into the caches and let the clock rise.
 */
double bench_machine_canary_run(const struct bench_canary *canary);

/* The fastest of 20, for the start of a run; NaN without memory. */
double bench_machine_canary_fastest(void);

#endif
