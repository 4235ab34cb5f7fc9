/* SPDX-License-Identifier: MIT */
#include "suites/spmv/matrix.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "kit/rng.h"
#include "suites/spmv/matrix_market.h"

enum { N_DEFAULT = 1000000, PER_ROW_DEFAULT = 8, BAND_DEFAULT = 32 };

/* Streams of the seed; small numbers are the suite's. */
enum { STREAM_ROWS = 100, STREAM_COLUMNS };

/* Of row lengths over their rank. */
static const double exponent = 0.9;

struct shape {
	enum bench_spmv_kind kind;
	uint64_t n, per_row, side;
};

static int read_shape(const struct bench_spmv_source *source, struct shape *shape, struct bench_error *error)
{
	bool fixed = source->kind == BENCH_SPMV_CYCLE || source->kind == BENCH_SPMV_POISSON2D;
	*shape = (struct shape){.kind = source->kind, .n = source->n ? source->n : N_DEFAULT};
	shape->per_row = source->per_row                     ? source->per_row
			 : source->kind == BENCH_SPMV_BANDED ? BAND_DEFAULT
							     : PER_ROW_DEFAULT;
	shape->side = (uint64_t)llround(sqrt((double)shape->n));
	if (source->kind == BENCH_SPMV_FILE && (source->n || source->per_row))
		return bench_fail(error, BENCH_USAGE,
				  "spmv: n=%" PRIu64 " per_row=%" PRIu64
				  ": a matrix from a file has its own sizes; leave both at 0",
				  source->n, source->per_row);
	if (fixed && source->per_row)
		return bench_fail(error, BENCH_USAGE,
				  "spmv: per_row=%" PRIu64
				  ": the rows of this matrix are as long as they are; leave it at 0",
				  source->per_row);
	if (shape->n < 3 || shape->n > BENCH_CSR_ROWS_MAX)
		return bench_fail(error, BENCH_USAGE, "spmv: n=%" PRIu64 ": it is 3 to %" PRIu64, shape->n,
				  BENCH_CSR_ROWS_MAX);
	if (source->kind == BENCH_SPMV_POISSON2D && shape->side * shape->side != shape->n)
		return bench_fail(error, BENCH_USAGE,
				  "spmv: n=%" PRIu64
				  ": the grid of poisson2d is square, and so is n: %" PRIu64 " is near",
				  shape->n, shape->side * shape->side);
	if (!fixed && source->kind != BENCH_SPMV_FILE && shape->per_row > shape->n)
		return bench_fail(error, BENCH_USAGE, "spmv: per_row=%" PRIu64 " in rows of %" PRIu64,
				  shape->per_row, shape->n);
	return 0;
}

/* The first and the end of the columns of a row of the band. */
static void band(const struct shape *shape, uint64_t row, uint64_t *first, uint64_t *end)
{
	uint64_t left = shape->per_row / 2, right = shape->per_row - left;
	*first = row > left ? row - left : 0;
	*end = row + right < shape->n ? row + right : shape->n;
}

/* The points of the stencil at `row` that lie on the grid, ascending; gives how many. */
static uint64_t poisson_neighbours(const struct shape *shape, uint64_t row, uint64_t list[5])
{
	uint64_t side = shape->side, count = 0;
	uint64_t column = side ? row % side : 0;
	if (row >= side)
		list[count++] = row - side;
	if (column > 0)
		list[count++] = row - 1;
	list[count++] = row;
	if (column + 1 < side)
		list[count++] = row + 1;
	if (row + side < shape->n)
		list[count++] = row + side;
	return count;
}

/* Entries of the row of this rank, from 0; of all kinds but powerlaw the rank is the row. */
static uint64_t row_length(const struct shape *shape, uint64_t rank)
{
	uint64_t first, end, neighbours[5];
	switch (shape->kind) {
	case BENCH_SPMV_CYCLE:
		return 2;
	case BENCH_SPMV_POISSON2D:
		return poisson_neighbours(shape, rank, neighbours);
	case BENCH_SPMV_POWERLAW: {
		/* The integral of rank^-0.9 from 0 to n is n^0.1 / 0.1: this has a mean of per_row. */
		double longest = (double)shape->per_row * (1 - exponent) * pow((double)shape->n, exponent);
		double length = longest * pow((double)(rank + 1), -exponent);
		return length < (double)shape->n ? (uint64_t)length : shape->n;
	}
	case BENCH_SPMV_BANDED:
		band(shape, rank, &first, &end);
		return end - first;
	default:
		return shape->per_row;
	}
}

static int count_entries(const struct shape *shape, uint64_t *entries, struct bench_error *error)
{
	*entries = 0;
	for (uint64_t rank = 0; rank < shape->n && *entries <= BENCH_CSR_ENTRIES_MAX; rank++)
		*entries += row_length(shape, rank);
	if (*entries > BENCH_CSR_ENTRIES_MAX)
		return bench_fail(error, BENCH_USAGE,
				  "spmv: n=%" PRIu64 ": a matrix of more than %" PRIu64
				  " entries; use a smaller n or per_row",
				  shape->n, BENCH_CSR_ENTRIES_MAX);
	return 0;
}

static void fill_cycle(const struct shape *shape, uint64_t row, uint32_t *columns, double *values)
{
	uint64_t before = (row + shape->n - 1) % shape->n, after = (row + 1) % shape->n;
	columns[0] = (uint32_t)(before < after ? before : after);
	columns[1] = (uint32_t)(before < after ? after : before);
	values[0] = values[1] = 0.5;
}

static void fill_poisson(const struct shape *shape, uint64_t row, uint32_t *columns, double *values)
{
	uint64_t neighbours[5], count = poisson_neighbours(shape, row, neighbours);
	for (uint64_t i = 0; i < count; i++) {
		columns[i] = (uint32_t)neighbours[i];
		values[i] = neighbours[i] == row ? 4 : -1;
	}
}

static void fill_row(const struct shape *shape, uint64_t row, uint64_t length, struct bench_rng *rng,
		     uint32_t *columns, double *values)
{
	uint64_t first, end;
	switch (shape->kind) {
	case BENCH_SPMV_CYCLE:
		fill_cycle(shape, row, columns, values);
		return;
	case BENCH_SPMV_POISSON2D:
		fill_poisson(shape, row, columns, values);
		return;
	default:
		band(shape, row, &first, &end);
		for (uint64_t i = 0; i < length; i++) {
			uint64_t from = shape->n * i / length, to = shape->n * (i + 1) / length;
			columns[i] = (uint32_t)(shape->kind == BENCH_SPMV_BANDED
							? first + i
							: from + bench_rng_below(rng, to - from));
			values[i] = 1 - bench_rng_uniform(rng);
		}
	}
}

/* ranks[row]: the place of the row among the lengths; mixed for powerlaw alone. */
static size_t *make_ranks(const struct shape *shape, uint64_t seed)
{
	size_t *ranks = malloc(shape->n * sizeof(*ranks));
	if (!ranks)
		return NULL;
	for (size_t i = 0; i < shape->n; i++)
		ranks[i] = i;
	if (shape->kind == BENCH_SPMV_POWERLAW) {
		struct bench_rng rng;
		bench_rng_start(&rng, seed, STREAM_ROWS);
		bench_rng_shuffle(&rng, ranks, shape->n);
	}
	return ranks;
}

static int make(const struct shape *shape, uint64_t seed, struct bench_csr *csr, struct bench_error *error)
{
	uint64_t entries;
	if (count_entries(shape, &entries, error) || bench_csr_make(csr, shape->n, shape->n, entries, error))
		return -1;
	size_t *ranks = make_ranks(shape, seed);
	if (!ranks)
		return bench_fail(error, BENCH_NO_MEMORY, "spmv: no host memory for %" PRIu64 " rows",
				  shape->n);
	struct bench_rng rng;
	bench_rng_start(&rng, seed, STREAM_COLUMNS);
	for (size_t row = 0; row < shape->n; row++) {
		uint32_t at = csr->offsets[row];
		uint64_t length = row_length(shape, ranks[row]);
		csr->offsets[row + 1] = at + (uint32_t)length;
		fill_row(shape, row, length, &rng, csr->columns + at, csr->values + at);
	}
	free(ranks);
	return 0;
}

static int normalise(struct bench_csr *csr, struct bench_error *error)
{
	for (size_t row = 0; row < csr->rows; row++) {
		double sum = 0;
		for (uint32_t k = csr->offsets[row]; k < csr->offsets[row + 1]; k++)
			sum += fabs(csr->values[k]);
		if (!isfinite(sum))
			return bench_fail(error, BENCH_USAGE,
					  "spmv: the values of row %zu add up to more than a number can be",
					  row + 1);
		for (uint32_t k = csr->offsets[row]; sum > 0 && k < csr->offsets[row + 1]; k++)
			csr->values[k] /= sum;
	}
	return 0;
}

static int round_values(struct bench_csr *csr, bool f32, struct bench_error *error)
{
	for (size_t k = 0; k < csr->entries; k++) {
		double value = csr->values[k];
		csr->values[k] = f32 ? (double)(float)value : value;
		if (!isfinite(csr->values[k]))
			return bench_fail(error, BENCH_USAGE, "spmv: the value %g is too large for %s", value,
					  f32 ? "f32; use dtype=f64" : "f64");
	}
	return 0;
}

int bench_spmv_matrix_make(const struct bench_spmv_source *source, struct bench_csr *csr,
			   struct bench_error *error)
{
	struct shape shape;
	*csr = (struct bench_csr){0};
	if (read_shape(source, &shape, error))
		return -1;
	if (source->kind == BENCH_SPMV_FILE ? bench_matrix_market_read(source->path, csr, error)
					    : make(&shape, source->seed, csr, error))
		return -1;
	if (source->normalised && normalise(csr, error))
		return -1;
	return round_values(csr, source->f32, error);
}

int bench_spmv_matrix_sizes(const struct bench_spmv_source *source, struct bench_csr *sizes,
			    struct bench_error *error)
{
	struct shape shape;
	struct bench_csr csr = {0};
	uint64_t entries = 0;
	int result = -1;
	*sizes = (struct bench_csr){0};
	if (read_shape(source, &shape, error))
		return -1;
	if (source->kind != BENCH_SPMV_FILE) {
		result = count_entries(&shape, &entries, error);
		*sizes = (struct bench_csr){.rows = shape.n, .cols = shape.n, .entries = entries};
	} else {
		result = bench_matrix_market_read(source->path, &csr, error);
		*sizes = (struct bench_csr){.rows = csr.rows, .cols = csr.cols, .entries = csr.entries};
	}
	bench_csr_free(&csr);
	return result;
}
