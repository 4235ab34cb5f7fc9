/*
 * Sparse matrix times vector. OpenBLAS has none, so this is what its users write: a loop over
 * the rows, shared out evenly among the threads. That is kernel=row, the yardstick for the
 * others: group sums a row in the lanes of a vector, adaptive takes blocks of rows
 * as threads become free.
 */
#include "backends/cpu.h"
#include "backends/openblas/operations.h"

/* The arrays of one product; values, x and y of its type. */
struct arrays {
	const uint32_t *offsets, *columns;
	const void *values, *x;
	void *y;
};

static void rows_f32(const struct arrays *arrays, size_t first, size_t end)
{
	const uint32_t *offsets = arrays->offsets, *columns = arrays->columns;
	const float *values = arrays->values, *x = arrays->x;
	float *restrict y = arrays->y;
	for (size_t row = first; row < end; row++) {
		float sum = 0;
		for (uint32_t k = offsets[row]; k < offsets[row + 1]; k++)
			sum += values[k] * x[columns[k]];
		y[row] = sum;
	}
}

static void rows_f64(const struct arrays *arrays, size_t first, size_t end)
{
	const uint32_t *offsets = arrays->offsets, *columns = arrays->columns;
	const double *values = arrays->values, *x = arrays->x;
	double *restrict y = arrays->y;
	for (size_t row = first; row < end; row++) {
		double sum = 0;
		for (uint32_t k = offsets[row]; k < offsets[row + 1]; k++)
			sum += values[k] * x[columns[k]];
		y[row] = sum;
	}
}

static void lanes_f32(const struct arrays *arrays, size_t first, size_t end)
{
	const uint32_t *offsets = arrays->offsets, *columns = arrays->columns;
	const float *values = arrays->values, *x = arrays->x;
	float *restrict y = arrays->y;
	for (size_t row = first; row < end; row++) {
		float sum = 0;
#pragma omp simd reduction(+ : sum)
		for (uint32_t k = offsets[row]; k < offsets[row + 1]; k++)
			sum += values[k] * x[columns[k]];
		y[row] = sum;
	}
}

static void lanes_f64(const struct arrays *arrays, size_t first, size_t end)
{
	const uint32_t *offsets = arrays->offsets, *columns = arrays->columns;
	const double *values = arrays->values, *x = arrays->x;
	double *restrict y = arrays->y;
	for (size_t row = first; row < end; row++) {
		double sum = 0;
#pragma omp simd reduction(+ : sum)
		for (uint32_t k = offsets[row]; k < offsets[row + 1]; k++)
			sum += values[k] * x[columns[k]];
		y[row] = sum;
	}
}

int bench_openblas_spmv(struct bench_device *device, const struct bench_spmv *spmv, struct bench_error *error)
{
	static void (*const loops[2][2])(const struct arrays *arrays, size_t first,
					 size_t end) = {{rows_f32, lanes_f32}, {rows_f64, lanes_f64}};
	if (bench_cpu_check_spmv("openblas", spmv, error))
		return -1;
	const struct arrays arrays = {
		.offsets = spmv->offsets->data,
		.columns = spmv->columns->data,
		.values = spmv->values->data,
		.x = spmv->x->data,
		.y = spmv->y->data,
	};
	void (*loop)(const struct arrays *, size_t, size_t) =
		loops[spmv->dtype == BENCH_F64][spmv->kernel == BENCH_SPMV_GROUP];
	unsigned threads = bench_cpu_threads(device, spmv->entries + spmv->rows);
	if (spmv->kernel == BENCH_SPMV_ADAPTIVE) {
		const uint32_t *blocks = spmv->blocks->data;
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (threads > 1)
		for (size_t block = 0; block < spmv->block_count; block++)
			loop(&arrays, blocks[block], blocks[block + 1]);
	} else {
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
		for (unsigned part = 0; part < threads; part++)
			loop(&arrays, spmv->rows * part / threads, spmv->rows * (part + 1) / threads);
	}
	return 0;
}
