/* SPDX-License-Identifier: MIT */
#include "suites/kernel/reader.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"

/* "FILE:LINE:COLUMN: what", for what is found to be wrong later. */
const char *bench_kernel_reader_place(const struct bench_kernel_reader *reader, const cJSON *item,
				      const char *what)
{
	struct bench_error text;
	bench_json_place_fail(reader->text, reader->file, reader->root, item, false, 0, &text, "%s", what);
	return bench_arena_string(reader->arena, text.text);
}

/* All members are of `names`, which ends with NULL, and none is there twice. */
int bench_kernel_reader_members(const struct bench_kernel_reader *reader, const cJSON *object,
				const char *what, const char *const *names)
{
	BENCH_SCOPED_TEXT words = {0};
	size_t count = 0;
	while (names[count])
		count++;
	const cJSON *stray = bench_json_place_stray(object, what, names, count, &words);
	if (stray)
		FAIL_AT_NAME(reader, stray, "%s", words.data);
	return stray ? -1 : 0;
}

int bench_kernel_reader_string(const struct bench_kernel_reader *reader, const cJSON *object,
			       const char *name, const char **value)
{
	const cJSON *item = bench_json_member(object, name);
	if (!item)
		return 0;
	if (!cJSON_IsString(item) || !*item->valuestring)
		return FAIL_AT(reader, item,
			       cJSON_IsString(item) ? "'%s' is empty" : "'%s' is a text in quotes", name);
	*value = bench_arena_string(reader->arena, item->valuestring);
	return 0;
}

bool bench_kernel_reader_is_name(const char *text)
{
	size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
	return length > 0 && length < 32 && !text[length] && !isdigit((unsigned char)text[0]);
}

/* More about a name that a check does not know, although an argument has it. */
static const char *why_unseen(const struct bench_kernel_reader *reader, const char *what, const char *cause)
{
	const cJSON *argument;
	cJSON_ArrayForEach(argument, bench_json_member(reader->root, "args"))
	{
		char start[96];
		const char *name = bench_json_string_or(argument, "name", "");
		snprintf(start, sizeof(start), "there is no name '%.60s'", name);
		if (*name && strcmp(what, "check") == 0 && strncmp(cause, start, strlen(start)) == 0)
			return " (checks see the 'out' buffers that stand earlier in 'args')";
	}
	return "";
}

/* An expression, or a number, over the first `symbols` symbols. */
int bench_kernel_reader_expr(const struct bench_kernel_reader *reader, const cJSON *item, const char *what,
			     size_t symbols, bool random, struct bench_kernel_expr *into)
{
	struct bench_error cause;
	char number[40];
	const char *text = number;
	size_t at;
	if (cJSON_IsNumber(item))
		snprintf(number, sizeof(number), "%.17g", item->valuedouble);
	else if (cJSON_IsString(item))
		text = item->valuestring;
	else
		return FAIL_AT(reader, item, "%s: expected a number, or an expression in quotes", what);
	if (bench_expr_parse(text, reader->spec->symbols, symbols, random, reader->arena, &into->expr, &at,
			     &cause) != 0)
		return bench_json_place_fail(reader->text, reader->file, reader->root, item, false,
					     cJSON_IsString(item) ? at + 1 : 0, reader->error, "%s: %s%s",
					     what, cause.text, why_unseen(reader, what, cause.text));
	into->place = bench_kernel_reader_place(reader, item, what);
	return 0;
}

/* Beyond a loop its counter has no name, so that the first symbols are parameters and counters. */
int bench_kernel_reader_shape(const struct bench_kernel_reader *reader, const cJSON *object, const char *name,
			      struct bench_kernel_shape *shape)
{
	const cJSON *item = bench_json_member(object, name);
	if (!item)
		return 0;
	shape->count = 0;
	if (!cJSON_IsArray(item)) {
		shape->count = 1;
		return bench_kernel_reader_expr(reader, item, name, bench_kernel_spec_indices(reader->spec),
						false, &shape->extents[0]);
	}
	for (const cJSON *extent = item->child; extent; extent = extent->next) {
		if (shape->count == BENCH_KERNEL_DIMENSIONS)
			return FAIL_AT(reader, extent, "'%s' has more than %d dimensions", name,
				       BENCH_KERNEL_DIMENSIONS);
		if (bench_kernel_reader_expr(reader, extent, name, bench_kernel_spec_indices(reader->spec),
					     false, &shape->extents[shape->count++]) != 0)
			return -1;
	}
	return shape->count ? 0 : FAIL_AT(reader, item, "'%s' has no dimension", name);
}

/* A text with {NAME} for values of parameters. */
int bench_kernel_reader_words(const struct bench_kernel_reader *reader, const cJSON *object, const char *name,
			      struct bench_kernel_words *words)
{
	const cJSON *item = bench_json_member(object, name);
	if (!item)
		return 0;
	words->place = bench_kernel_reader_place(reader, item, name);
	return bench_kernel_reader_string(reader, object, name, &words->text);
}

/* Is this place of the source in a comment or in quotes? */
static bool is_comment(const char *source, const char *place)
{
	for (const char *at = source, *end; at <= place; at = end) {
		end = at + 1;
		if (strncmp(at, "//", 2) == 0) {
			end = at + strcspn(at, "\n");
		} else if (strncmp(at, "/*", 2) == 0) {
			end = strstr(at + 2, "*/");
			end = end ? end + 2 : strchr(at, '\0');
		} else if (*at == '"') {
			while (*end && *end != '"' && *end != '\n')
				end += *end == '\\' && end[1] ? 2 : 1;
			end += *end == '"';
		}
		if (end > place && end > at + 1)
			return true;
	}
	return false;
}

const char *bench_kernel_reader_kernel(const struct bench_kernel_reader *reader, const char **source)
{
	static const char blanks[] = " \t\r\n";
	for (const char *at = *source; (at = strstr(at, "kernel")); at += strlen("kernel")) {
		const char *word = at + strlen("kernel");
		if (!strchr(blanks, *word))
			continue;
		for (word += strspn(word, blanks); *word && strncmp(word, "void", 4) != 0;) {
			/* Only attributes may stand between. */
			if (strncmp(word, "__attribute__", 13) != 0 || !strchr(word, ')'))
				break;
			word = strchr(word, ')') + strspn(strchr(word, ')'), ")");
			word += strspn(word, blanks);
		}
		if (strncmp(word, "void", 4) != 0 || !strchr(blanks, word[4]))
			continue;
		word += 4 + strspn(word + 4, blanks);
		size_t length = 0;
		while (isalnum((unsigned char)word[length]) || word[length] == '_')
			length++;
		*source = word + length;
		if (length && !is_comment(reader->spec->source, at))
			return bench_arena_format(reader->arena, "%.*s", (int)length, word);
	}
	return NULL;
}
