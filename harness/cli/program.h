/* SPDX-License-Identifier: MIT */
/* The program as a whole: its verbs and own options, in one table, from which come its help, its man pages
 * and its completions. */
#ifndef BENCH_CLI_PROGRAM_H
#define BENCH_CLI_PROGRAM_H

#include "cli/options.h"

struct cli_program {
	const char *summary;
	const struct cli_verb *const *verbs;  /* ends with NULL */
	const struct cli_option *own_options; /* in place of a verb; ends with a NULL name */
	const char *examples;
};

/* BENCH_USAGE naming the nearest. */
int cli_find_verb(const struct cli_program *program, const char *name, const struct cli_verb **verb,
		  struct bench_error *error);

/* What `bench --help` prints. */
void cli_program_help(const struct cli_program *program, struct bench_text *out);
/* What `bench --version` prints: what this was built from and how, and the libraries that it runs with. */
void cli_program_version(struct bench_text *out);

/* A page for man(1), of a verb or, where that is NULL, of the program. */
void cli_manual(const struct cli_program *program, const struct cli_verb *verb, struct bench_text *out);

/* Completions for bash, zsh or fish. BENCH_USAGE for another shell. */
int cli_completion(const struct cli_program *program, const char *shell, struct bench_text *out,
		   struct bench_error *error);

/* An environment variable that users set. Ends with a NULL name. */
struct cli_variable {
	const char *name, *means;
};
extern const struct cli_variable cli_variables[];

#endif
