/* SPDX-License-Identifier: MIT */
/* Problems of GEMM on a device of the OpenCL backend, and their plain sums in double. */
#ifndef TESTS_GEMM_FIXTURE_H
#define TESTS_GEMM_FIXTURE_H

#include <float.h>
#include <math.h>
#include <string.h>

#include "kit/half.h"
#include "kit/reference.h"
#include "kit/rng.h"
#include "opencl_fixture.h"

/* The matrices of a batch, as stored, on host and device. */
struct matrix {
	size_t rows, columns, ld;
	size_t batch, stride;
	size_t bytes; /* of all */
	void *data;
	double *values; /* the same */
	struct bench_buffer *buffer;
};

static inline double get(enum bench_dtype dtype, const void *data, size_t i)
{
	if (dtype == BENCH_F16)
		return (double)bench_half_to_float(((const uint16_t *)data)[i]);
	if (dtype == BENCH_BF16)
		return (double)bench_bfloat_to_float(((const uint16_t *)data)[i]);
	return dtype == BENCH_F64 ? ((const double *)data)[i] : (double)((const float *)data)[i];
}

/* Between rows and between matrices are gaps where there is padding. A stride of 0: one for all. */
static inline struct matrix make_matrix(struct bench_device *device, enum bench_dtype dtype, size_t rows,
					size_t columns, size_t padding, size_t batch, uint64_t stream)
{
	struct bench_error error;
	struct matrix matrix = {.rows = rows, .columns = columns, .ld = columns + padding, .batch = batch};
	matrix.stride = rows * matrix.ld + (padding ? 3 : 0);
	size_t count = batch * matrix.stride;
	matrix.bytes = count * bench_dtype_bytes(dtype);
	matrix.data = malloc(matrix.bytes);
	matrix.values = malloc(count * sizeof(*matrix.values));
	assert_true(matrix.data && matrix.values);
	bench_rng_fill(7, stream, dtype, matrix.data, count);
	for (size_t i = 0; i < count; i++)
		matrix.values[i] = get(dtype, matrix.data, i);
	require(cl->alloc(device, matrix.bytes, &matrix.buffer, &error), &error);
	return matrix;
}

static inline void send(struct bench_device *device, struct matrix *matrix)
{
	struct bench_error error;
	require(cl->upload(device, matrix->buffer, matrix->data, matrix->bytes, &error), &error);
}

static inline void free_matrix(struct bench_device *device, struct matrix *matrix)
{
	cl->release(device, matrix->buffer);
	free(matrix->data);
	free(matrix->values);
}

/* A problem on the device, and what C held after it. */
struct problem {
	struct bench_gemm gemm;
	struct matrix a, b, c, bias;
	void *after;
};

/*
 * One element against the plain sum in double, within the bound of a sum of k products in the
 * type (Higham, Accuracy and Stability, section 3.1), of an activation, whose slope is below
 * 1.2 and whose functions are good to 16 units of the last place, and of one rounding to a short type.
 */
static inline void compare_element(const struct problem *problem, size_t product, size_t i, size_t j)
{
	const struct bench_gemm *gemm = &problem->gemm;
	const struct matrix *a = &problem->a, *b = &problem->b, *c = &problem->c;
	enum bench_dtype dtype = gemm->dtype;
	double unit = dtype == BENCH_F64 ? DBL_EPSILON : (double)FLT_EPSILON, sum = 0, size = 0;
	size_t at_c = product * c->stride + i * c->ld + j;
	for (size_t s = 0; s < gemm->k; s++) {
		size_t at_a = gemm->trans_a ? s * a->ld + i : i * a->ld + s;
		size_t at_b = gemm->trans_b ? j * b->ld + s : s * b->ld + j;
		double term = a->values[product * gemm->stride_a + at_a] *
			      b->values[product * gemm->stride_b + at_b];
		sum += term;
		size += fabs(term);
	}
	double old = gemm->beta == 0 ? 0 : gemm->beta * get(dtype, c->data, at_c);
	double shift = gemm->bias ? get(dtype, problem->bias.data, j) : 0;
	double before = gemm->alpha * sum + old + shift;
	double want = bench_reference_activation(gemm->activation, before);
	double got = get(dtype, problem->after, at_c);
	double bound = (double)(gemm->k + 5) * unit * (fabs(gemm->alpha) * size + fabs(old) + fabs(shift));
	if (gemm->activation != BENCH_ACTIVATION_NONE)
		bound = 1.2 * bound + 20 * unit * fabs(before);
	if (dtype == BENCH_F16)
		bound += BENCH_HALF_ROUNDOFF * (fabs(want) + bound) + BENCH_HALF_SUBNORMAL_ROUNDOFF;
	if (dtype == BENCH_BF16)
		bound += BENCH_BFLOAT_ROUNDOFF * (fabs(want) + bound) + BENCH_BFLOAT_SUBNORMAL_ROUNDOFF;
	if (!(fabs(got - want) <= bound))
		fail_msg("dtype %d %c%c m=%zu n=%zu k=%zu alpha=%g beta=%g bias=%d activation=%d raw=%d: "
			 "C[%zu][%zu] of product %zu is %.9g, not %.9g (bound %.2g)",
			 (int)dtype, gemm->trans_a ? 'T' : 'N', gemm->trans_b ? 'T' : 'N', gemm->m, gemm->n,
			 gemm->k, gemm->alpha, gemm->beta, gemm->bias != NULL, (int)gemm->activation,
			 gemm->raw, i, j, product, got, want, bound);
}

/* Every element of every product, and that nothing between them was written. */
static inline void compare(const struct problem *problem)
{
	const struct matrix *c = &problem->c;
	size_t bytes = bench_dtype_bytes(problem->gemm.dtype);
	for (size_t product = 0; product < c->batch; product++)
		for (size_t at = 0; at < c->stride; at++) {
			size_t i = at / c->ld, j = at % c->ld, place = (product * c->stride + at) * bytes;
			if (i < c->rows && j < c->columns)
				compare_element(problem, product, i, j);
			else if (memcmp((char *)problem->after + place, (char *)c->data + place, bytes) != 0)
				fail_msg("m=%zu n=%zu k=%zu: product %zu, row %zu was written beyond its end",
					 c->rows, c->columns, problem->gemm.k, product, i);
		}
}

/* What a problem may have beside its sizes. */
enum extra { PLAIN = 0, WITH_BIAS = 1, ONE_A_FOR_ALL = 2, ONE_B_FOR_ALL = 4 };

/* Runs one problem on the device and compares. `padding`: elements between rows. */
static inline void check_gemm_with(struct bench_device *device, struct bench_gemm gemm, size_t padding,
				   unsigned extras)
{
	struct bench_error error;
	enum bench_dtype dtype = gemm.dtype;
	size_t batch = gemm.batch ? gemm.batch : 1;
	struct problem problem = {
		.a = make_matrix(device, dtype, gemm.trans_a ? gemm.k : gemm.m,
				 gemm.trans_a ? gemm.m : gemm.k, padding, batch, 1),
		.b = make_matrix(device, dtype, gemm.trans_b ? gemm.n : gemm.k,
				 gemm.trans_b ? gemm.k : gemm.n, padding ? padding + 2 : 0, batch, 2),
		.c = make_matrix(device, dtype, gemm.m, gemm.n, padding ? padding + 1 : 0, batch, 3),
		.bias = make_matrix(device, dtype, 1, gemm.n, 0, 1, 4)};
	struct matrix *c = &problem.c;
	problem.after = malloc(c->bytes);
	assert_non_null(problem.after);
	if (gemm.beta == 0)
		memset(c->data, 0xff, c->bytes); /* NaN in every type */
	gemm.a = problem.a.buffer, gemm.b = problem.b.buffer, gemm.c = c->buffer;
	gemm.lda = problem.a.ld, gemm.ldb = problem.b.ld, gemm.ldc = c->ld;
	gemm.stride_a = extras & ONE_A_FOR_ALL ? 0 : problem.a.stride;
	gemm.stride_b = extras & ONE_B_FOR_ALL ? 0 : problem.b.stride;
	gemm.stride_c = c->stride;
	gemm.bias = extras & WITH_BIAS ? problem.bias.buffer : NULL;
	problem.gemm = gemm;
	send(device, &problem.a);
	send(device, &problem.b);
	send(device, c);
	send(device, &problem.bias);
	/* A small product that finds a CPU device idle is done in this thread; other problems join the queue.
	 */
	if ((gemm.m + gemm.n + gemm.k) % 2)
		require(cl->finish(device, &error), &error);
	require(cl->gemm(device, &gemm, &error), &error);
	require(cl->finish(device, &error), &error);
	require(cl->download(device, c->buffer, problem.after, c->bytes, &error), &error);
	compare(&problem);
	free(problem.after);
	free_matrix(device, &problem.a);
	free_matrix(device, &problem.b);
	free_matrix(device, c);
	free_matrix(device, &problem.bias);
}

static inline void check_gemm(struct bench_device *device, struct bench_gemm gemm, size_t padding)
{
	check_gemm_with(device, gemm, padding, PLAIN);
}

static inline void check_transposes(struct bench_device *device, struct bench_gemm gemm, size_t padding)
{
	for (int i = 0; i < 4; i++) {
		gemm.trans_a = i & 1;
		gemm.trans_b = i & 2;
		check_gemm(device, gemm, padding);
	}
}

#endif
