/* SPDX-License-Identifier: MIT */
/* The backend openblas+onednn: its convolutions, and what it has of openblas. */
#include <stdlib.h>
#include <string.h>

#include "suite_fixture.h"

static const struct bench_backend *const onednn = &bench_backend_onednn;

static struct bench_device *open_or_skip(struct bench_device_info *info)
{
	struct bench_error error = {0};
	struct bench_device *device = NULL;
	size_t count = 0;
	if (onednn->devices(info, 1, &count, &error) != 0) {
		assert_int_equal(error.code, BENCH_UNSUPPORTED);
		print_message("skipped: %s\n", error.text);
		skip();
	}
	if (onednn->open(0, &(struct bench_open_options){0}, &device, &error) != 0)
		fail_msg("%s", error.text);
	return device;
}

/* Whatever openblas has, this has too, and the same; a new hook of openblas belongs into both tables. */
static void all_but_the_convolution_is_that_of_openblas(void **state)
{
	(void)state;
	struct bench_backend expected = bench_backend_openblas, found = bench_backend_onednn;
	found.name = expected.name;
	found.summary = expected.summary;
	found.devices = expected.devices;
	found.open = expected.open;
	found.close = expected.close;
	found.conv2d = expected.conv2d;
	/* From the first pointer on there is nothing between the members. */
	size_t from = offsetof(struct bench_backend, name);
	assert_memory_equal((const char *)&found + from, (const char *)&expected + from,
			    sizeof(found) - from);
}

static void the_driver_names_the_library(void **state)
{
	(void)state;
	struct bench_device_info info;
	onednn->close(open_or_skip(&info));
	assert_non_null(strstr(info.driver, "OpenBLAS"));
	assert_non_null(strstr(info.driver, ", oneDNN "));
}

static void expect_right(const char *settings)
{
	struct fixture fixture;
	struct bench_error error = {0};
	if (!open_fixture(&fixture, &bench_suite_conv2d, onednn, settings, &error)) {
		print_message("skipped: %s\n", error.text);
		skip();
	}
	must(bench_suite_conv2d.setup(&fixture.bench_case, &error), &fixture, "setup", &error);
	struct bench_check check = once(&fixture);
	if (!(check.error <= check.tolerance))
		fail_msg("%s: error %g is above tolerance %g", settings, check.error, check.tolerance);
	close_fixture(&fixture);
}

static void convolutions_are_right(void **state)
{
	(void)state;
	static const char *const settings[] = {
		"c=32 h=28 k=64 algorithm=direct",
		"c=32 h=28 k=64 algorithm=direct layout=nhwc",
		"c=16 h=12 k=32",
		"n=2 c=3 h=11 w=17 k=5 r=2 s=3 pad=2 stride=2 algorithm=direct",
		"n=2 c=6 h=13 w=9 k=4 groups=2 dilation=2 pad=1 algorithm=direct",
		"n=2 c=6 h=13 w=9 k=4 groups=2 dilation=2 pad=1 algorithm=direct layout=nhwc",
		"c=8 h=10 k=8 groups=8 algorithm=direct",
		"n=3 c=5 h=7 w=4 k=9 r=1 pad=0 algorithm=direct layout=nhwc",
	};
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		expect_right(settings[i]);
}

static void what_the_library_does_not_do_is_refused_with_the_reason(void **state)
{
	(void)state;
	struct bench_device_info info;
	struct bench_device *device = open_or_skip(&info);
	struct bench_buffer *buffer;
	assert_int_equal(onednn->alloc(device, 4096, &buffer, NULL), 0);
	const struct bench_conv2d plain = {.algorithm = BENCH_CONV2D_DIRECT,
					   .n = 1,
					   .c = 1,
					   .h = 4,
					   .w = 4,
					   .k = 1,
					   .r = 3,
					   .s = 3,
					   .stride = 1,
					   .pad = 1,
					   .dilation = 1,
					   .groups = 1,
					   .in = buffer,
					   .weights = buffer,
					   .out = buffer};
	struct bench_conv2d asked[] = {plain, plain, plain, plain};
	static const struct {
		const char *reason;
		enum bench_code code;
	} want[] = {{"f32 only", BENCH_UNSUPPORTED},
		    {"no algorithm=im2col", BENCH_UNSUPPORTED},
		    {"no such convolution", BENCH_UNSUPPORTED},
		    {"exceeds its buffer", BENCH_USAGE}};
	asked[0].dtype = BENCH_F64;
	asked[1].algorithm = BENCH_CONV2D_IM2COL;
	asked[2].algorithm = BENCH_CONV2D_WINOGRAD;
	asked[2].stride = 2;
	asked[3].c = 1000;
	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		struct bench_error error = {0};
		assert_int_equal(onednn->conv2d(device, &asked[i], &error), -1);
		assert_int_equal(error.code, want[i].code);
		if (!strstr(error.text, want[i].reason))
			fail_msg("%zu: %s", i, error.text);
	}
	onednn->release(device, buffer);
	onednn->close(device);
	onednn->close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_but_the_convolution_is_that_of_openblas),
		cmocka_unit_test(the_driver_names_the_library),
		cmocka_unit_test(what_the_library_does_not_do_is_refused_with_the_reason),
		cmocka_unit_test(convolutions_are_right),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
