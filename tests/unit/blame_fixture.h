/* SPDX-License-Identifier: MIT */
/*
 * A suite whose cases crash, hang or leave in a hook that a parameter chooses, backends that do, and how they
 * are measured in real processes: the test program is its own worker.
 */
#ifndef TESTS_UNIT_BLAME_FIXTURE_H
#define TESTS_UNIT_BLAME_FIXTURE_H

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/clock.h"
#include "core/file.h"
#include "core/text.h"
#include "measure/session/session.h"
#include "measure/worker/worker.h"
#include "scratch.h"

#define HANG_LIMIT_SECONDS 1.0
#define INVOCATIONS        2

/* `bad`: which of the kinds behave badly; `at`: in which hook; `how`: by what. */
enum { P_KIND, P_BAD, P_AT, P_HOW, P_SAMPLES };
enum {
	AT_SETUP,
	AT_PREPARE,
	AT_CALL,
	AT_CHECK,
	AT_SAMPLES,
	AT_LAST,
	AT_REPORT,
	AT_TEARDOWN,
	AT_CLOSE,
	AT_EXIT
};
enum { HOW_SEGV, HOW_ABORT, HOW_KILL, HOW_EXIT, HOW_EXIT0, HOW_HANG, HOW_SHUT, HOW_TEAR, HOW_BESIDE };

static const struct bench_param params[] = {
	{"kind", BENCH_PARAM_CHOICE, "a", "a|b|c", 0, 0, "which variant"},
	{"bad", BENCH_PARAM_CHOICE, "none", "none|a|b|c|ab|bc|ac|abc", 0, 0, "which are bad"},
	{"at", BENCH_PARAM_CHOICE, "call", "setup|prepare|call|check|samples|last|report|teardown|close|exit",
	 0, 0, "where"},
	{"how", BENCH_PARAM_CHOICE, "abort", "segv|abort|kill|exit|exit0|hang|shut|tear|beside", 0, 0,
	 "by what"},
	{"samples", BENCH_PARAM_INT, "2", NULL, 0, 100, "how many; 0: as it comes, and of pairs too"},
	{0},
};
static const char *const quick[] = {"kind=a,b,c", NULL};

/* Of this process. */
static unsigned set_up, torn_down;
static bool dies_at_close;

static void die(int how)
{
	switch (how) {
	case HOW_SEGV:
		signal(SIGSEGV, SIG_DFL); /* a sanitizer has a handler of its own */
		raise(SIGSEGV);
		break;
	case HOW_KILL:
		raise(SIGKILL);
		break;
	case HOW_EXIT:
		_exit(5); /* what an older worker said when its disk was full */
	case HOW_EXIT0:
		_exit(0);
	case HOW_HANG:
		for (;;)
			pause();
	case HOW_SHUT:
		close(BENCH_WORKER_EVENTS);
		return;
	case HOW_TEAR:
		if (write(BENCH_WORKER_EVENTS, "{\"event\":\"sam", 13) == 13)
			raise(SIGKILL);
		break;
	case HOW_BESIDE:
		if (set_up < 2)
			return;
		break;
	default:
		break;
	}
	signal(SIGABRT, SIG_DFL);
	abort();
}

static void die_at_exit(void)
{
	die(HOW_ABORT);
}

static bool is_bad(const struct bench_case *bench_case)
{
	return !getenv("BENCH_TEST_SAFE") &&
	       strchr(bench_case->values[P_BAD].text, bench_case->values[P_KIND].text[0]) &&
	       strcmp(bench_case->values[P_BAD].text, "none") != 0;
}

static void reach(const struct bench_case *bench_case, int at)
{
	if (is_bad(bench_case) && bench_case->values[P_AT].integer == at)
		die((int)bench_case->values[P_HOW].integer);
}

struct risk {
	unsigned calls, checks, prepared;
};

static int risk_work(const struct bench_case *bench_case, struct bench_work *work, struct bench_error *error)
{
	(void)error;
	*work = (struct bench_work){.items = 1, .samples = (uint64_t)bench_case->values[P_SAMPLES].integer};
	return 0;
}

static int risk_setup(struct bench_case *bench_case, struct bench_error *error)
{
	(void)error;
	bench_case->state = calloc(1, sizeof(struct risk));
	set_up++;
	if (is_bad(bench_case) && bench_case->values[P_AT].integer == AT_CLOSE)
		dies_at_close = true;
	if (is_bad(bench_case) && bench_case->values[P_AT].integer == AT_EXIT)
		atexit(die_at_exit);
	reach(bench_case, AT_SETUP);
	return 0;
}

static int risk_prepare(struct bench_case *bench_case, struct bench_error *error)
{
	(void)error;
	struct risk *risk = bench_case->state;
	risk->prepared++;
	if (risk->prepared == 2)
		reach(bench_case, AT_PREPARE);
	return 0;
}

static int risk_run(struct bench_case *bench_case, uint64_t iterations, struct bench_error *error)
{
	(void)error;
	struct risk *risk = bench_case->state;
	if (!bench_case->values[P_SAMPLES].integer)
		usleep((useconds_t)(1000 * iterations));
	risk->calls++;
	reach(bench_case, risk->calls == 1 ? AT_CALL : AT_SAMPLES);
	return 0;
}

static int risk_check(struct bench_case *bench_case, uint64_t iterations, struct bench_check *check,
		      struct bench_error *error)
{
	(void)iterations;
	(void)error;
	struct risk *risk = bench_case->state;
	risk->checks++;
	reach(bench_case, risk->checks == 1 ? AT_CHECK : AT_LAST);
	*check = (struct bench_check){.tolerance = 1, .method = "by hand"};
	return 0;
}

static const struct bench_metric_spec metrics[] = {
	{"odd_time", "s", BENCH_BETTER_LOWER, "a time"},
	{"process", "1", BENCH_BETTER_NONE, "its id"},
	{0},
};

static int risk_report(struct bench_case *bench_case, const struct bench_report *report,
		       struct bench_error *error)
{
	(void)error;
	reach(bench_case, AT_REPORT);
	report->value(report->context, &metrics[0], 1e-9);
	report->value(report->context, &metrics[1], (double)getpid());
	return 0;
}

static void risk_teardown(struct bench_case *bench_case)
{
	reach(bench_case, AT_TEARDOWN);
	torn_down++;
	free(bench_case->state);
	bench_case->state = NULL;
}

static const struct bench_suite risk_suite = {.abi = BENCH_SUITE_ABI,
					      .name = "risk",
					      .summary = "test",
					      .params = params,
					      .sweeps = {quick, NULL, NULL},
					      .variants = "kind",
					      .metrics = metrics,
					      .work = risk_work,
					      .setup = risk_setup,
					      .prepare = risk_prepare,
					      .run = risk_run,
					      .check = risk_check,
					      .report = risk_report,
					      .teardown = risk_teardown};
static const struct bench_suite *const suites[] = {&risk_suite, NULL};

struct bench_device {
	int unused;
};

static int one_device(struct bench_device_info *info, size_t capacity, size_t *count,
		      struct bench_error *error)
{
	static const struct bench_device_info board = {
		.slug = "cpu", .name = "CPU", .kind = BENCH_DEVICE_CPU};
	(void)error;
	*count = 1;
	if (capacity)
		info[0] = board;
	return 0;
}

static int cool_open(size_t index, const struct bench_open_options *options, struct bench_device **device,
		     struct bench_error *error)
{
	static struct bench_device opened;
	(void)index;
	(void)options;
	(void)error;
	*device = &opened;
	return 0;
}

static int burning_open(size_t index, const struct bench_open_options *options, struct bench_device **device,
			struct bench_error *error)
{
	die(HOW_SEGV);
	return cool_open(index, options, device, error);
}

static void cool_close(struct bench_device *device)
{
	if (device && dies_at_close)
		die(HOW_SEGV);
}

static int cool_finish(struct bench_device *device, struct bench_error *error)
{
	(void)device;
	(void)error;
	return 0;
}

static const struct bench_backend cool = {.abi = BENCH_BACKEND_ABI,
					  .name = "cool",
					  .summary = "test",
					  .devices = one_device,
					  .open = cool_open,
					  .close = cool_close,
					  .finish = cool_finish};
static const struct bench_backend burning = {.abi = BENCH_BACKEND_ABI,
					     .name = "burning",
					     .summary = "test",
					     .devices = one_device,
					     .open = burning_open,
					     .close = cool_close,
					     .finish = cool_finish};

static int one_gpu(struct bench_device_info *info, size_t capacity, size_t *count, struct bench_error *error)
{
	one_device(info, capacity, count, error);
	if (capacity)
		info[0].kind = BENCH_DEVICE_GPU;
	return 0;
}

/* A GPU that one process opens once, and that is cleared once no case is left on it. */
static int gpu_open(size_t index, const struct bench_open_options *options, struct bench_device **device,
		    struct bench_error *error)
{
	static unsigned opened;
	if (opened++)
		die(HOW_ABORT);
	return cool_open(index, options, device, error);
}

static void gpu_clear(struct bench_device *device)
{
	(void)device;
	if (set_up != torn_down)
		die(HOW_ABORT);
}

static const struct bench_backend gpu = {.abi = BENCH_BACKEND_ABI,
					 .name = "gpu",
					 .summary = "test",
					 .devices = one_gpu,
					 .open = gpu_open,
					 .close = cool_close,
					 .finish = cool_finish,
					 .clear = gpu_clear};
static const struct bench_backend *const backends[] = {&cool, &burning, &gpu, NULL};

static char warnings[4096];
static double time_limit, budget; /* of what is measured next */
static unsigned invocations = INVOCATIONS;
static struct bench_session_kept *kept;

static void take_warning(void *context, const char *text)
{
	(void)context;
	size_t length = strlen(warnings);
	snprintf(warnings + length, sizeof(warnings) - length, "%s\n", text);
}

static struct bench_plan *plan_of(const char *text, const char *backend)
{
	const char *sets[8];
	char copy[256], *rest = copy, *set;
	size_t count = 0;
	struct bench_plan *plan;
	struct bench_error error;
	snprintf(copy, sizeof(copy), "%s", text);
	while (count < 8 && (set = bench_text_next(&rest, ' ')))
		sets[count++] = set;
	const struct bench_plan_options options = {.suites = suites,
						   .backends = backends,
						   .backend_text = backend,
						   .sets = sets,
						   .set_count = count};
	if (bench_plan_make(&options, &plan, &error) != 0)
		fail_msg("%s", error.text);
	return plan;
}

static struct bench_run *new_run(struct bench_folder *folder, const char *scratch)
{
	struct bench_run *run = bench_record_new();
	struct bench_error error;
	run->started = 1764000000;
	run->invocations = invocations;
	run->precision = 0.5;
	run->budget_seconds = budget;
	run->seed = 3;
	bench_record_attribute_set(&run->arena, &run->host, &run->host_count, "watch", "no");
	if (bench_record_folder_create(folder, scratch, run, NULL, NULL, &error) != 0)
		fail_msg("%s", error.text);
	return run;
}

static struct bench_session_options session_options(const struct bench_duel *duel)
{
	static const char *const arguments[] = {"bench", "worker", NULL};
	return (struct bench_session_options){.executable = "/proc/self/exe",
					      .arguments = arguments,
					      .duel = duel,
					      .kept = kept,
					      .time_limit_seconds = time_limit,
					      .warn = take_warning};
}

/* Measures "bad=b at=call how=abort ..." in a folder of its own; the caller frees the run. */
static struct bench_run *measure(void **state, const char *sets, const char *backend,
				 const struct bench_duel *duel)
{
	struct bench_folder folder;
	struct bench_error error;
	struct bench_plan *plan = plan_of(sets, backend);
	struct bench_run *run = new_run(&folder, *state), *again;
	time_limit = strstr(sets, "hang") ? HANG_LIMIT_SECONDS : 60;
	const struct bench_session_options options = session_options(duel);
	warnings[0] = '\0';
	if (bench_session_run(run, plan, &folder, &options, &error) != 0)
		fail_msg("%s: %s", sets, error.text);
	bench_record_folder_close(&folder);
	bench_plan_free(plan);
	/* What the file says by itself is the same. */
	if (bench_record_load_folder(run->folder, &again, &error) != 0)
		fail_msg("%s", error.text);
	char *one = bench_record_to_json(run), *two = bench_record_to_json(again);
	assert_string_equal(one, two);
	free(one);
	free(two);
	bench_record_free(again);
	return run;
}

static inline const char *param_of(const struct bench_result *result, const char *name)
{
	return bench_record_attribute_get(result->params, result->param_count, name);
}

static inline bool was_bad(const struct bench_result *result)
{
	return strchr(param_of(result, "bad"), *param_of(result, "kind")) &&
	       strcmp(param_of(result, "bad"), "none") != 0;
}

static inline void assert_whole(const struct bench_result *result)
{
	const struct bench_metric *time = bench_record_metric(result, "time");
	if (result->status != BENCH_STATUS_OK || !time) {
		fail_msg("%s: %s: %s", result->key, bench_record_status_name(result->status), result->reason);
		return;
	}
	assert_int_equal(time->series_count, INVOCATIONS);
	for (size_t i = 0; i < time->series_count; i++)
		assert_true(time->series[i].count >= 2);
}

/* Exactly the bad ones are blamed, for the right thing. */
static inline void assert_blamed(const struct bench_run *run, enum bench_status status, const char *reason)
{
	for (size_t i = 0; i < run->result_count; i++) {
		const struct bench_result *result = &run->results[i];
		if (!was_bad(result)) {
			assert_whole(result);
			continue;
		}
		if (result->status != status || !strstr(result->reason, reason))
			fail_msg("%s: %s: '%s' does not say '%s'", result->key,
				 bench_record_status_name(result->status), result->reason, reason);
		assert_int_equal(result->metric_count, 0);
	}
}

/* A duel of this program with itself; one of the two is safe. */
static inline struct bench_duel make_duel(bool base_is_safe, char *executable, size_t size)
{
	static char safe[] = "BENCH_TEST_SAFE=1", other[] = "BENCH_TEST_NONE=1";
	static char *base_assignments[1], *head_assignments[1];
	ssize_t length = readlink("/proc/self/exe", executable, size - 1);
	assert_true(length > 0);
	executable[length] = '\0';
	base_assignments[0] = base_is_safe ? safe : other;
	head_assignments[0] = base_is_safe ? other : safe;
	return (struct bench_duel){.base = {.text = "base",
					    .executable = executable,
					    .assignments = base_assignments,
					    .assignment_count = 1},
				   .head = {.text = "head",
					    .executable = executable,
					    .assignments = head_assignments,
					    .assignment_count = 1}};
}

/* Of main: is this a worker? It ends as one then, with *status. */
static inline bool is_worker(int argc, char **argv, int *status)
{
	const struct rlimit no_core = {0};
	setrlimit(RLIMIT_CORE, &no_core);
	if (argc != 2 || strcmp(argv[1], "worker") != 0)
		return false;
	*status = bench_worker_serve(suites, backends, NULL, &(struct bench_error){0}) != 0;
	return true;
}

#endif
