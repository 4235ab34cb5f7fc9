/* SPDX-License-Identifier: MIT */
/*
 * An arena: memory that is freed all at once. A run record, a plan and a comparison each
 * own one, so that nothing inside them is freed alone.
 */
#ifndef BENCH_CORE_ARENA_H
#define BENCH_CORE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct bench_arena {
	struct bench_arena_block *blocks; /* {0} is an empty arena */
};

/*
 * Zeroed memory, aligned for any type; never NULL: a process that cannot get the few kilobytes of a record
 * cannot go on (memory.h). Callers bound sizes that come from outside.
 */
void *bench_arena_alloc(struct bench_arena *arena, size_t count, size_t size);
char *bench_arena_string(struct bench_arena *arena, const char *text); /* NULL gives NULL */
char *bench_arena_format(struct bench_arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
char *bench_arena_vformat(struct bench_arena *arena, const char *format, va_list arguments)
	__attribute__((format(printf, 2, 0)));
/* Makes room in an array of `count` elements for one more. It may move; capacity is known from count alone.
 */
void bench_arena_grow(struct bench_arena *arena, void *array_pointer, size_t count, size_t size);
/* Adds an element to the array, zeroed, and returns it. */
void *bench_arena_push(struct bench_arena *arena, void *array_pointer, size_t *count, size_t size);
/* Adds an element, as an lvalue of its own type, which is to be assigned: BENCH_PUSH(arena, words, n) = word.
 */
#define BENCH_PUSH(arena, array, count)                                                                      \
	(*(bench_arena_grow(arena, &(array), count, sizeof(*(array))), &(array)[(count)++]))
/* The memory that the arena holds, in bytes. */
size_t bench_arena_bytes(const struct bench_arena *arena);
void bench_arena_free(struct bench_arena *arena);
/* In place of `struct bench_arena`, for a local variable that is freed wherever its block is left. It starts
 * as {0}, and no goto jumps over it. */
#define BENCH_SCOPED_ARENA __attribute__((cleanup(bench_arena_free))) struct bench_arena

#endif
