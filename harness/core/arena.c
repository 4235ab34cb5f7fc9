/* SPDX-License-Identifier: MIT */
#include "core/arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

/* Blocks double with what an arena holds: the baseline of a year has hundreds of megabytes. */
#define LEAST_BLOCK ((size_t)16 * 1024)
#define MOST_BLOCK  ((size_t)8 * 1024 * 1024)

struct bench_arena_block {
	struct bench_arena_block *next;
	size_t used, capacity;
	alignas(max_align_t) char data[];
};

static _Noreturn void out_of_memory(size_t count, size_t size)
{
	bench_memory_exhausted("%zu x %zu bytes for a record", count, size);
}

static size_t next_capacity(const struct bench_arena_block *current)
{
	if (!current)
		return LEAST_BLOCK;
	return current->capacity < MOST_BLOCK / 2 ? 2 * current->capacity : MOST_BLOCK;
}

void *bench_arena_alloc(struct bench_arena *arena, size_t count, size_t size)
{
	const size_t align = alignof(max_align_t);
	if (size && count > (SIZE_MAX - LEAST_BLOCK) / size)
		out_of_memory(count, size);
	size_t bytes = (count * size + align - 1) / align * align;
	struct bench_arena_block *block = arena->blocks;
	if (!block || block->capacity - block->used < bytes) {
		const size_t usual = next_capacity(block);
		const size_t capacity = bytes > usual ? bytes : usual;
		block = bench_memory_alloc_large(sizeof(*block) + capacity);
		block->capacity = capacity;
		/* A large allocation gets a separate block; the rest of the current block stays in use. */
		struct bench_arena_block **link =
			capacity > usual && arena->blocks ? &arena->blocks->next : &arena->blocks;
		block->next = *link;
		*link = block;
	}
	void *memory = block->data + block->used;
	block->used += bytes;
	return memory;
}

char *bench_arena_string(struct bench_arena *arena, const char *text)
{
	if (!text)
		return NULL;
	size_t size = strlen(text) + 1;
	return memcpy(bench_arena_alloc(arena, size, 1), text, size);
}

char *bench_arena_vformat(struct bench_arena *arena, const char *format, va_list arguments)
{
	va_list again;
	va_copy(again, arguments);
	int length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	size_t size = (size_t)(length < 0 ? 0 : length) + 1;
	char *text = bench_arena_alloc(arena, size, 1);
	vsnprintf(text, size, format, arguments);
	return text;
}

char *bench_arena_format(struct bench_arena *arena, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	char *text = bench_arena_vformat(arena, format, arguments);
	va_end(arguments);
	return text;
}

void bench_arena_grow(struct bench_arena *arena, void *array_pointer, size_t count, size_t size)
{
	/* Capacity is the power of two at or above count, 4 at least: full when count is such a power. */
	char *array;
	if (count && (count < 4 || (count & (count - 1)) != 0))
		return;
	if (count > SIZE_MAX / 2)
		out_of_memory(count, size);
	memcpy(&array, array_pointer, sizeof(array));
	char *grown = bench_arena_alloc(arena, count ? 2 * count : 4, size);
	if (count)
		memcpy(grown, array, count * size);
	memcpy(array_pointer, &grown, sizeof(grown));
}

void *bench_arena_push(struct bench_arena *arena, void *array_pointer, size_t *count, size_t size)
{
	char *array;
	bench_arena_grow(arena, array_pointer, *count, size);
	memcpy(&array, array_pointer, sizeof(array));
	return memset(array + (*count)++ * size, 0, size);
}

size_t bench_arena_bytes(const struct bench_arena *arena)
{
	size_t bytes = 0;
	for (const struct bench_arena_block *block = arena->blocks; block; block = block->next)
		bytes += sizeof(*block) + block->capacity;
	return bytes;
}

void bench_arena_free(struct bench_arena *arena)
{
	struct bench_arena_block *block = arena->blocks;
	while (block) {
		struct bench_arena_block *next = block->next;
		free(block);
		block = next;
	}
	arena->blocks = NULL;
}
