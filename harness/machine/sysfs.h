/* SPDX-License-Identifier: MIT */
/* Small files of the kernel: a number, or a word, in each. */
#ifndef BENCH_MACHINE_SYSFS_H
#define BENCH_MACHINE_SYSFS_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/error.h"

/*
 * The text of a file without the blanks at its end, cut to `size`. BENCH_NOTHING: there is none;
 * BENCH_UNSUPPORTED: it cannot be read. The error names the file and the cause.
 */
int bench_machine_sysfs_text(const char *path, char *out, size_t size, struct bench_error *error);
/* The number, not negative, that the file holds and nothing else; else BENCH_UNSUPPORTED likewise. */
int bench_machine_sysfs_number(const char *path, double *value, struct bench_error *error);
/*
 * The names in a folder that start with `prefix`, sorted by length and letter, so that 10 comes after 9: at
 * most `most`. Returns how many; 0 also where there is no such folder.
 */
#define BENCH_SYSFS_NAME 48
size_t bench_machine_sysfs_names(const char *folder, const char *prefix, char (*names)[BENCH_SYSFS_NAME],
				 size_t most);

#endif
