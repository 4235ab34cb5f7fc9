/* SPDX-License-Identifier: MIT */
#include "cli/exec.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/arguments.h"
#include "cli/say.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/json.h"
#include "core/json_place.h"
#include "core/memory.h"
#include "extend/extend.h"
#include "suites/exec/exec.h"
#include "suites/exec/process.h"

#define MOST_PROGRAM ((size_t)1 << 30)
#define MOST_FILE    ((size_t)64 << 20) /* larger ones are data, and not looked at */

/* A description on its way to an extension. */
struct description {
	const struct cli_args *args;
	const char *file; /* NULL: made of --exec itself */
	const char *text; /* of the file */
	const cJSON *root;
	const cJSON *object; /* of the document, which stays as it was read */
	cJSON *extension;    /* what it becomes */
	struct bench_exec *exec;
};

/* "FILE:LINE:COLUMN: what is wrong" */
static int refuse(const struct description *description, const cJSON *at, struct bench_error *error)
{
	if (!description->file)
		return bench_fail(error, BENCH_USAGE, "--exec: %s", error->text);
	return bench_json_place_fail(description->text, description->file, description->root, at, false, 0,
				     error, "%s", error->text);
}

static bool is_set(const struct cli_args *args, const char *name)
{
	size_t count, length = strlen(name);
	const char *const *sets = cli_values(args, "set", &count);
	for (size_t i = 0; i < count; i++)
		if (strncmp(sets[i], name, length) == 0 && sets[i][length] == '=')
			return true;
	return false;
}

/* Has each placeholder values, of the description or of --set? */
static int check_values(const struct description *description, struct bench_error *error)
{
	const struct bench_exec *exec = description->exec;
	for (size_t i = 1; exec->params[i].name; i++) {
		const char *name = exec->params[i].name;
		if (exec->swept[i] || is_set(description->args, name))
			continue;
		bench_fail(error, BENCH_USAGE,
			   "{%s} has no value: --set %s=1,2 gives some ({{%s}} stands for the text)", name,
			   name, name);
		return refuse(description, description->object, error);
	}
	return 0;
}

/* Numbers of "set" are what is written there, for who reads the extension, too. */
static void keep_values(cJSON *extension)
{
	cJSON *values, *item;
	cJSON_ArrayForEach(values, cJSON_GetObjectItemCaseSensitive(extension, "set"))
		cJSON_ArrayForEach(item, values) if (cJSON_IsNumber(item)) item->type = cJSON_String;
}

/* The directory of the commands of a file is seen from the file's. */
static void place(const struct description *description)
{
	const char *slash = description->file ? strrchr(description->file, '/') : NULL;
	const char *given = description->exec->directory;
	if (!slash || (given && *given == '/'))
		return;
	char *folder = bench_arena_format(description->args->arena, "%.*s%s%s",
					  slash == description->file ? 1 : (int)(slash - description->file),
					  description->file, given ? "/" : "", given ? given : "");
	cJSON_DeleteItemFromObjectCaseSensitive(description->extension, "directory");
	cJSON_AddStringToObject(description->extension, "directory", folder);
	description->exec->directory = folder;
}

static int add_hash(cJSON *hashes, const char *name, const char *path, size_t most, struct bench_error *error)
{
	BENCH_SCOPED_MEMORY char *data = NULL;
	char hash[24];
	size_t length;

	if (cJSON_HasObjectItem(hashes, name))
		return 0;
	if (bench_file_read(path, most, &data, &length, error) != 0)
		return -1;
	snprintf(hash, sizeof(hash), "%016" PRIx64, bench_hash_bytes(BENCH_HASH_START, data, length));
	cJSON_AddStringToObject(hashes, name, hash);
	return 0;
}

static const char *path_of(const struct description *description, const char *name)
{
	const char *directory = description->exec->directory;
	return directory && *name != '/'
		       ? bench_arena_format(description->args->arena, "%s/%s", directory, name)
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
		words = bench_exec_split(command->words[0], description->args->arena, &count);
		first = 0;
		/* Shell built-ins have no file. */
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

/* Hashes the programs that are run: this identifies the executable of the run. */
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

/* Who writes "> file" means a shell, and without one has it among the command's words. */
static void warn_of_words(const struct description *description)
{
	for (size_t i = 0; i < description->exec->command_count; i++) {
		const struct bench_exec_command *command = &description->exec->commands[i];
		if (command->shell_word)
			cli_say("warning: %s: no shell runs '%s', which gets '%s' as a word: %s has a shell "
				"run it, and quotes around the word say that it is meant",
				description->file ? description->file : "--exec", command->program,
				command->shell_word,
				description->file ? "the member \"shell\": \"/bin/sh\""
						  : "--exec-shell /bin/sh");
	}
}

static int extend(struct description *description, struct bench_error *error)
{
	const cJSON *at;
	if (bench_exec_read(description->object, description->args->arena, description->exec, &at, error) !=
	    0)
		return refuse(description, at, error);
	warn_of_words(description);
	description->extension = cJSON_Duplicate(description->object, true);
	cJSON_DeleteItemFromObjectCaseSensitive(description->extension, "kind");
	cJSON_AddStringToObject(description->extension, "kind", "exec");
	place(description);
	keep_values(description->extension);
	if (check_values(description, error) != 0 || add_hashes(description, error) != 0) {
		cJSON_Delete(description->extension);
		return -1;
	}
	BENCH_SCOPED_MEMORY char *text = bench_json_print(description->extension, false);
	return bench_extend_add(text, error) == 0 ? 0 : refuse(description, description->object, error);
}

static int describe(struct description *description, struct bench_error *error)
{
	BENCH_SCOPED_MEMORY struct bench_exec *exec = bench_memory_alloc(1, sizeof(*exec));

	description->exec = exec;
	int result = extend(description, error);
	bench_exec_free(exec);
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
	BENCH_SCOPED_MEMORY char *text = NULL;
	BENCH_SCOPED_JSON *root = NULL;
	size_t length;

	if (bench_file_read(name, BENCH_EXTENSION_MOST_TEXT, &text, &length, error) != 0) {
		error->code = BENCH_USAGE;
		return -1;
	}
	if (strlen(text) != length)
		return bench_fail(error, BENCH_USAGE, "%s: it is not a text: it contains a zero byte", name);
	root = bench_json_place_parse(text, name, error);
	if (!root) {
		error->code = BENCH_USAGE;
		return -1;
	}
	description->file = name;
	description->text = text;
	description->root = root;
	return read_document(description, root, error);
}

/*
 * A program is not called so: a word that ends in ".json" is the name of a file of commands. So are words, if
 * that file is there.
 */
static bool is_file(const char *value)
{
	size_t length = strlen(value);
	return length > 5 && strcmp(value + length - 5, ".json") == 0 &&
	       (!strpbrk(value, " \t") || access(value, F_OK) == 0);
}

int cli_exec_extend(const struct cli_args *args, struct bench_error *error)
{
	size_t count, commands = 0;
	const char *const *values = cli_values(args, "exec", &count);
	static const struct {
		const char *option, *member;
		unsigned least; /* of a number; 0: it is a text */
	} options[] = {{"exec-shell", "shell", 0}, {"exec-output", "output", 0}, {"prepare", "prepare", 0},
		       {"cleanup", "cleanup", 0},  {"warmup", "warmup", 1},      {"runs", "runs", 2}};
	BENCH_SCOPED_JSON *object = cJSON_CreateObject();
	cJSON *array = cJSON_AddArrayToObject(object, "commands");

	for (size_t i = 0; i < count; i++) {
		struct description file = {.args = args};
		if (!is_file(values[i]) && ++commands)
			cJSON_AddItemToArray(array, cJSON_CreateString(values[i]));
		else if (read_file(&file, values[i], error) != 0)
			return -1;
	}
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		const char *value = cli_value(args, options[i].option);
		uint64_t number = 0;
		if (value && !commands)
			return bench_fail(error, BENCH_USAGE,
					  "--%s needs a command; a file uses its member '%s'",
					  options[i].option, options[i].member);
		if (value && !options[i].least)
			cJSON_AddStringToObject(object, options[i].member, value);
		else if (value && cli_read_whole(args, options[i].option, options[i].least,
						 BENCH_EXEC_MOST_RUNS, &number, error) != 0)
			return -1;
		if (number)
			cJSON_AddNumberToObject(object, options[i].member, (double)number);
	}
	if (args->exec_folder)
		cJSON_AddStringToObject(object, "directory", args->exec_folder);
	struct description given = {.args = args, .root = object, .object = object};
	return commands ? describe(&given, error) : 0;
}

void cli_exec_pace(const struct cli_args *args, struct bench_app_measure *measure)
{
	static const double seconds = 3;
	static const unsigned samples = 10;
	const struct bench_plan *plan = measure->plan;
	struct bench_run *run = measure->run;
	bool fixed = true;
	if (cli_given(args, "budget") || cli_given(args, "preset"))
		return;
	for (size_t i = 0; i < plan->case_count; i++) {
		if (plan->cases[i].suite->run != bench_exec_hooks.run)
			return;
		fixed &= plan->cases[i].work.samples > 0;
	}
	run->budget_seconds = seconds * (double)plan->case_count;
	measure->least_samples = samples;
	if (fixed && !cli_given(args, "invocations"))
		run->invocations = 1; /* each run is a process of its own already */
}
