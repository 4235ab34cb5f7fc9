/* SPDX-License-Identifier: MIT */
/*
 * To quiesce: to wait until no other thread of this process is running. Threads of libraries spin for a while
 * after a call (OpenBLAS: tens of milliseconds), on the cores that the next timed call is to use.
 */
#ifndef BENCH_MACHINE_QUIESCE_H
#define BENCH_MACHINE_QUIESCE_H

#include <stdbool.h>

/* Is no other thread of this process running or ready to run? */
bool bench_machine_is_quiescent(void);

/*
 * Returns once that is so; false if it is not after a quarter of a second. It reads the threads' states in
 * /proc/self/task, because CPU times are brought up to date only at the scheduler's ticks.
 */
bool bench_machine_quiesce(void);

#endif
