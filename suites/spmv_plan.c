#include "suites/spmv_plan.h"

#include <stdlib.h>

/*
 * Mean length of a row from which several lanes pay: below, most of them have nothing to do
 * (Bell and Garland, SC09, section 4: the vector kernel wastes what a row lacks of a warp).
 */
static const double long_row = 16;

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

int bench_spmv_make_blocks(const struct bench_csr *csr, size_t entries, uint32_t **blocks, size_t *count,
			   struct bench_error *error)
{
	*count = 0;
	*blocks = malloc((csr->rows + 1) * sizeof(**blocks));
	if (!*blocks)
		return bench_fail(error, BENCH_NO_MEMORY, "no host memory for the blocks of %zu rows",
				  csr->rows);
	uint32_t first = 0, rows = (uint32_t)csr->rows;
	(*blocks)[0] = 0;
	while (first < rows) {
		uint32_t end = first + 1;
		while (end < rows && end - first < entries &&
		       csr->offsets[end + 1] - csr->offsets[first] <= entries)
			end++;
		(*blocks)[++*count] = first = end;
	}
	return 0;
}
