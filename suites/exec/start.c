/* SPDX-License-Identifier: MIT */
/* What a command is started with: its words and environment with the case's values in them, and its program.
 */
#include "suites/exec/start.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/file.h"
#include "core/hash.h"
#include "core/own_variables.h"
#include "core/text.h"

#define PROGRAM_BYTES ((size_t)1 << 30)

const struct bench_exec *bench_exec_of(const struct bench_case *bench_case)
{
	return (const struct bench_exec *)bench_case->suite;
}

char *bench_exec_fill(const struct bench_case *bench_case, const char *text, struct bench_arena *arena)
{
	const struct bench_param *params = bench_exec_of(bench_case)->params;
	struct bench_text out = {0};
	char name[32];
	for (size_t length; *text; text += length) {
		bool literal = text[0] == '{' && text[1] == '{';
		length = bench_exec_placeholder(text + literal, name, sizeof(name));
		size_t i = 1;
		while (length && !literal && params[i].name && strcmp(params[i].name, name) != 0)
			i++;
		if (length && literal && text[1 + length] == '}') {
			bench_text_add(&out, "{%s}", name);
			length += 2;
		} else if (length && !literal && params[i].name) {
			bench_text_add(&out, "%s", bench_value_given(&bench_case->values[i]));
		} else {
			length = 1;
			bench_text_add_bytes(&out, text, 1);
		}
	}
	return bench_text_keep(&out, arena);
}

/* Is it a variable that bench has set for its own libraries, or the list of these? */
static bool is_own(const char *entry)
{
	const char *list = getenv(BENCH_OWN_VARIABLES);
	size_t length = strcspn(entry, "=");
	if (strlen(BENCH_OWN_VARIABLES) == length && strncmp(entry, BENCH_OWN_VARIABLES, length) == 0)
		return true;
	while (list && *list) {
		size_t named = strcspn(list, " ");
		if (named == length && strncmp(entry, list, length) == 0)
			return true;
		list += named + (list[named] == ' ');
	}
	return false;
}

/*
 * The environment that bench was started with, with the command's assignments in place of those of the same
 * names.
 */
static char **make_environment(const struct bench_case *bench_case, const struct bench_exec_command *command,
			       struct bench_arena *arena)
{
	char **all = NULL;
	size_t count = 0;
	for (size_t i = 0; i < command->assignments; i++)
		BENCH_PUSH(arena, all, count) = bench_exec_fill(bench_case, command->words[i], arena);
	for (char **entry = environ; *entry; entry++) {
		bool replaced = is_own(*entry);
		for (size_t i = 0; i < command->assignments; i++)
			replaced |= strncmp(*entry, all[i], strcspn(all[i], "=") + 1) == 0;
		if (!replaced)
			BENCH_PUSH(arena, all, count) = *entry;
	}
	bench_arena_push(arena, &all, &count, sizeof(*all)); /* the NULL at its end */
	return all;
}

static char **make_words(const struct bench_case *bench_case, const struct bench_exec_command *command,
			 struct bench_arena *arena)
{
	const char *shell = bench_exec_of(bench_case)->shell;
	size_t count = 0;
	if (shell) {
		char **words = bench_arena_alloc(arena, 4, sizeof(*words));
		words[0] = bench_arena_string(arena, shell);
		words[1] = bench_arena_string(arena, "-c");
		words[2] = bench_exec_fill(bench_case, command->words[0], arena);
		return words;
	}
	while (command->words[command->assignments + count])
		count++;
	char **words = bench_arena_alloc(arena, count + 1, sizeof(*words));
	for (size_t i = 0; i < count; i++)
		words[i] = bench_exec_fill(bench_case, command->words[command->assignments + i], arena);
	return words;
}

/* A run may take hours, and what it measures is not to change meanwhile. */
static int check_program(const struct bench_exec_command *command, const char *path,
			 struct bench_error *error)
{
	char *data, hash[24];
	size_t length;
	if (!*command->hash)
		return 0;
	if (bench_file_read(path, PROGRAM_BYTES, &data, &length, error) != 0)
		return -1;
	snprintf(hash, sizeof(hash), "%016" PRIx64, bench_hash_bytes(BENCH_HASH_START, data, length));
	free(data);
	return strcmp(hash, command->hash) == 0
		       ? 0
		       : bench_fail(error, BENCH_FAILED, "'%s' has another content than when the run began",
				    path);
}

static int find_program(const struct bench_case *bench_case, const struct bench_exec_command *command,
			struct bench_arena *arena, struct bench_exec_start *start, struct bench_error *error)
{
	const char *directory = bench_exec_of(bench_case)->directory;
	char path[4096];
	if (!bench_exec_find(command->program, directory, path, sizeof(path)))
		return bench_fail(error, BENCH_FAILED, "there is no program '%s'%s%s%s", command->program,
				  strchr(command->program, '/') ? (directory ? " in " : "") : " in PATH",
				  strchr(command->program, '/') && directory ? directory : "", "");
	/* It is started in the directory, where a path that begins here leads elsewhere. */
	start->program = bench_arena_string(arena, strchr(command->program, '/') ? command->program : path);
	return check_program(command, path, error);
}

int bench_exec_make_start(const struct bench_case *bench_case, const struct bench_exec_command *command,
			  struct bench_arena *arena, struct bench_exec_start *start,
			  struct bench_error *error)
{
	start->words = make_words(bench_case, command, arena);
	start->environment = make_environment(bench_case, command, arena);
	return find_program(bench_case, command, arena, start, error);
}
