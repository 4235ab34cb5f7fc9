/* What happens when there is no memory for the few kilobytes of a record or a text. */
#ifndef BENCH_CORE_MEMORY_H
#define BENCH_CORE_MEMORY_H

/* Calls the handler of the process with a line of text: "out of memory: " and what was wanted. */
_Noreturn void bench_memory_exhausted(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Installs the handler, once and before there are threads: it must not return, nor ask for memory. Without
 * one the process is aborted.
 */
void bench_memory_on_exhausted(void (*handler)(const char *text));

#endif
