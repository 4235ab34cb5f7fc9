/* SPDX-License-Identifier: MIT */
#include "compare/tune.h"

#include <math.h>

#include "stats/signed.h"

#define LEVEL 0.95

static bool was_tried(const struct bench_tune_search *search, uint64_t value)
{
	for (size_t i = 0; i < search->tried_count; i++)
		if (search->tried[i].value == value)
			return true;
	return false;
}

/* Is a value on that side of the current one known to be much slower? A wrong result says nothing of others.
 */
static bool is_given_up(const struct bench_tune_search *search, bool above)
{
	for (size_t i = 0; i < search->tried_count; i++) {
		const struct bench_tune_tried *tried = &search->tried[i];
		if (tried->value != search->current && (tried->value > search->current) == above &&
		    tried->ratio > BENCH_TUNE_GIVE_UP_RATIO)
			return true;
	}
	return false;
}

static bool is_left(const struct bench_tune_search *search, uint64_t value)
{
	return value != search->current && value != search->fallback && !was_tried(search, value) &&
	       !is_given_up(search, value > search->current);
}

size_t bench_compare_tune_left(const struct bench_tune_search *search, uint64_t *next)
{
	size_t at = 0, left = 0;
	while (at < search->count && search->values[at] < search->current)
		at++;
	for (size_t distance = 1; distance <= search->count; distance++) {
		const size_t beside[] = {at + distance, at - distance};
		for (size_t side = 0; side < 2; side++) {
			/* Below the first, the index wraps around, and is out of range as well. */
			if (beside[side] >= search->count || !is_left(search, search->values[beside[side]]))
				continue;
			if (left++ == 0)
				*next = search->values[beside[side]];
		}
	}
	return left;
}

/* What is wrong with a case, as the end of a sentence; NULL: nothing. */
static const char *trouble_of(const struct bench_result *result)
{
	if (result->status != BENCH_STATUS_OK)
		return *result->reason ? result->reason : bench_record_status_name(result->status);
	if (!bench_record_metric(result, "relative_time"))
		return "a case is too short to be timed";
	return NULL;
}

/*
 * The ratio over all cases, from each invocation's geometric mean over its cases. A disturbance hits all
 * cases of an invocation alike, so an interval that took them as independent would be too narrow.
 */
static struct bench_tune_ratio ratio_over_cases(const struct bench_run *run, double *level)
{
	struct bench_arena arena = {0};
	size_t count = SIZE_MAX, cases = 0;
	for (size_t i = 0; i < run->result_count; i++) {
		const struct bench_metric *metric = bench_record_metric(&run->results[i], "relative_time");
		if (metric && metric->series_count < count)
			count = metric->series_count;
		cases += metric != NULL;
	}
	count = cases ? count : 0;
	double *logs = bench_arena_alloc(&arena, count + 1, sizeof(*logs));
	for (size_t i = 0; i < run->result_count; i++) {
		const struct bench_metric *metric = bench_record_metric(&run->results[i], "relative_time");
		for (size_t k = 0; metric && k < count; k++)
			logs[k] +=
				log(bench_stats_median(metric->series[k].values, metric->series[k].count)) /
				(double)cases;
	}
	struct bench_interval shift = bench_stats_signed_shift(logs, count, LEVEL);
	bench_arena_free(&arena);
	*level = shift.level;
	return (struct bench_tune_ratio){exp(shift.estimate), exp(shift.lo), exp(shift.hi)};
}

static const char *reason_against(const struct bench_tune_outcome *outcome,
				  const struct bench_comparison *comparison)
{
	if (comparison->counts[BENCH_BROKEN] || comparison->counts[BENCH_MISSING])
		return comparison->verdicts[0].reason; /* the worst come first */
	if (comparison->counts[BENCH_SLOWER])
		return "a case is slower";
	if (!(outcome->all.ratio < BENCH_TUNE_LEAST_RATIO))
		return "not faster by more than 1%";
	if (outcome->too_few)
		return "too few invocations to tell";
	return outcome->all.hi < 1 ? "" : "faster perhaps, but the interval reaches past 1";
}

void bench_compare_tune_judge(const struct bench_run *run, const struct bench_comparison *comparison,
			      size_t unsupported, struct bench_tune_outcome *outcome)
{
	size_t unable = 0;
	double level;
	*outcome = (struct bench_tune_outcome){.all = {NAN, NAN, NAN}, .reason = "no case was measured"};
	for (size_t i = 0; i < run->result_count; i++) {
		const struct bench_result *result = &run->results[i];
		if (result->status == BENCH_STATUS_UNSUPPORTED && unable++ < unsupported)
			continue;
		const char *trouble = trouble_of(result);
		if (trouble) {
			outcome->reason = trouble;
			return;
		}
		outcome->cases++;
	}
	if (outcome->cases == 0)
		return;
	outcome->all = ratio_over_cases(run, &level);
	outcome->too_few = level < LEVEL - 1e-9;
	outcome->reason = reason_against(outcome, comparison);
	outcome->wins = !*outcome->reason;
}

struct bench_tune_ratio bench_compare_tune_chain(const struct bench_tune_ratio *before,
						 const struct bench_tune_ratio *step)
{
	double ratio = before->ratio * step->ratio;
	double down = hypot(log(before->ratio / before->lo), log(step->ratio / step->lo));
	double up = hypot(log(before->hi / before->ratio), log(step->hi / step->ratio));
	return (struct bench_tune_ratio){ratio, ratio * exp(-down), ratio * exp(up)};
}
