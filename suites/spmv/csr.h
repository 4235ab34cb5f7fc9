/* SPDX-License-Identifier: MIT */
/*
 * A sparse matrix on the host, in compressed rows (CSR): what the spmv suite reads from a
 * file or makes, uploads, and checks against.
 */
#ifndef SUITES_SPMV_CSR_H
#define SUITES_SPMV_CSR_H

#include <stddef.h>
#include <stdint.h>

#include "bench/error.h"

/* Sizes that 32-bit offsets and columns hold, with room for a device to add to them. */
#define BENCH_CSR_ROWS_MAX    ((uint64_t)INT32_MAX)
#define BENCH_CSR_ENTRIES_MAX ((uint64_t)INT32_MAX)

/* Entries of row r: offsets[r] <= k < offsets[r + 1]. {0} has no memory. */
struct bench_csr {
	size_t rows, cols, entries; /* rows, cols >= 1; entries: those stored, zeros among them */
	uint32_t *offsets;          /* rows + 1 */
	uint32_t *columns;          /* ascending in a row, each at most once */
	double *values;
};

/* One entry by its coordinates, from 0. */
struct bench_csr_entry {
	uint32_t row, column;
	double value;
};

/* How long the rows are. */
struct bench_csr_rows {
	size_t longest, empty;
	double mean, deviation; /* entries of a row; standard deviation */
};

/*
 * Allocates a matrix of these sizes, with offsets all 0. BENCH_NO_MEMORY; the caller frees
 * it with bench_csr_free, also after a failure.
 */
int bench_csr_make(struct bench_csr *csr, size_t rows, size_t cols, size_t entries,
		   struct bench_error *error);
void bench_csr_free(struct bench_csr *csr); /* {0} is allowed */

/*
 * Makes `csr` of `count` entries in any order, whose coordinates are within rows and cols.
 * Entries of one place are summed, in the order given. O(count + rows + cols).
 */
int bench_csr_assemble(struct bench_csr *csr, size_t rows, size_t cols, const struct bench_csr_entry *entries,
		       size_t count, struct bench_error *error);

struct bench_csr_rows bench_csr_count_rows(const struct bench_csr *csr);

#endif
