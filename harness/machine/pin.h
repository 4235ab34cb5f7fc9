/*
 * Where the threads of a worker run.
 *
 * Told to pin its threads (OMP_PROC_BIND), libgomp binds the first thread of the process to one
 * processor as soon as it is loaded. Every thread made from then on inherits that mask: OpenBLAS takes the
 * machine for one of a single processor, and other pools crowd there. So the first thread is let out
 * while libraries are loaded and their pools made, and goes back to its processor before samples are taken.
 */
#ifndef BENCH_MACHINE_PIN_H
#define BENCH_MACHINE_PIN_H

#include <sched.h>
#include <stddef.h>

#define BENCH_PIN_SETS 8 /* of cpu_set_t: masks of 8192 processors */

struct bench_pin {
	cpu_set_t own[BENCH_PIN_SETS]; /* that the calling thread was bound to */
	int bound;                     /* it was: the mask of the process is wider */
};

/* The processors that this process may use, though its first thread be bound to one of them. */
void bench_machine_pin_allowed(cpu_set_t allowed[BENCH_PIN_SETS]);

/* Lets the calling thread run on all of them. */
void bench_machine_pin_release(struct bench_pin *pin);
/* Binds it again to where it was. */
void bench_machine_pin_hold(const struct bench_pin *pin);

#endif
