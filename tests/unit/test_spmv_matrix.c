/* SPDX-License-Identifier: MIT */
/* What suite spmv multiplies by: made matrices, blocks of their rows, and the kernel that these ask for. */
#include <stdlib.h>

#include "suite_fixture.h"
#include "suites/spmv/matrix.h"
#include "suites/spmv/plan.h"

static void made_matrices_are_sound_and_have_the_sizes_that_work_counts(void **state)
{
	(void)state;
	static const struct {
		struct bench_spmv_source source;
		size_t entries, longest; /* 0: not said */
	} rows[] = {
		{{.kind = BENCH_SPMV_CYCLE, .n = 3}, 6, 2},
		{{.kind = BENCH_SPMV_CYCLE, .n = 1000}, 2000, 2},
		{{.kind = BENCH_SPMV_POISSON2D, .n = 4}, 12, 3},
		{{.kind = BENCH_SPMV_POISSON2D, .n = 100}, 460, 5},
		{{.kind = BENCH_SPMV_RANDOM, .n = 1000}, 8000, 8},
		{{.kind = BENCH_SPMV_RANDOM, .n = 7, .per_row = 7}, 49, 7},
		{{.kind = BENCH_SPMV_BANDED, .n = 1000}, 0, 32},
		{{.kind = BENCH_SPMV_BANDED, .n = 5, .per_row = 3}, 13, 3},
		{{.kind = BENCH_SPMV_POWERLAW, .n = 10000}, 0, 0},
		{{.kind = BENCH_SPMV_POWERLAW, .n = 3, .per_row = 3}, 0, 0},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (uint64_t seed = 1; seed < 4; seed++) {
			struct bench_csr csr, sizes;
			struct bench_error error = {0};
			struct bench_spmv_source source = rows[i].source;
			source.seed = seed;
			assert_int_equal(bench_spmv_matrix_sizes(&source, &sizes, &error), 0);
			assert_int_equal(bench_spmv_matrix_make(&source, &csr, &error), 0);
			assert_int_equal(csr.rows, source.n);
			assert_int_equal(csr.entries, sizes.entries);
			assert_int_equal(csr.offsets[csr.rows], csr.entries);
			for (size_t row = 0; row < csr.rows; row++)
				for (uint32_t k = csr.offsets[row]; k < csr.offsets[row + 1]; k++) {
					assert_true(csr.columns[k] < csr.cols && csr.values[k] != 0);
					assert_true(k == csr.offsets[row] ||
						    csr.columns[k - 1] < csr.columns[k]);
				}
			if (rows[i].entries)
				assert_int_equal(csr.entries, rows[i].entries);
			if (rows[i].longest)
				assert_int_equal(bench_csr_count_rows(&csr).longest, rows[i].longest);
			bench_csr_free(&csr);
		}
}

static void a_power_law_has_long_rows_and_empty_ones_and_its_mean(void **state)
{
	(void)state;
	const struct bench_spmv_source source = {.kind = BENCH_SPMV_POWERLAW, .n = 100000, .per_row = 10};
	struct bench_csr csr;
	struct bench_error error = {0};
	assert_int_equal(bench_spmv_matrix_make(&source, &csr, &error), 0);
	struct bench_csr_rows rows = bench_csr_count_rows(&csr);
	assert_true(rows.mean > 6 && rows.mean < 12);
	assert_true(rows.longest > 10000);
	assert_int_equal(bench_spmv_choose(&rows), BENCH_SPMV_ADAPTIVE);
	bench_csr_free(&csr);
}

/* Whole rows, or parts of one, all of the size that bench/spmv.h says; a row in parts is in `splits`. */
static void expect_blocks(const struct bench_csr *csr, const struct bench_spmv_blocks *blocks, size_t entries,
			  size_t part)
{
	size_t splits = 0;
	assert_true(blocks->places[0].row == 0 && blocks->places[0].entry == 0);
	assert_int_equal(blocks->places[blocks->count].row, csr->rows);
	assert_int_equal(blocks->places[blocks->count].entry, csr->entries);
	for (size_t b = 0; b < blocks->count; b++) {
		struct bench_spmv_place from = blocks->places[b], to = blocks->places[b + 1];
		bool begins = from.entry == csr->offsets[from.row], ends = to.entry == csr->offsets[to.row];
		assert_true(from.row < csr->rows && to.entry - from.entry <= part);
		if (begins && ends) {
			assert_true(from.row < to.row);
			assert_true(to.entry - from.entry <= entries || to.row - from.row == 1);
			continue;
		}
		assert_int_equal(to.row - from.row, ends);
		assert_true(ends || to.entry - from.entry == part);
		if (begins)
			assert_int_equal(blocks->splits[splits++], b);
	}
	assert_int_equal(splits, blocks->split_count);
}

static void blocks_hold_what_they_may_and_all_rows(void **state)
{
	(void)state;
	static const size_t entries[] = {1, 2, 64, 1024, BENCH_SPMV_BLOCK_MAX};
	static const struct bench_spmv_source sources[] = {{.kind = BENCH_SPMV_CYCLE, .n = 1000},
							   {.kind = BENCH_SPMV_POWERLAW, .n = 5000},
							   {.kind = BENCH_SPMV_BANDED, .n = 300}};
	for (size_t s = 0; s < sizeof(sources) / sizeof(sources[0]); s++)
		for (size_t i = 0; i < 2 * sizeof(entries) / sizeof(entries[0]); i++) {
			size_t most = entries[i / 2], part = i % 2 ? most : 3 * most;
			struct bench_csr csr;
			struct bench_error error = {0};
			struct bench_spmv_blocks blocks;
			assert_int_equal(bench_spmv_matrix_make(&sources[s], &csr, &error), 0);
			assert_int_equal(bench_spmv_make_blocks(&csr, most, part, &blocks, &error), 0);
			expect_blocks(&csr, &blocks, most, part);
			bench_spmv_blocks_free(&blocks);
			bench_csr_free(&csr);
		}
}

static void auto_takes_the_kernel_that_the_lengths_of_the_rows_ask_for(void **state)
{
	(void)state;
	static const struct {
		struct bench_csr_rows rows;
		enum bench_spmv_kernel kernel;
	} rows[] = {
		{{.longest = 2, .mean = 2}, BENCH_SPMV_ROW},
		{{.longest = 5, .mean = 4.99, .deviation = 0.1}, BENCH_SPMV_ROW},
		{{.longest = 64, .mean = 60, .deviation = 4}, BENCH_SPMV_GROUP},
		{{.longest = 46500, .mean = 3, .deviation = 215}, BENCH_SPMV_ADAPTIVE},
		{{.longest = 100000, .mean = 64, .deviation = 60}, BENCH_SPMV_ADAPTIVE},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(bench_spmv_choose(&rows[i].rows), rows[i].kernel);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(made_matrices_are_sound_and_have_the_sizes_that_work_counts),
		cmocka_unit_test(a_power_law_has_long_rows_and_empty_ones_and_its_mean),
		cmocka_unit_test(blocks_hold_what_they_may_and_all_rows),
		cmocka_unit_test(auto_takes_the_kernel_that_the_lengths_of_the_rows_ask_for),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
