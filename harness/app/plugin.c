/* SPDX-License-Identifier: MIT */
#include "app/plugin.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "core/memory.h"
#include "core/text.h"
#include "extend/extend.h"
#include "extend/plugin.h"
#include "machine/git.h"
#include "suites/exec/exec.h"

#define LOAD_SECONDS 60
#define GIT_SECONDS  60

const char *bench_app_plugin(const char *path, struct bench_arena *arena, struct bench_error *error)
{
	char real[PATH_MAX], hash[BENCH_EXTEND_HASH_SIZE];
	if (!realpath(path, real)) {
		bench_fail(error, BENCH_USAGE, "--plugin '%s': %s", path, strerror(errno));
		return NULL;
	}
	if (bench_extend_plugin_hash(real, hash, error) != 0) {
		bench_fail(error, BENCH_USAGE, "--plugin %s", error->text);
		return NULL;
	}
	cJSON *extension = cJSON_CreateObject();
	cJSON_AddStringToObject(extension, "kind", "plugin");
	cJSON_AddStringToObject(extension, "path", real);
	cJSON_AddStringToObject(extension, "hash", hash);
	BENCH_SCOPED_MEMORY char *printed = bench_json_print(extension, false);
	return bench_arena_string(arena, printed);
}

static int load(void *context, struct bench_error *error)
{
	return bench_extend_add(context, error);
}

static int try_code(const char *text, struct bench_error *error)
{
	BENCH_SCOPED_ARENA arena = {0};
	BENCH_SCOPED_JSON *extension = bench_json_parse(text, strlen(text), "extension", NULL);
	const char *what = bench_arena_format(&arena, "plug-in '%s', being loaded,",
					      bench_json_string_or(extension, "path", ""));
	return bench_extend_try(what, LOAD_SECONDS, load, (void *)(uintptr_t)text, error);
}

int bench_app_extend(const char *text, struct bench_error *error)
{
	if (bench_extend_is_code(text) && try_code(text, error) != 0)
		return -1;
	return bench_extend_add(text, error);
}

/* "HASH, commit COMMIT", the latter where its folder is in a repository that git tells about. */
static void describe(const char *path, const char *hash, struct bench_environment *environment)
{
	static const char *const words[] = {"describe", "--always",    "--abbrev=40",
					    "--dirty",  "--exclude=*", NULL};
	struct bench_arena *arena = &environment->arena;
	BENCH_SCOPED_TEXT said = {0};
	const char *slash = strrchr(path, '/');
	const char *folder = bench_arena_format(arena, "%.*s/", (int)(slash ? slash - path : 0), path);
	bool known = bench_machine_git(folder, words, GIT_SECONDS, &said, NULL) == 0 && said.data;
	if (known)
		said.data[strcspn(said.data, "\n")] = '\0';
	bench_machine_environment_add(
		environment, bench_arena_format(arena, "plugin.%s", slash ? slash + 1 : path),
		bench_arena_format(arena, "%s%s%s", hash, known ? ", commit " : "", known ? said.data : ""));
}

/* Where a command's output goes that nobody looks at: it may do less where it sees that. */
static void describe_output(const cJSON *extension, struct bench_environment *environment)
{
	if (!cJSON_HasObjectItem(extension, "check") && !cJSON_HasObjectItem(extension, "metrics"))
		bench_machine_environment_add(
			environment,
			bench_arena_format(&environment->arena, "output.%s",
					   bench_json_string_or(extension, "suite", "exec")),
			bench_json_string_or(extension, "output", BENCH_EXEC_PIPE));
}

void bench_app_plugin_describe(struct bench_environment *environment)
{
	size_t count;
	const char *const *texts = bench_extend_texts(&count);
	for (size_t i = 0; i < count; i++) {
		BENCH_SCOPED_JSON *extension =
			bench_json_parse(texts[i], strlen(texts[i]), "extension", NULL);
		const char *kind = bench_json_string_or(extension, "kind", "");
		if (strcmp(kind, "plugin") == 0)
			describe(bench_json_string_or(extension, "path", ""),
				 bench_json_string_or(extension, "hash", ""), environment);
		else if (strcmp(kind, "exec") == 0)
			describe_output(extension, environment);
	}
}
