/* SPDX-License-Identifier: MIT */
/* The description of a suite of commands, read and checked. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "core/json_place.h"
#include "core/memory.h"
#include "core/regex.h"
#include "core/text.h"
#include "core/unit.h"
#include "suites/exec/exec.h"
#include "suites/suites.h"

#define MOST_OUTPUT ((int64_t)64 << 20)

struct reader {
	struct bench_arena *arena;
	struct bench_exec *exec;
	const cJSON *at; /* what is being read */
	struct bench_error *error;
};

static int refuse(struct reader *reader, const cJSON *at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static int refuse(struct reader *reader, const cJSON *at, const char *format, ...)
{
	char text[512];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	reader->at = at;
	return bench_fail(reader->error, BENCH_USAGE, "%s", text);
}

/* A text that is not empty, or the fallback where there is no such member. */
static int read_text(struct reader *reader, const cJSON *object, const char *name, const char *fallback,
		     const char **value)
{
	const cJSON *item = bench_json_member(object, name);
	*value = fallback;
	if (!item)
		return 0;
	if (!cJSON_IsString(item) || !*item->valuestring)
		return refuse(reader, item, "'%s' is no text", name);
	*value = item->valuestring;
	return 0;
}

static int check_members(struct reader *reader, const cJSON *object, const char *what,
			 const char *const *names, size_t count)
{
	BENCH_SCOPED_TEXT words = {0};
	if (!cJSON_IsObject(object))
		return refuse(reader, object, "%s is no object", what);
	const cJSON *stray = bench_json_place_stray(object, what, names, count, &words);
	if (stray)
		refuse(reader, stray, "%s", words.data);
	return stray ? -1 : 0;
}

static bool has_placeholder(const char *text)
{
	char name[32];
	for (; *text; text++)
		if (bench_exec_placeholder(text, name, sizeof(name)))
			return true;
	return false;
}

/* "NAME=", as a shell takes it for an assignment. */
static bool is_assignment(const char *word)
{
	size_t length = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
	return length > 0 && word[length] == '=' && !(word[0] >= '0' && word[0] <= '9');
}

/* `line`: the command, where it is one text. */
static int read_words(struct reader *reader, const cJSON *item, const char *line,
		      struct bench_exec_command *command)
{
	size_t count = 0;
	const cJSON *word;
	if (line) {
		command->words = bench_exec_split(line, reader->arena, &count);
		if (!command->words)
			return refuse(reader, item, "a quote in '%s' is not closed", line);
		command->shell_word = bench_exec_shell_word(line, reader->arena);
	} else if (cJSON_IsArray(item)) {
		cJSON_ArrayForEach(word, item)
		{
			if (!cJSON_IsString(word))
				return refuse(reader, item, "a word of the command is no text");
			BENCH_PUSH(reader->arena, command->words, count) = word->valuestring;
		}
		size_t end = count;
		bench_arena_push(reader->arena, &command->words, &end, sizeof(*command->words));
	} else {
		return refuse(reader, item, "a command is a text, or an array of its words");
	}
	while (command->assignments < count && is_assignment(command->words[command->assignments]))
		command->assignments++;
	if (command->assignments == count || !*command->words[command->assignments])
		return refuse(reader, item, "a command without a program");
	command->program = command->words[command->assignments];
	return 0;
}

static int read_shell_words(struct reader *reader, const cJSON *item, const char *line,
			    struct bench_exec_command *command)
{
	if (!line || !*line)
		return refuse(reader, item, "with a shell, a command is a text");
	command->words = bench_arena_alloc(reader->arena, 2, sizeof(*command->words));
	command->words[0] = bench_arena_string(reader->arena, line);
	command->program = reader->exec->shell;
	return 0;
}

/* A word of a parameter's list, and of history's keys. */
static bool is_name(const char *name)
{
	size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-");
	return length > 0 && length <= 30 && !name[length];
}

/* Where none is given, a command has the name of its program. */
static char *name_of(struct reader *reader, const struct bench_exec_command *command)
{
	const char *program = command->program, *slash;
	size_t count;
	char **words =
		reader->exec->shell ? bench_exec_split(command->words[0], reader->arena, &count) : NULL;
	if (words && words[0])
		program = words[0];
	slash = strrchr(program, '/');
	char *name = bench_arena_format(reader->arena, "%.30s", slash ? slash + 1 : program);
	for (char *c = name; *c; c++)
		if (!is_name((const char[]){*c, '\0'}))
			*c = '_';
	return *name ? name : bench_arena_string(reader->arena, "command");
}

/* "NAME: COMMAND": takes the name off the text. */
static const char *take_name(struct reader *reader, const char **line)
{
	const char *colon = strstr(*line, ": ");
	char *name = colon ? bench_arena_format(reader->arena, "%.*s", (int)(colon - *line), *line) : NULL;
	if (!name || !is_name(name))
		return NULL;
	*line = colon + 2 + strspn(colon + 2, " ");
	return name;
}

static int add_command(struct reader *reader, const cJSON *item, const char *name)
{
	struct bench_exec *exec = reader->exec;
	const char *line = cJSON_IsString(item) ? item->valuestring : NULL;
	if (exec->command_count == BENCH_EXEC_COMMANDS)
		return refuse(reader, item, "more than %d commands", BENCH_EXEC_COMMANDS);
	struct bench_exec_command *command = &exec->commands[exec->command_count];
	if (!name && line)
		name = take_name(reader, &line);
	if ((exec->shell ? read_shell_words(reader, item, line, command)
			 : read_words(reader, item, line, command)) != 0)
		return -1;
	if (has_placeholder(command->program))
		return refuse(reader, item,
			      "the program of '%s' is a placeholder: make each program a separate command",
			      command->program);
	command->name = name ? name : name_of(reader, command);
	if (!is_name(command->name))
		return refuse(reader, item,
			      "command '%s': a name has letters, digits and ._+-, at most 30 in all",
			      command->name);
	if (BENCH_FIND(exec->commands, exec->command_count, command->name))
		return refuse(reader, item,
			      "two commands are named '%s': give one a name of its own: --exec 'NAME: %s'",
			      command->name, line ? bench_arena_format(reader->arena, "%.60s", line) : "...");
	exec->command_count++;
	return 0;
}

static int read_commands(struct reader *reader, const cJSON *object)
{
	const cJSON *one = bench_json_member(object, "command"), *all = bench_json_member(object, "commands"),
		    *item;
	if (!one == !all)
		return refuse(reader, all ? all : object, "one of 'command' and 'commands' says what is run");
	if (one)
		return add_command(reader, one, NULL);
	if ((!cJSON_IsObject(all) && !cJSON_IsArray(all)) || !all->child)
		return refuse(reader, all,
			      "'commands' is an array of commands, or an object of a name for each");
	cJSON_ArrayForEach(item, all)
	{
		if (add_command(reader, item, item->string) != 0)
			return -1;
	}
	return 0;
}

/* A command that is run beside the others: "prepare" or "cleanup". */
static int read_aside(struct reader *reader, const cJSON *object, const char *name,
		      struct bench_exec_command *command)
{
	const cJSON *item = bench_json_member(object, name);
	const char *line = cJSON_IsString(item) ? item->valuestring : NULL;
	if (!item)
		return 0;
	command->name = name;
	command->hash = "";
	return (reader->exec->shell ? read_shell_words : read_words)(reader, item, line, command);
}

static size_t find_param(const struct bench_exec *exec, const char *name)
{
	size_t i = 0;
	while (exec->params[i].name && strcmp(exec->params[i].name, name) != 0)
		i++;
	return i;
}

/* Adds the placeholders of a text as parameters; the first command decides which there are. */
static int take_placeholders(struct reader *reader, const cJSON *at, const char *text, bool may_add)
{
	struct bench_exec *exec = reader->exec;
	char name[32];
	for (size_t length; *text; text += length) {
		length = bench_exec_placeholder(text, name, sizeof(name));
		if (text[0] == '{' && text[1] == '{') /* of "{{x}}" */
			length = bench_exec_placeholder(text + 1, name, sizeof(name)) + 1;
		else if (length) {
			size_t i = find_param(exec, name);
			if (strcmp(name, "command") == 0)
				return refuse(reader, at, "{command} is the name of the command itself");
			if (!exec->params[i].name && !may_add)
				return refuse(
					reader, at,
					"{%s} is no placeholder of the first command: commands that are "
					"set against each other take the same ({{%s}} stands for a text in "
					"braces)",
					name, name);
			if (i == BENCH_EXEC_PARAMS)
				return refuse(reader, at, "more than %d placeholders", BENCH_EXEC_PARAMS - 1);
			if (!exec->params[i].name)
				exec->params[i] =
					(struct bench_param){.name = bench_arena_string(reader->arena, name),
							     .type = BENCH_PARAM_TEXT,
							     .fallback = "none",
							     .help = "what stands for it in the command"};
		}
		length = length ? length : 1;
	}
	return 0;
}

static int read_placeholders(struct reader *reader, const cJSON *object)
{
	struct bench_exec *exec = reader->exec;
	struct bench_text choices = {0};
	for (size_t c = 0; c < exec->command_count; c++)
		bench_text_add(&choices, "%s%s", c ? "|" : "", exec->commands[c].name);
	exec->params[0] = (struct bench_param){.name = "command",
					       .type = BENCH_PARAM_CHOICE,
					       .fallback = exec->commands[0].name,
					       .choices = bench_text_keep(&choices, reader->arena),
					       .help = "which command is run"};
	for (size_t c = 0; c < exec->command_count; c++)
		for (char **word = exec->commands[c].words; *word; word++)
			if (take_placeholders(reader, object, *word, c == 0) != 0)
				return -1;
	const struct bench_exec_command *asides[] = {&exec->prepare, &exec->cleanup};
	for (size_t c = 0; c < 2; c++)
		for (char **word = asides[c]->words; word && *word; word++)
			if (take_placeholders(reader, bench_json_member(object, asides[c]->name), *word,
					      false) != 0)
				return -1;
	if (exec->input &&
	    take_placeholders(reader, bench_json_member(object, "input"), exec->input, true) != 0)
		return -1;
	if (take_placeholders(reader, bench_json_member(object, "output"), exec->output, true) != 0)
		return -1;
	return exec->expected.file ? take_placeholders(reader, bench_json_member(object, "check"),
						       exec->expected.file, false)
				   : 0;
}

/* One value of a list, a text or a number as it is written, for a sweep. */
static int read_value(struct reader *reader, const struct bench_param *param, const cJSON *item,
		      struct bench_text *sweep)
{
	struct bench_error cause;
	struct bench_value value;
	if (!cJSON_IsString(item) && !(cJSON_IsNumber(item) && item->valuestring))
		return refuse(reader, item, "a value of {%s} is a text or a number", param->name);
	if (bench_value_parse(param, item->valuestring, &value, &cause) != 0)
		return refuse(reader, item, "%s", cause.text);
	bench_text_add_percent(sweep, item->valuestring, "!\"#$&'()*,/:;<=>?@[\\]^`{|}~");
	return 0;
}

/* "n": [1, 2, 4] */
static int read_set(struct reader *reader, const cJSON *values, struct bench_text *sweep)
{
	struct bench_exec *exec = reader->exec;
	size_t i = find_param(exec, values->string);
	int result = 0;
	if (i == 0 || !exec->params[i].name)
		return refuse(reader, values, "no command has a placeholder {%s}", values->string);
	if (!cJSON_IsArray(values) || !values->child)
		return refuse(reader, values, "the values of {%s} are an array", values->string);
	if (exec->swept[i])
		return refuse(reader, values, "'set' has '%s' twice", values->string);
	exec->swept[i] = true;
	for (const cJSON *item = values->child; item && result == 0; item = item->next) {
		bench_text_add(sweep, item == values->child ? " %s=" : ",", values->string);
		result = read_value(reader, &exec->params[i], item, sweep);
	}
	return result;
}

static int read_sets(struct reader *reader, const cJSON *object)
{
	struct bench_exec *exec = reader->exec;
	const cJSON *set = bench_json_member(object, "set");
	struct bench_text sweep = {0};
	int result = 0;
	if (set && !cJSON_IsObject(set))
		return refuse(reader, set, "'set' is no object");
	bench_text_add(&sweep, "command=");
	for (size_t c = 0; c < exec->command_count; c++)
		bench_text_add(&sweep, "%s%s", c ? "," : "", exec->commands[c].name);
	for (const cJSON *item = set ? set->child : NULL; item && result == 0; item = item->next)
		result = read_set(reader, item, &sweep);
	exec->sweeps[0] = bench_text_keep(&sweep, reader->arena);
	return result;
}

static int compile(struct reader *reader, const cJSON *at, const char *text, regex_t *pattern)
{
	char why[200];
	if (bench_regex_compile(pattern, text, REG_NEWLINE, why, sizeof(why)) == 0)
		return 0;
	return refuse(reader, at, "'%s' is no regular expression: %s", text, why);
}

static int read_expected(struct reader *reader, const cJSON *object)
{
	static const char *const names[] = {"output", "file", "match"};
	struct bench_exec_expected *expected = &reader->exec->expected;
	const cJSON *check = bench_json_member(object, "check"), *output;
	const char *match;
	if (!check)
		return 0;
	if (check_members(reader, check, "'check'", names, 3) != 0 ||
	    read_text(reader, check, "file", NULL, &expected->file) != 0 ||
	    read_text(reader, check, "match", NULL, &match) != 0)
		return -1;
	output = bench_json_member(check, "output");
	if (output && !cJSON_IsString(output))
		return refuse(reader, output, "'output' is no text");
	expected->output = output ? output->valuestring : NULL;
	if (!!expected->output + !!expected->file + !!match != 1)
		return refuse(reader, check, "'check' has one of 'output', 'file' and 'match'");
	if (!match)
		return 0;
	if (compile(reader, check, match, &expected->pattern) != 0)
		return -1;
	expected->match = true;
	return 0;
}

static int read_better(struct reader *reader, const cJSON *item, const char *text, enum bench_better *better)
{
	static const char *const words[] = {"none", "lower", "higher"};
	for (int i = 0; i < 3; i++)
		if (strcmp(words[i], text) == 0) {
			*better = (enum bench_better)i;
			return 0;
		}
	return refuse(reader, item, "better '%s': expected lower, higher or none", text);
}

/* "rate": {"match": "([0-9.]+) MB/s", "unit": "MB/s"} */
static int read_figure(struct reader *reader, const cJSON *item)
{
	static const char *const names[] = {"match", "unit", "better", "scale"};
	struct bench_exec *exec = reader->exec;
	const cJSON *scale = bench_json_member(item, "scale");
	const char *text, *better;
	struct bench_unit unit;
	if (exec->figure_count == BENCH_EXEC_FIGURES)
		return refuse(reader, item, "more than %d metrics", BENCH_EXEC_FIGURES);
	struct bench_exec_figure *figure = &exec->figures[exec->figure_count];
	struct bench_metric_spec *metric = &exec->metrics[exec->figure_count];
	if (check_members(reader, item, "a metric", names, 4) != 0 ||
	    read_text(reader, item, "match", NULL, &figure->text) != 0 ||
	    read_text(reader, item, "unit", NULL, &text) != 0 ||
	    read_text(reader, item, "better", NULL, &better) != 0)
		return -1;
	if (!figure->text || !text)
		return refuse(reader, item, "metric '%s' lacks '%s'", item->string, text ? "match" : "unit");
	if (!bench_unit_parse(text, &unit))
		return refuse(
			reader, item,
			"metric '%s' is in '%s'; units are such as ms, KiB, MB/s, GFLOP/s, item/s, J, %%, "
			"ratio and count",
			item->string, text);
	if (!better && unit.better == BENCH_BETTER_NONE)
		return refuse(reader, item,
			      "metric '%s' lacks 'better': '%s' does not say whether less or more of it is",
			      item->string, text);
	if (BENCH_FIND(bench_exec_metrics, BENCH_EXEC_METRICS, item->string))
		return refuse(reader, item, "metric '%s' is one that is measured anyway", item->string);
	if (scale && (!cJSON_IsNumber(scale) || !isfinite(scale->valuedouble) || scale->valuedouble == 0))
		return refuse(reader, scale, "'scale' is no number by which to multiply");
	figure->times = (scale ? scale->valuedouble : 1) * unit.times;
	figure->over = unit.over;
	*metric = (struct bench_metric_spec){.name = item->string,
					     .unit = bench_arena_string(reader->arena, unit.si),
					     .better = unit.better,
					     .help = "picked from the output"};
	if ((better && read_better(reader, item, better, &metric->better) != 0) ||
	    compile(reader, item, figure->text, &figure->pattern) != 0)
		return -1;
	exec->figure_count++;
	if (figure->pattern.re_nsub < 1)
		return refuse(reader, item, "'%s' has no group: (...) around the number", figure->text);
	return 0;
}

static int read_figures(struct reader *reader, const cJSON *object)
{
	struct bench_exec *exec = reader->exec;
	const cJSON *metrics = bench_json_member(object, "metrics"), *item;
	if (metrics && !cJSON_IsObject(metrics))
		return refuse(reader, metrics, "'metrics' is an object of a metric for each name");
	cJSON_ArrayForEach(item, metrics)
	{
		if (read_figure(reader, item) != 0)
			return -1;
	}
	for (size_t i = 0; i < (exec->shell ? BENCH_EXEC_METRICS : BENCH_EXEC_STARTUP); i++)
		exec->metrics[exec->figure_count + i] = bench_exec_metrics[i];
	return 0;
}

static int read_integer(struct reader *reader, const cJSON *object, const char *name, int64_t least,
			int64_t most, int64_t *value)
{
	const cJSON *item = bench_json_member(object, name);
	if (!item || bench_json_integer(object, name, "command", least, most, value, NULL) == 0)
		return 0;
	return refuse(reader, item, "'%s' is a whole number from %" PRId64 " to %" PRId64, name, least, most);
}

/* "programs": copies that are started in place of the commands' own, as an anchor keeps them. */
static int read_programs(struct reader *reader, const cJSON *object)
{
	struct bench_exec *exec = reader->exec;
	const cJSON *programs = bench_json_member(object, "programs"), *item;
	size_t count = 0;
	if (!programs)
		return 0;
	if (exec->shell || !cJSON_IsArray(programs) ||
	    (size_t)cJSON_GetArraySize(programs) != exec->command_count)
		return refuse(reader, programs, "'programs' is an array of a path for each command");
	cJSON_ArrayForEach(item, programs)
	{
		struct bench_exec_command *command = &exec->commands[count++];
		if (!cJSON_IsString(item) || *item->valuestring != '/')
			return refuse(reader, item, "'programs': expected an absolute path");
		command->program = command->words[command->assignments] =
			bench_arena_string(reader->arena, item->valuestring);
	}
	return 0;
}

static int read_suite(struct reader *reader, const cJSON *object)
{
	static const char *const names[] = {"suite",    "command",      "commands", "shell",  "directory",
					    "input",    "output",       "status",   "check",  "metrics",
					    "set",      "output_limit", "files",    "kind",   "hashes",
					    "programs", "prepare",      "cleanup",  "warmup", "runs"};
	struct bench_exec *exec = reader->exec;
	int64_t status = 0, limit = (int64_t)BENCH_EXEC_OUTPUT, warmups = 0, runs = 0;
	exec->suite = bench_exec_hooks;
	if (check_members(reader, object, "a suite of commands", names, sizeof(names) / sizeof(names[0])) !=
		    0 ||
	    read_text(reader, object, "suite", "exec", &exec->suite.name) != 0 ||
	    read_text(reader, object, "shell", NULL, &exec->shell) != 0 ||
	    read_text(reader, object, "directory", NULL, &exec->directory) != 0 ||
	    read_text(reader, object, "input", NULL, &exec->input) != 0 ||
	    read_text(reader, object, "output", BENCH_EXEC_PIPE, &exec->output) != 0 ||
	    read_integer(reader, object, "status", 0, 255, &status) != 0 ||
	    read_integer(reader, object, "output_limit", 1, MOST_OUTPUT, &limit) != 0 ||
	    read_integer(reader, object, "warmup", 0, BENCH_EXEC_MOST_RUNS, &warmups) != 0 ||
	    read_integer(reader, object, "runs", 2, BENCH_EXEC_MOST_RUNS, &runs) != 0 ||
	    read_expected(reader, object) != 0 || read_commands(reader, object) != 0 ||
	    read_aside(reader, object, "prepare", &exec->prepare) != 0 ||
	    read_aside(reader, object, "cleanup", &exec->cleanup) != 0 ||
	    read_placeholders(reader, object) != 0 || read_sets(reader, object) != 0 ||
	    read_figures(reader, object) != 0)
		return -1;
	exec->looked_at = exec->expected.output || exec->expected.file || exec->expected.match ||
			  exec->figure_count > 0;
	if (exec->looked_at && strcmp(exec->output, BENCH_EXEC_PIPE) != 0)
		return refuse(
			reader, bench_json_member(object, "output"),
			"'check' and 'metrics' look at the output, which has to come by a pipe for that");
	exec->status = (int)status;
	exec->output_limit = (size_t)limit;
	exec->warmups = (size_t)warmups;
	exec->runs = (size_t)runs;
	for (size_t c = 0; c < exec->command_count; c++)
		exec->commands[c].hash = bench_json_string_or(bench_json_member(object, "hashes"),
							      exec->commands[c].program, "");
	if (read_programs(reader, object) != 0)
		return -1;
	exec->suite.params = exec->params;
	exec->suite.metrics = exec->metrics;
	exec->suite.sweeps[BENCH_PRESET_QUICK] = exec->sweeps;
	exec->suite.variants = exec->command_count > 1 ? "command" : NULL;
	reader->at = object;
	return bench_suite_check(&exec->suite, reader->error);
}

int bench_exec_read(const cJSON *object, struct bench_arena *arena, struct bench_exec *exec, const cJSON **at,
		    struct bench_error *error)
{
	struct reader reader = {.arena = arena, .exec = exec, .at = object, .error = error};
	int result = read_suite(&reader, object);
	*at = reader.at;
	return result;
}

void bench_exec_free(struct bench_exec *exec)
{
	for (size_t i = 0; i < exec->figure_count; i++)
		regfree(&exec->figures[i].pattern);
	if (exec->expected.match)
		regfree(&exec->expected.pattern);
}

int bench_exec_add(const cJSON *extension, struct bench_error *error)
{
	static struct bench_arena arena;
	const cJSON *at;
	struct bench_exec *exec = bench_memory_alloc(1, sizeof(*exec));
	if (bench_exec_read(extension, &arena, exec, &at, error) == 0 &&
	    bench_suites_add(&exec->suite, error) == 0)
		return 0;
	bench_exec_free(exec);
	free(exec);
	return -1;
}
