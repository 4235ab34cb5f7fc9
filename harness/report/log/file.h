/* How entries are told apart in the file of the experiment log. */
#ifndef BENCH_REPORT_LOG_FILE_H
#define BENCH_REPORT_LOG_FILE_H

#include "core/text.h"

/* The line that an entry begins with, "<!-- run: ID -->\n": it says whose entry it is. */
void bench_log_add_marker(const char *id, struct bench_text *out);

#endif
