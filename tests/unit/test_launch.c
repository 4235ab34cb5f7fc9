/* SPDX-License-Identifier: MIT */
/*
 * Suite launch and the operations under it: empty launches and made programs, right where there are
 * kernels, unsupported elsewhere, and seen by the checks where they are not what they claim.
 */
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "backends/opencl/runtime/program.h"
#include "core/file.h"
#include "suite_fixture.h"

static char scratch[PATH_MAX]; /* a folder of this process for compiled programs, removed at the end */

static const char *const settings[] = {"what=empty",
				       "what=pipelined",
				       "what=batched batch=1",
				       "what=batched batch=10",
				       "what=enqueue",
				       "what=enqueue batch=16",
				       "what=compile_cold",
				       "what=compile_disk",
				       "what=compile_warm",
				       "what=share",
				       "what=pipelined buffers=1",
				       "what=enqueue batch=3 buffers=16"};
enum { SETTINGS = sizeof(settings) / sizeof(settings[0]) };

/* False where OpenCL has no device, which is said. */
static bool set_up(struct fixture *fixture, const struct bench_backend *backend, const char *setting)
{
	struct bench_error error = {0};
	if (!open_fixture(fixture, &bench_suite_launch, backend, setting, &error)) {
		print_message("skipped: %s\n", error.text);
		return false;
	}
	must(bench_suite_launch.setup(&fixture->bench_case, &error), fixture, setting, &error);
	return true;
}

static void expect_passed(const char *setting, struct bench_check check)
{
	if (!(check.error <= check.tolerance))
		fail_msg("%s: error %g (%s)", setting, check.error, check.method);
}

struct reported {
	size_t counts[4];
	double last[4];
};

static void take_value(void *context, const struct bench_metric_spec *metric, double value)
{
	struct reported *reported = context;
	ptrdiff_t index = metric - bench_suite_launch.metrics;
	assert_in_range(index, 0, 3);
	reported->counts[index]++;
	reported->last[index] = value;
}

static struct reported observe_and_report(struct fixture *fixture, size_t observations)
{
	struct reported reported = {0};
	struct bench_error error = {0};
	const struct bench_report report = {.context = &reported, .value = take_value};
	for (size_t i = 0; i < observations; i++) {
		must(bench_suite_launch.run(&fixture->bench_case, 2, &error), fixture, "run", &error);
		finish(fixture);
		must(bench_suite_launch.observe(&fixture->bench_case, 2, &error), fixture, "observe", &error);
	}
	must(bench_suite_launch.report(&fixture->bench_case, &report, &error), fixture, "report", &error);
	return reported;
}

static void every_kind_is_right_however_often_it_runs(void **state)
{
	(void)state;
	for (size_t i = 0; i < SETTINGS; i++) {
		struct fixture fixture;
		if (!set_up(&fixture, &bench_backend_opencl, settings[i]))
			skip();
		expect_passed(settings[i], once(&fixture));
		expect_passed(settings[i], prepare_run_check(&fixture, (const uint64_t[]){1, 3, 2}, 3));
		close_fixture(&fixture);
	}
}

static void each_kind_reports_its_own_metrics_and_no_others(void **state)
{
	(void)state;
	static const struct {
		const char *setting;
		bool reported[4]; /* enqueue_time, build_time, kernel_time, host_share */
	} cases[] = {
		{"what=empty", {false}},
		{"what=enqueue batch=4", {true, false, false, false}},
		{"what=compile_cold", {false, true, false, false}},
		{"what=compile_warm", {false, true, false, false}},
		{"what=share", {false, false, true, true}},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture fixture;
		if (!set_up(&fixture, &bench_backend_opencl, cases[i].setting))
			skip();
		struct reported reported = observe_and_report(&fixture, 2);
		for (size_t metric = 0; metric < 4; metric++) {
			assert_int_equal(reported.counts[metric], cases[i].reported[metric] ? 2 : 0);
			if (cases[i].reported[metric] && metric < 3)
				assert_true(reported.last[metric] > 0);
		}
		assert_true(reported.last[3] < 1);
		close_fixture(&fixture);
	}
}

static void expect_unsupported(const struct bench_backend *backend, const char *setting, const char *reason)
{
	struct fixture fixture;
	struct bench_error error = {0};
	if (!open_fixture(&fixture, &bench_suite_launch, backend, setting, &error)) {
		print_message("skipped: %s: %s\n", backend->name, error.text);
		return;
	}
	assert_int_equal(bench_suite_launch.setup(&fixture.bench_case, &error), -1);
	assert_int_equal(error.code, BENCH_UNSUPPORTED);
	if (!strstr(error.text, reason))
		fail_msg("'%s' does not say '%s'", error.text, reason);
	close_fixture(&fixture);
}

static void a_backend_without_kernels_is_unsupported_with_the_reason(void **state)
{
	(void)state;
	static const struct bench_backend *const without[] = {&bench_backend_openblas,
							      &bench_backend_reference};
	for (size_t i = 0; i < 2; i++) {
		expect_unsupported(without[i], "what=empty", "launches no kernels");
		expect_unsupported(without[i], "what=pipelined", "launches no kernels");
		expect_unsupported(without[i], "what=batched batch=3", "launches no kernels");
		expect_unsupported(without[i], "what=enqueue", "launches no kernels");
		expect_unsupported(without[i], "what=compile_cold", "compiles nothing");
		expect_unsupported(without[i], "what=compile_disk", "compiles nothing");
		expect_unsupported(without[i], "what=compile_warm", "compiles nothing");
		expect_unsupported(without[i], "what=share", "reports no device time");
	}
	struct bench_backend uncounted = bench_backend_opencl;
	uncounted.device_stats = NULL;
	expect_unsupported(&uncounted, "what=empty", "does not count");
}

static void without_a_cache_on_disk_loading_from_it_is_unsupported(void **state)
{
	(void)state;
	setenv("BENCH_PROGRAM_CACHE", "off", 1);
	expect_unsupported(&bench_backend_opencl, "what=compile_disk", "no cache on disk here");
	unsetenv("BENCH_PROGRAM_CACHE");
	char kept[PATH_MAX], file[PATH_MAX], folder[PATH_MAX];
	snprintf(kept, sizeof(kept), "%s", getenv("BENCH_CACHE_DIR"));
	assert_true(bench_file_join(file, sizeof(file), scratch, "file"));
	assert_true(bench_file_join(folder, sizeof(folder), file, "folder"));
	assert_int_equal(bench_file_write(file, "x", 1, NULL), 0);
	setenv("BENCH_CACHE_DIR", folder, 1);
	expect_unsupported(&bench_backend_opencl, "what=compile_disk", "cannot be written");
	setenv("BENCH_CACHE_DIR", kept, 1);
}

static void only_what_has_a_batch_or_buffers_takes_them(void **state)
{
	(void)state;
	static const char *const bad[] = {"what=empty batch=2",        "what=pipelined batch=10",
					  "what=compile_cold batch=3", "what=compile_disk batch=2",
					  "what=compile_warm batch=2", "what=share batch=100",
					  "what=share buffers=2",      "what=compile_warm buffers=16"};
	struct fixture fixture = {.suite = &bench_suite_launch};
	struct bench_work work;
	struct bench_error error;
	fixture.bench_case.values = fixture.values;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		set_values(&bench_suite_launch, bad[i], fixture.values);
		assert_int_equal(bench_suite_launch.work(&fixture.bench_case, &work, &error), -1);
		assert_int_equal(error.code, BENCH_USAGE);
		assert_non_null(strstr(error.text, strstr(bad[i], "buffers") ? "buffers=" : "batch="));
	}
	for (size_t i = 0; i < SETTINGS; i++) {
		work = (struct bench_work){0};
		set_values(&bench_suite_launch, settings[i], fixture.values);
		must(bench_suite_launch.work(&fixture.bench_case, &work, &error), &fixture, "work", &error);
		assert_true(work.items >= 1 && work.largest_bytes <= work.device_bytes);
		assert_int_equal(work.samples > 0, strstr(settings[i], "cold") != NULL);
	}
}

static struct bench_device_stats stats_of(struct bench_device *device)
{
	struct bench_device_stats stats;
	bench_backend_opencl.device_stats(device, &stats);
	return stats;
}

static uint64_t compile(struct fixture *fixture, struct bench_buffer *out, enum bench_compile_from from,
			uint64_t stamp)
{
	struct bench_error error = {0};
	struct bench_device *device = fixture->bench_case.device;
	uint64_t written = ~stamp;
	double seconds = -1;
	const struct bench_compile compile = {.from = from, .stamp = stamp, .out = out};
	must(bench_backend_opencl.upload(device, out, &written, sizeof(written), &error), fixture, "upload",
	     &error);
	must(bench_backend_opencl.compile(device, &compile, &seconds, &error), fixture, "compile", &error);
	must(bench_backend_opencl.download(device, out, &written, sizeof(written), &error), fixture,
	     "download", &error);
	assert_true(seconds >= 0);
	return written;
}

static void a_program_comes_from_where_it_was_asked_to_and_is_the_right_one(void **state)
{
	(void)state;
	struct fixture fixture;
	struct bench_buffer *out;
	struct bench_error error = {0};
	if (!open_fixture(&fixture, &bench_suite_launch, &bench_backend_opencl, "", &error))
		skip();
	struct bench_device *device = fixture.bench_case.device;
	/* Numbers of this process, so that no test before it has used them. */
	uint64_t base = (uint64_t)getpid() << 32 | 0xfeedU;
	must(bench_backend_opencl.alloc(device, 8, &out, &error), &fixture, "alloc", &error);
	assert_true(compile(&fixture, out, BENCH_COMPILE_COLD, base) == base);
	assert_true(compile(&fixture, out, BENCH_COMPILE_COLD, base + 1) == base + 1);
	assert_int_equal(stats_of(device).compiled, 2);
	/* Cold ones are kept nowhere: the same number is compiled again. */
	assert_true(compile(&fixture, out, BENCH_COMPILE_WARM, base) == base);
	assert_int_equal(stats_of(device).compiled, 3);
	assert_true(compile(&fixture, out, BENCH_COMPILE_WARM, base) == base);
	assert_int_equal(stats_of(device).compiled, 3);
	assert_int_equal(stats_of(device).cached, 0);
	/* From disk, also what was only on the device; each time anew. */
	assert_true(compile(&fixture, out, BENCH_COMPILE_DISK, base) == base);
	assert_true(compile(&fixture, out, BENCH_COMPILE_DISK, base) == base);
	assert_int_equal(stats_of(device).compiled, 3);
	assert_int_equal(stats_of(device).cached, 2);
	/* And what is nowhere yet. */
	assert_true(compile(&fixture, out, BENCH_COMPILE_DISK, base + 2) == base + 2);
	assert_int_equal(stats_of(device).compiled, 4);
	assert_int_equal(stats_of(device).cached, 3);
	bench_backend_opencl.release(device, out);
	must(bench_backend_opencl.alloc(device, 7, &out, &error), &fixture, "alloc", &error);
	const struct bench_compile small = {.out = out};
	double seconds;
	assert_int_equal(bench_backend_opencl.compile(device, &small, &seconds, &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);
	bench_backend_opencl.release(device, out);
	close_fixture(&fixture);
}

static void a_kernel_is_made_once_and_anew_when_its_program_was_dropped(void **state)
{
	(void)state;
	struct fixture fixture;
	struct bench_error error = {0};
	if (!open_fixture(&fixture, &bench_suite_launch, &bench_backend_opencl, "", &error))
		skip();
	struct bench_device *device = fixture.bench_case.device;
	struct bench_opencl_kernel *first = NULL, *again = NULL, *other = NULL;
	must(bench_opencl_kernel(device, "launch.cl", "", "empty", &first, &error), &fixture, "kernel",
	     &error);
	must(bench_opencl_kernel(device, "launch.cl", "", "empty", &again, &error), &fixture, "kernel",
	     &error);
	must(bench_opencl_kernel(device, "launch.cl", "-DSTAMP=1", "stamp", &other, &error), &fixture,
	     "kernel", &error);
	assert_true(first && first == again && other != first);
	/* Programs of other kernels stay. */
	unsigned made = stats_of(device).compiled + stats_of(device).cached;
	bench_opencl_program_drop(device, other, false);
	must(bench_opencl_kernel(device, "launch.cl", "", "empty", &again, &error), &fixture, "kernel",
	     &error);
	assert_true(first == again);
	assert_int_equal(stats_of(device).compiled + stats_of(device).cached, made);
	must(bench_opencl_kernel(device, "launch.cl", "-DSTAMP=1", "stamp", &other, &error), &fixture,
	     "kernel", &error);
	assert_int_equal(stats_of(device).compiled + stats_of(device).cached, made + 1);
	close_fixture(&fixture);
}

/* Wrong operations. */

static int empty_does_nothing(struct bench_device *device, unsigned buffers, struct bench_error *error)
{
	(void)device;
	(void)buffers;
	(void)error;
	return 0;
}

static int empty_twice(struct bench_device *device, unsigned buffers, struct bench_error *error)
{
	if (bench_backend_opencl.empty(device, buffers, error))
		return -1;
	return bench_backend_opencl.empty(device, buffers, error);
}

static int compile_does_nothing(struct bench_device *device, const struct bench_compile *compile,
				double *seconds, struct bench_error *error)
{
	(void)device;
	(void)compile;
	(void)error;
	*seconds = 1e-6;
	return 0;
}

/* What a cache would do: the same program, whatever was asked for. */
static int compile_from_a_cache(struct bench_device *device, const struct bench_compile *compile,
				double *seconds, struct bench_error *error)
{
	struct bench_compile other = *compile;
	other.from = BENCH_COMPILE_WARM;
	other.stamp = 77;
	return bench_backend_opencl.compile(device, &other, seconds, error);
}

/* The right program, but not from there. */
static int compile_warm_always(struct bench_device *device, const struct bench_compile *compile,
			       double *seconds, struct bench_error *error)
{
	struct bench_compile other = *compile;
	other.from = BENCH_COMPILE_WARM;
	return bench_backend_opencl.compile(device, &other, seconds, error);
}

static int compile_disk_always(struct bench_device *device, const struct bench_compile *compile,
			       double *seconds, struct bench_error *error)
{
	struct bench_compile other = *compile;
	other.from = BENCH_COMPILE_DISK;
	return bench_backend_opencl.compile(device, &other, seconds, error);
}

static int add_drops_last(struct bench_device *device, const struct bench_elementwise *elementwise,
			  struct bench_error *error)
{
	struct bench_elementwise shorter = *elementwise;
	shorter.count--;
	return bench_backend_opencl.elementwise(device, &shorter, error);
}

static int add_does_nothing(struct bench_device *device, const struct bench_elementwise *elementwise,
			    struct bench_error *error)
{
	(void)device;
	(void)elementwise;
	(void)error;
	return 0;
}

/* `wrong` from after the set-up on. */
static void expect_incorrect(const struct bench_backend *wrong, const char *setting, const char *fault)
{
	struct fixture fixture;
	if (!set_up(&fixture, &bench_backend_opencl, setting))
		skip();
	fixture.bench_case.backend = wrong;
	struct bench_check check = prepare_run_check(&fixture, (const uint64_t[]){2, 3}, 2);
	if (check.error <= check.tolerance)
		fail_msg("%s did not see: %s", setting, fault);
	close_fixture(&fixture);
}

static void launches_that_are_left_out_or_made_twice_are_seen(void **state)
{
	(void)state;
	static const char *const launches[] = {"what=empty", "what=pipelined", "what=batched batch=7",
					       "what=enqueue batch=7"};
	struct bench_backend wrong = bench_backend_opencl;
	for (size_t i = 0; i < sizeof(launches) / sizeof(launches[0]); i++) {
		wrong.empty = empty_does_nothing;
		expect_incorrect(&wrong, launches[i], "no launch");
		wrong.empty = empty_twice;
		expect_incorrect(&wrong, launches[i], "two launches");
	}
}

static void a_program_from_somewhere_else_or_another_one_is_seen(void **state)
{
	(void)state;
	static const char *const programs[] = {"what=compile_cold", "what=compile_disk", "what=compile_warm"};
	struct bench_backend wrong = bench_backend_opencl;
	for (size_t i = 0; i < 3; i++) {
		wrong.compile = compile_does_nothing;
		expect_incorrect(&wrong, programs[i], "nothing made");
		wrong.compile = compile_from_a_cache;
		expect_incorrect(&wrong, programs[i], "another program");
	}
	wrong.compile = compile_warm_always;
	expect_incorrect(&wrong, "what=compile_disk", "found on the device");
	wrong.compile = compile_disk_always;
	expect_incorrect(&wrong, "what=compile_cold", "loaded from disk");
	expect_incorrect(&wrong, "what=compile_warm", "loaded from disk");
}

static void a_wrong_sum_is_seen(void **state)
{
	(void)state;
	struct bench_backend wrong = bench_backend_opencl;
	wrong.elementwise = add_does_nothing;
	expect_incorrect(&wrong, "what=share", "no sum");
	wrong.elementwise = add_drops_last;
	expect_incorrect(&wrong, "what=share", "the last element dropped");
}

static int make_scratch(void **state)
{
	(void)state;
	char cache[PATH_MAX];
	const char *base = getenv("TMPDIR");
	snprintf(scratch, sizeof(scratch), "%s/bench-launch-XXXXXX", base && *base ? base : "/tmp");
	if (!mkdtemp(scratch) || !bench_file_join(cache, sizeof(cache), scratch, "cache"))
		return -1;
	return setenv("BENCH_CACHE_DIR", cache, 1) || unsetenv("BENCH_KERNELS") ||
	       unsetenv("BENCH_OPENCL_OPTIONS") || unsetenv("BENCH_PROGRAM_CACHE");
}

static int remove_scratch(void **state)
{
	(void)state;
	char command[PATH_MAX + 16];
	snprintf(command, sizeof(command), "rm -rf '%s'", scratch);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_is_right_however_often_it_runs),
		cmocka_unit_test(each_kind_reports_its_own_metrics_and_no_others),
		cmocka_unit_test(a_backend_without_kernels_is_unsupported_with_the_reason),
		cmocka_unit_test(without_a_cache_on_disk_loading_from_it_is_unsupported),
		cmocka_unit_test(only_what_has_a_batch_or_buffers_takes_them),
		cmocka_unit_test(a_program_comes_from_where_it_was_asked_to_and_is_the_right_one),
		cmocka_unit_test(a_kernel_is_made_once_and_anew_when_its_program_was_dropped),
		cmocka_unit_test(launches_that_are_left_out_or_made_twice_are_seen),
		cmocka_unit_test(a_program_from_somewhere_else_or_another_one_is_seen),
		cmocka_unit_test(a_wrong_sum_is_seen),
	};
	return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
