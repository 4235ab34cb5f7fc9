/* SPDX-License-Identifier: MIT */
/* The files of a thread under /proc/self/task. */
#ifndef BENCH_MACHINE_THREAD_H
#define BENCH_MACHINE_THREAD_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The beginning of THREAD/FILE in the open folder `tasks`, as text. False if it cannot be read: a thread may
 * have ended since the folder was read.
 */
bool bench_machine_thread_read(int tasks, const char *thread, const char *file, char *text, size_t size);

#endif
