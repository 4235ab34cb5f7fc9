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

int bench_fail(struct bench_error *error, enum bench_code code, const char *format, ...)
{
	if (!error)
		return -1;
	error->code = code;
	/* Apart from error->text, which may be among the arguments. */
	char *whole = NULL;
	va_list arguments;
	va_start(arguments, format);
	const int length = vasprintf(&whole, format, arguments);
	va_end(arguments);
	if (length < 0)
		snprintf(error->text, sizeof(error->text), "no memory for the text of an error: %s", format);
	else if ((size_t)length < sizeof(error->text))
		memcpy(error->text, whole, (size_t)length + 1);
	else
		shorten(error->text, sizeof(error->text), whole, (size_t)length);
	free(length < 0 ? NULL : whole);
	/* One line: an API's own text may bring line ends, which would break logs and tables. */
	for (char *c = error->text; *c; c++)
		if (*c == '\n' || *c == '\r')
			*c = ' ';
	return -1;
}
