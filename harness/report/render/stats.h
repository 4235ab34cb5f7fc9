/* SPDX-License-Identifier: MIT */
/* How the samples of each case are distributed, as text: --stats. */
#ifndef BENCH_REPORT_RENDER_STATS_H
#define BENCH_REPORT_RENDER_STATS_H

#include "core/text.h"
#include "record/record.h"

/*
 * Of each case that is ok: minimum, maximum, mean, standard deviation, quartiles and a histogram of all
 * samples of its time, which fit 80 columns. A case without a time shows its first measured metric.
 */
void bench_render_stats(const struct bench_run *run, struct bench_text *out);

#endif
