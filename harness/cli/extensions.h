/* SPDX-License-Identifier: MIT */
/* Options that bring code of the user's: what each gives becomes an extension (extend/extend.h). */
#ifndef BENCH_CLI_EXTENSIONS_H
#define BENCH_CLI_EXTENSIONS_H

#include "cli/exec.h"
#include "cli/options.h"

/* What cli_extend reads. The last is what the others become, as 'bench list extensions' shows it. */
#define CLI_OPTIONS_EXTEND                                                                                   \
	CLI_OPTIONS_EXEC,                                                                                    \
		{"kernel", 0, "F.cl", "your own OpenCL C kernel (docs/user-kernels.md); repeatable"},        \
		{"spec", 0, "F.json", "the specification of the kernel; repeatable"},                        \
		{"plugin", 0, "F.so", "a shared object with suites, backends or functions; repeatable"},     \
		CLI_OPTION("extension", 0, "JSON|F",                                                         \
			   "a kernel, plug-in or command as a run's record has it, as JSON or in a file; "   \
			   "repeatable")

/* Adds the extensions that these arguments give. BENCH_USAGE with the file, and where it has lines the line.
 */
int cli_extend(const struct cli_args *args, struct bench_error *error);

#endif
