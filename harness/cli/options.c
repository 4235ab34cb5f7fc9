/* SPDX-License-Identifier: MIT */
#include "cli/options.h"

#include <stdio.h>
#include <string.h>

#include "app/project.h"
#include "core/text.h"

/* What every verb understands. */
static const struct cli_option common[] = {
	{CLI_PROJECT, 0, "FILE|no", "the project file"},
	{"help", 'h', NULL, "show this help"},
};
enum { COMMON = sizeof(common) / sizeof(common[0]) };
static const struct cli_option *const help_option = &common[COMMON - 1];

const struct cli_option *cli_option_at(const struct cli_verb *verb, size_t at)
{
	size_t own = 0;
	while (own < at && verb->options[own].name)
		own++;
	if (verb->options[own].name)
		return &verb->options[own];
	return at - own < COMMON ? &common[at - own] : NULL;
}

bool cli_is_among(const char *name, const char *const *names)
{
	while (*names && strcmp(*names, name) != 0)
		names++;
	return *names != NULL;
}

static const struct cli_option *find_option(const struct cli_verb *verb, const char *name, size_t length)
{
	const struct cli_option *option;
	for (size_t i = 0; (option = cli_option_at(verb, i)); i++)
		if (strlen(option->name) == length && strncmp(option->name, name, length) == 0)
			return option;
	return NULL;
}

const struct cli_option *cli_option_of(const struct cli_verb *verb, const char *name)
{
	return find_option(verb, name, strlen(name));
}

static const struct cli_option *find_letter(const struct cli_verb *verb, char letter)
{
	const struct cli_option *option;
	for (size_t i = 0; (option = cli_option_at(verb, i)); i++)
		if (option->letter == letter)
			return option;
	return NULL;
}

static int unknown_option(const struct cli_verb *verb, const char *word, struct bench_error *error)
{
	const struct cli_option *option;
	const char *names[64];
	size_t count = 0;
	for (; count < 64 && (option = cli_option_at(verb, count)); count++)
		names[count] = option->name;
	char name[64];
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="), word + 2);
	const char *nearest = word[1] == '-' ? bench_text_nearest(name, names, count) : NULL;
	if (nearest)
		return bench_fail(
			error, BENCH_USAGE,
			"bench %s has no option '%s'; did you mean '--%s'? 'bench %s --help' lists them",
			verb->name, word, nearest, verb->name);
	return bench_fail(error, BENCH_USAGE, "bench %s has no option '%s'; 'bench %s --help' lists them",
			  verb->name, word, verb->name);
}

/* "n=512" and "n=1024" are "n=512,1024". Returns whether an earlier --set of the parameter took the values.
 */
static bool join_set(struct cli_args *args, const struct cli_option *option, const char *value)
{
	const size_t key = strcspn(value, "=") + 1;
	if (strcmp(option->name, "set") != 0 || key > strlen(value) || !value[key])
		return false;
	for (size_t i = 0; i < args->given_count; i++) {
		if (args->given[i] != option || strncmp(args->values[i], value, key) != 0)
			continue;
		args->values[i] = bench_arena_format(args->arena, "%s,%s", args->values[i], value + key);
		return true;
	}
	return false;
}

static void push(struct cli_args *args, const struct cli_option *option, const char *value)
{
	if (join_set(args, option, value))
		return;
	size_t count = args->given_count;
	BENCH_PUSH(args->arena, args->given, count) = option;
	BENCH_PUSH(args->arena, args->values, args->given_count) = value;
}

/* One option at argv[*at]; moves *at on to its value where that stands apart. */
static int take_option(const struct cli_verb *verb, int argc, char **argv, int *at, struct cli_args *args,
		       struct bench_error *error)
{
	const char *word = argv[*at], *value = NULL;
	const struct cli_option *option;
	if (word[1] == '-') {
		size_t length = strcspn(word + 2, "=");
		option = find_option(verb, word + 2, length);
		if (word[2 + length] == '=')
			value = word + 3 + length;
	} else {
		option = find_letter(verb, word[1]);
		if (word[2])
			value = word + 2;
	}
	if (!option)
		return unknown_option(verb, word, error);
	if (option == help_option) {
		args->help = true;
		return 0;
	}
	if (!option->argument && value)
		return bench_fail(error, BENCH_USAGE, "--%s takes no value, but '%s' was given", option->name,
				  value);
	if (option->argument && !value) {
		if (*at + 1 >= argc)
			return bench_fail(error, BENCH_USAGE, "--%s needs a value: --%s %s", option->name,
					  option->name, option->argument);
		value = argv[++*at];
		/* A forgotten value would swallow the next option, and the command would do something else.
		 */
		if (strncmp(value, "--", 2) == 0 && find_option(verb, value + 2, strcspn(value + 2, "=")))
			return bench_fail(error, BENCH_USAGE,
					  "--%s needs a value, and '%s' is an option: --%s %s (or --%s=%s)",
					  option->name, value, option->name, option->argument, option->name,
					  value);
	}
	push(args, option, value ? value : "");
	return 0;
}

int cli_parse(const struct cli_verb *verb, int argc, char **argv, struct bench_arena *arena,
	      struct cli_args *args, struct bench_error *error)
{
	*args = (struct cli_args){.arena = arena, .verb = verb};
	bool options = true;
	for (int i = 0; i < argc; i++) {
		if (options && strcmp(argv[i], "--") == 0) {
			options = false;
		} else if (options && argv[i][0] == '-' && argv[i][1]) {
			if (take_option(verb, argc, argv, &i, args, error) != 0)
				return -1;
		} else {
			BENCH_PUSH(args->arena, args->operands, args->operand_count) = argv[i];
		}
	}
	if (!args->help && args->operand_count > verb->max_operands)
		return bench_fail(
			error, BENCH_USAGE,
			"bench %s does not take the argument '%s'; 'bench %s --help' lists what it takes",
			verb->name, args->operands[verb->max_operands], verb->name);
	return 0;
}

static size_t count_given(const struct cli_args *args, const struct cli_option *option)
{
	size_t count = 0;
	for (size_t i = 0; i < args->given_count; i++)
		count += args->given[i] == option;
	return count;
}

const char *cli_repeated(struct cli_args *args)
{
	const char *note = NULL;
	for (size_t i = 0; i < args->given_count && !note; i++) {
		const struct cli_option *option = args->given[i];
		const size_t count = count_given(args, option);
		if (count > 1 && option->argument && !(option->help && strstr(option->help, "repeatable")))
			note = bench_arena_format(args->arena, "--%s is given %zu times: the last one counts",
						  option->name, count);
	}
	return note;
}

static const char *given_value(const struct cli_args *args, const char *name)
{
	for (size_t i = args->given_count; i > 0; i--)
		if (strcmp(args->given[i - 1]->name, name) == 0)
			return args->values[i - 1];
	return NULL;
}

const char *cli_value(const struct cli_args *args, const char *name)
{
	const char *value = given_value(args, name);
	return value ? value : cli_default(args, name, NULL);
}

bool cli_given(const struct cli_args *args, const char *name)
{
	return given_value(args, name) != NULL;
}

bool cli_said(const struct cli_args *args, const char *name)
{
	for (size_t i = args->project_count; i < args->given_count; i++)
		if (strcmp(args->given[i]->name, name) == 0)
			return true;
	return false;
}

const char *const *cli_values(const struct cli_args *args, const char *name, size_t *count)
{
	const char **values = bench_arena_alloc(args->arena, args->given_count + 1, sizeof(*values));
	*count = 0;
	for (size_t i = 0; i < args->given_count; i++)
		if (strcmp(args->given[i]->name, name) == 0)
			values[(*count)++] = args->values[i];
	return values;
}

#define WIDTH      80
#define OPTIONS_AT 31 /* where the help of options begins */

/* Words from `column` on; further lines begin at `margin`. Ends the line. */
static void add_wrapped(struct bench_text *out, const char *text, size_t length, size_t column, size_t margin)
{
	const char *end = text + length;
	bool first = true;
	while (text < end) {
		size_t word = 0;
		while (text + word < end && text[word] != ' ')
			word++;
		if (!first && column + 1 + word > WIDTH) {
			bench_text_add(out, "\n%*s", (int)margin, "");
			column = margin;
		} else if (!first) {
			bench_text_add(out, " ");
			column++;
		}
		bench_text_add_bytes(out, text, word);
		column += word;
		first = false;
		text += word;
		while (text < end && *text == ' ')
			text++;
	}
	bench_text_add(out, "\n");
}

const char *cli_option_text(const struct cli_verb *verb, const struct cli_option *option,
			    struct bench_arena *arena)
{
	struct bench_text text = {0};
	bench_text_add(&text, "%s",
		       option->help ? option->help : bench_format_list(arena, verb->rendered, "or"));
	cli_default_text(verb, option->name, &text);
	return bench_text_keep(&text, arena);
}

void cli_help_option(struct bench_text *out, const struct cli_option *option, const char *help)
{
	char left[64];
	snprintf(left, sizeof(left), "%s%c%s--%s%s%s", option->letter ? "-" : "",
		 option->letter ? option->letter : ' ', option->letter ? ", " : "   ", option->name,
		 option->argument ? " " : "", option->argument ? option->argument : "");
	bench_text_add(out, "  %-28s ", left);
	if (strlen(left) > OPTIONS_AT - 3)
		bench_text_add(out, "\n%*s", OPTIONS_AT, "");
	add_wrapped(out, help, strlen(help), OPTIONS_AT, OPTIONS_AT);
}

const char *cli_next_line(const char **rest, size_t *length)
{
	const char *line = *rest;
	if (!*line)
		return NULL;
	*length = strcspn(line, "\n");
	*rest = line + *length + (line[*length] == '\n');
	return line;
}

void cli_help_indented(struct bench_text *out, const char *text)
{
	size_t length;
	const char *line;
	while ((line = cli_next_line(&text, &length)))
		bench_text_add(out, "%s%.*s\n", length ? "  " : "", (int)length, line);
}

static void add_usage(struct bench_text *out, const struct cli_verb *verb)
{
	const char *rest = verb->usage, *line;
	size_t length;
	while ((line = cli_next_line(&rest, &length))) {
		bench_text_add(out, "  bench %s%s", verb->name, length ? " " : "");
		add_wrapped(out, line, length, strlen("  bench  ") + strlen(verb->name), 8);
	}
}

/* A line of the text, none of which is empty, ends where a sentence does; other line ends are the source's.
 */
static void add_about(struct bench_text *out, const char *about)
{
	BENCH_SCOPED_TEXT joined = {0};
	const char *line;
	size_t length;
	bench_text_add(out, "\n");
	while ((line = cli_next_line(&about, &length))) {
		bench_text_add(&joined, "%s%.*s", joined.length ? " " : "", (int)length, line);
		if ((length == 0 || line[length - 1] != '.') && *about)
			continue;
		add_wrapped(out, joined.data, joined.length, 0, 0);
		joined.length = 0;
	}
}

void cli_help(const struct cli_verb *verb, struct bench_text *out)
{
	bench_text_add(out, "bench %s: %s\n\nUsage:\n", verb->name, verb->summary);
	add_usage(out, verb);
	if (verb->about)
		add_about(out, verb->about);
	bench_text_add(out, "\nOptions:\n");
	const struct cli_option *option;
	for (size_t i = 0; (option = cli_option_at(verb, i)); i++) {
		BENCH_SCOPED_ARENA arena = {0};
		cli_help_option(out, option, cli_option_text(verb, option, &arena));
	}
	bench_text_add(out, "\nExamples:\n");
	cli_help_indented(out, verb->examples);
}
