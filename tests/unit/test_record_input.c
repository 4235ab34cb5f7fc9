/* SPDX-License-Identifier: MIT */
/* Records from outside: whatever is in the text, it is refused with the place, or read; never believed
 * blindly. */
#include <cjson/cJSON.h>

#include "record_fixture.h"

/* `text` with the first `from` replaced by `to`; the caller frees it. */
static char *replaced(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);
	if (!at)
		fail_msg("the valid text does not hold: %s", from);
	char *out = NULL;
	if (asprintf(&out, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)) < 0)
		fail_msg("out of memory");
	return out;
}

/* Without blanks: to print it again would round its numbers. */
static char *valid_metrics(void)
{
	struct bench_run *run = fixture_run("20261120-231503", 1764000000);
	char *text = bench_record_to_json(run);
	bench_record_free(run);
	cJSON_Minify(text);
	return text;
}

static const struct {
	const char *from, *to;
	const char *message; /* part of it */
} metrics_rows[] = {
	{"\"bench-metrics/1\"", "\"bench-metrics/2\"", "this version of bench reads 'bench-metrics/1'"},
	{"\"bench-metrics/1\"", "7", "'schema'"},
	{"\"run\":{", "\"run\":[],\"x\":{", "'run'"},
	{"\"id\":\"20261120-231503\"", "\"id\":\"../../etc\"", "no run id"},
	{"\"id\":\"20261120-231503\"", "\"id\":\"\"", "no run id"},
	{"\"id\":\"20261120-231503\"", "\"id\":[\"a\"]", "'id'"},
	{"\"started\":1764000000", "\"started\":-1", "'started'"},
	{"\"started\":1764000000", "\"started\":1e300", "'started'"},
	{"\"started\":1764000000", "\"started\":1.5", "'started'"},
	{"\"finished\":1764000060", "\"finished\":\"now\"", "'finished'"},
	{"\"interrupted\":false", "\"interrupted\":0", "'interrupted'"},
	{"\"seed\":\"18446744073709551615\"", "\"seed\":\"18446744073709551616\"", "'seed'"},
	{"\"seed\":\"18446744073709551615\"", "\"seed\":\"-1\"", "'seed'"},
	{"\"seed\":\"18446744073709551615\"", "\"seed\":42", "'seed'"},
	{"\"precision\":0.01", "\"precision\":-0.01", "negative"},
	{"\"precision\":0.01", "\"precision\":1e999", "'precision'"},
	{"\"invocations\":2", "\"invocations\":4294967296", "'invocations'"},
	{"\"suites\":[\"gemm\"]", "\"suites\":[1]", "'suites'"},
	{"\"labels\":{", "\"labels\":{\"n\":1,", "'labels.n'"},
	{"\"labels\":{", "\"labels\":{\"purpose\":\"x\",", "'purpose' twice"},
	{"\"labels\":{", "\"labels\":{\"\":\"x\",", "empty"},
	{"\"commit\":\"0123", "\"commit\":\"0123456789012345678901234567890123", "'commit'"},
	{"\"dirty\":true", "\"dirty\":null", "'dirty'"},
	{"\"kind\":\"cpu\"", "\"kind\":\"tpu\"", "devices[0]: member 'kind' is 'tpu'"},
	{"\"memory_bytes\":8589934592", "\"memory_bytes\":-1", "'memory_bytes'"},
	{"\"f64\":true", "\"f64\":\"yes\"", "'f64'"},
	{"\"results\":[", "\"results\":[3,", "results[0]"},
	{"\"results\":[", "\"results\":{},\"x\":[", "'results'"},
	{"\"suite\":\"gemm\"", "\"suite\":\"gemm/../x\"", "no legal suite name"},
	{"\"backend\":\"openblas\"", "\"backend\":\"opencl\",\"device\":\"pocl-cpu\"",
	 "two results are both"},
	{"\"m\":\"1024\"", "\"m\":1024", "'case.m' is no string"},
	{"\"m\":\"1024\"", "\"m\":\"1,x=1\"", "no legal value"},
	{"\"m\":\"1024\"", "\"m\":\"0123456789012345678901234567890123456789012345678\"", "no legal value"},
	{"\"flops\":2000000000", "\"flops\":-2000000000", "'flops' is negative"},
	{"\"flops\":2000000000", "\"flops\":null", "'flops'"},
	{"\"host_bytes\":4194304", "\"host_bytes\":1e40", "'host_bytes'"},
	{"\"status\":\"ok\"", "\"status\":\"fine\"", "'status' is 'fine'"},
	{"\"status\":\"ok\"", "\"status\":\"pending\"", "'status' is 'pending'"},
	{"\"stopped\":\"budget\"", "\"stopped\":\"tired\"", "'stopped' is 'tired'"},
	{"\"iterations\":4", "\"iterations\":-4", "'iterations'"},
	{"\"check\":{\"error\":2e-06", "\"check\":{\"error\":-1", "'error' is negative"},
	{"\"tolerance\":1e-05", "\"tolerance\":null", "'tolerance'"},
	{"\"check\":{", "\"check\":true,\"x\":{", "'check'"},
	{"\"name\":\"time\"", "\"name\":\"Time\"", "no legal metric name"},
	{"\"name\":\"time\"", "\"name\":\"time/x\"", "no legal metric name"},
	{"\"name\":\"device_time\"", "\"name\":\"time\"", "metric 'time' stands there twice"},
	{"\"name\":\"time\",\"unit\":\"s\"", "\"name\":\"time\",\"unit\":\"ms\"", "'time' is in s"},
	{"\"name\":\"time\",\"unit\":\"s\"", "\"name\":\"time\",\"unit\":\"\xfa\"", "bytes of UTF-8"},
	{"\"unit\":\"s\",\"better\":\"lower\"", "\"unit\":\"s\",\"better\":\"higher\"", "'time' is in s"},
	{"\"unit\":\"s\",\"better\":\"lower\"", "\"unit\":\"s\",\"better\":\"sideways\"",
	 "better 'sideways'"},
	{"\"median\":", "\"median\":\"x\",\"y\":", "'median'"},
	{"\"ci\":[", "\"ci\":[\"x\",", "'ci'"},
	{"\"derived_from\":\"\"", "\"derived_from\":null", "'derived_from'"},
	{"\"samples\":[", "\"samples\":[[1],", "'invocation'"},
	{"\"samples\":[", "\"samples\":4,\"x\":[", "'samples'"},
	{"\"invocation\":1", "\"invocation\":0", "invocation 0 stands there twice"},
	{"\"invocation\":1", "\"invocation\":99999999", "'invocation'"},
	{"\"values\":[", "\"values\":[null,", "sample 0 is no finite number"},
	{"\"values\":[", "\"values\":[1e999,", "sample 0 is no finite number"},
	{"\"values\":[1.25]", "\"values\":[]", "invocation 0 has no samples"},
};

static void damaged_metrics_json_is_refused_with_the_place(void **state)
{
	(void)state;
	char *valid = valid_metrics();
	for (size_t i = 0; i < sizeof(metrics_rows) / sizeof(metrics_rows[0]); i++) {
		struct bench_run *run = NULL;
		struct bench_error error = {0};
		char *text = replaced(valid, metrics_rows[i].from, metrics_rows[i].to);
		if (bench_record_from_json(text, strlen(text), "runs/x/metrics.json", &run, &error) == 0)
			fail_msg("accepted: %s", metrics_rows[i].to);
		assert_int_equal(error.code, BENCH_ENVIRONMENT);
		if (!strstr(error.text, "runs/x/metrics.json") ||
		    !strstr(error.text, metrics_rows[i].message))
			fail_msg("'%s' lacks '%s'", error.text, metrics_rows[i].message);
		assert_null(run);
		free(text);
	}
	free(valid);
}

static void every_required_member_of_metrics_json_is_missed(void **state)
{
	(void)state;
	static const char *const members[] = {
		"run",       "git",       "host",    "devices", "results", "id",
		"started",   "finished",  "command", "preset",  "labels",  "budget_seconds",
		"selection", "targets",   "filter",  "sets",    "branch",  "platform",
		"driver",    "clock_mhz", "suite",   "backend", "device",  "case",
		"work",      "repeat",    "notes",   "reason",  "check",   "method",
		"metrics",   "stddev",    "n",       "ci_over", "values"};
	char *valid = valid_metrics();
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		struct bench_run *run = NULL;
		struct bench_error error = {0};
		char from[64], to[64];
		snprintf(from, sizeof(from), "\"%s\":", members[i]);
		snprintf(to, sizeof(to), "\"no_%s\":", members[i]);
		char *text = replaced(valid, from, to);
		if (bench_record_from_json(text, strlen(text), "x", &run, &error) == 0)
			fail_msg("accepted without '%s'", members[i]);
		if (!strstr(error.text, members[i]))
			fail_msg("'%s' does not name '%s'", error.text, members[i]);
		free(text);
	}
	free(valid);
}

static void metrics_json_cut_anywhere_is_refused(void **state)
{
	(void)state;
	char *valid = valid_metrics();
	size_t length = strlen(valid);
	for (size_t cut = 0; cut < length; cut += 7) {
		struct bench_run *run = NULL;
		struct bench_error error = {0};
		/* A copy of just that size, so that a read behind its end is seen. */
		char *part = malloc(cut ? cut : 1);
		memcpy(part, valid, cut);
		assert_int_equal(bench_record_from_json(part, cut, "x", &run, &error), -1);
		free(part);
	}
	free(valid);
}

static void any_damaged_byte_is_refused_or_read_but_never_worse(void **state)
{
	(void)state;
	static const char bytes[] = {'0', '"', '{', ']', ',', 'e', '-', '\\', '\x80'};
	char *valid = valid_metrics();
	size_t length = strlen(valid);
	for (size_t at = 0; at < length; at += 5) {
		struct bench_run *run = NULL;
		struct bench_error error = {0};
		char kept = valid[at];
		valid[at] = bytes[at / 5 % sizeof(bytes)];
		if (bench_record_from_json(valid, length, "x", &run, &error) == 0) {
			assert_non_null(run);
			bench_record_free(run);
		} else {
			assert_true(error.text[0] != '\0');
		}
		valid[at] = kept;
	}
	free(valid);
}

static void deep_nesting_is_refused(void **state)
{
	(void)state;
	enum { DEPTH = 200000 };
	struct bench_run *run = NULL;
	struct bench_error error = {0};
	char *text = malloc(DEPTH);
	memset(text, '[', DEPTH);
	assert_int_equal(bench_record_from_json(text, DEPTH, "x", &run, &error), -1);
	assert_non_null(strstr(error.text, "not valid JSON"));
	free(text);
}

static void not_ok_result_keeps_no_number_that_a_file_claims(void **state)
{
	(void)state;
	struct bench_run *run = NULL;
	struct bench_error error = {0};
	char *valid = valid_metrics();
	char *text = replaced(valid, "\"check\":{\"error\":2e-06", "\"check\":{\"error\":1");
	assert_int_equal(bench_record_from_json(text, strlen(text), "x", &run, &error), 0);
	assert_int_equal(run->results[0].status, BENCH_STATUS_INCORRECT);
	assert_int_equal(run->results[0].metric_count, 0);
	bench_record_free(run);
	free(text);
	text = replaced(valid, "\"status\":\"ok\"", "\"status\":\"failed\"");
	assert_int_equal(bench_record_from_json(text, strlen(text), "x", &run, &error), 0);
	assert_int_equal(run->results[0].metric_count, 0);
	bench_record_free(run);
	free(text);
	free(valid);
}

static void summaries_come_from_the_samples_not_from_the_file(void **state)
{
	(void)state;
	struct bench_run *run = NULL, *expected = fixture_run("20261120-231503", 1764000000);
	struct bench_error error = {0};
	char *valid = valid_metrics();
	char *text = replaced(valid, "\"median\":1.25", "\"median\":9");
	assert_int_equal(bench_record_from_json(text, strlen(text), "x", &run, &error), 0);
	assert_same_run(expected, run);
	bench_record_free(run);
	bench_record_free(expected);
	free(text);
	free(valid);
}

static const struct {
	const char *line;
	const char *message; /* part of it */
} event_rows[] = {
	{"[]", "'event'"},
	{"{}", "'event'"},
	{"{\"event\":7}", "'event'"},
	{"{\"event\":\"run\",\"schema\":\"bench-samples/2\"}", "reads 'bench-samples/1'"},
	{FIXTURE_CASE(5, "opencl", "pocl-cpu", "1"), "'index'"},
	{FIXTURE_CASE(1, "opencl", "Pocl", "1"), "no legal device slug"},
	{"{\"event\":\"case\",\"index\":1}", "'suite'"},
	{"{\"event\":\"begin\",\"case\":9,\"invocation\":1}", "'case'"},
	{"{\"event\":\"begin\",\"case\":-1,\"invocation\":1}", "'case'"},
	{"{\"event\":\"begin\",\"case\":0.5,\"invocation\":1}", "'case'"},
	{"{\"event\":\"begin\",\"case\":\"0\",\"invocation\":1}", "'case'"},
	{"{\"event\":\"begin\",\"case\":0}", "'invocation'"},
	{"{\"event\":\"begin\",\"case\":0,\"invocation\":-1}", "'invocation'"},
	{"{\"event\":\"begin\",\"case\":0,\"invocation\":1e9}", "'invocation'"},
	{FIXTURE_BEGIN(0, 0), "has ended already"},
	{FIXTURE_SAMPLE(0, 2, "time", 1), "has not begun"},
	{FIXTURE_SAMPLE(0, 0, "time", 1), "has not begun"},
	{FIXTURE_SAMPLE(0, 1, "time", null), "'value'"},
	{FIXTURE_SAMPLE(0, 1, "time", "1"), "'value'"},
	{FIXTURE_SAMPLE(0, 1, "time", 1e999), "'value'"},
	{FIXTURE_SAMPLE(0, 1, "speed", 1), "'unit' and 'better' must be given"},
	{FIXTURE_SAMPLE(0, 1, "Ti me", 1), "no legal metric name"},
	{"{\"event\":\"sample\",\"case\":0,\"invocation\":1,\"metric\":\"time\",\"value\":1}",
	 "'iterations'"},
	{"{\"event\":\"sample\",\"case\":0,\"invocation\":1,\"metric\":\"time\",\"value\":1,\"iterations\":1,"
	 "\"unit\":\"ms\"}",
	 "'time' is in s"},
	{"{\"event\":\"sample\",\"case\":0,\"invocation\":1,\"metric\":\"own\",\"value\":1,\"iterations\":1,"
	 "\"unit\":\"y\",\"better\":\"lower\"}",
	 "changes its unit"},
	{FIXTURE_CHECK(0, 0, 1), "has not begun"},
	{FIXTURE_CHECK(0, 1, "x"), "'error'"},
	{FIXTURE_CHECK(0, 1, -1), "'error' is negative"},
	{"{\"event\":\"check\",\"case\":0,\"invocation\":1,\"error\":0,\"tolerance\":-1,\"method\":\"\"}",
	 "'tolerance' is negative"},
	{"{\"event\":\"note\",\"case\":0,\"name\":\"\",\"value\":\"x\"}", "without a name"},
	{"{\"event\":\"note\",\"case\":0,\"name\":\"n\",\"value\":1}", "'value'"},
	{FIXTURE_END(0, 0, "ok", "", ""), "has ended already"},
	{FIXTURE_END(0, 2, "ok", "", ""), "has not begun"},
	{FIXTURE_END(0, 1, "great", "", ""), "'status' is 'great'"},
	{FIXTURE_END(0, 1, "ok", "", "tired"), "'stopped' is 'tired'"},
	{"{\"event\":\"finish\",\"finished\":null,\"interrupted\":false}", "'finished'"},
	{"{\"event\":\"finish\",\"finished\":1}", "'interrupted'"},
};

/* A run with a case whose invocation 0 has ended and whose invocation 1 is open. */
static struct bench_run *open_run(void)
{
	struct bench_run *run = fixture_head("r", 1);
	fixture_must_apply(run, FIXTURE_CASE(0, "opencl", "pocl-cpu", "1024"));
	fixture_must_apply(run, FIXTURE_BEGIN(0, 0));
	fixture_must_apply(run, FIXTURE_SAMPLE(0, 0, "time", 1));
	fixture_must_apply(run, FIXTURE_END(0, 0, "ok", "", ""));
	fixture_must_apply(run, FIXTURE_BEGIN(0, 1));
	fixture_must_apply(run, "{\"event\":\"sample\",\"case\":0,\"invocation\":1,\"metric\":\"own\","
				"\"value\":1,\"iterations\":1,\"unit\":\"x\",\"better\":\"lower\"}");
	return run;
}

static void damaged_event_is_refused_and_changes_nothing(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(event_rows) / sizeof(event_rows[0]); i++) {
		struct bench_error error = {0};
		struct bench_run *run = open_run(), *untouched = open_run();
		if (fixture_apply(run, event_rows[i].line, &error) == 0)
			fail_msg("accepted: %s", event_rows[i].line);
		if (!strstr(error.text, event_rows[i].message))
			fail_msg("'%s' lacks '%s'", error.text, event_rows[i].message);
		fixture_must_apply(run, FIXTURE_END(0, 1, "ok", "", ""));
		fixture_must_apply(untouched, FIXTURE_END(0, 1, "ok", "", ""));
		bench_record_finalise(run);
		bench_record_finalise(untouched);
		assert_same_run(run, untouched);
		bench_record_free(run);
		bench_record_free(untouched);
	}
}

static void second_run_event_is_refused(void **state)
{
	(void)state;
	struct bench_error error = {0};
	struct bench_run *run = fixture_head("first", 1);
	char line[4096];
	snprintf(line, sizeof(line), FIXTURE_RUN, "second", 2LL);
	assert_int_equal(fixture_apply(run, line, &error), -1);
	assert_non_null(strstr(error.text, "'first'"));
	assert_string_equal(run->id, "first");
	bench_record_free(run);
}

static void metric_that_changes_its_unit_between_invocations_is_refused(void **state)
{
	(void)state;
	struct bench_error error = {0};
	struct bench_run *run = open_run();
	fixture_must_apply(run, FIXTURE_END(0, 1, "ok", "", ""));
	fixture_must_apply(run, FIXTURE_BEGIN(0, 2));
	fixture_must_apply(run, "{\"event\":\"sample\",\"case\":0,\"invocation\":2,\"metric\":\"own\","
				"\"value\":1,\"iterations\":1,\"unit\":\"x\",\"better\":\"higher\"}");
	assert_int_equal(fixture_apply(run, FIXTURE_END(0, 2, "ok", "", ""), &error), -1);
	assert_non_null(strstr(error.text, "changes its unit or direction"));
	bench_record_free(run);
}

static void unknown_events_are_passed_over(void **state)
{
	(void)state;
	struct bench_run *run = fixture_run("r", 1), *same = fixture_run("r", 1);
	fixture_must_apply(run, "{\"event\":\"canary\",\"value\":{\"deep\":[1,2]}}");
	bench_record_finalise(run);
	assert_same_run(run, same);
	bench_record_free(run);
	bench_record_free(same);
}

static void a_line_of_gigabytes_is_not_even_looked_at(void **state)
{
	(void)state;
	struct bench_event event;
	struct bench_error error;
	assert_int_equal(bench_record_event_read("", (size_t)1 << 30, "line 7", &event, &error), -1);
	assert_string_equal(error.text, "line 7: longer than 67108864 bytes");
}

/* Whatever a label, a path or a driver says. */
static void what_is_written_can_be_read(void **state)
{
	(void)state;
	struct bench_run *run = fixture_run("20261120-231503", 1764000000), *again;
	struct bench_error error;
	char broken[8193], name[101];
	memset(broken, '\xff', sizeof(broken) - 1);
	broken[sizeof(broken) - 1] = '\0';
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	bench_record_attribute_set(&run->arena, &run->labels, &run->label_count, "text", broken);
	bench_record_attribute_set(&run->arena, &run->labels, &run->label_count, name, "too long a name");
	bench_record_attribute_set(&run->arena, &run->labels, &run->label_count, "\xfe", "first");
	bench_record_attribute_set(&run->arena, &run->labels, &run->label_count, "\xff", "second");
	memset(run->devices[0].info.name, '\xff', sizeof(run->devices[0].info.name) - 1);
	char *text = bench_record_to_json(run);
	if (bench_record_from_json(text, strlen(text), "metrics.json", &again, &error) != 0)
		fail_msg("%s", error.text);
	assert_string_equal(bench_record_attribute_get(again->labels, again->label_count, "\xef\xbf\xbd"),
			    "first");
	char *line = bench_record_event_run_line(run);
	struct bench_run *third = bench_record_new();
	if (fixture_apply(third, line, &error) != 0)
		fail_msg("%s", error.text);
	bench_record_free(third);
	bench_record_free(again);
	bench_record_free(run);
	free(line);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(damaged_metrics_json_is_refused_with_the_place),
		cmocka_unit_test(every_required_member_of_metrics_json_is_missed),
		cmocka_unit_test(metrics_json_cut_anywhere_is_refused),
		cmocka_unit_test(any_damaged_byte_is_refused_or_read_but_never_worse),
		cmocka_unit_test(deep_nesting_is_refused),
		cmocka_unit_test(not_ok_result_keeps_no_number_that_a_file_claims),
		cmocka_unit_test(summaries_come_from_the_samples_not_from_the_file),
		cmocka_unit_test(damaged_event_is_refused_and_changes_nothing),
		cmocka_unit_test(second_run_event_is_refused),
		cmocka_unit_test(metric_that_changes_its_unit_between_invocations_is_refused),
		cmocka_unit_test(unknown_events_are_passed_over),
		cmocka_unit_test(a_line_of_gigabytes_is_not_even_looked_at),
		cmocka_unit_test(what_is_written_can_be_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
