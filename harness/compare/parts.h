/* What the files of this room share; not for others. */
#ifndef BENCH_COMPARE_PARTS_H
#define BENCH_COMPARE_PARTS_H

#include "compare/compare.h"

/* The two sides of a comparison. */
struct bench_sides {
	const struct bench_run *const *base;
	size_t base_count;
	const struct bench_run *candidate;
};

/* A metric that both sides have: which verdict it is to get, and the medians of its invocations. */
struct bench_pairing {
	size_t verdict; /* index in comparison->verdicts, which has the counts */
	double *base, *candidate;
};

/* Memory is the arena's, which is the caller's and outlives nothing but the comparing. */
struct bench_pairings {
	struct bench_arena arena;
	struct bench_pairing *items;
	size_t count;
};

/*
 * selection.c: did the candidate's command ask for this case of `run`? It did if it has the
 * same filter, sets and preset, the case's suite, and the case's target, or the same
 * --backend text, which then meant other devices than it did before.
 */
bool bench_compare_asked(const struct bench_run *candidate, const struct bench_run *run,
			 const struct bench_result *result);
/* Is "backend:slug" among the targets of the run? */
bool bench_compare_has_target(const struct bench_run *run, const char *backend, const char *slug);

/* environment.c: fills env_changes. */
void bench_compare_environment(struct bench_comparison *comparison, const struct bench_sides *sides);
/* Fills `error` with every difference; returns -1. */
int bench_compare_refuse(const struct bench_comparison *comparison, struct bench_error *error);

/*
 * pairing.c: matches the cases and metrics of both sides. Gives verdicts to all that need no
 * statistics (broken, missing, new), and a pairing to each of the others.
 */
void bench_compare_pair(struct bench_comparison *comparison, const struct bench_sides *sides,
			struct bench_pairings *pairings);

/* judge.c: gives each pairing its verdict. */
void bench_compare_judge(struct bench_comparison *comparison, struct bench_pairings *pairings);

#endif
