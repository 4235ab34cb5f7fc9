/* SPDX-License-Identifier: MIT */
/* Devices asked for in a process of its own, of backends whose driver misbehaves. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "plan/probe.h"

static enum { RIGHT, NONE, CRASH, EXIT, MANY, UNENDED, PRINT } mood;

static int devices(struct bench_device_info *info, size_t capacity, size_t *count, struct bench_error *error)
{
	if (mood == NONE)
		return bench_fail(error, BENCH_UNSUPPORTED, "no platform: install a driver");
	if (mood == CRASH)
		raise(SIGKILL); /* as SIGSEGV, which a sanitizer would take */
	if (mood == EXIT)
		_exit(3);
	if (mood == PRINT && write(STDOUT_FILENO, "noise", 5) != 5)
		return bench_fail(error, BENCH_FAILED, "cannot print");
	setenv("LEFT_BY_A_DRIVER", "1", 1);
	*count = mood == MANY ? 100000 : 2;
	for (size_t i = 0; i < capacity && i < *count; i++) {
		info[i] = (struct bench_device_info){.slug = "made-up", .memory_bytes = 42 + i};
		if (mood == UNENDED)
			memset(info[i].name, 'x', sizeof(info[i].name));
	}
	return 0;
}

static const struct bench_backend backend = {.abi = BENCH_BACKEND_ABI, .name = "toy", .devices = devices};

static int ask(size_t *count, struct bench_device_info *first, struct bench_error *error)
{
	struct bench_arena arena = {0};
	struct bench_device_info *found;
	int result = bench_plan_probe(&backend, &arena, &found, count, error);
	if (result == 0)
		*first = found[0];
	bench_arena_free(&arena);
	/* No child is left. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	return result;
}

static void devices_come_back_and_nothing_else(void **state)
{
	(void)state;
	struct bench_device_info first;
	struct bench_error error;
	size_t count;
	mood = RIGHT;
	assert_int_equal(ask(&count, &first, &error), 0);
	assert_int_equal(count, 2);
	assert_string_equal(first.slug, "made-up");
	assert_int_equal(first.memory_bytes, 42);
	assert_null(getenv("LEFT_BY_A_DRIVER"));
	mood = NONE;
	assert_int_equal(ask(&count, &first, &error), -1);
	assert_int_equal(error.code, BENCH_UNSUPPORTED);
	assert_string_equal(error.text, "no platform: install a driver");
}

static void what_a_driver_does_to_its_process_is_said(void **state)
{
	(void)state;
	static const struct {
		int mood;
		const char *said;
	} rows[] = {{CRASH, "crashed: signal 9"},
		    {EXIT, "exit status 3"},
		    {MANY, "damaged answer"},
		    {UNENDED, "damaged answer"}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct bench_device_info first;
		struct bench_error error;
		size_t count;
		mood = rows[i].mood;
		assert_int_equal(ask(&count, &first, &error), -1);
		assert_int_equal(error.code, BENCH_FAILED);
		assert_non_null(strstr(error.text, "backend toy"));
		assert_non_null(strstr(error.text, rows[i].said));
	}
}

static void what_a_driver_prints_does_not_reach_stdout(void **state)
{
	(void)state;
	struct bench_device_info first;
	struct bench_error error;
	size_t count;
	int ends[2], kept = dup(STDOUT_FILENO);
	char byte;
	fflush(stdout);
	assert_int_equal(pipe(ends), 0);
	dup2(ends[1], STDOUT_FILENO);
	close(ends[1]);
	mood = PRINT;
	int result = ask(&count, &first, &error);
	dup2(kept, STDOUT_FILENO);
	close(kept);
	assert_int_equal(result, 0);
	assert_int_equal(read(ends[0], &byte, 1), 0);
	close(ends[0]);
}

static void no_process_or_no_pipe_is_the_machines_fault(void **state)
{
	(void)state;
	struct rlimit before, none;
	struct bench_device_info first;
	struct bench_error error;
	size_t count;
	mood = RIGHT;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){.rlim_cur = 0, .rlim_max = before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	int result = ask(&count, &first, &error);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(result, -1);
	assert_int_equal(error.code, BENCH_ENVIRONMENT);
	assert_non_null(strstr(error.text, "pipe"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(devices_come_back_and_nothing_else),
		cmocka_unit_test(what_a_driver_does_to_its_process_is_said),
		cmocka_unit_test(what_a_driver_prints_does_not_reach_stdout),
		cmocka_unit_test(no_process_or_no_pipe_is_the_machines_fault),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
