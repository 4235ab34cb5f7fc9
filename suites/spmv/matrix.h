/* SPDX-License-Identifier: MIT */
/*
 * The matrices of the spmv suite: made ones, and those of files.
 *
 *   cycle      a ring of n nodes; each is the mean of its two neighbors (1/2, 1/2)
 *   poisson2d  the five-point stencil 4, -1 on a square grid; n is a square number
 *   random     per_row entries in each row, anywhere
 *   powerlaw   the r-th longest row has about r^-0.9 times the entries of the longest. Their mean is
 *              about per_row. Rows of any length lie next to each other; some are empty
 *   banded     per_row neighbors of the diagonal, cut off at the ends
 *
 * Values of the last three are uniform in (0, 1]. "Anywhere" means one entry in each of as many equal parts
 * of the columns: columns ascend and none is drawn twice. The number of entries follows from n and per_row
 * alone, never from the seed.
 */
#ifndef SUITES_SPMV_MATRIX_H
#define SUITES_SPMV_MATRIX_H

#include <stdbool.h>

#include "suites/spmv/csr.h"

/* In the order of the words of BENCH_SPMV_MATRICES. */
enum bench_spmv_kind {
	BENCH_SPMV_FILE = -1,
	BENCH_SPMV_CYCLE,
	BENCH_SPMV_POISSON2D,
	BENCH_SPMV_RANDOM,
	BENCH_SPMV_POWERLAW,
	BENCH_SPMV_BANDED,
};

#define BENCH_SPMV_MATRICES "cycle|poisson2d|random|powerlaw|banded"

struct bench_spmv_source {
	enum bench_spmv_kind kind;
	const char *path; /* FILE: the file */
	uint64_t n;       /* rows and columns of a made one; 0: 1000000. FILE: 0 */
	uint64_t per_row; /* random, powerlaw: 0 is 8; banded: 0 is 32. Else 0 */
	uint64_t seed;    /* of a made one */
	bool f32;         /* values are rounded to float */
	bool normalised;  /* each row is divided by the sum of the magnitudes of its values */
};

/*
 * Rows, columns and entries of the matrix; a file is read for it. BENCH_USAGE if n or per_row is impossible,
 * or the file does not hold a matrix.
 */
int bench_spmv_matrix_sizes(const struct bench_spmv_source *source, struct bench_csr *sizes,
			    struct bench_error *error);

/*
 * Makes or reads the matrix; the caller frees it with bench_csr_free, also after a failure.
 * BENCH_USAGE too where a value is not finite in the type.
 */
int bench_spmv_matrix_make(const struct bench_spmv_source *source, struct bench_csr *csr,
			   struct bench_error *error);

#endif
