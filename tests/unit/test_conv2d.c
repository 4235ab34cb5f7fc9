/* SPDX-License-Identifier: MIT */
/* Convolution on every backend, by every algorithm, against plain loops; and what is refused. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backends/backends.h"
#include "kit/conv2d.h"
#include "kit/half.h"
#include "kit/rng.h"
#include "sample.h"

enum { GUARD = 64 }; /* elements behind the output that must stay as they are */

static const struct bench_backend *const backends[] = {&bench_backend_reference, &bench_backend_openblas,
						       &bench_backend_opencl};
enum { BACKENDS = sizeof(backends) / sizeof(backends[0]) };

static void require(int result, const struct bench_backend *backend, const struct bench_error *error)
{
	if (result != 0)
		fail_msg("%s: %s", backend->name, error->text);
}

/* The first device of a backend, NULL where there is none, which is said. */
static struct bench_device *open_first(const struct bench_backend *backend, struct bench_device_info *info)
{
	struct bench_error error = {0};
	struct bench_device *device = NULL;
	size_t count = 0;
	if (backend->devices(info, 1, &count, &error) != 0 || count == 0) {
		print_message("skipped: %s: %s\n", backend->name, error.text);
		return NULL;
	}
	require(backend->open(0, &(struct bench_open_options){0}, &device, &error), backend, &error);
	return device;
}

static double get(enum bench_dtype dtype, const void *data, size_t i)
{
	if (dtype == BENCH_F64)
		return ((const double *)data)[i];
	if (dtype == BENCH_F16)
		return (double)bench_half_to_float(((const uint16_t *)data)[i]);
	if (dtype == BENCH_BF16)
		return (double)bench_bfloat_to_float(((const uint16_t *)data)[i]);
	return (double)((const float *)data)[i];
}

static const char *name_of(enum bench_dtype dtype)
{
	static const char *const names[BENCH_DTYPES] = {"f32", "f64", "f16", "bf16", "tf32"};
	return names[dtype];
}

/* The arrays of a problem on the host, and its output as the definition has it, with the magnitudes. */
struct problem {
	struct bench_conv2d conv;
	struct bench_conv2d_sizes sizes;
	void *in, *weights;
	double *expected, *magnitude;
};

static size_t index_of(bool last, size_t image, size_t channel, size_t channels, size_t y, size_t rows,
		       size_t x, size_t columns)
{
	return last ? ((image * rows + y) * columns + x) * channels + channel
		    : ((image * channels + channel) * rows + y) * columns + x;
}

/* Adds the products of one input channel to one element. */
static void add_channel(struct problem *problem, size_t image, size_t q, size_t y, size_t x, size_t channel,
			size_t out)
{
	const struct bench_conv2d *conv = &problem->conv;
	bool last = conv->layout == BENCH_CONV2D_NHWC;
	size_t channels = conv->c / conv->groups, from = q / (conv->k / conv->groups) * channels;
	for (size_t r = 0; r < conv->r; r++)
		for (size_t s = 0; s < conv->s; s++) {
			long row = (long)(y * conv->stride + r * conv->dilation) - (long)conv->pad;
			long column = (long)(x * conv->stride + s * conv->dilation) - (long)conv->pad;
			if (row < 0 || row >= (long)conv->h || column < 0 || column >= (long)conv->w)
				continue;
			double value = get(conv->dtype, problem->in,
					   index_of(last, image, from + channel, conv->c, (size_t)row,
						    conv->h, (size_t)column, conv->w));
			size_t weight = last ? ((r * conv->s + s) * channels + channel) * conv->k + q
					     : ((q * channels + channel) * conv->r + r) * conv->s + s;
			double product = value * get(conv->dtype, problem->weights, weight);
			problem->expected[out] += product;
			problem->magnitude[out] += fabs(product);
		}
}

static struct problem make_problem(struct bench_conv2d conv)
{
	struct problem problem = {.conv = conv};
	struct bench_error error = {0};
	if (bench_conv2d_check(&conv, &problem.sizes, &error))
		fail_msg("%s", error.text);
	problem.in = calloc(problem.sizes.in, sizeof(double));
	problem.weights = calloc(problem.sizes.weights, sizeof(double));
	problem.expected = calloc(problem.sizes.out, sizeof(double));
	problem.magnitude = calloc(problem.sizes.out, sizeof(double));
	assert_true(problem.in && problem.weights && problem.expected && problem.magnitude);
	bench_rng_fill(5, 1, conv.dtype, problem.in, problem.sizes.in);
	bench_rng_fill(5, 2, conv.dtype, problem.weights, problem.sizes.weights);
	size_t rows = bench_conv2d_extent(&conv, conv.h, conv.r);
	size_t columns = bench_conv2d_extent(&conv, conv.w, conv.s);
	for (size_t i = 0; i < problem.sizes.out; i++) {
		size_t image = i / (conv.k * rows * columns), q = i / (rows * columns) % conv.k;
		size_t y = i / columns % rows, x = i % columns;
		size_t out =
			index_of(conv.layout == BENCH_CONV2D_NHWC, image, q, conv.k, y, rows, x, columns);
		for (size_t channel = 0; channel < conv.c / conv.groups; channel++)
			add_channel(&problem, image, q, y, x, channel, out);
	}
	return problem;
}

static void free_problem(struct problem *problem)
{
	free(problem->in);
	free(problem->weights);
	free(problem->expected);
	free(problem->magnitude);
}

/*
 * The bound of a sum of `length` products: Higham, Accuracy and Stability, section 3.1. Winograd's
 * magnitudes are those of a tile: 16 times that of each weight and the largest input, see
 * suites/conv2d/check.c.
 */
static double bound_of(const struct problem *problem, enum bench_conv2d_algorithm algorithm, size_t i)
{
	const struct bench_conv2d *conv = &problem->conv;
	double unit = conv->dtype == BENCH_F64 ? DBL_EPSILON : (double)FLT_EPSILON;
	double length = (double)bench_conv2d_length(conv);
	if (algorithm == BENCH_CONV2D_WINOGRAD)
		return (length + 8) * unit * 16 * length;
	double bound = (length + 1) * unit * problem->magnitude[i];
	if (conv->dtype == BENCH_F16)
		return bound + BENCH_HALF_ROUNDOFF * problem->magnitude[i] + BENCH_HALF_SUBNORMAL_ROUNDOFF;
	if (conv->dtype == BENCH_BF16)
		return bound + BENCH_BFLOAT_ROUNDOFF * problem->magnitude[i];
	return bound;
}

static void compare(const struct bench_backend *backend, const struct problem *problem,
		    enum bench_conv2d_algorithm algorithm, const void *out)
{
	const struct bench_conv2d *conv = &problem->conv;
	for (size_t i = 0; i < problem->sizes.out; i++) {
		double found = get(conv->dtype, out, i);
		if (!(fabs(found - problem->expected[i]) <= bound_of(problem, algorithm, i)))
			fail_msg("%s %s: %s %s n=%zu c=%zu h=%zu w=%zu k=%zu r=%zu s=%zu stride=%zu pad=%zu "
				 "dilation=%zu groups=%zu: element %zu is %.9g, not %.9g",
				 backend->name, bench_conv2d_algorithm_name(algorithm), name_of(conv->dtype),
				 conv->layout == BENCH_CONV2D_NHWC ? "nhwc" : "nchw", conv->n, conv->c,
				 conv->h, conv->w, conv->k, conv->r, conv->s, conv->stride, conv->pad,
				 conv->dilation, conv->groups, i, found, problem->expected[i]);
	}
	for (size_t i = 0; i < GUARD * bench_dtype_bytes(conv->dtype); i++)
		if (((const unsigned char *)out)[problem->sizes.out * bench_dtype_bytes(conv->dtype) + i] !=
		    0xff)
			fail_msg("%s %s: written beyond the output", backend->name,
				 bench_conv2d_algorithm_name(algorithm));
}

/* Runs the problem by one algorithm and compares; false where it is unsupported. */
static bool run_and_compare(const struct bench_backend *backend, struct bench_device *device,
			    const struct problem *problem, enum bench_conv2d_algorithm algorithm,
			    struct bench_conv2d_choice *choice)
{
	struct bench_error error = {0};
	struct bench_conv2d conv = problem->conv;
	struct bench_buffer *in, *weights, *out;
	size_t real = bench_dtype_bytes(conv.dtype), bytes = (problem->sizes.out + GUARD) * real;
	void *host = malloc(bytes);
	assert_non_null(host);
	memset(host, 0xff, bytes); /* NaN in either type */
	require(backend->alloc(device, problem->sizes.in * real, &in, &error), backend, &error);
	require(backend->alloc(device, problem->sizes.weights * real, &weights, &error), backend, &error);
	require(backend->alloc(device, bytes, &out, &error), backend, &error);
	require(backend->upload(device, in, problem->in, problem->sizes.in * real, &error), backend, &error);
	require(backend->upload(device, weights, problem->weights, problem->sizes.weights * real, &error),
		backend, &error);
	require(backend->upload(device, out, host, bytes, &error), backend, &error);
	conv.in = in, conv.weights = weights, conv.out = out;
	conv.algorithm = algorithm;
	conv.choice = choice;
	int status = backend->conv2d(device, &conv, &error);
	if (status && error.code != BENCH_UNSUPPORTED)
		require(status, backend, &error);
	if (status == 0) {
		require(backend->finish(device, &error), backend, &error);
		require(backend->download(device, out, host, bytes, &error), backend, &error);
		compare(backend, problem, choice->algorithm, host);
	}
	backend->release(device, in);
	backend->release(device, weights);
	backend->release(device, out);
	free(host);
	return status == 0;
}

/* Every algorithm of the backend that can, in both layouts; direct always can. */
static void expect_right_in(const struct bench_backend *backend, struct bench_device *device,
			    enum bench_dtype dtype, struct bench_conv2d conv)
{
	struct bench_conv2d_choice choice;
	for (int variant = 0; variant < 2; variant++) {
		conv.layout = variant ? BENCH_CONV2D_NHWC : BENCH_CONV2D_NCHW;
		conv.dtype = dtype;
		struct problem problem = make_problem(conv);
		for (enum bench_conv2d_algorithm i = BENCH_CONV2D_DIRECT; i < BENCH_CONV2D_ALGORITHMS; i++) {
			bool ran = run_and_compare(backend, device, &problem, i, &choice);
			assert_true(ran || i != BENCH_CONV2D_DIRECT);
			assert_true(!ran || choice.algorithm == i);
		}
		free_problem(&problem);
	}
}

static void expect_right(const struct bench_backend *backend, struct bench_device *device, bool f64,
			 struct bench_conv2d conv)
{
	expect_right_in(backend, device, BENCH_F32, conv);
	if (f64)
		expect_right_in(backend, device, BENCH_F64, conv);
}

static const size_t sizes[] = {1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129};
enum { SIZES = sizeof(sizes) / sizeof(sizes[0]) };

/* In f32 alone, for the time that compilers take: with `step` 1 every size as rows, columns, input and output
 * channels, each beside several of the others; with 2 every size in some of these places. */
static void expect_right_at_all_sizes(const struct bench_backend *backend, struct bench_device *device,
				      size_t step)
{
	for (size_t i = 0; i < SIZES; i += step) {
		size_t j = (i * 5 + 3) % SIZES, few = i % 4 + 1;
		expect_right(backend, device, false,
			     (struct bench_conv2d){.n = 1,
						   .c = few,
						   .h = few + 2,
						   .w = sizes[i],
						   .k = sizes[j],
						   .r = 3,
						   .s = 3,
						   .stride = 1,
						   .pad = 1,
						   .dilation = 1,
						   .groups = 1});
		expect_right(backend, device, false,
			     (struct bench_conv2d){.n = 2,
						   .c = sizes[i],
						   .h = sizes[j],
						   .w = few + 2,
						   .k = few,
						   .r = 1,
						   .s = 1,
						   .stride = 1,
						   .pad = 0,
						   .dilation = 1,
						   .groups = 1});
	}
}

/* Strides, dilations, paddings, kernels that are not square, groups, several images: every step-th of them,
 * and every f64th of these in f64 too, with 0 none: compilers take their time. */
static void expect_right_at_all_shapes(const struct bench_backend *backend, struct bench_device *device,
				       size_t step, size_t f64)
{
	static const struct bench_conv2d shapes[] = {
		{.n = 1,
		 .c = 3,
		 .h = 23,
		 .w = 37,
		 .k = 10,
		 .r = 7,
		 .s = 7,
		 .stride = 2,
		 .pad = 3,
		 .dilation = 1,
		 .groups = 1},
		{.n = 2,
		 .c = 4,
		 .h = 19,
		 .w = 20,
		 .k = 9,
		 .r = 3,
		 .s = 3,
		 .stride = 3,
		 .pad = 1,
		 .dilation = 1,
		 .groups = 1},
		{.n = 1,
		 .c = 5,
		 .h = 18,
		 .w = 21,
		 .k = 8,
		 .r = 3,
		 .s = 3,
		 .stride = 1,
		 .pad = 2,
		 .dilation = 2,
		 .groups = 1},
		{.n = 1,
		 .c = 2,
		 .h = 20,
		 .w = 25,
		 .k = 3,
		 .r = 3,
		 .s = 3,
		 .stride = 2,
		 .pad = 3,
		 .dilation = 3,
		 .groups = 1},
		{.n = 2,
		 .c = 12,
		 .h = 9,
		 .w = 33,
		 .k = 20,
		 .r = 3,
		 .s = 3,
		 .stride = 1,
		 .pad = 1,
		 .dilation = 1,
		 .groups = 4},
		{.n = 3,
		 .c = 17,
		 .h = 10,
		 .w = 18,
		 .k = 17,
		 .r = 3,
		 .s = 3,
		 .stride = 1,
		 .pad = 1,
		 .dilation = 1,
		 .groups = 17},
		{.n = 1,
		 .c = 6,
		 .h = 10,
		 .w = 18,
		 .k = 12,
		 .r = 3,
		 .s = 3,
		 .stride = 2,
		 .pad = 1,
		 .dilation = 1,
		 .groups = 6},
		{.n = 1,
		 .c = 3,
		 .h = 8,
		 .w = 30,
		 .k = 5,
		 .r = 1,
		 .s = 5,
		 .stride = 1,
		 .pad = 2,
		 .dilation = 1,
		 .groups = 1},
		{.n = 1,
		 .c = 3,
		 .h = 30,
		 .w = 8,
		 .k = 5,
		 .r = 5,
		 .s = 2,
		 .stride = 1,
		 .pad = 0,
		 .dilation = 2,
		 .groups = 1},
		{.n = 2,
		 .c = 8,
		 .h = 9,
		 .w = 9,
		 .k = 16,
		 .r = 1,
		 .s = 1,
		 .stride = 2,
		 .pad = 0,
		 .dilation = 1,
		 .groups = 1},
		{.n = 2,
		 .c = 8,
		 .h = 9,
		 .w = 9,
		 .k = 16,
		 .r = 1,
		 .s = 1,
		 .stride = 1,
		 .pad = 1,
		 .dilation = 1,
		 .groups = 2},
		{.n = 1,
		 .c = 1,
		 .h = 1,
		 .w = 1,
		 .k = 1,
		 .r = 3,
		 .s = 3,
		 .stride = 1,
		 .pad = 4,
		 .dilation = 1,
		 .groups = 1},
		{.n = 3,
		 .c = 7,
		 .h = 13,
		 .w = 14,
		 .k = 11,
		 .r = 3,
		 .s = 3,
		 .stride = 1,
		 .pad = 0,
		 .dilation = 1,
		 .groups = 1},
		{.n = 3,
		 .c = 2,
		 .h = 6,
		 .w = 5,
		 .k = 3,
		 .r = 3,
		 .s = 3,
		 .stride = 1,
		 .pad = 2,
		 .dilation = 1,
		 .groups = 1},
		{.n = 1,
		 .c = 2,
		 .h = 4,
		 .w = 4,
		 .k = 2,
		 .r = 4,
		 .s = 4,
		 .stride = 5,
		 .pad = 0,
		 .dilation = 1,
		 .groups = 1},
		{.n = 1,
		 .c = 300,
		 .h = 14,
		 .w = 14,
		 .k = 24,
		 .r = 3,
		 .s = 3,
		 .stride = 1,
		 .pad = 1,
		 .dilation = 1,
		 .groups = 1},
		/* More weights than a cache has. */
		{.n = 1,
		 .c = 300,
		 .h = 3,
		 .w = 5,
		 .k = 130,
		 .r = 3,
		 .s = 3,
		 .stride = 1,
		 .pad = 1,
		 .dilation = 1,
		 .groups = 1},
	};
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i += step)
		expect_right(backend, device, f64 > 0 && i / step % f64 == 0, shapes[i]);
}

/* Depthwise, and all channels together. Rows below, at and above vectors; strides that are sorted in
 * registers, and one that is not; more rows than a band has; and filters that do and do not fill a tile. */
static void few_filters_are_right_at_all_widths_and_strides(void **state)
{
	(void)state;
	static const size_t widths[] = {1, 3, 7, 8, 9, 16, 17, 33}, filters[] = {15, 3, 4, 15};
	for (size_t i = 0; i < BACKENDS; i++) {
		struct bench_device_info info;
		struct bench_device *device = open_first(backends[i], &info);
		if (!device)
			continue;
		for (size_t stride = 1; stride <= 5; stride++)
			for (size_t j = 0; j < sizeof(widths) / sizeof(widths[0]); j++)
				expect_right(backends[i], device, info.f64 && stride == 2,
					     (struct bench_conv2d){.n = 1 + j % 2,
								   .c = 3,
								   .h = widths[j] == 33 ? 170 : 6,
								   .w = widths[j],
								   .k = filters[j % 4],
								   .r = 3,
								   .s = 3,
								   .stride = stride,
								   .pad = 1 + j / 7,
								   .dilation = 1,
								   .groups = j % 2 ? 3 : 1});
		backends[i]->close(device);
	}
}

/* With the channels last: less than a vector of them, whole ones and not, and several that share a tile; rows
 * shorter than a tile of places, and those at whose edges taps are left out on either side, or on both. */
static void depthwise_is_right_for_all_channels_and_edges(void **state)
{
	(void)state;
	static const size_t channels[] = {4, 8, 17, 32, 41, 48, 100}, widths[] = {1, 3, 4, 5, 8, 14};
	for (size_t i = 0; i < BACKENDS; i++) {
		struct bench_device_info info;
		struct bench_device *device = open_first(backends[i], &info);
		if (!device)
			continue;
		for (size_t j = 0; j < sizeof(channels) / sizeof(channels[0]); j++)
			for (size_t k = 0; k < sizeof(widths) / sizeof(widths[0]); k++) {
				size_t odd = (j + k) % 2;
				expect_right(backends[i], device, info.f64 && j == k,
					     (struct bench_conv2d){.n = 1 + k % 2,
								   .c = channels[j],
								   .h = 5 + j,
								   .w = widths[k],
								   .k = channels[j],
								   .r = 5 - 2 * odd,
								   .s = 3 + 2 * odd,
								   .stride = 1 + odd,
								   .pad = 2 + j % 4,
								   .dilation = 1,
								   .groups = channels[j]});
			}
		backends[i]->close(device);
	}
}

static void every_algorithm_is_right_at_all_sizes_and_shapes(void **state)
{
	(void)state;
	for (size_t i = 0; i < BACKENDS; i++) {
		struct bench_device_info info;
		struct bench_device *device = open_first(backends[i], &info);
		if (!device)
			continue;
		bool compiles = backends[i] == &bench_backend_opencl;
		expect_right_at_all_sizes(backends[i], device, compiles ? 2 * sample_step() : 1);
		expect_right_at_all_shapes(backends[i], device, compiles ? sample_step() : 1,
					   info.f64 ? (compiles ? 4 : 1) : 0);
		backends[i]->close(device);
	}
}

/* Those that fill a device: more filters and places than a large tile, whole ones or not, and few taps or
 * many. */
static void expect_right_when_large(const struct bench_backend *backend, struct bench_device *device)
{
	static const struct bench_conv2d shapes[] = {
		{.n = 3, .c = 5, .h = 14, .w = 12, .k = 70, .r = 3, .s = 3, .pad = 1},
		{.n = 3, .c = 5, .h = 13, .w = 15, .k = 150, .r = 3, .s = 2, .pad = 1},
		{.n = 2, .c = 21, .h = 12, .w = 13, .k = 64, .r = 1, .s = 1, .pad = 0},
		{.n = 2, .c = 3, .h = 16, .w = 18, .k = 65, .r = 5, .s = 7, .pad = 3},
	};
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct bench_conv2d conv = shapes[i];
		conv.dilation = conv.groups = 1;
		conv.stride = i == 3 ? 2 : 1;
		expect_right_in(backend, device, BENCH_F32, conv);
	}
}

/* Types that GPUs alone take; here without tensor cores. */
static void expect_right_in_short_types(const struct bench_backend *backend, struct bench_device *device)
{
	static const enum bench_dtype dtypes[] = {BENCH_F16, BENCH_BF16, BENCH_TF32};
	struct bench_conv2d conv = {.n = 2,
				    .c = 6,
				    .h = 11,
				    .w = 9,
				    .k = 12,
				    .r = 3,
				    .s = 3,
				    .stride = 1,
				    .pad = 1,
				    .dilation = 1};
	for (size_t i = 0; i < sizeof(dtypes) / sizeof(dtypes[0]); i++)
		for (conv.groups = 1; conv.groups <= conv.c; conv.groups += conv.c - 1)
			expect_right_in(backend, device, dtypes[i], conv);
}

/* On a CPU too, where they are no faster, but as right. */
static void the_kernels_for_gpus_are_right_at_all_shapes(void **state)
{
	(void)state;
	struct bench_device_info info;
	setenv("BENCH_OPENCL_KIND", "gpu", 1);
	struct bench_device *device = open_first(&bench_backend_opencl, &info);
	unsetenv("BENCH_OPENCL_KIND");
	if (device) {
		expect_right_at_all_shapes(&bench_backend_opencl, device, sample_step(), info.f64 ? 4 : 0);
		expect_right_when_large(&bench_backend_opencl, device);
		expect_right_in_short_types(&bench_backend_opencl, device);
		bench_backend_opencl.close(device);
	}
}

static const struct bench_conv2d plain = {.n = 1,
					  .c = 4,
					  .h = 12,
					  .w = 20,
					  .k = 8,
					  .r = 3,
					  .s = 3,
					  .stride = 1,
					  .pad = 1,
					  .dilation = 1,
					  .groups = 1};

static void auto_tries_what_can_be_done_and_keeps_to_its_choice(void **state)
{
	(void)state;
	struct problem problem = make_problem(plain);
	for (size_t i = 0; i < BACKENDS; i++) {
		struct bench_device_info info;
		struct bench_conv2d_choice first, second;
		struct bench_device *device = open_first(backends[i], &info);
		if (!device)
			continue;
		assert_true(run_and_compare(backends[i], device, &problem, BENCH_CONV2D_AUTO, &first));
		assert_true(run_and_compare(backends[i], device, &problem, BENCH_CONV2D_AUTO, &second));
		assert_int_equal(first.algorithm, second.algorithm);
		assert_memory_equal(first.seconds, second.seconds, sizeof(first.seconds));
		assert_true(first.seconds[BENCH_CONV2D_AUTO] == 0);
		for (enum bench_conv2d_algorithm j = BENCH_CONV2D_DIRECT; j < BENCH_CONV2D_ALGORITHMS; j++) {
			struct bench_conv2d_choice own;
			bool can = run_and_compare(backends[i], device, &problem, j, &own);
			assert_int_equal(can, first.seconds[j] > 0);
			assert_true(!can || first.seconds[first.algorithm] <= first.seconds[j]);
		}
		backends[i]->close(device);
	}
	free_problem(&problem);
}

/* The code of the error of a call on buffers of `elements` floats each; BENCH_OK where it runs. */
static enum bench_code refusal(const struct bench_backend *backend, struct bench_device *device,
			       struct bench_conv2d conv, size_t elements, struct bench_error *error)
{
	struct bench_buffer *buffers[3];
	*error = (struct bench_error){0};
	for (size_t i = 0; i < 3; i++)
		require(backend->alloc(device, elements * sizeof(float), &buffers[i], error), backend, error);
	conv.in = buffers[0], conv.weights = buffers[1], conv.out = buffers[2];
	int status = backend->conv2d(device, &conv, error);
	require(backend->finish(device, error), backend, error);
	for (size_t i = 0; i < 3; i++)
		backend->release(device, buffers[i]);
	return status ? error->code : BENCH_OK;
}

static void what_is_no_shape_or_does_not_fit_its_buffers_is_refused(void **state)
{
	(void)state;
	struct bench_conv2d wrong[] = {plain, plain, plain, plain, plain, plain, plain, plain, plain, plain};
	size_t elements = plain.k * plain.h * plain.w; /* of the output, the largest */
	wrong[0].n = 2;                                /* exceeds its buffers */
	wrong[1].k = 9;
	wrong[2].c = 0;
	wrong[3].stride = 0;
	wrong[4].dilation = 0;
	wrong[5].groups = 3; /* divides neither */
	wrong[6].r = 15;     /* exceeds the padded rows */
	wrong[7].s = 3, wrong[7].dilation = 11;
	wrong[8].h = SIZE_MAX;
	wrong[9].h = wrong[9].w = wrong[9].c = wrong[9].n = (size_t)1 << 31;
	for (size_t i = 0; i < BACKENDS; i++) {
		struct bench_device_info info;
		struct bench_error error;
		struct bench_device *device = open_first(backends[i], &info);
		if (!device)
			continue;
		assert_int_equal(refusal(backends[i], device, plain, elements, &error), BENCH_OK);
		for (size_t j = 0; j < sizeof(wrong) / sizeof(wrong[0]); j++)
			assert_int_equal(refusal(backends[i], device, wrong[j], elements, &error),
					 BENCH_USAGE);
		backends[i]->close(device);
	}
}

static void what_a_backend_cannot_is_unsupported_with_the_reason(void **state)
{
	(void)state;
	struct bench_conv2d half = plain, no_winograd = plain;
	half.dtype = BENCH_F16;
	no_winograd.stride = 2;
	no_winograd.algorithm = BENCH_CONV2D_WINOGRAD;
	for (size_t i = 0; i < BACKENDS; i++) {
		struct bench_device_info info;
		struct bench_error error;
		struct bench_device *device = open_first(backends[i], &info);
		if (!device)
			continue;
		assert_int_equal(refusal(backends[i], device, half, 4096, &error), BENCH_UNSUPPORTED);
		assert_non_null(strstr(error.text, "f16"));
		assert_int_equal(refusal(backends[i], device, no_winograd, 4096, &error), BENCH_UNSUPPORTED);
		assert_non_null(strstr(error.text, "winograd"));
		backends[i]->close(device);
	}
}

static void a_device_of_one_thread_computes_the_same(void **state)
{
	(void)state;
	struct problem problem = make_problem((struct bench_conv2d){.n = 2,
								    .c = 16,
								    .h = 20,
								    .w = 40,
								    .k = 24,
								    .r = 3,
								    .s = 3,
								    .stride = 1,
								    .pad = 1,
								    .dilation = 1,
								    .groups = 1});
	for (size_t i = 0; i < BACKENDS; i++) {
		struct bench_device *device;
		struct bench_error error = {0};
		struct bench_conv2d_choice choice;
		if (backends[i]->open(0, &(struct bench_open_options){.threads = 1}, &device, &error)) {
			assert_int_equal(error.code, BENCH_UNSUPPORTED);
			print_message("skipped: %s: %s\n", backends[i]->name, error.text);
			continue;
		}
		for (enum bench_conv2d_algorithm j = BENCH_CONV2D_DIRECT; j < BENCH_CONV2D_ALGORITHMS; j++)
			run_and_compare(backends[i], device, &problem, j, &choice);
		backends[i]->close(device);
	}
	free_problem(&problem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_filters_are_right_at_all_widths_and_strides),
		cmocka_unit_test(depthwise_is_right_for_all_channels_and_edges),
		cmocka_unit_test(every_algorithm_is_right_at_all_sizes_and_shapes),
		cmocka_unit_test(the_kernels_for_gpus_are_right_at_all_shapes),
		cmocka_unit_test(auto_tries_what_can_be_done_and_keeps_to_its_choice),
		cmocka_unit_test(what_is_no_shape_or_does_not_fit_its_buffers_is_refused),
		cmocka_unit_test(what_a_backend_cannot_is_unsupported_with_the_reason),
		cmocka_unit_test(a_device_of_one_thread_computes_the_same),
	};
	sample_set_up();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
