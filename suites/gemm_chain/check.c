/* SPDX-License-Identifier: MIT */
#include "suites/gemm_chain/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "kit/dense.h"

/* Rows in one pass over the factors; vectors of the residual. */
enum { ROWS = 8, VECTORS = 2 };

/* Streams of the seed; those of the matrices are small numbers. */
enum { STREAM_SIGNS = 1000, STREAM_LINES };

static const double elementwise_limit = 0x1p24;

double bench_chain_alpha(size_t n)
{
	return sqrt(3 / (double)n);
}

uint64_t bench_chain_check_bytes(uint64_t n)
{
	return sizeof(double) * 6 * ROWS * n;
}

/* Rows of the chain and what their errors are normalized by, V_L / tau^2, in the same pass. */
struct rows {
	double *x, *variance;              /* count x n: in X_i; V_i / tau^2 */
	double *next, *stage, *propagated; /* scratch of the same size */
};

static void advance(const struct bench_matrix *factor, double alpha, size_t count, struct rows *rows)
{
	struct bench_matrix b = bench_matrix_transposed(*factor);
	size_t total = count * b.rows;
	bench_matrix_vectors(&b, BENCH_MAP_VALUE, count, rows->x, rows->next);
	bench_matrix_vectors(&b, BENCH_MAP_SQUARE, count, rows->variance, rows->propagated);
	for (size_t i = 0; i < total; i++)
		rows->x[i] = fabs(rows->x[i]);
	bench_matrix_vectors(&b, BENCH_MAP_ABS, count, rows->x, rows->stage);
	for (size_t i = 0; i < total; i++) {
		rows->x[i] = alpha * rows->next[i];
		rows->variance[i] = alpha * alpha * (rows->propagated[i] + rows->stage[i] * rows->stage[i]);
	}
}

static int compare_rows(const struct bench_chain_problem *problem, const size_t *list, size_t count,
			double *worst, struct bench_error *error)
{
	size_t n = problem->result.rows, total = count * n;
	BENCH_SCOPED_MEMORY double *scratch = bench_dense_scratch(6 * total, error);
	if (!scratch)
		return -1;
	struct rows rows = {scratch, scratch + total, scratch + 2 * total, scratch + 3 * total,
			    scratch + 4 * total};
	double *found = scratch + 5 * total;
	for (size_t row = 0; row < count; row++) {
		bench_matrix_row(&problem->factors[0], BENCH_MAP_VALUE, list[row], rows.x + row * n);
		bench_matrix_row(&problem->result, BENCH_MAP_VALUE, list[row], found + row * n);
	}
	memset(rows.variance, 0, total * sizeof(*rows.variance));
	for (size_t i = 1; i <= problem->length; i++)
		advance(&problem->factors[i], bench_chain_alpha(n), count, &rows);
	for (size_t i = 0; i < total; i++)
		*worst = bench_dense_worse(*worst,
					   bench_dense_error(found[i], rows.x[i], sqrt(rows.variance[i])));
	return 0;
}

static int compare_all_rows(const struct bench_chain_problem *problem, double *worst,
			    struct bench_error *error)
{
	size_t list[ROWS], n = problem->result.rows;
	for (size_t i = 0; i < n; i += ROWS) {
		size_t count = n - i < ROWS ? n - i : ROWS;
		for (size_t row = 0; row < count; row++)
			list[row] = i + row;
		if (compare_rows(problem, list, count, worst, error))
			return -1;
	}
	return 0;
}

static int compare_sampled_rows(const struct bench_chain_problem *problem, double *worst,
				struct bench_error *error)
{
	size_t n = problem->result.rows;
	struct bench_rng rng;
	bench_rng_start(&rng, problem->seed, STREAM_LINES);
	size_t list[] = {0, n - 1, (size_t)bench_rng_below(&rng, n), (size_t)bench_rng_below(&rng, n)};
	return compare_rows(problem, list, sizeof(list) / sizeof(list[0]), worst, error);
}

static int compare_residuals(const struct bench_chain_problem *problem, double *worst,
			     struct bench_error *error)
{
	size_t n = problem->result.rows, total = VECTORS * n;
	BENCH_SCOPED_MEMORY double *scratch = bench_dense_scratch(3 * total, error);
	if (!scratch)
		return -1;
	double *found = scratch, *x = scratch + total, *next = scratch + 2 * total;
	struct bench_rng rng;
	bench_rng_start(&rng, problem->seed, STREAM_SIGNS);
	bench_dense_signs(&rng, x, total);
	bench_matrix_vectors(&problem->result, BENCH_MAP_VALUE, VECTORS, x, found);
	for (size_t factor = problem->length + 1; factor-- > 0;) {
		bench_matrix_vectors(&problem->factors[factor], BENCH_MAP_VALUE, VECTORS, x, next);
		double scale = factor == 0 ? 1 : bench_chain_alpha(n);
		for (size_t i = 0; i < total; i++)
			x[i] = scale * next[i];
	}
	double normaliser = sqrt((double)problem->length / 3) * (double)n;
	for (size_t i = 0; i < total; i++)
		*worst = bench_dense_worse(*worst, bench_dense_error(found[i], x[i], normaliser));
	return 0;
}

int bench_chain_check(const struct bench_chain_problem *problem, struct bench_check *check,
		      struct bench_error *error)
{
	size_t n = problem->result.rows;
	*check = (struct bench_check){.tolerance = bench_dense_tolerance(problem->result.dtype, n)};
	if ((double)problem->length * (double)n * (double)n * (double)n <= elementwise_limit) {
		snprintf(check->method, sizeof(check->method), "every element against the chain in double");
		return compare_all_rows(problem, &check->error, error);
	}
	snprintf(check->method, sizeof(check->method), "residual of random signs; rows against the chain");
	if (compare_sampled_rows(problem, &check->error, error))
		return -1;
	return compare_residuals(problem, &check->error, error);
}
