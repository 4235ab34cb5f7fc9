/* SPDX-License-Identifier: MIT */
/*
 * Where the threads of a worker run.
 *
 * When told to pin its threads (OMP_PROC_BIND), libgomp binds the first thread of the process to one
 * processor as soon as it is loaded. Every thread made after that inherits the mask: OpenBLAS then believes
 * that the machine has a single processor, and the threads of other pools crowd on it. So the first thread is
 * released while libraries are loaded and make their pools, and bound to its processor again before samples
 * are taken.
 */
#ifndef BENCH_MACHINE_PIN_H
#define BENCH_MACHINE_PIN_H

#include <sched.h>
#include <stddef.h>

#define BENCH_PIN_SETS 8 /* of cpu_set_t: masks of 8192 processors */

struct bench_pin {
	cpu_set_t own[BENCH_PIN_SETS]; /* that the calling thread was bound to */
	int bound;                     /* it was bound: the mask of the process is wider */
};

/* The processors that this process may use, even if its first thread is bound to one of them. */
void bench_machine_pin_allowed(cpu_set_t allowed[BENCH_PIN_SETS]);

/* Lets the calling thread run on all of them. */
void bench_machine_pin_release(struct bench_pin *pin);
/* Binds it again to the processors that it was bound to. */
void bench_machine_pin_hold(const struct bench_pin *pin);

#endif
