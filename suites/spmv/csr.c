/* SPDX-License-Identifier: MIT */
#include "suites/spmv/csr.h"

#include <math.h>
#include <stdlib.h>

int bench_csr_make(struct bench_csr *csr, size_t rows, size_t cols, size_t entries, struct bench_error *error)
{
	*csr = (struct bench_csr){.rows = rows, .cols = cols, .entries = entries};
	csr->offsets = calloc(rows + 1, sizeof(*csr->offsets));
	/* One more, so that a matrix without entries has memory too. */
	csr->columns = calloc(entries + 1, sizeof(*csr->columns));
	csr->values = calloc(entries + 1, sizeof(*csr->values));
	if (!csr->offsets || !csr->columns || !csr->values)
		return bench_fail(error, BENCH_NO_MEMORY,
				  "no host memory for a sparse matrix of %zu rows and %zu entries", rows,
				  entries);
	return 0;
}

void bench_csr_free(struct bench_csr *csr)
{
	free(csr->offsets);
	free(csr->columns);
	free(csr->values);
	*csr = (struct bench_csr){0};
}

/* order[i]: the place among `count` entries, sorted by column, keeping the order within one. */
static int sort_by_column(const struct bench_csr_entry *entries, size_t count, size_t cols, uint32_t *order)
{
	uint32_t *next = calloc(cols + 1, sizeof(*next));
	if (!next)
		return -1;
	for (size_t i = 0; i < count; i++)
		next[entries[i].column + 1]++;
	for (size_t column = 0; column < cols; column++)
		next[column + 1] += next[column];
	for (size_t i = 0; i < count; i++)
		order[next[entries[i].column]++] = (uint32_t)i;
	free(next);
	return 0;
}

/* Sums neighbors of one row and column, and closes the gaps. */
static void merge_duplicates(struct bench_csr *csr)
{
	uint32_t to = 0, from = 0;
	for (size_t row = 0; row < csr->rows; row++) {
		uint32_t first = to;
		for (; from < csr->offsets[row + 1]; from++) {
			if (to > first && csr->columns[to - 1] == csr->columns[from]) {
				csr->values[to - 1] += csr->values[from];
				continue;
			}
			csr->columns[to] = csr->columns[from];
			csr->values[to++] = csr->values[from];
		}
		csr->offsets[row + 1] = to;
	}
	csr->entries = to;
}

/* A sort by column and then a stable one by row, each by counting: rows come out sorted by column. */
int bench_csr_assemble(struct bench_csr *csr, size_t rows, size_t cols, const struct bench_csr_entry *entries,
		       size_t count, struct bench_error *error)
{
	uint32_t *order = calloc(count + 1, sizeof(*order)), *next = calloc(rows + 1, sizeof(*next));
	int result = -1;
	*csr = (struct bench_csr){0};
	if (!order || !next || sort_by_column(entries, count, cols, order)) {
		bench_fail(error, BENCH_NO_MEMORY, "no host memory to sort %zu entries of a sparse matrix",
			   count);
		goto out;
	}
	if (bench_csr_make(csr, rows, cols, count, error))
		goto out;
	for (size_t i = 0; i < count; i++)
		csr->offsets[entries[i].row + 1]++;
	for (size_t row = 0; row < rows; row++) {
		csr->offsets[row + 1] += csr->offsets[row];
		next[row] = csr->offsets[row];
	}
	for (size_t i = 0; i < count; i++) {
		const struct bench_csr_entry *entry = &entries[order[i]];
		uint32_t at = next[entry->row]++;
		csr->columns[at] = entry->column;
		csr->values[at] = entry->value;
	}
	merge_duplicates(csr);
	result = 0;
out:
	free(order);
	free(next);
	return result;
}

struct bench_csr_rows bench_csr_count_rows(const struct bench_csr *csr)
{
	struct bench_csr_rows rows = {.mean = (double)csr->entries / (double)csr->rows};
	double squares = 0;
	for (size_t row = 0; row < csr->rows; row++) {
		size_t length = csr->offsets[row + 1] - csr->offsets[row];
		double difference = (double)length - rows.mean;
		squares += difference * difference;
		rows.empty += length == 0;
		if (length > rows.longest)
			rows.longest = length;
	}
	rows.deviation = sqrt(squares / (double)csr->rows);
	return rows;
}
