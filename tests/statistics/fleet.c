/* SPDX-License-Identifier: MIT */
/*
 * A fleet of 1,000 nodes in 20 classes, each night: how often does its gate accuse unchanged code, anywhere,
 * and how often does it find, the first night, a class that is 5% slower? And how often is a node called odd
 * that is not, and is one that is?
 *
 * fleet [TRIALS [METRICS [JOBS [NIGHTS]]]]: trials of the nodes (200); for the gate, metrics that each class
 * has (2), jobs, tonight's among them (11), and nights (100).
 *
 * Nodes of a class differ for good by a deviation of 1%, nights by 0.5%, runs by 1% more.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "compare/fleet.h"
#include "statistics/simulate.h"
#include "unit/made_run.h"

enum { NODES = 50, CLASSES = 20, JOBS = 101, ODD_NODES = 10, ODD_JOBS = 10 };

struct fleet {
	struct bench_run *records[NODES * JOBS];
	struct bench_fleet_run runs[NODES * JOBS];
	struct bench_fleet_group group;
	size_t metrics;
	struct bench_rng rng;
};

static void start(struct fleet *fleet, size_t nodes, size_t jobs, size_t metrics)
{
	const double one = 1;

	*fleet = (struct fleet){.group = {.runs = fleet->runs, .jobs = jobs, .nodes = nodes},
				.metrics = metrics};
	bench_rng_start(&fleet->rng, 20261123, 0);
	for (size_t job = 0; job < jobs; job++)
		for (size_t node = 0; node < nodes; node++) {
			char id[48];
			size_t at = fleet->group.count++;

			snprintf(id, sizeof(id), "n.%zu-%zu", jobs - job, node);
			fleet->records[at] = made_run(id);
			fleet->records[at]->started = 10000 - 50 * (int64_t)job;
			for (unsigned m = 0; m < metrics; m++)
				made_metric(fleet->records[at], made_case(fleet->records[at], m), "time",
					    BENCH_BETTER_LOWER, &one, 1)
					->series[0]
					.count = 1;
			fleet->runs[at] = (struct bench_fleet_run){fleet->records[at], job, node};
		}
}

static void end(struct fleet *fleet)
{
	for (size_t i = 0; i < fleet->group.count; i++)
		bench_record_free(fleet->records[i]);
}

/* All values anew: tonight's times `tonight`, the first node's times `odd`. */
static void draw(struct fleet *fleet, double between_nodes, double tonight, double odd)
{
	for (size_t m = 0; m < fleet->metrics; m++) {
		double nodes[NODES], nights[JOBS];

		for (size_t node = 0; node < fleet->group.nodes; node++)
			nodes[node] =
				between_nodes * bench_rng_normal(&fleet->rng) + (node == 0 ? log(odd) : 0);
		for (size_t job = 0; job < fleet->group.jobs; job++)
			nights[job] = 0.005 * bench_rng_normal(&fleet->rng) + (job == 0 ? log(tonight) : 0);
		for (size_t i = 0; i < fleet->group.count; i++)
			fleet->records[i]->results[m].metrics[0].series[0].values[0] =
				1e-3 * exp(nodes[fleet->runs[i].node] + nights[fleet->runs[i].job] +
					   0.01 * bench_rng_normal(&fleet->rng));
	}
}

/* How many metrics of the class are slower tonight, at the class's share of alpha. */
static size_t gate(const struct fleet *fleet)
{
	const struct bench_compare_options options = {
		.threshold = 0.03, .alpha = 0.01 / CLASSES, .assumed_spread = BENCH_COMPARE_ASSUMED_SPREAD};
	struct bench_run *nights[JOBS];
	struct bench_comparison *comparison;
	struct bench_error error;
	size_t slower;

	bench_compare_fleet_nights(&fleet->group, "class:1", nights);
	if (bench_compare_runs((const struct bench_run *const *)nights + 1, fleet->group.jobs - 1, "nights",
			       nights[0], &options, &comparison, &error) != 0) {
		fprintf(stderr, "%s\n", error.text);
		exit(1);
	}
	slower = comparison->counts[BENCH_SLOWER];
	bench_compare_free(comparison);
	for (size_t job = 0; job < fleet->group.jobs; job++)
		bench_record_free(nights[job]);
	return slower;
}

static int simulate_gate(struct fleet *fleet, size_t nights)
{
	size_t alarms = 0, found = 0;

	for (size_t night = 0; night < nights; night++) {
		size_t slower = 0;

		for (size_t class = 0; class < CLASSES; class ++) {
			draw(fleet, 0.01, 1, 1);
			slower += gate(fleet);
		}
		alarms += slower > 0;
	}
	printf("%-58s %6zu of %6zu nights\n", "1,000 nodes in 20 classes: a false alarm anywhere", alarms,
	       nights);
	for (size_t i = 0; i < nights; i++) {
		draw(fleet, 0.01, 1.05, 1);
		found += gate(fleet);
	}
	return (alarms > 1 + nights / 100) +
	       rate_within("a metric that is 5% slower is found the first night", found,
			   nights * fleet->metrics, 0.95, 1);
}

/* How many nodes other than the first are accused; *first: is it? */
static size_t search(const struct fleet *fleet, double threshold, int *first)
{
	const struct bench_compare_options options = {.threshold = threshold, .alpha = 0.01};
	struct bench_arena arena = {0};
	struct bench_fleet_odd *odd;
	size_t count, others = 0, own = 0;

	bench_compare_fleet_odd(&fleet->group, 1, &options, &arena, &odd, &count);
	for (size_t i = 0; i < count; i++)
		if (odd[i].kind == BENCH_SLOWER || odd[i].kind == BENCH_FASTER)
			*(odd[i].node == 0 ? &own : &others) += 1;
	*first = own > 0;
	bench_arena_free(&arena);
	return others;
}

static int simulate_nodes(size_t trials)
{
	static struct fleet fleet;
	size_t accused = 0, alike = 0, found = 0;
	int first;

	start(&fleet, ODD_NODES, ODD_JOBS, 2);
	for (size_t i = 0; i < trials; i++) {
		/* Nodes that are equal, and no threshold: what is left is the level of the intervals. */
		draw(&fleet, 0, 1, 1);
		accused += search(&fleet, 0, &first) + (size_t)first > 0;
		draw(&fleet, 0.003, 1, 1);
		alike += search(&fleet, 0.02, &first) + (size_t)first > 0;
		draw(&fleet, 0.003, 1, 1.05);
		search(&fleet, 0.02, &first);
		found += (size_t)first;
	}
	end(&fleet);
	return rate_within("10 equal nodes, 10 nights: one is called odd", accused, trials, 0, 0.01) +
	       rate_within("nodes that differ by 0.3%, threshold 2%: one is", alike, trials, 0, 0.01) +
	       rate_within("one that is 5% slower is found", found, trials, 0.95, 1);
}

int main(int argc, char **argv)
{
	static struct fleet fleet;
	size_t sizes[] = {200, 2, 11, 100};
	int failed = 0;

	for (int i = 1; i < argc && i <= 4; i++)
		sizes[i - 1] = strtoul(argv[i], NULL, 10);
	if (sizes[2] < 2 || sizes[2] > JOBS)
		return 2;
	if (sizes[0])
		failed += simulate_nodes(sizes[0]);
	start(&fleet, NODES, sizes[2], sizes[1]);
	failed += simulate_gate(&fleet, sizes[3]);
	end(&fleet);
	return failed > 0;
}
