/* SPDX-License-Identifier: MIT */
/*
 * How finely the values of a metric are known, and what can be said where all of them are alike.
 *
 * A time that others wrote with three digits is known to one unit of the third. Where runs differ by less
 * than that, their values are all alike: a spread of zero, which no test on ranks or on a spread can use.
 * What is counted is not rounded: a step of a count is a change.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/internal.h"
#include "core/memory.h"

#define LAST_BITS 1e-12 /* of the value: differences below this are those of sums in another order */

static bool is_alike(const double *values, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (values[i] != values[0])
			return false;
	return count > 0;
}

static bool is_rate(const char *unit)
{
	return strlen(unit) >= 2 && strcmp(unit + strlen(unit) - 2, "/s") == 0;
}

/* A rate of nothing is not a rounded one: something was done, or nothing was. */
static bool is_nothing(const struct bench_compare_invocations *side)
{
	return is_alike(side->medians, side->count) && side->medians[0] == 0;
}

/* Whole numbers that are not times, rates or ratios. */
static bool is_counted(const char *unit, const double *values, size_t count)
{
	static const char *const measured[] = {"s", "ratio", "share"};

	for (size_t i = 0; i < sizeof(measured) / sizeof(measured[0]); i++)
		if (strcmp(unit, measured[i]) == 0)
			return false;
	if (is_rate(unit))
		return false;
	for (size_t i = 0; i < count; i++)
		if (values[i] != rint(values[i]))
			return false;
	return true;
}

/*
 * The step of a clock that is coarser than the digits: values that were read from it repeat, and the nearest
 * two that differ are a step apart. 0 where more than half of the values differ, or none does. Sorts them.
 */
static double tick_of(double *values, size_t count, double last_bits)
{
	double tick = INFINITY;
	size_t distinct = 1;

	bench_stats_sort(values, count);
	for (size_t i = 1; i < count; i++)
		if (values[i] - values[i - 1] > last_bits) {
			tick = fmin(tick, values[i] - values[i - 1]);
			distinct++;
		}
	return distinct > 1 && 2 * distinct <= count ? tick : 0;
}

/* A distance between values as a shift: of logarithms, where it is the larger the smaller they are. */
static double as_shift(const struct bench_verdict *verdict, double distance)
{
	return verdict->by_difference
		       ? distance
		       : log1p(distance / fmin(verdict->base_median, verdict->candidate_median));
}

void bench_compare_note_resolution(struct bench_compare_match *match, const struct bench_verdict *verdict)
{
	const struct bench_compare_invocations *baseline = &match->baseline, *candidate = &match->candidate;
	size_t count = baseline->count + candidate->count;
	double *values, step, largest, tick;
	bool counted, nothing;

	if (baseline->count == 0 || candidate->count == 0)
		return;
	values = bench_memory_alloc(count, sizeof(*values));
	memcpy(values, baseline->medians, baseline->count * sizeof(*values));
	memcpy(values + baseline->count, candidate->medians, candidate->count * sizeof(*values));
	counted = is_counted(verdict->unit, values, count);
	nothing = is_rate(verdict->unit) && (is_nothing(baseline) || is_nothing(candidate));
	step = counted ? 1 : nothing ? 0 : bench_stats_step(values, count);
	largest = fmax(fabs(verdict->base_median), fabs(verdict->candidate_median));
	tick = fmax(step, tick_of(values, count, LAST_BITS * largest));
	free(values);
	match->alike = is_alike(baseline->medians, baseline->count) &&
		       is_alike(candidate->medians, candidate->count);
	match->rounding = counted || nothing ? 0 : as_shift(verdict, step);
	match->hidden = counted || nothing ? 0 : as_shift(verdict, tick);
	step = fmax(step, LAST_BITS * largest);
	match->step = as_shift(verdict, step);
	match->apart =
		step > 0 ? floor(fabs(candidate->medians[0] - baseline->medians[0]) / step * (1 + 1e-9)) : 0;
}

/* How many values speak for each side: runs where there are enough, each of which may differ as a run. */
static void count_values(const struct bench_compare_match *match, size_t *base, size_t *count)
{
	bool by_runs = match->baseline.run_count >= BENCH_COMPARE_ENOUGH_RUNS;

	*base = by_runs ? match->baseline.run_count : match->baseline.count;
	*count = by_runs ? 1 : match->candidate.count;
}

double bench_compare_alike_test(const struct bench_compare_match *match)
{
	const struct bench_compare_invocations *baseline = &match->baseline, *candidate = &match->candidate;
	size_t base, count;

	count_values(match, &base, &count);
	if (baseline->run_count >= BENCH_COMPARE_ENOUGH_RUNS
		    ? candidate->count * baseline->run_count < baseline->count
		    : base < BENCH_FEWEST_INVOCATIONS || count < BENCH_FEWEST_INVOCATIONS)
		return NAN;
	return bench_stats_alike_test(base, count, match->apart);
}

double bench_compare_alike_certain(struct bench_compare_judging *judge,
				   const struct bench_compare_match *match)
{
	double level = judge->comparison->options.alpha / judge->tests, low = 0, high = 64;
	size_t base, count;

	count_values(match, &base, &count);
	if (judge->alike_base != base || judge->alike_count != count) {
		judge->alike_base = base;
		judge->alike_count = count;
		while (high - low > 1) {
			double middle = floor(0.5 * (low + high));

			*(bench_stats_alike_test(base, count, middle) <= level ? &high : &low) = middle;
		}
		judge->alike_steps =
			high < 64 || bench_stats_alike_test(base, count, high) <= level ? high : INFINITY;
	}
	return judge->alike_steps * match->step;
}
