#include "bench/error.h"

#include <stdarg.h>
#include <stdio.h>

int bench_fail(struct bench_error *error, enum bench_code code, const char *format, ...)
{
	if (!error)
		return -1;
	error->code = code;
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(error->text, sizeof(error->text), format, arguments);
	va_end(arguments);
	/* One line: an API's own text may bring line ends, which would break logs and tables. */
	for (char *c = error->text; *c; c++)
		if (*c == '\n' || *c == '\r')
			*c = ' ';
	return -1;
}
