/* SPDX-License-Identifier: MIT */
#include "app/capture.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/calls.h"
#include "core/arena.h"
#include "core/file.h"
#include "core/json.h"
#include "core/memory.h"
#include "core/text.h"

#define LIBRARY "bench-capture.so"

/* It lies beside the program where both were built, else in the folder of libraries. */
static int find_library(struct bench_arena *arena, const char **path, struct bench_error *error)
{
	static const char *const folders[] = {".", BENCH_PRELOAD_FOLDER};
	char self[4096];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;
	self[length > 0 ? length : 0] = '\0';
	if (!(slash = strrchr(self, '/')))
		return bench_fail(error, BENCH_ENVIRONMENT, "/proc/self/exe: %s: where is this bench?",
				  strerror(errno));
	*slash = '\0';
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		*path = bench_arena_format(arena, "%s/%s/" LIBRARY, self, folders[i]);
		if (access(*path, R_OK) != 0)
			continue;
		/* The dynamic linker and OpenCL's loader split their lists there. */
		return strpbrk(*path, " :")
			       ? bench_fail(
					 error, BENCH_ENVIRONMENT,
					 "'%s': a library whose path has a blank or a colon cannot be loaded "
					 "into a program: move bench",
					 *path)
			       : 0;
	}
	return bench_fail(error, BENCH_ENVIRONMENT,
			  "there is no " LIBRARY
			  " in '%s', nor in %s below it: build or install bench as a whole",
			  self, BENCH_PRELOAD_FOLDER);
}

/* NAME=VALUE; values that the variable has already come first. */
static char *append(struct bench_arena *arena, const char *name, const char *value)
{
	const char *before = getenv(name);
	return bench_arena_format(arena, "%s=%s%s%s", name, before ? before : "",
				  before && *before ? ":" : "", value);
}

static char **environment(struct bench_arena *arena, const char *library, int memory)
{
	static const char *const names[] = {"LD_PRELOAD", "OPENCL_LAYERS", BENCH_CAPTURE_VARIABLE};
	enum { NAMES = sizeof(names) / sizeof(names[0]) };
	size_t there = 0, count = 0;
	while (environ[there])
		there++;
	char **all = bench_arena_alloc(arena, there + NAMES + 1, sizeof(*all));
	for (size_t i = 0; i < there; i++) {
		bool own = false;
		for (size_t j = 0; j < NAMES; j++)
			own |= strncmp(environ[i], names[j], strlen(names[j])) == 0 &&
			       environ[i][strlen(names[j])] == '=';
		if (!own)
			all[count++] = environ[i];
	}
	all[count++] = append(arena, "LD_PRELOAD", library);
	all[count++] = append(arena, "OPENCL_LAYERS", library);
	all[count++] =
		bench_arena_format(arena, "%s=/proc/%d/fd/%d", BENCH_CAPTURE_VARIABLE, (int)getpid(), memory);
	all[count] = NULL;
	return all;
}

static volatile pid_t program;

/* Passes on what other processes send. A terminal sends its signals to the program as well. */
static void pass_on(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (program > 0 && info->si_code <= 0)
		kill(program, number);
}

/* By handlers: the program would inherit SIG_IGN. */
static void outlive_signals(void)
{
	static const int numbers[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
	const struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		struct sigaction before;
		if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
	}
}

static int run(struct bench_app_capture *capture, char *const *variables, struct bench_error *error)
{
	pid_t pid;
	outlive_signals();
	const int failed = posix_spawnp(&pid, capture->command[0], NULL, NULL, capture->command, variables);
	if (failed)
		return bench_fail(error, BENCH_ENVIRONMENT, "%s: %s", capture->command[0], strerror(failed));
	program = pid;
	while (waitpid(pid, &capture->status, 0) < 0)
		if (errno != EINTR)
			return bench_fail(error, BENCH_ENVIRONMENT, "waiting for %s: %s", capture->command[0],
					  strerror(errno));
	program = 0;
	return 0;
}

/* The longest first. */
static int by_time(const void *a, const void *b)
{
	const uint64_t x = (*(struct bench_capture_count *const *)a)->nanoseconds,
		       y = (*(struct bench_capture_count *const *)b)->nanoseconds;
	return (x < y) - (x > y);
}

static void add_sizes(struct bench_text *text, const char *name, const uint64_t *sizes, uint32_t count)
{
	bench_text_add(text, ",\"%s\":[", name);
	for (uint32_t i = 0; i < count && i < 3; i++)
		bench_text_add(text, "%s%" PRIu64, i ? "," : "", sizes[i]);
	bench_text_add(text, "]");
}

/* Names are identifiers. */
static void add_call(struct bench_text *text, const struct bench_capture_count *count)
{
	static const char *const members[] = {"m", "n", "k", "lda", "ldb", "ldc"};
	const struct bench_capture_call *call = &count->call;
	if (call->kind == BENCH_CAPTURE_LAUNCH) {
		bench_text_add(text, "{\"kernel\":\"%s\"", call->name);
		add_sizes(text, "global", call->sizes, call->detail);
		if (call->sizes[3])
			add_sizes(text, "local", &call->sizes[3], call->detail);
		if (count->timed < count->count)
			bench_text_add(text, ",\"timed\":%" PRIu64, count->timed);
	} else {
		bench_text_add(text, "{\"routine\":\"%s\",\"dtype\":\"%s\",\"trans\":\"%s\"", call->name,
			       call->type, call->trans);
		for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
			bench_text_add(text, ",\"%s\":%" PRIu64, members[i], call->sizes[i]);
		bench_text_add(text, ",\"beta\":%u", call->detail);
	}
	bench_text_add(text, ",\"count\":%" PRIu64 ",\"seconds\":%" PRIu64 ".%09" PRIu64 "}", count->count,
		       count->nanoseconds / 1000000000, count->nanoseconds % 1000000000);
}

/* One call per line, so that people can read and compare such files. */
static void add_calls(struct bench_text *text, const char *member, enum bench_capture_kind kind,
		      struct bench_capture_count *const *counts, size_t used, struct bench_app_captured *sum)
{
	bench_text_add(text, ",\n\"%s\": [", member);
	for (size_t i = 0; i < used; i++) {
		if (counts[i]->call.kind != kind)
			continue;
		bench_text_add(text, "%s\n\t", sum->shapes ? "," : "");
		add_call(text, counts[i]);
		sum->shapes++;
		sum->calls += counts[i]->count;
		sum->seconds += (double)counts[i]->nanoseconds / 1e9;
	}
	bench_text_add(text, "%s]", sum->shapes ? "\n" : "");
}

static char *command_line(const struct bench_app_capture *capture)
{
	BENCH_SCOPED_TEXT words = {0};
	BENCH_SCOPED_TEXT line = {0};
	for (char *const *word = capture->command; *word; word++) {
		bench_text_add(&words, word == capture->command ? "" : " ");
		bench_text_add_shell(&words, *word);
	}
	bench_text_add_line(&line, words.data);
	cJSON *string = cJSON_CreateString(line.data);
	return bench_json_print(string, false);
}

static void describe_all(struct bench_app_capture *capture, struct bench_capture *memory,
			 struct bench_arena *arena, struct bench_text *text)
{
	struct bench_capture_count **counts = bench_arena_alloc(arena, BENCH_CAPTURE_CALLS, sizeof(*counts));
	size_t used = 0;
	for (size_t i = 0; i < BENCH_CAPTURE_CALLS; i++)
		if (bench_capture_is_used(&memory->counts[i]) && memory->counts[i].count)
			counts[used++] = &memory->counts[i];
	qsort(counts, used, sizeof(*counts), by_time);
	BENCH_SCOPED_MEMORY char *command = command_line(capture);
	bench_text_add(text, "{\n\"schema\": \"%s\",\n\"command\": %s,\n\"lost\": %llu", BENCH_CAPTURE_SCHEMA,
		       command, (unsigned long long)memory->lost);
	add_calls(text, "products", BENCH_CAPTURE_PRODUCT, counts, used, &capture->products);
	add_calls(text, "launches", BENCH_CAPTURE_LAUNCH, counts, used, &capture->launches);
	bench_text_add(text, "\n}\n");
	capture->lost = memory->lost;
}

/* The program may run for hours: a wrong name is reported before. */
static int check_output(const char *path, struct bench_arena *arena, struct bench_error *error)
{
	struct stat status;
	const char *slash = strrchr(path, '/');
	if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
		return bench_fail(error, BENCH_ENVIRONMENT, "%s: it is no file that can be written", path);
	if (access(path, W_OK) != 0 && errno != ENOENT)
		return bench_fail(error, BENCH_ENVIRONMENT, "%s: %s", path, strerror(errno));
	return bench_file_check_writable(
		slash ? bench_arena_format(arena, "%.*s", (int)(slash - path) + 1, path) : ".", error);
}

int bench_app_capture(struct bench_app_capture *capture, struct bench_error *error)
{
	BENCH_SCOPED_ARENA arena = {0};
	const char *library = NULL;
	struct bench_capture *memory;
	BENCH_SCOPED_TEXT text = {0};
	int fd;
	if (check_output(capture->output, &arena, error) != 0 || find_library(&arena, &library, error) != 0)
		return -1;
	if (!(memory = bench_capture_make(&fd)))
		return bench_fail(error, BENCH_ENVIRONMENT, "memory for the calls: %s", strerror(errno));
	int result = run(capture, environment(&arena, library, fd), error);
	if (result == 0)
		describe_all(capture, memory, &arena, &text);
	if (result == 0 && capture->products.calls + capture->launches.calls > 0)
		result = bench_file_update(capture->output, text.data, text.length, error);
	return result;
}
