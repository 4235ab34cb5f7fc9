/* SPDX-License-Identifier: MIT */
#include "extend/extend.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/arena.h"
#include "core/file.h"
#include "core/json.h"
#include "core/text.h"
#include "extend/library.h"
#include "extend/plugin.h"
#include "suites/exec/exec.h"
#include "suites/exec/process.h"
#include "suites/kernel/kernel.h"

#define PROGRAM      ".program" /* the end of a kept one's name */
#define MOST_PROGRAM ((size_t)1 << 30)

/* How an extension of each kind is read. The object lives as long as the process. */
static const struct kind {
	const char *name;
	int (*add)(const cJSON *extension, struct bench_error *error);
	/* What of it can be kept for later, as the end of a file's name: its text, or the file that it names.
	 * NULL: neither is all of it. */
	const char *kept;
	/* Options of the command line that bring it again, and the members that they name. None: the text
	 * itself. */
	struct {
		const char *option, *member;
	} options[2];
} kinds[] = {
	{"exec", bench_exec_add, ".json", {{0}}},
	{"kernel", bench_kernel_add, ".json", {{"kernel", "file"}, {"spec", "spec_file"}}},
	{"plugin", bench_extend_plugin_add, ".so", {{"plugin", "path"}}},
	{"library", bench_extend_library_add, NULL, {{0}}},
	{0},
};

static struct bench_arena arena;
static const char *texts[BENCH_EXTENSIONS_MOST];
static cJSON *objects[BENCH_EXTENSIONS_MOST];
static const char *identities[BENCH_EXTENSIONS_MOST];
static size_t added;

static int add(const cJSON *extension, struct bench_error *error)
{
	const char *names[sizeof(kinds) / sizeof(kinds[0])], *name;
	size_t count = 0;
	if (bench_json_string(extension, "kind", "extension", &name, error) != 0)
		return -1;
	for (; kinds[count].name; count++) {
		if (strcmp(kinds[count].name, name) == 0)
			return kinds[count].add(extension, error);
		names[count] = kinds[count].name;
	}
	return bench_text_no_such("kind of extension", name, names, count, "", error);
}

static bool is_code(const cJSON *extension)
{
	return strcmp(bench_json_string_or(extension, "kind", ""), "plugin") == 0;
}

int bench_extend_add(const char *text, struct bench_error *error)
{
	const size_t length = strlen(text);
	if (BENCH_FIND(texts, added, text))
		return 0;
	if (added == BENCH_EXTENSIONS_MOST)
		return bench_fail(error, BENCH_USAGE, "more than %d extensions", BENCH_EXTENSIONS_MOST);
	if (length > BENCH_EXTENSION_MOST_TEXT)
		return bench_fail(error, BENCH_USAGE, "an extension of %zu characters: at most %zu", length,
				  BENCH_EXTENSION_MOST_TEXT);
	cJSON *extension = bench_json_parse(text, length, "extension", error);
	if (!extension)
		return -1;
	if (add(extension, error) != 0) {
		cJSON_Delete(extension);
		return -1;
	}
	objects[added] = extension;
	identities[added] = bench_arena_string(
		&arena, is_code(extension) ? bench_json_string_or(extension, "hash", "") : text);
	texts[added++] = bench_arena_string(&arena, text);
	return 0;
}

/* Of one that was added. */
static const struct kind *kind_of(const cJSON *extension)
{
	const struct kind *kind = kinds;
	while (strcmp(kind->name, bench_json_string_or(extension, "kind", "")) != 0)
		kind++;
	return kind;
}

static void add_options(const cJSON *extension, const char *text, struct bench_text *out)
{
	const struct kind *kind = kind_of(extension);
	const char *before = "";
	for (size_t i = 0; i < sizeof(kind->options) / sizeof(kind->options[0]) && kind->options[i].option;
	     i++) {
		const char *value = bench_json_string_or(extension, kind->options[i].member, "");
		/* A kernel's specification may be in its own file. */
		if (strcmp(value, before) == 0)
			continue;
		bench_text_add_option(out, kind->options[i].option, value);
		before = value;
	}
	if (!kind->options[0].option)
		bench_text_add_option(out, "extension", text);
}

void bench_extend_options(struct bench_text *out)
{
	for (size_t i = 0; i < added; i++)
		add_options(objects[i], texts[i], out);
}

const char *const *bench_extend_texts(size_t *count)
{
	*count = added;
	return texts;
}

const char *const *bench_extend_identities(size_t *count)
{
	*count = added;
	return identities;
}

bool bench_extend_is_code(const char *text)
{
	cJSON *extension = bench_json_parse(text, strlen(text), "extension", NULL);
	bool code = is_code(extension);
	cJSON_Delete(extension);
	return code;
}

bool bench_extend_has_code(void)
{
	bool some = false;
	for (size_t i = 0; i < added; i++)
		some |= is_code(objects[i]);
	return some;
}

bool bench_extend_can_be_kept(void)
{
	for (size_t i = 0; i < added; i++)
		if (!kind_of(objects[i])->kept)
			return false;
	return true;
}

/* Writes the text, and beside it the programs that its commands start: STEM.json, STEM-0.program, ... */
static int keep_commands(const cJSON *given, const struct bench_exec *exec, const char *stem,
			 struct bench_arena *names, struct bench_error *error)
{
	char found[PATH_MAX], here[PATH_MAX], *data;
	size_t length;
	int result = 0;
	if (!realpath(exec->directory ? exec->directory : ".", here))
		return bench_fail(error, BENCH_ENVIRONMENT, "'%s': %s", exec->directory, strerror(errno));
	cJSON *extension = cJSON_Duplicate(given, true);
	cJSON_DeleteItemFromObjectCaseSensitive(extension, "directory");
	cJSON_AddStringToObject(extension, "directory", here);
	cJSON *programs = cJSON_AddArrayToObject(extension, "programs");
	for (size_t c = 0; c < exec->command_count && result == 0; c++) {
		const char *path = bench_arena_format(names, "%s-%zu" PROGRAM, stem, c);
		cJSON_AddItemToArray(programs, cJSON_CreateString(strrchr(path, '/') + 1));
		if (!bench_exec_find(exec->commands[c].program, here, found, sizeof(found)))
			result = bench_fail(error, BENCH_ENVIRONMENT, "there is no program '%s'",
					    exec->commands[c].program);
		else
			result = bench_file_read(found, MOST_PROGRAM, &data, &length, error);
		if (result != 0)
			break;
		result = bench_file_write(path, data, length, error);
		free(data);
		if (result == 0 && chmod(path, 0755) != 0)
			result = bench_fail(error, BENCH_ENVIRONMENT, "'%s': %s", path, strerror(errno));
	}
	char *text = bench_json_print(extension, false);
	if (result == 0)
		result = bench_file_write(bench_arena_format(names, "%s.json", stem), text, strlen(text),
					  error);
	free(text);
	return result;
}

static int keep_exec(const cJSON *extension, const char *stem, struct bench_error *error)
{
	struct bench_arena names = {0};
	struct bench_exec *exec = calloc(1, sizeof(*exec));
	const cJSON *at;
	if (!exec)
		return bench_fail(error, BENCH_NO_MEMORY, "--exec: no memory");
	int result = bench_exec_read(extension, &names, exec, &at, error);
	if (result == 0)
		result = keep_commands(extension, exec, stem, &names, error);
	bench_exec_free(exec);
	free(exec);
	bench_arena_free(&names);
	return result;
}

int bench_extend_place(cJSON *extension, const char *file)
{
	const char *slash = strrchr(file, '/');
	cJSON *programs = cJSON_GetObjectItemCaseSensitive(extension, "programs"), *item;
	char here[PATH_MAX];
	if (!cJSON_IsArray(programs) || !slash)
		return 0;
	cJSON *placed = cJSON_CreateArray();
	cJSON_ArrayForEach(item, programs)
	{
		struct bench_arena paths = {0};
		const char *name = cJSON_IsString(item) ? item->valuestring : "";
		if (*name != '/' && !strchr(name, '/') && slash - file < PATH_MAX)
			name = bench_arena_format(&paths, "%.*s/%s", (int)(slash - file), file, name);
		cJSON_AddItemToArray(placed, cJSON_CreateString(realpath(name, here) ? here : name));
		bench_arena_free(&paths);
	}
	cJSON_ReplaceItemInObjectCaseSensitive(extension, "programs", placed);
	return 1;
}

static int keep(size_t i, const char *path, struct bench_error *error)
{
	char *data;
	size_t length;
	if (!is_code(objects[i]))
		return bench_file_write(path, texts[i], strlen(texts[i]), error);
	if (bench_file_read(bench_json_string_or(objects[i], "path", ""), BENCH_EXTEND_MOST_PLUGIN, &data,
			    &length, error) != 0)
		return -1;
	int result = bench_file_write(path, data, length, error);
	free(data);
	return result;
}

int bench_extend_keep(const char *folder, struct bench_error *error)
{
	struct bench_arena names = {0};
	int result = added ? bench_file_make_folder(folder, error) : 0;
	for (size_t i = 0; i < added && result == 0; i++)
		result = kind_of(objects[i])->add == bench_exec_add
				 ? keep_exec(objects[i], bench_arena_format(&names, "%s/%02zu", folder, i),
					     error)
				 : keep(i,
					bench_arena_format(&names, "%s/%02zu%s", folder, i,
							   kind_of(objects[i])->kept),
					error);
	bench_arena_free(&names);
	return result;
}

const char *bench_extend_kept_option(const char *name)
{
	const char *end = strrchr(name, '.');
	if (end && strcmp(end, PROGRAM) == 0)
		return NULL;
	return end && strcmp(end, ".so") == 0 ? "plugin" : "extension";
}
