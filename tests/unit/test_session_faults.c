/* SPDX-License-Identifier: MIT */
/*
 * What goes wrong around a session: its file of events is taken away, its workers cannot be started, or end
 * before they have come to a case. Each is told by its name, with nothing lost and nobody left.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/file.h"
#include "measure/session/journal.h"
#include "measure/session/session.h"
#include "measure_fixture.h"
#include "scratch.h"

/* What a test does to a run between two of its workers. */
static struct {
	const char *folder;
	void (*meddle)(const char *samples);
	int after; /* so many calls of progress */
} meddling;

static void on_progress(void *context, const struct bench_session_progress *progress)
{
	char samples[PATH_MAX];
	(void)context;
	(void)progress;
	assert_true(bench_file_join(samples, sizeof(samples), meddling.folder, "samples.jsonl"));
	if (meddling.meddle && meddling.after-- == 0)
		meddling.meddle(samples);
}

static struct bench_plan *make_plan(const char *mode)
{
	const char *const sets[] = {mode, "n=8", "x=1"};
	const struct bench_plan_options options = {.suites = suites,
						   .backends = backends,
						   .backend_text = "board:0",
						   .sets = sets,
						   .set_count = 3};
	return plan_of(&options);
}

/* What the session may have of a resource, once there is a folder; negative: as much as there is. */
static struct {
	int resource;
	rlim_t most;
} limit = {.resource = -1};

/* Measures in a new folder of `scratch`; *run is the caller's to free. */
static int measure(const char *scratch, const char *executable, const char *role, struct bench_run **run,
		   struct bench_error *error)
{
	const char *const arguments[] = {"test_session_faults", role, NULL};
	const struct bench_session_options session = {.executable = executable,
						      .arguments = arguments,
						      .time_limit_seconds = 60,
						      .tick_seconds = 10,
						      .progress = on_progress};
	struct bench_folder folder;
	struct bench_plan *plan = make_plan("mode=right");
	*run = bench_record_new();
	(*run)->started = 1764000000;
	(*run)->invocations = 3;
	(*run)->precision = 0.5;
	(*run)->budget_seconds = 0.1;
	bench_record_attribute_set(&(*run)->arena, &(*run)->host, &(*run)->host_count, "watch", "no");
	if (bench_record_folder_create(&folder, scratch, *run, NULL, NULL, error) != 0)
		fail_msg("%s", error->text);
	meddling.folder = (*run)->folder;
	if (limit.resource >= 0)
		setrlimit((__rlimit_resource_t)limit.resource, &(struct rlimit){limit.most, limit.most});
	int result = bench_session_run(*run, plan, &folder, &session, error);
	bench_record_folder_close(&folder);
	bench_plan_free(plan);
	return result;
}

static void nobody_is_left(void)
{
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void take_away(const char *samples)
{
	assert_int_equal(unlink(samples), 0);
}

static void replace(const char *samples)
{
	take_away(samples);
	int fd = open(samples, O_WRONLY | O_CREAT, 0666);
	assert_true(fd >= 0);
	close(fd);
}

static void cut(const char *samples)
{
	assert_int_equal(truncate(samples, 100), 0);
}

/* As long as it was, and other bytes. */
static void overwrite(const char *samples)
{
	char *data = NULL;
	size_t length;
	struct bench_error error;
	assert_int_equal(bench_file_read(samples, 1 << 24, &data, &length, &error), 0);
	memset(data, 'x', length);
	int fd = open(samples, O_WRONLY);
	assert_int_equal(write(fd, data, length), (ssize_t)length);
	close(fd);
	free(data);
}

static void what_is_done_to_the_events_is_said(void **state)
{
	static const struct {
		void (*meddle)(const char *samples);
		const char *says;
	} rows[] = {{take_away, "removed while the run was measured"},
		    {replace, "was replaced while the run was measured"},
		    {cut, "was cut or overwritten while the run was measured"},
		    {overwrite, "was cut or overwritten while the run was measured"}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_run *run;
		struct bench_error error;
		meddling.meddle = rows[i].meddle;
		meddling.after = 1;
		assert_int_equal(measure(*state, "/proc/self/exe", "worker", &run, &error), -1);
		assert_int_equal(error.code, BENCH_ENVIRONMENT);
		if (!strstr(error.text, rows[i].says))
			fail_msg("'%s' does not say '%s'", error.text, rows[i].says);
		bench_record_free(run);
		nobody_is_left();
	}
	meddling.meddle = NULL;
}

static void a_worker_that_cannot_be_started_is_named(void **state)
{
	static const struct {
		const char *executable, *role, *says;
	} rows[] = {
		{"/nonexistent/bench", "worker", "'/nonexistent/bench': No such file"},
		{"/dev/null", "worker", "'/dev/null': Permission denied"},
		{"/proc/self/exe", "stillborn", "3 workers in a row have ended before their first case"},
		{"/proc/self/exe", "crashing", "the last one crashed: SIGSEGV"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_run *run;
		struct bench_error error;
		assert_int_equal(measure(*state, rows[i].executable, rows[i].role, &run, &error), -1);
		assert_int_equal(error.code, BENCH_ENVIRONMENT);
		if (!strstr(error.text, rows[i].says))
			fail_msg("'%s' does not say '%s'", error.text, rows[i].says);
		bench_record_free(run);
		nobody_is_left();
	}
}

/* So many of a resource, in a process of its own: what it gets for `measure`, in words. */
static void measure_within(const char *scratch, int resource, rlim_t most, char *words, size_t size)
{
	int ends[2];
	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	if (child == 0) {
		struct bench_error error = {0};
		struct bench_run *run;
		close(ends[0]);
		signal(SIGXFSZ, SIG_IGN);
		limit.resource = resource;
		limit.most = most;
		int result = measure(scratch, "/proc/self/exe", "worker", &run, &error);
		dprintf(ends[1], "%d %d %s", result, error.code, error.text);
		_exit(0);
	}
	close(ends[1]);
	ssize_t got = read(ends[0], words, size - 1);
	words[got > 0 ? got : 0] = '\0';
	close(ends[0]);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

static void without_descriptors_it_says_so(void **state)
{
	char words[1200], expected[16];
	bool failed = false, passed = false;
	snprintf(expected, sizeof(expected), "-1 %d ", BENCH_ENVIRONMENT);
	/* From none left to enough; the last failure is in another place each time. */
	for (rlim_t most = 10; most < 30 && !passed; most++) {
		measure_within(*state, RLIMIT_NOFILE, most, words, sizeof(words));
		passed = strncmp(words, "0 0 ", 4) == 0;
		failed |= !passed;
		if (!passed && (strncmp(words, expected, strlen(expected)) != 0 ||
				!strstr(words, "Too many open files")))
			fail_msg("%d: %s", (int)most, words);
	}
	assert_true(failed && passed);
}

static void a_file_that_may_not_grow_is_no_cases_fault(void **state)
{
	char words[1200], expected[16];
	snprintf(expected, sizeof(expected), "-1 %d ", BENCH_ENVIRONMENT);
	/* Enough for the run and its case, and not for the workers' events. */
	measure_within(*state, RLIMIT_FSIZE, 2000, words, sizeof(words));
	if (strncmp(words, expected, strlen(expected)) != 0 || !strstr(words, "a worker cannot write") ||
	    !strstr(words, "File too large"))
		fail_msg("%s", words);
}

/* As in containers that forbid pidfd_open, and on kernels before 5.3. */
static void forbid_pidfds(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		_exit(0); /* this container forbids to forbid: nothing to see here */
}

static void without_pidfds_workers_are_waited_for_too(void **state)
{
	int status;
	pid_t child = fork();
	if (child == 0) {
		struct bench_run *run;
		struct bench_error error;
		forbid_pidfds();
		int result = measure(*state, "/proc/self/exe", "worker", &run, &error);
		_exit(result == 0 && run->results[0].status == BENCH_STATUS_OK ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void how_a_worker_ended_is_known_where_nobody_waits_for_children(void **state)
{
	struct bench_run *run;
	struct bench_error error;
	signal(SIGCHLD, SIG_IGN); /* as inherited from a shell's trap '' CHLD */
	assert_int_equal(measure(*state, "/proc/self/exe", "crashing", &run, &error), -1);
	assert_non_null(strstr(error.text, "crashed: SIGSEGV"));
	bench_record_free(run);
}

/* A line that a kill has cut is not one with the next worker's first. */
static void a_line_that_was_cut_is_dropped(void **state)
{
	struct bench_run *run = bench_record_new();
	struct bench_folder folder;
	struct bench_error error;
	char path[PATH_MAX], *data = NULL;
	size_t length;
	run->started = 1764000000;
	assert_int_equal(bench_record_folder_create(&folder, *state, run, NULL, NULL, &error), 0);
	struct bench_journal journal = {.folder = &folder, .run = run};
	assert_int_equal(bench_record_folder_event(&folder, "{\"event\":\"of a newer version\"}", &error), 0);
	bench_session_journal_skip(&journal);
	assert_int_equal(write(folder.events, "{\"event\":\"beg", 13), 13);
	assert_int_equal(bench_session_journal_settle(&journal, &error), 0);
	assert_int_equal(journal.refused, 0);
	assert_int_equal(bench_record_folder_event(&folder, "{\"event\":\"of a newer one\"}", &error), 0);
	assert_true(bench_file_join(path, sizeof(path), folder.path, "samples.jsonl"));
	assert_int_equal(bench_file_read(path, 1 << 16, &data, &length, &error), 0);
	assert_string_equal(data, "{\"event\":\"of a newer version\"}\n{\"event\":\"of a newer one\"}\n");
	free(data);
	/* What is no event, and one that does not fit what came before, are counted and passed over. */
	bench_session_journal_skip(&journal);
	assert_int_equal(bench_record_folder_event(&folder, "no event", &error), 0);
	assert_int_equal(bench_session_journal_end(&journal, 7, 0, BENCH_STATUS_OK, "", &error), 0);
	assert_int_equal(bench_session_journal_catch_up(&journal, &error), 0);
	assert_int_equal(journal.refused, 2);
	bench_record_folder_close(&folder);
	bench_record_free(run);
}

/* Processes whose parent is this one's, if it is still there: read from /proc, since they are nobody's
 * children. */
static int count_workers(const char *scratch)
{
	char command[256];
	int count = -1;
	snprintf(command, sizeof(command),
		 "ls -l /proc/[0-9]*/fd/3 2>/dev/null | grep -c '%s/.*samples.jsonl'", scratch);
	FILE *pipe = popen(command, "r");
	if (fscanf(pipe, "%d", &count) != 1)
		count = -1;
	pclose(pipe);
	return count;
}

/* Killed at some moment of a worker's start, too: before it could ask to end with its parent. */
static void a_killed_session_leaves_no_worker(void **state)
{
	for (int i = 0; i < 8; i++) {
		pid_t child = fork();
		if (child == 0) {
			struct bench_run *run;
			struct bench_error error;
			signal(SIGCHLD, SIG_DFL);
			for (;;)
				measure(*state, "/proc/self/exe", "worker", &run, &error);
		}
		usleep((useconds_t)(20000 + 7000 * i));
		kill(child, SIGKILL);
		assert_int_equal(waitpid(child, NULL, 0), child);
		int left = 1;
		for (int wait = 0; wait < 100 && left; wait++) {
			left = count_workers(*state);
			if (left)
				usleep(20000);
		}
		assert_int_equal(left, 0);
	}
}

int main(int argc, char **argv)
{
	const struct rlimit no_core = {0};
	if (argc == 2 && strcmp(argv[1], "worker") == 0)
		return bench_worker_serve(all_suites, backends, NULL, &(struct bench_error){0}) != 0;
	if (argc == 2 && strcmp(argv[1], "stillborn") == 0)
		return 0;
	setrlimit(RLIMIT_CORE, &no_core);
	if (argc == 2 && strcmp(argv[1], "crashing") == 0) {
		signal(SIGSEGV, SIG_DFL);
		raise(SIGSEGV);
	}
	const struct CMUnitTest tests[] = {
		in_scratch(what_is_done_to_the_events_is_said),
		in_scratch(a_worker_that_cannot_be_started_is_named),
		in_scratch(without_descriptors_it_says_so),
		in_scratch(a_file_that_may_not_grow_is_no_cases_fault),
		in_scratch(a_line_that_was_cut_is_dropped),
		in_scratch(a_killed_session_leaves_no_worker),
		in_scratch(without_pidfds_workers_are_waited_for_too),
		in_scratch(how_a_worker_ended_is_known_where_nobody_waits_for_children),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
