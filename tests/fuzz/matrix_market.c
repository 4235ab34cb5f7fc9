/* SPDX-License-Identifier: MIT */
/* Matrix Market files, plain and compressed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "core/text.h"
#include "fuzz.h"
#include "suites/spmv/matrix_market.h"

#define COMPRESSED_TOO ((size_t)16 << 10)

static void check(const struct bench_csr *csr)
{
	FUZZ_CHECK(csr->rows > 0 && csr->cols > 0 && csr->offsets[0] == 0);
	FUZZ_CHECK(csr->offsets[csr->rows] == csr->entries);
	for (size_t row = 0; row < csr->rows; row++) {
		FUZZ_CHECK(csr->offsets[row] <= csr->offsets[row + 1]);
		for (uint32_t k = csr->offsets[row]; k < csr->offsets[row + 1]; k++) {
			FUZZ_CHECK(csr->columns[k] < csr->cols);
			FUZZ_CHECK(k == csr->offsets[row] || csr->columns[k - 1] < csr->columns[k]);
		}
	}
}

static void check_same(const struct bench_csr *a, const struct bench_csr *b)
{
	FUZZ_CHECK(a->rows == b->rows && a->cols == b->cols && a->entries == b->entries);
	FUZZ_CHECK(memcmp(a->offsets, b->offsets, (a->rows + 1) * sizeof(*a->offsets)) == 0);
	FUZZ_CHECK(a->entries == 0 || memcmp(a->columns, b->columns, a->entries * sizeof(*a->columns)) == 0);
	for (size_t k = 0; k < a->entries; k++)
		FUZZ_CHECK(a->values[k] == b->values[k]);
}

/* As text it is the same matrix again. Sums of finite values may be none. */
static void check_written(const struct bench_csr *csr)
{
	struct bench_text text = {0};
	struct bench_csr again;
	struct bench_error error;
	bench_text_add(&text, "%%%%MatrixMarket matrix coordinate real general\n%zu %zu %zu\n", csr->rows,
		       csr->cols, csr->entries);
	for (size_t row = 0; row < csr->rows; row++)
		for (uint32_t k = csr->offsets[row]; k < csr->offsets[row + 1]; k++) {
			if (!isfinite(csr->values[k])) {
				bench_text_free(&text);
				return;
			}
			bench_text_add(&text, "%zu %u %.17g\n", row + 1, csr->columns[k] + 1, csr->values[k]);
		}
	int status = bench_matrix_market_read(fuzz_file(text.data, text.length), &again, &error);
	/* Entries of one place that were summed may have been many more than they are now. */
	if (status == 0)
		check_same(csr, &again);
	else if (!strstr(error.text, "taken for a mistake"))
		fuzz_fail("%s", error.text);
	bench_csr_free(&again);
	bench_text_free(&text);
}

/* Compressed, it is what it is plain. */
static void check_compressed(const uint8_t *data, size_t size, int status, const struct bench_csr *csr)
{
	struct bench_csr again;
	struct bench_error error;
	z_stream stream = {0};
	uint8_t *packed = malloc(COMPRESSED_TOO + 1024);
	FUZZ_CHECK(packed && deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
	stream.next_in = (Bytef *)(uintptr_t)data;
	stream.avail_in = (uInt)size;
	stream.next_out = packed;
	stream.avail_out = COMPRESSED_TOO + 1024;
	FUZZ_CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
	FUZZ_CHECK(bench_matrix_market_read(fuzz_file(packed, stream.total_out), &again, &error) == status);
	if (status == 0)
		check_same(csr, &again);
	deflateEnd(&stream);
	bench_csr_free(&again);
	free(packed);
}

void fuzz_matrix_market(const uint8_t *data, size_t size)
{
	struct bench_csr csr;
	struct bench_error error = {0};
	int status = bench_matrix_market_read(fuzz_file(data, size), &csr, &error);
	bool compressed = size >= 2 && data[0] == 0x1f && data[1] == 0x8b;
	if (status == 0)
		check(&csr);
	else
		FUZZ_CHECK(*error.text);
	if (!compressed && size <= COMPRESSED_TOO)
		check_compressed(data, size, status, &csr);
	if (status == 0 && csr.rows <= 1000)
		check_written(&csr);
	bench_csr_free(&csr);
}
