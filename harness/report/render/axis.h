/* SPDX-License-Identifier: MIT */
/* What pictures share, whatever draws them: the values that an axis can show, and samples along one. */
#ifndef BENCH_REPORT_RENDER_AXIS_H
#define BENCH_REPORT_RENDER_AXIS_H

#include "record/record.h"

/* A file may hold any double; within these bounds whatever a picture computes stays finite. */
#define BENCH_AXIS_MOST 1e150

static inline bool bench_render_axis_is_usable(double value)
{
	return value >= -BENCH_AXIS_MOST && value <= BENCH_AXIS_MOST;
}

/* The same for a logarithmic axis. */
static inline bool bench_render_axis_is_positive(double value)
{
	return value >= 1 / BENCH_AXIS_MOST && value <= BENCH_AXIS_MOST;
}

/* The usable samples of all invocations of a metric, sorted, in `arena`; NULL: none of no metric. */
double *bench_render_axis_samples(const struct bench_metric *metric, struct bench_arena *arena,
				  size_t *count);

#endif
