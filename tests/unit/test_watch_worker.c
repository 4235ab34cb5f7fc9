/* SPDX-License-Identifier: MIT */
/* A worker, in a process of its own, beside others that are busy on every processor: it must come out marked.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/file.h"
#include "machine/load.h"
#include "measure/session/session.h"
#include "measure_fixture.h"
#include "scratch.h"

#define MAX_BURNERS 64
#define TRIES       5 /* until the kernel has had the others run while the worker sampled */

static char warned[512];

static void warn(void *context, const char *text)
{
	(void)context;
	snprintf(warned, sizeof(warned), "%s", text);
}

/* Processes that do nothing else, one a processor. */
static size_t start_burners(pid_t *burners)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	size_t count = processors < 1 ? 1 : processors > MAX_BURNERS ? MAX_BURNERS : (size_t)processors;
	for (size_t i = 0; i < count; i++) {
		burners[i] = fork();
		assert_true(burners[i] >= 0);
		if (burners[i] != 0)
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (volatile unsigned long work = 0;; work++)
			;
	}
	return count;
}

static struct bench_run *measure(const struct bench_suite *const *suites_of, const char *const *sets,
				 size_t set_count, const char *scratch)
{
	struct bench_plan_options options = {.suites = suites_of,
					     .backends = backends,
					     .backend_text = "board:0",
					     .sets = sets,
					     .set_count = set_count};
	struct bench_plan *plan = plan_of(&options);
	struct bench_run *run = bench_record_new();
	struct bench_folder folder;
	struct bench_error error;
	run->started = 1764000000;
	run->command = bench_arena_string(&run->arena, "bench run --suite varied");
	run->preset = bench_arena_string(&run->arena, "quick");
	run->invocations = 1;
	run->precision = 1e-6; /* to the end of the slice */
	run->budget_seconds = 1.2;
	run->seed = 3;
	warned[0] = '\0';
	if (bench_record_folder_create(&folder, scratch, run, NULL, NULL, &error) != 0)
		fail_msg("%s", error.text);
	const char *const arguments[] = {"test_watch_worker", "worker", NULL};
	struct bench_session_options session = {.executable = "/proc/self/exe",
						.arguments = arguments,
						.time_limit_seconds = 10,
						.warn = warn};
	if (bench_session_run(run, plan, &folder, &session, &error) != 0)
		fail_msg("%s", error.text);
	assert_int_equal(bench_record_folder_finish(&folder, run, &error), 0);
	bench_record_folder_close(&folder);
	bench_plan_free(plan);
	return run;
}

static size_t marked(const struct bench_result *result, const char *name)
{
	const struct bench_metric *metric = bench_record_metric(result, name);
	size_t count = 0;
	for (size_t i = 0; metric && i < metric->series_count; i++)
		for (size_t j = 0; metric->series[i].disturbed && j < metric->series[i].count; j++)
			count += metric->series[i].disturbed[j] ? 1 : 0;
	return count;
}

static void assert_log_says(const struct bench_run *run, const char *text)
{
	char path[PATH_MAX], *log;
	size_t length;
	struct bench_error error;
	assert_true(bench_file_join(path, sizeof(path), run->folder, "run.log"));
	assert_int_equal(bench_file_read(path, 1 << 20, &log, &length, &error), 0);
	if (!strstr(log, text))
		fail_msg("run.log does not say '%s':\n%s", text, log);
	free(log);
}

/* What the events say, read again, is what the record has. */
static void assert_same_from_events(const struct bench_run *run)
{
	char path[PATH_MAX];
	struct bench_run *again;
	struct bench_error error;
	assert_true(bench_file_join(path, sizeof(path), run->folder, "metrics.json"));
	assert_int_equal(unlink(path), 0);
	if (bench_record_load_folder(run->folder, &again, &error) != 0)
		fail_msg("%s", error.text);
	char *one = bench_record_to_json(run), *two = bench_record_to_json(again);
	assert_string_equal(one, two);
	free(one);
	free(two);
	bench_record_free(again);
}

static void a_worker_beside_busy_processes_comes_out_marked(void **state)
{
	struct bench_load load;
	bench_machine_load_read(&load);
	if (load.total != load.total) {
		print_message("skipped: /proc/stat does not tell of this machine's processors\n");
		skip();
	}
	static const char *const sets[] = {"n=8", "kind=plain,other"};
	pid_t burners[MAX_BURNERS];
	size_t count = start_burners(burners);
	struct bench_run *run = NULL;
	for (int i = 0; i < TRIES; i++) {
		bench_record_free(run);
		run = measure(variant_suites, sets, 2, *state);
		if (run->results[0].watched_count && run->results[0].watched[0].others > 0.25)
			break;
	}
	for (size_t i = 0; i < count; i++) {
		kill(burners[i], SIGKILL);
		waitpid(burners[i], NULL, 0);
	}
	for (size_t i = 0; i < 2; i++) {
		const struct bench_result *result = &run->results[i];
		assert_string_equal(bench_record_status_name(result->status), "ok");
		/* More where it was measured again. */
		assert_true(result->watched_count >= 1);
		assert_true(result->watched[0].others > 0.25);
		assert_true(result->watched[0].disturbed > 0);
		assert_true(marked(result, "time") > 0);
	}
	assert_true(marked(&run->results[1], "relative_time") > 0);
	assert_int_equal(marked(&run->results[0], "first_call"), 0);
	assert_log_says(run,
			"disturbed: varied base=right,n=8,samples=0, invocation 0: other processes used ");
	assert_log_says(run, " disturbed, ");
	if (!strstr(warned, "other programs used up to "))
		fail_msg("the warning says '%s'", warned);
	assert_same_from_events(run);
	bench_record_free(run);
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "worker") == 0)
		return bench_worker_serve(all_suites, backends, NULL, &(struct bench_error){0}) != 0;
	const struct CMUnitTest tests[] = {
		in_scratch(a_worker_beside_busy_processes_comes_out_marked),
	};
	return cmocka_run_group_tests_name("watch_worker", tests, NULL, NULL);
}
