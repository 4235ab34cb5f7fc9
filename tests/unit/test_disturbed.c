/* SPDX-License-Identifier: MIT */
/* Marks on samples, from events through the record to metrics.json and back, and what is made of them. */
#include <math.h>

#include "record_fixture.h"

#define DISTURBED(index, invocation, ranges)                                                                 \
	"{\"event\":\"disturbed\",\"case\":" #index ",\"invocation\":" #invocation                           \
	",\"reason\":\"other processes used 0.98 cores\",\"samples\":{" ranges "}}"
#define WATCHED(index, invocation, share)                                                                    \
	"{\"event\":\"watched\",\"case\":" #index ",\"invocation\":" #invocation ",\"disturbed\":" share     \
	",\"canary\":0.000225,\"canary_worst\":1.9000000000000001,\"others\":0.98,\"steal\":null,"           \
	"\"frequency\":3.1e9,\"device\":\"not throttled\",\"canary_fastest\":0.0002}"

/* Invocation 0: one of three disturbed. 1: two of three, the latency too. 2: none. */
static const char *const events[] = {
	FIXTURE_CASE(0, "opencl", "pocl-cpu", "1024"),
	FIXTURE_BEGIN(0, 0),
	FIXTURE_SAMPLE(0, 0, "time", 1.0),
	FIXTURE_SAMPLE(0, 0, "time", 8.0),
	DISTURBED(0, 0, "\"time\":[1,2]"),
	FIXTURE_SAMPLE(0, 0, "time", 2.0),
	FIXTURE_SAMPLE(0, 0, "latency", 3.0),
	FIXTURE_SAMPLE(0, 0, "device_time", 0.5),
	WATCHED(0, 0, "0.25"),
	FIXTURE_END(0, 0, "ok", "", "precision"),
	FIXTURE_BEGIN(0, 1),
	FIXTURE_SAMPLE(0, 1, "time", 10.0),
	FIXTURE_SAMPLE(0, 1, "latency", 30.0),
	FIXTURE_SAMPLE(0, 1, "device_time", 0.5),
	FIXTURE_SAMPLE(0, 1, "time", 11.0),
	DISTURBED(0, 1, "\"time\":[0,2],\"latency\":[0,1],\"device_time\":[0,1]"),
	FIXTURE_SAMPLE(0, 1, "time", 1.0),
	WATCHED(0, 1, "1"),
	FIXTURE_END(0, 1, "ok", "", "budget"),
	FIXTURE_BEGIN(0, 2),
	FIXTURE_SAMPLE(0, 2, "time", 1.75),
	FIXTURE_END(0, 2, "ok", "", "budget"),
};
#define EVENTS (sizeof(events) / sizeof(events[0]))

static struct bench_run *run_of(const char *const *lines, size_t count)
{
	struct bench_run *run = fixture_head("20261120-231503", 1764000000);
	for (size_t i = 0; i < count; i++)
		fixture_must_apply(run, lines[i]);
	bench_record_finalise(run);
	return run;
}

static void events_mark_the_samples_that_they_name(void **state)
{
	(void)state;
	struct bench_run *run = run_of(events, EVENTS);
	const struct bench_metric *time = bench_record_metric(&run->results[0], "time");
	static const bool expected[3][3] = {{false, true, false}, {true, true, false}};
	assert_int_equal(time->series_count, 3);
	for (size_t i = 0; i < 2; i++)
		for (size_t j = 0; j < 3; j++)
			assert_int_equal(time->series[i].disturbed[j], expected[i][j]);
	assert_null(time->series[2].disturbed);
	const struct bench_metric *latency = bench_record_metric(&run->results[0], "latency");
	assert_null(latency->series[0].disturbed);
	assert_true(latency->series[1].disturbed[0]);
	assert_int_equal(run->results[0].watched_count, 2);
	const struct bench_watched *watched = &run->results[0].watched[1];
	assert_int_equal(watched->invocation, 1);
	assert_true(watched->disturbed == 1 && watched->others == 0.98 && isnan(watched->steal));
	assert_string_equal(watched->device, "not throttled");
	bench_record_free(run);
}

static void the_median_is_of_undisturbed_samples_and_invocations(void **state)
{
	(void)state;
	struct bench_run *run = run_of(events, EVENTS);
	const struct bench_metric *time = bench_record_metric(&run->results[0], "time");
	bool disturbed;
	assert_true(bench_record_series_median(&time->series[0], &disturbed) == 1.5);
	assert_false(disturbed);
	/* Less than half are left: all count, and it is said so. */
	assert_true(bench_record_series_median(&time->series[1], &disturbed) == 10);
	assert_true(disturbed);
	assert_true(bench_record_series_median(&time->series[2], &disturbed) == 1.75);
	assert_false(disturbed);
	assert_int_equal(time->summary.disturbed, 1);
	assert_true(time->summary.median == 1.625);
	assert_true(time->summary.ci_lo == 1.5 && time->summary.ci_hi == 1.75);
	assert_false(time->summary.over_samples);
	/* What the samples were is told of all. */
	assert_int_equal(time->summary.count, 7);
	bench_record_free(run);
}

static struct bench_summary summary_of(const struct bench_series *series, size_t count)
{
	struct bench_summary summary;
	bench_record_summarize(series, count, &summary);
	return summary;
}

static void where_every_invocation_was_disturbed_all_count(void **state)
{
	(void)state;
	double a[] = {1, 2, 3}, b[] = {5, 6, 7};
	bool most[] = {true, false, true}, half[] = {false, true, true};
	struct bench_series series[] = {{0, a, 3, most}, {1, b, 3, half}};
	struct bench_summary summary = summary_of(series, 2);
	assert_int_equal(summary.disturbed, 2);
	assert_true(summary.median == 4);
	assert_true(summary.ci_lo == 2 && summary.ci_hi == 6);
	assert_false(summary.over_samples);
	/* One that is left says nothing of other processes: the interval is within it. */
	series[1].disturbed = NULL;
	summary = summary_of(series, 2);
	assert_int_equal(summary.disturbed, 1);
	assert_true(summary.median == 6 && summary.ci_lo == 5 && summary.ci_hi == 7);
	assert_true(summary.over_samples);
	/* Of one invocation, the interval is over its undisturbed samples. */
	double c[] = {1, 100, 1.5, 2, 100};
	bool two[] = {false, true, false, false, true};
	struct bench_series only = {0, c, 5, two};
	summary = summary_of(&only, 1);
	assert_int_equal(summary.disturbed, 0);
	assert_true(summary.median == 1.5 && summary.ci_hi == 2);
	assert_true(summary.over_samples);
	assert_true(isnan(summary_of(NULL, 0).median));
}

static void derived_metrics_inherit_marks(void **state)
{
	(void)state;
	struct bench_run *run = run_of(events, EVENTS);
	const struct bench_metric *rate = bench_record_metric(&run->results[0], "flop_rate");
	const struct bench_metric *overhead = bench_record_metric(&run->results[0], "launch_overhead");
	assert_true(rate->series[0].disturbed[1] && !rate->series[0].disturbed[0]);
	assert_null(rate->series[2].disturbed);
	assert_int_equal(rate->summary.disturbed, 1);
	assert_int_equal(overhead->series_count, 2);
	assert_null(overhead->series[0].disturbed);
	assert_true(overhead->series[1].disturbed[0]);
	assert_true(overhead->summary.median == 2.5);
	bench_record_free(run);
}

static void marks_are_the_same_after_their_journey(void **state)
{
	(void)state;
	struct bench_run *run = run_of(events, EVENTS), *back = NULL;
	struct bench_error error = {0};
	char *text = bench_record_to_json(run);
	assert_non_null(strstr(text, "\"disturbed\":\t[1]"));
	if (bench_record_from_json(text, strlen(text), "text", &back, &error) != 0)
		fail_msg("%s", error.text);
	assert_same_run(run, back);
	assert_true(bench_record_metric(&back->results[0], "time")->series[1].disturbed[1]);
	char *again = bench_record_to_json(back);
	assert_string_equal(text, again);
	free(again);
	free(text);
	bench_record_free(back);
	bench_record_free(run);
}

static void a_run_that_nothing_watched_is_written_as_it_was(void **state)
{
	(void)state;
	struct bench_run *run = fixture_run("20261120-231503", 1764000000);
	char *text = bench_record_to_json(run);
	assert_null(strstr(text, "disturbed"));
	assert_null(strstr(text, "watched"));
	free(text);
	bench_record_free(run);
}

static void a_sample_may_bring_its_mark_along(void **state)
{
	(void)state;
	static const char *const lines[] = {
		FIXTURE_CASE(0, "opencl", "pocl-cpu", "1024"),
		FIXTURE_BEGIN(0, 0),
		FIXTURE_SAMPLE(0, 0, "relative_time", 1.5),
		"{\"event\":\"sample\",\"case\":0,\"invocation\":0,\"metric\":\"relative_time\",\"value\":9,"
		"\"iterations\":4,\"at\":0.5,\"disturbed\":true}",
		FIXTURE_SAMPLE(0, 0, "relative_time", 1.25),
		FIXTURE_END(0, 0, "ok", "", "budget"),
	};
	struct bench_run *run = run_of(lines, sizeof(lines) / sizeof(lines[0]));
	const struct bench_series *series = bench_record_metric(&run->results[0], "relative_time")->series;
	assert_true(!series->disturbed[0] && series->disturbed[1] && !series->disturbed[2]);
	bench_record_free(run);
}

static void what_begins_again_is_not_marked_by_its_first_attempt(void **state)
{
	(void)state;
	static const char *const lines[] = {
		FIXTURE_CASE(0, "opencl", "pocl-cpu", "1024"),
		FIXTURE_BEGIN(0, 0),
		FIXTURE_SAMPLE(0, 0, "time", 9.0),
		DISTURBED(0, 0, "\"time\":[0,1]"),
		WATCHED(0, 0, "1"),
		FIXTURE_BEGIN(0, 0),
		FIXTURE_SAMPLE(0, 0, "time", 1.0),
		FIXTURE_END(0, 0, "ok", "", "budget"),
	};
	struct bench_run *run = run_of(lines, sizeof(lines) / sizeof(lines[0]));
	assert_null(bench_record_metric(&run->results[0], "time")->series[0].disturbed);
	assert_int_equal(run->results[0].watched_count, 0);
	bench_record_free(run);
}

static void events_that_name_what_is_not_there_are_refused_and_change_nothing(void **state)
{
	(void)state;
	static const struct {
		const char *line, *message;
	} rows[] = {
		{DISTURBED(0, 0, "\"time\":[0,4]"), "'time' is no range [first, end] of its 3 samples"},
		{DISTURBED(0, 0, "\"time\":[-1,1]"), "no range"},
		{DISTURBED(0, 0, "\"time\":[1,1]"), "no range"},
		{DISTURBED(0, 0, "\"time\":[2,1]"), "no range"},
		{DISTURBED(0, 0, "\"time\":[0]"), "no range"},
		{DISTURBED(0, 0, "\"time\":[0,1,2]"), "no range"},
		{DISTURBED(0, 0, "\"time\":1"), "no range"},
		{DISTURBED(0, 0, "\"time\":[\"0\",1]"), "no range"},
		{DISTURBED(0, 0, "\"time\":[0,1e300]"), "no range"},
		{DISTURBED(0, 0, "\"time\":[0,1],\"latency\":[0,1]"), "metric 'latency' has no samples"},
		{DISTURBED(0, 1, "\"time\":[0,1]"), "invocation 1"},
		{DISTURBED(1, 0, "\"time\":[0,1]"), "case"},
		{"{\"event\":\"disturbed\",\"case\":0,\"invocation\":0,\"samples\":[]}", "samples"},
		{WATCHED(0, 0, "1.5"), "expected a share"},
		{WATCHED(0, 0, "-0.1"), "negative"},
		{WATCHED(0, 0, "\"1\""), "disturbed"},
		{WATCHED(0, 3, "1"), "invocation 3"},
		{"{\"event\":\"watched\",\"case\":0,\"invocation\":0,\"disturbed\":1}", "canary"},
	};
	struct bench_run *run = fixture_head("20261120-231503", 1764000000);
	struct bench_error error;
	for (size_t i = 0; i < 3; i++)
		fixture_must_apply(run, events[i]);
	fixture_must_apply(run, events[3]);
	fixture_must_apply(run, events[5]);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		error = (struct bench_error){0};
		assert_int_equal(fixture_apply(run, rows[i].line, &error), -1);
		if (!strstr(error.text, rows[i].message))
			fail_msg("'%s' does not say '%s'", error.text, rows[i].message);
	}
	fixture_must_apply(run, FIXTURE_END(0, 0, "ok", "", "budget"));
	bench_record_finalise(run);
	assert_null(bench_record_metric(&run->results[0], "time")->series[0].disturbed);
	assert_int_equal(run->results[0].watched_count, 0);
	bench_record_free(run);
}

/* Every place of `from` in the text becomes `to`; malloc'd. */
static char *replaced(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);
	if (!at)
		fail_msg("the text has no '%s'", from);
	size_t before = (size_t)(at - text), size = strlen(text) + strlen(to) + 1;
	char *out = malloc(size);
	snprintf(out, size, "%.*s%s%s", (int)before, text, to, at + strlen(from));
	return out;
}

static void spoiled_marks_of_a_file_are_refused(void **state)
{
	(void)state;
	static const struct {
		const char *from, *to, *message;
	} rows[] = {
		{"\"disturbed\":\t[1]", "\"disturbed\":\t[3]", "no index of its 3 samples"},
		{"\"disturbed\":\t[1]", "\"disturbed\":\t[-1]", "no index"},
		{"\"disturbed\":\t[1]", "\"disturbed\":\t[0.5]", "no index"},
		{"\"disturbed\":\t[1]", "\"disturbed\":\t[1, 0]", "not in order"},
		{"\"disturbed\":\t[1]", "\"disturbed\":\t[1, 1]", "not in order"},
		{"\"disturbed\":\t[1]", "\"disturbed\":\t[null]", "no index"},
		{"\"disturbed\":\t[1]", "\"disturbed\":\t[1e99]", "no index"},
		{"\"disturbed\":\t[1]", "\"disturbed\":\t1", "disturbed"},
		{"\"disturbed\":\t0.25", "\"disturbed\":\t25", "expected a share"},
		{"\"others\":\t0.98", "\"others\":\t-0.98", "negative"},
		{"\"others\":\t0.98", "\"others\":\t\"0.98\"", "others"},
		{"\"device\":\t\"not throttled\"", "\"device\":\t7", "device"},
		{"\"invocation\":\t1,\n\t\t\t\t\t\"disturbed\"",
		 "\"invocation\":\t0,\n\t\t\t\t\t\"disturbed\"", "watched twice"},
	};
	struct bench_run *run = run_of(events, EVENTS), *back = NULL;
	char *text = bench_record_to_json(run);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_error error = {0};
		char *spoiled = replaced(text, rows[i].from, rows[i].to);
		assert_int_equal(
			bench_record_from_json(spoiled, strlen(spoiled), "metrics.json", &back, &error), -1);
		if (!strstr(error.text, rows[i].message))
			fail_msg("'%s' does not say '%s'", error.text, rows[i].message);
		free(spoiled);
	}
	free(text);
	bench_record_free(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_mark_the_samples_that_they_name),
		cmocka_unit_test(the_median_is_of_undisturbed_samples_and_invocations),
		cmocka_unit_test(where_every_invocation_was_disturbed_all_count),
		cmocka_unit_test(derived_metrics_inherit_marks),
		cmocka_unit_test(marks_are_the_same_after_their_journey),
		cmocka_unit_test(a_run_that_nothing_watched_is_written_as_it_was),
		cmocka_unit_test(a_sample_may_bring_its_mark_along),
		cmocka_unit_test(what_begins_again_is_not_marked_by_its_first_attempt),
		cmocka_unit_test(events_that_name_what_is_not_there_are_refused_and_change_nothing),
		cmocka_unit_test(spoiled_marks_of_a_file_are_refused),
	};
	return cmocka_run_group_tests_name("disturbed", tests, NULL, NULL);
}
