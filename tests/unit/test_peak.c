/* SPDX-License-Identifier: MIT */
/* The ceilings' operations and suite: right on every backend, and wrong ones are seen. */
#include "suite_fixture.h"

static const struct bench_backend *const backends[] = {&bench_backend_opencl, &bench_backend_openblas};
enum { BACKENDS = sizeof(backends) / sizeof(backends[0]) };

/* The smallest that `read` takes; sizes of `add` that are no multiple of a vector, too. */
static const char *const cases[] = {
	"what=fma dtype=f32 rounds=64",
	"what=fma dtype=f64 rounds=3",
	"what=read bytes=16777216",
	"what=read bytes=40000000 dtype=f64",
	"what=read bytes=16384 rounds=64",
	"what=read bytes=300000 rounds=128 dtype=f64",
	"what=read bytes=4194304 rounds=256",
	"what=add bytes=12",
	"what=add bytes=1201 dtype=f64",
	"what=add bytes=1000000",
	"what=launch",
};
enum { CASES = sizeof(cases) / sizeof(cases[0]) };

static void every_ceiling_is_right(void **state)
{
	(void)state;
	for (size_t b = 0; b < BACKENDS; b++)
		for (size_t c = 0; c < CASES; c++) {
			struct fixture fixture;
			struct bench_error error = {0};
			if (!open_fixture(&fixture, &bench_suite_peak, backends[b], cases[c], &error)) {
				print_message("[  skipped ] %s: %s\n", backends[b]->name, error.text);
				break;
			}
			must(bench_suite_peak.setup(&fixture.bench_case, &error), &fixture, "setup", &error);
			struct bench_check check = prepare_run_check(&fixture, (const uint64_t[]){1, 2}, 2);
			if (!(check.error <= check.tolerance))
				fail_msg("%s %s: error %g, tolerance %g", backends[b]->name, cases[c],
					 check.error, check.tolerance);
			close_fixture(&fixture);
		}
}

static int does_nothing(struct bench_device *device, const struct bench_peak *peak, struct bench_error *error)
{
	(void)device;
	(void)peak;
	(void)error;
	return 0;
}

static int leaves_out_rounds(struct bench_device *device, const struct bench_peak *peak,
			     struct bench_error *error)
{
	struct bench_peak less = *peak;
	less.rounds -= less.rounds / 64;
	return bench_backend_openblas.peak(device, &less, error);
}

static int leaves_out_lanes(struct bench_device *device, const struct bench_peak *peak,
			    struct bench_error *error)
{
	struct bench_peak less = *peak;
	less.count -= bench_peak_multiple(peak->what);
	return bench_backend_openblas.peak(device, &less, error);
}

static void a_ceiling_that_is_not_reached_honestly_is_incorrect(void **state)
{
	static const struct {
		const char *settings;
		int (*peak)(struct bench_device *, const struct bench_peak *, struct bench_error *);
	} wrong[] = {
		{"what=fma rounds=64", does_nothing},
		{"what=fma rounds=64", leaves_out_rounds},
		{"what=fma rounds=64", leaves_out_lanes},
		{"what=read bytes=40000000", does_nothing},
		{"what=launch", does_nothing},
		{"what=read bytes=40000000", leaves_out_lanes},
		{"what=read bytes=16384 rounds=128", leaves_out_lanes},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct fixture fixture;
		struct bench_error error = {0};
		struct bench_backend backend = bench_backend_openblas;
		backend.peak = wrong[i].peak;
		if (!open_fixture(&fixture, &bench_suite_peak, &backend, wrong[i].settings, &error))
			skip();
		must(bench_suite_peak.setup(&fixture.bench_case, &error), &fixture, "setup", &error);
		struct bench_check check = once(&fixture);
		if (check.error <= check.tolerance)
			fail_msg("wrong %zu (%s) passed: error %g, tolerance %g", i, wrong[i].settings,
				 check.error, check.tolerance);
		close_fixture(&fixture);
	}
}

static void sizes_that_do_not_fit_are_refused(void **state)
{
	(void)state;
	for (size_t b = 0; b < BACKENDS; b++) {
		struct fixture fixture;
		struct bench_error error = {0};
		struct bench_buffer *buffer = NULL;
		if (!open_fixture(&fixture, &bench_suite_peak, backends[b], "what=launch", &error))
			continue;
		struct bench_device *device = fixture.bench_case.device;
		assert_int_equal(backends[b]->alloc(device, 1024, &buffer, &error), 0);
		struct bench_peak peak = {.count = 255, .rounds = 1, .a = buffer, .out = buffer};
		assert_int_equal(backends[b]->peak(device, &peak, &error), -1);
		assert_int_equal(error.code, BENCH_USAGE);
		peak.count = 512;
		assert_int_equal(backends[b]->peak(device, &peak, &error), -1);
		assert_int_equal(error.code, BENCH_USAGE);
		peak = (struct bench_peak){.what = BENCH_PEAK_READ,
					   .count = bench_peak_multiple(BENCH_PEAK_READ),
					   .held = 96,
					   .a = buffer,
					   .out = buffer};
		assert_int_equal(backends[b]->peak(device, &peak, &error), -1);
		assert_non_null(strstr(error.text, "power of two"));
		peak = (struct bench_peak){.what = BENCH_PEAK_TENSOR,
					   .count = bench_peak_multiple(BENCH_PEAK_TENSOR),
					   .rounds = 64,
					   .out = buffer};
		assert_int_equal(backends[b]->peak(device, &peak, &error), -1);
		assert_int_equal(error.code, BENCH_UNSUPPORTED);
		assert_non_null(strstr(error.text, "no tensor cores"));
		peak = (struct bench_peak){.count = 256, .rounds = 1, .a = buffer, .out = buffer};
		peak.dtype = BENCH_F16;
		assert_int_equal(backends[b]->peak(device, &peak, &error), -1);
		assert_int_equal(error.code, BENCH_UNSUPPORTED);
		backends[b]->release(device, buffer);
		close_fixture(&fixture);
	}
}

static void values_that_name_no_work_are_refused(void **state)
{
	(void)state;
	static const char *const settings[] = {
		"what=read bytes=1000", "what=add bytes=11", "what=read bytes=16KiB rounds=100",
		"what=read bytes=16KiB rounds=8192", "what=tensor dtype=f16 rounds=6"};
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		struct bench_value values[MAX_PARAMS];
		struct bench_work work = {0};
		struct bench_error error;
		set_values(&bench_suite_peak, settings[i], values);
		const struct bench_case bench_case = {.values = values};
		assert_int_equal(bench_suite_peak.work(&bench_case, &work, &error), -1);
		assert_int_equal(error.code, BENCH_USAGE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_ceiling_is_right),
		cmocka_unit_test(a_ceiling_that_is_not_reached_honestly_is_incorrect),
		cmocka_unit_test(sizes_that_do_not_fit_are_refused),
		cmocka_unit_test(values_that_name_no_work_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
