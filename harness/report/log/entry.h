/* SPDX-License-Identifier: MIT */
/* The parts of an entry that separate files write. */
#ifndef BENCH_REPORT_LOG_ENTRY_H
#define BENCH_REPORT_LOG_ENTRY_H

#include "report/log/log.h"

/* outcome.c: the outcome of a run in a sentence, in `arena`: a text from outside. */
char *bench_log_outcome(struct bench_arena *arena, const struct bench_log_run *run);
/* Did the metric move, one way or the other? NULL: no. */
bool bench_log_moved(const struct bench_verdict *verdict);
/* The title of an entry that nobody named: suites, what was varied, the outcome, hosts. */
void bench_log_add_purpose(const struct bench_log_run *runs, size_t count, struct bench_text *out);

/* results.c, comparison.c: one section each. With several runs, the section names the run of each block. */
void bench_log_add_results(const struct bench_log_run *runs, size_t count, struct bench_text *out);
void bench_log_add_comparison(const struct bench_log_run *runs, size_t count, struct bench_text *out);

#endif
