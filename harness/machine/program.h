/* SPDX-License-Identifier: MIT */
/*
 * What of this program decides what it measures: its file, the kernels that it reads live, and the options
 * that it builds them with. Two programs with the same identity measure the same code.
 */
#ifndef BENCH_MACHINE_PROGRAM_H
#define BENCH_MACHINE_PROGRAM_H

#include "bench/error.h"
#include "core/arena.h"

/* Variables of the environment that belong to the program and not to the machine; ended by NULL. */
extern const char *const bench_machine_program_variables[];
#define BENCH_MACHINE_PROGRAM_VARIABLES 2

/* The folder that kernels are read from (BENCH_KERNELS); NULL: those in the executable. */
const char *bench_machine_program_kernels(void);

/* The names of the files in a folder, sorted, without what is hidden. */
int bench_machine_program_list(const char *folder, struct bench_arena *arena, char ***names, size_t *count,
			       struct bench_error *error);

/*
 * The kernels that BENCH_KERNELS=folder may read: its files, and the .cl files of its subfolders
 * ("gemm/gemm_cpu.cl"), sorted by their names without the folder.
 */
int bench_machine_program_list_kernels(const char *folder, struct bench_arena *arena, char ***names,
				       size_t *count, struct bench_error *error);

/*
 * The identity, 16 hexadecimal digits, by content: an executable, folders of kernels and of extensions (NULL:
 * none), and a value for each of the variables (NULL or "": not set).
 */
int bench_machine_program_identity(const char *executable, const char *kernels, const char *extensions,
				   const char *const *values, struct bench_arena *arena, char **identity,
				   struct bench_error *error);

#endif
