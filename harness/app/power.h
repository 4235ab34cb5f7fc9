/* SPDX-License-Identifier: MIT */
/* How small a slowdown would be seen here: puts known ones in, and counts. docs/power.md. */
#ifndef BENCH_APP_POWER_H
#define BENCH_APP_POWER_H

#include "app/measure.h"
#include "compare/power.h"

#define BENCH_APP_POWER_LEAST_TRIALS 2

struct bench_app_power_progress {
	size_t done, total; /* runs; total 0: as many as the budget holds */
	double slowdown;    /* of the run that was made last; 0: unchanged code */
	double left;        /* seconds, about */
};

/* Nothing of it is owned. */
struct bench_app_power_request {
	struct bench_app_request measure;
	const double *slowdowns; /* ascending */
	size_t slowdown_count;
	uint64_t trials;        /* runs a slowdown at most */
	uint64_t baseline_runs; /* that each is compared with */
	double budget;          /* of all runs together; 0: none */
	double run_seconds;     /* of each; 0: the preset's */
	struct bench_compare_options comparing;
	void (*progress)(void *context,
			 const struct bench_app_power_progress *now); /* with the host's context */
};

struct bench_app_power {
	const struct bench_app_power_request *request;
	const struct bench_app_host *host;
	size_t level_count; /* with unchanged code, which is level 0 */
	double run_seconds;
	size_t case_count;
	unsigned invocations;
	uint64_t seed;
	/* What has been measured. */
	struct bench_power_run *runs;
	struct bench_run **owned; /* the runs again, to be freed */
	size_t count;
	double start;
	enum bench_outcome outcome; /* the first that was not good */
	bool over;                  /* nothing more is to be measured */
};

/*
 * In order; bench_app_power_free in any case.
 * plan: everything that can be refused is, before time is spent.
 * measure: -1 where something went wrong; what was measured before counts all the same.
 * compare: what was found; the caller's.
 */
int bench_app_power_plan(struct bench_app_power *power, const struct bench_app_power_request *request,
			 const struct bench_app_host *host, struct bench_error *error);
int bench_app_power_measure(struct bench_app_power *power, struct bench_error *error);
int bench_app_power_compare(const struct bench_app_power *power, struct bench_power **result,
			    struct bench_error *error);
void bench_app_power_free(struct bench_app_power *power);

#endif
