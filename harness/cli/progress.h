/* Progress on stderr: a bar with the time left on a terminal, a line a case elsewhere. */
#ifndef BENCH_CLI_PROGRESS_H
#define BENCH_CLI_PROGRESS_H

#include <stdbool.h>

#include "measure/session/session.h"

struct cli_progress {
	bool terminal; /* stderr is one */
	bool drawn;    /* a bar stands there now */
	unsigned width;
};

void cli_progress_start(struct cli_progress *progress);
/* The session's callback; `context` is a struct cli_progress. */
void cli_progress_show(void *context, const struct bench_session_progress *now);
/* Says something above the bar. */
void cli_progress_warn(void *context, const char *text);
/* Takes the bar away. */
void cli_progress_end(struct cli_progress *progress);

#endif
