/*
 * The values of backends' tunables that this process is to use: BENCH_TUNING="gemm.slice=4096,gemm.block=8"
 * in the environment. What it does not name has its default.
 */
#ifndef BENCH_MEASURE_TUNING_H
#define BENCH_MEASURE_TUNING_H

#include <stddef.h>

#include "bench/backend.h"
#include "core/arena.h"

#define BENCH_TUNING_VARIABLE "BENCH_TUNING"

/*
 * Reads NAME=VALUE,... into *tuned, in `arena` with its names; "": none. BENCH_USAGE where no backend has
 * such a tunable, the value is not among its candidates, or a name stands twice.
 */
int bench_tuning_parse(const char *text, struct bench_arena *arena, struct bench_tuned **tuned, size_t *count,
		       struct bench_error *error);

/* What the environment says. */
int bench_tuning_read(struct bench_arena *arena, struct bench_tuned **tuned, size_t *count,
		      struct bench_error *error);

#endif
