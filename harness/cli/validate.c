#include "cli/validate.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"

enum { MAX_WORDS = 256 };

struct words {
	char *items[MAX_WORDS];
	size_t count;
	struct bench_arena arena;
};

static void add(struct words *words, const char *word)
{
	if (words->count + 1 < MAX_WORDS)
		words->items[words->count++] = bench_arena_string(&words->arena, word);
}

static void add_unless_given(struct words *words, const struct cli_args *args, const char *name,
			     const char *value)
{
	if (cli_given(args, name))
		return;
	add(words, bench_arena_format(&words->arena, "--%s", name));
	if (value)
		add(words, value);
}

static bool sets_shapes(const struct cli_args *args)
{
	size_t count;
	const char *const *sets = cli_values(args, "set", &count);
	for (size_t i = 0; i < count; i++)
		if (strncmp(sets[i], "shapes=", strlen("shapes=")) == 0)
			return true;
	return false;
}

static void add_command(struct words *words, const struct cli_args *args, const char *program,
			const char *log)
{
	/*
	 * Not --uninitialized: Oclgrind 21.10 stops at Clang's instruction `freeze` with it, and reports
	 * memory that was written where a buffer has taken the place of one that was released. That outputs
	 * are written at all is what the checks see, since they are NaN before.
	 */
	static const char *const oclgrind[] = {"oclgrind", "--data-races", "--log"};
	for (size_t i = 0; i < sizeof(oclgrind) / sizeof(oclgrind[0]); i++)
		add(words, oclgrind[i]);
	add(words, log);
	add(words, program);
	add(words, args->verb->name);
	for (size_t i = 0; i < args->given_count; i++) {
		add(words, bench_arena_format(&words->arena, "--%s", args->given[i]->name));
		if (args->given[i]->argument)
			add(words, args->values[i]);
	}
	if (!cli_given(args, "suite")) {
		add_unless_given(words, args, "suite", "correctness");
		if (!sets_shapes(args)) {
			add(words, "--set");
			add(words, "shapes=small");
		}
	}
	add_unless_given(words, args, "preset", "quick");
	add_unless_given(words, args, "backend", "opencl");
	add_unless_given(words, args, "invocations", "1");
	/* Each step is simulated: what takes a second on a device may take many minutes. */
	add_unless_given(words, args, "time-limit", "30m");
	add_unless_given(words, args, "no-store", NULL);
}

static int wait_for(pid_t pid, struct bench_error *error)
{
	int state;
	while (waitpid(pid, &state, 0) < 0)
		if (errno != EINTR)
			return bench_fail(error, BENCH_ENVIRONMENT, "waiting for oclgrind: %s",
					  strerror(errno));
	if (WIFEXITED(state) && WEXITSTATUS(state) != 127)
		return WEXITSTATUS(state);
	return WIFEXITED(state) ? bench_fail(error, BENCH_ENVIRONMENT,
					     "--validate needs the program 'oclgrind' (Debian and Ubuntu: "
					     "package oclgrind)")
				: bench_fail(error, BENCH_ENVIRONMENT, "oclgrind was ended by signal %d",
					     WTERMSIG(state));
}

bool cli_validating(void)
{
	return getenv("BENCH_VALIDATING") != NULL;
}

int cli_validate(const struct cli_args *args)
{
	struct words words = {0};
	struct bench_error error;
	char program[PATH_MAX], log[] = "/tmp/bench-validate-XXXXXX";
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
	int file = mkstemp(log), status = -1;
	if (length < 0 || file < 0) {
		bench_fail(&error, BENCH_ENVIRONMENT, "cannot start a validation: %s", strerror(errno));
		goto out;
	}
	program[length] = '\0';
	add_command(&words, args, program, log);
	pid_t pid = fork();
	if (pid == 0) {
		setenv("BENCH_VALIDATING", "1", 1);
		/* Programs are compiled for Oclgrind anew: its binaries are of no use to others. */
		setenv("BENCH_PROGRAM_CACHE", "off", 1);
		/* Oclgrind 21.10 cannot run what Clang makes of an inlined function with restrict pointers.
		 */
		setenv("BENCH_OPENCL_OPTIONS", "-Drestrict=", 1);
		execvp(words.items[0], words.items);
		_exit(127);
	}
	if (pid < 0)
		bench_fail(&error, BENCH_ENVIRONMENT, "cannot start oclgrind: %s", strerror(errno));
	else
		status = wait_for(pid, &error);
out:
	if (file >= 0) {
		close(file);
		unlink(log);
	}
	bench_arena_free(&words.arena);
	return status < 0 ? cli_fail(&error) : status;
}
