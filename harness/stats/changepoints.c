/* SPDX-License-Identifier: MIT */
#include "stats/changepoints.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

#define LEAST ((size_t)BENCH_STATS_LEVEL_VALUES)

/*
 * A deviation is taken from the root mean square of those 90 of a hundred distances that are smallest, so
 * that spikes do not count. (Their median would be blind to two peaks, where half of the differences may be
 * next to nothing.) For normal noise that is 0.789 of the deviation.
 */
#define KEPT              0.9
#define KEPT_TO_DEVIATION (1 / 0.7893)

/*
 * The penalty as a part of what Bonferroni's inequality asks for over all places, which are as good as fewer,
 * since neighboring places resemble each other; by simulation (tests/statistics/changepoints.c).
 */
#define PENALTY_PART 0.83
/* The part of the penalty that one value may cost: three of them outweigh a change, two do not. */
#define BOUND_PART 0.5
/* Values before a change, in which those at its new level are counted. Stretches of LASTING do not
 * count. One value in CHANCE may be at that level by chance. */
#define RECENT  30
#define LASTING 5
#define CHANCE  15
/* Values further from their level, in deviations, say nothing about the next one. */
#define REACH 3

/*
 * The correlations of neighbors that are tried. Any but none costs 2 log(count); more than 0.8 costs more,
 * by simulation, since a step is easily taken for much correlation.
 */
static const double correlations[] = {0, 0.2, 0.4, 0.6, 0.7, 0.8, 0.85, 0.9};
enum { CORRELATIONS = sizeof(correlations) / sizeof(*correlations) };
#define CORRELATED_MUCH      0.8
#define CORRELATED_MUCH_COST 8
/* The penalty of a drift, in changes, and the number of its deviations from which it is tried. */
#define DRIFT_CHANGES 1
#define DRIFT_TRIED   0.7
/* What a walk costs, in changes. */
#define WALK_CHANGES 10

/* An explanation of the values: levels, and noise about them, and a drift under them. */
struct fit {
	double correlation; /* of neighbors, without the levels */
	double noise;       /* deviation of a value from its level */
	double drift;       /* from one value to the next */
	double cost;        /* -2 log likelihood, with penalties */
	size_t *starts;     /* of the levels, ascending, the first being 0 */
	size_t levels;
};

struct partition {
	const struct bench_stats_changepoint_options *options;
	const double *values;
	size_t count;
	double least; /* that noise is */
	double penalty, bound;
	double *candidates, *levels; /* ascending: those that may be tried, and those that are */
	size_t candidate_count, level_count;
	double *level_costs;  /* of the best partition that ends with that level */
	size_t *level_starts; /* of its last level */
	double *one, *two;    /* what the last value, and the last two, cost on a new level */
	double *costs;        /* of the best partition of the first t + 1 values */
	size_t *starts;       /* of its last level */
	double *scratch;
};

/* The values, and the means of two neighbors to sixteen: a short level's best is among them or near. */
static void make_candidates(struct partition *partition)
{
	size_t count = 0;
	for (size_t width = 1; width <= 16; width *= 2)
		for (size_t i = 0; i + width <= partition->count; i += width > 4 ? width / 4 : 1) {
			double sum = 0;
			for (size_t k = 0; k < width; k++)
				sum += partition->values[i + k];
			partition->candidates[count++] = sum / (double)width;
		}
	bench_stats_sort(partition->candidates, count);
	partition->candidate_count = count;
}

/* Of candidates less than a 20th of the noise apart one will do: n values then cost n / 1600 too much at
 * most. */
static void choose_levels(struct partition *partition, double noise)
{
	size_t kept = 0;
	for (size_t i = 0; i < partition->candidate_count; i++)
		if (kept == 0 || partition->candidates[i] > partition->levels[kept - 1] + noise / 20)
			partition->levels[kept++] = partition->candidates[i];
	partition->level_count = kept;
}

/*
 * What value t costs on each level, and the best partition up to it: it goes on with its level, or its last
 * LEAST values are a new one. A value is expected between its level and the value before, as far as
 * neighbors correlate; the first of a level, or one behind an outlier, at its level.
 */
static void add_value(struct partition *partition, size_t t, double correlation, double noise)
{
	const double *deviations = partition->options->deviations;
	double own = deviations ? fmax(noise, deviations[t]) : noise, bound = partition->bound;
	double alone = 1 / (own * own), after = alone / (1 - correlation * correlation);
	double value = partition->values[t], last = t > 0 ? partition->values[t - 1] : INFINITY;
	double fresh = t + 1 >= 2 * LEAST ? partition->costs[t - LEAST] + partition->penalty : INFINITY;
	size_t start = t + 1 - LEAST;
	const double *restrict levels = partition->levels;
	double *restrict costs = partition->level_costs, *restrict one = partition->one;
	double *restrict two = partition->two;
	size_t *restrict starts = partition->level_starts;
	for (size_t l = 0; l < partition->level_count; l++) {
		double distance = value - levels[l], before = last - levels[l];
		double surprise = distance - correlation * before;
		double first = distance * distance * alone, next = surprise * surprise * after;
		first = first < bound ? first : bound;
		next = next < bound ? next : bound;
		next = fabs(before) <= REACH * noise ? next : first;
		double going = costs[l] + next, starting = fresh + two[l] + next;
		two[l] = one[l] + next;
		one[l] = first;
		starts[l] = starting < going ? start : starts[l];
		costs[l] = starting < going ? starting : going;
	}
	size_t best = 0;
	for (size_t l = 1; l < partition->level_count; l++)
		if (costs[l] < costs[best])
			best = l;
	partition->costs[t] = costs[best];
	partition->starts[t] = starts[best];
}

/* The starts of the levels of the best partition of all values, into the fit. */
static void trace(const struct partition *partition, struct fit *fit)
{
	size_t count = 0;
	for (size_t end = partition->count; end > 0; end = fit->starts[count - 1])
		fit->starts[count++] = partition->starts[end - 1];
	for (size_t i = 0; i < count / 2; i++) {
		size_t other = fit->starts[i];
		fit->starts[i] = fit->starts[count - 1 - i];
		fit->starts[count - 1 - i] = other;
	}
	fit->levels = count;
}

static size_t end_of(const struct partition *partition, const struct fit *fit, size_t l)
{
	return l + 1 < fit->levels ? fit->starts[l + 1] : partition->count;
}

/* The mean of a level's values, without those further from their median than `reach`. */
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

/* The variance of which these are squares, in any order; sorts them. */
static double variance(double *squares, size_t count)
{
	size_t kept = (size_t)fmax(1, KEPT * (double)count);
	double sum = 0;
	bench_stats_sort(squares, count);
	for (size_t i = 0; i < kept; i++)
		sum += squares[i];
	return KEPT_TO_DEVIATION * KEPT_TO_DEVIATION * sum / (double)kept;
}

/* Half the variance of the differences of values so far apart: of independent noise, its variance. */
static double variogram(const struct partition *partition, size_t lag)
{
	for (size_t i = 0; i + lag < partition->count; i++) {
		double difference = partition->values[i + lag] - partition->values[i];
		partition->scratch[i] = difference * difference;
	}
	return variance(partition->scratch, partition->count - lag) / 2;
}

/* The noise about the fit's levels, and the fit's cost, of values of which each is expected as add_value has
 * it. */
static void measure(const struct partition *partition, struct fit *fit)
{
	double *squares = partition->scratch, rest = 1 - fit->correlation * fit->correlation;
	double reach = REACH * fit->noise, scale, count = (double)partition->count;
	size_t alone = 0;
	for (size_t l = 0; l < fit->levels; l++) {
		size_t start = fit->starts[l], end = end_of(partition, fit, l);
		double mean = level_mean(partition->values + start, end - start, reach), last = 0;
		for (size_t i = start; i < end; i++) {
			double distance = partition->values[i] - mean, surprise = distance;
			if (i > start && fabs(last) <= reach)
				surprise = (distance - fit->correlation * last) / sqrt(rest);
			else
				alone++;
			squares[i] = surprise * surprise;
			last = distance;
		}
	}
	scale = fmax(variance(squares, partition->count), partition->least * partition->least);
	fit->cost = count * log(scale) + (count - (double)alone) * log(rest) +
		    (double)(fit->levels - 1) * partition->penalty;
	for (size_t i = 0; i < partition->count; i++)
		fit->cost += fmin(squares[i] / scale, partition->bound);
	fit->cost += fit->correlation > 0 ? 2 * log(count) : 0;
	fit->cost += fit->correlation > CORRELATED_MUCH ? CORRELATED_MUCH_COST : 0;
	fit->noise = sqrt(scale * count / (count - (double)fit->levels));
}

/* Twice: with the given noise, and with the noise of the first pass's residuals, which is known better.
 */
static void fit_levels(struct partition *partition, struct fit *fit)
{
	for (int round = 0; round < 2; round++) {
		choose_levels(partition, fit->noise);
		const size_t count = partition->level_count;
		memset(partition->level_costs, 0, count * sizeof(*partition->level_costs));
		memset(partition->level_starts, 0, count * sizeof(*partition->level_starts));
		memset(partition->one, 0, count * sizeof(*partition->one));
		memset(partition->two, 0, count * sizeof(*partition->two));
		for (size_t t = 0; t < partition->count; t++)
			add_value(partition, t, fit->correlation, fit->noise);
		trace(partition, fit);
		measure(partition, fit);
	}
}

static void keep(struct fit *best, const struct fit *fit)
{
	size_t *starts = best->starts;
	*best = *fit;
	best->starts = memcpy(starts, fit->starts, fit->levels * sizeof(*starts));
}

/*
 * The best fit over all correlations; of none alone where that leaves one level, or where values up to four
 * places apart differ no more than neighbors do.
 */
static void fit_noise(struct partition *partition, struct fit *best, struct fit *tried)
{
	double nearest = fmax(variogram(partition, 1), partition->least * partition->least), further = 0;
	for (size_t lag = 2; lag <= 4; lag++)
		further += variogram(partition, lag) / 3;
	bool correlates = 1 - nearest / further > 1 / sqrt((double)partition->count);
	make_candidates(partition);
	best->cost = INFINITY;
	for (size_t i = 0; i < CORRELATIONS; i++) {
		tried->correlation = correlations[i];
		tried->noise = sqrt(nearest / (1 - correlations[i]));
		fit_levels(partition, tried);
		if (tried->cost < best->cost)
			keep(best, tried);
		if (i == 0 && (best->levels == 1 || !correlates))
			break;
	}
}

/* The slope within the levels; *deviation: its own. */
static double slope_within(const struct partition *partition, const struct fit *fit, double *deviation)
{
	double products = 0, squares = 0, reach = REACH * fit->noise;
	for (size_t l = 0; l < fit->levels; l++) {
		size_t start = fit->starts[l], end = end_of(partition, fit, l);
		double mean = level_mean(partition->values + start, end - start, reach);
		for (size_t i = start; i < end; i++) {
			double distance = partition->values[i] - mean;
			double place = (double)i - (double)(start + end - 1) / 2;
			if (fabs(distance) > reach)
				continue;
			products += place * distance;
			squares += place * place;
		}
	}
	*deviation = squares > 0 ? fit->noise / sqrt(squares) : INFINITY;
	return squares > 0 ? products / squares : 0;
}

/* The median slope of values half the series apart. */
static double slope_of_all(const struct partition *partition)
{
	size_t half = partition->count / 2;
	for (size_t i = 0; i + half < partition->count; i++)
		partition->scratch[i] = (partition->values[i + half] - partition->values[i]) / (double)half;
	return bench_stats_median(partition->scratch, partition->count - half);
}

static void take_drift(const double *values, size_t count, double drift, double *rest)
{
	for (size_t i = 0; i < count; i++)
		rest[i] = values[i] - drift * (double)i;
}

/* What it costs to explain the values as a walk without levels, whose steps may correlate. */
static double walk_cost(const struct partition *partition, struct fit *tried, double *steps)
{
	struct partition walk = *partition;
	double best = INFINITY;
	walk.values = steps;
	walk.count--;
	for (size_t i = 0; i < walk.count; i++)
		steps[i] = partition->values[i + 1] - partition->values[i];
	tried->levels = 1;
	tried->starts[0] = 0;
	for (size_t i = 0; i < CORRELATIONS; i++) {
		tried->correlation = correlations[i];
		tried->noise = INFINITY;
		measure(&walk, tried);
		best = fmin(best, tried->cost);
	}
	return best * (double)partition->count / (double)walk.count + WALK_CHANGES * partition->penalty;
}

/*
 * The levels of the values, or of what a drift leaves of them, where that costs less and makes no more
 * levels: first the median slope, then that within the levels, twice. None where a walk costs less.
 */
static void search(struct partition *partition, struct fit *best, struct fit *other, struct fit *tried,
		   double *flat)
{
	const double *values = partition->values;
	double deviation;
	fit_noise(partition, best, tried);
	double within = slope_within(partition, best, &deviation), drift = slope_of_all(partition);
	bool drifts = drift * within > 0 && fabs(within) > DRIFT_TRIED * deviation;
	for (int round = 0; round < 3 && best->levels > 1 && drifts; round++) {
		take_drift(values, partition->count, drift, flat);
		partition->values = flat;
		fit_noise(partition, other, tried);
		other->drift = drift;
		other->cost += DRIFT_CHANGES * partition->penalty;
		if (other->cost < best->cost && other->levels <= best->levels)
			keep(best, other);
		else if (round > 0)
			break;
		take_drift(values, partition->count, best->drift, flat);
		drift = best->drift + slope_within(partition, best, &deviation);
	}
	partition->values = values;
	if (best->levels > 1 && best->correlation > 0 && walk_cost(partition, tried, flat) < best->cost)
		best->levels = 1;
}

/* Were more than chance explains of the last RECENT values before a change about at its new level, to a
 * quarter of the shift, without lasting there? */
static bool recurs(const double *values, const struct bench_stats_changepoint *change)
{
	double reach = fabs(change->after - change->before) / 4;
	size_t visits = 0, near = 0;
	for (size_t i = 0; i <= change->index; i++)
		if (i < change->index && fabs(values[i] - change->after) < reach) {
			near++;
		} else {
			visits += near < LASTING && i + RECENT > change->index ? near : 0;
			near = 0;
		}
	return CHANCE * visits > (change->index < RECENT ? change->index : RECENT);
}

/* The change from level `old` to level `fresh`. */
static struct bench_stats_changepoint describe(const struct partition *partition, const struct fit *fit,
					       size_t old, size_t fresh)
{
	const double *before = partition->values + fit->starts[old];
	const double *after = partition->values + fit->starts[fresh];
	size_t before_count = end_of(partition, fit, old) - fit->starts[old];
	size_t after_count = end_of(partition, fit, fresh) - fit->starts[fresh];
	struct bench_stats_changepoint change = {
		.from = fit->starts[old],
		.index = fit->starts[fresh],
		.end = end_of(partition, fit, fresh),
		.before = bench_stats_median(before, before_count),
		.after = bench_stats_median(after, after_count),
		.shift = bench_stats_shift(before, before_count, after, after_count, 0.95),
		.p = bench_stats_rank_test(before, before_count, after, after_count),
	};
	change.recurs = recurs(partition->values, &change);
	return change;
}

/*
 * The changes that are large enough, each between two neighboring levels. Where smaller ones add up to as
 * much: from the level after the last reported change.
 */
static size_t report(const struct partition *partition, const struct fit *fit,
		     struct bench_stats_changepoint *changes)
{
	size_t count = 0, old = 0;
	for (size_t l = 1; l < fit->levels; l++) {
		struct bench_stats_changepoint change = describe(partition, fit, l - 1, l);
		if (fabs(change.shift.estimate) < partition->options->least)
			change = describe(partition, fit, old, l);
		if (fabs(change.shift.estimate) < partition->options->least)
			continue;
		changes[count++] = change;
		old = l;
	}
	return count;
}

size_t bench_stats_changepoints(const double *values, size_t count,
				const struct bench_stats_changepoint_options *options,
				struct bench_stats_changepoint **changes)
{
	*changes = NULL;
	if (count < 2 * LEAST)
		return 0;
	size_t most_levels = 4 * count, found = 0;
	double *reals = bench_memory_alloc(3 * count + 5 * most_levels, sizeof(*reals));
	size_t *sizes = bench_memory_alloc(4 * count + most_levels, sizeof(*sizes));
	double steps = bench_stats_student_quantile(1 - options->alpha / (2 * (double)count), count);
	double *of_levels = reals + 3 * count;
	struct partition partition = {
		.options = options,
		.values = values,
		.count = count,
		.least = fmax(fmax(options->floor, 1e-9 * fabs(bench_stats_median(values, count))), 1e-150),
		.penalty = PENALTY_PART * steps * steps,
		.bound = BOUND_PART * PENALTY_PART * steps * steps,
		.costs = reals,
		.scratch = reals + count,
		.candidates = of_levels,
		.levels = of_levels + most_levels,
		.level_costs = of_levels + 2 * most_levels,
		.one = of_levels + 3 * most_levels,
		.two = of_levels + 4 * most_levels,
		.starts = sizes,
		.level_starts = sizes + 4 * count,
	};
	struct fit best = {.starts = sizes + count}, other = {.starts = sizes + 2 * count};
	struct fit tried = {.starts = sizes + 3 * count};
	search(&partition, &best, &other, &tried, reals + 2 * count);
	if (best.levels > 1) {
		*changes = bench_memory_alloc(best.levels - 1, sizeof(**changes));
		found = report(&partition, &best, *changes);
	}
	if (found == 0) {
		free(*changes);
		*changes = NULL;
	}
	free(reals);
	free(sizes);
	return found;
}
