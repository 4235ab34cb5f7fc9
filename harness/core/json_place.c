/* SPDX-License-Identifier: MIT */
#include "core/json_place.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"

/* Line and column, from 1, of the character at `offset`. */
static void find_line(const char *text, size_t offset, size_t *line, size_t *column)
{
	*line = *column = 1;
	for (size_t i = 0; i < offset && text[i]; i++) {
		*column = text[i] == '\n' ? 1 : *column + 1;
		*line += text[i] == '\n';
	}
}

static const char *behind_string(const char *at)
{
	for (at++; *at && *at != '"'; at++)
		at += *at == '\\' && at[1];
	return *at ? at + 1 : at;
}

/* Blanks, as cJSON has them. */
static const char *skip_blanks(const char *at)
{
	while (*at && (unsigned char)*at <= ' ')
		at++;
	return at;
}

/* A place in the text of a document that is valid. */
struct place {
	const char *at;   /* behind the value, or behind the bracket that begins it */
	const char *name; /* of the value, if it is a member */
	const char *value;
};

/* Moves on to the next value, in the order of the text; false at its end. */
static bool next_value(struct place *place)
{
	static const char scalar[] = "+-.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	const char *at = place->at;
	place->name = NULL;
	while (*at) {
		const char *start = at;
		if (*at == '"') {
			at = behind_string(at);
			if (*skip_blanks(at) == ':') {
				place->name = start;
				continue;
			}
		} else if (strchr(scalar, *at)) {
			at += strspn(at, scalar);
		} else if (*at++ != '{' && *start != '[') {
			continue;
		}
		place->at = at;
		place->value = start;
		return true;
	}
	return false;
}

/* Gives the numbers from `value` on, which is the next of the text, what is written there. */
static void keep_numbers(cJSON *value, struct place *place)
{
	if (!next_value(place))
		return;
	if (cJSON_IsNumber(value)) {
		const size_t length = (size_t)(place->at - place->value);
		value->valuestring = cJSON_malloc(length + 1);
		if (!value->valuestring)
			bench_memory_exhausted("a number of a JSON document");
		memcpy(value->valuestring, place->value, length);
		value->valuestring[length] = '\0';
	}
	for (cJSON *child = value->child; child; child = child->next)
		keep_numbers(child, place);
}

/* "\u0000", at which texts end, so that the rest of one would be ignored; NULL: there is none. */
static const char *find_zero(const char *text)
{
	for (const char *at = text; (at = strchr(at, '\\')); at += 2) {
		if (strncmp(at, "\\u0000", 6) == 0)
			return at;
		if (!at[1])
			break;
	}
	return NULL;
}

/* Lists and objects that are open at `end`. */
static int depth_at(const char *text, const char *end)
{
	int depth = 0;
	bool inside = false;
	for (const char *at = text; at < end; at++) {
		inside ^= *at == '"';
		at += inside && *at == '\\' && at + 1 < end;
		depth += inside ? 0 : (*at == '[' || *at == '{') - (*at == ']' || *at == '}');
	}
	return depth;
}

cJSON *bench_json_place_parse(const char *text, const char *file, struct bench_error *error)
{
	const char *end = text;
	size_t line, column;
	const char *zero = find_zero(text), *other = bench_text_not_utf8(text), *wrong = zero ? zero : other;
	if (wrong) {
		find_line(text, (size_t)(wrong - text), &line, &column);
		bench_fail(error, BENCH_USAGE, "%s:%zu:%zu: %s", file, line, column,
			   zero ? "a text holds the character \\u0000" : "this is no text in UTF-8");
		return NULL;
	}
	cJSON *root = cJSON_ParseWithLengthOpts(text, strlen(text) + 1, &end, true);
	if (root) {
		struct place place = {.at = text};
		keep_numbers(root, &place);
		return root;
	}
	find_line(text, (size_t)(end - text), &line, &column);
	if (depth_at(text, end) >= CJSON_NESTING_LIMIT)
		bench_fail(error, BENCH_USAGE, "%s:%zu:%zu: more than %d levels deep", file, line, column,
			   CJSON_NESTING_LIMIT);
	else if (*end)
		bench_fail(error, BENCH_USAGE, "%s:%zu:%zu: not valid JSON at '%.*s'", file, line, column,
			   (int)strcspn(end, "\n") < 20 ? (int)strcspn(end, "\n") : 20, end);
	else
		bench_fail(error, BENCH_USAGE, "%s:%zu:%zu: not valid JSON: the text ends here", file, line,
			   column);
	return NULL;
}

/* Moves on to `item`, which is `value` or in it; false where it is not. */
static bool find_item(const cJSON *value, const cJSON *item, struct place *place)
{
	if (!next_value(place) || value == item)
		return true;
	for (const cJSON *child = value->child; child; child = child->next)
		if (find_item(child, item, place))
			return true;
	return false;
}

int bench_json_place_fail(const char *text, const char *file, const cJSON *root, const cJSON *item, bool name,
			  size_t into, struct bench_error *error, const char *format, ...)
{
	char words[sizeof(error->text)];
	struct place place = {.at = text, .value = text};
	size_t line, column;
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(words, sizeof(words), format, arguments);
	va_end(arguments);
	find_item(root, item, &place);
	const char *at = name && place.name ? place.name : place.value;
	find_line(text, (size_t)(at - text) + into, &line, &column);
	return bench_fail(error, BENCH_USAGE, "%s:%zu:%zu: %s", file, line, column, words);
}

const cJSON *bench_json_place_stray(const cJSON *object, const char *what, const char *const *names,
				    size_t count, struct bench_text *words)
{
	const cJSON *member;
	cJSON_ArrayForEach(member, object)
	{
		size_t known = 0;
		while (known < count && strcmp(names[known], member->string) != 0)
			known++;
		if (known < count && cJSON_GetObjectItemCaseSensitive(object, member->string) == member)
			continue;
		if (known < count) {
			bench_text_add(words, "%s has '%s' twice", what, member->string);
			return member;
		}
		const char *nearest = bench_text_nearest(member->string, names, count);
		bench_text_add(words, "%s has no member '%s'%s%s%s", what, member->string,
			       BENCH_DID_YOU_MEAN(nearest));
		for (size_t i = 0; !nearest && i < count; i++)
			bench_text_add(words, "%s%s", i ? ", " : ": it may have ", names[i]);
		return member;
	}
	return NULL;
}
