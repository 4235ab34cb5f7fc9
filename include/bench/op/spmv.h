/* SPDX-License-Identifier: MIT */
/* Sparse matrix times vector, an operation of a backend. */
#ifndef BENCH_SPMV_H
#define BENCH_SPMV_H

#include <stddef.h>
#include <stdint.h>

#include "bench/dtype.h"

struct bench_buffer;

/* How the rows are shared out. */
enum bench_spmv_kernel {
	BENCH_SPMV_ROW,      /* a row is summed by one work-item, or by one thread, term by term */
	BENCH_SPMV_GROUP,    /* a row is summed by several work-items, or by the lanes of a vector */
	BENCH_SPMV_ADAPTIVE, /* blocks of about as many entries each, of rows or of one long row: `blocks` */
};

/* Where a block begins: before this row's first entry, or at `entry`, which is one within it. */
struct bench_spmv_place {
	uint32_t row, entry;
};

/*
 * y = A x. A has `rows` rows, `cols` columns and `entries` stored entries, in compressed rows:
 * those of row r are k = offsets[r] to offsets[r + 1] - 1, with columns[k] < cols and
 * values[k]. offsets: rows + 1 of uint32_t, not falling, from 0 to `entries`; columns:
 * `entries` of uint32_t; values, x, y: `entries`, `cols` and `rows` elements of `dtype`.
 * rows and cols are 1 to 2^31 - 1, entries 0 to 2^31 - 1; a buffer may be longer. A row
 * without entries gives 0. y is written whole and never read; it is another buffer than x.
 *
 * ADAPTIVE alone takes `blocks`: block_count + 1 of struct bench_spmv_place, from {0, 0} to
 * {rows, entries}. Block b is what lies between place b and place b + 1: whole rows of at most block_entries
 * entries together; or one of more than that and at most part_entries; or a part of a row that has more
 * still. All parts of a row but the last are part_entries long. `splits`: split_count of uint32_t, which may
 * be 0, the first block of each row that is in parts. block_entries is 1 to part_entries, which is up to
 * BENCH_SPMV_BLOCK_MAX; what suits devices is said below.
 *
 * A backend does not look at what the buffers hold, only at how long they are. One that sums
 * in one thread, term by term, has nothing to share out and takes every kernel for that.
 */
struct bench_spmv {
	enum bench_dtype dtype;
	enum bench_spmv_kernel kernel;
	size_t rows, cols, entries;
	const struct bench_buffer *offsets, *columns, *values, *x;
	struct bench_buffer *y;
	const struct bench_buffer *blocks, *splits; /* splits: NULL where split_count is 0 */
	size_t block_count, block_entries, part_entries, split_count;
};

#define BENCH_SPMV_BLOCK_MAX 65536

/*
 * The entries of a block and of a part. On a GPU, at most what a group holds in local memory with room for
 * other groups; a block has fewer if some units would otherwise have none. Elsewhere, enough to make the cost
 * of starting a block negligible.
 */
#define BENCH_SPMV_BLOCK_GPU       1024
#define BENCH_SPMV_BLOCK_GPU_LEAST 128
#define BENCH_SPMV_BLOCK_CPU       16384

#endif
