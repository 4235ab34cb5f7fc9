/* SPDX-License-Identifier: MIT */
/*
 * The backend opencl+clblast. PoCL takes up to a minute for a kernel of CLBlast that it has not
 * in its cache, so few problems are run, without optimization: they are there to see that the calls are
 * right, and what is compiled is CLBlast's.
 */
#include <stdlib.h>
#include <string.h>

#include "sample.h"
#include "suite_fixture.h"

static const struct bench_backend *const clblast = &bench_backend_clblast;

static struct bench_device *open_or_skip(struct bench_device_info *info)
{
	struct bench_error error = {0};
	struct bench_device *device = NULL;
	size_t count = 0;
	if (clblast->devices(info, 1, &count, &error) != 0) {
		assert_int_equal(error.code, BENCH_UNSUPPORTED);
		print_message("skipped: %s\n", error.text);
		skip();
	}
	if (clblast->open(0, &(struct bench_open_options){0}, &device, &error) != 0)
		fail_msg("%s", error.text);
	return device;
}

/* Whatever opencl has, this has too, and the same; a new hook of opencl belongs into both tables. */
static void all_but_the_product_and_its_time_is_that_of_opencl(void **state)
{
	(void)state;
	struct bench_backend expected = bench_backend_opencl, found = bench_backend_clblast;
	found.name = expected.name;
	found.summary = expected.summary;
	assert_null(found.tunables); /* one list is enough: names are of all backends */
	found.tunables = expected.tunables;
	found.devices = expected.devices;
	found.open = expected.open;
	found.close = expected.close;
	found.gemm = expected.gemm;
	/* A user's kernel is OpenCL's, whoever multiplies. */
	assert_null(found.kernels);
	found.kernels = expected.kernels;
	assert_null(found.time_begin);
	assert_null(found.time_end);
	assert_null(found.row_begin);
	assert_null(found.row_end);
	found.row_begin = expected.row_begin;
	found.row_end = expected.row_end;
	/* CLBlast keeps memory that nobody else can free. */
	assert_null(found.clear);
	found.clear = expected.clear;
	found.time_begin = expected.time_begin;
	found.time_end = expected.time_end;
	/* From the first pointer on there is nothing between the members. */
	size_t from = offsetof(struct bench_backend, name);
	assert_memory_equal((const char *)&found + from, (const char *)&expected + from,
			    sizeof(found) - from);
}

static void the_device_names_the_library_and_claims_no_time(void **state)
{
	(void)state;
	struct bench_device_info info;
	clblast->close(open_or_skip(&info));
	assert_non_null(strstr(info.driver, ", CLBlast "));
	assert_false(info.device_time);
}

static void expect_right(const char *settings)
{
	struct fixture fixture;
	struct bench_error error = {0};
	if (!open_fixture(&fixture, &bench_suite_gemm, clblast, settings, &error)) {
		print_message("skipped: %s\n", error.text);
		skip();
	}
	must(bench_suite_gemm.setup(&fixture.bench_case, &error), &fixture, "setup", &error);
	struct bench_check check = once(&fixture);
	if (!(check.error <= check.tolerance))
		fail_msg("%s: error %g is above tolerance %g", settings, check.error, check.tolerance);
	close_fixture(&fixture);
}

static void a_product_is_right(void **state)
{
	(void)state;
	expect_right("m=31 n=17 k=33 trans=TN beta=0.5 alpha=-2");
	expect_right("m=31 n=17 k=33 lda=40 ldb=17 ldc=19");
	expect_right("m=31 n=17 k=33 trans=TN beta=0.5 alpha=-2 dtype=c32");
}

static void a_batch_is_right(void **state)
{
	(void)state;
	expect_right("m=31 n=17 k=33 batch=3");
	expect_right("m=31 n=17 k=33 batch=3 dtype=c32");
	expect_right("m=31 n=17 k=33 batch=3 lda=40 ldb=20 ldc=19 beta=0.5");
}

static void what_the_library_does_not_do_is_refused_with_the_reason(void **state)
{
	(void)state;
	struct bench_device_info info;
	struct bench_device *device = open_or_skip(&info);
	struct bench_buffer *buffer;
	assert_int_equal(clblast->alloc(device, 1024, &buffer, NULL), 0);
	const struct bench_gemm plain = {.m = 4,
					 .n = 4,
					 .k = 4,
					 .alpha = 1,
					 .a = buffer,
					 .b = buffer,
					 .c = buffer,
					 .lda = 4,
					 .ldb = 4,
					 .ldc = 4};
	struct bench_gemm asked[] = {plain, plain, plain, plain};
	static const struct {
		const char *reason;
		enum bench_code code;
	} want[] = {{"sums in half", BENCH_UNSUPPORTED},
		    {"a bias", BENCH_UNSUPPORTED},
		    {"an activation", BENCH_UNSUPPORTED},
		    {"exceeds its buffer", BENCH_USAGE}};
	asked[0].dtype = BENCH_F16;
	asked[1].bias = buffer;
	asked[2].activation = BENCH_ACTIVATION_GELU;
	asked[3].m = 1000;
	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		struct bench_error error = {0};
		assert_int_equal(clblast->gemm(device, &asked[i], &error), -1);
		assert_int_equal(error.code, want[i].code);
		assert_non_null(strstr(error.text, want[i].reason));
	}
	clblast->release(device, buffer);
	clblast->close(device);
	clblast->close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_but_the_product_and_its_time_is_that_of_opencl),
		cmocka_unit_test(the_device_names_the_library_and_claims_no_time),
		cmocka_unit_test(what_the_library_does_not_do_is_refused_with_the_reason),
		cmocka_unit_test(a_product_is_right),
		cmocka_unit_test(a_batch_is_right),
	};
	sample_set_up();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
