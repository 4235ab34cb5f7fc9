/*
 * Components of variance: runs of the same code differ by more than their invocations explain.
 *
 * The model is hierarchical (Kalibera & Jones, "Rigorous benchmarking in reasonable time",
 * ISMM 2013, section 6): value = code + run + invocation. What a comparison with a new run has to
 * allow for is how far its center may lie from those of the earlier runs. For runs of equal
 * size that is the spread of their centers, invocations and all, which needs no component
 * to be subtracted from another: with normal effects, (new center - their mean) /
 * (spread sqrt(1 + 1/N)) has Student's distribution with N - 1 degrees of freedom exactly. Compared
 * with M other runs it is 1/M. Runs of G codes teach by how each differs from the mean of its code, with
 * N - G degrees of freedom (the pooled variance of the one-way layout).
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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
	double *up = stats_sorted_copy(values, count), *down = up ? malloc(count * sizeof(*down)) : NULL;
	double center = NAN;

	if (up && down) {
		for (size_t i = 0; i < count; i++)
			down[i] = -up[count - 1 - i];
		center = 0.5 * stats_difference_median(down, count, up, count);
	}
	free(up);
	free(down);
	return center;
}

/* Values of which some are taken away, and the sums of how they differ from a fixed one among them. */
struct rest {
	const double *values; /* ascending */
	size_t from, to;      /* those that are left */
	double about, sum, squares;
};

static void add(struct rest *rest, double value, double sign)
{
	double distance = value - rest->about;

	rest->sum += sign * distance;
	rest->squares += sign * distance * distance;
}

/* Takes away the value that lies farthest from the median of them, which is at one of the ends. */
static double take_farthest(struct rest *rest)
{
	const double *values = rest->values;
	double middle = 0.5 * (values[(rest->from + rest->to - 1) / 2] + values[(rest->from + rest->to) / 2]);
	bool first = middle - values[rest->from] >= values[rest->to - 1] - middle;
	double farthest = first ? values[rest->from] : values[rest->to - 1];

	rest->from += first;
	rest->to -= !first;
	add(rest, farthest, -1);
	return farthest;
}

/*
 * Leaves odd runs out, at most one in four: the largest number of them of which the last one lies further
 * from the mean of those that are left than Student's distribution allows (the externally studentized deviate
 * of Grubbs 1969, in the generalized procedure of Rosner, "Percentage points for a generalized ESD
 * many-outlier procedure", Technometrics 25 (1983)). The largest, since two odd runs hide each other: beside
 * the second the first is not odd. A disturbed night or two must not make the metric blind for as long as
 * they are in the history. Sorts, puts those that stay first, and returns how many they are.
 */
static size_t leave_odd_out(double *centers, size_t count, double least)
{
	struct rest rest = {.values = centers, .to = count, .about = centers[count / 2]};
	size_t from = 0, to = count;

	bench_stats_sort(centers, count);
	for (size_t i = 0; i < count; i++)
		add(&rest, centers[i], 1);
	for (size_t left = count / 4; left > 0 && rest.to - rest.from > 3; left--) {
		double level = 1 - ODD_LEVEL / (2 * (double)(rest.to - rest.from)), distance, others, reach;
		double odd = take_farthest(&rest);

		others = (double)(rest.to - rest.from);
		distance = fabs(odd - rest.about - rest.sum / others);
		reach = sqrt(fmax(0, rest.squares - rest.sum * rest.sum / others) / (others - 1));
		reach = fmax(least, reach) * sqrt(1 + 1 / others);
		/* Student's quantile, which costs more, is above the normal one. */
		if (distance > reach * bench_stats_normal_quantile(level) &&
		    distance > reach * bench_stats_student_quantile(level, rest.to - rest.from - 1)) {
			from = rest.from;
			to = rest.to;
		}
	}
	memmove(centers, centers + from, (to - from) * sizeof(*centers));
	return to - from;
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
 * Takes the mean of its code away from each center, and leaves out those that are alone with theirs: returns
 * how many centers are left, and in *codes of how many codes. 0 where there is no memory.
 */
static size_t center_codes(double *centers, const struct bench_runs *runs, size_t *codes)
{
	double *means = malloc(runs->count * sizeof(*means));
	size_t kept = 0;

	*codes = 0;
	for (size_t i = 0; means && i < runs->count; i++) {
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
	for (size_t i = 0; means && i < runs->count; i++)
		if (!isnan(means[i]))
			centers[kept++] = centers[i] - means[i];
	free(means);
	return kept;
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
	double *centers = NULL, *residuals = NULL, per_run, spread, invocations, lacking, base_runs;

	for (size_t i = 0; i < runs->count; i++)
		count += runs->sizes[i];
	if (runs->count < 3 || meeting->size == 0 || count > SIZE_MAX / sizeof(*residuals))
		return result;
	centers = malloc(runs->count * sizeof(*centers));
	residuals = malloc(count * sizeof(*residuals));
	if (!centers || !residuals)
		goto out;
	for (size_t i = 0; i < runs->count; at += runs->sizes[i], i++) {
		centers[i] = center_of(runs->values + at, runs->sizes[i]);
		for (size_t j = 0; j < runs->sizes[i]; j++)
			residuals[at + j] = runs->values[at + j] - centers[i];
	}
	if (runs->codes)
		known = center_codes(centers, runs, &codes);
	result.within = spread_within(residuals, count, runs->count);
	per_run = (double)count / (double)runs->count;
	kept = known > 0 ? leave_odd_out(centers, known, result.within / sqrt(per_run)) : 0;
	if (kept <= codes)
		goto out;
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
	result.ahead = sqrt(spread * spread * (1 + 1 / base_runs) + lacking);
	result.freedom = kept - codes;
	result.runs = known;
	result.left_out = known - kept;
out:
	free(centers);
	free(residuals);
	return result;
}
