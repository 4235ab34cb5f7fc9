/* SPDX-License-Identifier: MIT */
#include "compare/tune_space.h"

#include <math.h>
#include <stdint.h>

#include "core/arena.h"

#define FEWEST      4    /* measurements from which something is predicted; one is the default's */
#define RANDOM_EACH 5    /* one of so many is random, whatever is predicted */
#define SHRINKAGE   1.0  /* measurements that a main effect of zero counts for */
#define SWEEPS      5    /* of the backfitting */
#define SPREAD      8    /* random ones, of which the least like those that are known is taken at first */
#define NEIGHBORLY  0.5  /* weight of a neighbor, for each tunable that differs */
#define CURIOSITY   0.15 /* how much lower the logarithm is guessed where no neighbor was measured */

/* The model of what was measured. */
struct model {
	const struct bench_tune_space *space;
	uint16_t *values;        /* by combination and tunable */
	size_t *measured, count; /* combinations with a ratio */
	double *residuals;       /* of these */
	double mean;
	double **effects; /* by tunable and value */
};

static size_t value_of(const struct model *model, size_t combination, size_t tunable)
{
	return model->values[combination * model->space->tunables + tunable];
}

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

/* One tunable's effects, given the others': means of residuals, shrunken. */
static void fit_tunable(struct model *model, size_t tunable, struct bench_arena *arena)
{
	const struct bench_tune_space *space = model->space;
	const size_t size = space->sizes[tunable];
	double *sums = bench_arena_alloc(arena, size, sizeof(*sums));
	double *counts = bench_arena_alloc(arena, size, sizeof(*counts)), *effects = model->effects[tunable];
	for (size_t i = 0; i < model->count; i++) {
		const size_t v = value_of(model, model->measured[i], tunable);
		sums[v] += model->residuals[i] + effects[v];
		counts[v]++;
	}
	for (size_t i = 0; i < model->count; i++) {
		const size_t v = value_of(model, model->measured[i], tunable);
		model->residuals[i] += effects[v] - sums[v] / (counts[v] + SHRINKAGE);
	}
	for (size_t v = 0; v < size; v++)
		effects[v] = sums[v] / (counts[v] + SHRINKAGE);
}

static void fit(struct model *model, struct bench_arena *arena)
{
	const struct bench_tune_space *space = model->space;
	model->values = bench_arena_alloc(arena, space->count * space->tunables + 1, sizeof(*model->values));
	for (size_t i = 0; i < space->count; i++)
		for (size_t t = space->tunables, rest = i; t-- > 0; rest /= space->sizes[t])
			model->values[i * space->tunables + t] = (uint16_t)(rest % space->sizes[t]);
	model->measured = bench_arena_alloc(arena, space->count + 1, sizeof(*model->measured));
	model->residuals = bench_arena_alloc(arena, space->count + 1, sizeof(*model->residuals));
	model->effects = bench_arena_alloc(arena, space->tunables + 1, sizeof(*model->effects));
	for (size_t i = 0; i < space->count; i++) {
		if (!isfinite(space->ratios[i]))
			continue;
		model->residuals[model->count] = log(space->ratios[i]);
		model->mean += model->residuals[model->count];
		model->measured[model->count++] = i;
	}
	model->mean /= fmax(1, (double)model->count);
	for (size_t i = 0; i < model->count; i++)
		model->residuals[i] -= model->mean;
	for (size_t t = 0; t < space->tunables; t++)
		model->effects[t] = bench_arena_alloc(arena, space->sizes[t], sizeof(double));
	for (int sweep = 0; sweep < SWEEPS; sweep++)
		for (size_t t = 0; t < space->tunables; t++)
			fit_tunable(model, t, arena);
}

/* 1 for the same combination, and less for each tunable that differs. */
static double likeness(const struct model *model, size_t one, size_t other)
{
	double weight = 1;
	for (size_t t = 0; t < model->space->tunables; t++)
		if (value_of(model, one, t) != value_of(model, other, t))
			weight *= NEIGHBORLY;
	return weight;
}

static double predict(const struct model *model, size_t combination)
{
	const struct bench_tune_space *space = model->space;
	double guess = model->mean, weights = 0, sum = 0;
	for (size_t t = 0; t < space->tunables; t++)
		guess += model->effects[t][value_of(model, combination, t)];
	for (size_t i = 0; i < model->count; i++) {
		const double weight = likeness(model, combination, model->measured[i]);
		weights += weight;
		sum += weight * model->residuals[i];
	}
	return guess + sum / (weights + NEIGHBORLY) - CURIOSITY / (1 + weights);
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
static size_t pick_apart(const struct model *model, const bool *taken, size_t left, struct bench_rng *rng)
{
	const struct bench_tune_space *space = model->space;
	size_t best = SIZE_MAX;
	double least = INFINITY;
	for (size_t k = 0; k < SPREAD; k++) {
		const size_t next = pick(space, taken, (size_t)bench_rng_below(rng, left));
		double like = 0;
		for (size_t i = 0; i < space->count; i++)
			if (taken[i] || !isnan(space->ratios[i]))
				like += likeness(model, next, i);
		if (like < least) {
			least = like;
			best = next;
		}
	}
	return best;
}

size_t bench_compare_tune_space_next(const struct bench_tune_space *space, size_t wanted,
				     struct bench_rng *rng, size_t *batch)
{
	struct bench_arena arena = {0};
	struct model model = {.space = space};
	size_t left = bench_compare_tune_space_left(space), count = 0;
	bool *taken = bench_arena_alloc(&arena, space->count + 1, sizeof(*taken));
	double *guesses = bench_arena_alloc(&arena, space->count + 1, sizeof(*guesses));
	fit(&model, &arena);
	const bool blind = model.count < FEWEST;
	for (size_t i = 0; !blind && i < space->count; i++)
		guesses[i] = is_left(space, i) ? predict(&model, i) : 0;
	for (; count < wanted && left > 0; count++, left--) {
		size_t next = SIZE_MAX;
		for (size_t i = 0; !blind && count % RANDOM_EACH != RANDOM_EACH - 1 && i < space->count; i++)
			if (is_left(space, i) && !taken[i] &&
			    (next == SIZE_MAX || guesses[i] < guesses[next]))
				next = i;
		if (next == SIZE_MAX)
			next = pick_apart(&model, taken, left, rng);
		taken[next] = true;
		batch[count] = next;
	}
	bench_arena_free(&arena);
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
