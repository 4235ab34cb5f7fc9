/* SPDX-License-Identifier: MIT */
#include "backends/opencl/launch/signature.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 16 };

struct word {
	const char *text;
	size_t length;
};

static bool is(struct word word, const char *text)
{
	return strlen(text) == word.length && memcmp(text, word.text, word.length) == 0;
}

static bool is_letter(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

const char *const bench_opencl_elements[BENCH_OPENCL_ELEMENTS] = {
	"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double"};

const char *bench_opencl_element(const char *type, unsigned *width)
{
	static const unsigned widths[] = {2, 3, 4, 8, 16};
	const size_t length = strcspn(type, "0123456789");
	for (size_t i = 0; i < BENCH_OPENCL_ELEMENTS; i++) {
		const char *element = bench_opencl_elements[i];
		char text[16];
		if (strlen(element) != length || strncmp(element, type, length) != 0)
			continue;
		*width = 1;
		if (!type[length])
			return element;
		for (size_t w = 0; w < sizeof(widths) / sizeof(widths[0]); w++) {
			snprintf(text, sizeof(text), "%u", *width = widths[w]);
			if (strcmp(text, type + length) == 0)
				return element;
		}
	}
	return NULL;
}

bool bench_opencl_is_object(const char *type)
{
	static const char *const objects[] = {"sampler_t", "event_t",   "clk_event_t",
					      "queue_t",   "ndrange_t", "reserve_id_t"};
	const size_t length = strlen(type);
	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++)
		if (strcmp(objects[i], type) == 0)
			return true;
	return length > 7 && strncmp(type, "image", 5) == 0 && strcmp(type + length - 2, "_t") == 0;
}

/* What a word says that names no type; false: it names one. */
static bool qualify(struct word word, struct bench_opencl_parameter *parameter)
{
	static const struct {
		const char *word;
		int space; /* -1: none */
		bool object;
	} words[] = {
		{"global", BENCH_OPENCL_GLOBAL, false},
		{"constant", BENCH_OPENCL_CONSTANT, false},
		{"local", BENCH_OPENCL_LOCAL, false},
		{"private", -1, false},
		{"const", -1, false},
		{"volatile", -1, false},
		{"restrict", -1, false},
		{"read_only", -1, true},
		{"write_only", -1, true},
		{"read_write", -1, true},
		{"pipe", -1, true},
	};
	/* "__global" is "global", and "__restrict__" "restrict". */
	while (word.length > 2 && word.text[0] == '_' && word.text[1] == '_') {
		word.text += 2;
		word.length -= 2;
	}
	if (word.length > 2 && strncmp(word.text + word.length - 2, "__", 2) == 0)
		word.length -= 2;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (is(word, words[i].word)) {
			if (words[i].space >= 0)
				parameter->space = (enum bench_opencl_space)words[i].space;
			parameter->object |= words[i].object;
			return true;
		}
	return false;
}

/* Integers of several words, such as "long unsigned int", by OpenCL's own names; false: it is none. */
static bool name_integer(const struct word *words, size_t count, char *type, size_t size)
{
	static const char *const parts[] = {"signed", "unsigned", "char", "short", "int", "long"};
	bool seen[6] = {false};
	for (size_t i = 0; i < count; i++) {
		size_t part = 0;
		while (part < 6 && !is(words[i], parts[part]))
			part++;
		if (part == 6)
			return false;
		seen[part] = true;
	}
	if (count == 0)
		return false;
	snprintf(type, size, "%s%s", seen[1] ? "u" : "",
		 seen[2]   ? "char"
		 : seen[3] ? "short"
		 : seen[5] ? "long"
			   : "int");
	return true;
}

static bool is_type_word(struct word word)
{
	static const char *const words[] = {"signed", "unsigned", "char", "short",  "int",
					    "long",   "float",    "void", "double", "half"};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (is(word, words[i]))
			return true;
	return false;
}

/* The end of "(...)", which begins at `text`. */
static const char *skip_brackets(const char *text, const char *end)
{
	int depth = 0;
	for (; text < end; text++) {
		depth += (*text == '(') - (*text == ')');
		if (depth == 0 && *text == ')')
			return text + 1;
	}
	return end;
}

void bench_opencl_parameter_read(const char *text, size_t length, bool named,
				 struct bench_opencl_parameter *parameter)
{
	struct word words[MOST_WORDS];
	size_t count = 0;
	const char *end = text + length;
	*parameter = (struct bench_opencl_parameter){0};
	while (text < end) {
		struct word word = {text, 0};
		while (text + word.length < end && is_letter(text[word.length]))
			word.length++;
		text += word.length ? word.length : 1;
		if (word.length == 0) {
			parameter->pointer |= *word.text == '*' || *word.text == '[';
			if (*word.text == '[') /* how many there are is no name */
				while (text < end && *text != ']')
					text++;
		} else if (is(word, "__attribute__")) {
			text = skip_brackets(text, end);
		} else if (!qualify(word, parameter)) {
			if (count == MOST_WORDS)
				return;
			words[count++] = word;
		}
	}
	if (named && count > 1 && !is_type_word(words[count - 1]))
		count--;
	if (name_integer(words, count, parameter->type, sizeof(parameter->type)))
		return;
	for (size_t i = 0, at = 0; i < count && at + words[i].length + 2 < sizeof(parameter->type); i++)
		at += (size_t)snprintf(parameter->type + at, sizeof(parameter->type) - at, "%s%.*s",
				       i ? " " : "", (int)words[i].length, words[i].text);
}

/* The source without comments and texts; '#' stands for each line of the preprocessor. NULL: no memory. */
static char *strip(const char *source)
{
	char *out = malloc(strlen(source) + 1), *to = out;
	bool fresh = true; /* nothing but blanks on this line so far */
	while (out && *source) {
		size_t length = 1;
		char as = *source;
		if (strncmp(source, "/*", 2) == 0) {
			const char *close = strstr(source + 2, "*/");
			length = close ? (size_t)(close + 2 - source) : strlen(source);
			as = ' ';
		} else if (strncmp(source, "//", 2) == 0) {
			length = strcspn(source, "\n");
			as = ' ';
		} else if (*source == '"' || *source == '\'') {
			while (source[length] && source[length] != *source && source[length] != '\n')
				length += source[length] == '\\' && source[length + 1] ? 2 : 1;
			length += source[length] == *source;
			as = '"';
		} else if (*source == '#' && fresh) {
			while (source[length] && source[length] != '\n')
				length += source[length] == '\\' && source[length + 1] ? 2 : 1;
		}
		fresh = as == '\n' || (fresh && isspace((unsigned char)as));
		*to++ = as;
		source += length;
	}
	if (out)
		*to = '\0';
	return out;
}

/* Is the word `kernel` in the declaration that leads up to `at`? */
static bool declares_kernel(const char *source, const char *at)
{
	const char *from = at;
	while (from > source && !strchr(";{}#", from[-1]))
		from--;
	for (const char *word = from; (word = strstr(word, "kernel")) && word < at; word++)
		if (!is_letter(word[6]) && (word == source || word[-1] == '_' || !is_letter(word[-1])))
			return true;
	return false;
}

/* The '(' of the one definition of `kernel`; NULL: there is none, or more. */
static const char *find_definition(const char *source, const char *kernel)
{
	const size_t length = strlen(kernel);
	const char *found = NULL;
	for (const char *at = source; length && (at = strstr(at, kernel)); at += length) {
		const char *open = at + length + strspn(at + length, " \t\r\n");
		if ((at > source && is_letter(at[-1])) || *open != '(' || !declares_kernel(source, at))
			continue;
		const char *after = skip_brackets(open, source + strlen(source));
		if (after[strspn(after, " \t\r\n")] != '{')
			continue;
		if (found)
			return NULL;
		found = open;
	}
	return found;
}

size_t bench_opencl_signature(const char *source, const char *kernel,
			      struct bench_opencl_parameter *parameters, size_t most)
{
	char *text = strip(source);
	const char *open = text ? find_definition(text, kernel) : NULL;
	const char *end = open ? skip_brackets(open, text + strlen(text)) - 1 : NULL;
	size_t count = 0;
	if (open && !memchr(open, '#', (size_t)(end - open)))
		for (const char *from = open + 1, *at = from; at <= end && count < most; at++) {
			if (*at == '(')
				at = skip_brackets(at, end) - 1;
			else if (*at == ',' || at == end) {
				bench_opencl_parameter_read(from, (size_t)(at - from), true,
							    &parameters[count]);
				from = at + 1;
				if (parameters[count].type[0])
					count++;
			}
		}
	free(text);
	/* "(void)" takes none. */
	return count == 1 && !parameters[0].pointer && strcmp(parameters[0].type, "void") == 0 ? 0 : count;
}
