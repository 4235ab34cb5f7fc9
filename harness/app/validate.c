/* SPDX-License-Identifier: MIT */
#include "app/validate.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/arena.h"

#define LOG_VARIABLE "OCLGRIND_LOG" /* what Oclgrind tells the programs that it runs */

static int wait_for(pid_t pid, int *exit_status, struct bench_error *error)
{
	int state;
	while (waitpid(pid, &state, 0) < 0)
		if (errno != EINTR)
			return bench_fail(error, BENCH_ENVIRONMENT, "waiting for oclgrind: %s",
					  strerror(errno));
	*exit_status = WIFEXITED(state) ? WEXITSTATUS(state) : -1;
	if (WIFEXITED(state) && *exit_status != 127)
		return 0;
	return WIFEXITED(state) ? bench_fail(error, BENCH_ENVIRONMENT,
					     "--validate needs the program 'oclgrind' (Debian and Ubuntu: "
					     "package oclgrind)")
				: bench_fail(error, BENCH_ENVIRONMENT, "oclgrind was ended by signal %d",
					     WTERMSIG(state));
}

bool bench_app_validating(void)
{
	return getenv(LOG_VARIABLE) != NULL;
}

static void execute(char *const *words)
{
	/* Programs are compiled for Oclgrind anew: its binaries are of no use to others. */
	setenv("BENCH_PROGRAM_CACHE", "off", 1);
	/* Oclgrind 21.10 cannot run what Clang makes of an inlined function with restrict pointers. */
	setenv("BENCH_OPENCL_OPTIONS", "-Drestrict=", 1);
	execvp(words[0], words);
	_exit(127);
}

int bench_app_validate(const char *const *arguments, size_t count, int *status, struct bench_error *error)
{
	/*
	 * Not --uninitialized: Oclgrind 21.10 stops at Clang's instruction `freeze` with it, and reports
	 * memory that was written where a buffer has taken the place of one that was released. That outputs
	 * are written at all is what the checks see, since they are NaN before.
	 */
	char program[PATH_MAX], log[] = "/tmp/bench-validate-XXXXXX";
	const char *const first[] = {"oclgrind", "--data-races", "--log", log, program};
	const size_t first_count = sizeof(first) / sizeof(first[0]);
	BENCH_SCOPED_ARENA arena = {0};
	char **words = bench_arena_alloc(&arena, first_count + count + 1, sizeof(*words));
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
	int file = mkstemp(log), result = -1;
	if (length < 0 || file < 0) {
		bench_fail(error, BENCH_ENVIRONMENT, "cannot start a validation: %s", strerror(errno));
		goto out;
	}
	program[length] = '\0';
	for (size_t i = 0; i < first_count + count; i++)
		words[i] =
			bench_arena_string(&arena, i < first_count ? first[i] : arguments[i - first_count]);
	pid_t pid = fork();
	if (pid == 0)
		execute(words);
	result = pid < 0 ? bench_fail(error, BENCH_ENVIRONMENT, "cannot start oclgrind: %s", strerror(errno))
			 : wait_for(pid, status, error);
out:
	if (file >= 0) {
		close(file);
		unlink(log);
	}
	return result;
}
