/* SPDX-License-Identifier: MIT */
/* A call of a verb: what verbs work on, made before them and freed behind them. */
#ifndef BENCH_CLI_CALL_H
#define BENCH_CLI_CALL_H

#include "cli/options.h"
#include "report/render/grid.h"
#include "store/store.h"

struct cli_call {
	struct cli_args *args; /* whose arena is the call's */
	struct bench_report_options report;
	struct bench_store *store; /* NULL until the verb opens it */
	struct bench_grid grid;
	struct bench_text out; /* what is printed at the end */
};

/* What an operand makes of a verb that does several things: `bench alarms accept`. */
struct cli_word {
	const char *name;
	const char *takes;  /* which operands; NULL: none, and the message names the first */
	size_t least, most; /* how many, itself among them; least 0 of the first word: it may be left out */
	const char *options[4]; /* that other words lack; ends with NULL */
	int (*run)(struct cli_call *call, struct bench_error *error); /* as that of a verb */
};

/* Runs the verb; returns the exit status. What goes wrong is said, in the format of the CI, too. */
int cli_call(struct cli_args *args);

/* The store of --db, as the call's: to read from it, or to change it. */
int cli_open_store(struct cli_call *call, struct bench_error *error);
int cli_change_store(struct cli_call *call, struct bench_error *error);

/*
 * The run of that name (bench_app_load_run); the caller frees it. The call has the history then, if there is
 * one. A run folder needs none, unless `history` is needed for more than that.
 */
int cli_load_run(struct cli_call *call, const char *name, bool history, struct bench_run **run,
		 struct bench_error *error);

/* Adds the grid, in the format of the report, to what is printed. */
void cli_add_grid(struct cli_call *call);
/* Adds it, and prints, as cli_print does. */
int cli_print_grid(struct cli_call *call, int status);
/* The same, but does not add it where it has no row and people read. */
int cli_print_rows(struct cli_call *call, int status);

#endif
