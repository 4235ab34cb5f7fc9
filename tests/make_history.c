/* SPDX-License-Identifier: MIT */
/*
 * Makes a history of a year, to time what reads it (scripts/evaluate_history):
 *
 *     make_history DB [METRICS [RUNS]]       500 and 366 take a minute or two, and 0.1 GB
 *
 * A run a night, of METRICS cases with a time each, of 8 invocations with 10 samples (made_nights.h). There
 * are no run folders, verdicts and alarms: scripts/make_history makes histories that have them.
 */
#include <stdio.h>
#include <stdlib.h>

#include "made_nights.h"
#include "store/store.h"

int main(int argc, char **argv)
{
	struct made_nights nights = {.metrics = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 500,
				     .nights = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 366,
				     .invocations = 8,
				     .least_samples = 10,
				     .most_samples = 10};
	struct bench_store *store = NULL;
	struct bench_error error;
	int result = -1;

	if (argc < 2 || nights.metrics == 0 || nights.nights == 0) {
		fprintf(stderr, "usage: make_history DB [METRICS [RUNS]]\n");
		return 2;
	}
	bench_rng_start(&nights.rng, 20261123, 1);
	if (bench_store_open(argv[1], BENCH_STORE_WRITE, &store, &error) == 0)
		result = 0;
	for (unsigned night = 0; result == 0 && night < nights.nights; night++) {
		struct bench_run *run = made_night(&nights, night);
		bool added;

		result = bench_store_ingest(store, run, &added, &error);
		bench_record_free(run);
	}
	if (result != 0)
		fprintf(stderr, "make_history: %s\n", error.text);
	bench_store_close(store);
	return result == 0 ? 0 : 1;
}
