/* SPDX-License-Identifier: MIT */
#include "core/memory.h"

#include <cjson/cJSON.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define WORTH_LARGE_PAGES ((size_t)4 * 1024 * 1024)
#define LARGE_PAGE        ((size_t)2 * 1024 * 1024) /* of x86; elsewhere only what lies in a whole one is one */
#define CACHE_LINE        64

static void (*installed)(const char *text);

void *bench_memory_alloc(size_t count, size_t size)
{
	/* A size of 0 may give NULL, and callers need not think of it. */
	void *memory = calloc(count ? count : 1, size ? size : 1);
	if (!memory)
		bench_memory_exhausted("%zu x %zu bytes", count, size);
	return memory;
}

/* Wishes for large pages where they are worth it. */
static void wish_large_pages(char *memory, size_t size)
{
#ifdef MADV_HUGEPAGE
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), before = -(uintptr_t)memory & (page - 1);
	if (size >= WORTH_LARGE_PAGES)
		(void)madvise(memory + before, (size - before) / page * page, MADV_HUGEPAGE);
#else
	(void)memory;
	(void)size;
#endif
}

void *bench_memory_alloc_large(size_t size)
{
	char *memory = bench_memory_alloc(1, size);
	/* Taking many small pages in costs more than reading into them. */
	wish_large_pages(memory, size);
	return memory;
}

void *bench_memory_alloc_operand(size_t size)
{
	void *memory;
	if (posix_memalign(&memory, size >= WORTH_LARGE_PAGES ? LARGE_PAGE : CACHE_LINE, size) != 0)
		return NULL;
	wish_large_pages(memory, size);
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
