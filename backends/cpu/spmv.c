/* SPDX-License-Identifier: MIT */
/*
 * Sparse matrix times vector. OpenBLAS has none, so this is what its users write: a loop over
 * the rows, shared out evenly among the threads. That is kernel=row, the yardstick for the
 * others: group sums a row in the lanes of a vector, adaptive takes blocks of rows, or of one long row,
 * as threads become free.
 */
#include "backends/check.h"
#include "backends/cpu.h"
#include "backends/cpu/operations.h"

/* The arrays of one product; values, x and y of its type. */
struct arrays {
	const uint32_t *offsets, *columns;
	const void *values, *x;
	void *y;
};

/* `simd` tells the compiler how to add up a row. */
/* NOLINTBEGIN(bugprone-macro-parentheses): types and pragmas take none */
#define DEFINE_ROWS(name, real, simd)                                                                        \
	static void name(const struct arrays *arrays, size_t first, size_t end)                              \
	{                                                                                                    \
		const uint32_t *offsets = arrays->offsets, *columns = arrays->columns;                       \
		const real *values = arrays->values, *x = arrays->x;                                         \
		real *restrict y = arrays->y;                                                                \
		for (size_t row = first; row < end; row++) {                                                 \
			real sum = 0;                                                                        \
			simd for (uint32_t k = offsets[row]; k < offsets[row + 1]; k++) sum +=               \
				values[k] * x[columns[k]];                                                   \
			y[row] = sum;                                                                        \
		}                                                                                            \
	}
/* NOLINTEND(bugprone-macro-parentheses) */
#define SIMD _Pragma("omp simd reduction(+ : sum)")
DEFINE_ROWS(rows_f32, float, )
DEFINE_ROWS(rows_f64, double, )
DEFINE_ROWS(lanes_f32, float, SIMD)
DEFINE_ROWS(lanes_f64, double, SIMD)

typedef void (*loop)(const struct arrays *arrays, size_t first, size_t end);
static const loop loops[2][2] = {{rows_f32, lanes_f32}, {rows_f64, lanes_f64}};

/* A part of a row is a row by itself, whose sum goes to the block's own place in `parts`. */
static void add_block(const struct bench_spmv *spmv, const struct arrays *arrays, size_t block, void *parts)
{
	const struct bench_spmv_place *from = (const struct bench_spmv_place *)spmv->blocks->data + block,
				      *to = from + 1;
	if (from->row != to->row && from->entry == arrays->offsets[from->row]) {
		loops[spmv->dtype == BENCH_F64][0](arrays, from->row, to->row);
		return;
	}
	const uint32_t offsets[] = {from->entry, to->entry};
	struct arrays part = *arrays;
	part.offsets = offsets;
	part.y = (char *)parts + block * bench_dtype_bytes(spmv->dtype);
	loops[spmv->dtype == BENCH_F64][1](&part, 0, 1);
}

/* Adds up the parts of rows, in their order. */
static void join_parts(const struct bench_spmv *spmv, const struct arrays *arrays, const void *parts)
{
	const struct bench_spmv_place *places = spmv->blocks->data;
	const uint32_t *splits = spmv->splits->data;
	for (size_t i = 0; i < spmv->split_count; i++) {
		uint32_t row = places[splits[i]].row;
		double sum = 0;
		for (size_t block = splits[i]; places[block].row == row; block++)
			sum += spmv->dtype == BENCH_F64 ? ((const double *)parts)[block]
							: (double)((const float *)parts)[block];
		if (spmv->dtype == BENCH_F64)
			((double *)arrays->y)[row] = sum;
		else
			((float *)arrays->y)[row] = (float)sum;
	}
}

int bench_cpu_spmv(struct bench_device *device, const struct bench_spmv *spmv, struct bench_error *error)
{
	if (bench_spmv_check("openblas", spmv, bench_cpu_bytes, error))
		return -1;
	const struct arrays arrays = {
		.offsets = spmv->offsets->data,
		.columns = spmv->columns->data,
		.values = spmv->values->data,
		.x = spmv->x->data,
		.y = spmv->y->data,
	};
	unsigned threads = bench_cpu_threads(device, spmv->entries + spmv->rows);
	if (spmv->kernel == BENCH_SPMV_ADAPTIVE) {
		void *parts = NULL;
		if (spmv->split_count &&
		    bench_cpu_reserve(device, spmv->block_count * bench_dtype_bytes(spmv->dtype), &parts,
				      error))
			return -1;
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (threads > 1)
		for (size_t block = 0; block < spmv->block_count; block++)
			add_block(spmv, &arrays, block, parts);
		if (spmv->split_count)
			join_parts(spmv, &arrays, parts);
	} else {
		const loop rows = loops[spmv->dtype == BENCH_F64][spmv->kernel == BENCH_SPMV_GROUP];
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
		for (unsigned part = 0; part < threads; part++)
			rows(&arrays, spmv->rows * part / threads, spmv->rows * (part + 1) / threads);
	}
	return 0;
}
