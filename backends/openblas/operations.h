/*
 * Operations of the OpenBLAS backend that the library does not have, or not whole: what its
 * users write beside it, loops over all threads. The hooks' own contracts are in include/bench.
 */
#ifndef BENCH_OPENBLAS_OPERATIONS_H
#define BENCH_OPENBLAS_OPERATIONS_H

#include "bench/backend.h"

BENCH_OPERATIONS(BENCH_OPERATION_DECLARE, openblas)
extern const struct bench_training bench_openblas_training;

#endif
