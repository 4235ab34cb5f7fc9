/* What is found out of a sparse matrix before it is multiplied: which kernel, and blocks of rows. */
#ifndef SUITES_SPMV_PLAN_H
#define SUITES_SPMV_PLAN_H

#include "bench/op/spmv.h"
#include "suites/spmv/csr.h"

/* The kernel that kernel=auto takes; the reasons stand where it is written. */
enum bench_spmv_kernel bench_spmv_choose(const struct bench_csr_rows *rows);

/* Entries of a block that suit a GPU of so many units. */
size_t bench_spmv_block_entries(const struct bench_csr *csr, size_t units);

/* Blocks as bench/spmv.h has them. */
struct bench_spmv_blocks {
	struct bench_spmv_place *places; /* count + 1 */
	uint32_t *splits;
	size_t count, split_count;
};

/*
 * Each block of as many following rows as have at most `entries` entries and are at most as many; a row
 * that has more by itself, and one that has more than `part`, at least `entries`, in parts. The caller frees
 * *blocks, after a failure as well. BENCH_NO_MEMORY.
 */
int bench_spmv_make_blocks(const struct bench_csr *csr, size_t entries, size_t part,
			   struct bench_spmv_blocks *blocks, struct bench_error *error);
void bench_spmv_blocks_free(struct bench_spmv_blocks *blocks);

#endif
