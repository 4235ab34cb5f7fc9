/* SPDX-License-Identifier: MIT */
#include "suites/spmv/plan.h"

#include <stdlib.h>

/*
 * Mean length of a row from which several lanes pay: below, most of them have nothing to do
 * (Bell and Garland, SC09, section 4: the vector kernel wastes what a row lacks of a warp).
 */
static const double long_row = 16;

/* Blocks for each unit of a GPU, if there are enough entries, so that their waits for memory overlap. */
enum { BLOCKS_OF_UNIT = 4 };

enum bench_spmv_kernel bench_spmv_choose(const struct bench_csr_rows *rows)
{
	/*
	 * Uneven: shared out by rows, one thread or group would have more to do than the others. The
	 * deviation sees many rows that differ, the longest row a single one.
	 */
	if (rows->deviation > rows->mean || (double)rows->longest > 32 * (rows->mean + 1))
		return BENCH_SPMV_ADAPTIVE;
	return rows->mean >= long_row ? BENCH_SPMV_GROUP : BENCH_SPMV_ROW;
}

size_t bench_spmv_block_entries(const struct bench_csr *csr, size_t units)
{
	size_t entries = BENCH_SPMV_BLOCK_GPU;
	while (entries > BENCH_SPMV_BLOCK_GPU_LEAST && csr->entries / entries < BLOCKS_OF_UNIT * units)
		entries /= 2;
	return entries;
}

/* The parts of a long row: the places where they begin. */
static void add_parts(const struct bench_csr *csr, uint32_t row, size_t part,
		      struct bench_spmv_blocks *blocks)
{
	blocks->splits[blocks->split_count++] = (uint32_t)blocks->count;
	for (size_t entry = csr->offsets[row]; entry < csr->offsets[row + 1]; entry += part)
		blocks->places[blocks->count++] = (struct bench_spmv_place){row, (uint32_t)entry};
}

int bench_spmv_make_blocks(const struct bench_csr *csr, size_t entries, size_t part,
			   struct bench_spmv_blocks *blocks, struct bench_error *error)
{
	size_t splits = csr->entries / part, most = csr->rows + splits + 1;
	*blocks = (struct bench_spmv_blocks){.places = malloc(most * sizeof(*blocks->places)),
					     .splits = malloc((splits + 1) * sizeof(*blocks->splits))};
	if (!blocks->places || !blocks->splits)
		return bench_fail(error, BENCH_NO_MEMORY, "no host memory for the blocks of %zu rows",
				  csr->rows);
	uint32_t first = 0, rows = (uint32_t)csr->rows;
	while (first < rows) {
		uint32_t end = first + 1, from = csr->offsets[first];
		if (csr->offsets[end] - from > part) {
			add_parts(csr, first, part, blocks);
		} else {
			blocks->places[blocks->count++] = (struct bench_spmv_place){first, from};
			while (end < rows && end - first < entries && csr->offsets[end + 1] - from <= entries)
				end++;
		}
		first = end;
	}
	blocks->places[blocks->count] = (struct bench_spmv_place){rows, csr->offsets[rows]};
	return 0;
}

void bench_spmv_blocks_free(struct bench_spmv_blocks *blocks)
{
	free(blocks->places);
	free(blocks->splits);
	*blocks = (struct bench_spmv_blocks){0};
}
