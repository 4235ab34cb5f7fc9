/* SPDX-License-Identifier: MIT */
/*
 * The values of backends' tunables for a worker, in the text form of BENCH_TUNING:
 * "gemm.slice=4096,gemm.block=8". A tunable that is not named has its default.
 */
#ifndef BENCH_MEASURE_WORKER_TUNING_H
#define BENCH_MEASURE_WORKER_TUNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/backend.h"
#include "core/arena.h"

#define BENCH_TUNING_VARIABLE "BENCH_TUNING"

/*
 * Reads NAME=VALUE,... into *tuned; the array and its names live in `arena`. "" or NULL: none. BENCH_USAGE if
 * no backend has such a tunable, the value is not among its candidates, or a name appears twice.
 */
int bench_worker_tuning_parse(const char *text, struct bench_arena *arena, struct bench_tuned **tuned,
			      size_t *count, struct bench_error *error);

/* Is the value among the tunable's candidates? One from an earlier version of the table may not be. */
bool bench_worker_tuning_has(const struct bench_tunable *tunable, uint64_t value);

#endif
