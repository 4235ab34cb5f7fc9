/* SPDX-License-Identifier: MIT */
/* What became of a history's alarms: whether they were right. Pure. */
#ifndef BENCH_COMPARE_ALARM_STATS_H
#define BENCH_COMPARE_ALARM_STATS_H

#include "compare/compare.h"
#include "core/arena.h"
#include "record/alarm.h"

/*
 * Of all alarms, or of those with a metric of a suite or an owner, judged by these metrics alone. Accepted:
 * closed, and one metric was accepted; recovered: closed otherwise. Days are from the first bad run to the
 * run that closed the last metric, and of an open alarm until now.
 */
struct bench_alarm_stats {
	const char *by, *name; /* by: "all", "suite" or "owner"; name: "" of all */
	size_t opened, accepted, recovered, open;
	double days_median, days_longest; /* NaN: no alarm */
};

/* A row of all, then suites, then owners, each by name; in the arena. Metrics without an owner have no row.
 */
void bench_compare_alarm_stats(const struct bench_alarm *alarms, size_t count,
			       const struct bench_compare_options *options, int64_t now,
			       struct bench_arena *arena, struct bench_alarm_stats **rows, size_t *row_count);

#endif
