/* SPDX-License-Identifier: MIT */
/* What verbs print: reports, verdicts, grids. */
#ifndef BENCH_CLI_OUTPUT_H
#define BENCH_CLI_OUTPUT_H

#include "cli/exit.h"
#include "cli/options.h"
#include "report/format/format.h"

/* Prints a buffer on stdout and frees it. CLI_BROKEN_PIPE, silently, where nobody reads it any more,
 * CLI_ENVIRONMENT where stdout cannot be written, else `status`. */
int cli_print(struct bench_text *text, int status);

/* Is it a terminal on which more can be done than to add lines? TERM=dumb: no. */
bool cli_is_screen(int file);

/* Columns of the terminal that stdout is; 0: not a terminal. */
unsigned cli_columns(void);

/*
 * --format, of those that can render what the verb shows, --strict, --new-only, --only, --all, --wide and
 * --columns, whose names are not checked; the width where stdout is a terminal. Colors: NO_COLOR says no,
 * else CLICOLOR_FORCE says yes, else where it is a screen.
 */
int cli_report_options(const struct cli_args *args, struct bench_report_options *options,
		       struct bench_error *error);

/* BENCH_USAGE where --columns names what is neither a metric of the harness nor one of `own`. */
int cli_check_columns(const char *const *columns, const char *const *own, size_t own_count,
		      struct bench_error *error);

/*
 * Prints a comparison on stdout; with format github also, as Markdown, at the end of the file that
 * GITHUB_STEP_SUMMARY names. Returns `status`, or CLI_ENVIRONMENT where stdout cannot be written.
 */
int cli_print_verdicts(const struct bench_comparison *comparison, const struct bench_report_options *options,
		       int status);
/* cli_fail for a verb that prints verdicts: also reports the error in the format of the CI. */
int cli_refuse(const struct cli_args *args, const struct bench_report_options *options,
	       const struct bench_error *error);
/* Keeps the verdicts in the history, for the year after; a warning on stderr where it cannot be written. */
void cli_keep_verdicts(const struct cli_args *args, const struct bench_comparison *comparison);

#endif
