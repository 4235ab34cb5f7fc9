/* SPDX-License-Identifier: MIT */
#include "compare/tune_space.h"

#include <math.h>
#include <stdint.h>

#include "core/arena.h"

#define FEWEST     4    /* measurements from which something is predicted; one is the default's */
#define SPREAD     8    /* random ones, of which the least like those that are known is taken at first */
#define CANDIDATES 2048 /* that are compared for a batch, at most: all, or random ones and neighbors */
#define KNOWN      512  /* measurements that a prediction is made of, at most */
#define FITTED     96   /* measurements that the tunables' weights are found by, at most */
#define SWEEPS     2    /* over the tunables, to find them */
#define LIKENESS   0.7  /* of two combinations that differ in one tunable, before it is known */
#define NOISE      1e-3 /* variance of a measurement, over that of all combinations */

static const double likenesses[] = {0.3, 0.5, 0.7, 0.85, 0.95, 0.99};

/*
 * A Gaussian process: the logarithms of times, of which those of like combinations are correlated. The points
 * that are known come first, and those that are to be predicted after them.
 */
struct process {
	const struct bench_tune_space *space;
	const double *likeness;     /* by tunable: of two combinations that differ in it, below 1 */
	const uint16_t *values;     /* by combination and tunable */
	const size_t *points;       /* combinations */
	size_t count, known;        /* of the points */
	double **rows;              /* by known point: of the Cholesky factor, a column for each point */
	double *mean, *variance;    /* by point, given what is known; the variance over that of all */
	double squares, logarithms; /* of the errors of prediction, and of their variances */
};

static bool is_left(const struct bench_tune_space *space, size_t combination)
{
	return space->allowed[combination] && isnan(space->ratios[combination]);
}

size_t bench_compare_tune_space_left(const struct bench_tune_space *space)
{
	size_t left = 0;
	for (size_t i = 0; i < space->count; i++)
		left += is_left(space, i);
	return left;
}

static double correlation(const struct process *process, size_t one, size_t other)
{
	const size_t tunables = process->space->tunables;
	const uint16_t *a = &process->values[one * tunables], *b = &process->values[other * tunables];
	double product = 1;
	for (size_t t = 0; t < tunables; t++)
		product *= a[t] == b[t] ? 1 : process->likeness[t];
	return product;
}

/* Takes the point at `at` as known: measured, or (`believed`) as it is predicted. */
static void know(struct process *process, size_t at, double measured, bool believed)
{
	const double root = sqrt(process->variance[at] + NOISE);
	const double error = believed ? 0 : (measured - process->mean[at]) / root;
	double *row = process->rows[process->known];
	for (size_t p = 0; p < process->count; p++)
		row[p] = correlation(process, process->points[at], process->points[p]);
	for (size_t i = 0; i < process->known; i++) {
		const double *earlier = process->rows[i], factor = earlier[at];
		for (size_t p = 0; p < process->count; p++)
			row[p] -= factor * earlier[p];
	}
	for (size_t p = 0; p < process->count; p++) {
		row[p] /= root;
		process->mean[p] += row[p] * error;
		process->variance[p] = fmax(process->variance[p] - row[p] * row[p], 0);
	}
	process->squares += error * error;
	process->logarithms += log(root);
	process->known++;
}

/* Starts over, and takes the first `measured` points as known. */
static void learn(struct process *process, size_t measured)
{
	double level = 0;
	for (size_t i = 0; i < measured; i++)
		level += log(process->space->ratios[process->points[i]]) / (double)measured;
	for (size_t p = 0; p < process->count; p++) {
		process->mean[p] = level;
		process->variance[p] = 1;
	}
	process->known = 0;
	process->squares = process->logarithms = 0;
	for (size_t i = 0; i < measured; i++)
		know(process, i, log(process->space->ratios[process->points[i]]), false);
}

/* How unlikely what is known is, given the likenesses; the variance of all is the likeliest. */
static double surprise(const struct process *process)
{
	const double count = (double)process->known;
	return count / 2 * log(process->squares / count + 1e-12) + process->logarithms;
}

static struct process process_of(const struct bench_tune_space *space, const size_t *points, size_t count,
				 size_t known, const uint16_t *values, const double *likeness,
				 struct bench_arena *arena)
{
	struct process process = {
		.space = space, .likeness = likeness, .values = values, .points = points, .count = count};
	process.rows = bench_arena_alloc(arena, known + 1, sizeof(*process.rows));
	for (size_t i = 0; i < known; i++)
		process.rows[i] = bench_arena_alloc(arena, count + 1, sizeof(double));
	process.mean = bench_arena_alloc(arena, count + 1, sizeof(double));
	process.variance = bench_arena_alloc(arena, count + 1, sizeof(double));
	return process;
}

/* The likenesses under which some of the measurements are the likeliest: one tunable after the other. */
static void fit(const struct bench_tune_space *space, const size_t *measured, size_t count,
		const uint16_t *values, double *likeness, struct bench_arena *arena)
{
	struct process process = process_of(space, measured, count, count, values, likeness, arena);
	learn(&process, count);
	double least = surprise(&process);
	for (size_t t = 0; t < space->tunables * SWEEPS; t++) {
		double *of = &likeness[t % space->tunables], best = *of;
		for (size_t l = 0; l < sizeof(likenesses) / sizeof(*likenesses); l++) {
			*of = likenesses[l];
			learn(&process, count);
			if (surprise(&process) < least) {
				least = surprise(&process);
				best = *of;
			}
		}
		*of = best;
	}
}

/* By how much a combination is expected to be below the best, where it is at all. */
static double improvement(const struct process *process, size_t at, double best, double variance)
{
	const double spread = sqrt(process->variance[at] * variance + 1e-18);
	const double z = (best - process->mean[at]) / spread;
	return spread * (z * 0.5 * erfc(-z / M_SQRT2) + exp(-z * z / 2) / sqrt(2 * M_PI));
}

/* The `number`-th of those that are left and not taken. */
static size_t pick(const struct bench_tune_space *space, const bool *taken, size_t number)
{
	size_t i = 0;
	for (;; i++)
		if (is_left(space, i) && !taken[i] && number-- == 0)
			return i;
}

/* A random one, of `left`, that is little like those that are measured or taken. */
static size_t pick_apart(const struct process *process, const bool *taken, size_t left, struct bench_rng *rng)
{
	const struct bench_tune_space *space = process->space;
	size_t best = SIZE_MAX;
	double least = INFINITY;
	for (size_t k = 0; k < SPREAD; k++) {
		const size_t next = pick(space, taken, (size_t)bench_rng_below(rng, left));
		double like = 0;
		for (size_t i = 0; i < space->count; i++)
			if (taken[i] || !isnan(space->ratios[i]))
				like += correlation(process, next, i);
		if (like < least) {
			least = like;
			best = next;
		}
	}
	return best;
}

static const uint16_t *values_of(const struct bench_tune_space *space, struct bench_arena *arena)
{
	uint16_t *values = bench_arena_alloc(arena, space->count * space->tunables + 1, sizeof(*values));
	for (size_t i = 0; i < space->count; i++)
		for (size_t t = space->tunables, rest = i; t-- > 0; rest /= space->sizes[t])
			values[i * space->tunables + t] = (uint16_t)(rest % space->sizes[t]);
	return values;
}

/* Up to `most` that are left, each as likely as any other, but for neighbors of `best`, which are all among
 * them. */
static size_t choose(const struct process *process, size_t best, size_t left, size_t most,
		     struct bench_rng *rng, size_t *chosen)
{
	const struct bench_tune_space *space = process->space;
	const size_t tunables = space->tunables;
	size_t count = 0;
	for (size_t i = 0; i < space->count && count < most; i++) {
		size_t differ = 0;
		if (!is_left(space, i))
			continue;
		for (size_t t = 0; t < tunables; t++)
			differ += process->values[i * tunables + t] != process->values[best * tunables + t];
		if (differ == 1 || bench_rng_below(rng, left) < most - count)
			chosen[count++] = i;
		left--;
	}
	return count;
}

size_t bench_compare_tune_space_best(const struct bench_tune_space *space, size_t wanted, size_t *best)
{
	size_t count = 0;
	for (size_t i = 0; i < space->count; i++) {
		if (!isfinite(space->ratios[i]))
			continue;
		size_t at = count < wanted ? count++ : count;
		for (; at > 0 && space->ratios[best[at - 1]] > space->ratios[i]; at--)
			if (at < wanted)
				best[at] = best[at - 1];
		if (at < wanted)
			best[at] = i;
	}
	return count;
}

/* Those with the largest expected improvements, each where those before it turn out as predicted. */
static size_t choose_promising(struct process *process, double *likeness, const size_t *best, size_t measured,
			       size_t left, size_t wanted, struct bench_rng *rng, bool *taken, size_t *batch,
			       struct bench_arena *arena)
{
	const struct bench_tune_space *space = process->space;
	fit(space, best, measured < FITTED ? measured : FITTED, process->values, likeness, arena);
	size_t *points = bench_arena_alloc(arena, measured + CANDIDATES, sizeof(*points)), count = measured;
	for (size_t i = 0; i < measured; i++)
		points[i] = best[i];
	count += choose(process, best[0], left, CANDIDATES, rng, points + measured);
	*process = process_of(space, points, count, measured + wanted, process->values, likeness, arena);
	learn(process, measured);
	const double lowest = log(space->ratios[best[0]]), variance = process->squares / (double)measured;
	size_t chosen = 0;
	for (; chosen < wanted && chosen < count - measured; chosen++) {
		size_t next = 0;
		double most = -1;
		for (size_t p = measured; p < count; p++) {
			const double expected =
				taken[points[p]] ? -1 : improvement(process, p, lowest, variance);
			if (expected > most) {
				most = expected;
				next = p;
			}
		}
		batch[chosen] = points[next];
		taken[points[next]] = true;
		know(process, next, 0, true);
	}
	return chosen;
}

/* What was measured and has not failed, the best FITTED / 2 first, the rest in random order. */
static size_t list_measured(const struct bench_tune_space *space, struct bench_rng *rng, size_t *list)
{
	const size_t count = bench_compare_tune_space_best(space, space->count, list);
	for (size_t i = FITTED / 2; i < count; i++) {
		const size_t other = i + (size_t)bench_rng_below(rng, count - i), kept = list[i];
		list[i] = list[other];
		list[other] = kept;
	}
	return count < KNOWN ? count : KNOWN;
}

size_t bench_compare_tune_space_next(const struct bench_tune_space *space, size_t wanted,
				     struct bench_rng *rng, size_t *batch)
{
	struct bench_arena arena = {0};
	size_t left = bench_compare_tune_space_left(space), count = 0;
	bool *taken = bench_arena_alloc(&arena, space->count + 1, sizeof(*taken));
	size_t *best = bench_arena_alloc(&arena, space->count + 1, sizeof(*best));
	double *likeness = bench_arena_alloc(&arena, space->tunables + 1, sizeof(*likeness));
	struct process process = {.space = space, .likeness = likeness, .values = values_of(space, &arena)};
	for (size_t t = 0; t < space->tunables; t++)
		likeness[t] = LIKENESS;
	const size_t measured = list_measured(space, rng, best);
	if (measured >= FEWEST)
		count = choose_promising(&process, likeness, best, measured, left, wanted, rng, taken, batch,
					 &arena);
	else
		for (; count < wanted && left > 0; count++, left--) {
			batch[count] = pick_apart(&process, taken, left, rng);
			taken[batch[count]] = true;
		}
	bench_arena_free(&arena);
	return count;
}
