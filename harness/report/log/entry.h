/* The parts of an entry that have a file of their own. */
#ifndef BENCH_REPORT_LOG_ENTRY_H
#define BENCH_REPORT_LOG_ENTRY_H

#include "report/log/log.h"

/* results.c, comparison.c: a section each. Of several runs they name the one that numbers are of. */
void bench_log_add_results(const struct bench_log_run *runs, size_t count, struct bench_text *out);
void bench_log_add_comparison(const struct bench_log_run *runs, size_t count, struct bench_text *out);

#endif
