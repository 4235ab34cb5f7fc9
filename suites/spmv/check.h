/* SPDX-License-Identifier: MIT */
/*
 * Is y = A^repeat x? The check of the spmv suite, apart from its work.
 *
 * Every application is done again in double, and with it a bound of what the type's rounding
 * may have made of each element:
 *
 *     e_0 = 0,   e_i = |A| e_{i-1} + tau(row) |A| |x_{i-1}|,
 *
 * with tau(row) the tolerance of a sum as long as the row (dense.h). The first term is what the
 * errors so far become at the worst, the second what this application adds.
 */
#ifndef SUITES_SPMV_CHECK_H
#define SUITES_SPMV_CHECK_H

#include "bench/case.h"
#include "suites/spmv/csr.h"

/* What y should be, and by how much it may differ. {0} has neither. */
struct bench_spmv_expected {
	double *y, *bound; /* `rows` of each */
};

/*
 * Applies A `repeat` times in double; A is square where that is more than once. The caller
 * frees *expected, also after a failure. BENCH_NO_MEMORY; BENCH_USAGE where nothing of y
 * would be left above rounding, so that no check could tell right from wrong.
 */
int bench_spmv_expect(const struct bench_csr *csr, enum bench_dtype dtype, const void *x, uint64_t repeat,
		      struct bench_spmv_expected *expected, struct bench_error *error);
void bench_spmv_expected_free(struct bench_spmv_expected *expected);

/* The worst error over its bound, times the tolerance of the longest row, which is the tolerance. */
void bench_spmv_check_result(const struct bench_csr *csr, enum bench_dtype dtype, const void *y,
			     const struct bench_spmv_expected *expected, struct bench_check *check);

/* Bytes of host memory that all this takes. */
uint64_t bench_spmv_check_bytes(uint64_t rows, uint64_t cols);

#endif
