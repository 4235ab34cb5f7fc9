/* SPDX-License-Identifier: MIT */
#include "suites/gemm_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kit/dense.h"
#include "kit/half.h"
#include "kit/rng.h"

/* Rows in one pass over B; vectors of the residual. */
enum { ROWS = 8, VECTORS = 2 };

/* Streams of the seed; those of the matrices are small numbers. */
enum { STREAM_SIGNS = 1000, STREAM_LINES };

static const double elementwise_limit = 0x1p24;

struct bench_gemm bench_gemm_square(enum bench_dtype dtype, size_t n)
{
	return (struct bench_gemm){
		.dtype = dtype, .m = n, .n = n, .k = n, .alpha = 1, .lda = n, .ldb = n, .ldc = n};
}

struct bench_matrix bench_gemm_matrix(enum bench_dtype dtype, size_t n, const void *data)
{
	return (struct bench_matrix){dtype, false, n, n, n, data};
}

bool bench_gemm_grow(double alpha, double beta, uint64_t iterations, struct bench_gemm_growth *growth)
{
	const double limit = 1e4;
	double magnitude = 0, start_magnitude = 1; /* as product and start, all signs plus */
	struct bench_gemm_growth now = {.start = 1};
	for (uint64_t i = 0; i < iterations; i++) {
		struct bench_gemm_growth last = now;
		magnitude = fabs(alpha) + fabs(beta) * magnitude;
		start_magnitude *= fabs(beta);
		now.product = alpha + beta * last.product;
		now.start = beta * last.start;
		now.product_error = fabs(beta) * last.product_error + magnitude;
		now.start_error = fabs(beta) * last.start_error + start_magnitude;
		if (now.product_error > limit * fabs(alpha) || now.start_error > limit * fmax(fabs(beta), 1))
			return false;
		if (now.product == last.product && now.product_error == last.product_error &&
		    now.start == last.start && now.start_error == last.start_error)
			break;
	}
	*growth = now;
	return true;
}

uint64_t bench_gemm_check_bytes(uint64_t m, uint64_t n, uint64_t k)
{
	/* Rows and columns: a batch of op(A), then of product, magnitude, C and C0. Residual: see there. */
	uint64_t elementwise = ROWS * (2 * k + 4 * (m > n ? m : n));
	uint64_t residual = (2 * VECTORS + 1) * n + (VECTORS + 1) * k + (3 * VECTORS + 3) * m;
	return sizeof(double) * (elementwise > residual ? elementwise : residual);
}

/*
 * The error of `found` in units of `scale`, without what rounding to f16 or bf16 explains: `rounded` is the
 * magnitude of what was rounded once, which grows to `scale` where it was rounded every iteration.
 */
static double error_of(const struct bench_gemm_problem *problem, double found, double expected, double scale,
		       double rounded)
{
	double rounding = bench_dense_rounding(problem->c.dtype);
	if (rounding == 0)
		return bench_dense_error(found, expected, scale);
	bool once = problem->growth.product_error <= fabs(problem->growth.product);
	double subnormal = problem->c.dtype == BENCH_F16 ? BENCH_HALF_SUBNORMAL_ROUNDOFF
							 : BENCH_BFLOAT_SUBNORMAL_ROUNDOFF;
	double allowed = rounding * (once ? rounded : scale) + subnormal;
	double difference = fabs(found - expected);
	return difference <= allowed ? 0 : (difference - allowed) / scale;
}

/* Elements of `count` rows against the reference; gives the worst error. */
static int compare_rows(const struct bench_gemm_problem *problem, const size_t *rows, size_t count,
			double *worst, struct bench_error *error)
{
	struct bench_matrix b_transposed = bench_matrix_transposed(problem->b);
	size_t n = problem->b.cols, k = problem->a.cols;
	const struct bench_gemm_growth *growth = &problem->growth;
	double *scratch = bench_dense_scratch(count * (2 * k + 4 * n), error);
	if (!scratch)
		return -1;
	double *a = scratch, *a_abs = a + count * k, *product = a_abs + count * k,
	       *magnitude = product + count * n, *c = magnitude + count * n, *c0 = c + count * n;
	for (size_t row = 0; row < count; row++) {
		bench_matrix_row(&problem->a, BENCH_MAP_VALUE, rows[row], a + row * k);
		bench_matrix_row(&problem->a, BENCH_MAP_ABS, rows[row], a_abs + row * k);
		bench_matrix_row(&problem->c, BENCH_MAP_VALUE, rows[row], c + row * n);
		if (growth->start != 0)
			bench_matrix_row(&problem->c0, BENCH_MAP_VALUE, rows[row], c0 + row * n);
	}
	bench_matrix_vectors(&b_transposed, BENCH_MAP_VALUE, count, a, product);
	bench_matrix_vectors(&b_transposed, BENCH_MAP_ABS, count, a_abs, magnitude);
	for (size_t i = 0; i < count * n; i++) {
		double expected = growth->product * product[i];
		double normaliser = growth->product_error * magnitude[i];
		if (growth->start != 0) {
			expected += growth->start * c0[i];
			normaliser += growth->start_error * fabs(c0[i]);
		}
		*worst = bench_dense_worse(*worst,
					   error_of(problem, c[i], expected, normaliser, fabs(expected)));
	}
	free(scratch);
	return 0;
}

static int compare_all_rows(const struct bench_gemm_problem *problem, double *worst,
			    struct bench_error *error)
{
	size_t rows[ROWS], m = problem->a.rows;
	for (size_t i = 0; i < m; i += ROWS) {
		size_t count = m - i < ROWS ? m - i : ROWS;
		for (size_t row = 0; row < count; row++)
			rows[row] = i + row;
		if (compare_rows(problem, rows, count, worst, error))
			return -1;
	}
	return 0;
}

static int compare_sampled_rows(const struct bench_gemm_problem *problem, struct bench_rng *rng,
				double *worst, struct bench_error *error)
{
	size_t m = problem->a.rows;
	size_t rows[] = {0, m - 1, (size_t)bench_rng_below(rng, m)};
	return compare_rows(problem, rows, sizeof(rows) / sizeof(rows[0]), worst, error);
}

/* Columns of C are the rows of C^T = op(B)^T op(A)^T. */
static struct bench_gemm_problem transposed(const struct bench_gemm_problem *problem)
{
	struct bench_gemm_problem result = *problem;
	result.a = bench_matrix_transposed(problem->b);
	result.b = bench_matrix_transposed(problem->a);
	result.c = bench_matrix_transposed(problem->c);
	result.c0 = bench_matrix_transposed(problem->c0);
	return result;
}

/* ||row||_2 of each row of the matrix; `ones` holds as many ones as it has columns. */
static void row_norms(const struct bench_matrix *matrix, const double *ones, double *norms)
{
	bench_matrix_vectors(matrix, BENCH_MAP_SQUARE, 1, ones, norms);
	for (size_t i = 0; i < matrix->rows; i++)
		norms[i] = sqrt(norms[i]);
}

static int compare_residuals(const struct bench_gemm_problem *problem, double *worst,
			     struct bench_error *error)
{
	size_t m = problem->a.rows, n = problem->b.cols, k = problem->a.cols;
	const struct bench_gemm_growth *growth = &problem->growth;
	double *scratch =
		bench_dense_scratch((VECTORS + 1) * n + (VECTORS + 1) * k + (3 * VECTORS + 3) * m, error);
	if (!scratch)
		return -1;
	double *x = scratch, *ones = x + VECTORS * n, *bx = ones + n, *b_norms = bx + VECTORS * k,
	       *abx = b_norms + k, *cx = abx + VECTORS * m, *c0x = cx + VECTORS * m,
	       *normaliser = c0x + VECTORS * m, *c0_norms = normaliser + m, *c_norms = c0_norms + m;
	struct bench_rng rng;
	bench_rng_start(&rng, problem->seed, STREAM_SIGNS);
	bench_dense_signs(&rng, x, VECTORS * n);
	for (size_t i = 0; i < n; i++)
		ones[i] = 1;
	row_norms(&problem->b, ones, b_norms);
	bench_matrix_vectors(&problem->a, BENCH_MAP_ABS, 1, b_norms, normaliser);
	bench_matrix_vectors(&problem->b, BENCH_MAP_VALUE, VECTORS, x, bx);
	bench_matrix_vectors(&problem->a, BENCH_MAP_VALUE, VECTORS, bx, abx);
	bench_matrix_vectors(&problem->c, BENCH_MAP_VALUE, VECTORS, x, cx);
	if (bench_dense_rounding(problem->c.dtype) > 0)
		row_norms(&problem->c, ones, c_norms);
	if (growth->start != 0) {
		row_norms(&problem->c0, ones, c0_norms);
		bench_matrix_vectors(&problem->c0, BENCH_MAP_VALUE, VECTORS, x, c0x);
	}
	for (size_t i = 0; i < VECTORS * m; i++) {
		double expected = growth->product * abx[i];
		double scale = growth->product_error * normaliser[i % m];
		if (growth->start != 0) {
			expected += growth->start * c0x[i];
			scale += growth->start_error * c0_norms[i % m];
		}
		*worst = bench_dense_worse(*worst,
					   error_of(problem, cx[i], expected, scale, 3 * c_norms[i % m]));
	}
	free(scratch);
	return 0;
}

int bench_gemm_check(const struct bench_gemm_problem *problem, struct bench_check *check,
		     struct bench_error *error)
{
	size_t m = problem->a.rows, n = problem->b.cols, k = problem->a.cols;
	/* In double the reference itself rounds as much as what it checks: sums over k, and over n in C x. */
	size_t length = problem->a.dtype == BENCH_F64 ? k + n : k;
	/* Of f16 and bf16 too: error_of has taken their rounding off. */
	enum bench_dtype sums = problem->a.dtype == BENCH_F64 ? BENCH_F64 : BENCH_F32;
	double batch = problem->batch ? (double)problem->batch : 1;
	*check = (struct bench_check){.tolerance = bench_dense_tolerance(sums, length)};
	if (batch * (double)m * (double)n * (double)k <= elementwise_limit) {
		snprintf(check->method, sizeof(check->method), "every element against reference in double");
		return compare_all_rows(problem, &check->error, error);
	}
	snprintf(check->method, sizeof(check->method),
		 "residual of random signs; rows and columns against reference");
	struct bench_gemm_problem columns = transposed(problem);
	struct bench_rng rng;
	bench_rng_start(&rng, problem->seed, STREAM_LINES);
	if (compare_sampled_rows(problem, &rng, &check->error, error) ||
	    compare_sampled_rows(&columns, &rng, &check->error, error))
		return -1;
	return compare_residuals(problem, &check->error, error);
}

/*
 * op(M) of a complex matrix as a real one. An element becomes its real and imaginary part in one row, or the
 * block [re im; -im re]. Blocks multiply as complex numbers do. NULL without memory.
 */
static float *make_real(const struct bench_matrix *matrix, bool blocks)
{
	const size_t rows = matrix->rows, cols = matrix->cols;
	float *real = calloc((blocks ? 4 : 2) * rows * cols, sizeof(*real));
	for (size_t i = 0; real && i < rows; i++)
		for (size_t j = 0; j < cols; j++) {
			const size_t at = matrix->trans ? j * matrix->ld + i : i * matrix->ld + j;
			const float *from = (const float *)matrix->data + 2 * at;
			float *to = real + (blocks ? 4 : 2) * i * cols + 2 * j;
			to[0] = from[0];
			to[1] = from[1];
			if (blocks) {
				to[2 * cols] = -from[1];
				to[2 * cols + 1] = from[0];
			}
		}
	return real;
}

int bench_gemm_check_complex(const struct bench_gemm_problem *problem, struct bench_check *check,
			     struct bench_error *error)
{
	const size_t m = problem->a.rows, n = problem->b.cols, k = problem->a.cols;
	struct bench_gemm_problem real = *problem;
	float *a = make_real(&problem->a, false), *b = make_real(&problem->b, true);
	real.a = (struct bench_matrix){BENCH_F32, false, m, 2 * k, 2 * k, a};
	real.b = (struct bench_matrix){BENCH_F32, false, 2 * k, 2 * n, 2 * n, b};
	real.c = (struct bench_matrix){BENCH_F32, false, m, 2 * n, 2 * problem->c.ld, problem->c.data};
	real.c0 = (struct bench_matrix){BENCH_F32, false, m, 2 * n, 2 * problem->c0.ld, problem->c0.data};
	int result = a && b ? bench_gemm_check(&real, check, error)
			    : bench_fail(error, BENCH_NO_MEMORY, "no host memory to check a complex product");
	free(a);
	free(b);
	return result;
}

int bench_gemm_check_square(struct bench_matrix a, struct bench_matrix b, struct bench_matrix c,
			    uint64_t seed, struct bench_check *check, struct bench_error *error)
{
	const struct bench_gemm_problem problem = {
		.a = a, .b = b, .c = c, .growth = {.product = 1, .product_error = 1}, .seed = seed};
	return bench_gemm_check(&problem, check, error);
}
