/* SPDX-License-Identifier: MIT */
/*
 * Reads Matrix Market files (Boisvert, Pozo and Remington, "The Matrix Market exchange
 * formats: initial design", NISTIR 5935, 1996), plain or compressed by gzip.
 *
 * Read: matrix, coordinate or array, of real (or "double"), integer or pattern values (a pattern's
 * are 1), general, symmetric or skew-symmetric (the other half is filled in). Words of the banner in
 * any case, its '%' once or twice; comments and blank lines anywhere after it; blanks, tabs
 * and CRLF; exponents of C and of Fortran (1.5D+00). Zeros that are stored are kept, entries of one
 * place are summed, however many there are.
 *
 * Files are untrusted. Each entry is on a separate line, with nothing else; numbers are decimal and finite.
 * The lower half of a symmetric matrix alone is stored, as the format says. Comments are bounded. Memory
 * grows with the entries that have been read, never with what the header promises; rows and columns are at
 * most BENCH_MATRIX_MARKET_SPARE more than BENCH_MATRIX_MARKET_SPARSE times the entries.
 */
#ifndef SUITES_SPMV_MATRIX_MARKET_H
#define SUITES_SPMV_MATRIX_MARKET_H

#include "suites/spmv/csr.h"

#define BENCH_MATRIX_MARKET_SPARE  ((uint64_t)1 << 20)
#define BENCH_MATRIX_MARKET_SPARSE 64

/* Characters of a line; the format says 1024, but comments are seen that are longer. */
#define BENCH_MATRIX_MARKET_LINE 65536
/* Bytes of comments and blank lines in a file. */
#define BENCH_MATRIX_MARKET_COMMENTS (16 << 20)

/*
 * Reads `path` into `csr`, which the caller frees with bench_csr_free, also after a failure.
 * BENCH_UNSUPPORTED: complex or hermitian. BENCH_USAGE: there is no such file, or it is not
 * what it should be; the text has the path, the line and what was expected there.
 */
int bench_matrix_market_read(const char *path, struct bench_csr *csr, struct bench_error *error);

#endif
