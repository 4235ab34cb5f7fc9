/* SPDX-License-Identifier: MIT */
/*
 * The findings of Oclgrind, under which `bench run --validate` starts this program: reads and writes out of
 * bounds, data races. It writes them to the file that $OCLGRIND_LOG names; without that variable there is no
 * validator and there are no findings.
 */
#ifndef BENCH_MEASURE_WORKER_VALIDATOR_H
#define BENCH_MEASURE_WORKER_VALIDATOR_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Are there findings beyond the log's first *seen bytes? Then `out` is the first of them, in one line, with
 * the kernel and how many more there are. *seen becomes the log's length.
 */
bool bench_worker_validator_found(size_t *seen, char *out, size_t size);

#endif
