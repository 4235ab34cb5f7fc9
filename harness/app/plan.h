/* SPDX-License-Identifier: MIT */
/* Which cases are meant: what makes a plan, as the user has written it. */
#ifndef BENCH_APP_PLAN_H
#define BENCH_APP_PLAN_H

#include "plan/plan.h"

struct bench_app_cases {
	const char *const *suites; /* lists "gemm,transfer" or "all"; none: all */
	size_t suite_count;
	bool without_harness;               /* all: without the suites that measure the harness */
	const char *backends, *filter;      /* NULL: not given */
	const struct bench_target *targets; /* what `backends` was resolved to before, if target_count > 0 */
	size_t target_count;
	const char *const *sets;
	size_t set_count;
	const char *preset; /* NULL: nightly */
};

struct bench_app_preset {
	const char *name;
	enum bench_preset sweeps;
	unsigned invocations;
	double budget_seconds; /* a suite; 0: none */
	double most_seconds;   /* all suites together */
	double precision;
};

/* All of them; ends with a NULL name. */
#define BENCH_APP_PRESETS 3
extern const struct bench_app_preset bench_app_presets[BENCH_APP_PRESETS + 1];
/* The preset of that name; NULL: nightly. BENCH_USAGE with the nearest. */
int bench_app_preset(const char *name, const struct bench_app_preset **preset, struct bench_error *error);

/* The suites that are meant, each once, NULL-terminated, in `arena`. BENCH_USAGE with the nearest. */
int bench_app_suites(const struct bench_app_cases *cases, struct bench_arena *arena,
		     const struct bench_suite *const **suites, struct bench_error *error);

/* The plan of these suites; of all cases, or of those in `only` (keys, NULL-terminated). */
int bench_app_plan(const struct bench_app_cases *cases, const char *const *only, struct bench_plan **plan,
		   struct bench_error *error);

#endif
