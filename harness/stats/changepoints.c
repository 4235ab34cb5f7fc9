#include "stats/changepoints.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/internal.h"

#define LEAST ((size_t)BENCH_STATS_LEVEL_VALUES)

/*
 * The noise is taken from the differences of neighbours, which a step changes at one place only: from the
 * root mean square of those 85 of a hundred that are smallest, so that spikes do not count, each of which
 * makes two large ones. (Their median would be blind to two peaks, where half of the differences may be next
 * to nothing.) For normal noise that is 0.742 of the differences' deviation, which is sqrt(2) times the
 * noise's, known as well as from some 0.45 * count values.
 */
#define DIFFERENCES_KEPT         0.85
#define DIFFERENCES_TO_DEVIATION (1 / (0.7416 * 1.41421356))
#define DIFFERENCES_EFFICIENCY   0.45

/*
 * The penalty as a part of what Bonferroni's inequality asks for over all places, which are as good as fewer,
 * since neighbouring places resemble each other; by simulation (tests/statistics/changepoints.c).
 */
#define PENALTY_PART 0.8
/* The part of the penalty that one value may cost: three of them outweigh a change, two do not. */
#define BOUND_PART 0.5

struct partition {
	const double *values;
	double *scales; /* 1 / s_i^2 */
	size_t count;
	double *levels; /* ascending, those that are tried */
	size_t level_count;
	double bound, penalty;
	size_t *starts; /* of the level that the best partition of the first t + 1 values ends with */
	double *costs;  /* of that partition */
	double *level_costs;
	size_t *level_starts;
};

/*
 * The values, and the means of two neighbours to sixteen: a short level's best is among them or near. Of
 * those that are less than a 32nd of the noise apart one will do: a level of n values then costs n / 4096 too
 * much at most.
 */
static void make_levels(struct partition *partition, double noise)
{
	double *levels = partition->levels;
	size_t count = 0;
	for (size_t width = 1; width <= 16; width *= 2)
		for (size_t i = 0; i + width <= partition->count; i += width > 4 ? width / 4 : 1) {
			double sum = 0;
			for (size_t k = 0; k < width; k++)
				sum += partition->values[i + k];
			levels[count++] = sum / (double)width;
		}
	bench_stats_sort(levels, count);
	size_t kept = 0;
	for (size_t i = 0; i < count; i++)
		if (kept == 0 || levels[i] > levels[kept - 1] + noise / 32)
			levels[kept++] = levels[i];
	partition->level_count = kept;
}

static double loss(const struct partition *partition, size_t i, double level)
{
	double distance = partition->values[i] - level;
	double full = distance * distance * partition->scales[i];
	return full < partition->bound ? full : partition->bound;
}

/*
 * The best partition, value by value: for each level what the best partition costs whose last level that is.
 * It goes on with its level, or its last LEAST values are a new one.
 */
static void run_partition(struct partition *partition)
{
	for (size_t l = 0; l < partition->level_count; l++) {
		partition->level_costs[l] = 0;
		partition->level_starts[l] = 0;
	}
	for (size_t t = 0; t < partition->count; t++) {
		double best = INFINITY;
		size_t best_start = 0;
		bool may_start = t + 1 >= 2 * LEAST;
		for (size_t l = 0; l < partition->level_count; l++) {
			double level = partition->levels[l];
			double cost = partition->level_costs[l] + loss(partition, t, level);
			if (may_start) {
				double fresh = partition->costs[t - LEAST] + partition->penalty;
				for (size_t k = t + 1 - LEAST; fresh < cost && k <= t; k++)
					fresh += loss(partition, k, level);
				if (fresh < cost) {
					cost = fresh;
					partition->level_starts[l] = t + 1 - LEAST;
				}
			}
			partition->level_costs[l] = cost;
			if (cost < best) {
				best = cost;
				best_start = partition->level_starts[l];
			}
		}
		partition->costs[t] = best;
		partition->starts[t] = best_start;
	}
}

/* The starts of the levels, ascending, the first being 0; into `found`; how many. */
static size_t trace(const struct partition *partition, size_t *found)
{
	size_t count = 0;
	for (size_t end = partition->count; end > 0; end = found[count - 1])
		found[count++] = partition->starts[end - 1];
	for (size_t i = 0; i < count / 2; i++) {
		size_t other = found[i];
		found[i] = found[count - 1 - i];
		found[count - 1 - i] = other;
	}
	return count;
}

/* The noise between neighbours; `scratch` has room for the values. */
static double neighbour_noise(const double *values, size_t count, double *scratch)
{
	double sum = 0;
	size_t kept = (size_t)(DIFFERENCES_KEPT * (double)(count - 1));
	for (size_t i = 0; i + 1 < count; i++)
		scratch[i] = fabs(values[i + 1] - values[i]);
	bench_stats_sort(scratch, count - 1);
	for (size_t i = 0; i < kept; i++)
		sum += scratch[i] * scratch[i];
	return DIFFERENCES_TO_DEVIATION * sqrt(sum / (double)kept);
}

/* The mean of a level's values, but for those further from their median than `reach`. */
static double level_mean(const double *values, size_t count, double reach)
{
	double median = bench_stats_median(values, count), sum = 0;
	size_t kept = 0;
	for (size_t i = 0; i < count; i++)
		if (fabs(values[i] - median) <= reach) {
			sum += values[i];
			kept++;
		}
	return kept > 0 ? sum / (double)kept : median;
}

/* What is left of each value without its level's mean, into `residuals`; values at least so far away are NaN.
 */
static void leave_residuals(const struct partition *partition, const size_t *starts, size_t levels,
			    double reach, double *residuals)
{
	for (size_t l = 0; l < levels; l++) {
		size_t end = l + 1 < levels ? starts[l + 1] : partition->count;
		double mean = level_mean(partition->values + starts[l], end - starts[l], reach);
		for (size_t i = starts[l]; i < end; i++) {
			residuals[i] = partition->values[i] - mean;
			if (fabs(residuals[i]) > reach)
				residuals[i] = NAN;
		}
	}
}

/* The deviation of those that there are, of `levels` means; of normal noise, 1.4% are taken away by the
 * bound. */
static double residual_noise(const double *residuals, size_t count, size_t levels)
{
	double sum = 0, kept = 0;
	for (size_t i = 0; i < count; i++)
		if (!isnan(residuals[i])) {
			sum += residuals[i] * residuals[i];
			kept++;
		}
	return kept > (double)levels ? 1.014 * sqrt(sum / (kept - (double)levels)) : NAN;
}

/*
 * By how much the variance of a mean of the residuals exceeds that of independent ones: (1 + r) / (1 - r) for
 * a first-order process whose neighbours correlate by r, where that is more than chance.
 */
static double residual_dependence(const double *residuals, size_t count)
{
	double product = 0, square = 0;
	for (size_t i = 0; i < count; i++) {
		if (isnan(residuals[i]))
			continue;
		square += residuals[i] * residuals[i];
		if (i > 0 && !isnan(residuals[i - 1]))
			product += residuals[i] * residuals[i - 1];
	}
	double r = square > 0 ? product / square : 0;
	if (r < 1.64 / sqrt((double)count))
		return 1;
	r = fmin(r, 0.8);
	return (1 + r) / (1 - r);
}

static void describe(const struct partition *partition, const size_t *starts, size_t levels, size_t l,
		     struct bench_stats_changepoint *change)
{
	const double *old = partition->values + starts[l - 1], *fresh = partition->values + starts[l];
	size_t end = l + 1 < levels ? starts[l + 1] : partition->count;
	size_t old_count = starts[l] - starts[l - 1], fresh_count = end - starts[l];
	*change = (struct bench_stats_changepoint){
		.index = starts[l],
		.end = end,
		.before = bench_stats_median(old, old_count),
		.after = bench_stats_median(fresh, fresh_count),
		.shift = bench_stats_shift(old, old_count, fresh, fresh_count, 0.95),
		.p = bench_stats_rank_test(old, old_count, fresh, fresh_count),
	};
}

/* Drops the changes that are smaller than asked, the smallest first, and joins their levels. */
static size_t drop_small(const struct partition *partition, size_t *starts, size_t levels, double least)
{
	while (levels > 1) {
		size_t smallest = 0;
		double size = INFINITY;
		for (size_t l = 1; l < levels; l++) {
			struct bench_stats_changepoint change;
			describe(partition, starts, levels, l, &change);
			if (fabs(change.shift.estimate) < size) {
				size = fabs(change.shift.estimate);
				smallest = l;
			}
		}
		if (size >= least)
			break;
		memmove(starts + smallest, starts + smallest + 1, (levels - smallest - 1) * sizeof(*starts));
		levels--;
	}
	return levels;
}

static void set_scales(struct partition *partition, double noise, const double *deviations)
{
	for (size_t i = 0; i < partition->count; i++) {
		double s = deviations ? fmax(noise, deviations[i]) : noise;
		partition->scales[i] = 1 / (s * s);
	}
}

/*
 * In three rounds: with the noise between neighbours, then twice with that of what the round before has left,
 * which is known better, and with the dependence that it shows.
 */
static size_t find(struct partition *partition, const struct bench_stats_changepoint_options *options,
		   size_t *starts, double *scratch)
{
	size_t count = partition->count, levels = 1;
	double least = fmax(options->floor, 1e-9 * fabs(bench_stats_median(partition->values, count)));
	double noise = fmax(neighbour_noise(partition->values, count, scratch), fmax(least, DBL_MIN));
	double freedom = DIFFERENCES_EFFICIENCY * (double)count, factor = 1;
	make_levels(partition, noise);
	for (int round = 0; round < 3; round++) {
		double steps = bench_stats_student_quantile(1 - options->alpha / (2 * (double)count),
							    (size_t)fmax(2, freedom));
		partition->penalty = PENALTY_PART * factor * steps * steps;
		partition->bound = BOUND_PART * partition->penalty;
		set_scales(partition, noise, options->deviations);
		run_partition(partition);
		levels = trace(partition, starts);
		leave_residuals(partition, starts, levels, 3 * noise, scratch);
		double left = residual_noise(scratch, count, levels);
		if (isnan(left))
			break;
		noise = fmax(left, fmax(least, DBL_MIN));
		freedom = (double)(count - levels);
		factor = fmax(factor, residual_dependence(scratch, count));
	}
	return drop_small(partition, starts, levels, options->least);
}

size_t bench_stats_changepoints(const double *values, size_t count,
				const struct bench_stats_changepoint_options *options,
				struct bench_stats_changepoint **changes)
{
	*changes = NULL;
	if (count < 2 * LEAST)
		return 0;
	size_t most_levels = 4 * count, found = 0;
	double *reals = malloc((3 * count + 2 * most_levels) * sizeof(*reals));
	size_t *sizes = malloc((2 * count + most_levels) * sizeof(*sizes));
	if (reals && sizes) {
		struct partition partition = {
			.values = values,
			.count = count,
			.scales = reals,
			.costs = reals + count,
			.levels = reals + 3 * count,
			.level_costs = reals + 3 * count + most_levels,
			.starts = sizes,
			.level_starts = sizes + 2 * count,
		};
		size_t *starts = sizes + count;
		size_t levels = find(&partition, options, starts, reals + 2 * count);
		if (levels > 1 && (*changes = malloc((levels - 1) * sizeof(**changes)))) {
			found = levels - 1;
			for (size_t l = 1; l < levels; l++)
				describe(&partition, starts, levels, l, &(*changes)[l - 1]);
		}
	}
	free(reals);
	free(sizes);
	return found;
}
