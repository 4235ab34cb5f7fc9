#include "cli/exec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/file.h"
#include "core/hash.h"
#include "core/json.h"
#include "extend/extend.h"
#include "plan/range.h"
#include "suites/exec/exec.h"
#include "suites/exec/process.h"

#define MOST_PROGRAM ((size_t)1 << 30)
#define MOST_FILE    ((size_t)64 << 20) /* larger ones are data, and not looked at */

/* A description on its way to an extension. */
struct description {
	const struct cli_args *args;
	struct bench_arena *arena;
	const char *file; /* NULL: made of --exec itself */
	const char *text; /* of the file */
	const cJSON *root;
	const cJSON *object; /* of the document, which stays as it was read */
	cJSON *extension;    /* what it becomes */
	struct bench_exec *exec;
};

/* "FILE:LINE: what is wrong" */
static int refuse(const struct description *description, const cJSON *at, struct bench_error *error)
{
	struct bench_error cause = *error;
	if (!description->file)
		return bench_fail(error, BENCH_USAGE, "--exec: %s", cause.text);
	return bench_fail(error, BENCH_USAGE, "%s:%zu: %s", description->file,
			  bench_json_line(description->text, description->root, at), cause.text);
}

/* What --set gives for a placeholder; NULL: nothing. */
static const char *find_set(const struct cli_args *args, const char *name)
{
	size_t count, length = strlen(name);
	const char *const *sets = cli_values(args, "set", &count), *found = NULL;
	for (size_t i = 0; i < count; i++)
		if (strncmp(sets[i], name, length) == 0 && sets[i][length] == '=')
			found = sets[i] + length + 1;
	return found;
}

/* Without a step it may as well be a time of day. */
static bool is_range(const char *text, const struct bench_param *param)
{
	struct bench_range range;
	return bench_plan_range_is(text) && bench_plan_range_read(text, param, &range, NULL) == 0 &&
	       (range.step > 0 || range.factor > 0);
}

/* The narrowest type that all values have. */
static const char *type_of(const struct bench_param *param, const char *values, struct bench_arena *arena)
{
	static const struct {
		enum bench_param_type type;
		const char *name;
	} types[] = {{BENCH_PARAM_INT, "int"}, {BENCH_PARAM_REAL, "real"}};
	for (size_t i = 0; i < 2; i++) {
		char *rest = bench_arena_string(arena, values), *text;
		struct bench_param tried = *param;
		struct bench_value value;
		bool all = true;
		tried.type = types[i].type;
		while (all && (text = bench_text_next(&rest, ',')))
			all = bench_value_parse(&tried, text, &value, NULL) == 0 || is_range(text, &tried);
		if (all)
			return types[i].name;
	}
	return "word";
}

/* Adds the types of the placeholders that --set has values for. */
static int add_types(const struct description *description, struct bench_error *error)
{
	const struct bench_exec *exec = description->exec;
	cJSON *types = cJSON_GetObjectItemCaseSensitive(description->extension, "types");
	for (size_t i = 1; exec->params[i].name; i++) {
		const struct bench_param *param = &exec->params[i];
		struct bench_param any = *param;
		const char *values = find_set(description->args, param->name);
		if (exec->swept[i])
			continue;
		if (!values) {
			bench_fail(error, BENCH_USAGE,
				   "{%s} has no value: --set %s=1,2 gives some ({{%s}} stands for the text)",
				   param->name, param->name, param->name);
			return refuse(description, description->object, error);
		}
		any.min = INT64_MIN;
		any.max = INT64_MAX;
		if (!types)
			types = cJSON_AddObjectToObject(description->extension, "types");
		if (!cJSON_HasObjectItem(types, param->name))
			cJSON_AddStringToObject(types, param->name,
						type_of(&any, values, description->arena));
	}
	return 0;
}

/* The directory of the commands of a file is seen from the file's. */
static void place(const struct description *description)
{
	const char *slash = description->file ? strrchr(description->file, '/') : NULL;
	const char *given = description->exec->directory;
	if (!slash || (given && *given == '/'))
		return;
	char *folder = bench_arena_format(description->arena, "%.*s%s%s",
					  slash == description->file ? 1 : (int)(slash - description->file),
					  description->file, given ? "/" : "", given ? given : "");
	cJSON_DeleteItemFromObjectCaseSensitive(description->extension, "directory");
	cJSON_AddStringToObject(description->extension, "directory", folder);
	description->exec->directory = folder;
}

static int add_hash(cJSON *hashes, const char *name, const char *path, size_t most, struct bench_error *error)
{
	char *data, hash[24];
	size_t length;
	if (cJSON_HasObjectItem(hashes, name))
		return 0;
	if (bench_file_read(path, most, &data, &length, error) != 0)
		return -1;
	snprintf(hash, sizeof(hash), "%016" PRIx64, bench_hash_bytes(BENCH_HASH_START, data, length));
	free(data);
	cJSON_AddStringToObject(hashes, name, hash);
	return 0;
}

static const char *path_of(const struct description *description, const char *name)
{
	const char *directory = description->exec->directory;
	return directory && *name != '/' ? bench_arena_format(description->arena, "%s/%s", directory, name)
					 : name;
}

/* A word that names a file, such as a script: what is in it belongs to what is measured. */
static int add_word(const struct description *description, cJSON *hashes, const char *word,
		    struct bench_error *error)
{
	struct stat status;
	const char *path = path_of(description, word);
	if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || (size_t)status.st_size > MOST_FILE)
		return 0;
	return add_hash(hashes, word, path, MOST_FILE, error);
}

static int add_program(const struct description *description, cJSON *hashes, const char *program,
		       struct bench_error *error)
{
	char path[4096];
	const char *directory = description->exec->directory;
	bool named = strchr(program, '/') != NULL;
	if (!bench_exec_find(program, directory, path, sizeof(path)))
		return bench_fail(error, BENCH_USAGE, "there is no program '%s' %s%s", program,
				  named ? "in " : "in PATH",
				  named ? (directory ? directory : "the current folder") : "");
	return add_hash(hashes, program, path, MOST_PROGRAM, error);
}

static int add_command(const struct description *description, cJSON *hashes,
		       const struct bench_exec_command *command, struct bench_error *error)
{
	size_t count = 0, first = command->assignments + 1;
	char **words = command->words;
	if (add_program(description, hashes, command->program, error) != 0)
		return -1;
	if (description->exec->shell) {
		char path[4096];
		words = bench_exec_split(command->words[0], description->arena, &count);
		first = 0;
		/* What the shell has built in is no file. */
		if (count > 0 &&
		    bench_exec_find(words[0], description->exec->directory, path, sizeof(path)) &&
		    add_hash(hashes, words[0], path, MOST_PROGRAM, error) != 0)
			return -1;
	}
	for (size_t i = first; words && words[i]; i++)
		if (add_word(description, hashes, words[i], error) != 0)
			return -1;
	return 0;
}

/* The contents of what is run, by which the run's executable is told from another. */
static int add_hashes(const struct description *description, struct bench_error *error)
{
	const struct bench_exec *exec = description->exec;
	const cJSON *files = cJSON_GetObjectItemCaseSensitive(description->object, "files"), *item;
	cJSON_DeleteItemFromObjectCaseSensitive(description->extension, "hashes");
	cJSON *hashes = cJSON_AddObjectToObject(description->extension, "hashes");
	for (size_t i = 0; i < exec->command_count; i++)
		if (add_command(description, hashes, &exec->commands[i], error) != 0)
			return refuse(description, description->object, error);
	cJSON_ArrayForEach(item, files)
	{
		const char *name = cJSON_IsString(item) ? item->valuestring : "";
		if (add_hash(hashes, name, path_of(description, name), MOST_PROGRAM, error) != 0)
			return refuse(description, description->object, error);
	}
	return 0;
}

static int extend(struct description *description, struct bench_error *error)
{
	const cJSON *at;
	if (bench_exec_read(description->object, description->arena, description->exec, &at, error) != 0)
		return refuse(description, at, error);
	description->extension = cJSON_Duplicate(description->object, true);
	cJSON_DeleteItemFromObjectCaseSensitive(description->extension, "kind");
	cJSON_AddStringToObject(description->extension, "kind", "exec");
	place(description);
	if (add_types(description, error) != 0 || add_hashes(description, error) != 0) {
		cJSON_Delete(description->extension);
		return -1;
	}
	char *text = bench_json_print(description->extension, false);
	int result = bench_extend_add(text, error);
	free(text);
	return result == 0 ? 0 : refuse(description, description->object, error);
}

static int describe(struct description *description, struct bench_error *error)
{
	struct bench_exec *exec = calloc(1, sizeof(*exec));
	if (!exec)
		return bench_fail(error, BENCH_NO_MEMORY, "--exec: no memory");
	description->exec = exec;
	int result = extend(description, error);
	bench_exec_free(exec);
	free(exec);
	return result;
}

static int read_document(struct description *description, const cJSON *root, struct bench_error *error)
{
	size_t count = cJSON_IsArray(root) ? (size_t)cJSON_GetArraySize(root) : 1;
	const cJSON *object = cJSON_IsArray(root) ? root->child : root;
	int result = count > 0 ? 0 : bench_fail(error, BENCH_USAGE, "%s: no command", description->file);
	for (; result == 0 && object && count > 0; object = object->next, count--) {
		description->object = object;
		result = describe(description, error);
	}
	return result;
}

static int read_file(struct description *description, const char *name, struct bench_error *error)
{
	char *text = NULL;
	size_t length;
	cJSON *root = NULL;
	if (bench_file_read(name, BENCH_EXTENSION_MOST_TEXT, &text, &length, error) == 0)
		root = bench_json_parse(text, length, name, error);
	if (!root) {
		error->code = BENCH_USAGE;
		free(text);
		return -1;
	}
	description->file = name;
	description->text = text;
	description->root = root;
	int result = read_document(description, root, error);
	cJSON_Delete(root);
	free(text);
	return result;
}

/* A program is not called so: a word that ends in ".json" is the name of a file of commands. */
static bool is_file(const char *value)
{
	size_t length = strlen(value);
	return length > 5 && strcmp(value + length - 5, ".json") == 0 && !strpbrk(value, " \t");
}

static int read_given(const struct cli_args *args, struct bench_arena *arena, struct bench_error *error)
{
	size_t count, commands = 0;
	const char *const *values = cli_values(args, "exec", &count);
	const char *shell = cli_value(args, "exec-shell", NULL);
	cJSON *object = cJSON_CreateObject(), *array = cJSON_AddArrayToObject(object, "commands");
	int result = 0;
	for (size_t i = 0; i < count && result == 0; i++) {
		struct description file = {.args = args, .arena = arena};
		if (is_file(values[i]))
			result = read_file(&file, values[i], error);
		else if (++commands)
			cJSON_AddItemToArray(array, cJSON_CreateString(values[i]));
	}
	if (shell && !commands && result == 0)
		result =
			bench_fail(error, BENCH_USAGE,
				   "--exec-shell without a command: a file says itself which shell it wants");
	if (shell)
		cJSON_AddStringToObject(object, "shell", shell);
	if (args->exec_folder)
		cJSON_AddStringToObject(object, "directory", args->exec_folder);
	struct description given = {.args = args, .arena = arena, .root = object, .object = object};
	if (commands && result == 0)
		result = describe(&given, error);
	cJSON_Delete(object);
	return result;
}

int cli_exec_extend(const struct cli_args *args, struct bench_error *error)
{
	struct bench_arena arena = {0};
	int result = read_given(args, &arena, error);
	bench_arena_free(&arena);
	return result;
}
