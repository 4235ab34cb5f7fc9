/* SPDX-License-Identifier: MIT */
/*
 * Where a metric stands: what the comparisons of its newest run and its alarms come to. Pure, as all of this
 * room.
 */
#ifndef BENCH_COMPARE_STANDING_H
#define BENCH_COMPARE_STANDING_H

#include "compare/compare.h"
#include "record/alarm.h"

/* Reports list the worst first. */
enum bench_standing {
	BENCH_STANDS_UNJUDGED,
	BENCH_STANDS_SAME,
	BENCH_STANDS_UNCLEAR,
	BENCH_STANDS_NEW,
	BENCH_STANDS_FASTER,
	BENCH_STANDS_RECOVERED,
	BENCH_STANDS_SUSPECTED,
	BENCH_STANDS_SLOWER,
	BENCH_STANDS_MISSING,
	BENCH_STANDS_BROKEN,
};
#define BENCH_STANDINGS 10

const char *bench_compare_standing_name(enum bench_standing standing); /* "slower", ...; "" where unjudged */

/* By the name of a verdict; BENCH_STANDS_UNJUDGED where there is no such verdict. */
enum bench_standing bench_compare_standing_of(const char *verdict);

/*
 * Of two comparisons of one run, by the texts of their baselines: does the first outrank the second? What a
 * gate judges by (an anchor, then a rolling baseline) outranks what somebody asked for.
 */
bool bench_compare_standing_outranks(const char *baseline, const char *other);

/*
 * The same metric under an alarm. One that is open outlasts a night that could not decide; one that closed as
 * recovered with the metric's newest run is shown as recovered.
 */
enum bench_standing bench_compare_standing_under(enum bench_standing standing,
						 const struct bench_alarm_metric *metric,
						 const char *newest_run);

#endif
