/* SPDX-License-Identifier: MIT */
/* The run record: from events to results, summaries and metrics.json, and back. */
#include <math.h>

#include "core/metric.h"
#include "record_fixture.h"

static const struct bench_metric *metric_of(const struct bench_run *run, size_t index, const char *name)
{
	const struct bench_metric *metric = bench_record_metric(&run->results[index], name);
	if (!metric)
		fail_msg("result %zu has no metric '%s'", index, name);
	return metric;
}

static void key_is_suite_backend_device_and_parameters_in_table_order(void **state)
{
	(void)state;
	struct bench_run *run = fixture_run("20261120-231503", 1764000000);
	char key[BENCH_KEY_MAX];
	assert_string_equal(run->results[0].key, "gemm/opencl:pocl-cpu/dtype=f32,m=1024,alpha=0.1");
	assert_true(bench_record_metric_key(key, sizeof(key), &run->results[0], metric_of(run, 0, "time")));
	assert_string_equal(key, "gemm/opencl:pocl-cpu/dtype=f32,m=1024,alpha=0.1/time");
	assert_false(bench_record_metric_key(key, 20, &run->results[0], metric_of(run, 0, "time")));
	bench_record_free(run);
}

static void events_give_every_member_of_the_run(void **state)
{
	(void)state;
	struct bench_run *run = fixture_run("20261120-231503", 1764000000);
	assert_string_equal(run->id, "20261120-231503");
	assert_int_equal(run->started, 1764000000);
	assert_int_equal(run->finished, 1764000060);
	assert_true(run->seed == UINT64_MAX);
	assert_string_equal(run->labels[0].value, "caf\xc3\xa9 \"x\"");
	assert_string_equal(run->git.dirty_files[1], "b c.h");
	assert_string_equal(run->git.dirty_changes[0], "+10 -3");
	assert_string_equal(bench_record_preset(run), "night");
	assert_string_equal(bench_record_attribute_get(run->host, run->host_count, "fingerprint"), "f00d");
	assert_string_equal(bench_record_attribute_get(run->host, run->host_count, "absent"), "");
	assert_int_equal(run->devices[0].info.memory_bytes, (uint64_t)8 << 30);
	assert_string_equal(run->selection.targets[1], "openblas:some-cpu");
	assert_int_equal(run->result_count, 5);
	assert_string_equal(run->results[0].params[2].value, "0.1");
	assert_string_equal(
		bench_record_attribute_get(run->results[0].notes, run->results[0].note_count, "program"),
		"compiled");
	bench_record_free(run);
}

static void statuses_and_reasons_are_those_of_the_events(void **state)
{
	(void)state;
	struct bench_run *run = fixture_run("r", 1);
	assert_int_equal(run->results[0].status, BENCH_STATUS_OK);
	assert_string_equal(run->results[0].reason, "");
	assert_string_equal(run->results[0].stopped, "budget");
	assert_int_equal(run->results[0].iterations, 4);
	assert_int_equal(run->results[2].status, BENCH_STATUS_UNSUPPORTED);
	assert_string_equal(run->results[2].reason, "the device has too little memory");
	assert_int_equal(run->results[3].status, BENCH_STATUS_SKIPPED);
	assert_string_equal(run->results[3].reason, "not measured: the run was cut short");
	bench_record_free(run);
}

static void worst_check_of_all_invocations_is_kept(void **state)
{
	(void)state;
	struct bench_run *run = fixture_run("r", 1);
	assert_true(run->results[0].checked);
	assert_same_real(run->results[0].check.error, 2e-6);
	assert_string_equal(run->results[0].check.method, "elementwise");
	assert_false(run->results[1].checked);
	bench_record_free(run);
}

/* The figures are worked out by hand from the samples of the fixture. */
static void median_is_that_of_the_invocations_medians(void **state)
{
	(void)state;
	struct bench_run *run = fixture_run("r", 1);
	const struct bench_metric *time = metric_of(run, 0, "time");
	/* Invocation 0: 1/3, 0.1, 0.3 with the median 0.3; invocation 1: 0.2. */
	assert_int_equal(time->series_count, 2);
	assert_int_equal(time->series[0].count, 3);
	assert_int_equal(time->series[1].invocation, 1);
	assert_true(fabs(time->summary.median - 0.25) < 1e-15);
	assert_same_real(time->summary.ci_lo, 0.2);
	assert_same_real(time->summary.ci_hi, 0.30000000000000004);
	/* Two values cover the median with probability 1 - 2 / 2^2. */
	assert_true(fabs(time->summary.ci_level - 0.5) < 1e-12);
	assert_false(time->summary.over_samples);
	assert_same_real(time->summary.min, 0.1);
	assert_true(fabs(time->summary.mean - (1.0 / 3 + 0.1 + 0.3 + 0.2) / 4) < 1e-15);
	assert_int_equal(time->summary.count, 4);
	bench_record_free(run);
}

static void one_invocation_has_its_interval_over_samples_and_says_so(void **state)
{
	(void)state;
	double values[] = {5, 1, 4, 2, 3, 6, 7, 8};
	struct bench_series series = {.invocation = 3, .values = values, .count = 8};
	struct bench_summary summary;
	bench_record_summarize(&series, 1, &summary);
	assert_true(summary.over_samples);
	assert_same_real(summary.median, 4.5);
	/* Of 8 values the 2nd and the 7th cover the median with 1 - 2 * 9/256; the extremes with more. */
	assert_same_real(summary.ci_lo, 1);
	assert_same_real(summary.ci_hi, 8);
	assert_true(fabs(summary.ci_level - (1 - 2.0 / 256)) < 1e-12);
	assert_true(fabs(summary.stddev - sqrt(6)) < 1e-12);
	assert_true(fabs(summary.p05 - 1.35) < 1e-12);
	assert_true(fabs(summary.p95 - 7.65) < 1e-12);
}

static void one_sample_has_no_standard_deviation(void **state)
{
	(void)state;
	double value = 2;
	struct bench_series series = {.values = &value, .count = 1};
	struct bench_summary summary;
	bench_record_summarize(&series, 1, &summary);
	assert_same_real(summary.median, 2);
	assert_true(isnan(summary.stddev));
	bench_record_summarize(NULL, 0, &summary);
	assert_true(isnan(summary.median));
	assert_int_equal(summary.count, 0);
}

/* Whatever the number of invocations: a reader who divides gets the rate that is shown. */
static void rates_are_those_of_the_time_that_is_shown(void **state)
{
	(void)state;
	for (size_t count = 1; count <= 4; count++) {
		struct bench_run *run = fixture_run("r", 1);
		struct bench_result *result = &run->results[0];
		struct bench_metric *time = &result->metrics[0];
		*time = *metric_of(run, 0, "time");
		static double values[4][1] = {{0.1}, {0.2}, {0.7}, {0.9}};
		struct bench_series *series = bench_arena_alloc(&run->arena, count, sizeof(*series));
		for (size_t i = 0; i < count; i++)
			series[i] =
				(struct bench_series){.invocation = (int)i, .values = values[i], .count = 1};
		time->series = series;
		time->series_count = count;
		time->room = (struct bench_room){0};
		result->metric_count = 1;
		result->is_final = false;
		bench_record_finalise(run);
		const struct bench_summary shown = metric_of(run, 0, "time")->summary,
					   rate = metric_of(run, 0, "flop_rate")->summary;
		assert_same_real(rate.median, 2e9 / shown.median);
		if (isfinite(shown.ci_lo)) {
			assert_same_real(rate.ci_lo, 2e9 / shown.ci_hi);
			assert_same_real(rate.ci_hi, 2e9 / shown.ci_lo);
		}
		assert_same_real(rate.min, 2e9 / values[count - 1][0]);
		bench_record_free(run);
	}
}

static void rates_and_overhead_are_derived_from_the_samples(void **state)
{
	(void)state;
	struct bench_run *run = fixture_run("r", 1);
	const struct bench_metric *rate = metric_of(run, 0, "flop_rate");
	assert_string_equal(rate->unit, "FLOP/s");
	assert_int_equal(rate->better, BENCH_BETTER_HIGHER);
	assert_string_equal(rate->derived_from, "time");
	assert_same_real(rate->series[0].values[1], 2e9 / 0.1);
	assert_same_real(rate->series[1].values[0], 2e9 / 0.2);
	assert_same_real(metric_of(run, 1, "bandwidth")->summary.median, 12582912 / 0.0010000000000000002);
	assert_null(bench_record_metric(&run->results[0], "item_rate"));
	/* Of a lone iteration, whatever the time of one in a row: 0.375 less 0.0625, and 0.25 less 0.125. */
	const struct bench_metric *overhead = metric_of(run, 0, "launch_overhead");
	assert_int_equal(overhead->better, BENCH_BETTER_NONE);
	assert_same_real(overhead->series[0].values[0], 0.3125);
	assert_same_real(overhead->series[1].values[0], 0.125);
	assert_null(bench_record_metric(&run->results[1], "launch_overhead"));
	bench_record_free(run);
}

static void apply_sample(struct bench_run *run, const char *metric, double value)
{
	const struct bench_metric_spec *spec = bench_metric_asked(metric);
	char line[256];
	snprintf(line, sizeof(line),
		 "{\"event\":\"sample\",\"case\":0,\"invocation\":0,\"metric\":\"%s\",\"value\":%.17g,"
		 "\"iterations\":4,\"at\":0.5,\"unit\":\"%s\",\"better\":\"%s\"}",
		 metric, value, spec->unit, bench_record_better_name(spec->better));
	fixture_must_apply(run, line);
}

/* What --energy and --counters measure: four spans of one invocation. */
static struct bench_run *observed_as(double bytes_moved, bool by_window)
{
	static const double off[] = {0.99, 1, 1.01, 1.02};
	struct bench_run *run = fixture_head("r", 1);
	fixture_must_apply(run, FIXTURE_CASE(0, "opencl", "pocl-cpu", "1"));
	fixture_must_apply(run, FIXTURE_BEGIN(0, 0));
	fixture_must_apply(run, FIXTURE_SAMPLE(0, 0, "time", 1));
	for (size_t i = 0; i < 4; i++) {
		apply_sample(run, "energy", 0.5 * off[i]);
		apply_sample(run, "power", 200 * off[i]);
		apply_sample(run, "dram_bytes", bytes_moved * off[i]);
	}
	if (by_window)
		fixture_must_apply(run, "{\"event\":\"note\",\"case\":0,\"invocation\":0,\"name\":"
					"\"energy_window\",\"value\":\"NVML\"}");
	fixture_must_apply(run, FIXTURE_END(0, 0, "ok", "", "precision"));
	bench_record_finalise(run);
	return run;
}

static struct bench_run *observed(double bytes_moved)
{
	return observed_as(bytes_moved, true);
}

static void work_for_each_joule_is_derived(void **state)
{
	(void)state;
	struct bench_run *run = observed(12582912);
	const struct bench_metric *energy = metric_of(run, 0, "energy"), *power = metric_of(run, 0, "power"),
				  *flops = metric_of(run, 0, "flop_per_joule"),
				  *bytes = metric_of(run, 0, "bytes_per_joule");
	assert_string_equal(energy->unit, "J");
	assert_int_equal(energy->better, BENCH_BETTER_LOWER);
	assert_string_equal(power->unit, "W");
	assert_int_equal(power->better, BENCH_BETTER_NONE);
	assert_string_equal(flops->unit, "FLOP/J");
	assert_string_equal(flops->derived_from, "energy");
	assert_same_real(flops->summary.median, 2e9 / energy->summary.median);
	assert_same_real(flops->summary.ci_lo, 2e9 / energy->summary.ci_hi);
	assert_same_real(bytes->summary.median, 12582912 / energy->summary.median);
	assert_string_equal(bytes->unit, "B/J");
	/* No joules, no rates; nor of those that a suite counts for itself. */
	bench_record_free(run);
	run = observed_as(1, false);
	assert_null(bench_record_metric(&run->results[0], "flop_per_joule"));
	bench_record_free(run);
	run = fixture_run("r", 1);
	assert_null(bench_record_metric(&run->results[0], "flop_per_joule"));
	bench_record_free(run);
}

static void traffic_far_above_the_model_is_noted(void **state)
{
	(void)state;
	static const struct {
		double times;
		const char *note;
	} rows[] = {{0.2, ""},
		    {1, ""},
		    /* The interval begins below one and a half. */
		    {1.51, ""},
		    {3, "3.02 times the bytes that its model says, at least 2.97"}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_run *run = observed(rows[i].times * 12582912);
		struct bench_result *result = &run->results[0];
		assert_true(fabs(bench_record_traffic(result) - 1.005 * rows[i].times) < 1e-9);
		assert_string_equal(bench_record_attribute_get(result->notes, result->note_count, "traffic"),
				    rows[i].note);
		/* A model that says more takes the note away. */
		result->work.bytes *= 3;
		result->is_final = false;
		bench_record_finalise(run);
		assert_string_equal(bench_record_attribute_get(result->notes, result->note_count, "traffic"),
				    "");
		result->work.bytes = 0;
		assert_true(bench_record_traffic(result) == 0);
		bench_record_free(run);
	}
	/* One value has no interval. */
	struct bench_run *run = observed(9 * 12582912.0);
	struct bench_metric *moved = (struct bench_metric *)(uintptr_t)metric_of(run, 0, "dram_bytes");
	moved->series[0].count = 1;
	run->results[0].is_final = false;
	bench_record_finalise(run);
	assert_string_equal(
		bench_record_attribute_get(run->results[0].notes, run->results[0].note_count, "traffic"), "");
	bench_record_free(run);
}

static void an_overhead_below_zero_is_marked(void **state)
{
	(void)state;
	struct bench_run *run = fixture_head("r", 1);
	fixture_must_apply(run, FIXTURE_CASE(0, "opencl", "pocl-cpu", "1"));
	fixture_must_apply(run, FIXTURE_BEGIN(0, 0));
	fixture_must_apply(run, FIXTURE_SAMPLE(0, 0, "latency", 0.25));
	fixture_must_apply(run, FIXTURE_SAMPLE(0, 0, "device_time", 0.125));
	fixture_must_apply(run, FIXTURE_END(0, 0, "ok", "", "budget"));
	bench_record_finalise(run);
	const struct bench_result *result = &run->results[0];
	assert_string_equal(bench_record_attribute_get(result->notes, result->note_count, "launch_overhead"),
			    "");
	fixture_must_apply(run, FIXTURE_BEGIN(0, 1));
	fixture_must_apply(run, FIXTURE_SAMPLE(0, 1, "latency", 0.125));
	fixture_must_apply(run, FIXTURE_SAMPLE(0, 1, "device_time", 0.25));
	fixture_must_apply(run, FIXTURE_END(0, 1, "ok", "", "budget"));
	bench_record_finalise(run);
	assert_same_real(metric_of(run, 0, "launch_overhead")->series[1].values[0], -0.125);
	assert_non_null(
		strstr(bench_record_attribute_get(result->notes, result->note_count, "launch_overhead"),
		       "below 0 in 1 of 2 invocations"));
	bench_record_free(run);
}

/* A run may be made final at any time: it is the same in the end. */
static void notes_stand_in_no_order_of_time(void **state)
{
	(void)state;
	static const char *const notes[] = {
		"{\"event\":\"note\",\"case\":0,\"invocation\":0,\"name\":\"program\",\"value\":\"cached\"}",
		"{\"event\":\"note\",\"case\":0,\"invocation\":0,\"name\":\"apart\",\"value\":\"yes\"}"};
	char *texts[2];
	/* What was said of a number goes with it. */
	for (size_t often = 0; often < 2; often++) {
		struct bench_run *run = fixture_head("r", 1);
		fixture_must_apply(run, FIXTURE_CASE(0, "opencl", "pocl-cpu", "1"));
		for (size_t i = 0; i < 2; i++) {
			fixture_must_apply(run, notes[i]);
			if (often)
				bench_record_finalise(run);
		}
		fixture_must_apply(run, FIXTURE_BEGIN(0, 0));
		fixture_must_apply(run, FIXTURE_SAMPLE(0, 0, "latency", 0.125));
		fixture_must_apply(run, FIXTURE_SAMPLE(0, 0, "device_time", 0.25));
		fixture_must_apply(run, FIXTURE_END(0, 0, "ok", "", "budget"));
		if (often)
			bench_record_finalise(run);
		fixture_must_apply(run, FIXTURE_END(0, 1, "failed", "it broke", ""));
		bench_record_finalise(run);
		texts[often] = bench_record_to_json(run);
		bench_record_free(run);
	}
	assert_string_equal(texts[0], texts[1]);
	assert_true(strstr(texts[0], "apart") < strstr(texts[0], "program"));
	assert_null(strstr(texts[0], "launch_overhead"));
	free(texts[0]);
	free(texts[1]);
}

static void time_below_the_clock_gives_no_infinite_rate(void **state)
{
	(void)state;
	struct bench_run *run = fixture_head("r", 1);
	fixture_must_apply(run, FIXTURE_CASE(0, "opencl", "pocl-cpu", "1"));
	fixture_must_apply(run, FIXTURE_BEGIN(0, 0));
	fixture_must_apply(run, FIXTURE_SAMPLE(0, 0, "time", 0));
	fixture_must_apply(run, FIXTURE_END(0, 0, "ok", "", ""));
	bench_record_finalise(run);
	assert_int_equal(run->results[0].metric_count, 1);
	bench_record_free(run);
}

static void most_severe_invocation_decides_and_its_numbers_go(void **state)
{
	(void)state;
	static const struct {
		const char *end, *reason;
		enum bench_status status;
	} rows[] = {
		{FIXTURE_END(0, 1, "failed", "lost the device", ""), "lost the device", BENCH_STATUS_FAILED},
		{FIXTURE_END(0, 1, "incorrect", "all NaN", ""), "all NaN", BENCH_STATUS_INCORRECT},
		{FIXTURE_END(0, 1, "unsupported", "no f64", ""), "no f64", BENCH_STATUS_UNSUPPORTED},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_run *run = fixture_head("r", 1);
		fixture_must_apply(run, FIXTURE_CASE(0, "opencl", "pocl-cpu", "1"));
		fixture_must_apply(run, FIXTURE_BEGIN(0, 0));
		fixture_must_apply(run, FIXTURE_SAMPLE(0, 0, "time", 1));
		fixture_must_apply(run, FIXTURE_END(0, 0, "ok", "", "precision"));
		fixture_must_apply(run, rows[i].end);
		fixture_must_apply(run, FIXTURE_BEGIN(0, 2));
		fixture_must_apply(run, FIXTURE_SAMPLE(0, 2, "time", 1));
		fixture_must_apply(run, FIXTURE_END(0, 2, "ok", "", "precision"));
		bench_record_finalise(run);
		assert_int_equal(run->results[0].status, rows[i].status);
		assert_string_equal(run->results[0].reason, rows[i].reason);
		assert_int_equal(run->results[0].metric_count, 0);
		bench_record_free(run);
	}
}

static void failed_check_is_incorrect_whatever_the_end_says(void **state)
{
	(void)state;
	static const char *const checks[] = {
		FIXTURE_CHECK(0, 0, 1e-3), FIXTURE_CHECK(0, 0, null), /* a NaN */
		"{\"event\":\"check\",\"case\":0,\"invocation\":0,\"error\":1e-300,\"tolerance\":0,"
		"\"method\":\"exact\"}"};
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		struct bench_run *run = fixture_head("r", 1);
		fixture_must_apply(run, FIXTURE_CASE(0, "opencl", "pocl-cpu", "1"));
		fixture_must_apply(run, FIXTURE_BEGIN(0, 0));
		fixture_must_apply(run, checks[i]);
		fixture_must_apply(run, FIXTURE_CHECK(0, 0, 1e-9));
		fixture_must_apply(run, FIXTURE_SAMPLE(0, 0, "time", 1));
		fixture_must_apply(run, FIXTURE_END(0, 0, "ok", "", "precision"));
		bench_record_finalise(run);
		assert_int_equal(run->results[0].status, BENCH_STATUS_INCORRECT);
		assert_non_null(strstr(run->results[0].reason, "above the tolerance"));
		assert_int_equal(run->results[0].metric_count, 0);
		bench_record_free(run);
	}
}

static void exact_check_with_tolerance_0_passes(void **state)
{
	(void)state;
	struct bench_run *run = fixture_head("r", 1);
	fixture_must_apply(run, FIXTURE_CASE(0, "opencl", "pocl-cpu", "1"));
	fixture_must_apply(run, FIXTURE_BEGIN(0, 0));
	fixture_must_apply(run,
			   "{\"event\":\"check\",\"case\":0,\"invocation\":0,\"error\":0,\"tolerance\":0,"
			   "\"method\":\"exact\"}");
	fixture_must_apply(run, FIXTURE_END(0, 0, "ok", "", ""));
	bench_record_finalise(run);
	assert_int_equal(run->results[0].status, BENCH_STATUS_OK);
	bench_record_free(run);
}

static void invocation_that_never_ended_publishes_nothing(void **state)
{
	(void)state;
	struct bench_run *run = fixture_head("r", 1);
	fixture_must_apply(run, FIXTURE_CASE(0, "opencl", "pocl-cpu", "1"));
	fixture_must_apply(run, FIXTURE_BEGIN(0, 0));
	fixture_must_apply(run, FIXTURE_SAMPLE(0, 0, "time", 1));
	bench_record_finalise(run);
	assert_int_equal(run->results[0].status, BENCH_STATUS_SKIPPED);
	assert_int_equal(run->results[0].metric_count, 0);
	/* Settled in the middle of a run, it takes what comes later all the same. */
	fixture_must_apply(run, FIXTURE_SAMPLE(0, 0, "time", 2));
	fixture_must_apply(run, FIXTURE_END(0, 0, "ok", "", "precision"));
	fixture_must_apply(run, FIXTURE_BEGIN(0, 1));
	fixture_must_apply(run, FIXTURE_SAMPLE(0, 1, "time", 9));
	bench_record_finalise(run);
	assert_int_equal(run->results[0].status, BENCH_STATUS_OK);
	assert_string_equal(run->results[0].reason, "");
	assert_int_equal(metric_of(run, 0, "time")->summary.count, 2);
	bench_record_finalise(run);
	assert_int_equal(run->results[0].metric_count, 3); /* time, flop_rate, bandwidth: none twice */
	bench_record_free(run);
}

static void invocation_that_begins_again_drops_its_first_attempt(void **state)
{
	(void)state;
	struct bench_run *run = fixture_head("r", 1);
	fixture_must_apply(run, FIXTURE_CASE(0, "opencl", "pocl-cpu", "1"));
	fixture_must_apply(run, FIXTURE_BEGIN(0, 0));
	fixture_must_apply(run, FIXTURE_SAMPLE(0, 0, "time", 1));
	fixture_must_apply(run, FIXTURE_BEGIN(0, 0));
	fixture_must_apply(run, FIXTURE_SAMPLE(0, 0, "time", 3));
	fixture_must_apply(run, FIXTURE_END(0, 0, "ok", "", "precision"));
	bench_record_finalise(run);
	assert_int_equal(metric_of(run, 0, "time")->summary.count, 1);
	assert_same_real(metric_of(run, 0, "time")->summary.median, 3);
	bench_record_free(run);
}

static void metric_of_a_suite_brings_its_unit_and_direction(void **state)
{
	(void)state;
	struct bench_run *run = fixture_head("r", 1);
	fixture_must_apply(run, FIXTURE_CASE(0, "opencl", "pocl-cpu", "1"));
	fixture_must_apply(run, FIXTURE_BEGIN(0, 0));
	fixture_must_apply(run, "{\"event\":\"sample\",\"case\":0,\"invocation\":0,\"metric\":\"accuracy\","
				"\"value\":0.97,\"iterations\":1,\"unit\":\"ratio\",\"better\":\"higher\"}");
	fixture_must_apply(run, FIXTURE_END(0, 0, "ok", "", ""));
	bench_record_finalise(run);
	assert_string_equal(metric_of(run, 0, "accuracy")->unit, "ratio");
	assert_int_equal(metric_of(run, 0, "accuracy")->better, BENCH_BETTER_HIGHER);
	bench_record_free(run);
}

/* A base, its variant, and how the base ended. */
static struct bench_run *run_of_variants(const char *base_end)
{
	struct bench_run *run = fixture_head("r", 1);
	fixture_must_apply(run, FIXTURE_CASE(0, "opencl", "pocl-cpu", "1024"));
	fixture_must_apply(run, FIXTURE_VARIANT(1, "1024"));
	fixture_must_apply(run, FIXTURE_BEGIN(0, 0));
	fixture_must_apply(run, FIXTURE_BEGIN(1, 0));
	fixture_must_apply(run, FIXTURE_SAMPLE(0, 0, "time", 2));
	fixture_must_apply(run, FIXTURE_SAMPLE(1, 0, "time", 3));
	fixture_must_apply(run, FIXTURE_SAMPLE(1, 0, "relative_time", 1.5));
	fixture_must_apply(run, FIXTURE_END(1, 0, "ok", "", ""));
	if (base_end)
		fixture_must_apply(run, base_end);
	bench_record_finalise(run);
	return run;
}

static void relative_time_stands_only_against_a_base_that_is_ok(void **state)
{
	(void)state;
	struct bench_run *run = run_of_variants(FIXTURE_END(0, 0, "ok", "", ""));
	assert_string_equal(run->results[1].relative_to, run->results[0].key);
	assert_same_real(metric_of(run, 1, "relative_time")->summary.median, 1.5);
	assert_int_equal(run->results[1].note_count, 0);
	/* A later invocation finds the base wrong: what was measured against it is no more. */
	fixture_must_apply(run, FIXTURE_BEGIN(0, 1));
	fixture_must_apply(run, FIXTURE_END(0, 1, "incorrect", "wrong", ""));
	bench_record_finalise(run);
	assert_null(bench_record_metric(&run->results[1], "relative_time"));
	assert_non_null(bench_record_metric(&run->results[1], "time"));
	assert_string_equal(bench_record_attribute_get(run->results[1].notes, run->results[1].note_count,
						       "relative_time"),
			    "none: " FIXTURE_VARIANT_KEY " is incorrect");
	bench_record_free(run);
	run = run_of_variants(NULL); /* a run that was killed before the base ended */
	assert_null(bench_record_metric(&run->results[1], "relative_time"));
	assert_int_equal(run->results[1].status, BENCH_STATUS_OK);
	bench_record_free(run);
}

static void metrics_json_gives_the_same_record_back(void **state)
{
	(void)state;
	struct bench_error error = {0};
	struct bench_run *run = fixture_run("20261120-231503", 1764000000), *back = NULL;
	char *text = bench_record_to_json(run);
	assert_int_equal(text[strlen(text) - 1], '\n');
	if (bench_record_from_json(text, strlen(text), "metrics.json", &back, &error) != 0)
		fail_msg("%s", error.text);
	assert_same_run(run, back);
	bench_record_free(run);
	bench_record_free(back);
	free(text);
}

static void odd_values_survive_the_way_through_json(void **state)
{
	(void)state;
	static const char *const values[] = {"5e-324",
					     "1.7976931348623157e308",
					     "2.2250738585072014e-308",
					     "0.1",
					     "0.30000000000000004",
					     "9007199254740993",
					     "-0.0",
					     "1.0000000000000002",
					     "123456.78901234567",
					     "4.35e-7",
					     "1e22",
					     "6.02214076e23"};
	struct bench_error error = {0};
	struct bench_run *run = fixture_head("r", 0), *back = NULL;
	fixture_must_apply(run, FIXTURE_CASE(0, "opencl", "pocl-cpu", "1"));
	fixture_must_apply(run, FIXTURE_BEGIN(0, 0));
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		char line[256];
		snprintf(line, sizeof(line),
			 "{\"event\":\"sample\",\"case\":0,\"invocation\":0,\"metric\":\"odd\",\"value\":%s,"
			 "\"iterations\":1,\"unit\":\"x\",\"better\":\"none\"}",
			 values[i]);
		fixture_must_apply(run, line);
	}
	fixture_must_apply(run, FIXTURE_END(0, 0, "ok", "", ""));
	bench_record_finalise(run);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		assert_same_real(metric_of(run, 0, "odd")->series[0].values[i], strtod(values[i], NULL));
	char *text = bench_record_to_json(run);
	assert_int_equal(bench_record_from_json(text, strlen(text), "x", &back, &error), 0);
	assert_same_run(run, back);
	bench_record_free(run);
	bench_record_free(back);
	free(text);
}

static void bytes_that_are_no_utf8_do_not_spoil_the_file(void **state)
{
	(void)state;
	struct bench_error error = {0};
	struct bench_run *run = fixture_run("r", 1), *back = NULL;
	run->git.dirty_files[0] = bench_arena_string(&run->arena, "a\xff\xc3(\xed\xa0\x80\xe2\x82\xac");
	char *text = bench_record_to_json(run);
	assert_int_equal(bench_record_from_json(text, strlen(text), "x", &back, &error), 0);
	/* One replacement a byte that cannot be read: ff, c3, and each of the surrogate's three; the euro
	 * stays. */
	assert_string_equal(back->git.dirty_files[0],
			    "a\xef\xbf\xbd\xef\xbf\xbd(\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xe2\x82\xac");
	bench_record_free(run);
	bench_record_free(back);
	free(text);
}

static void first_events_give_the_head_and_the_cases_back(void **state)
{
	(void)state;
	struct bench_run *run = fixture_run("20261120-231503", 1764000000), *back = bench_record_new();
	char *line = bench_record_event_run_line(run);
	assert_null(strchr(line, '\n'));
	fixture_must_apply(back, line);
	free(line);
	for (size_t i = 0; i < run->result_count; i++) {
		line = bench_record_event_case_line(run, i);
		fixture_must_apply(back, line);
		free(line);
		assert_string_equal(back->results[i].key, run->results[i].key);
		assert_string_equal(back->results[i].repeat, run->results[i].repeat);
		assert_same_real(back->results[i].work.flops, run->results[i].work.flops);
	}
	assert_same_pairs(back->host, back->host_count, run->host, run->host_count);
	assert_same_device(&back->devices[0], &run->devices[0]);
	assert_true(back->seed == run->seed);
	bench_record_free(run);
	bench_record_free(back);
}

static void run_outside_of_git_says_so(void **state)
{
	(void)state;
	struct bench_error error = {0};
	struct bench_run *run = fixture_run("r", 1), *back = NULL;
	run->git = (struct bench_git){.commit = run->folder, .branch = run->folder};
	char *text = bench_record_to_json(run);
	assert_int_equal(bench_record_from_json(text, strlen(text), "x", &back, &error), 0);
	assert_false(back->git.present);
	assert_same_run(run, back);
	bench_record_free(run);
	bench_record_free(back);
	free(text);
}

static void names_that_cannot_stand_in_a_key_are_refused(void **state)
{
	(void)state;
	static const struct {
		const char *suite, *backend, *device, *name, *value;
	} rows[] = {
		{"", "b", "d", "n", "1"},        {"Gemm", "b", "d", "n", "1"},
		{"a/b", "b", "d", "n", "1"},     {"a", "b:c", "d", "n", "1"},
		{"a", "b", "", "n", "1"},        {"a", "b", "d_e", "n", "1"},
		{"a", "b", "d", "n=", "1"},      {"a", "b", "d", "n", ""},
		{"a", "b", "d", "n", "1,x=2"},   {"a", "b", "d", "n", "x/time"},
		{"a", "b", "d", "n", "a b"},     {"a", "b", "d", "9", "1"},
		{"a", "b", "d", "n", "\x1b[2J"}, {"a", "b", "d", "n", "\xc3\xa9"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_run *run = bench_record_new();
		struct bench_error error = {0};
		struct bench_attribute pair = {(char *)rows[i].name, (char *)rows[i].value};
		assert_null(bench_record_add_case(run, rows[i].suite, rows[i].backend, rows[i].device, &pair,
						  1, &error));
		assert_int_equal(error.code, BENCH_ENVIRONMENT);
		assert_non_null(strstr(error.text, "no legal"));
		assert_int_equal(run->result_count, 0);
		bench_record_free(run);
	}
}

static void names_of_statuses_and_directions_read_back(void **state)
{
	(void)state;
	enum bench_status status;
	enum bench_better better;
	for (int i = BENCH_STATUS_OK; i <= BENCH_STATUS_INCORRECT; i++) {
		assert_true(
			bench_record_status_parse(bench_record_status_name((enum bench_status)i), &status));
		assert_int_equal(status, i);
	}
	assert_string_equal(bench_record_better_name(BENCH_BETTER_HIGHER), "higher");
	assert_true(bench_record_better_parse("none", &better));
	assert_false(bench_record_status_parse("pending", &status));
	assert_false(bench_record_better_parse("up", &better));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(key_is_suite_backend_device_and_parameters_in_table_order),
		cmocka_unit_test(events_give_every_member_of_the_run),
		cmocka_unit_test(statuses_and_reasons_are_those_of_the_events),
		cmocka_unit_test(worst_check_of_all_invocations_is_kept),
		cmocka_unit_test(median_is_that_of_the_invocations_medians),
		cmocka_unit_test(one_invocation_has_its_interval_over_samples_and_says_so),
		cmocka_unit_test(one_sample_has_no_standard_deviation),
		cmocka_unit_test(rates_are_those_of_the_time_that_is_shown),
		cmocka_unit_test(rates_and_overhead_are_derived_from_the_samples),
		cmocka_unit_test(work_for_each_joule_is_derived),
		cmocka_unit_test(traffic_far_above_the_model_is_noted),
		cmocka_unit_test(an_overhead_below_zero_is_marked),
		cmocka_unit_test(notes_stand_in_no_order_of_time),
		cmocka_unit_test(time_below_the_clock_gives_no_infinite_rate),
		cmocka_unit_test(most_severe_invocation_decides_and_its_numbers_go),
		cmocka_unit_test(failed_check_is_incorrect_whatever_the_end_says),
		cmocka_unit_test(exact_check_with_tolerance_0_passes),
		cmocka_unit_test(invocation_that_never_ended_publishes_nothing),
		cmocka_unit_test(invocation_that_begins_again_drops_its_first_attempt),
		cmocka_unit_test(metric_of_a_suite_brings_its_unit_and_direction),
		cmocka_unit_test(relative_time_stands_only_against_a_base_that_is_ok),
		cmocka_unit_test(metrics_json_gives_the_same_record_back),
		cmocka_unit_test(odd_values_survive_the_way_through_json),
		cmocka_unit_test(bytes_that_are_no_utf8_do_not_spoil_the_file),
		cmocka_unit_test(first_events_give_the_head_and_the_cases_back),
		cmocka_unit_test(run_outside_of_git_says_so),
		cmocka_unit_test(names_that_cannot_stand_in_a_key_are_refused),
		cmocka_unit_test(names_of_statuses_and_directions_read_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
