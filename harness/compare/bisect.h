/* SPDX-License-Identifier: MIT */
/*
 * The search for the commit that changed a time: noisy binary search. Pure, like this whole room: duels of
 * commits in, the next pair to duel, or the answer, out.
 *
 * Commits have positions: 0 is the good one, `commits` the bad one, those between in order. A hypothesis is
 * "the change came with commit k". Each duel makes some of them more likely and others less, by how well its
 * ratio fits the step or no step. The next commit is the one that halves the probability. Sources: Horstein
 * 1963. Burnashev & Zigangirov, "An interval estimation problem for controlled observations", Problems of
 * Information Transmission 10, 1974. Ben-Or & Hassidim, "The Bayesian learner is optimal for noisy binary
 * search", FOCS 2008. With responses of unknown quality: Waeber, Frazier & Henderson, "Bisection search with
 * noisy responses", SIAM J. Control Optim. 51, 2013. The search ends once one hypothesis has a probability of
 * 1 - error, and a duel of that commit with the one before it has left it so.
 */
#ifndef BENCH_COMPARE_BISECT_H
#define BENCH_COMPARE_BISECT_H

#include "compare/compare.h"
#include "core/metric.h"

/* The most duels of one pair: more of them would not decide what these leave open. */
#define BENCH_BISECT_MOST_LOOKS 16

/* A duel of two commits: the logarithm of the head's time over the base's, with its standard error. A change
 * in the direction that is looked for is positive. */
struct bench_bisect_look {
	size_t base, head; /* positions, base < head */
	double shift, error;
};

/* A case that decides, and its weight in the logarithm; the weights of all add up to 1. */
struct bench_bisect_case {
	const char *key;
	double weight;
	const struct bench_metric_pair *pair; /* what decides: its time or, where that did not, device_time */
};

struct bench_bisect_search {
	size_t commits;      /* >= 1; the positions are 0 to this */
	const bool *skipped; /* by position: it cannot be measured. Never the first nor the last */
	const struct bench_bisect_look *looks;
	size_t look_count; /* at least one of them is of the good and the bad commit */
	double error;      /* the chance of a wrong answer, in (0, 0.5) */
};

enum bench_bisect_next {
	BENCH_BISECT_PROBE,     /* measure `head` against `base`, which is 0 */
	BENCH_BISECT_CONFIRM,   /* the same, of the likely commit and the one before it */
	BENCH_BISECT_FOUND,     /* the change came after `base`, with `head` at the latest */
	BENCH_BISECT_UNDECIDED, /* more duels would not decide it */
};

struct bench_bisect_state {
	enum bench_bisect_next next;
	size_t base, head;
	double probability;      /* that it came after `base`, with `head` at the latest */
	double *posterior;       /* by position: the probability that it came with this commit; [0] is 0 */
	size_t low, high;        /* where it is looked for: after low, with high at the latest */
	double step, step_error; /* what is looked for: the logarithm of the ratio between these two */
};

/*
 * The outcome of the duels. Commits in between with a third time, neither the good one's nor the bad one's,
 * mean several changes. The search then goes on for the largest of them (low, high). Memory is the arena's.
 */
void bench_compare_bisect(const struct bench_bisect_search *search, struct bench_arena *arena,
			  struct bench_bisect_state *state);

/* All duels of a pair as one: weighted by their errors, which grow where the duels disagree (Birge 1932);
 * returns how many there are. */
size_t bench_compare_bisect_pool(const struct bench_bisect_look *looks, size_t count, size_t base,
				 size_t head, struct bench_bisect_look *pooled);

/*
 * The cases that a duel of the good and the bad commit shows changed, weighted by the inverse of their
 * variance. `faster`: those that became faster are looked for. Returns how many; keys are the run's.
 */
size_t bench_compare_bisect_cases(const struct bench_run *run, const struct bench_comparison *comparison,
				  bool faster, struct bench_arena *arena, struct bench_bisect_case **cases);

/*
 * The cases of a duel's record as one look (base and head are left alone). NULL, or the key of a case that
 * has no ratio, because it was not measured on both sides.
 */
const char *bench_compare_bisect_look(const struct bench_run *run, const struct bench_bisect_case *cases,
				      size_t count, bool faster, struct bench_bisect_look *look);

/* How many invocations give a standard error of step / `times`, where `count` gave `error`; within [least,
 * most]. */
unsigned bench_compare_bisect_invocations(double error, size_t count, double step, double times,
					  unsigned least, unsigned most);

#endif
