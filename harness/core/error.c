/* SPDX-License-Identifier: MIT */
#include "bench/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"

#define CUT " [...] "

static bool is_within(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* The cause follows the path, and a long path must not push it out: the middle goes. */
static void shorten(char *out, size_t size, const char *whole, size_t length)
{
	size_t head = (size - sizeof(CUT)) / 2, tail = size - sizeof(CUT) - head;
	while (head > 0 && is_within(whole[head]))
		head--;
	while (tail > 0 && is_within(whole[length - tail]))
		tail--;
	snprintf(out, size, "%.*s" CUT "%s", (int)head, whole, whole + length - tail);
}

int bench_fail(struct bench_error *error, enum bench_code code, const char *format, ...)
{
	if (!error)
		return -1;
	error->code = code;
	/* Apart from error->text, which may be among the arguments. Only a long text needs memory. */
	char text[sizeof(error->text)] = "", *whole = NULL;
	va_list arguments;
	va_start(arguments, format);
	const int length = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (length >= (int)sizeof(text)) {
		va_start(arguments, format);
		if (vasprintf(&whole, format, arguments) == length)
			shorten(text, sizeof(text), whole, (size_t)length);
		va_end(arguments);
		free(whole);
	}
	memcpy(error->text, text, sizeof(text));
	/* One line of text: an API's own may bring line ends, which would break logs and tables, and "%.60s"
	 * may cut a character of a file's in two. */
	for (char *c = error->text; *c; c++)
		if (*c == '\n' || *c == '\r')
			*c = ' ';
	for (const char *cut = error->text; (cut = bench_text_not_utf8(cut));)
		error->text[cut - error->text] = '?';
	return -1;
}
