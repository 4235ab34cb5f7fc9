/* SPDX-License-Identifier: MIT */
/*
 * Suites of commands: programs of any kind, run from their start to their end. Each is described by a JSON
 * object, whose members docs/suites/exec.md lists; it is an extension of kind "exec".
 */
#ifndef SUITES_EXEC_EXEC_H
#define SUITES_EXEC_EXEC_H

#include <cjson/cJSON.h>
#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "bench/suite.h"
#include "core/arena.h"

enum {
	BENCH_EXEC_COMMANDS = 8,
	BENCH_EXEC_PARAMS = 16, /* `command`, and placeholders */
	BENCH_EXEC_FIGURES = 16,
	BENCH_EXEC_MOST_RUNS = 1000,
};
/* Where the output goes: to a pipe that is read at once, or to /dev/null. */
#define BENCH_EXEC_PIPE   "pipe"
#define BENCH_EXEC_NULL   "null"
#define BENCH_EXEC_OUTPUT ((size_t)1 << 20) /* the limit of the output where none is given */

struct bench_exec_command {
	const char *name;
	char **words; /* ends with NULL: assignments of the environment, the program, its arguments; with a
			 shell: what it is to run */
	size_t assignments;
	const char *program;    /* words[assignments], or the shell */
	const char *shell_word; /* the first that a shell would not pass on as it is; NULL: none */
	const char *hash;       /* of the program's content, 16 hexadecimal digits; "": not known */
};

/* How the output is checked. One of them, or none. */
struct bench_exec_expected {
	const char *output; /* exactly this text */
	const char *file;   /* what is in this file, whose name may have placeholders */
	bool match;         /* `pattern` matches somewhere */
	regex_t pattern;
};

/* A figure in the output: the first group of the pattern. */
struct bench_exec_figure {
	regex_t pattern;
	const char *text;   /* of the pattern */
	double times, over; /* in the metric's unit it is the number times the one and divided by the other */
};

struct bench_exec {
	struct bench_suite suite; /* a hook has it by bench_case->suite */
	struct bench_exec_command commands[BENCH_EXEC_COMMANDS];
	size_t command_count;
	struct bench_exec_command prepare, cleanup; /* before each timed run, and after all; no words: none */
	size_t warmups;                             /* runs before the first that counts */
	size_t runs;           /* timed ones in an invocation; 0: as many as there is time for */
	const char *shell;     /* NULL: none */
	const char *directory; /* NULL: here */
	const char *input;     /* NULL: nothing */
	const char *output; /* BENCH_EXEC_PIPE, BENCH_EXEC_NULL or a file, whose name may have placeholders */
	bool looked_at;     /* the output, by a check or for a figure */
	int status;         /* expected */
	struct bench_exec_expected expected;
	struct bench_exec_figure figures[BENCH_EXEC_FIGURES];
	size_t figure_count;
	size_t output_limit;
	struct bench_param params[BENCH_EXEC_PARAMS + 1];
	bool swept[BENCH_EXEC_PARAMS]; /* the description has values of it */
	struct bench_metric_spec metrics[BENCH_EXEC_FIGURES + 16];
	const char *sweeps[2];
};

/*
 * Reads a description into `exec`, zeroed, which keeps pointers into `object` and `arena`, and whose suite
 * can be added once. BENCH_USAGE with what is wrong, and *at, a value of the object where that is known.
 */
int bench_exec_read(const cJSON *object, struct bench_arena *arena, struct bench_exec *exec, const cJSON **at,
		    struct bench_error *error);
/* Frees the patterns. */
void bench_exec_free(struct bench_exec *exec);

/* Reads an extension, and adds its suite. */
int bench_exec_add(const cJSON *extension, struct bench_error *error);

/* The words of a command line, quoted as a shell has it; NULL where a quote is not closed. */
char **bench_exec_split(const char *line, struct bench_arena *arena, size_t *count);
/*
 * The first word of a command line that is not what it is to a shell: unquoted it has an operator, a
 * variable, a pattern, or begins with '~' or '#'. Its text is copied to the arena. NULL if every word means
 * the same to a shell.
 */
const char *bench_exec_shell_word(const char *line, struct bench_arena *arena);
/*
 * The name of the placeholder that begins at `text`, and the length of both braces and what is between them;
 * 0 if none does. "{{x}}" is not a placeholder: it is an escaped "{x}".
 */
size_t bench_exec_placeholder(const char *text, char *name, size_t size);

/* Its metrics, figures apart; and the hooks (exec.c). */
enum {
	BENCH_EXEC_CPU,
	BENCH_EXEC_USER,
	BENCH_EXEC_SYSTEM,
	BENCH_EXEC_PEAK,
	BENCH_EXEC_COUNTED, /* as many as there are counters */
	BENCH_EXEC_STARTUP = BENCH_EXEC_COUNTED + 3,
	BENCH_EXEC_NET,
	BENCH_EXEC_METRICS,
};
extern const struct bench_metric_spec bench_exec_metrics[BENCH_EXEC_METRICS];
extern const struct bench_suite bench_exec_hooks;

#endif
