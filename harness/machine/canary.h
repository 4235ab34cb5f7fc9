/*
 * The canary: a fixed piece of work that calls no library, so that it takes longer only where the machine is
 * slower. It says what no counter of the system does: another tenant's use of the memory or of the other half
 * of a core, a clock that fell.
 */
#ifndef BENCH_MACHINE_CANARY_H
#define BENCH_MACHINE_CANARY_H

#include <stddef.h>
#include <stdint.h>

struct bench_canary {
	uint64_t *memory;
	size_t words;
};

/* Not to be used where it is -1: there is no memory for it. */
int bench_machine_canary_open(struct bench_canary *canary);
void bench_machine_canary_close(struct bench_canary *canary);

/*
 * The work: some ten thousand dependent multiplications in registers, then a word of every cache line of 4
 * MiB in their order: more than a second-level cache holds, so that half of it comes from behind. The result
 * is the same every time.
 */
uint64_t bench_machine_canary_work(const struct bench_canary *canary);

/*
 * Seconds of the work, some two hundred microseconds, the least of three: a single interrupt is no slow
 * machine. Before that it is done untimed once: what ran before has neither its data in the caches nor its
 * sleep in the clock.
 */
double bench_machine_canary_run(const struct bench_canary *canary);

/* The fastest of 20, to begin a run with; NaN where there is no memory. */
double bench_machine_canary_fastest(void);

#endif
