/* SPDX-License-Identifier: MIT */
/*
 * Does the search for change points find what is there, where it is, and nothing else? Series of 100 values
 * with noise of 2%, most with a step of 5%, at the threshold that is the default. With the argument `peers`,
 * the same series for other methods beside it, as a table.
 */
#include "stats/changepoints.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/changes.h"
#include "statistics/changepoint_peers.h"
#include "statistics/simulate.h"

enum { LENGTH = 100, TRIALS = 2000, WALKS = 15, NEAR = 3 };

/* Independent noise, and what depends on the value before: of first order, a drift of 10%, a walk. */
enum shape {
	GAUSSIAN,
	SKEWED,
	TWO_PEAKS,
	SPIKES,
	SHAPES,
	ORDER_5 = SHAPES,
	ORDER_8,
	DRIFT,
	WALK,
	ALL_SHAPES
};
static const char *const shape_names[ALL_SHAPES] = {
	"gaussian",        "skewed",          "two peaks",    "spikes",
	"correlation 0.5", "correlation 0.8", "drift of 10%", "walk in steps of 2%"};

/* With a deviation of 2%; the spikes come on top of that. */
static double draw(struct bench_rng *rng, enum shape shape)
{
	const double deviation = 0.02;
	switch (shape) {
	case SKEWED:
		return 1 + deviation * (-log(1 - bench_rng_uniform(rng)) - 1);
	case TWO_PEAKS:
		return 1 + deviation * ((bench_rng_uniform(rng) < 0.5 ? -0.98 : 0.98) +
					0.2 * bench_rng_normal(rng));
	case SPIKES: {
		double spike = bench_rng_uniform(rng) < 0.03 ? 1.5 : 1;
		return spike * (1 + deviation * bench_rng_normal(rng));
	}
	default:
		return 1 + deviation * bench_rng_normal(rng);
	}
}

/* The logarithm of value i, `last` being that of the value before; all but the walk have a deviation of 2%.
 */
static double draw_dependent(struct bench_rng *rng, enum shape shape, size_t i, double last)
{
	double fresh = 0.02 * bench_rng_normal(rng), correlation = shape == ORDER_5 ? 0.5 : 0.8;
	if (shape == DRIFT)
		return fresh + log(1.1) * (double)i / LENGTH;
	if (shape == WALK)
		return last + fresh;
	return i == 0 ? fresh : correlation * last + sqrt(1 - correlation * correlation) * fresh;
}

/* Logarithms of a series whose last `after` values are 5% more or less. */
static void draw_series(struct bench_rng *rng, enum shape shape, size_t after, double *values)
{
	double step = bench_rng_uniform(rng) < 0.5 ? log(1.05) : -log(1.05), last = 0;
	for (size_t i = 0; i < LENGTH; i++) {
		last = shape < SHAPES ? log(draw(rng, shape)) : draw_dependent(rng, shape, i, last);
		values[i] = last + (i >= LENGTH - after ? step : 0);
	}
}

static size_t search(const double *values, size_t count, size_t *found)
{
	struct bench_stats_changepoint *changes;
	struct bench_stats_changepoint_options options = {.alpha = 0.01, .least = log1p(BENCH_CHANGE_LEAST)};
	size_t changed = bench_stats_changepoints(values, count, &options, &changes);
	for (size_t i = 0; i < changed; i++)
		found[i] = changes[i].index;
	free(changes);
	return changed;
}

struct tally {
	size_t hits, others; /* series whose step was found, changes that are no step */
};

static struct tally try_method(changepoint_method method, enum shape shape, size_t after, size_t trials)
{
	struct bench_rng rng;
	struct tally tally = {0};
	bench_rng_start(&rng, 20261123, shape);
	for (size_t trial = 0; trial < trials; trial++) {
		double values[LENGTH];
		size_t found[LENGTH], hit = 0;
		draw_series(&rng, shape, after, values);
		size_t count = method(values, LENGTH, found);
		for (size_t i = 0; i < count; i++) {
			size_t step = LENGTH - after;
			bool near = after > 0 && found[i] + NEAR >= step && found[i] <= step + NEAR;
			if (near)
				hit = 1;
			else
				tally.others++;
		}
		tally.hits += hit;
	}
	return tally;
}

struct nights {
	size_t found, gone, false_alarms;
};

/*
 * Walks: each night sees the values up to it, of series whose last `after` values are 5% more or less. found:
 * walks in which the step is reported before 9 values stand on it. gone: reports that are gone on the last
 * night; false_alarms: of no step, gone or not. As a gate of 20 metrics searches, which share alpha.
 */
static struct nights walk_nights(enum shape shape, size_t after, size_t walks)
{
	struct bench_rng rng;
	struct nights nights = {0};
	const struct bench_stats_changepoint_options options = {.alpha = 0.01 / 20};
	bench_rng_start(&rng, 20261124, shape);
	for (size_t walk = 0; walk < walks; walk++) {
		double values[LENGTH];
		size_t last[LENGTH] = {0}, first[LENGTH] = {0}; /* nights that report a change there */
		draw_series(&rng, shape, after, values);
		for (size_t night = 6; night <= LENGTH; night++) {
			struct bench_stats_changepoint *changes;
			size_t count = bench_stats_changepoints(values, night, &options, &changes);
			for (size_t i = 0; i < count; i++) {
				size_t at = changes[i].index;
				for (size_t near = at > NEAR ? at - NEAR : 0; near <= at + NEAR; near++)
					if (near < LENGTH && first[near] > 0)
						at = near; /* it is known already */
				first[at] = first[at] > 0 ? first[at] : night;
				last[at] = night;
			}
			free(changes);
		}
		bool found = false;
		for (size_t at = 0; at < LENGTH; at++) {
			size_t step = LENGTH - after;
			bool near = after > 0 && at + NEAR >= step && at <= step + NEAR;
			if (first[at] == 0)
				continue;
			found |= near && first[at] < step + 9;
			nights.gone += last[at] < LENGTH;
			nights.false_alarms += !near;
		}
		nights.found += found;
	}
	return nights;
}

static int keep_promises_of_nights(void)
{
	size_t found = 0, gone = 0;
	for (enum shape shape = 0; shape < SHAPES; shape++) {
		struct nights nights = walk_nights(shape, 25, WALKS);
		found += nights.found;
		gone += nights.gone;
	}
	return rate_at_least("night by night: found within 8 nights", found, SHAPES * WALKS, 0.8) |
	       rate_at_most("night by night: reports that are gone later", gone, SHAPES * WALKS, 0.3);
}

static int keep_promises(void)
{
	int broken = 0;
	for (enum shape shape = 0; shape < SHAPES; shape++) {
		char what[96];
		snprintf(what, sizeof(what), "%s: found with 25 values after it", shape_names[shape]);
		broken |= rate_at_least(what, try_method(search, shape, 25, TRIALS).hits, TRIALS, 0.95);
		snprintf(what, sizeof(what), "%s: found with 8 values after it", shape_names[shape]);
		broken |= rate_at_least(what, try_method(search, shape, 8, TRIALS).hits, TRIALS, 0.9);
		snprintf(what, sizeof(what), "%s: changes found in a series without", shape_names[shape]);
		broken |= rate_at_most(what, try_method(search, shape, 0, TRIALS).others, TRIALS, 0.02);
	}
	broken |= rate_at_least("correlation 0.8: found with 25 values after it",
				try_method(search, ORDER_8, 25, TRIALS).hits, TRIALS, 0.6);
	for (enum shape shape = ORDER_5; shape <= ORDER_8; shape++) {
		char what[96];
		snprintf(what, sizeof(what), "%s: changes found in a series without", shape_names[shape]);
		broken |= rate_at_most(what, try_method(search, shape, 0, TRIALS).others, TRIALS, 0.1);
	}
	return broken | keep_promises_of_nights();
}

static void print_peers(size_t trials)
{
	static const struct {
		const char *name;
		changepoint_method method;
	} methods[] = {{"bench", search},
		       {"E-divisive, t-test", changepoints_e_divisive},
		       {"PELT", changepoints_pelt},
		       {"L1 Potts", changepoints_potts},
		       {"windowed t", changepoints_windowed_t}};
	printf("| method | noise | found, 25 after | found, 8 after | false, no step "
	       "|\n|---|---|---|---|---|\n");
	for (size_t m = 0; m < sizeof(methods) / sizeof(*methods); m++)
		for (enum shape shape = 0; shape < ALL_SHAPES; shape++)
			printf("| %s | %s | %.1f%% | %.1f%% | %.3f |\n", methods[m].name, shape_names[shape],
			       100 * (double)try_method(methods[m].method, shape, 25, trials).hits /
				       (double)trials,
			       100 * (double)try_method(methods[m].method, shape, 8, trials).hits /
				       (double)trials,
			       (double)try_method(methods[m].method, shape, 0, trials).others /
				       (double)trials);
}

static void print_walks(size_t walks)
{
	printf("| noise | found within 8 nights | gone later, a walk | false, a walk without a step |\n"
	       "|---|---|---|---|\n");
	for (enum shape shape = 0; shape < SHAPES; shape++) {
		struct nights with = walk_nights(shape, 25, walks), without = walk_nights(shape, 0, walks);
		printf("| %s | %.1f%% | %.3f | %.3f |\n", shape_names[shape],
		       100 * (double)with.found / (double)walks, (double)with.gone / (double)walks,
		       (double)without.false_alarms / (double)walks);
	}
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return keep_promises();
	if (strcmp(argv[1], "walks") == 0) {
		print_walks(300);
		return 0;
	}
	if (strcmp(argv[1], "peers") != 0) {
		fprintf(stderr, "usage: %s [peers|walks]\n", argv[0]);
		return 2;
	}
	print_peers(500);
	return 0;
}
