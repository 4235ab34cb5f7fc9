/* Workers and sessions, in real processes (this program is its own worker), and what they say of the machine.
 */
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
#include "measure/environment.h"
#include "measure/session.h"
#include "measure/worker.h"
#include "measure_fixture.h"

static void a_job_is_the_same_after_its_journey(void **state)
{
	(void)state;
	static const char *const sets[] = {"n=5", "mode=late", "x=0.1"};
	struct bench_plan_options options = {.suites = suites,
					     .backends = backends,
					     .backend_text = "board:1",
					     .sets = sets,
					     .set_count = 3};
	struct bench_plan *plan = plan_of(&options);
	struct bench_job_case cases[] = {{3, &board_backend, 1, "big-gpu"}, {4, NULL, 0, "cpu"}};
	struct bench_job job = {.invocation = 7,
				.seed = UINT64_MAX,
				.threads = 2,
				.precision = 0.015,
				.slice_seconds = 1.25,
				.suite = &toy_suite,
				.values = plan->cases[0].values,
				.value_count = 4,
				.cases = cases,
				.case_count = 2};
	char *text = bench_job_to_json(&job);
	struct bench_arena arena = {0};
	struct bench_job read;
	struct bench_error error;
	assert_int_equal(bench_job_from_json(text, strlen(text), suites, backends, &arena, &read, &error), 0);
	assert_int_equal(read.invocation, 7);
	assert_true(read.seed == UINT64_MAX);
	assert_int_equal(read.threads, 2);
	assert_true(read.precision == 0.015 && read.slice_seconds == 1.25);
	assert_ptr_equal(read.suite, &toy_suite);
	assert_int_equal(read.values[P_N].integer, 5);
	assert_true(read.values[P_X].real == 0.1);
	assert_int_equal(read.case_count, 2);
	assert_int_equal(read.cases[0].index, 3);
	assert_ptr_equal(read.cases[0].backend, &board_backend);
	assert_int_equal(read.cases[0].device, 1);
	assert_string_equal(read.cases[0].slug, "big-gpu");
	assert_null(read.cases[1].backend);
	/* A job that was cut or does not fit this program is refused, not guessed at. */
	for (size_t length = 0; length < strlen(text); length += 7)
		assert_int_equal(bench_job_from_json(text, length, suites, backends, &arena, &read, &error),
				 -1);
	bench_arena_free(&arena);
	free(text);
	bench_plan_free(plan);
}

static void a_path_is_the_same_after_its_journey(void **state)
{
	(void)state;
	static const char *const sets[] = {"file=../x/a.mtx"};
	struct bench_plan_options options = {.suites = file_suites,
					     .backends = backends,
					     .backend_text = "board:1",
					     .sets = sets,
					     .set_count = 1};
	struct bench_plan *plan = plan_of(&options);
	struct bench_job job = {.suite = &file_suite, .values = plan->cases[0].values, .value_count = 5};
	char *text = bench_job_to_json(&job);
	struct bench_arena arena = {0};
	struct bench_job read;
	struct bench_error error;
	assert_int_equal(
		bench_job_from_json(text, strlen(text), file_suites, backends, &arena, &read, &error), 0);
	assert_string_equal(read.values[3].text, "a.mtx");
	assert_string_equal(read.values[3].given, "../x/a.mtx");
	assert_string_equal(read.values[4].given, "../x/a.mtx");
	bench_arena_free(&arena);
	free(text);
	bench_plan_free(plan);
}

/* Measures the toy suite in modes "a,b,.." in real worker processes; the caller frees the run. */
static struct bench_run *measure(const char *modes, const char *backend, unsigned invocations,
				 char *folder_path)
{
	char scratch[256], set[128];
	const char *base = getenv("TMPDIR");
	snprintf(scratch, sizeof(scratch), "%s/bench-measure-XXXXXX", base ? base : "/tmp");
	assert_non_null(mkdtemp(scratch));
	snprintf(set, sizeof(set), "mode=%s", modes);
	const char *const sets[] = {set, "n=8", "x=1"};
	struct bench_plan_options options = {.suites = suites,
					     .backends = backends,
					     .backend_text = backend,
					     .sets = sets,
					     .set_count = 3};
	struct bench_plan *plan = plan_of(&options);
	struct bench_run *run = bench_run_new();
	struct bench_folder folder;
	struct bench_error error;
	run->started = 1764000000;
	run->command = bench_arena_string(&run->arena, "bench run --suite toy");
	run->preset = bench_arena_string(&run->arena, "quick");
	run->invocations = invocations;
	run->precision = 0.5;
	run->budget_seconds = 0.3;
	run->seed = 3;
	if (bench_folder_create(&folder, scratch, run, &error) != 0)
		fail_msg("%s", error.text);
	const char *const arguments[] = {"test_measure", "worker", NULL};
	struct bench_session_options session = {
		.executable = "/proc/self/exe", .arguments = arguments, .time_limit_seconds = 1.5};
	if (bench_session_run(run, plan, &folder, &session, &error) != 0)
		fail_msg("%s", error.text);
	assert_int_equal(bench_folder_finish(&folder, run, &error), 0);
	if (folder_path)
		snprintf(folder_path, 256, "%s", scratch);
	bench_folder_close(&folder);
	bench_plan_free(plan);
	return run;
}

static void remove_scratch(const char *path)
{
	char command[300];
	snprintf(command, sizeof(command), "rm -rf '%s'", path);
	assert_int_equal(system(command), 0);
}

static const struct bench_result *of_mode(const struct bench_run *run, const char *mode)
{
	for (size_t i = 0; i < run->result_count; i++)
		if (strcmp(bench_pair_get(run->results[i].params, run->results[i].param_count, "mode"),
			   mode) == 0)
			return &run->results[i];
	fail_msg("no result for mode %s", mode);
	return NULL;
}

static void every_case_ends_as_what_it_is(void **state)
{
	(void)state;
	char scratch[256];
	struct bench_run *run = measure("right,wrong,late,crash,hang,unable,broken", "board:0", 2, scratch);
	static const struct {
		const char *mode;
		enum bench_status status;
		const char *reason;
	} rows[] = {
		{"right", BENCH_STATUS_OK, ""},
		{"wrong", BENCH_STATUS_INCORRECT, "error 7, tolerance 1 (by hand)"},
		{"late", BENCH_STATUS_INCORRECT, "nan"}, /* right at first, wrong after it was timed */
		{"crash", BENCH_STATUS_FAILED, "signal 6"},
		{"hang", BENCH_STATUS_FAILED, "no sign of life"},
		{"unable", BENCH_STATUS_UNSUPPORTED, "cannot do that here"},
		{"broken", BENCH_STATUS_FAILED, "the device was lost"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct bench_result *result = of_mode(run, rows[i].mode);
		assert_string_equal(bench_status_name(result->status), bench_status_name(rows[i].status));
		if (!strstr(result->reason, rows[i].reason))
			fail_msg("%s: '%s' does not say '%s'", rows[i].mode, result->reason, rows[i].reason);
		assert_int_equal(result->metric_count > 0, rows[i].status == BENCH_STATUS_OK);
	}
	const struct bench_metric *time = bench_result_metric(of_mode(run, "right"), "time");
	assert_non_null(time);
	assert_int_equal(time->series_count, 2);
	assert_int_equal(time->series[0].invocation, 0);
	assert_int_equal(time->series[1].invocation, 1);
	assert_non_null(bench_result_metric(of_mode(run, "right"), "first_call"));
	assert_false(run->interrupted);
	bench_run_free(run);
	remove_scratch(scratch);
}

static void a_case_that_crashes_costs_its_group_nothing_but_itself(void **state)
{
	(void)state;
	char scratch[256];
	struct bench_run *run = measure("right", "board:0,board:2,board:1,bare", 1, scratch);
	assert_int_equal(run->result_count, 4);
	assert_int_equal(run->results[0].status, BENCH_STATUS_OK);
	assert_int_equal(run->results[1].status, BENCH_STATUS_FAILED);
	assert_string_equal(run->results[1].reason, "device 2 is on fire");
	assert_int_equal(run->results[2].status, BENCH_STATUS_OK);
	assert_int_equal(run->results[3].status, BENCH_STATUS_UNSUPPORTED);
	bench_run_free(run);
	run = measure("crash", "board:0,board:1", 1, NULL);
	/* Both crash, each in its turn, and each is blamed for its own. */
	assert_int_equal(run->results[0].status, BENCH_STATUS_FAILED);
	assert_int_equal(run->results[1].status, BENCH_STATUS_FAILED);
	bench_run_free(run);
	remove_scratch(scratch);
}

static void the_events_on_disk_are_the_record(void **state)
{
	(void)state;
	char scratch[256], path[PATH_MAX];
	struct bench_run *run = measure("right,wrong,crash", "board:0", 2, scratch), *again = NULL;
	struct bench_error error;
	assert_true(bench_file_join(path, sizeof(path), run->folder, "metrics.json"));
	assert_int_equal(unlink(path), 0);
	if (bench_record_load_folder(run->folder, &again, &error) != 0)
		fail_msg("%s", error.text);
	char *one = bench_record_to_json(run), *two = bench_record_to_json(again);
	assert_string_equal(one, two);
	free(one);
	free(two);
	bench_run_free(again);
	bench_run_free(run);
	remove_scratch(scratch);
}

static void the_host_has_a_stable_fingerprint(void **state)
{
	(void)state;
	struct bench_run *a = bench_run_new(), *b = bench_run_new();
	bench_environment_host(a, 0);
	bench_environment_host(b, 1);
	const char *fingerprint = bench_pair_get(a->host, a->host_count, "fingerprint");
	assert_int_equal(strlen(fingerprint), 16);
	assert_string_equal(fingerprint, bench_pair_get(b->host, b->host_count, "fingerprint"));
	assert_string_equal(bench_pair_get(b->host, b->host_count, "threads"), "1");
	static const char *const names[] = {"name",   "cpu",      "cores",      "threads", "memory_bytes",
					    "kernel", "compiler", "build_type", "version"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_string_not_equal(bench_pair_get(a->host, a->host_count, names[i]), "");
	bench_run_free(a);
	bench_run_free(b);
}

static void the_work_tree_is_described_with_what_is_dirty(void **state)
{
	(void)state;
	char scratch[256], before[PATH_MAX], command[2048];
	const char *base = getenv("TMPDIR");
	snprintf(scratch, sizeof(scratch), "%s/bench-git-XXXXXX", base ? base : "/tmp");
	assert_non_null(mkdtemp(scratch));
	assert_non_null(getcwd(before, sizeof(before)));
	assert_int_equal(chdir(scratch), 0);
	struct bench_run *run = bench_run_new();
	setenv("GIT_CEILING_DIRECTORIES", scratch, 1);
	bench_environment_git(run);
	assert_false(run->git.present);
	bench_run_free(run);
	snprintf(command, sizeof(command),
		 "git init -q -b side . && touch 'a b' c && git add . && "
		 "git -c user.name=n -c user.email=e commit -q -m x && git mv c d && echo x >'a b' && touch "
		 "new");
	assert_int_equal(system(command), 0);
	run = bench_run_new();
	bench_environment_git(run);
	assert_true(run->git.present && run->git.dirty);
	assert_int_equal(strlen(run->git.commit), 40);
	assert_string_equal(run->git.branch, "side");
	assert_int_equal(run->git.dirty_count, 3);
	bool spaced = false, renamed = false, fresh = false;
	for (size_t i = 0; i < run->git.dirty_count; i++) {
		spaced |= strcmp(run->git.dirty_files[i], "a b") == 0;
		renamed |= strcmp(run->git.dirty_files[i], "d") == 0;
		fresh |= strcmp(run->git.dirty_files[i], "new") == 0;
	}
	assert_true(spaced && renamed && fresh);
	bench_run_free(run);
	assert_int_equal(chdir(before), 0);
	remove_scratch(scratch);
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "worker") == 0)
		return bench_session_worker(suites, backends);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_job_is_the_same_after_its_journey),
		cmocka_unit_test(a_path_is_the_same_after_its_journey),
		cmocka_unit_test(every_case_ends_as_what_it_is),
		cmocka_unit_test(a_case_that_crashes_costs_its_group_nothing_but_itself),
		cmocka_unit_test(the_events_on_disk_are_the_record),
		cmocka_unit_test(the_host_has_a_stable_fingerprint),
		cmocka_unit_test(the_work_tree_is_described_with_what_is_dirty),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
