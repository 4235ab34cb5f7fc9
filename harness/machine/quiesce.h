/*
 * Waiting until this process is idle: libraries keep threads that spin for a while after
 * a call (OpenBLAS: tens of milliseconds), on the cores that the next thing timed is to use.
 */
#ifndef BENCH_MACHINE_QUIESCE_H
#define BENCH_MACHINE_QUIESCE_H

#include <stdbool.h>

/* Is no other thread of this process running or ready to run? */
bool bench_machine_is_quiescent(void);

/*
 * Returns once that is so, or after a quarter of a second: then false. Reads /proc/self/task: the scheduler's
 * own word, where CPU times are only brought up to date at its ticks.
 */
bool bench_machine_quiesce(void);

#endif
