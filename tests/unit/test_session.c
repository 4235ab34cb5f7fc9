/* SPDX-License-Identifier: MIT */
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
#include "machine/environment.h"
#include "measure/session/session.h"
#include "measure/worker/worker.h"
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
	const struct bench_value *values = plan->cases[0].values;
	struct bench_job_case cases[] = {{3, values, 4, 1, &board_backend, 1, "big-gpu", false},
					 {4, values, 4, BENCH_NO_REFERENCE, NULL, 0, "cpu", false}};
	struct bench_job job = {.invocation = 7,
				.seed = UINT64_MAX,
				.threads = 2,
				.precision = 0.015,
				.slice_seconds = 1.25,
				.canary_fastest = 0.00025,
				.brief = true,
				.counters = true,
				.energy = true,
				.unwatched = true,
				.stays = true,
				.folder = "/runs/a b",
				.overrides = {.tuning = "spmv.span=65536", .slowdown = "3%:toy*"},
				.suite = &toy_suite,
				.cases = cases,
				.case_count = 2};
	char *text = bench_worker_job_to_json(&job);
	struct bench_arena arena = {0};
	struct bench_job read;
	struct bench_error error;
	assert_int_equal(
		bench_worker_job_from_json(text, strlen(text), suites, backends, NULL, &arena, &read, &error),
		0);
	assert_int_equal(read.invocation, 7);
	assert_true(read.seed == UINT64_MAX);
	assert_int_equal(read.threads, 2);
	assert_true(read.precision == 0.015 && read.slice_seconds == 1.25);
	assert_true(read.canary_fastest == 0.00025);
	assert_true(read.brief && read.unwatched && read.counters && read.energy && read.stays);
	assert_string_equal(read.folder, "/runs/a b");
	assert_true(read.slowdown.fraction == 0.03);
	assert_string_equal(read.slowdown.pattern, "toy*");
	assert_int_equal(read.tuned_count, 1);
	assert_int_equal(read.tuned[0].value, 65536);
	assert_ptr_equal(read.suite, &toy_suite);
	assert_int_equal(read.cases[0].values[P_N].integer, 5);
	assert_true(read.cases[1].values[P_X].real == 0.1);
	assert_int_equal(read.cases[0].reference, 1);
	assert_true(read.cases[1].reference == BENCH_NO_REFERENCE);
	assert_int_equal(read.case_count, 2);
	assert_int_equal(read.cases[0].index, 3);
	assert_ptr_equal(read.cases[0].backend, &board_backend);
	assert_int_equal(read.cases[0].device, 1);
	assert_string_equal(read.cases[0].slug, "big-gpu");
	assert_null(read.cases[1].backend);
	/* What an older bench does not say holds where it is not said, and there alone. */
	const struct bench_overrides unsaid = {.tuning = "spmv.span=131072", .slowdown = "5%"};
	assert_int_equal(bench_worker_job_from_json(text, strlen(text), suites, backends, &unsaid, &arena,
						    &read, &error),
			 0);
	assert_true(read.slowdown.fraction == 0.03);
	char *member = strstr(text, "\"slowdown\"");
	member[1] = 'x';
	assert_int_equal(bench_worker_job_from_json(text, strlen(text), suites, backends, &unsaid, &arena,
						    &read, &error),
			 0);
	assert_true(read.slowdown.fraction == 0.05);
	assert_int_equal(read.tuned[0].value, 65536);
	/* A job that was cut or does not fit this program is refused, not guessed at. */
	for (size_t length = 0; length < strlen(text); length += 7)
		assert_int_equal(bench_worker_job_from_json(text, length, suites, backends, NULL, &arena,
							    &read, &error),
				 -1);
	bench_arena_free(&arena);
	free(text);
	bench_plan_free(plan);
}

/* Measures a suite in real worker processes; the caller frees the run. */
static struct bench_run *measure_suite(const struct bench_suite *const *suites_of, const char *const *sets,
				       size_t set_count, const char *backend, unsigned invocations,
				       char *folder_path)
{
	char scratch[256];
	const char *base = getenv("TMPDIR");
	snprintf(scratch, sizeof(scratch), "%s/bench-measure-XXXXXX", base ? base : "/tmp");
	assert_non_null(mkdtemp(scratch));
	struct bench_plan_options options = {.suites = suites_of,
					     .backends = backends,
					     .backend_text = backend,
					     .sets = sets,
					     .set_count = set_count};
	struct bench_plan *plan = plan_of(&options);
	struct bench_run *run = bench_record_new();
	struct bench_folder folder;
	struct bench_error error;
	run->started = 1764000000;
	run->command = bench_arena_string(&run->arena, "bench run --suite toy");
	run->preset = bench_arena_string(&run->arena, "quick");
	run->invocations = invocations;
	run->precision = 0.5;
	run->budget_seconds = 0.3;
	run->seed = 3;
	bench_record_attribute_set(&run->arena, &run->host, &run->host_count, "watch", "no");
	if (bench_record_folder_create(&folder, scratch, run, NULL, NULL, &error) != 0)
		fail_msg("%s", error.text);
	const char *const arguments[] = {"test_measure", "worker", NULL};
	struct bench_session_options session = {
		.executable = "/proc/self/exe", .arguments = arguments, .time_limit_seconds = 1.5};
	if (bench_session_run(run, plan, &folder, &session, &error) != 0)
		fail_msg("%s", error.text);
	assert_int_equal(bench_record_folder_finish(&folder, run, &error), 0);
	if (folder_path)
		snprintf(folder_path, 256, "%s", scratch);
	bench_record_folder_close(&folder);
	bench_plan_free(plan);
	return run;
}

/* The toy suite in modes "a,b,..". */
static struct bench_run *measure(const char *modes, const char *backend, unsigned invocations,
				 char *folder_path)
{
	char set[128];
	snprintf(set, sizeof(set), "mode=%s", modes);
	const char *const sets[] = {set, "n=8", "x=1"};
	return measure_suite(suites, sets, 3, backend, invocations, folder_path);
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
		if (strcmp(bench_record_attribute_get(run->results[i].params, run->results[i].param_count,
						      "mode"),
			   mode) == 0)
			return &run->results[i];
	fail_msg("no result for mode %s", mode);
	return NULL;
}

static void every_case_ends_as_what_it_is(void **state)
{
	(void)state;
	char scratch[256];
	struct bench_run *run =
		measure("right,wrong,late,crash,hang,unable,broken,print", "board:0", 2, scratch);
	static const struct {
		const char *mode;
		enum bench_status status;
		const char *reason;
	} rows[] = {
		{"right", BENCH_STATUS_OK, ""},
		{"wrong", BENCH_STATUS_INCORRECT, "error 7, tolerance 1 (by hand)"},
		{"late", BENCH_STATUS_INCORRECT, "nan"}, /* right at first, wrong after it was timed */
		{"crash", BENCH_STATUS_FAILED, "crashed while it was sampled: SIGABRT"},
		{"hang", BENCH_STATUS_FAILED, "no sign of life"},
		{"unable", BENCH_STATUS_UNSUPPORTED, "cannot do that here"},
		{"broken", BENCH_STATUS_FAILED, "the device was lost"},
		{"print", BENCH_STATUS_FAILED, "printed more than 64 MiB"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct bench_result *result = of_mode(run, rows[i].mode);
		assert_string_equal(bench_record_status_name(result->status),
				    bench_record_status_name(rows[i].status));
		if (!strstr(result->reason, rows[i].reason))
			fail_msg("%s: '%s' does not say '%s'", rows[i].mode, result->reason, rows[i].reason);
		assert_int_equal(result->metric_count > 0, rows[i].status == BENCH_STATUS_OK);
	}
	const struct bench_metric *time = bench_record_metric(of_mode(run, "right"), "time");
	assert_non_null(time);
	assert_int_equal(time->series_count, 2);
	assert_int_equal(time->series[0].invocation, 0);
	assert_int_equal(time->series[1].invocation, 1);
	assert_non_null(bench_record_metric(of_mode(run, "right"), "first_call"));
	assert_false(run->interrupted);
	bench_record_free(run);
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
	bench_record_free(run);
	run = measure("crash", "board:0,board:1", 1, NULL);
	/* Both crash, each in its turn, and each is blamed for its own. */
	assert_int_equal(run->results[0].status, BENCH_STATUS_FAILED);
	assert_int_equal(run->results[1].status, BENCH_STATUS_FAILED);
	bench_record_free(run);
	remove_scratch(scratch);
}

static void the_events_on_disk_are_the_record(void **state)
{
	(void)state;
	char scratch[256], path[PATH_MAX];
	struct bench_run *run = measure("right,wrong,crash", "board:0", 2, scratch), *again = NULL;
	struct bench_error error;
	/* Told not to watch: what the machine is at beside it is not in the record. */
	assert_int_equal(of_mode(run, "right")->watched_count, 0);
	assert_true(bench_file_join(path, sizeof(path), run->folder, "metrics.json"));
	assert_int_equal(unlink(path), 0);
	if (bench_record_load_folder(run->folder, &again, &error) != 0)
		fail_msg("%s", error.text);
	char *one = bench_record_to_json(run), *two = bench_record_to_json(again);
	assert_string_equal(one, two);
	free(one);
	free(two);
	bench_record_free(again);
	bench_record_free(run);
	remove_scratch(scratch);
}

/* The record, and the one that samples.jsonl alone gives, which must be the same. */
static struct bench_run *measure_varied(const char *const *sets, size_t set_count, unsigned invocations)
{
	char scratch[256], path[PATH_MAX];
	struct bench_run *run =
		measure_suite(variant_suites, sets, set_count, "board:0", invocations, scratch);
	struct bench_run *again = NULL;
	struct bench_error error;
	assert_true(bench_file_join(path, sizeof(path), run->folder, "metrics.json"));
	assert_int_equal(unlink(path), 0);
	if (bench_record_load_folder(run->folder, &again, &error) != 0)
		fail_msg("%s", error.text);
	char *one = bench_record_to_json(run), *two = bench_record_to_json(again);
	assert_string_equal(one, two);
	free(one);
	free(two);
	bench_record_free(run);
	remove_scratch(scratch);
	return again;
}

static const struct bench_result *of_kind(const struct bench_run *run, const char *kind)
{
	for (size_t i = 0; i < run->result_count; i++)
		if (strcmp(bench_record_attribute_get(run->results[i].params, run->results[i].param_count,
						      "kind"),
			   kind) == 0)
			return &run->results[i];
	fail_msg("no result of kind %s", kind);
	return NULL;
}

static void assert_no_relative_time(const struct bench_result *result, const char *why)
{
	assert_string_equal(bench_record_status_name(result->status), "ok");
	assert_null(bench_record_metric(result, "relative_time"));
	const char *note = bench_record_attribute_get(result->notes, result->note_count, "relative_time");
	if (!strstr(note, why))
		fail_msg("'%s' does not say '%s'", note, why);
}

static void variants_are_measured_against_their_base(void **state)
{
	(void)state;
	static const char *const sets[] = {"n=8", "kind=third,plain,other"};
	struct bench_run *run = measure_varied(sets, 2, 2);
	assert_int_equal(run->result_count, 3);
	const struct bench_result *base = of_kind(run, "plain"), *other = of_kind(run, "other");
	assert_int_equal(base->status, BENCH_STATUS_OK);
	assert_null(bench_record_metric(base, "relative_time"));
	assert_string_equal(base->relative_to, "");
	assert_string_equal(other->relative_to, base->key);
	assert_non_null(strstr(other->repeat, " --set kind=plain,other "));
	const struct bench_metric *relative = bench_record_metric(other, "relative_time");
	assert_non_null(relative);
	assert_non_null(bench_record_metric(of_kind(run, "third"), "relative_time"));
	assert_string_equal(relative->unit, "ratio");
	assert_int_equal(relative->better, BENCH_BETTER_LOWER);
	assert_string_equal(relative->derived_from, "");
	assert_int_equal(relative->series_count, 2);
	/* It sleeps twice as long: no machine is so busy that it would pass for less. */
	assert_true(relative->summary.median > 1);
	bench_record_free(run);
}

static void a_base_that_is_not_ok_leaves_no_relative_time(void **state)
{
	(void)state;
	static const struct {
		const char *set, *status;
	} rows[] = {{"base=wrong", "incorrect"}, {"base=late", "incorrect"}, {"base=broken", "failed"}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *const sets[] = {"n=8", "kind=plain,other", rows[i].set};
		struct bench_run *run = measure_varied(sets, 3, 1);
		assert_string_equal(bench_record_status_name(of_kind(run, "plain")->status), rows[i].status);
		assert_no_relative_time(of_kind(run, "other"), rows[i].status);
		assert_non_null(bench_record_metric(of_kind(run, "other"), "time"));
		bench_record_free(run);
	}
	static const char *const alone[] = {"n=8", "kind=other"};
	struct bench_run *run = measure_varied(alone, 2, 1);
	assert_no_relative_time(of_kind(run, "other"), "kind=plain is not in this run");
	bench_record_free(run);
}

static void a_suite_gives_metrics_of_its_own(void **state)
{
	(void)state;
	static const char *const sets[] = {"n=8", "kind=plain"};
	struct bench_run *run = measure_varied(sets, 2, 2);
	const struct bench_metric *level = bench_record_metric(&run->results[0], "level");
	assert_non_null(level);
	assert_string_equal(level->unit, "share");
	assert_int_equal(level->better, BENCH_BETTER_HIGHER);
	assert_int_equal(level->series_count, 2);
	assert_int_equal(level->series[1].count, 2);
	assert_true(level->summary.median == 0.5);
	/* Each sample was looked at, and the suite was told how often it had run since it was prepared, which
	 * may have been before the last sample alone. */
	const struct bench_metric *looks = bench_record_metric(&run->results[0], "looks"),
				  *time = bench_record_metric(&run->results[0], "time"),
				  *ran = bench_record_metric(&run->results[0], "ran");
	assert_true(looks->series[0].values[0] == (double)time->series[0].count);
	assert_true(ran->series[0].values[0] > 0);
	bench_record_free(run);
}

static void a_value_that_is_no_number_fails_its_case(void **state)
{
	(void)state;
	static const char *const sets[] = {"n=8", "kind=plain,nan,inf,stranger"};
	struct bench_run *run = measure_varied(sets, 2, 1);
	assert_int_equal(of_kind(run, "plain")->status, BENCH_STATUS_OK);
	static const struct {
		const char *kind, *reason;
	} rows[] = {
		{"nan", "metric level is nan"}, {"inf", "metric level is inf"}, {"stranger", "its table"}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct bench_result *result = of_kind(run, rows[i].kind);
		assert_int_equal(result->status, BENCH_STATUS_FAILED);
		if (!strstr(result->reason, rows[i].reason))
			fail_msg("'%s' does not say '%s'", result->reason, rows[i].reason);
		assert_int_equal(result->metric_count, 0);
	}
	bench_record_free(run);
}

static void a_suite_may_say_how_many_samples_there_are(void **state)
{
	(void)state;
	static const char *const sets[] = {"n=8", "kind=plain,other", "samples=7"};
	struct bench_run *run = measure_varied(sets, 3, 2);
	for (size_t i = 0; i < run->result_count; i++) {
		const struct bench_result *result = &run->results[i];
		assert_int_equal(result->status, BENCH_STATUS_OK);
		const struct bench_metric *time = bench_record_metric(result, "time");
		assert_int_equal(time->series_count, 2);
		for (size_t k = 0; k < 2; k++) {
			assert_int_equal(time->series[k].count, 7);
			assert_true(bench_record_metric(result, "ran")->series[k].values[0] == 7);
		}
		assert_int_equal(result->iterations, 1);
		assert_string_equal(result->stopped, "");
	}
	assert_no_relative_time(of_kind(run, "other"), "fixed");
	bench_record_free(run);
}

static void the_host_has_a_stable_fingerprint(void **state)
{
	(void)state;
	struct bench_environment a = {0}, b = {0};
	bench_machine_environment_host(&a, 0);
	bench_machine_environment_host(&b, 1);
	const char *fingerprint = bench_machine_environment_fact(&a, "fingerprint");
	assert_int_equal(strlen(fingerprint), 16);
	assert_string_equal(fingerprint, bench_machine_environment_fact(&b, "fingerprint"));
	assert_string_equal(fingerprint, bench_machine_environment_fingerprint(&a.arena));
	assert_string_equal(bench_machine_environment_fact(&b, "threads"), "1");
	static const char *const names[] = {"name",   "cpu",      "cores",      "threads", "memory_bytes",
					    "kernel", "compiler", "build_type", "version"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_string_not_equal(bench_machine_environment_fact(&a, names[i]), "");
	bench_machine_environment_free(&a);
	bench_machine_environment_free(&b);
}

static void the_executable_is_known_by_its_content(void **state)
{
	(void)state;
	struct bench_environment a = {0}, b = {0}, live = {0};
	bench_machine_environment_host(&a, 0);
	bench_machine_environment_host(&b, 0);
	const char *executable = bench_machine_environment_fact(&a, "executable");
	assert_int_equal(strlen(executable), 16);
	assert_string_equal(executable, bench_machine_environment_fact(&b, "executable"));
	setenv("BENCH_KERNELS", "somewhere", 1);
	bench_machine_environment_host(&live, 0);
	unsetenv("BENCH_KERNELS");
	assert_string_equal(bench_machine_environment_fact(&live, "executable"), "");
	bench_machine_environment_free(&a);
	bench_machine_environment_free(&b);
	bench_machine_environment_free(&live);
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
	struct bench_arena arena = {0};
	struct bench_git git;
	setenv("GIT_CEILING_DIRECTORIES", scratch, 1);
	bench_machine_environment_git(".", &(struct bench_outputs){0}, &git, &arena);
	assert_false(git.present);
	snprintf(command, sizeof(command),
		 "git init -q -b side . && touch 'a b' c && git add . && "
		 "git -c user.name=n -c user.email=e commit -q -m x && git mv c d && echo x >'a b' && touch "
		 "new");
	assert_int_equal(system(command), 0);
	bench_machine_environment_git(".", &(struct bench_outputs){0}, &git, &arena);
	assert_true(git.present && git.dirty);
	assert_int_equal(strlen(git.commit), 40);
	assert_string_equal(git.branch, "side");
	assert_int_equal(git.dirty_count, 3);
	bool spaced = false, renamed = false, fresh = false;
	assert_int_equal(git.dirty_change_count, 3);
	for (size_t i = 0; i < git.dirty_count; i++) {
		const char *change = strcmp(git.dirty_files[i], "a b") == 0 ? "+1 -0"
				     : strcmp(git.dirty_files[i], "d") == 0 ? "+0 -0"
									    : "new";
		assert_string_equal(git.dirty_changes[i], change);
		spaced |= strcmp(git.dirty_files[i], "a b") == 0;
		renamed |= strcmp(git.dirty_files[i], "d") == 0;
		fresh |= strcmp(git.dirty_files[i], "new") == 0;
	}
	assert_true(spaced && renamed && fresh);
	bench_arena_free(&arena);
	assert_int_equal(chdir(before), 0);
	remove_scratch(scratch);
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "worker") == 0)
		return bench_worker_serve(all_suites, backends, NULL, &(struct bench_error){0}) != 0;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_job_is_the_same_after_its_journey),
		cmocka_unit_test(every_case_ends_as_what_it_is),
		cmocka_unit_test(a_case_that_crashes_costs_its_group_nothing_but_itself),
		cmocka_unit_test(the_events_on_disk_are_the_record),
		cmocka_unit_test(variants_are_measured_against_their_base),
		cmocka_unit_test(a_base_that_is_not_ok_leaves_no_relative_time),
		cmocka_unit_test(a_suite_gives_metrics_of_its_own),
		cmocka_unit_test(a_value_that_is_no_number_fails_its_case),
		cmocka_unit_test(a_suite_may_say_how_many_samples_there_are),
		cmocka_unit_test(the_host_has_a_stable_fingerprint),
		cmocka_unit_test(the_executable_is_known_by_its_content),
		cmocka_unit_test(the_work_tree_is_described_with_what_is_dirty),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
