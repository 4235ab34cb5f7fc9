#include "core/json_place.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Line and column, from 1, of the character at `offset`. */
static void find_line(const char *text, size_t offset, size_t *line, size_t *column)
{
	*line = *column = 1;
	for (size_t i = 0; i < offset && text[i]; i++) {
		*column = text[i] == '\n' ? 1 : *column + 1;
		*line += text[i] == '\n';
	}
}

cJSON *bench_json_place_parse(const char *text, const char *file, struct bench_error *error)
{
	const char *end = text;
	size_t line, column;
	cJSON *root = cJSON_ParseWithLengthOpts(text, strlen(text) + 1, &end, true);
	if (root)
		return root;
	find_line(text, (size_t)(end - text), &line, &column);
	if (*end)
		bench_fail(error, BENCH_USAGE, "%s:%zu:%zu: not valid JSON at '%.*s'", file, line, column,
			   (int)strcspn(end, "\n") < 20 ? (int)strcspn(end, "\n") : 20, end);
	else
		bench_fail(error, BENCH_USAGE, "%s:%zu:%zu: not valid JSON: the text ends here", file, line,
			   column);
	return NULL;
}

/* How many values stand before `item` in the order of the text; true once it is found. */
static bool count_before(const cJSON *value, const cJSON *item, size_t *count)
{
	if (value == item)
		return true;
	++*count;
	for (const cJSON *child = value->child; child; child = child->next)
		if (count_before(child, item, count))
			return true;
	return false;
}

static const char *behind_string(const char *at)
{
	for (at++; *at && *at != '"'; at++)
		at += *at == '\\' && at[1];
	return *at ? at + 1 : at;
}

/* The text is valid JSON: the value that `before` others precede begins here, or its name does. */
static size_t find_value(const char *text, size_t before, bool name)
{
	const char *at = text, *last_name = NULL;
	for (;;) {
		at += strspn(at, " \t\r\n,:]}");
		const char *start = at;
		if (!*at)
			return (size_t)(at - text);
		if (*at == '"')
			at = behind_string(at);
		else if (*at == '{' || *at == '[')
			at++;
		else
			at += strcspn(at, " \t\r\n,:]}");
		if (*start == '"' && at[strspn(at, " \t\r\n")] == ':') {
			last_name = start;
			continue;
		}
		if (before-- == 0)
			return (size_t)((name && last_name ? last_name : start) - text);
	}
}

int bench_json_place_fail(const char *text, const char *file, const cJSON *root, const cJSON *item, bool name,
			  size_t into, struct bench_error *error, const char *format, ...)
{
	char words[sizeof(error->text)];
	size_t before = 0, line, column;
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(words, sizeof(words), format, arguments);
	va_end(arguments);
	count_before(root, item, &before);
	find_line(text, find_value(text, before, name) + into, &line, &column);
	return bench_fail(error, BENCH_USAGE, "%s:%zu:%zu: %s", file, line, column, words);
}
