/* SPDX-License-Identifier: MIT */
/*
 * Operations of the reference backend: plain, in double, on one thread. The hooks' own
 * contracts are in include/bench.
 */
#ifndef BENCH_REFERENCE_OPERATIONS_H
#define BENCH_REFERENCE_OPERATIONS_H

#include "bench/backend.h"

BENCH_OPERATIONS(BENCH_OPERATION_DECLARE, reference)
extern const struct bench_training bench_reference_training;

#endif
