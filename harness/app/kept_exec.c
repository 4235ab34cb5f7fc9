/* SPDX-License-Identifier: MIT */
/* Which commands an anchor can keep: a program alone, without anything else of the repository that it loads.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/kept.h"
#include "app/worktree.h"
#include "core/file.h"
#include "core/json.h"
#include "core/text.h"
#include "extend/extend.h"
#include "machine/child.h"
#include "suites/exec/exec.h"
#include "suites/exec/process.h"

#define ASK_SECONDS 10
#define MOST_ANSWER ((size_t)64 << 10)

static bool is_below(const char *path, const char *folder)
{
	size_t length = strlen(folder);
	return strncmp(path, folder, length) == 0 && path[length] == '/';
}

/*
 * Does a line of ldd, "libx.so => /path/libx.so (0x7f..)" or "/path/libx.so (0x7f..)", name a library of
 * these folders, or none?
 */
static bool is_foreign(char *line, const char *const *folders)
{
	char *arrow = strstr(line, "=> "), *path = arrow ? arrow + 3 : line + strspn(line, " \t");
	char real[PATH_MAX];
	path[strcspn(path, " ")] = '\0';
	if (!arrow && !strchr(path, '/'))
		return false; /* "linux-vdso.so.1", "statically linked" */
	if (!realpath(path, real))
		return true; /* "not found", or a path from the folder where it was linked */
	for (; *folders; folders++)
		if (is_below(real, *folders) || is_below(path, *folders))
			return true;
	return false;
}

static bool loads_own_libraries(const char *program, const char *const *folders)
{
	const char *arguments[] = {"ldd", "--", program, NULL};
	BENCH_SCOPED_TEXT answer = {0};
	int status;
	/* It ends with status 1 for a program without a loader, which loads nothing. */
	bool foreign = bench_machine_child_ask(arguments, ASK_SECONDS, MOST_ANSWER, &answer, &status) !=
			       BENCH_CHILD_ENDED ||
		       !answer.data;
	for (char *rest = answer.data, *line; !foreign && (line = bench_text_next(&rest, '\n'));)
		foreign = is_foreign(line, folders);
	return foreign;
}

static bool is_elf(const char *path)
{
	char start[4] = {0};
	BENCH_SCOPED_FILE *file = fopen(path, "re");
	return file && fread(start, 1, sizeof(start), file) == sizeof(start) &&
	       memcmp(start, "\177ELF", sizeof(start)) == 0;
}

static bool is_there(const char *directory, const char *name)
{
	char path[PATH_MAX];
	struct stat status;
	return *name && bench_file_join(path, sizeof(path), *name == '/' ? "" : directory, name) &&
	       stat(path, &status) == 0;
}

/* Is the argument a file, or does it end with one, as "--input=FILE" does? */
static bool names_file(const char *directory, const char *word)
{
	const char *value = strchr(word, '=');
	return is_there(directory, word) || (value && is_there(directory, value + 1));
}

/* A program of the repository, none of whose arguments names a file. */
static bool is_alone(const struct bench_exec_command *command, const char *directory)
{
	char path[PATH_MAX], program[PATH_MAX], here[PATH_MAX], own[PATH_MAX], *top;
	BENCH_SCOPED_ARENA arena = {0};
	struct bench_error ignored;
	for (char **word = command->words + command->assignments + 1; *word; word++)
		if (names_file(directory, *word))
			return false;
	if (!strchr(command->program, '/') ||
	    !bench_exec_find(command->program, directory, path, sizeof(path)) || !realpath(path, program) ||
	    !realpath(directory, here) || !is_elf(program))
		return false;
	memcpy(own, program, sizeof(own));
	*strrchr(own, '/') = '\0';
	const bool versioned = bench_app_repository_top(directory, &arena, &top, &ignored) == 0;
	const bool alone =
		!loads_own_libraries(program, (const char *const[]){here, own, versioned ? top : NULL, NULL});
	return alone;
}

static bool can_keep(const cJSON *extension)
{
	BENCH_SCOPED_ARENA arena = {0};
	struct bench_exec *exec = calloc(1, sizeof(*exec));
	struct bench_error ignored;
	const cJSON *at;
	bool can = exec && !cJSON_GetArraySize(bench_json_member(extension, "files")) &&
		   bench_exec_read(extension, &arena, exec, &at, &ignored) == 0 && !exec->shell &&
		   !exec->prepare.words && !exec->cleanup.words;
	for (size_t i = 0; can && i < exec->command_count; i++)
		can = is_alone(&exec->commands[i], exec->directory ? exec->directory : ".");
	if (exec)
		bench_exec_free(exec);
	free(exec);
	return can;
}

bool bench_app_can_be_kept(void)
{
	size_t count;
	const char *const *texts = bench_extend_texts(&count);
	bool can = bench_extend_can_be_kept();
	for (size_t i = 0; i < count && can; i++) {
		BENCH_SCOPED_JSON *extension =
			bench_json_parse(texts[i], strlen(texts[i]), "extension", NULL);
		can = strcmp(bench_json_string_or(extension, "kind", ""), "exec") != 0 || can_keep(extension);
	}
	return can;
}
