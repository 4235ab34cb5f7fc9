/* Operations of the reference backend: plain loops, sums in double. The hooks' own contracts are in
 * include/bench. */
#ifndef BENCH_REFERENCE_OPERATIONS_H
#define BENCH_REFERENCE_OPERATIONS_H

#include "bench/backend.h"

extern const struct bench_training bench_reference_training;

#endif
