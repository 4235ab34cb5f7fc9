/* SPDX-License-Identifier: MIT */
#include "suites/conv2d/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kit/dense.h"
#include "kit/reference.h"
#include "kit/rng.h"

/* Streams of the seed; those of the arrays are small numbers. */
enum { STREAM_SIGNS = 1000, STREAM_PLACES };
enum { VECTORS = 2 }; /* of the residual */

/* The most products for which every element is compared; above it, a share of them and the corners of the
 * images. */
static const double elementwise_limit = 2e7;

/*
 * The rounding error of Winograd's F(2x2, 3x3) is proportional to the magnitudes of a 4 x 4 tile of the
 * input, not to those of the window of 3 x 3. With the matrices of Lavin and Gray (2015), an element of the
 * transformed input is a sum of four inputs. The magnitudes of G, as the output transform adds them up, take
 * each weight up to 4 times. The product is 16 |weight| times an input, which counts as the mean magnitude of
 * the inputs.
 */
static const double winograd_growth = 16;

struct problem {
	const struct bench_conv2d *conv;
	const void *in, *out;
	bool winograd;
	double magnitude;       /* the mean one of the inputs */
	size_t filters, length; /* a group's weights: filters x length */
	double *weights;
	double *signs;               /* VECTORS x filters */
	double *signed_weights;      /* VECTORS x length: signs times weights */
	double *norms;               /* length: of the columns of weights */
	double *window, *magnitudes; /* length */
	double *expected, *scale;    /* filters */
	double *found;               /* filters */
};

uint64_t bench_conv2d_check_bytes(const struct bench_conv2d *conv)
{
	uint64_t filters = conv->k / conv->groups, length = bench_conv2d_length(conv);
	return sizeof(double) * (filters * length + (VECTORS + 3) * filters + (VECTORS + 3) * length);
}

static struct bench_matrix matrix(const double *data, size_t rows, size_t cols)
{
	return (struct bench_matrix){
		.dtype = BENCH_F64, .rows = rows, .cols = cols, .ld = cols, .data = data};
}

static void start_group(struct problem *problem, const void *weights, size_t group)
{
	bench_reference_conv2d_weights(problem->conv, weights, group, problem->weights);
	struct bench_matrix columns =
		bench_matrix_transposed(matrix(problem->weights, problem->filters, problem->length));
	bench_matrix_vectors(&columns, BENCH_MAP_VALUE, VECTORS, problem->signs, problem->signed_weights);
	for (size_t i = 0; i < problem->filters; i++)
		problem->found[i] = 1;
	bench_matrix_vectors(&columns, BENCH_MAP_SQUARE, 1, problem->found, problem->norms);
	for (size_t i = 0; i < problem->length; i++)
		problem->norms[i] = sqrt(problem->norms[i]);
}

/* The window at a place, its magnitudes, and what the output holds there. */
static void load_place(struct problem *problem, size_t image, size_t group, size_t y, size_t x)
{
	const struct bench_conv2d *conv = problem->conv;
	bench_reference_conv2d_window(conv, problem->in, image, group, y, x, problem->window);
	for (size_t i = 0; i < problem->length; i++)
		problem->magnitudes[i] =
			problem->winograd ? winograd_growth * problem->magnitude : fabs(problem->window[i]);
	for (size_t q = 0; q < problem->filters; q++) {
		size_t index = bench_reference_conv2d_index(conv, image, group * problem->filters + q, y, x);
		problem->found[q] = bench_reference_element(conv->dtype, problem->out, index);
	}
}

/* Results of f16 below its normal numbers are rounded by more than in proportion to themselves: `results` of
 * them. */
static double error_of(const struct problem *problem, double found, double expected, double scale,
		       size_t results)
{
	double subnormal = problem->conv->dtype == BENCH_F16    ? BENCH_HALF_SUBNORMAL_ROUNDOFF
			   : problem->conv->dtype == BENCH_BF16 ? BENCH_BFLOAT_SUBNORMAL_ROUNDOFF
								: 0;
	return fabs(found - expected) <= subnormal * (double)results
		       ? 0
		       : bench_dense_error(found, expected, scale);
}

/* Every channel at the place loaded. */
static double compare_channels(struct problem *problem)
{
	struct bench_matrix weights = matrix(problem->weights, problem->filters, problem->length);
	double worst = 0;
	bench_matrix_vectors(&weights, BENCH_MAP_VALUE, 1, problem->window, problem->expected);
	bench_matrix_vectors(&weights, BENCH_MAP_ABS, 1, problem->magnitudes, problem->scale);
	for (size_t q = 0; q < problem->filters; q++)
		worst = bench_dense_worse(worst, error_of(problem, problem->found[q], problem->expected[q],
							  problem->scale[q], 1));
	return worst;
}

/* The sum of the channels with random signs, at the place loaded. */
static double compare_signed_sums(struct problem *problem)
{
	struct bench_matrix signed_weights = matrix(problem->signed_weights, VECTORS, problem->length);
	struct bench_matrix norms = matrix(problem->norms, 1, problem->length);
	struct bench_matrix signs = matrix(problem->signs, VECTORS, problem->filters);
	double expected[VECTORS], found[VECTORS], scale, worst = 0;
	bench_matrix_vectors(&signed_weights, BENCH_MAP_VALUE, 1, problem->window, expected);
	bench_matrix_vectors(&signs, BENCH_MAP_VALUE, 1, problem->found, found);
	bench_matrix_vectors(&norms, BENCH_MAP_VALUE, 1, problem->magnitudes, &scale);
	for (size_t i = 0; i < VECTORS; i++)
		worst = bench_dense_worse(worst,
					  error_of(problem, found[i], expected[i], scale, problem->filters));
	return worst;
}

/* Is every channel compared at this place: the corners of each image, and a random `share` of the others? */
static bool is_sampled(struct bench_rng *rng, double share, size_t y, size_t rows, size_t x, size_t columns)
{
	return bench_rng_uniform(rng) < share || ((y == 0 || y == rows - 1) && (x == 0 || x == columns - 1));
}

static double compare_group(struct problem *problem, size_t group, double share, struct bench_rng *rng)
{
	const struct bench_conv2d *conv = problem->conv;
	size_t rows = bench_conv2d_extent(conv, conv->h, conv->r);
	size_t columns = bench_conv2d_extent(conv, conv->w, conv->s);
	double worst = 0;
	for (size_t i = 0; i < conv->n * rows * columns; i++) {
		size_t y = i / columns % rows, x = i % columns;
		load_place(problem, i / (rows * columns), group, y, x);
		if (is_sampled(rng, share, y, rows, x, columns))
			worst = bench_dense_worse(worst, compare_channels(problem));
		if (share < 1)
			worst = bench_dense_worse(worst, compare_signed_sums(problem));
	}
	return worst;
}

int bench_conv2d_check_output(const struct bench_conv2d *conv, const void *in, const void *weights,
			      const void *out, enum bench_conv2d_algorithm algorithm, enum bench_data data,
			      uint64_t seed, struct bench_check *check, struct bench_error *error)
{
	size_t filters = conv->k / conv->groups, length = bench_conv2d_length(conv);
	double *scratch = bench_dense_scratch(bench_conv2d_check_bytes(conv) / sizeof(double), error);
	if (!scratch)
		return -1;
	struct problem problem = {.conv = conv,
				  .in = in,
				  .out = out,
				  .winograd = algorithm == BENCH_CONV2D_WINOGRAD,
				  .magnitude = bench_rng_magnitude(data),
				  .filters = filters,
				  .length = length,
				  .weights = scratch};
	problem.signs = problem.weights + filters * length;
	problem.expected = problem.signs + VECTORS * filters;
	problem.scale = problem.expected + filters;
	problem.found = problem.scale + filters;
	problem.signed_weights = problem.found + filters;
	problem.norms = problem.signed_weights + VECTORS * length;
	problem.window = problem.norms + length;
	problem.magnitudes = problem.window + length;

	struct bench_rng rng;
	bench_rng_start(&rng, seed, STREAM_SIGNS);
	bench_dense_signs(&rng, problem.signs, VECTORS * filters);
	bench_rng_start(&rng, seed, STREAM_PLACES);
	double places = (double)conv->n * (double)bench_conv2d_extent(conv, conv->h, conv->r) *
			(double)bench_conv2d_extent(conv, conv->w, conv->s);
	double products = places * (double)conv->k * (double)length;
	double share = products <= elementwise_limit ? 1 : elementwise_limit / products;
	/* In double the reference itself rounds as much as what it checks: sums over the length, and over the
	 * channels. */
	*check = (struct bench_check){
		.tolerance = bench_dense_tolerance(conv->dtype,
						   conv->dtype == BENCH_F64 ? length + filters : length)};
	for (size_t group = 0; group < conv->groups; group++) {
		start_group(&problem, weights, group);
		check->error = bench_dense_worse(check->error, compare_group(&problem, group, share, &rng));
	}
	snprintf(check->method, sizeof(check->method), "%s",
		 share < 1 ? "signed sums, some elements" : "each element");
	free(scratch);
	return 0;
}
