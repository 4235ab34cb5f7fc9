/* bench run --validate: the same program again, under Oclgrind. */
#ifndef BENCH_CLI_VALIDATE_H
#define BENCH_CLI_VALIDATE_H

#include "cli/options.h"

/*
 * Starts this program again under Oclgrind with the options given, and with those that suit a validation
 * where they were not: suite correctness at small sizes, on OpenCL, once, out of the history. Returns the
 * exit status; under Oclgrind already, it is never called (cli_validating).
 */
int cli_validate(const struct cli_args *args);

/* Is this program running under Oclgrind, started by cli_validate? */
bool cli_validating(void);

#endif
