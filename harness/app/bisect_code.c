/* SPDX-License-Identifier: MIT */
#include "app/bisect_code.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/worktree.h"
#include "core/file.h"
#include "core/json.h"
#include "core/memory.h"
#include "core/text.h"

#define COMMANDS "bench-bisect.json" /* those of the command line and the project file */

const char *const bench_app_bisect_code_options[] = {"kernel",     "spec",        "plugin",  "exec",
						     "exec-shell", "exec-output", "prepare", "cleanup",
						     "warmup",     "runs",        NULL};

static bool is(const struct bench_project_setting *option, const char *name)
{
	return strcmp(option->option, name) == 0;
}

/* A file of commands, as --exec tells it from a command. */
static bool is_file(const struct bench_project_setting *option)
{
	const char *value = option->value;
	size_t length = strlen(value);
	if (is(option, "exec"))
		return length > 5 && strcmp(value + length - 5, ".json") == 0 && !strpbrk(value, " \t");
	return is(option, "kernel") || is(option, "spec") || is(option, "plugin");
}

/* Without "." and "..": nothing needs to be there. */
static char *normalize(struct bench_arena *arena, const char *path)
{
	char *rest = bench_arena_string(arena, path), *word;
	char *out = bench_arena_alloc(arena, strlen(path) + 2, 1);
	size_t length = 0;
	while ((word = bench_text_next(&rest, '/'))) {
		if (strcmp(word, "..") == 0) {
			while (length > 0 && out[--length] != '/')
				;
		} else if (*word && strcmp(word, ".") != 0) {
			out[length++] = '/';
			memcpy(out + length, word, strlen(word));
			length += strlen(word);
		}
	}
	out[length] = '\0';
	return out;
}

/* The path below `top`; "" for top itself. A relative one that leads elsewhere is taken as below it. */
static const char *below(struct bench_arena *arena, const char *top, const char *here, const char *path)
{
	size_t length = strlen(top);
	const char *whole =
		normalize(arena, *path == '/' ? path : bench_arena_format(arena, "%s/%s", here, path));
	if (strncmp(whole, top, length) == 0 && (whole[length] == '/' || !whole[length]))
		return whole[length] ? whole + length + 1 : "";
	if (*path == '/' || strstr(path, ".."))
		return NULL;
	const char *name = normalize(arena, path);
	return *name ? name + 1 : name;
}

int bench_app_bisect_code_place(const struct bench_app_bisect_code *given, const char *repository,
				struct bench_arena *arena, struct bench_app_bisect_code *placed,
				struct bench_error *error)
{
	char here[PATH_MAX], *top;
	struct bench_project_setting *options = bench_arena_alloc(arena, given->count + 1, sizeof(*options));
	if (bench_app_repository_top(repository, arena, &top, error) != 0)
		return -1;
	if (!getcwd(here, sizeof(here)))
		return bench_fail(error, BENCH_ENVIRONMENT, "the working directory: %s", strerror(errno));
	for (size_t i = 0; i < given->count; i++) {
		options[i] = given->options[i];
		if (!is_file(&options[i]))
			continue;
		options[i].value = below(arena, top, here, options[i].value);
		if (!options[i].value)
			return bench_fail(error, BENCH_USAGE,
					  "--%s '%s' lies outside of the repository '%s', whose commits are "
					  "compared",
					  options[i].option, given->options[i].value, top);
	}
	const char *folder = below(arena, top, here, given->folder ? given->folder : ".");
	*placed = (struct bench_app_bisect_code){options, given->count, folder ? folder : ""};
	return 0;
}

const char *const *bench_app_bisect_code_files(const struct bench_app_bisect_code *placed,
					       struct bench_arena *arena, size_t *count)
{
	const char **files = bench_arena_alloc(arena, placed->count + 1, sizeof(*files));
	*count = 0;
	for (size_t i = 0; i < placed->count; i++)
		if (is_file(&placed->options[i]))
			files[(*count)++] = placed->options[i].value;
	return files;
}

static char *commands_file(const struct bench_app_bisect_code *placed, const char *kept,
			   struct bench_arena *arena)
{
	return bench_arena_format(arena, "%s/%s%s" COMMANDS, kept, placed->folder,
				  *placed->folder ? "/" : "");
}

/* Commands as a file of them has it; NULL: there are none. */
static cJSON *commands_of(const struct bench_app_bisect_code *placed)
{
	cJSON *object = cJSON_CreateObject(), *commands = cJSON_AddArrayToObject(object, "commands");
	for (size_t i = 0; i < placed->count; i++) {
		const struct bench_project_setting *option = &placed->options[i];
		if (is(option, "exec") && !is_file(option))
			cJSON_AddItemToArray(commands, cJSON_CreateString(option->value));
		else if (is(option, "warmup") || is(option, "runs"))
			cJSON_AddNumberToObject(object, option->option, strtod(option->value, NULL));
		else if (strncmp(option->option, "exec-", strlen("exec-")) == 0)
			cJSON_AddStringToObject(object, option->option + strlen("exec-"), option->value);
		else if (is(option, "prepare") || is(option, "cleanup"))
			cJSON_AddStringToObject(object, option->option, option->value);
	}
	if (commands->child)
		return object;
	cJSON_Delete(object);
	return NULL;
}

int bench_app_bisect_code_finish(const struct bench_app_bisect_code *placed, const char *kept,
				 struct bench_error *error)
{
	BENCH_SCOPED_ARENA arena = {0};
	cJSON *commands = commands_of(placed);
	int result = 0;
	if (commands) {
		BENCH_SCOPED_MEMORY char *text = bench_json_print(commands, true);
		result = bench_file_write(commands_file(placed, kept, &arena), text, strlen(text), error);
	}
	return result;
}

char *bench_app_bisect_code_side(const struct bench_app_bisect_code *placed, const char *program,
				 const char *self, const char *kept, struct bench_arena *arena)
{
	struct bench_text side = {0};
	BENCH_SCOPED_JSON *commands = commands_of(placed);
	if (program)
		bench_text_add_shell(&side, bench_arena_format(arena, "%s/%s", kept, program));
	else
		bench_text_add(&side, "%s", self);
	for (size_t i = 0; i < placed->count; i++) {
		const struct bench_project_setting *option = &placed->options[i];
		if (is_file(option))
			bench_text_add_option(&side, option->option,
					      bench_arena_format(arena, "%s/%s", kept, option->value));
	}
	if (commands)
		bench_text_add_option(&side, "exec", commands_file(placed, kept, arena));
	return bench_text_keep(&side, arena);
}
