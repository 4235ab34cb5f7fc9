/* SPDX-License-Identifier: MIT */
/*
 * Memory for the bookkeeping of this program: a record, a text, the scratch of a statistic. It is
 * there, or the process ends, so that nothing is ever left out of a result for want of it. Large
 * blocks that a case or a file asks for (operands, whole files) come from bench_memory_alloc_operand or
 * malloc(3), whose caller reports BENCH_NO_MEMORY.
 */
#ifndef BENCH_CORE_MEMORY_H
#define BENCH_CORE_MEMORY_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Zeroed memory for `count` elements of `size` bytes, never NULL; free(3) frees it. Any thread. */
void *bench_memory_alloc(size_t count, size_t size);

/* The same for `size` bytes that are going to be used; where they are many, in large pages if the system has
 * some. */
void *bench_memory_alloc_large(size_t size);

/*
 * `size` bytes for an operand of a kernel, aligned to 64 bytes or more, contents undefined; NULL without
 * memory. free(3) frees it. Large blocks use huge pages if the system has them, as NumPy's arrays do: a
 * product that reads its matrix from memory takes up to 4% less time (docs/notes/kernel-experiments.md). Any
 * thread.
 */
void *bench_memory_alloc_operand(size_t size);

/* Frees what the pointer at `variable` points to. */
static inline void bench_memory_release(const void *variable)
{
	void *memory;
	memcpy(&memory, variable, sizeof(memory));
	free(memory);
}
/* Before a local pointer, whose memory free(3) then frees wherever its block is left. It starts as NULL or
 * with the memory, and no goto jumps over it. Not for what malloc(3) or calloc(3) gives in the same file:
 * clang-tidy 14 would report a leak. */
#define BENCH_SCOPED_MEMORY __attribute__((cleanup(bench_memory_release)))

/* Calls the handler of the process with a line of text: "out of memory: " and what was wanted. */
_Noreturn void bench_memory_exhausted(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Installs the handler, once and before there are threads: it must not return, nor ask for memory. Without
 * one the process is aborted. From then on cJSON's memory is of this kind, too: what builds or prints a
 * document needs no check.
 */
void bench_memory_on_exhausted(void (*handler)(const char *text));

#endif
