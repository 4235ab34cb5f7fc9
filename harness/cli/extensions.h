/* Options that bring code of the user's: what each gives becomes an extension (extend/extend.h). */
#ifndef BENCH_CLI_EXTENSIONS_H
#define BENCH_CLI_EXTENSIONS_H

#include "cli/options.h"

/* Adds the extensions that these arguments give. BENCH_USAGE with the file, and where it has lines the line.
 */
int cli_extend(const struct cli_args *args, struct bench_error *error);

/* --kernel and --spec: extension_kernel.c. */
int cli_extend_kernels(const struct cli_args *args, struct bench_error *error);

#endif
