/* Options that bring code of the user's: what each gives becomes an extension (extend/extend.h). */
#ifndef BENCH_CLI_EXTENSIONS_H
#define BENCH_CLI_EXTENSIONS_H

#include "cli/exec.h"
#include "cli/options.h"

/* What cli_extend reads. The last is what the others become, as 'bench list extensions' shows it. */
#define CLI_OPTIONS_EXTEND                                                                                   \
	CLI_OPTIONS_EXEC, CLI_OPTION("extension", 0, "JSON",                                                 \
				     "an extension as a run has recorded it; may be repeated")

/* Adds the extensions that these arguments give. BENCH_USAGE with the file, and where it has lines the line.
 */
int cli_extend(const struct cli_args *args, struct bench_error *error);

#endif
