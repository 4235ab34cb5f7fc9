/* SPDX-License-Identifier: MIT */
/* Segments: the worker's end of the protocol with a made-up driver, and how a program is parsed. */
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "measure/session/program.h"
#include "measure/worker/segments.h"

struct work {
	uint64_t calls, iterations, looks, begun, observed;
	uint64_t breaks_at; /* a call of so many iterations fails */
};

static int run(void *context, uint64_t iterations, struct bench_error *error)
{
	struct work *work = context;
	work->calls++;
	work->iterations += iterations;
	return iterations == work->breaks_at ? bench_fail(error, BENCH_FAILED, "the device was lost") : 0;
}

/* Two iterations are too few for a row. */
static int run_row(void *context, uint64_t iterations, double *seconds, struct bench_error *error)
{
	*seconds = iterations == 2 ? (double)NAN : 1e-9 * (double)iterations;
	return run(context, iterations, error);
}

static int observe(void *context, struct bench_error *error)
{
	(void)error;
	((struct work *)context)->looks++;
	return 0;
}

static unsigned settled;

static bool quiesce(void)
{
	settled++;
	return true;
}

/* A worker with the cases 7 and 4 in a thread; the driver is the test. */
struct worker {
	int ours, theirs;
	struct work work[2];
	struct bench_sampler_item items[2];
	bool begun;
	pthread_t thread;
};

static void *serve(void *context)
{
	static const size_t cases[] = {7, 4};
	struct worker *worker = context;
	worker->begun = bench_worker_segments_step(worker->theirs, BENCH_SEGMENTS_GREETING, "set up");
	if (worker->begun && bench_worker_segments_step(worker->theirs, "set up", "call") &&
	    bench_worker_segments_step(worker->theirs, "called", "check")) {
		bench_worker_segments_serve(worker->theirs, worker->items, cases, 2, quiesce);
		bench_worker_segments_leave(worker->theirs, worker->items, cases, 2);
	}
	close(worker->theirs);
	return NULL;
}

static void start(struct worker *worker)
{
	int sockets[2];
	*worker = (struct worker){0};
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets), 0);
	worker->ours = sockets[0];
	worker->theirs = sockets[1];
	for (int i = 0; i < 2; i++)
		worker->items[i] = (struct bench_sampler_item){
			.run = run, .observe = observe, .context = &worker->work[i], .fixed = i ? 3 : 0};
	settled = 0;
	assert_int_equal(pthread_create(&worker->thread, NULL, serve, worker), 0);
}

static void finish(struct worker *worker)
{
	if (worker->ours >= 0)
		close(worker->ours);
	assert_int_equal(pthread_join(worker->thread, NULL), 0);
}

static void expect_message(const struct worker *worker, const char *expected)
{
	char message[BENCH_SEGMENTS_MESSAGE];
	assert_true(bench_worker_segments_receive(worker->ours, message));
	assert_string_equal(message, expected);
}

static void expect_offer(const struct worker *worker)
{
	expect_message(worker, BENCH_SEGMENTS_GREETING);
	assert_true(bench_worker_segments_send(worker->ours, "set up"));
	expect_message(worker, "set up");
	assert_true(bench_worker_segments_send(worker->ours, "call"));
	expect_message(worker, "called");
	assert_true(bench_worker_segments_send(worker->ours, "check"));
	expect_message(worker, "case 7 0");
	expect_message(worker, "case 4 3");
	expect_message(worker, "ready");
}

static void a_worker_does_what_it_is_told(void **state)
{
	(void)state;
	struct worker worker;
	char message[BENCH_SEGMENTS_MESSAGE];
	double seconds[4];
	start(&worker);
	expect_offer(&worker);
	assert_true(bench_worker_segments_send(worker.ours, "run 7 4 25"));
	assert_true(bench_worker_segments_receive(worker.ours, message));
	assert_int_equal(sscanf(message, "took %lf %lf %lf %lf %*c", &seconds[0], &seconds[1], &seconds[2],
				&seconds[3]),
			 4);
	for (size_t i = 0; i < 4; i++)
		assert_true(seconds[i] >= 0);
	assert_true(bench_worker_segments_send(worker.ours, "run 4 1 1"));
	assert_true(bench_worker_segments_receive(worker.ours, message));
	assert_true(bench_worker_segments_send(worker.ours, "end precision"));
	expect_message(&worker, "checked");
	assert_true(bench_worker_segments_send(worker.ours, "leave"));
	finish(&worker);
	assert_int_equal(worker.work[0].calls, 4);
	assert_int_equal(worker.work[0].iterations, 100);
	assert_int_equal(worker.work[0].looks, 1);
	assert_int_equal(worker.work[1].calls, 1);
	assert_int_equal(worker.work[1].iterations, 1);
	assert_int_equal(settled, 3); /* before it is ready, and before each answer */
	assert_false(worker.items[0].failed || worker.items[1].failed);
	assert_int_equal(worker.items[0].stopped, BENCH_STOP_PRECISION);
	assert_int_equal(worker.items[1].stopped, BENCH_STOP_NONE); /* of a fixed number */
}

static void a_case_that_fails_says_so_and_is_out(void **state)
{
	(void)state;
	struct worker worker;
	start(&worker);
	worker.work[0].breaks_at = 5;
	expect_offer(&worker);
	assert_true(bench_worker_segments_send(worker.ours, "run 7 1 5"));
	expect_message(&worker, "failed the device was lost");
	assert_true(bench_worker_segments_send(worker.ours, "run 7 1 1"));
	expect_message(&worker, "failed there is no such case here");
	assert_true(bench_worker_segments_send(worker.ours, "end budget"));
	expect_message(&worker, "checked");
	assert_true(bench_worker_segments_send(worker.ours, "leave"));
	finish(&worker);
	assert_true(worker.items[0].failed);
	assert_string_equal(worker.items[0].error.text, "the device was lost");
	assert_false(worker.items[1].failed);
	assert_int_equal(worker.work[0].calls, 1);
}

static void a_row_is_taken_where_it_was_offered(void **state)
{
	(void)state;
	struct worker worker;
	start(&worker);
	worker.items[0].run_row = worker.items[1].run_row = run_row;
	worker.work[0].breaks_at = 5;
	expect_message(&worker, BENCH_SEGMENTS_GREETING);
	assert_true(bench_worker_segments_send(worker.ours, "set up"));
	expect_message(&worker, "set up");
	assert_true(bench_worker_segments_send(worker.ours, "call"));
	expect_message(&worker, "called");
	assert_true(bench_worker_segments_send(worker.ours, "check"));
	expect_message(&worker, "case 7 0 rows");
	expect_message(&worker, "case 4 3"); /* of a fixed number */
	expect_message(&worker, "ready");
	assert_true(bench_worker_segments_send(worker.ours, "row 7 10"));
	expect_message(&worker, "took 1e-09");
	assert_true(bench_worker_segments_send(worker.ours, "row 7 2"));
	expect_message(&worker, "gaps");
	assert_true(bench_worker_segments_send(worker.ours, "row 4 1"));
	expect_message(&worker, "failed there are no rows of such a case here");
	assert_true(bench_worker_segments_send(worker.ours, "row 7 5"));
	expect_message(&worker, "failed the device was lost");
	assert_true(bench_worker_segments_send(worker.ours, "end budget"));
	expect_message(&worker, "checked");
	assert_true(bench_worker_segments_send(worker.ours, "leave"));
	finish(&worker);
	assert_int_equal(worker.work[0].iterations, 17);
	assert_true(worker.items[0].failed);
	assert_false(worker.items[1].failed);
}

static void note_begin(void *context)
{
	((struct work *)context)->begun++;
}

static void note_end(void *context, uint64_t iterations)
{
	((struct work *)context)->observed += iterations;
}

static int tell(void *context, uint64_t iterations, int socket, struct bench_error *error)
{
	if (iterations == 13)
		return bench_fail(error, BENCH_FAILED, "no luck");
	bench_worker_segments_send(socket, "saw minor_faults %" PRIu64, ((struct work *)context)->observed);
	return 0;
}

static void an_observed_case_tells_what_was_seen(void **state)
{
	static const struct bench_segments_observer observer = {note_begin, note_end, tell};
	struct worker worker;
	char message[BENCH_SEGMENTS_MESSAGE];
	(void)state;
	start(&worker);
	worker.items[0].observer = &observer;
	expect_offer(&worker);
	assert_true(bench_worker_segments_send(worker.ours, "run 7 4 25"));
	assert_true(bench_worker_segments_receive(worker.ours, message));
	assert_true(bench_worker_segments_send(worker.ours, "observe 7 10"));
	expect_message(&worker, "saw minor_faults 100");
	expect_message(&worker, "observed");
	assert_true(bench_worker_segments_send(worker.ours, "observe 4 10"));
	expect_message(&worker, "failed nothing observes such a case here");
	assert_true(bench_worker_segments_send(worker.ours, "observe 7 13"));
	expect_message(&worker, "failed no luck");
	assert_true(bench_worker_segments_send(worker.ours, "end budget"));
	expect_message(&worker, "checked");
	assert_true(bench_worker_segments_send(worker.ours, "leave"));
	finish(&worker);
	assert_int_equal(worker.work[0].begun, 1);
	assert_true(worker.items[0].failed);
	assert_false(worker.items[1].failed);
}

static void a_dropped_case_has_its_reason(void **state)
{
	(void)state;
	struct worker worker;
	start(&worker);
	expect_offer(&worker);
	assert_true(bench_worker_segments_send(worker.ours, "end budget"));
	expect_message(&worker, "checked");
	assert_true(bench_worker_segments_send(worker.ours, "drop 4 in the base: failed: no luck"));
	assert_true(bench_worker_segments_send(worker.ours, "drop 99 nobody"));
	assert_true(bench_worker_segments_send(worker.ours, "leave"));
	finish(&worker);
	assert_false(worker.items[0].failed);
	assert_true(worker.items[1].failed);
	assert_int_equal(worker.items[1].error.code, BENCH_NOTHING);
	assert_string_equal(worker.items[1].error.text, "in the base: failed: no luck");
}

/* NULL: nobody is there any more. */
static void say_or_hang_up(struct worker *worker, const char *text)
{
	if (text) {
		bench_worker_segments_send(worker->ours, "%s", text);
		return;
	}
	close(worker->ours);
	worker->ours = -1;
}

static void without_an_end_nothing_passes(void **state)
{
	(void)state;
	static const char *const nonsense[] = {NULL,          "",           "walk 7 1 1", "run 7", "run 7 1",
					       "run 7 0 1",   "run 7 49 1", "run 7 1 0",  "row 7", "row 7 0",
					       "drop 7 none", "end of it",  "leave",      "end"};
	for (size_t i = 0; i < sizeof(nonsense) / sizeof(nonsense[0]); i++) {
		struct worker worker;
		start(&worker);
		expect_offer(&worker);
		say_or_hang_up(&worker, nonsense[i]);
		finish(&worker);
		assert_true(worker.items[0].failed && worker.items[1].failed);
		assert_non_null(strstr(worker.items[0].error.text, "without an end"));
	}
}

static void without_leave_nothing_passes(void **state)
{
	(void)state;
	static const char *const nonsense[] = {NULL,     "run 7 1 1",  "drop",
					       "drop x", "end budget", "leave now"};
	for (size_t i = 0; i < sizeof(nonsense) / sizeof(nonsense[0]); i++) {
		struct worker worker;
		start(&worker);
		expect_offer(&worker);
		assert_true(bench_worker_segments_send(worker.ours, "end budget"));
		expect_message(&worker, "checked");
		say_or_hang_up(&worker, nonsense[i]);
		finish(&worker);
		assert_true(worker.items[0].failed && worker.items[1].failed);
		if (!strstr(worker.items[0].error.text, "without an end"))
			fail_msg("%zu: %s", i, worker.items[0].error.text);
	}
}

static void without_a_beginning_nothing_begins(void **state)
{
	(void)state;
	static const char *const nonsense[] = {NULL, "end budget", "begin now"};
	for (size_t i = 0; i < sizeof(nonsense) / sizeof(nonsense[0]); i++) {
		struct worker worker;
		start(&worker);
		expect_message(&worker, BENCH_SEGMENTS_GREETING);
		say_or_hang_up(&worker, nonsense[i]);
		finish(&worker);
		assert_false(worker.begun);
	}
}

static struct bench_arena arena;

static struct bench_session_program program_of(const char *text)
{
	struct bench_session_program program;
	struct bench_error error;
	if (bench_session_program_parse(text, &arena, &program, &error) != 0)
		fail_msg("%s", error.text);
	return program;
}

static void a_side_is_read_like_a_shell_does(void **state)
{
	(void)state;
	struct bench_session_program program = program_of("/bin/sh");
	assert_int_equal(program.assignment_count, 0);
	program = program_of("  A=1 \t_b2='two words' C=\"x y\"z D=a\\ b E='\\' F= /bin/sh ");
	assert_int_equal(program.assignment_count, 6);
	assert_string_equal(program.assignments[0], "A=1");
	assert_string_equal(program.assignments[1], "_b2=two words");
	assert_string_equal(program.assignments[2], "C=x yz");
	assert_string_equal(program.assignments[3], "D=a b");
	assert_string_equal(program.assignments[4], "E=\\");
	assert_string_equal(program.assignments[5], "F=");
	assert_int_equal(program.executable[0], '/');
	program = program_of("sh");
	assert_non_null(strstr(program.executable, "/sh"));
	bench_arena_free(&arena);
}

static void what_is_no_side_is_refused(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		enum bench_code code;
		const char *says;
	} cases[] = {{"", BENCH_USAGE, "names no executable"},
		     {"A=1", BENCH_USAGE, "names no executable"},
		     {"/bin/sh -c", BENCH_USAGE, "'-c' is"},
		     {"/bin/sh A=1", BENCH_USAGE, "'A=1' is"},
		     {"A='1 /bin/sh", BENCH_USAGE, "a quote is not closed"},
		     {"/nonexistent/bench", BENCH_NOTHING, "no such file"},
		     {"/tmp", BENCH_NOTHING, "no file that can be executed"},
		     {"/dev/null", BENCH_NOTHING, "no file that can be executed"},
		     {"1A=/bin/sh", BENCH_NOTHING, "no such file"},
		     {"no_such_program_anywhere", BENCH_NOTHING, "in PATH"}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench_session_program program;
		struct bench_error error;
		assert_int_equal(bench_session_program_parse(cases[i].text, &arena, &program, &error), -1);
		assert_int_equal(error.code, cases[i].code);
		if (!strstr(error.text, cases[i].says))
			fail_msg("'%s' says: %s", cases[i].text, error.text);
	}
	bench_arena_free(&arena);
}

static size_t size_of(char *const *environment)
{
	size_t bytes = 0;
	for (size_t i = 0; environment[i]; i++)
		bytes += strlen(environment[i]) + 1 + sizeof(*environment);
	return bytes;
}

static const char *value_of(char *const *environment, const char *name)
{
	const char *found = NULL;
	for (size_t i = 0; environment[i]; i++) {
		if (strncmp(environment[i], name, strlen(name)) != 0 || environment[i][strlen(name)] != '=')
			continue;
		assert_null(found); /* not twice */
		found = environment[i] + strlen(name) + 1;
	}
	return found;
}

static void both_sides_have_environments_of_one_size(void **state)
{
	(void)state;
	setenv("BENCH_TEST_SHARED", "yes", 1);
	setenv("BENCH_TEST_CHANGED", "before", 1);
	struct bench_session_program one = program_of("/bin/sh");
	struct bench_session_program two = program_of("BENCH_TEST_CHANGED=after BENCH_TEST_OWN=1 /bin/sh");
	const struct bench_overrides overrides = {.tuning = "a.b=1"};
	unsetenv("BENCH_TUNING");
	char **first = bench_session_program_environment(&one, &two, &overrides, &arena);
	char **second = bench_session_program_environment(&two, &one, &overrides, &arena);
	assert_string_equal(value_of(first, "BENCH_TEST_SHARED"), "yes");
	assert_string_equal(value_of(second, "BENCH_TEST_SHARED"), "yes");
	assert_string_equal(value_of(first, "BENCH_TEST_CHANGED"), "before");
	assert_string_equal(value_of(second, "BENCH_TEST_CHANGED"), "after");
	assert_null(value_of(first, "BENCH_TEST_OWN"));
	assert_string_equal(value_of(second, "BENCH_TEST_OWN"), "1");
	assert_non_null(value_of(first, "OPENBLAS_THREAD_TIMEOUT"));
	assert_string_equal(value_of(first, "BENCH_TUNING"), "a.b=1");
	assert_string_equal(value_of(second, "BENCH_TUNING"), "a.b=1");
	assert_int_equal(size_of(first), size_of(second));
	bench_arena_free(&arena);
}

static void a_side_is_told_what_stands_before_its_name(void **state)
{
	(void)state;
	const struct bench_overrides all = {.tuning = "a.b=1", .slowdown = "2%"};
	struct bench_session_program plain = program_of("/bin/sh");
	struct bench_session_program own = program_of("BENCH_SLOWDOWN=3% BENCH_TUNING= /bin/sh");
	struct bench_overrides told = bench_session_program_overrides(&plain, &all);
	assert_string_equal(told.tuning, "a.b=1");
	assert_string_equal(told.slowdown, "2%");
	told = bench_session_program_overrides(&own, &all);
	assert_string_equal(told.tuning, "");
	assert_string_equal(told.slowdown, "3%");
	bench_arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_worker_does_what_it_is_told),
		cmocka_unit_test(a_case_that_fails_says_so_and_is_out),
		cmocka_unit_test(a_row_is_taken_where_it_was_offered),
		cmocka_unit_test(an_observed_case_tells_what_was_seen),
		cmocka_unit_test(a_dropped_case_has_its_reason),
		cmocka_unit_test(without_an_end_nothing_passes),
		cmocka_unit_test(without_leave_nothing_passes),
		cmocka_unit_test(without_a_beginning_nothing_begins),
		cmocka_unit_test(a_side_is_read_like_a_shell_does),
		cmocka_unit_test(what_is_no_side_is_refused),
		cmocka_unit_test(both_sides_have_environments_of_one_size),
		cmocka_unit_test(a_side_is_told_what_stands_before_its_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
