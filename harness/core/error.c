#include "bench/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUT " [...] "

static bool is_within(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* A long path must not push out what was wrong with it, which is said behind it: the middle goes. */
static void shorten(char *out, size_t size, const char *whole, size_t length)
{
	size_t head = (size - sizeof(CUT)) / 2, tail = size - sizeof(CUT) - head;
	while (head > 0 && is_within(whole[head]))
		head--;
	while (tail > 0 && is_within(whole[length - tail]))
		tail--;
	snprintf(out, size, "%.*s" CUT "%s", (int)head, whole, whole + length - tail);
}

static void format_text(char *out, size_t size, const char *format, va_list arguments)
{
	char *whole = NULL;
	va_list again;
	va_copy(again, arguments);
	const int length = vsnprintf(out, size, format, arguments);
	if (length >= (int)size && vasprintf(&whole, format, again) == length)
		shorten(out, size, whole, (size_t)length);
	free(whole);
	va_end(again);
}

int bench_fail(struct bench_error *error, enum bench_code code, const char *format, ...)
{
	if (!error)
		return -1;
	error->code = code;
	va_list arguments;
	va_start(arguments, format);
	format_text(error->text, sizeof(error->text), format, arguments);
	va_end(arguments);
	/* One line: an API's own text may bring line ends, which would break logs and tables. */
	for (char *c = error->text; *c; c++)
		if (*c == '\n' || *c == '\r')
			*c = ' ';
	return -1;
}
