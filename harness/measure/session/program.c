/* SPDX-License-Identifier: MIT */
#include "measure/session/program.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/file.h"
#include "measure/session/process.h"
#include "measure/worker/tuning.h"

#define ANSWER_SECONDS 60
#define ANSWER_BYTES   ((size_t)16 << 20)
#define FILL           "BENCH_DUEL_FILL="

/*
 * OpenBLAS's threads spin for tens of milliseconds after a call, on the cores that the other program is to
 * use. So they give up after 2^20 ticks, a fraction of a millisecond.
 */
#define LIBRARY_WAIT "20"

static bool is_assignment(const char *word)
{
	size_t length = 0;
	while (isalnum((unsigned char)word[length]) || word[length] == '_')
		length++;
	return length && word[length] == '=' && !isdigit((unsigned char)word[0]);
}

static bool is_file(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static char *search(const char *name, struct bench_arena *arena)
{
	char path[PATH_MAX], *folder;
	char *rest = bench_arena_string(arena, getenv("PATH") ? getenv("PATH") : "");
	while ((folder = bench_text_next(&rest, ':')))
		if (bench_file_join(path, sizeof(path), folder, name) && is_file(path) &&
		    access(path, X_OK) == 0)
			return bench_arena_string(arena, path);
	return NULL;
}

static int find_executable(const char *word, struct bench_arena *arena, struct bench_session_program *program,
			   struct bench_error *error)
{
	char path[PATH_MAX];
	if (!strchr(word, '/')) {
		program->executable = search(word, arena);
		if (!program->executable)
			return bench_fail(error, BENCH_NOTHING,
					  "'%s': there is no program of that name in PATH; a file in this "
					  "folder is ./%s",
					  word, word);
		return 0;
	}
	if (!realpath(word, path))
		return bench_fail(error, BENCH_NOTHING, "'%s': there is no such file", word);
	if (!is_file(path) || access(path, X_OK) != 0)
		return bench_fail(error, BENCH_NOTHING, "'%s' is no file that can be executed", word);
	program->executable = bench_arena_string(arena, path);
	return 0;
}

/* One of the options that bring code, or, behind one, its value. The others are the same for both sides. */
static bool brings_code(const char *word, bool behind)
{
	static const char *const options[] = {"--exec",   "--kernel",    "--spec",
					      "--plugin", "--extension", "--project"};
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (strncmp(word, options[i], strlen(options[i])) == 0)
			return true;
	return behind && strncmp(word, "--", 2) != 0;
}

/* Reads "--backend B", whose second word is in *rest, "--backend=B" or "-b B". NULL: the word is none of
 * them. */
static const char *read_backend(char *word, char **rest, bool *open)
{
	static const char name[] = "--backend=";
	if (strncmp(word, name, sizeof(name) - 1) == 0)
		return word + sizeof(name) - 1;
	if (strcmp(word, "--backend") != 0 && strcmp(word, "-b") != 0)
		return NULL;
	const char *value = bench_text_next_shell(rest, open);
	return value ? value : "";
}

int bench_session_program_parse(const char *text, struct bench_arena *arena,
				struct bench_session_program *program, struct bench_error *error)
{
	char *rest = bench_arena_string(arena, text), *word, *path = NULL;
	const char *backend;
	bool open = false;
	*program = (struct bench_session_program){.text = bench_arena_string(arena, text)};
	while ((word = bench_text_next_shell(&rest, &open))) {
		backend = path ? read_backend(word, &rest, &open) : NULL;
		if (open)
			return bench_fail(error, BENCH_USAGE, "'%s': a quote is not closed", text);
		if (backend)
			program->backend = backend;
		else if (path && !brings_code(word, program->option_count > 0))
			return bench_fail(
				error, BENCH_USAGE,
				"'%s': expected assignments, one executable, and behind it --backend or "
				"options that bring code (--exec, --kernel, --plugin, --project); '%s' is",
				text, word);
		else if (path)
			BENCH_PUSH(arena, program->options, program->option_count) = word;
		else if (!is_assignment(word))
			path = word;
		else
			BENCH_PUSH(arena, program->assignments, program->assignment_count) = word;
	}
	if (!path || !*path)
		return bench_fail(error, BENCH_USAGE,
				  "'%s' names no executable: a side is \"[NAME=value ...] EXECUTABLE "
				  "[OPTIONS]\"",
				  text);
	return find_executable(path, arena, program, error);
}

/* Do both "NAME=value" texts have the same name? */
static bool same_name(const char *assignment, const char *other)
{
	size_t length = strcspn(assignment, "=") + 1;
	return strncmp(assignment, other, length) == 0;
}

static bool is_assigned(const struct bench_session_program *program, const char *assignment)
{
	for (size_t i = 0; i < program->assignment_count; i++)
		if (same_name(program->assignments[i], assignment))
			return true;
	return false;
}

/* The value that the program itself gives to the variable, or the fallback. */
static const char *assigned(const struct bench_session_program *program, const char *name,
			    const char *fallback)
{
	size_t length = strlen(name);
	for (size_t i = 0; i < program->assignment_count; i++)
		if (strncmp(program->assignments[i], name, length) == 0 &&
		    program->assignments[i][length] == '=')
			return program->assignments[i] + length + 1;
	return fallback;
}

struct bench_overrides bench_session_program_overrides(const struct bench_session_program *program,
						       const struct bench_overrides *overrides)
{
	return (struct bench_overrides){assigned(program, BENCH_TUNING_VARIABLE, overrides->tuning),
					assigned(program, BENCH_SLOWDOWN_VARIABLE, overrides->slowdown)};
}

/* Everything but the filling; *bytes: what it takes above the stack, with the executable's path. */
static size_t gather(const struct bench_session_program *program, char *const *common, char **to,
		     size_t *bytes)
{
	size_t count = 0;
	*bytes = strlen(program->executable) + 1;
	for (size_t i = 0; environ[i]; i++)
		if (!is_assigned(program, environ[i]))
			to[count++] = environ[i];
	for (size_t i = 0; i < program->assignment_count; i++)
		to[count++] = program->assignments[i];
	for (; *common; common++)
		if (!is_assigned(program, *common))
			to[count++] = *common;
	for (size_t i = 0; i < count; i++)
		*bytes += strlen(to[i]) + 1 + sizeof(*to);
	return count;
}

static void add_common(const char *name, const char *value, struct bench_arena *arena, char **to,
		       size_t *count)
{
	if (value && !getenv(name))
		to[(*count)++] = bench_arena_format(arena, "%s=%s", name, value);
}

char **bench_session_program_environment(const struct bench_session_program *program,
					 const struct bench_session_program *other,
					 const struct bench_overrides *overrides, struct bench_arena *arena)
{
	char *common[4] = {0};
	size_t common_count = 0, there = 0, bytes, bytes_of_other;
	add_common("OPENBLAS_THREAD_TIMEOUT", LIBRARY_WAIT, arena, common, &common_count);
	if (overrides) {
		add_common(BENCH_TUNING_VARIABLE, overrides->tuning, arena, common, &common_count);
		add_common(BENCH_SLOWDOWN_VARIABLE, overrides->slowdown, arena, common, &common_count);
	}
	while (environ[there])
		there++;
	size_t room = there + program->assignment_count + other->assignment_count + common_count + 2;
	char **result = bench_arena_alloc(arena, room, sizeof(*result));
	gather(other, common, result, &bytes_of_other);
	size_t count = gather(program, common, result, &bytes);
	size_t fill = bytes_of_other > bytes ? bytes_of_other - bytes : 0;
	char *filling = bench_arena_alloc(arena, sizeof(FILL) + fill, 1);
	memcpy(filling, FILL, sizeof(FILL) - 1);
	memset(filling + sizeof(FILL) - 1, '-', fill);
	result[count++] = filling;
	result[count] = NULL;
	return result;
}

int bench_session_program_query(const struct bench_session_program *program, const char *const *arguments,
				struct bench_text *out, struct bench_error *error)
{
	BENCH_SCOPED_ARENA arena = {0};
	struct bench_process process;
	struct bench_error cause = {0};
	char what[256] = "";
	int result = -1, answer = bench_file_memory("bench-answer", "", 0);
	struct bench_process_setup setup = {
		.environment = bench_session_program_environment(program, program, NULL, &arena)};
	if (answer < 0) {
		bench_fail(error, BENCH_ENVIRONMENT, "there is no room for the answer of '%s': %s",
			   program->text, strerror(errno));
		goto out;
	}
	if (bench_session_process_start(&process, program->executable, arguments, &setup, "", answer, answer,
					&cause) != 0) {
		bench_fail(error, cause.code, "'%s' cannot be started: %s", program->text, cause.text);
		goto out;
	}
	const struct bench_process_limits limits = {.time_seconds = ANSWER_SECONDS};
	enum bench_process_end outcome = bench_session_process_wait(&process, &limits, what, sizeof(what));
	if (bench_file_memory_read(answer, ANSWER_BYTES, out) != 0)
		bench_fail(error, BENCH_ENVIRONMENT, "the answer of '%s %s' cannot be read: %s",
			   program->text, arguments[1], strerror(errno));
	else if (outcome == BENCH_EXITED)
		result = 0;
	else if (outcome == BENCH_HUNG)
		bench_fail(error, BENCH_NOTHING, "'%s %s' did not end within %d s", program->text,
			   arguments[1], ANSWER_SECONDS);
	else if (process.exit_status >= 0)
		bench_fail(error,
			   process.exit_status == 2 || process.exit_status == 3 ? BENCH_UNSUPPORTED
										: BENCH_NOTHING,
			   "'%s %s' ended with exit status %d: %.300s", program->text, arguments[1],
			   process.exit_status, out->length ? out->data : "it said nothing");
	else
		bench_fail(error, BENCH_NOTHING, "'%s %s' did not end well: it %s", program->text,
			   arguments[1], what);
out:
	if (answer >= 0)
		close(answer);
	return result;
}

int bench_session_program_identify(struct bench_session_program *program, struct bench_arena *arena,
				   struct bench_error *error)
{
	static const char *const version[] = {"bench", "--version", NULL};
	static const char *const help[] = {"bench", "duel", "--help", NULL};
	struct bench_text out = {0};
	int result = -1;
	if (bench_session_program_query(program, version, &out, error) != 0) {
		error->code = BENCH_NOTHING; /* what does not even know its version is no bench */
		goto out;
	}
	if (!out.length || strncmp(out.data, "bench ", 6) != 0) {
		bench_fail(error, BENCH_NOTHING,
			   "'%s' is no bench: to --version it says '%.60s', not 'bench 1.2.3 (...)'",
			   program->text, out.length ? out.data : "");
		goto out;
	}
	program->version =
		bench_arena_format(arena, "%.*s", (int)strcspn(out.data + 6, "\r\n"), out.data + 6);
	bench_text_free(&out);
	if (bench_session_program_query(program, help, &out, error) != 0) {
		bench_fail(error, BENCH_NOTHING,
			   "'%s' is bench %s, which is too old for a duel: both sides need a version that "
			   "has the verb duel; compare runs of the two instead ('bench compare')",
			   program->text, program->version);
		goto out;
	}
	result = 0;
out:
	bench_text_free(&out);
	return result;
}
