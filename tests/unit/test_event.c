/* SPDX-License-Identifier: MIT */
/* The lines of samples.jsonl, exactly: each kind written from its struct, and read back as the same. */
#include "record_fixture.h"

#include <math.h>

static const struct {
	struct bench_event event;
	const char *line;
} rows[] = {
	{{.kind = BENCH_EVENT_BEGIN, .index = 3, .invocation = 2},
	 "{\"event\":\"begin\",\"case\":3,\"invocation\":2}"},
	{{.kind = BENCH_EVENT_SAMPLE,
	  .index = 3,
	  .invocation = 2,
	  .sample = {.metric = "time", .value = 0.1, .iterations = 4, .at = 12.345}},
	 "{\"event\":\"sample\",\"case\":3,\"invocation\":2,\"metric\":\"time\",\"value\":0.1,\"iterations\":"
	 "4,"
	 "\"at\":12.345}"},
	{{.kind = BENCH_EVENT_SAMPLE,
	  .sample = {.metric = "level",
		     .value = 1.0 / 3,
		     .iterations = 1,
		     .at = 2,
		     .unit = "share",
		     .better = "higher"}},
	 "{\"event\":\"sample\",\"case\":0,\"invocation\":0,\"metric\":\"level\",\"value\":0."
	 "3333333333333333,"
	 "\"iterations\":1,\"at\":2,\"unit\":\"share\",\"better\":\"higher\"}"},
	{{.kind = BENCH_EVENT_SAMPLE,
	  .sample = {.metric = "relative_time", .value = 1.5, .iterations = 8, .at = 0.5, .disturbed = true}},
	 "{\"event\":\"sample\",\"case\":0,\"invocation\":0,\"metric\":\"relative_time\",\"value\":1.5,"
	 "\"iterations\":8,\"at\":0.5,\"disturbed\":true}"},
	{{.kind = BENCH_EVENT_DISTURBED,
	  .index = 1,
	  .disturbed = {"canary 1.90x", {{"time", 0, 27}, {"latency", 2, 3}}, 2}},
	 "{\"event\":\"disturbed\",\"case\":1,\"invocation\":0,\"reason\":\"canary "
	 "1.90x\",\"samples\":{\"time\":"
	 "[0,27],\"latency\":[2,3]}}"},
	{{.kind = BENCH_EVENT_WATCHED,
	  .index = 1,
	  .invocation = 9,
	  .watched = {{.disturbed = 0.25,
		       .canary = 0.0002,
		       .canary_worst = 1.5,
		       .others = 0.5,
		       .steal = NAN,
		       .frequency = 2.1e9,
		       .device = (char[]){"lowest clock 900 MHz"}},
		      0.0001}},
	 "{\"event\":\"watched\",\"case\":1,\"invocation\":9,\"disturbed\":0.25,\"canary\":0.0002,"
	 "\"canary_worst\":1.5,\"others\":0.5,\"steal\":null,\"frequency\":2100000000,\"device\":\"lowest "
	 "clock "
	 "900 MHz\",\"canary_fastest\":0.0001}"},
	{{.kind = BENCH_EVENT_CHECK, .check = {.error = 1e-7, .tolerance = 1e-5, .method = "elementwise"}},
	 "{\"event\":\"check\",\"case\":0,\"invocation\":0,\"error\":1e-07,\"tolerance\":1e-05,\"method\":"
	 "\"elementwise\"}"},
	{{.kind = BENCH_EVENT_CHECK, .check = {.error = NAN, .tolerance = 0}},
	 "{\"event\":\"check\",\"case\":0,\"invocation\":0,\"error\":null,\"tolerance\":0,\"method\":\"\"}"},
	{{.kind = BENCH_EVENT_NOTE, .invocation = 1, .note = {"program", "cached \"x\""}},
	 "{\"event\":\"note\",\"case\":0,\"invocation\":1,\"name\":\"program\",\"value\":\"cached "
	 "\\\"x\\\"\"}"},
	{{.kind = BENCH_EVENT_END, .end = {BENCH_STATUS_OK, "", "precision", false}},
	 "{\"event\":\"end\",\"case\":0,\"invocation\":0,\"status\":\"ok\",\"reason\":\"\",\"stopped\":"
	 "\"precision\"}"},
	{{.kind = BENCH_EVENT_END, .index = 7, .end = {BENCH_STATUS_UNSUPPORTED, "no f64", "", false}},
	 "{\"event\":\"end\",\"case\":7,\"invocation\":0,\"status\":\"unsupported\",\"reason\":\"no f64\","
	 "\"stopped\":\"\"}"},
	{{.kind = BENCH_EVENT_RESUME, .resume = {1764000000, 12.5}},
	 "{\"event\":\"resume\",\"at\":1764000000,\"used_seconds\":12.5}"},
	{{.kind = BENCH_EVENT_FINISH, .finish = {1764000060, true}},
	 "{\"event\":\"finish\",\"finished\":1764000060,\"interrupted\":true}"},
};

static void each_kind_has_its_exact_line(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *line = bench_record_event_line(&rows[i].event);
		assert_string_equal(line, rows[i].line);
		free(line);
	}
}

static void a_line_that_was_read_is_written_as_it_was(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_event event;
		struct bench_error error;
		if (bench_record_event_read(rows[i].line, strlen(rows[i].line), "a line", &event, &error) !=
		    0)
			fail_msg("%s", error.text);
		assert_int_equal(event.kind, rows[i].event.kind);
		assert_int_equal(event.index, rows[i].event.index);
		assert_int_equal(event.invocation, rows[i].event.invocation);
		char *line = bench_record_event_line(&event);
		assert_string_equal(line, rows[i].line);
		free(line);
		bench_record_event_free(&event);
	}
}

static void the_events_of_a_run_and_its_cases_are_as_they_were_read(void **state)
{
	(void)state;
	char head[4096];
	snprintf(head, sizeof(head), FIXTURE_RUN, "20260101-000000", 1767225600LL);
	struct bench_run *run = bench_record_new();
	fixture_must_apply(run, head);
	char *line = bench_record_event_run_line(run);
	assert_string_equal(line, head);
	free(line);
	for (size_t i = 0; i < 5; i++) {
		struct bench_error error;
		fixture_must_apply(run, fixture_events[i]);
		line = bench_record_event_case_line(run, i);
		/* 2e9 is written as 2000000000. */
		struct bench_run *again = bench_record_new();
		fixture_must_apply(again, head);
		for (size_t j = 0; j < i; j++)
			fixture_must_apply(again, fixture_events[j]);
		if (fixture_apply(again, line, &error) != 0)
			fail_msg("%s", error.text);
		char *same = bench_record_event_case_line(again, i);
		assert_string_equal(same, line);
		free(same);
		free(line);
		bench_record_free(again);
	}
	line = bench_record_event_case_line(run, 4);
	assert_string_equal(
		line, "{\"event\":\"case\",\"index\":4,\"suite\":\"gemm\",\"backend\":\"opencl\",\"device\":"
		      "\"pocl-cpu\",\"case\":{\"dtype\":\"f32\",\"m\":\"1024\",\"alpha\":\"0.2\"},\"work\":{"
		      "\"flops\":2000000000,\"bytes\":0,\"items\":0,\"device_bytes\":0,\"largest_bytes\":0,"
		      "\"host_bytes\":0},\"relative_to\":\"" FIXTURE_VARIANT_KEY
		      "\",\"repeat\":\"bench run\",\"notes\":{}}");
	free(line);
	bench_record_free(run);
}

static void what_a_newer_program_wrote_is_unknown_and_no_error(void **state)
{
	(void)state;
	static const char line[] = "{\"event\":\"canary\",\"value\":{\"deep\":[1,2]}}";
	struct bench_event event;
	struct bench_error error;
	assert_int_equal(bench_record_event_read(line, strlen(line), "a line", &event, &error), 0);
	assert_int_equal(event.kind, BENCH_EVENT_UNKNOWN);
	bench_record_event_free(&event);
}

static void the_last_resume_of_a_file_is_found(void **state)
{
	(void)state;
	struct bench_event_resume resume = {1, 2};
	assert_false(bench_record_event_last_resume("{\"event\":\"begin\",\"case\":0}\n", &resume));
	assert_true(
		bench_record_event_last_resume("{\"event\":\"resume\",\"at\":10,\"used_seconds\":5}\n"
					       "{\"event\":\"resume\",\"at\":20}\n{\"event\":\"finish\"}\n",
					       &resume));
	assert_true(resume.at == 20 && resume.used_seconds == 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_has_its_exact_line),
		cmocka_unit_test(a_line_that_was_read_is_written_as_it_was),
		cmocka_unit_test(the_events_of_a_run_and_its_cases_are_as_they_were_read),
		cmocka_unit_test(what_a_newer_program_wrote_is_unknown_and_no_error),
		cmocka_unit_test(the_last_resume_of_a_file_is_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
