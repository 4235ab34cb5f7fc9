/* SPDX-License-Identifier: MIT */
#include "compare/standing.h"

#include <string.h>

#include "compare/baseline.h"

static const char *const names[BENCH_STANDINGS] = {
	[BENCH_STANDS_UNJUDGED] = "",           [BENCH_STANDS_SAME] = "same",
	[BENCH_STANDS_UNCLEAR] = "unclear",     [BENCH_STANDS_NEW] = "new",
	[BENCH_STANDS_FASTER] = "faster",       [BENCH_STANDS_RECOVERED] = "recovered",
	[BENCH_STANDS_SUSPECTED] = "suspected", [BENCH_STANDS_SLOWER] = "slower",
	[BENCH_STANDS_MISSING] = "missing",     [BENCH_STANDS_BROKEN] = "broken",
};

const char *bench_compare_standing_name(enum bench_standing standing)
{
	return names[standing];
}

enum bench_standing bench_compare_standing_of(const char *verdict)
{
	for (int i = BENCH_STANDS_SAME; i < BENCH_STANDINGS; i++)
		if (i != BENCH_STANDS_RECOVERED && strcmp(names[i], verdict) == 0)
			return (enum bench_standing)i;
	return BENCH_STANDS_UNJUDGED;
}

bool bench_compare_standing_outranks(const char *baseline, const char *other)
{
	return bench_compare_baseline_kind(baseline, NULL) > bench_compare_baseline_kind(other, NULL);
}

enum bench_standing bench_compare_standing_under(enum bench_standing standing,
						 const struct bench_alarm_metric *metric,
						 const char *newest_run)
{
	if (metric->state == BENCH_ALARM_RECOVERED && strcmp(metric->closed_run, newest_run) == 0)
		return BENCH_STANDS_RECOVERED;
	if (metric->state == BENCH_ALARM_OPEN && standing < BENCH_STANDS_SLOWER)
		return BENCH_STANDS_SLOWER;
	return standing;
}
