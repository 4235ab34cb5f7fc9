/* The user's editor. */
#ifndef BENCH_CLI_EDITOR_H
#define BENCH_CLI_EDITOR_H

#include "bench/error.h"

/* Has $VISUAL or $EDITOR change a file, and waits. BENCH_USAGE without an editor; BENCH_FAILED if it fails.
 */
int cli_edit(const char *path, struct bench_error *error);

#endif
