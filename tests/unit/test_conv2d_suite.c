/* SPDX-License-Identifier: MIT */
/* Suite conv2d: right on every backend; and on openblas but for a wrong convolution, which its check must
 * see. */
#include <stdlib.h>

#include "kit/conv2d.h"
#include "kit/reference.h"
#include "kit/rng.h"
#include "suite_fixture.h"
#include "suites/conv2d/check.h"

static const struct bench_backend *const backends[] = {&bench_backend_reference, &bench_backend_openblas,
						       &bench_backend_opencl};
enum { BACKENDS = sizeof(backends) / sizeof(backends[0]) };

/* Runs a case; BENCH_OK where it passed its check, the code of setup or run where they refused. */
static enum bench_code outcome(const struct bench_backend *backend, const char *settings,
			       struct bench_check *check, struct bench_error *error)
{
	struct fixture fixture;
	const struct bench_suite *suite = &bench_suite_conv2d;
	*error = (struct bench_error){0};
	if (!open_fixture(&fixture, suite, backend, settings, error)) {
		print_message("skipped: %s: %s\n", backend->name, error->text);
		return BENCH_NOTHING;
	}
	enum bench_code code = BENCH_OK;
	if (suite->setup(&fixture.bench_case, error) || suite->prepare(&fixture.bench_case, error) ||
	    suite->run(&fixture.bench_case, 2, error)) {
		code = error->code;
	} else {
		finish(&fixture);
		must(suite->check(&fixture.bench_case, 2, check, error), &fixture, "check", error);
		if (!(check->error <= check->tolerance))
			fail_msg("%s %s: error %g, tolerance %g (%s)", backend->name, settings, check->error,
				 check->tolerance, check->method);
	}
	close_fixture(&fixture);
	return code;
}

static void every_backend_passes_its_check(void **state)
{
	(void)state;
	static const char *const settings[] = {
		"algorithm=direct",
		"algorithm=im2col",
		"algorithm=winograd",
		"algorithm=winograd layout=nhwc dtype=f64",
		"algorithm=winograd c=1 h=57 k=3",
		"algorithm=winograd c=1 h=30 k=1 pad=4",
		"c=3 h=33 k=10 r=7 stride=2 pad=3",
		"c=8 k=8 h=20 groups=8 n=2",
		"layout=nhwc groups=4 pad=2 dilation=2",
		"dtype=f64 c=5 h=9 w=31 k=17 r=1 s=3 pad=0",
	};
	for (size_t i = 0; i < BACKENDS; i++)
		for (size_t j = 0; j < sizeof(settings) / sizeof(settings[0]); j++) {
			struct bench_check check = {0};
			struct bench_error error;
			enum bench_code code = outcome(backends[i], settings[j], &check, &error);
			if (code != BENCH_OK && code != BENCH_UNSUPPORTED && code != BENCH_NOTHING)
				fail_msg("%s %s: %s", backends[i]->name, settings[j], error.text);
		}
}

static void the_check_says_which_algorithm_was_chosen_of_which(void **state)
{
	(void)state;
	struct bench_check check = {0};
	struct bench_error error;
	assert_int_equal(outcome(&bench_backend_reference, "c=4 h=8 k=4", &check, &error), BENCH_OK);
	assert_non_null(strstr(check.method, "each element; direct of direct "));
	if (outcome(&bench_backend_openblas, "c=4 h=8 k=4", &check, &error) == BENCH_OK) {
		assert_non_null(strstr(check.method, " of direct "));
		assert_non_null(strstr(check.method, ", im2col "));
	}
	if (outcome(&bench_backend_openblas, "algorithm=im2col", &check, &error) == BENCH_OK)
		assert_string_equal(check.method, "each element; im2col");
}

static void a_shape_that_cannot_be_is_refused_before_anything_is_opened(void **state)
{
	(void)state;
	static const char *const settings[] = {"groups=3", "r=31", "h=4 dilation=3 pad=0",
					       "n=1M c=1M h=1M k=1M", "s=40 pad=2"};
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		struct bench_value values[MAX_PARAMS];
		struct bench_case bench_case = {.values = values};
		struct bench_work work = {0};
		struct bench_error error = {0};
		set_values(&bench_suite_conv2d, settings[i], values);
		assert_int_equal(bench_suite_conv2d.work(&bench_case, &work, &error), -1);
		assert_int_equal(error.code, BENCH_USAGE);
	}
}

static void the_work_is_that_of_the_definition(void **state)
{
	(void)state;
	struct bench_value values[MAX_PARAMS];
	struct bench_case bench_case = {.values = values};
	struct bench_work work = {0};
	struct bench_error error = {0};
	set_values(&bench_suite_conv2d, "n=2 c=8 h=10 w=12 k=6 r=3 s=5 stride=2 pad=1 groups=2", values);
	assert_int_equal(bench_suite_conv2d.work(&bench_case, &work, &error), 0);
	assert_true(work.flops == 2.0 * 2 * 6 * 5 * 5 * 4 * 15); /* the output is 5 x 5 */
	assert_true(work.bytes == 4.0 * (2 * 8 * 10 * 12 + 6 * 4 * 15 + 2 * 6 * 5 * 5));
}

/* What a wrong convolution starts from: the arrays of a problem (f32), in host memory. */
struct arrays {
	struct bench_conv2d conv;
	struct bench_conv2d_sizes sizes;
	float *in, *weights, *out;
};

static void wrong_nothing(struct arrays *arrays)
{
	for (size_t i = 0; i < arrays->sizes.out; i++)
		arrays->out[i] = NAN;
}

static void wrong_one_nan(struct arrays *arrays)
{
	arrays->out[arrays->sizes.out * 2 / 3] = NAN;
}

static size_t spoiled_index;

static void wrong_one_element(struct arrays *arrays)
{
	arrays->out[spoiled_index] *= 1.01F;
}

/* For each element of the output, by its place. */
static void wrong_last_column(struct arrays *arrays)
{
	const struct bench_conv2d *conv = &arrays->conv;
	size_t rows = bench_conv2d_extent(conv, conv->h, conv->r);
	size_t columns = bench_conv2d_extent(conv, conv->w, conv->s);
	for (size_t i = 0; i < conv->n * conv->k * rows; i++)
		arrays->out[bench_reference_conv2d_index(conv, i / rows / conv->k, i / rows % conv->k,
							 i % rows, columns - 1)] = 0;
}

static void reference(const struct bench_conv2d *conv, const float *in, const float *weights, float *out)
{
	struct bench_error error = {0};
	if (bench_reference_convolution(conv, in, weights, out, &error))
		fail_msg("%s", error.text);
}

/* NCHW: the edges of the input repeated instead of zeros. */
static void wrong_padding(struct arrays *arrays)
{
	struct bench_conv2d padded = arrays->conv;
	padded.h += 2 * padded.pad;
	padded.w += 2 * padded.pad;
	padded.pad = 0;
	const struct bench_conv2d *conv = &arrays->conv;
	float *in = malloc(padded.n * padded.c * padded.h * padded.w * sizeof(*in));
	assert_non_null(in);
	for (size_t i = 0; i < padded.n * padded.c * padded.h * padded.w; i++) {
		size_t plane = i / padded.w / padded.h, y = i / padded.w % padded.h, x = i % padded.w;
		y = y < conv->pad ? 0 : y - conv->pad < conv->h ? y - conv->pad : conv->h - 1;
		x = x < conv->pad ? 0 : x - conv->pad < conv->w ? x - conv->pad : conv->w - 1;
		in[i] = arrays->in[(plane * conv->h + y) * conv->w + x];
	}
	reference(&padded, in, arrays->weights, arrays->out);
	free(in);
}

static void wrong_stride(struct arrays *arrays)
{
	struct bench_conv2d dense = arrays->conv;
	dense.stride = 1;
	size_t dense_rows = bench_conv2d_extent(&dense, dense.h, dense.r);
	size_t dense_columns = bench_conv2d_extent(&dense, dense.w, dense.s);
	size_t rows = bench_conv2d_extent(&arrays->conv, dense.h, dense.r);
	size_t columns = bench_conv2d_extent(&arrays->conv, dense.w, dense.s);
	float *out = malloc(dense.n * dense.k * dense_rows * dense_columns * sizeof(*out));
	assert_non_null(out);
	reference(&dense, arrays->in, arrays->weights, out);
	for (size_t i = 0; i < arrays->sizes.out; i++)
		arrays->out[i] = out[(i / columns / rows * dense_rows + i / columns % rows) * dense_columns +
				     i % columns];
	free(out);
}

static void wrong_dilation(struct arrays *arrays)
{
	struct bench_conv2d close = arrays->conv;
	close.pad -= (close.r - 1) * (close.dilation - 1) / 2; /* the output keeps its size */
	close.dilation = 1;
	reference(&close, arrays->in, arrays->weights, arrays->out);
}

/* NCHW: each group takes the channels of the next. */
static void wrong_groups(struct arrays *arrays)
{
	const struct bench_conv2d *conv = &arrays->conv;
	size_t image = conv->c * conv->h * conv->w, group = image / conv->groups;
	float *in = malloc(arrays->sizes.in * sizeof(*in));
	assert_non_null(in);
	for (size_t i = 0; i < arrays->sizes.in; i++)
		in[i] = arrays->in[i / image * image + (i % image + group) % image];
	reference(conv, in, arrays->weights, arrays->out);
	free(in);
}

/* NCHW: the kernel turned around, the convolution of mathematics. */
static void wrong_direction(struct arrays *arrays)
{
	size_t taps = arrays->conv.r * arrays->conv.s;
	float *weights = malloc(arrays->sizes.weights * sizeof(*weights));
	assert_non_null(weights);
	for (size_t i = 0; i < arrays->sizes.weights; i++)
		weights[i] = arrays->weights[i / taps * taps + taps - 1 - i % taps];
	reference(&arrays->conv, arrays->in, weights, arrays->out);
	free(weights);
}

static void (*spoil)(struct arrays *arrays);

/* The right convolution, then `spoil` on what it left. */
static int conv2d_then(struct bench_device *device, const struct bench_conv2d *conv,
		       struct bench_error *error)
{
	const struct bench_backend *real = &bench_backend_openblas;
	struct arrays arrays = {.conv = *conv};
	if (bench_conv2d_check(conv, &arrays.sizes, error) || real->conv2d(device, conv, error))
		return -1;
	arrays.in = malloc(arrays.sizes.in * sizeof(float));
	arrays.weights = malloc(arrays.sizes.weights * sizeof(float));
	arrays.out = malloc(arrays.sizes.out * sizeof(float));
	assert_true(arrays.in && arrays.weights && arrays.out);
	int status = real->download(device, conv->in, arrays.in, arrays.sizes.in * sizeof(float), error) ||
		     real->download(device, conv->weights, arrays.weights,
				    arrays.sizes.weights * sizeof(float), error) ||
		     real->download(device, conv->out, arrays.out, arrays.sizes.out * sizeof(float), error);
	if (status == 0) {
		spoil(&arrays);
		status = real->upload(device, conv->out, arrays.out, arrays.sizes.out * sizeof(float), error);
	}
	free(arrays.in);
	free(arrays.weights);
	free(arrays.out);
	return status ? -1 : 0;
}

static void expect_incorrect(const char *settings, const char *fault)
{
	struct fixture fixture;
	struct bench_error error = {0};
	struct bench_backend wrong = bench_backend_openblas;
	wrong.conv2d = conv2d_then;
	if (!open_fixture(&fixture, &bench_suite_conv2d, &wrong, settings, &error))
		skip();
	must(bench_suite_conv2d.setup(&fixture.bench_case, &error), &fixture, "setup", &error);
	struct bench_check check = once(&fixture);
	if (check.error <= check.tolerance)
		fail_msg("conv2d %s did not see: %s (error %g, tolerance %g)", settings, fault, check.error,
			 check.tolerance);
	close_fixture(&fixture);
}

/* More products than are compared element by element. */
#define LARGE "algorithm=im2col c=64 h=56 k=64 "

static void a_wrong_convolution_is_incorrect(void **state)
{
	(void)state;
	static const struct {
		const char *fault, *settings;
		void (*spoil)(struct arrays *arrays);
	} wrongs[] = {
		{"nothing done", "", wrong_nothing},
		{"one element left NaN", "", wrong_one_nan},
		{"one element left NaN", LARGE, wrong_one_nan},
		{"the last column dropped", "n=2 c=4 h=9 k=3", wrong_last_column},
		{"the last column dropped", "layout=nhwc c=4 h=9 k=3", wrong_last_column},
		{"the last column dropped", LARGE, wrong_last_column},
		{"the padding not zero", "c=4 h=9 k=3", wrong_padding},
		{"the padding not zero", LARGE, wrong_padding},
		{"stride ignored", "c=3 h=20 k=5 stride=2", wrong_stride},
		{"stride ignored", "c=3 h=224 k=64 r=7 stride=2 pad=3", wrong_stride},
		{"dilation ignored", "c=3 h=20 k=5 pad=2 dilation=2", wrong_dilation},
		{"groups mixed", "c=8 h=10 k=12 groups=4", wrong_groups},
		{"groups mixed", "n=2 c=8 h=10 k=8 groups=8", wrong_groups},
		{"the kernel turned around", "c=2 h=10 k=3", wrong_direction},
	};
	for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++) {
		spoil = wrongs[i].spoil;
		expect_incorrect(wrongs[i].settings, wrongs[i].fault);
	}
}

static void one_wrong_element_anywhere_is_incorrect(void **state)
{
	(void)state;
	struct bench_rng rng;
	bench_rng_start(&rng, 11, 3);
	spoil = wrong_one_element;
	for (size_t i = 0; i < 8; i++) {
		spoiled_index = bench_rng_below(&rng, (size_t)64 * 28 * 28);
		expect_incorrect("", "one element wrong by a hundredth");
		spoiled_index = bench_rng_below(&rng, (size_t)64 * 56 * 56);
		expect_incorrect(LARGE, "one element wrong by a hundredth");
	}
	spoiled_index = (size_t)64 * 56 * 56 - 1;
	expect_incorrect(LARGE, "the last element wrong by a hundredth");
}

/* What Winograd's looser tolerance still sees. */
static void one_wrong_element_is_incorrect_where_winograd_is_said_to_have_run(void **state)
{
	(void)state;
	struct bench_error error = {0};
	struct arrays arrays = {.conv = {.n = 1,
					 .c = 32,
					 .h = 28,
					 .w = 28,
					 .k = 16,
					 .r = 3,
					 .s = 3,
					 .stride = 1,
					 .pad = 1,
					 .dilation = 1,
					 .groups = 1}};
	assert_int_equal(bench_conv2d_check(&arrays.conv, &arrays.sizes, &error), 0);
	arrays.in = malloc(arrays.sizes.in * sizeof(float));
	arrays.weights = malloc(arrays.sizes.weights * sizeof(float));
	arrays.out = malloc(arrays.sizes.out * sizeof(float));
	assert_true(arrays.in && arrays.weights && arrays.out);
	bench_rng_fill(1, 1, BENCH_F32, arrays.in, arrays.sizes.in);
	bench_rng_fill(1, 2, BENCH_F32, arrays.weights, arrays.sizes.weights);
	reference(&arrays.conv, arrays.in, arrays.weights, arrays.out);
	for (int wrong = 0; wrong < 2; wrong++) {
		struct bench_check check = {0};
		arrays.out[1234] += wrong ? 0.05F : 0;
		assert_int_equal(bench_conv2d_check_output(&arrays.conv, arrays.in, arrays.weights,
							   arrays.out, BENCH_CONV2D_WINOGRAD,
							   BENCH_DATA_UNIFORM, 42, &check, &error),
				 0);
		assert_int_equal(check.error <= check.tolerance, !wrong);
	}
	free(arrays.in);
	free(arrays.weights);
	free(arrays.out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_backend_passes_its_check),
		cmocka_unit_test(the_check_says_which_algorithm_was_chosen_of_which),
		cmocka_unit_test(a_shape_that_cannot_be_is_refused_before_anything_is_opened),
		cmocka_unit_test(the_work_is_that_of_the_definition),
		cmocka_unit_test(a_wrong_convolution_is_incorrect),
		cmocka_unit_test(one_wrong_element_anywhere_is_incorrect),
		cmocka_unit_test(one_wrong_element_is_incorrect_where_winograd_is_said_to_have_run),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
