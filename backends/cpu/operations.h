/* SPDX-License-Identifier: MIT */
/*
 * The CPU's operations as loops in C, over all threads: hooks for the backends that have no library for them.
 * gemm and conv2d are a backend's own, for conv2d with bench_cpu_conv2d_direct (conv2d_direct.h). The hooks'
 * contracts are in include/bench.
 */
#ifndef BACKENDS_CPU_OPERATIONS_H
#define BACKENDS_CPU_OPERATIONS_H

#include "bench/backend.h"

BENCH_OPERATIONS(BENCH_OPERATION_DECLARE, cpu)
extern const struct bench_training bench_cpu_training;

#endif
