/* SPDX-License-Identifier: MIT */
/* What is found out of a sparse matrix before it is multiplied: which kernel, and blocks of rows. */
#ifndef SUITES_SPMV_PLAN_H
#define SUITES_SPMV_PLAN_H

#include "bench/op/spmv.h"
#include "suites/spmv/csr.h"

/* The kernel that kernel=auto takes; the reasons stand where it is written. */
enum bench_spmv_kernel bench_spmv_choose(const struct bench_csr_rows *rows);

/* Entries of a block that suit a GPU with `units` units. */
size_t bench_spmv_block_entries(const struct bench_csr *csr, size_t units);

/* Blocks as bench/spmv.h has them. */
struct bench_spmv_blocks {
	struct bench_spmv_place *places; /* count + 1 */
	uint32_t *splits;
	size_t count, split_count;
};

/*
 * A block has as many successive rows as hold at most `entries` entries, and at most `entries` rows. A row
 * with more entries is a separate block; one with more than `part` (at least `entries`) is split into parts.
 * The caller frees *blocks, after a failure as well. BENCH_NO_MEMORY.
 */
int bench_spmv_make_blocks(const struct bench_csr *csr, size_t entries, size_t part,
			   struct bench_spmv_blocks *blocks, struct bench_error *error);
void bench_spmv_blocks_free(struct bench_spmv_blocks *blocks);

#endif
