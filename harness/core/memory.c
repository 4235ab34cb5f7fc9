#include "core/memory.h"

#include <cjson/cJSON.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define WORTH_LARGE_PAGES ((size_t)4 * 1024 * 1024)

static void (*installed)(const char *text);

void *bench_memory_alloc(size_t count, size_t size)
{
	/* A size of 0 may give NULL, and callers need not think of it. */
	void *memory = calloc(count ? count : 1, size ? size : 1);
	if (!memory)
		bench_memory_exhausted("%zu x %zu bytes", count, size);
	return memory;
}

void *bench_memory_alloc_large(size_t size)
{
	char *memory = bench_memory_alloc(1, size);
#ifdef MADV_HUGEPAGE
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), before = -(uintptr_t)memory & (page - 1);
	/* A wish: taking many small pages in costs more than reading into them. */
	if (size >= WORTH_LARGE_PAGES)
		(void)madvise(memory + before, (size - before) / page * page, MADV_HUGEPAGE);
#endif
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
