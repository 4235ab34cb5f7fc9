/* SPDX-License-Identifier: MIT */
/*
 * Two executables set against each other, as the verbs that do it share it: who the sides are, which cases
 * both of them have, how long they are measured, and the verdicts.
 */
#ifndef BENCH_APP_DUEL_H
#define BENCH_APP_DUEL_H

#include "app/measure.h"
#include "compare/duel.h"

/*
 * Sixteen invocations let the signed-rank test decide over 300 metrics, or over 40 if two of them point the
 * other way. Twice that number halves the variance between processes; more adds little. The time a case is
 * half a second an invocation. Where the budget gives a group less than that, there are fewer invocations,
 * but two more than the test needs: starting and checking both sides takes a sixth of a second or more, and
 * what is left of less than half a second is not enough samples.
 */
#define BENCH_APP_DUEL_INVOCATIONS   32
#define BENCH_APP_DUEL_SPARE         2
#define BENCH_APP_DUEL_BOUT_SECONDS  0.5
#define BENCH_APP_DUEL_PRECISION     0.001
#define BENCH_APP_DUEL_CASE_SECONDS  16.0
#define BENCH_APP_DUEL_LEAST_SECONDS 60.0
#define BENCH_APP_DUEL_MOST_SECONDS  900.0

struct bench_app_duel {
	struct bench_duel sides;
	struct bench_duel_options judging; /* threshold and alpha are the caller's */
	bool head_may_lack; /* suites and parameters that are asked for: as the base may, it has what it knows
			     */
	bool across;        /* the base may name a backend: the same cases on two devices */
	size_t tests_each;  /* of a case; 0: one */
	double share; /* of the budget that the blocks have, which decides how many they are; 0: all of it */
	const char **base_keys, **head_keys; /* of the cases that each side has */
	size_t base_count, head_count;
	struct bench_arena arena;
};

/*
 * Reads the sides (head NULL: this executable), asks them for their versions and for their cases, and notes
 * what of the base's the head or the plan lacks. BENCH_USAGE, or BENCH_NOTHING where a side is no bench that
 * can duel. bench_app_duel_free in any case.
 */
int bench_app_duel_meet(struct bench_app_duel *duel, const struct bench_app_cases *cases, const char *base,
			const char *head, const struct bench_plan *plan, struct bench_error *error);

/* This executable, as a side is written; in `arena`. BENCH_ENVIRONMENT where the system does not say. */
int bench_app_duel_self(struct bench_arena *arena, char **text, struct bench_error *error);

/*
 * Reads a side, and asks it for its version and for what the options behind it bring, which it knows itself:
 * into side->extensions, in `arena`. As bench_app_duel_meet, or BENCH_UNSUPPORTED where it refuses them.
 */
int bench_app_duel_identify(const char *text, struct bench_arena *arena, struct bench_session_program *side,
			    struct bench_error *error);
/* Are these settings that a duel can keep? BENCH_USAGE. */
int bench_app_duel_check(const struct bench_settings *settings, struct bench_error *error);

/* The record's command becomes "bench duel OPTIONS BASE HEAD", which repeats the duel. */
void bench_app_duel_name_sides(const struct bench_app_duel *duel, struct bench_run *run);

/*
 * Between bench_app_measure_plan and bench_app_measure_open: sets cases aside that only one side has, and
 * chooses invocations, precision and budget unless they were given. The record names both sides, and why it
 * belongs to no history (`aside`; NULL: it does). The duel must outlive the measuring.
 */
int bench_app_duel_enter(const struct bench_app_duel *duel, const char *aside,
			 struct bench_app_measure *measure, struct bench_error *error);

void bench_app_duel_free(struct bench_app_duel *duel);

#endif
