/* SPDX-License-Identifier: MIT */
/*
 * A command's process: started without a shell, its output taken up to a limit, waited for, and ended with
 * all that it has started.
 */
#ifndef SUITES_EXEC_PROCESS_H
#define SUITES_EXEC_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "bench/error.h"
#include "core/text.h"

/*
 * What all runs of a case share. It ends the command that runs where this process dies, and cannot do so
 * itself.
 */
struct bench_exec_guard {
	pid_t pid; /* of the process that waits for that; 0: there is none */
	int alive; /* the end of a pipe that nobody else holds */
	volatile pid_t *group;
	int sink;                      /* where what is read and not kept goes */
	struct bench_exec_guard *next; /* private to process.c */
};
int bench_exec_guard_open(struct bench_exec_guard *guard, struct bench_error *error);
void bench_exec_guard_close(struct bench_exec_guard *guard);

struct bench_exec_start {
	const char *program;      /* a path; relative, it counts from `directory` */
	char *const *words;       /* argv, ends with NULL */
	char *const *environment; /* ends with NULL */
	const char *directory;    /* where it runs; NULL: here */
	const char *input;        /* the file on its standard input, a path as of the program; NULL: none */
	const char *output;       /* the file that its standard output goes to, likewise; NULL: it is read */
	bool keep_output;         /* what is read; else it is dropped */
	size_t limit;             /* of the output, in bytes; a command that prints more is ended */
	struct bench_exec_guard *guard;
};

struct bench_exec_end {
	int status;               /* as waitpid has it */
	bool flooded;             /* it was ended, since it printed more than the limit */
	double user, system;      /* seconds, with those of the processes that it has waited for */
	double peak_bytes;        /* of the largest of them; at least what this process holds */
	struct bench_text output; /* its standard output; the caller frees it */
	char complaint[200];      /* the first line of its standard error */
};

/*
 * Runs it to its end; `end` may hold the output of an earlier one, which goes. Processes that it leaves in
 * its process group are killed; bench_exec_end_left kills the others. BENCH_FAILED if it cannot be started.
 */
int bench_exec_run(const struct bench_exec_start *start, struct bench_exec_end *end,
		   struct bench_error *error);

/* Kills what commands have left running outside of their process groups, as by setsid(). Not to be timed. */
void bench_exec_end_left(void);

/*
 * The file that a program's name means: itself where it has a '/', seen from `directory` (NULL: here), else
 * the first in PATH that can be executed. False if there is no such file.
 */
bool bench_exec_find(const char *program, const char *directory, char *path, size_t size);

#endif
