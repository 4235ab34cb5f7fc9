/* SPDX-License-Identifier: MIT */
/* Times that cannot be: the rule, the sampler that keeps to it, and a backend that gives them in real
 * workers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "measure/session/session.h"
#include "measure/worker/sampler.h"
#include "measure/worker/times.h"
#include "measure/worker/worker.h"
#include "measure_fixture.h"
#include "scratch.h"

static void the_rule_is_one(void **state)
{
	(void)state;
	static const struct {
		double device, around;
		bool within;
	} rows[] = {
		{1e-3, 1e-3, true},  {1.009e-3, 1e-3, true},  {1.02e-3, 1e-3, false},
		{3600, 1e-3, false}, {0, 1e-3, false},        {-1e-6, 1e-3, false},
		{NAN, 1e-3, false},  {INFINITY, 1e-3, false}, {-INFINITY, 1e-3, false},
		{1e-9, 1e-3, true},  {1e-6, 1e-7, true},      {2e-6, 1e-7, false},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (bench_worker_times_is_within(rows[i].device, rows[i].around) != rows[i].within)
			fail_msg("%g within %g", rows[i].device, rows[i].around);
	double seconds;
	struct bench_error error;
	assert_int_equal(bench_worker_times_between(5, 1000000005, 1, &seconds, &error), 0);
	assert_true(seconds == 1);
	assert_int_equal(bench_worker_times_between(7, 7, INFINITY, &seconds, &error), 0);
	assert_false(bench_worker_times_is_possible(seconds));
	assert_int_equal(bench_worker_times_between(1000000005, 5, 1, &seconds, &error), -1);
	assert_non_null(strstr(error.text, "went back by 1 s"));
	assert_int_equal(bench_worker_times_between(5, 1000000005, 0.9, &seconds, &error), 0);
	assert_int_equal(bench_worker_times_between(5, 1000000005, 0.8, &seconds, &error), -1);
	assert_non_null(strstr(error.text, "leapt"));
	double first = bench_worker_times_witness();
	assert_true(first > 0 && bench_worker_times_witness() >= first);
}

/* A clock that only work moves, and work whose device says what it likes. */
struct world {
	uint64_t now_ns;
	int64_t step_ns;     /* a call takes so long */
	int calls, odd_call; /* from that call on they take odd_ns instead; 0: none does */
	int64_t odd_ns;
	double device_seconds;
	bool witnessed;
	size_t samples[BENCH_SAMPLE_KINDS];
};

/* By this clock each call takes 2.5 ms. */
static double witness(void)
{
	static double now;
	return now += 2.5e-3;
}

static uint64_t now_ns(void *context)
{
	return ((struct world *)context)->now_ns;
}

static int run(void *context, uint64_t iterations, struct bench_error *error)
{
	struct world *world = context;
	(void)error;
	(void)iterations;
	world->now_ns += (uint64_t)(++world->calls >= world->odd_call && world->odd_call ? world->odd_ns
											 : world->step_ns);
	return 0;
}

static int run_device(void *context, uint64_t iterations, double *seconds, struct bench_error *error)
{
	*seconds = ((struct world *)context)->device_seconds;
	return run(context, iterations, error);
}

static int take(void *context, size_t item, enum bench_sample_kind kind, double value, uint64_t iterations)
{
	(void)item;
	(void)iterations;
	assert_true(isfinite(value) && value > 0);
	((struct world *)context)->samples[kind]++;
	return 0;
}

static struct bench_sampler_item sample(struct world *world, bool device)
{
	world->now_ns = UINT64_C(1) << 40;
	const struct bench_clock clock = {now_ns, world};
	const struct bench_sampler_options options = {.clock = &clock,
						      .quality = {1, 1},
						      .witness = world->witnessed ? witness : NULL,
						      .precision = 0.01,
						      .slice_seconds = 1,
						      .sample_seconds = 1e-3,
						      .visit_samples = 2,
						      .max_samples = 50,
						      .sample = take,
						      .context = world};
	struct bench_sampler_item item = {
		.run = run, .run_device = device ? run_device : NULL, .context = world};
	assert_int_equal(bench_worker_sampler_run(&item, 1, &options), 0);
	return item;
}

static void a_device_time_that_cannot_be_is_left_out(void **state)
{
	(void)state;
	static const double garbage[] = {3600, -1, 0, NAN, INFINITY, 0.026};
	for (size_t i = 0; i < sizeof(garbage) / sizeof(garbage[0]); i++) {
		/* A short call, and one that is a sample by itself. */
		for (int64_t step = 2500000; step <= 25000000; step *= 10) {
			struct world world = {.step_ns = step, .device_seconds = garbage[i]};
			struct bench_sampler_item item = sample(&world, true);
			assert_false(item.failed);
			assert_true(world.samples[BENCH_SAMPLE_TIME] >= 5);
			assert_true(world.samples[BENCH_SAMPLE_LATENCY] > 0);
			assert_int_equal(world.samples[BENCH_SAMPLE_DEVICE_TIME], 0);
			assert_int_equal(item.refused_count, item.device_samples);
			assert_true(isnan(garbage[i]) || item.refused_seconds == garbage[i]);
		}
	}
	struct world world = {.step_ns = 2500000, .device_seconds = 1e-3};
	struct bench_sampler_item item = sample(&world, true);
	assert_int_equal(item.refused_count, 0);
	assert_int_equal(world.samples[BENCH_SAMPLE_DEVICE_TIME], item.device_samples);
}

static void where_the_clock_goes_back_or_stands_the_case_fails(void **state)
{
	(void)state;
	struct world back = {.step_ns = 2500000, .odd_call = 6, .odd_ns = -1000000000};
	struct bench_sampler_item item = sample(&back, false);
	assert_true(item.failed);
	assert_non_null(strstr(item.error.text, "the clock went back"));
	struct world leaps = {.step_ns = 2500000, .odd_call = 6, .odd_ns = 3600000000000, .witnessed = true};
	item = sample(&leaps, false);
	assert_true(item.failed);
	assert_non_null(strstr(item.error.text, "the clock leapt"));
	struct world stands = {.step_ns = 2500000, .odd_call = 6};
	item = sample(&stands, false);
	assert_true(item.failed);
	assert_non_null(strstr(item.error.text, "stood still"));
}

/* A backend with a device whose own times the case chooses, and a suite that checks and reports as oddly. */
enum { T_DEVICE, T_ERROR, T_TOLERANCE, T_REPORT };
static const char *const numbers[] = {"fair", "nan", "inf", "negative", "zero", "hour"};
#define NUMBERS "fair|nan|inf|negative|zero|hour"
static const struct bench_param odd_params[] = {
	{"device", BENCH_PARAM_CHOICE, "fair", NUMBERS, 0, 0, "the device's time"},
	{"error", BENCH_PARAM_CHOICE, "zero", NUMBERS, 0, 0, "of the check"},
	{"tolerance", BENCH_PARAM_CHOICE, "fair", NUMBERS, 0, 0, "of the check"},
	{"report", BENCH_PARAM_CHOICE, "fair", NUMBERS, 0, 0, "a time that the suite reports"},
	{0},
};
static const char *const odd_quick[] = {"device=fair", NULL};

/* Of the last call. */
static double told_seconds;

static double number_of(const struct bench_case *bench_case, size_t param)
{
	static const double values[] = {1e-4, NAN, INFINITY, -1, 0, 3600};
	_Static_assert(sizeof(values) / sizeof(values[0]) == sizeof(numbers) / sizeof(numbers[0]),
		       "a value each");
	return values[bench_case->values[param].integer];
}

static int odd_work(const struct bench_case *bench_case, struct bench_work *work, struct bench_error *error)
{
	(void)bench_case;
	(void)error;
	*work = (struct bench_work){.items = 1};
	return 0;
}

static int odd_setup(struct bench_case *bench_case, struct bench_error *error)
{
	(void)bench_case;
	(void)error;
	return 0;
}

static int odd_run(struct bench_case *bench_case, uint64_t iterations, struct bench_error *error)
{
	(void)error;
	(void)iterations;
	told_seconds = number_of(bench_case, T_DEVICE);
	usleep(500);
	return 0;
}

static int odd_check(struct bench_case *bench_case, uint64_t iterations, struct bench_check *check,
		     struct bench_error *error)
{
	(void)iterations;
	(void)error;
	check->error = number_of(bench_case, T_ERROR);
	check->tolerance = number_of(bench_case, T_TOLERANCE);
	memset(check->method, 'm', sizeof(check->method)); /* without an end */
	return 0;
}

static const struct bench_metric_spec odd_metrics[] = {{"odd_time", "s", BENCH_BETTER_LOWER, "a time"}, {0}};

static int odd_report(struct bench_case *bench_case, const struct bench_report *report,
		      struct bench_error *error)
{
	(void)error;
	report->value(report->context, &odd_metrics[0], number_of(bench_case, T_REPORT));
	return 0;
}

static void odd_teardown(struct bench_case *bench_case)
{
	(void)bench_case;
}

static const struct bench_suite odd_suite = {.abi = BENCH_SUITE_ABI,
					     .name = "odd",
					     .summary = "test",
					     .params = odd_params,
					     .sweeps = {odd_quick, NULL, NULL},
					     .metrics = odd_metrics,
					     .work = odd_work,
					     .setup = odd_setup,
					     .run = odd_run,
					     .check = odd_check,
					     .report = odd_report,
					     .teardown = odd_teardown};
static const struct bench_suite *const odd_suites[] = {&odd_suite, NULL};

static int clocked_devices(struct bench_device_info *info, size_t capacity, size_t *count,
			   struct bench_error *error)
{
	(void)error;
	*count = 1;
	if (capacity)
		info[0] =
			(struct bench_device_info){.slug = "clocked", .name = "Clocked", .device_time = true};
	return 0;
}

static int clocked_begin(struct bench_device *device, struct bench_error *error)
{
	(void)device;
	(void)error;
	return 0;
}

static int clocked_end(struct bench_device *device, double *seconds, struct bench_error *error)
{
	(void)device;
	(void)error;
	if (!isnan(told_seconds)) /* else it forgets to say */
		*seconds = told_seconds;
	return 0;
}

static const struct bench_backend clocked = {.abi = BENCH_BACKEND_ABI,
					     .name = "clocked",
					     .summary = "test",
					     .devices = clocked_devices,
					     .open = board_open,
					     .close = board_close,
					     .finish = board_finish,
					     .time_begin = clocked_begin,
					     .time_end = clocked_end};
static const struct bench_backend *const clocked_backends[] = {&clocked, NULL};

static struct bench_run *measure(void **state, const char *set)
{
	static const char *const arguments[] = {"test_times", "worker", NULL};
	const char *const sets[] = {set};
	const struct bench_plan_options options = {
		.suites = odd_suites, .backends = clocked_backends, .sets = sets, .set_count = 1};
	const struct bench_session_options session = {
		.executable = "/proc/self/exe", .arguments = arguments, .time_limit_seconds = 60};
	struct bench_plan *plan = plan_of(&options);
	struct bench_run *run = bench_record_new();
	struct bench_folder folder;
	struct bench_error error;
	run->started = 1764000000;
	run->invocations = 1;
	run->precision = 0.5;
	run->budget_seconds = 0.05;
	bench_record_attribute_set(&run->arena, &run->host, &run->host_count, "watch", "no");
	if (bench_record_folder_create(&folder, *state, run, NULL, NULL, &error) != 0 ||
	    bench_session_run(run, plan, &folder, &session, &error) != 0)
		fail_msg("%s", error.text);
	bench_record_folder_close(&folder);
	bench_plan_free(plan);
	assert_int_equal(run->result_count, sizeof(numbers) / sizeof(numbers[0]));
	return run;
}

static void a_backend_cannot_publish_garbage(void **state)
{
	struct bench_run *run = measure(state, "device="
					       "fair,nan,inf,negative,zero,hour");
	for (size_t i = 0; i < run->result_count; i++) {
		const struct bench_result *result = &run->results[i];
		const char *note =
			bench_record_attribute_get(result->notes, result->note_count, "device_time");
		assert_string_equal(bench_record_status_name(result->status), "ok");
		assert_non_null(bench_record_metric(result, "time"));
		assert_non_null(bench_record_metric(result, "latency"));
		if (i == 0) {
			assert_non_null(bench_record_metric(result, "device_time"));
			assert_string_equal(note, "");
			continue;
		}
		assert_null(bench_record_metric(result, "device_time"));
		assert_null(bench_record_metric(result, "launch_overhead"));
		if (!strstr(note, "left out in invocation 0: the device says "))
			fail_msg("%s: '%s'", result->key, note);
	}
	bench_record_free(run);
}

static void a_check_of_no_numbers_is_incorrect(void **state)
{
	static const struct {
		const char *set;
		bool passes[6]; /* fair, nan, inf, negative, zero, hour */
	} rows[] = {
		{"error=fair,nan,inf,negative,zero,hour", {true, false, false, false, true, false}},
		{"tolerance=fair,nan,inf,negative,zero,hour", {true, false, false, false, true, true}},
	};
	for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
		struct bench_run *run = measure(state, rows[k].set);
		for (size_t i = 0; i < run->result_count; i++) {
			const struct bench_result *result = &run->results[i];
			if ((result->status == BENCH_STATUS_OK) != rows[k].passes[i] ||
			    (!rows[k].passes[i] && result->status != BENCH_STATUS_INCORRECT))
				fail_msg("%s: %s: %s", result->key, bench_record_status_name(result->status),
					 result->reason);
			assert_true(result->checked);
			assert_int_equal(strlen(result->check.method), sizeof(result->check.method) - 1);
		}
		bench_record_free(run);
	}
}

static void a_suite_cannot_report_a_time_that_was_not_spent(void **state)
{
	static const bool passes[] = {true, false, false, false, true, false};
	struct bench_run *run = measure(state, "report=fair,nan,inf,negative,zero,hour");
	for (size_t i = 0; i < run->result_count; i++) {
		const struct bench_result *result = &run->results[i];
		if (result->status != (passes[i] ? BENCH_STATUS_OK : BENCH_STATUS_FAILED))
			fail_msg("%s: %s: %s", result->key, bench_record_status_name(result->status),
				 result->reason);
	}
	assert_non_null(
		strstr(run->results[5].reason, "metric odd_time is 3600 s in a process that has run for"));
	bench_record_free(run);
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "worker") == 0)
		return bench_worker_serve(odd_suites, clocked_backends, NULL, &(struct bench_error){0}) != 0;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_rule_is_one),
		cmocka_unit_test(a_device_time_that_cannot_be_is_left_out),
		cmocka_unit_test(where_the_clock_goes_back_or_stands_the_case_fails),
		in_scratch(a_backend_cannot_publish_garbage),
		in_scratch(a_check_of_no_numbers_is_incorrect),
		in_scratch(a_suite_cannot_report_a_time_that_was_not_spent),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
