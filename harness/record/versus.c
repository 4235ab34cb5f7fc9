/* SPDX-License-Identifier: MIT */
/* The same case on two targets: how many times as fast the one is as the other. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "record/internal.h"

#define FEWEST_FOR_95 6 /* values, whose extremes are an interval of 1 - 2^-5 */

const char *bench_record_point(const struct bench_result *result)
{
	const char *target = strchr(result->key, '/'), *point = target ? strchr(target + 1, '/') : NULL;
	return point ? point + 1 : "";
}

const char *bench_record_versus_name(enum bench_versus_verdict verdict)
{
	static const char *const names[] = {[BENCH_VERSUS_UNKNOWN] = "unknown",
					    [BENCH_VERSUS_UNDECIDED] = "not different",
					    [BENCH_VERSUS_NOT_DIFFERENT] = "not different",
					    [BENCH_VERSUS_FASTER] = "faster",
					    [BENCH_VERSUS_SLOWER] = "slower"};
	return names[verdict];
}

bool bench_record_is_tie(double lo, double hi)
{
	const double most = 1 + BENCH_DIFFERENCE_MATTERS;
	return lo >= 1 / most && hi <= most;
}

static enum bench_versus_verdict judge(const struct bench_summary *ratio)
{
	if (!(ratio->ci_level >= BENCH_LEVEL_95))
		return BENCH_VERSUS_UNKNOWN;
	if (ratio->ci_lo > 1)
		return BENCH_VERSUS_FASTER;
	if (ratio->ci_hi < 1)
		return BENCH_VERSUS_SLOWER;
	return bench_record_is_tie(ratio->ci_lo, ratio->ci_hi) ? BENCH_VERSUS_NOT_DIFFERENT
							       : BENCH_VERSUS_UNDECIDED;
}

bool bench_record_is_undecided(const struct bench_summary *ratio)
{
	return judge(ratio) == BENCH_VERSUS_UNDECIDED;
}

double bench_record_count_for_tie(double count, double lo, double hi)
{
	double times = (log(hi) - log(lo)) / (2 * log1p(BENCH_DIFFERENCE_MATTERS));
	return ceil(count * fmax(1, times * times));
}

size_t bench_record_pairs(const struct bench_metric *own, const struct bench_metric *against,
			  struct bench_pair *pairs)
{
	size_t count = 0, quiet = 0;
	for (size_t i = 0; i < own->series_count; i++) {
		const struct bench_series *one = &own->series[i];
		const struct bench_series *two = bench_record_series(against, one->invocation);
		bool first = false, second = false;
		double ratio = two ? bench_record_series_median(two, &second) /
					       bench_record_series_median(one, &first)
				   : NAN;
		if (!(isfinite(ratio) && ratio > 0))
			continue;
		pairs[count++] = (struct bench_pair){one->invocation, ratio, first || second};
		quiet += !(first || second);
	}
	for (size_t i = 0; quiet < FEWEST_FOR_95 && i < count; i++)
		pairs[i].disturbed = false;
	return count;
}

bool bench_record_versus(const struct bench_result *result, const struct bench_result *other,
			 struct bench_versus *versus)
{
	const struct bench_metric *own = bench_record_metric(result, "time");
	const struct bench_metric *against = bench_record_metric(other, "time");
	*versus = (struct bench_versus){0};
	if (result->status != BENCH_STATUS_OK || other->status != BENCH_STATUS_OK || !own || !against)
		return false;
	struct bench_pair *pairs = bench_memory_alloc(own->series_count, sizeof(*pairs));
	struct bench_series *series = bench_memory_alloc(own->series_count, sizeof(*series));
	size_t count = bench_record_pairs(own, against, pairs);
	for (size_t i = 0; i < count; i++)
		series[i] =
			(struct bench_series){pairs[i].invocation, &pairs[i].ratio, 1, &pairs[i].disturbed};
	bench_record_summarize(series, count, &versus->ratio);
	versus->verdict = judge(&versus->ratio);
	free(pairs);
	free(series);
	return count > 0;
}
