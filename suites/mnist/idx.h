/* SPDX-License-Identifier: MIT */
/*
 * Reader of IDX files, the format of MNIST (LeCun, Cortes and Burges, "The MNIST database of
 * handwritten digits", 1998): two zero bytes, a type, the number of dimensions, each
 * dimension as a big-endian 32-bit number, and the elements. Plain or compressed by gzip.
 *
 * Files come from anywhere: nothing that a header says is believed before it was checked,
 * and memory is taken as bytes are really there.
 */
#ifndef SUITES_MNIST_IDX_H
#define SUITES_MNIST_IDX_H

#include <stddef.h>
#include <stdint.h>

#include "bench/error.h"

enum { BENCH_IDX_DIMENSIONS = 3 }; /* at the most */

struct bench_idx {
	size_t dimensions[BENCH_IDX_DIMENSIONS]; /* all >= 1; 1 beyond those of the file */
	uint8_t *data;                           /* malloc'd */
	size_t bytes;                            /* the product of the dimensions */
	uint32_t crc; /* CRC-32 of the file's contents, decompressed, header included */
};

/*
 * Reads a file of unsigned bytes with `rank` dimensions (1 to BENCH_IDX_DIMENSIONS) and at
 * most `limit` elements. BENCH_ENVIRONMENT, with the file, the byte and what was expected, if the file is
 * missing, damaged, of another kind, or shorter or longer than its header says. bench_idx_free frees; {0} is
 * allowed.
 */
int bench_idx_read(const char *path, unsigned rank, size_t limit, struct bench_idx *idx,
		   struct bench_error *error);
void bench_idx_free(struct bench_idx *idx);

#endif
