/* SPDX-License-Identifier: MIT */
/* Users' kernels as they are launched: those that do what their specification says, and those that do not. */
#include "kernel_fixture.h"

/* What the check says of two launches, after one that passed; false: there is no device. */
static int check_kernel(const struct bench_suite *suite, const char *settings, struct bench_check *check,
			struct bench_error *error)
{
	struct fixture fixture;
	if (!open_fixture(&fixture, suite, &bench_backend_opencl, settings, error))
		skip();
	fixture.bench_case.suite = suite;
	must(suite->setup(&fixture.bench_case, error), &fixture, "setup", error);
	must(suite->prepare(&fixture.bench_case, error), &fixture, "prepare", error);
	int result = suite->run(&fixture.bench_case, 2, error);
	finish(&fixture);
	if (result == 0)
		result = suite->check(&fixture.bench_case, 2, check, error);
	close_fixture(&fixture);
	return result;
}

#define SPEC "{" PARAMS "," ARGUMENTS ", \"global\": \"ceil(n / 8) * 8\", \"local\": 8}"

static void a_right_kernel_passes_and_a_wrong_one_does_not(void **state)
{
	(void)state;
	struct bench_check check;
	struct bench_error error;
	if (check_kernel(add_suite("right", axpy, SPEC), "n=1001", &check, &error) != 0)
		fail_msg("%s", error.text);
	assert_true(check.error <= check.tolerance && check.tolerance < 1e-5);
	assert_string_equal(check.method, "expression of y, each element");
	const struct bench_suite *wrong =
		add_suite("wrong",
			  "kernel void axpy(int n, float a, global const float *x, global float *y)\n"
			  "{ int i = get_global_id(0); if (i < n && i != 77) y[i] = a * x[i] + y[i]; }\n",
			  SPEC);
	assert_int_equal(check_kernel(wrong, "n=1001", &check, &error), 0);
	assert_true(check.error > check.tolerance && strstr(check.method, "y[77] is"));
}

static void what_a_kernel_may_not_do_fails_with_its_place(void **state)
{
	(void)state;
	static const struct {
		const char *name, *body, *words;
	} rows[] = {
		{"past", "y[n] = 1", "wrote past the end of y: at y[100]"},
		{"far_past", "y[n + 16383] = 1", "wrote past the end of y: at y[16483]"},
		{"guard_copied", "y[n] = x[n]", "wrote past the end of y: at y[100]"},
		{"guard_moved", "y[n] = y[n + 1]", "wrote past the end of y: at y[100]"},
		{"guard_used", "y[n] += y[n]", "wrote past the end of y: at y[100]"},
		{"before", "y[-1] = 1", "wrote in front of y: at y[-1]"},
		{"input", "((global float *)x)[3] = 1", "wrote to x, at x[3]"},
		{"no_build", "y[i] = z", "k.cl:2:79: error"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_text source = {0};
		struct bench_check check;
		struct bench_error error = {0};
		bench_text_add(
			&source,
			"kernel void axpy(int n, float a, global const float *x, global float *y)\n"
			"{ int i = get_global_id(0); if (i < n) y[i] = a * x[i] + y[i]; if (!i) %s; }\n",
			rows[i].body);
		const struct bench_suite *suite = add_suite(rows[i].name, source.data, SPEC);
		assert_int_equal(check_kernel(suite, "n=100", &check, &error), -1);
		if (!strstr(error.text, rows[i].words))
			fail_msg("%s: %s", rows[i].name, error.text);
		bench_text_free(&source);
	}
}

static void arguments_must_be_those_of_the_source(void **state)
{
	(void)state;
	static const struct {
		const char *name, *head, *words;
	} rows[] = {
		{"fewer", "int n, float a, global float *y",
		 "takes 3 arguments, and the specification has 4"},
		{"other", "int n, float a, global const double *x, global float *y",
		 "argument 3 (`x`) of kernel axpy is `global double *` in the source, and a buffer of float "
		 "in the "
		 "specification: its 'type' is \"double\""},
		{"number", "int n, float a, float x, global float *y",
		 "argument 3 (`x`) of kernel axpy is `float` by value"},
		{"integer", "uint n, float a, global const float *x, global float *y",
		 "is `uint` by value in the source, and a number of type int in the specification"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_text source = {0};
		struct bench_check check;
		struct bench_error error = {0};
		bench_text_add(&source, "kernel void axpy(%s)\n{ y[0] = a; }\n", rows[i].head);
		const struct bench_suite *suite = add_suite(rows[i].name, source.data, SPEC);
		assert_int_equal(check_kernel(suite, "n=100", &check, &error), -1);
		if (!strstr(error.text, rows[i].words))
			fail_msg("%s: %s", rows[i].name, error.text);
		bench_text_free(&source);
	}
}

static const char sums[] =
	"#ifndef T\n#define T float\n#endif\n"
	"kernel void sums(int n, global const T *a, global T *s, local T *part)\n"
	"{ int r = get_global_id(0); T sum = 0;\n"
	"  for (int k = 0; k < n; k++) { part[0] = a[r * n + k]; sum += part[0]; } s[r] = sum; }\n"
	"kernel void slow(int n, global const T *a, global T *s, local T *part)\n"
	"{ int r = get_global_id(0); T sum = 0; for (int k = n - 1; k >= 0; k--) sum += a[r * n + k];\n"
	"  s[r] = sum; }\n";
#define SUMS(check)                                                                                          \
	"{\"params\": {\"n\": 50, \"t\": [\"float\", \"double\", \"long\"]}, \"args\": [{\"name\": \"n\", "  \
	"\"type\":"                                                                                          \
	"\"int\"}, {\"name\": \"a\", \"type\": \"{t}\", \"shape\": [8, \"n\"]}, {\"name\": \"s\", "          \
	"\"type\": \"{t}\","                                                                                 \
	"\"shape\": 8, \"access\": \"out\"" check "}, {\"name\": \"p\", \"type\": \"{t}\", \"shape\": 1,"    \
	"\"access\": \"local\"}], \"kernel\": \"sums\", \"options\": \"-DT={t}\", \"global\": 8, "           \
	"\"local\": 1,"                                                                                      \
	"\"reference\": {\"kernel\": \"slow\"}}"

static void sums_and_a_second_kernel_check_a_reduction(void **state)
{
	(void)state;
	const struct bench_suite *by_sum =
		add_suite("by_sum", sums, SUMS(", \"check\": \"sum(k, 0, n, a[i, k])\""));
	const struct bench_suite *by_kernel = add_suite("by_kernel", sums, SUMS(""));
	static const char *const types[] = {"t=float", "t=double", "t=long"};
	for (size_t i = 0; i < 6; i++) {
		struct bench_check check;
		struct bench_error error = {0};
		if (check_kernel(i % 2 ? by_sum : by_kernel, types[i / 2], &check, &error) != 0)
			fail_msg("%s: %s", types[i / 2], error.text);
		assert_true(check.error <= check.tolerance);
		assert_true((check.tolerance == 0) == (i / 2 == 2));
		assert_non_null(strstr(check.method, i % 2 ? "expression" : "reference"));
	}
}

/* `y` and `z` are one off everywhere, and a little off 0. */
static const char off[] = "kernel void off(global int *y, global float *z)\n"
			  "{ int i = get_global_id(0); y[i] = i + 1; z[i] = i ? i : 1e-9f; }\n";
#define OFF(y, z)                                                                                            \
	"{\"global\": 16, \"args\": [{\"name\": \"y\", \"type\": \"int\", \"shape\": 16, \"access\": "       \
	"\"out\"," y "}, {\"name\": \"z\", \"type\": \"float\", \"shape\": 16, \"access\": \"out\"," z "}]}"

static void a_tolerance_is_absolute_for_integers_and_a_zero_is_compared_with_the_rest(void **state)
{
	(void)state;
	static const struct {
		const char *name, *spec;
		bool right;
	} rows[] = {
		{"within", OFF("\"check\": \"i\", \"tolerance\": 1", "\"check\": \"i\", \"tolerance\": 1e-6"),
		 true},
		{"by_one", OFF("\"check\": \"i\", \"tolerance\": 0.9", "\"check\": \"none\""), false},
		{"by_two", OFF("\"check\": \"i + 3\", \"tolerance\": 1", "\"check\": \"none\""), false},
		{"strict", OFF("\"check\": \"i + 1\"", "\"check\": \"i\""), false},
		{"beyond", OFF("\"check\": \"i + 1\"", "\"check\": \"i\", \"tolerance\": 1e-11"), false},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_check check;
		struct bench_error error = {0};
		const struct bench_suite *suite = add_suite(rows[i].name, off, rows[i].spec);
		if (check_kernel(suite, "", &check, &error) != 0)
			fail_msg("%s: %s", rows[i].name, error.text);
		if ((check.error <= check.tolerance) != rows[i].right)
			fail_msg("%s: error %g, tolerance %g", rows[i].name, check.error, check.tolerance);
	}
}

static void an_expression_that_cannot_be_is_a_failure_of_the_case(void **state)
{
	(void)state;
	static const struct {
		const char *name, *spec, *words;
	} rows[] = {
		{"outside", SUMS(", \"check\": \"a[i + 8, 0]\""),
		 "check of s[0]: a[8, 0] is outside of the array"},
		{"nothing", SUMS(", \"check\": \"0 / 0\""), "check of s[0]: it comes to no number"},
		{"endless", SUMS(", \"check\": \"sum(k, 0, 1e12, k)\""), "steps"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_check check;
		struct bench_error error = {0};
		const struct bench_suite *suite = add_suite(rows[i].name, sums, rows[i].spec);
		assert_int_equal(check_kernel(suite, "n=50", &check, &error), -1);
		if (!strstr(error.text, rows[i].words) || !strstr(error.text, "k.json:1:"))
			fail_msg("%s: %s", rows[i].name, error.text);
	}
}

/* As CUDA's, whose hook is NULL. */
static void a_backend_without_images_is_unsupported(void **state)
{
	(void)state;
	struct fixture fixture;
	struct bench_error error = {0};
	const struct bench_suite *suite = add_suite(
		"imageless", "kernel void k(read_only image2d_t x, sampler_t s, global int *y) {}", IMAGES);
	if (!open_fixture(&fixture, suite, &bench_backend_opencl, "n=100", &error))
		skip();
	struct bench_kernel_hooks hooks = *fixture.bench_case.backend->kernels;
	struct bench_backend backend = *fixture.bench_case.backend;
	hooks.image = NULL;
	backend.kernels = &hooks;
	fixture.bench_case.suite = suite;
	fixture.bench_case.backend = &backend;
	assert_int_equal(suite->setup(&fixture.bench_case, &error), -1);
	assert_int_equal(error.code, BENCH_UNSUPPORTED);
	assert_string_equal(error.text, "backend opencl has no images and samplers, such as x");
	close_fixture(&fixture);
}

static void a_fill_that_does_not_fit_is_refused(void **state)
{
	(void)state;
	const struct bench_suite *suite = add_suite(
		"unfit", sums,
		"{\"params\": {\"n\": 3}, \"args\": [{\"name\": \"a\", \"type\": \"uchar\", \"shape\": "
		"[\"n\", 2], \"access\":"
		"\"inout\", \"fill\": \"i0 * 200 + uniform(0, 1)\", \"check\": 0}], \"global\": 1}");
	struct fixture fixture;
	struct bench_error error;
	if (!open_fixture(&fixture, suite, &bench_backend_opencl, "n=3", &error))
		skip();
	fixture.bench_case.suite = suite;
	assert_int_equal(suite->setup(&fixture.bench_case, &error), -1);
	assert_non_null(strstr(error.text, "does not fit a[4], of type uchar"));
	close_fixture(&fixture);
}

/* The last suite of the table is the twin that is searched. */
static size_t allocated;

static int count_alloc(struct bench_device *device, size_t bytes, struct bench_buffer **buffer,
		       struct bench_error *error)
{
	allocated++;
	return bench_backend_opencl.alloc(device, bytes, buffer, error);
}

#define DO_OR_NOT                                                                                            \
	"kernel void plain(global const float *x, global float *y)\n"                                        \
	"{ int i = get_global_id(0); y[i] = 2 * x[i]; }\n"                                                   \
	"kernel void twice(global const float *x, global float *y)\n"                                        \
	"{ int i = get_global_id(0);\n"                                                                      \
	"  if (DO == 2) ((global float *)x)[i] = 0;\n"                                                       \
	"  if (DO == 3 && i == 0) y[-1] = 1;\n"                                                              \
	"  if (DO != 1) y[i] = DO == 4 ? 0 : 2 * x[i]; }\n"
#define TWICE(input, check, more)                                                                            \
	"{\"params\": {\"n\": 64}, \"tune\": {\"DO\": [0, 1, 2, 3, 4, 5]}, \"kernel\": \"twice\","           \
	"\"options\": \"-DDO={DO}\", \"args\": [{\"name\": \"x\", \"type\": \"float\", " input "},"          \
	"{\"name\": \"y\", \"type\": \"float\", \"shape\": \"n\", \"access\": \"out\"" check                 \
	"}], \"global\": \"n\"" more "}"

enum { TWICES = 7 };

/* Sets all candidates up together, as a search does, calls them all, and checks them one after the other;
 * twice. */
static void try_candidates(const struct bench_suite *suite, size_t buffers)
{
	static const struct {
		int64_t candidate;
		const char *words; /* of what is wrong; NULL: nothing is */
	} rows[TWICES] = {{0, NULL},
			  {2, "was never written"},
			  {3, "wrote to x, at x[0]"},
			  {1, NULL},
			  {4, "wrote in front of y: at y[-1]"},
			  {5, "is 0, not"},
			  {6, NULL}};
	static struct bench_backend counting;
	struct fixture fixture;
	struct bench_error error = {0};
	struct bench_case cases[TWICES];
	struct bench_value values[TWICES][MAX_PARAMS];
	counting = bench_backend_opencl;
	counting.alloc = count_alloc;
	allocated = 0;
	if (!open_fixture(&fixture, suite, &counting, "n=64", &error))
		skip();
	fixture.bench_case.suite = suite;
	for (size_t k = 0; k < TWICES; k++) {
		struct bench_work work = {0};
		memcpy(values[k], fixture.values, sizeof(values[k]));
		values[k][1].integer = rows[k].candidate;
		cases[k] = fixture.bench_case;
		cases[k].values = values[k];
		must(suite->work(&cases[k], &work, &error), &fixture, "work", &error);
		if (buffers == 2)
			assert_true((work.device_bytes == 0) == (rows[k].candidate > 0));
		must(suite->setup(&cases[k], &error), &fixture, "setup", &error);
		must(suite->prepare(&cases[k], &error), &fixture, "prepare", &error);
	}
	assert_int_equal(allocated, buffers);
	for (int pass = 0; pass < 2; pass++) {
		for (size_t k = 0; k < TWICES; k++)
			must(suite->run(&cases[k], 3, &error), &fixture, "run", &error);
		finish(&fixture);
		for (size_t k = 0; k < TWICES; k++) {
			struct bench_check check = {0};
			const int result = suite->check(&cases[k], 3, &check, &error);
			const char *said = result != 0                      ? error.text
					   : check.error <= check.tolerance ? ""
									    : check.method;
			if (rows[k].words ? !strstr(said, rows[k].words) : *said)
				fail_msg("pass %d, candidate %d: '%s'", pass, (int)rows[k].candidate, said);
		}
	}
	/* In any order: the last one leaves with the memory. */
	for (size_t k = 0; k < TWICES; k++)
		suite->teardown(&cases[k]);
	counting.close(fixture.bench_case.device);
}

static void candidates_share_memory_and_none_passes_for_another(void **state)
{
	(void)state;
	try_candidates(add_suite_as("shared", DO_OR_NOT,
				    TWICE("\"shape\": \"n\"", ", \"check\": \"2 * x[i]\"", ""), true),
		       2);
	try_candidates(add_suite_as("shared_by_kernel", DO_OR_NOT,
				    TWICE("\"shape\": \"n\"", "", ", \"reference\": {\"kernel\": \"plain\"}"),
				    true),
		       2);
}

static void what_depends_on_a_tunable_is_not_shared(void **state)
{
	(void)state;
	/* Candidate 0, the one in force, is the same as 1. */
	try_candidates(add_suite_as("longer", DO_OR_NOT,
				    TWICE("\"shape\": \"n + DO\"", ", \"check\": \"2 * x[i]\"", ""), true),
		       7);
	try_candidates(
		add_suite_as("fuller", DO_OR_NOT,
			     TWICE("\"shape\": \"n\", \"fill\": \"i + DO\"", ", \"check\": \"2 * x[i]\"", ""),
			     true),
		7);
	/* An output's expected elements follow from the inputs. */
	try_candidates(add_suite_as("fuller_by_kernel", DO_OR_NOT,
				    TWICE("\"shape\": \"n\", \"fill\": \"i + DO\"", "",
					  ", \"reference\": {\"kernel\": \"plain\"}"),
				    true),
		       12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_backend_without_images_is_unsupported),
		cmocka_unit_test(a_right_kernel_passes_and_a_wrong_one_does_not),
		cmocka_unit_test(what_a_kernel_may_not_do_fails_with_its_place),
		cmocka_unit_test(arguments_must_be_those_of_the_source),
		cmocka_unit_test(sums_and_a_second_kernel_check_a_reduction),
		cmocka_unit_test(a_tolerance_is_absolute_for_integers_and_a_zero_is_compared_with_the_rest),
		cmocka_unit_test(an_expression_that_cannot_be_is_a_failure_of_the_case),
		cmocka_unit_test(a_fill_that_does_not_fit_is_refused),
		cmocka_unit_test(candidates_share_memory_and_none_passes_for_another),
		cmocka_unit_test(what_depends_on_a_tunable_is_not_shared),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
