/* SPDX-License-Identifier: MIT */
/*
 * The duel of 'bench tune': this executable against itself (duel.h), with a candidate in force against what
 * is in force now.
 */
#ifndef BENCH_APP_TUNE_DUEL_H
#define BENCH_APP_TUNE_DUEL_H

#include "app/duel.h"
#include "compare/tune.h"

#define BENCH_APP_TUNE_TIME_LIMIT 120 /* seconds a case may hang */
#define BENCH_APP_TUNE_MOST_SETS  24
#define BENCH_APP_TUNE_PAIRS      6 /* without which there is no interval of 95% */

struct bench_app_tune_duel {
	const struct bench_app_host *host;
	struct bench_app_places places;
	struct bench_arena *arena;
	const char *suite, *sets; /* what is measured, preset quick: "n=512 dtype=f32" */
	const struct bench_target *target;
	const char *base, *head;    /* values in force, as BENCH_TUNING has them */
	double budget;              /* seconds, in whole milliseconds; 0: a duel's own */
	unsigned least_pairs;       /* of processes, also past the budget; 0: as many as it holds */
	const char *what, *against; /* the candidate and what it meets, in words */

	struct bench_tune_outcome outcome;
	bool interrupted; /* then there is no outcome */
	struct bench_app_measure measure;

	const char *set_list[BENCH_APP_TUNE_MOST_SETS]; /* private, like the rest */
	struct bench_app_request request;
	struct bench_app_duel duel;
	struct bench_comparison *comparison;
};

/*
 * Measures it, stores its run, judges, and says the outcome to the host. What stands above `outcome` is the
 * caller's. bench_app_tune_duel_free in any case.
 */
int bench_app_tune_duel_measure(struct bench_app_tune_duel *duel, struct bench_error *error);
void bench_app_tune_duel_free(struct bench_app_tune_duel *duel);

#endif
