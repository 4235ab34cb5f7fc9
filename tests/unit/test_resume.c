/* SPDX-License-Identifier: MIT */
/* A run that was cut short is taken up: its folder, and the session that finds results in the record. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/file.h"
#include "measure/session/journal.h"
#include "measure/session/session.h"
#include "measure_fixture.h"
#include "scratch.h"

static struct bench_plan *make_plan(const char *modes)
{
	const char *const sets[] = {modes, "n=8,16", "x=1"};
	const struct bench_plan_options options = {.suites = suites,
						   .backends = backends,
						   .backend_text = "board:0",
						   .sets = sets,
						   .set_count = 3};
	return plan_of(&options);
}

static void run_session(struct bench_run *run, struct bench_plan *plan, struct bench_folder *folder)
{
	const char *const arguments[] = {"test_resume", "worker", NULL};
	const struct bench_session_options session = {
		.executable = "/proc/self/exe", .arguments = arguments, .time_limit_seconds = 10};
	struct bench_error error;
	bench_record_attribute_set(&run->arena, &run->host, &run->host_count, "watch", "no");
	if (bench_session_run(run, plan, folder, &session, &error) != 0)
		fail_msg("%s", error.text);
	bench_record_folder_close(folder);
	bench_plan_free(plan);
}

/* A run of so many invocations; its folder's path. The caller frees the run. */
static struct bench_run *measure(const char *scratch, const char *modes, unsigned invocations)
{
	struct bench_run *run = bench_record_new();
	struct bench_folder folder;
	struct bench_error error;
	run->started = 1764000000;
	run->invocations = invocations;
	run->precision = 0.5;
	run->budget_seconds = 30; /* ends at the precision: a slow machine has its invocations, too */
	if (bench_record_folder_create(&folder, scratch, run, NULL, NULL, &error) != 0)
		fail_msg("%s", error.text);
	run_session(run, make_plan(modes), &folder);
	return run;
}

static void read_samples(const struct bench_run *run, char path[PATH_MAX], char **data, size_t *length)
{
	struct bench_error error;
	assert_true(bench_file_join(path, PATH_MAX, run->folder, "samples.jsonl"));
	if (bench_file_read(path, 1 << 24, data, length, &error) != 0)
		fail_msg("%s", error.text);
}

/* Cuts samples.jsonl behind the end of invocation `last` of the case, and so many bytes. */
static void cut(const struct bench_run *run, int last, size_t more)
{
	char path[PATH_MAX], event[96], *data = NULL;
	size_t length;
	read_samples(run, path, &data, &length);
	snprintf(event, sizeof(event), "{\"event\":\"end\",\"case\":0,\"invocation\":%d,", last);
	const char *found = strstr(data, event);
	assert_non_null(found);
	size_t at = (size_t)(strchr(found, '\n') + 1 - data) + more;
	assert_true(at < length);
	assert_int_equal(truncate(path, (off_t)at), 0);
	free(data);
}

static struct bench_run *take_up(const char *folder_path, const char *modes)
{
	struct bench_run *run;
	struct bench_folder folder;
	struct bench_error error;
	if (bench_record_load_folder(folder_path, &run, &error) != 0 ||
	    bench_record_folder_reopen(&folder, folder_path, &error) != 0)
		fail_msg("%s", error.text);
	run_session(run, make_plan(modes), &folder);
	return run;
}

static void assert_whole(const struct bench_run *run, size_t result, unsigned invocations)
{
	const struct bench_metric *time = bench_record_metric(&run->results[result], "time");
	assert_non_null(time);
	assert_int_equal(time->series_count, invocations);
	for (unsigned k = 0; k < invocations; k++) {
		size_t found = 0;
		for (size_t i = 0; i < time->series_count; i++)
			found += time->series[i].invocation == (int)k;
		assert_int_equal(found, 1);
	}
}

static void a_run_is_measured_to_its_end_wherever_it_was_cut(void **state)
{
	static const size_t cuts[] = {0, 1, 40, 200};
	for (size_t i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++) {
		struct bench_run *run = measure(*state, "mode=right", 4), *again;
		const struct bench_metric *time = bench_record_metric(&run->results[0], "time");
		double first = time->series[0].values[0];
		struct bench_error error;
		cut(run, 1, cuts[i]);
		again = take_up(run->folder, "mode=right");
		assert_int_equal(again->result_count, 2);
		for (size_t r = 0; r < again->result_count; r++) {
			assert_int_equal(again->results[r].status, BENCH_STATUS_OK);
			assert_whole(again, r, 4);
		}
		assert_true(bench_record_metric(&again->results[0], "time")->series[0].values[0] == first);
		assert_true(again->finished && !again->interrupted);
		/* What the file says by itself is the same. */
		char *one = bench_record_to_json(again);
		bench_record_free(run);
		if (bench_record_load_folder(again->folder, &run, &error) != 0)
			fail_msg("%s", error.text);
		char *two = bench_record_to_json(run);
		assert_string_equal(one, two);
		free(one);
		free(two);
		bench_record_free(again);
		bench_record_free(run);
	}
}

static void what_failed_before_is_not_tried_again(void **state)
{
	struct bench_run *run = measure(*state, "mode=wrong,right", 3);
	assert_int_equal(run->result_count, 4);
	char path[PATH_MAX], *data = NULL;
	size_t length;
	assert_int_equal(run->results[0].status, BENCH_STATUS_INCORRECT);
	cut(run, 0, 0);
	struct bench_run *again = take_up(run->folder, "mode=wrong,right");
	read_samples(again, path, &data, &length);
	const char *resumed = strstr(data, "{\"event\":\"resume\"");
	assert_non_null(resumed);
	assert_null(strstr(resumed, "\"case\":0,"));
	assert_int_equal(again->results[0].status, BENCH_STATUS_INCORRECT);
	assert_whole(again, 2, 3);
	free(data);
	bench_record_free(run);
	bench_record_free(again);
}

static void a_run_has_one_process_at_a_time(void **state)
{
	struct bench_run *run = bench_record_new();
	struct bench_folder folder, other;
	struct bench_error error;
	run->started = 1764000000;
	assert_int_equal(bench_record_folder_create(&folder, *state, run, NULL, NULL, &error), 0);
	assert_int_equal(bench_record_folder_reopen(&other, run->folder, &error), -1);
	assert_non_null(strstr(error.text, "right now"));
	bench_record_folder_close(&folder);
	assert_int_equal(bench_record_folder_reopen(&other, run->folder, &error), 0);
	bench_record_folder_close(&other);
	assert_int_equal(bench_record_folder_reopen(&other, *state, &error), -1);
	assert_non_null(strstr(error.text, "samples.jsonl"));
	bench_record_free(run);
}

static void count_event(void *context, const struct bench_event *event)
{
	++*(int *)context;
	(void)event;
}

/* What a driver writes into the wrong file descriptor. */
static void a_byte_of_0_hides_none_of_the_events_behind_it(void **state)
{
	struct bench_run *run = bench_record_new();
	struct bench_folder folder;
	struct bench_error error;
	static const char lines[] = "a\0b\n{\"event\":\"finish\",\"finished\":7,\"interrupted\":false}\n";
	int seen = 0;
	if (bench_record_folder_create(&folder, *state, run, NULL, NULL, &error) != 0)
		fail_msg("%s", error.text);
	struct bench_journal journal = {.folder = &folder, .run = run, .seen = count_event, .context = &seen};
	assert_int_equal(write(folder.events, lines, sizeof(lines) - 1), sizeof(lines) - 1);
	assert_int_equal(bench_session_journal_catch_up(&journal, &error), 0);
	assert_int_equal(seen, 1);
	assert_int_equal(run->finished, 7);
	bench_record_folder_close(&folder);
	bench_record_free(run);
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "worker") == 0)
		return bench_worker_serve(all_suites, backends, NULL, &(struct bench_error){0}) != 0;
	const struct CMUnitTest tests[] = {
		in_scratch(a_run_is_measured_to_its_end_wherever_it_was_cut),
		in_scratch(what_failed_before_is_not_tried_again),
		in_scratch(a_run_has_one_process_at_a_time),
		in_scratch(a_byte_of_0_hides_none_of_the_events_behind_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
