#include "core/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void (*installed)(const char *text);

void bench_memory_on_exhausted(void (*handler)(const char *text))
{
	installed = handler;
}

void bench_memory_exhausted(const char *format, ...)
{
	char text[128] = "out of memory: ";
	size_t length = sizeof("out of memory: ") - 1;
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text + length, sizeof(text) - length, format, arguments);
	va_end(arguments);
	if (installed)
		installed(text);
	abort();
}
