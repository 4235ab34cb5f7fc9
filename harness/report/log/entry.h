/* SPDX-License-Identifier: MIT */
/* The parts of an entry that separate files write. */
#ifndef BENCH_REPORT_LOG_ENTRY_H
#define BENCH_REPORT_LOG_ENTRY_H

#include "report/log/log.h"

/* results.c, comparison.c: one section each. With several runs, the section names the run of each block. */
void bench_log_add_results(const struct bench_log_run *runs, size_t count, struct bench_text *out);
void bench_log_add_comparison(const struct bench_log_run *runs, size_t count, struct bench_text *out);

#endif
