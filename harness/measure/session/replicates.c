/* SPDX-License-Identifier: MIT */
#include "measure/session/replicates.h"

#include <math.h>

#include "core/memory.h"
#include "measure/session/budget.h"
#include "stats/stats.h"

bool bench_session_replicates_has(const struct bench_result *result, int invocation)
{
	for (size_t m = 0; m < result->metric_count; m++)
		for (size_t i = 0; i < result->metrics[m].series_count; i++)
			if (result->metrics[m].series[i].invocation == invocation)
				return true;
	return false;
}

unsigned bench_session_replicates_wanted(const struct bench_result *result, unsigned asked)
{
	unsigned disturbed = 0, made = 0;
	if (result->status != BENCH_STATUS_OK)
		return 0;
	for (size_t m = 0; m < result->metric_count; m++)
		if (result->metrics[m].series_count > made)
			made = (unsigned)result->metrics[m].series_count;
	for (size_t i = 0; i < result->watched_count; i++)
		disturbed += result->watched[i].disturbed > BENCH_SESSION_DISTURBED_SHARE &&
			     bench_session_replicates_has(result, result->watched[i].invocation);
	unsigned good = made > disturbed ? made - disturbed : 0;
	/* Invocations that are still to come are not replacements. */
	unsigned wanted = good < asked ? asked - good : 0;
	return wanted < disturbed ? wanted : disturbed;
}

double bench_session_replicates_need(const struct bench_result *result, const char *metric, double precision)
{
	const struct bench_metric *found = bench_record_metric(result, metric);
	if (!found)
		return NAN;
	BENCH_SCOPED_MEMORY double *medians = bench_memory_alloc(found->series_count, sizeof(*medians));
	for (size_t i = 0; i < found->series_count; i++)
		medians[i] = bench_stats_median(found->series[i].values, found->series[i].count);
	return bench_session_budget_need(medians, found->series_count, precision);
}
