/* SPDX-License-Identifier: MIT */
/*
 * Components of variance: runs of the same code differ by more than their invocations explain.
 *
 * The model is hierarchical (Kalibera & Jones, "Rigorous benchmarking in reasonable time",
 * ISMM 2013, section 6): value = code + run + invocation. A comparison with a new run must allow for the
 * distance of its center from the centers of the earlier runs. For runs of equal size that is the spread of
 * their centers, invocations included, and no component needs to be subtracted from another: with normal
 * effects, (new center - their mean) / (spread sqrt(1 + 1/N)) has Student's distribution with N - 1 degrees
 * of freedom exactly. Compared with M other runs it is 1/M. Runs of G codes contribute their differences from
 * the mean of their code, with N - G degrees of freedom (the pooled variance of the one-way layout).
 */
#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "stats/internal.h"
#include "stats/stats.h"

/*
 * Chance of leaving a run out of a history in which none is odd. Where that happens the others
 * lie close together by luck, and the next run is likely to be called a change: hence so small.
 */
#define ODD_LEVEL 0.0005

/*
 * The center of one run: the median of all means of two values, each with itself too (Hodges
 * & Lehmann 1963), which stragglers do not move far, nor a second peak by the whole distance.
 */
static double center_of(const double *values, size_t count)
{
	double *up = stats_sorted_copy(values, count), *down = bench_memory_alloc(count, sizeof(*down)),
	       center;

	for (size_t i = 0; i < count; i++)
		down[i] = -up[count - 1 - i];
	center = 0.5 * stats_difference_median(down, count, up, count);
	free(up);
	free(down);
	return center;
}

static void swap(double *a, double *b)
{
	double kept = *a;

	*a = *b;
	*b = kept;
}

/*
 * Leaves the oddest run out: the one farthest from the median, if it lies further from the mean of the others
 * than Student's distribution allows (the externally studentized deviate of Grubbs 1969). One disturbed night
 * must not make the metric blind for as long as it is in the history. Two are no accident, but what nights
 * are like: so no more than one, and not if the new run lies nearer to it than to the others. Puts those that
 * stay first, and returns how many they are.
 */
static size_t leave_odd_out(double *centers, size_t count, double least, double newest)
{
	size_t odd = 0, others = count - 1;
	double middle = bench_stats_median(centers, count), about, distance, reach, level;

	if (count < 4)
		return count;
	for (size_t i = 1; i < count; i++)
		if (fabs(centers[i] - middle) > fabs(centers[odd] - middle))
			odd = i;
	swap(&centers[odd], &centers[others]);
	about = bench_stats_mean(centers, others);
	distance = fabs(centers[others] - about);
	if (fabs(centers[others] - newest) < 0.5 * distance)
		return count;
	level = 1 - ODD_LEVEL / (2 * (double)count);
	reach = fmax(least, bench_stats_stddev(centers, others)) * sqrt(1 + 1 / (double)others);
	/* Student's quantile, which costs more, is above the normal one. */
	return distance > reach * bench_stats_normal_quantile(level) &&
			       distance > reach * bench_stats_student_quantile(level, others - 1)
		       ? others
		       : count;
}

/* The spread of invocations about the centers of their runs: the median distance, as for normal noise. */
static double spread_within(double *residuals, size_t count, size_t runs)
{
	if (count <= runs)
		return 0;
	for (size_t i = 0; i < count; i++)
		residuals[i] = fabs(residuals[i]);
	return 1.4826 * bench_stats_median(residuals, count) * sqrt((double)count / (double)(count - runs));
}

/*
 * Subtracts from each center the mean of its code, and from *newest the mean of the first run's code. Leaves
 * out centers that are the only one of their code. Returns how many centers are left; *codes: of how many
 * codes.
 */
static size_t center_codes(double *centers, const struct bench_runs *runs, size_t *codes, double *newest)
{
	BENCH_SCOPED_MEMORY double *means = bench_memory_alloc(runs->count, sizeof(*means));
	size_t kept = 0;

	*codes = 0;
	for (size_t i = 0; i < runs->count; i++) {
		size_t alike = 0, before = 0;

		means[i] = 0;
		for (size_t j = 0; j < runs->count; j++)
			if (runs->codes[j] == runs->codes[i]) {
				means[i] += centers[j];
				before += j < i;
				alike++;
			}
		means[i] = alike > 1 ? means[i] / (double)alike : NAN;
		*codes += alike > 1 && before == 0;
	}
	*newest -= means[0];
	for (size_t i = 0; i < runs->count; i++)
		if (!isnan(means[i]))
			centers[kept++] = centers[i] - means[i];
	return kept;
}

/*
 * The factor by which a new run differs more from the mean of the others if each resembles the one before it:
 * they have wandered less than they will. It follows from the autocorrelation of neighbors, which few runs
 * underestimate (by (1 + 4 r) / n, Marriott & Pope 1954). The factor exceeds the one for a forecast's
 * variance (1.2 for r = 0.8 and ten runs), since their spread is known less well, too.
 */
static double wandering(const double *centers, size_t count)
{
	return 1 + fmax(0, stats_neighbours(centers, count));
}

/* The deviation of centers, the variance of which is known with `freedom` degrees of freedom. */
static double spread_of(const double *centers, size_t count, size_t freedom)
{
	return bench_stats_stddev(centers, count) * sqrt((double)(count - 1) / (double)freedom);
}

struct bench_components bench_stats_components(const struct bench_runs *runs,
					       const struct bench_meeting *meeting)
{
	struct bench_components result = {.between = NAN, .within = NAN, .ahead = NAN, .center = NAN};
	size_t count = 0, at = 0, codes = 1, known = runs->count, kept;
	double per_run, spread, invocations, lacking, base_runs, newest = meeting->center, wanders;

	for (size_t i = 0; i < runs->count; i++)
		count += runs->sizes[i];
	if (runs->count < 3 || meeting->size == 0)
		return result;
	BENCH_SCOPED_MEMORY double *centers = bench_memory_alloc(runs->count, sizeof(*centers));
	BENCH_SCOPED_MEMORY double *residuals = bench_memory_alloc(count, sizeof(*residuals));
	for (size_t i = 0; i < runs->count; at += runs->sizes[i], i++) {
		centers[i] = center_of(runs->values + at, runs->sizes[i]);
		for (size_t j = 0; j < runs->sizes[i]; j++)
			residuals[at + j] = runs->values[at + j] - centers[i];
	}
	if (runs->codes)
		known = center_codes(centers, runs, &codes, &newest);
	result.within = spread_within(residuals, count, runs->count);
	per_run = (double)count / (double)runs->count;
	wanders = wandering(centers, known);
	kept = known > 0 ? leave_odd_out(centers, known, result.within / sqrt(per_run), newest) : 0;
	if (kept <= codes)
		return result;
	if (!runs->codes)
		result.center = bench_stats_mean(centers, kept);
	spread = spread_of(centers, kept, kept - codes);
	invocations = result.within * result.within;
	result.between = sqrt(fmax(0, spread * spread - invocations / per_run));
	lacking = fmax(0, invocations / (double)meeting->size - invocations / per_run);
	base_runs = (double)(meeting->base_runs ? meeting->base_runs : kept);
	if (meeting->base_runs)
		lacking += fmax(0, invocations / (double)meeting->base_size -
					   invocations / (per_run * base_runs));
	result.ahead = sqrt(wanders * wanders * spread * spread * (1 + 1 / base_runs) + lacking);
	result.freedom = kept - codes;
	result.runs = known;
	result.left_out = known - kept;
	return result;
}
