/* Accepted shifts, as the words of 'bench baseline' that are about them. */
#ifndef BENCH_CLI_ACCEPT_H
#define BENCH_CLI_ACCEPT_H

#include "cli/cli.h"

#define CLI_OPTIONS_ACCEPT                                                                                   \
	{"why", 0, "TEXT", "accept: why the shift is right"},                                                \
		{"since", 0, "RUN",                                                                          \
		 "accept, unaccept: the first run that counts (default: the last one here)"},                \
	{                                                                                                    \
		"all-hosts", 0, NULL, "accept: for every host, not for that of the run alone"                \
	}

/* Each is -1 with the error. `args->operands[1]` is the pattern of accept and unaccept. */
int cli_accept(const struct cli_args *args, struct bench_store *store, struct bench_error *error);
int cli_accepted(struct bench_store *store, const struct bench_report_options *report, struct bench_text *out,
		 struct bench_error *error);
int cli_unaccept(const struct cli_args *args, struct bench_store *store, struct bench_error *error);

#endif
