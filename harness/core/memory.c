#include "core/memory.h"

#include <cjson/cJSON.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void (*installed)(const char *text);

void *bench_memory_alloc(size_t count, size_t size)
{
	/* A size of 0 may give NULL, and callers need not think of it. */
	void *memory = calloc(count ? count : 1, size ? size : 1);
	if (!memory)
		bench_memory_exhausted("%zu x %zu bytes", count, size);
	return memory;
}

static void *alloc_for_json(size_t size)
{
	void *memory = malloc(size);
	if (!memory)
		bench_memory_exhausted("%zu bytes of JSON", size);
	return memory;
}

void bench_memory_on_exhausted(void (*handler)(const char *text))
{
	cJSON_Hooks hooks = {.malloc_fn = alloc_for_json, .free_fn = free};
	cJSON_InitHooks(&hooks);
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
