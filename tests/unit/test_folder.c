/* SPDX-License-Identifier: MIT */
/*
 * Run directories: made, written, cut short, read back. tests/golden/record/run is one that a
 * kill cut short, and metrics.json beside it what it comes to; after a change that is meant,
 * run this test with BENCH_GOLDEN=write in the environment, and read what it wrote anew.
 */
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/file.h"
#include "core/text.h"
#include "record/event.h"
#include "record/folder.h"
#include "record_fixture.h"
#include "scratch.h"

static void write_file(const char *folder, const char *name, const char *text)
{
	char path[512];
	struct bench_error error = {0};
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (bench_file_write(path, text, strlen(text), &error) != 0)
		fail_msg("%s", error.text);
}

/* The lines of the fixture up to `count` of its events, and then `rest` as it is. */
static void write_events(const char *folder, size_t count, const char *rest)
{
	struct bench_text text = {0};
	bench_text_add(&text, FIXTURE_RUN "\n", "20261120-231503", 1764000000LL);
	for (size_t i = 0; i < count; i++)
		bench_text_add(&text, "%s\n", fixture_events[i]);
	bench_text_add(&text, "%s", rest);
	write_file(folder, "samples.jsonl", text.data);
	bench_text_free(&text);
}

static struct bench_run *must_load(const char *folder)
{
	struct bench_run *run = NULL;
	struct bench_error error = {0};
	if (bench_record_load_folder(folder, &run, &error) != 0)
		fail_msg("%s", error.text);
	return run;
}

static void must_refuse_as(enum bench_code code, const char *folder, const char *message)
{
	struct bench_run *run = NULL;
	struct bench_error error = {0};
	assert_int_equal(bench_record_load_folder(folder, &run, &error), -1);
	assert_int_equal(error.code, code);
	if (!strstr(error.text, message))
		fail_msg("'%s' lacks '%s'", error.text, message);
	assert_null(run);
}

static void must_refuse(const char *folder, const char *message)
{
	must_refuse_as(BENCH_ENVIRONMENT, folder, message);
}

static void run_that_was_killed_at_its_start_is_nothing_and_no_damage(void **state)
{
	static const char what[] = "cut short before anything was written";
	must_refuse_as(BENCH_NOTHING, *state, what);
	write_file(*state, "samples.jsonl", "");
	must_refuse_as(BENCH_NOTHING, *state, what);
	write_file(*state, "samples.jsonl", "{\"event\":\"run\",\"sche");
	must_refuse_as(BENCH_NOTHING, *state, what);
}

/* As in a folder that somebody else has made: what is appended to is in the folder itself. */
static void files_of_a_run_are_no_links_and_no_pipes(void **state)
{
	struct bench_folder folder;
	struct bench_error error;
	char path[512], other[512];
	write_events(*state, 4, "");
	write_file(*state, "other", "mine");
	snprintf(path, sizeof(path), "%s/run.log", (char *)*state);
	snprintf(other, sizeof(other), "%s/other", (char *)*state);
	assert_int_equal(symlink(other, path), 0);
	assert_int_equal(bench_record_folder_reopen(&folder, *state, &error), -1);
	assert_non_null(strstr(error.text, "run.log': a symbolic link"));
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(bench_record_folder_reopen(&folder, *state, &error), -1);
	assert_non_null(strstr(error.text, "run.log'"));
}

static void replayed_events_give_the_record_of_metrics_json(void **state)
{
	struct bench_run *run = fixture_run("20261120-231503", 1764000000);
	write_events(*state, FIXTURE_EVENTS, "");
	struct bench_run *from_events = must_load(*state);
	assert_same_run(run, from_events);
	assert_string_equal(from_events->folder, *state);
	char *text = bench_record_to_json(run);
	write_file(*state, "metrics.json", text);
	write_file(*state, "samples.jsonl", "no longer read\n");
	struct bench_run *from_metrics = must_load(*state);
	assert_same_run(run, from_metrics);
	free(text);
	bench_record_free(run);
	bench_record_free(from_events);
	bench_record_free(from_metrics);
}

static void golden_run_that_was_killed_gives_its_metrics_json(void **state)
{
	(void)state;
	static const char expected_path[] = BENCH_SOURCE_DIR "/tests/golden/record/metrics.json";
	struct bench_error error = {0};
	struct bench_run *run = must_load(BENCH_SOURCE_DIR "/tests/golden/record/run");
	char *text = bench_record_to_json(run), *expected = NULL;
	const char *mode = getenv("BENCH_GOLDEN");
	size_t length;
	if (mode && strcmp(mode, "write") == 0)
		assert_int_equal(bench_file_write(expected_path, text, strlen(text), &error), 0);
	if (bench_file_read(expected_path, (size_t)1 << 20, &expected, &length, &error) != 0)
		fail_msg("%s", error.text);
	assert_string_equal(text, expected);
	free(expected);
	free(text);
	bench_record_free(run);
}

/* A kill leaves any number of whole lines and a part of one: what had ended by then is there. */
static void killed_run_keeps_what_had_ended(void **state)
{
	for (size_t count = 0; count <= FIXTURE_EVENTS; count++) {
		write_events(*state, count, "{\"event\":\"sample\",\"case\":0,\"invoc");
		struct bench_run *run = must_load(*state);
		struct bench_run *expected = fixture_head("20261120-231503", 1764000000);
		for (size_t i = 0; i < count; i++)
			fixture_must_apply(expected, fixture_events[i]);
		bench_record_finalise(expected);
		assert_same_run(expected, run);
		assert_int_equal(run->finished, count == FIXTURE_EVENTS ? 1764000060 : 0);
		bench_record_free(run);
		bench_record_free(expected);
	}
}

static void last_line_that_lacks_only_its_newline_counts(void **state)
{
	write_events(*state, FIXTURE_EVENTS - 1, FIXTURE_FINISH);
	struct bench_run *run = must_load(*state);
	assert_int_equal(run->finished, 1764000060);
	bench_record_free(run);
}

/* What a run that is taken up finds, so that its next event stands behind whole ones. */
static void torn_last_line_is_ended_or_taken_away(void **state)
{
	static const struct {
		const char *tail, *left;
	} rows[] = {
		{"", ""},
		{"{\"event\":\"begin\",\"ca", ""},
		{"{\"event\":\"begin\",\"ca\n", ""},
		{"{\"event\":\"hello\"}", "{\"event\":\"hello\"}\n"},
		{"{\"event\":\"hello\"}\n", "{\"event\":\"hello\"}\n"},
		{"{\"event\":\"hello\"}, \"rest\":0}", ""},
		/* whole, and of no invocation that has begun */
		{FIXTURE_SAMPLE(0, 0, "time", 1), ""},
		{FIXTURE_SAMPLE(0, 0, "time", 1) "\n", ""},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_folder folder;
		struct bench_error error;
		char path[512], *data, *whole;
		size_t length, whole_length;
		snprintf(path, sizeof(path), "%s/samples.jsonl", (char *)*state);
		write_events(*state, 4, "");
		assert_int_equal(bench_file_read(path, 1 << 20, &whole, &whole_length, &error), 0);
		write_events(*state, 4, rows[i].tail);
		bench_record_free(must_load(*state));
		if (bench_record_folder_reopen(&folder, *state, &error) != 0)
			fail_msg("%s", error.text);
		assert_int_equal(bench_record_folder_event(&folder, "{\"event\":\"next\"}", &error), 0);
		bench_record_folder_close(&folder);
		assert_int_equal(bench_file_read(path, 1 << 20, &data, &length, &error), 0);
		assert_memory_equal(data, whole, whole_length);
		size_t left = strlen(rows[i].left);
		assert_memory_equal(data + whole_length, rows[i].left, left);
		assert_string_equal(data + whole_length + left, "{\"event\":\"next\"}\n");
		bench_record_free(must_load(*state));
		free(whole);
		free(data);
	}
}

static void damaged_line_in_the_middle_is_refused_by_its_number(void **state)
{
	write_events(*state, 4, "{\"event\":\"begin\",\"ca\n" FIXTURE_FINISH "\n");
	must_refuse(*state, "samples.jsonl: line 6: not valid JSON");
	write_events(*state, 4, FIXTURE_SAMPLE(0, 0, "time", 1) "\n" FIXTURE_FINISH "\n");
	must_refuse(*state, "samples.jsonl: line 6: sample: invocation 0");
}

static void folder_that_is_none_of_a_run_is_refused(void **state)
{
	char path[256];
	snprintf(path, sizeof(path), "%s/absent", (char *)*state);
	must_refuse(path, "absent' is not a folder");
	write_file(*state, "run.log", "");
	must_refuse(*state, "neither metrics.json nor samples.jsonl");
	write_file(*state, "samples.jsonl", FIXTURE_FINISH "\n");
	must_refuse(*state, "line 1: expected the event \"run\" first");
	write_file(*state, "metrics.json", "{");
	must_refuse(*state, "metrics.json: not valid JSON");
	snprintf(path, sizeof(path), "%s/metrics.json", (char *)*state);
	assert_int_equal(remove(path), 0);
	assert_int_equal(mkdir(path, 0777), 0);
	must_refuse(*state, "not a regular file");
}

static void same_case_twice_in_the_events_is_refused(void **state)
{
	write_events(*state, 1, FIXTURE_CASE(1, "opencl", "pocl-cpu", "1024") "\n");
	must_refuse(*state, "two results are both 'gemm/opencl:pocl-cpu/");
}

static void folder_is_named_after_the_second_and_counts_on(void **state)
{
	struct bench_folder folders[3];
	struct bench_error error = {0};
	char runs[256];
	snprintf(runs, sizeof(runs), "%s/a/runs", (char *)*state);
	setenv("TZ", "UTC", 1);
	tzset();
	static const char *const ids[] = {"20251124-160000", "20251124-160000-2", "20251124-160000-3"};
	for (int i = 0; i < 3; i++) {
		struct bench_run *run = bench_record_new();
		run->started = 1764000000;
		if (bench_record_folder_create(&folders[i], runs, run, NULL, NULL, &error) != 0)
			fail_msg("%s", error.text);
		assert_string_equal(run->id, ids[i]);
		assert_string_equal(run->folder, folders[i].path);
		assert_int_equal(folders[i].path[0], '/');
		bench_record_folder_close(&folders[i]);
		bench_record_free(run);
	}
}

static void what_is_written_into_a_folder_is_read_back(void **state)
{
	struct bench_folder folder;
	struct bench_error error = {0};
	struct bench_run *run = fixture_run("x", 1764000000);
	assert_int_equal(bench_record_folder_create(&folder, *state, run, NULL, NULL, &error), 0);
	char *line = bench_record_event_run_line(run);
	assert_int_equal(bench_record_folder_event(&folder, line, &error), 0);
	free(line);
	for (size_t i = 0; i < FIXTURE_EVENTS; i++)
		assert_int_equal(bench_record_folder_event(&folder, fixture_events[i], &error), 0);
	bench_record_folder_log(&folder, "a warning with %d %s", 2, "values");
	struct bench_run *back = must_load(folder.path);
	assert_same_run(run, back);
	bench_record_free(back);
	assert_int_equal(bench_record_folder_finish(&folder, run, &error), 0);
	back = must_load(folder.path);
	assert_same_run(run, back);
	bench_record_free(back);
	char path[PATH_MAX + 16], *log;
	size_t length;
	snprintf(path, sizeof(path), "%s/run.log", folder.path);
	assert_int_equal(bench_file_read(path, 4096, &log, &length, &error), 0);
	assert_non_null(strstr(log, "a warning with 2 values\n"));
	free(log);
	bench_record_folder_close(&folder);
	bench_record_free(run);
}

static void runs_folder_that_cannot_be_written_is_named(void **state)
{
	struct bench_folder folder;
	struct bench_error error = {0};
	struct bench_run *run = bench_record_new();
	char path[256];
	write_file(*state, "file", "x");
	snprintf(path, sizeof(path), "%s/file/runs", (char *)*state);
	assert_int_equal(bench_record_folder_create(&folder, path, run, NULL, NULL, &error), -1);
	assert_int_equal(error.code, BENCH_ENVIRONMENT);
	assert_non_null(strstr(error.text, "/file"));
	bench_record_free(run);
}

/* In a process of its own, whose files may not grow. */
static int write_to_full_disk(const char *runs)
{
	struct bench_folder folder;
	struct bench_error error = {0};
	struct bench_run *run = fixture_run("x", 1764000000);
	const struct rlimit small = {.rlim_cur = 1024, .rlim_max = 1024};
	signal(SIGXFSZ, SIG_IGN);
	if (bench_record_folder_create(&folder, runs, run, NULL, NULL, &error) != 0 ||
	    setrlimit(RLIMIT_FSIZE, &small) != 0)
		return 1;
	if (bench_record_folder_finish(&folder, run, &error) != -1 || !strstr(error.text, "metrics.json"))
		return 2;
	char *line = bench_record_event_run_line(run);
	int status = 0;
	for (int i = 0; i < 10 && status == 0; i++)
		status = bench_record_folder_event(&folder, line, &error);
	free(line);
	char path[PATH_MAX + 16];
	snprintf(path, sizeof(path), "%s/metrics.json", folder.path);
	if (access(path, F_OK) == 0)
		return 4;
	if (status != -1 || error.code != BENCH_ENVIRONMENT || !strstr(error.text, "samples.jsonl"))
		return 3;
	bench_record_folder_close(&folder);
	bench_record_free(run);
	return 0;
}

static void full_disk_is_an_error_that_names_the_file(void **state)
{
	int status;
	pid_t child = fork();
	if (child == 0)
		_exit(write_to_full_disk(*state));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_scratch(replayed_events_give_the_record_of_metrics_json),
		cmocka_unit_test(golden_run_that_was_killed_gives_its_metrics_json),
		in_scratch(killed_run_keeps_what_had_ended),
		in_scratch(last_line_that_lacks_only_its_newline_counts),
		in_scratch(torn_last_line_is_ended_or_taken_away),
		in_scratch(run_that_was_killed_at_its_start_is_nothing_and_no_damage),
		in_scratch(files_of_a_run_are_no_links_and_no_pipes),
		in_scratch(damaged_line_in_the_middle_is_refused_by_its_number),
		in_scratch(folder_that_is_none_of_a_run_is_refused),
		in_scratch(same_case_twice_in_the_events_is_refused),
		in_scratch(folder_is_named_after_the_second_and_counts_on),
		in_scratch(what_is_written_into_a_folder_is_read_back),
		in_scratch(runs_folder_that_cannot_be_written_is_named),
		in_scratch(full_disk_is_an_error_that_names_the_file),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
