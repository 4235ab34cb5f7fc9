/* What is found out of a sparse matrix before it is multiplied: which kernel, and blocks of rows. */
#ifndef SUITES_SPMV_PLAN_H
#define SUITES_SPMV_PLAN_H

#include "bench/spmv.h"
#include "suites/csr.h"

/* The kernel that kernel=auto takes; the reasons stand where it is written. */
enum bench_spmv_kernel bench_spmv_choose(const struct bench_csr_rows *rows);

/*
 * Blocks as bench/spmv.h has them, each of as many following rows as have at most `entries`
 * entries and are at most as many. Fills *blocks (malloc'd, the caller frees it) with
 * *count + 1 numbers. BENCH_NO_MEMORY.
 */
int bench_spmv_make_blocks(const struct bench_csr *csr, size_t entries, uint32_t **blocks, size_t *count,
			   struct bench_error *error);

#endif
