/* SPDX-License-Identifier: MIT */
/* What the files of this room share, by the file that defines it; not for other rooms. */
#ifndef BENCH_COMPARE_INTERNAL_H
#define BENCH_COMPARE_INTERNAL_H

#include <math.h>

#include "compare/compare.h"
#include "stats/stats.h"

/*
 * The test could call a single invocation different from a hundred, and would if it was disturbed. That two
 * are disturbed alike is far less likely.
 */
#define BENCH_FEWEST_INVOCATIONS 2
/* Of two one-sided tests at 5% each (Schuirmann 1987), which say `same`. */
#define BENCH_EQUIVALENCE_LEVEL 0.90
/* The promise is 95%: the rest allows for not knowing the noise exactly. */
#define BENCH_AIMED_POWER 0.97
/* The two sides of a comparison. */
struct bench_compare_sides {
	const struct bench_run *const *baseline;
	size_t baseline_count;
	const struct bench_run *candidate;
	const struct bench_run *again; /* pooled with the candidate; NULL: none */
	/* Those of the options' earlier runs from which the spread between runs can be learned.
	 * history_codes: which code each measured, the same number for the same code. */
	const struct bench_run **history;
	size_t *history_codes;
	size_t history_count;
	bool of_nights; /* they are the nights before those of a rolling baseline, at a separate level
			 */
};

/* compare.c */

/* BENCH_USAGE for options out of range. */
int bench_compare_check_options(const struct bench_compare_options *options, struct bench_error *error);
/*
 * A new verdict at the end, with no number yet; metric "": on a whole case. Copies what it is given. The next
 * one may move it.
 */
struct bench_verdict *bench_compare_add_verdict(struct bench_comparison *comparison,
						enum bench_verdict_kind kind, const char *key,
						const char *metric, const char *unit,
						enum bench_better better);
/* A shift, of logarithms or of a difference, as the verdict's estimate and interval. */
void bench_compare_set_interval(struct bench_verdict *verdict, const struct bench_interval *shift);
/* A shift without direction as what the verdict's threshold and mde hold. */
double bench_compare_from_shift(const struct bench_verdict *verdict, double shift);
/* Sorts the verdicts and counts them; to be repeated after a change of them. */
void bench_compare_sort(struct bench_comparison *comparison);

/* selection.c */

/*
 * Did the candidate's command ask for this case of `run`? It did if it has the same filter, sets and preset,
 * the case's suite, and either the case's target or the same --backend text, which may now mean other
 * devices.
 */
bool bench_compare_is_selected(const struct bench_run *candidate, const struct bench_run *run,
			       const struct bench_result *result);
/* Is "backend:slug" among the targets of the run? */
bool bench_compare_has_target(const struct bench_run *run, const char *backend, const char *slug);

/* environment.c */

/* Fills env_changes. */
void bench_compare_note_environment(struct bench_comparison *comparison,
				    const struct bench_compare_sides *sides);
/* Was `then` measured in the environment that `now` was? */
bool bench_compare_same_environment(const struct bench_run *then, const struct bench_run *now);
/* Fills `error` with every difference; returns -1. */
int bench_compare_refuse_environment(const struct bench_comparison *comparison, struct bench_error *error);

/* accepted.c */

/* The latest shift that was accepted for the metric before the candidate was measured, or NULL. */
const struct bench_accepted *bench_compare_find_accepted(const struct bench_comparison *comparison,
							 const struct bench_run *candidate, const char *key);
/* The same of removals alone. */
const struct bench_accepted *bench_compare_find_removal(const struct bench_comparison *comparison,
							const struct bench_run *candidate, const char *key);
/* How many shifts of the metric were accepted up to `started`: runs between two of them are of one level. */
size_t bench_compare_count_accepted(const struct bench_comparison *comparison, const char *key,
				    int64_t started);
/* "a shift was accepted on 2026-11-18 12:00 UTC (why): what was measured before is no baseline any more" */
char *bench_compare_accepted_reason(struct bench_arena *arena, const struct bench_accepted *accepted);

/* excluded.c */

/* Was an alarm open for the metric when the run was started? Such a run counts neither for its level nor,
 * except after some recovered alarms, for the spread between runs. */
bool bench_compare_is_excluded(const struct bench_compare_options *options, const char *key, int64_t started,
			       bool of_spread);

/* rules.c: by the full name of a metric, or the key of a whole case. */

bool bench_compare_is_ignored(const struct bench_compare_options *options, const char *key);
/* The least change that matters: options->threshold, or what a rule says. */
double bench_compare_asked(const struct bench_compare_options *options, const char *key);
/* Whom a change concerns; "": no rule says it. */

/* floor.c: also for a duel. A verdict's unit, base_median and magnitude must be set; its interval too, except
 * for the edge. */

/* The threshold that was asked for as a shift. */
double bench_compare_asked_shift(const struct bench_verdict *verdict);
/* The least change that matters as a shift: the threshold asked for, or the floor. */
double bench_compare_edge(const struct bench_compare_options *options, const struct bench_verdict *verdict);
/* Does the verdict's interval lie within the floor, and not within the threshold? */
bool bench_compare_below_floor(const struct bench_compare_options *options,
			       const struct bench_verdict *verdict);
/* Why that is `same`. */
char *bench_compare_floor_reason(struct bench_arena *arena, const struct bench_compare_options *options,
				 const struct bench_verdict *verdict);

/* invocations.c */

/* The worst that the watch saw during the invocations that are left out. */
struct bench_compare_disturbance {
	double others, steal, canary; /* cores, cores, times the fastest; 0: not known */
	const char *device;           /* "" */
};

/* The invocations of one metric in several runs. Logarithms from bench_compare_judge on, unless a difference
 * is judged. */
struct bench_compare_invocations {
	double *medians; /* of those that are judged */
	double *sorted;  /* the same, ascending; of a baseline from bench_compare_judge on */
	size_t count;
	size_t *run_sizes; /* how many of them belong to the first run that has any, to the next ... */
	const struct bench_run **runs; /* which runs these are */
	size_t *codes; /* which code at which level each of these runs measured; only of runs that count */
	size_t run_count;
	size_t disturbed; /* left out */
	double *canaries; /* seconds, of those that are judged and were watched */
	size_t canary_count;
	struct bench_compare_disturbance disturbance;
};

/* Makes room for `count` invocations of `runs` runs; adds those of a metric that has samples. */
void bench_compare_reserve_invocations(struct bench_arena *arena, size_t count, size_t runs,
				       struct bench_compare_invocations *invocations);
void bench_compare_add_invocations(const struct bench_run *run, const struct bench_result *result,
				   const struct bench_metric *metric, size_t code,
				   struct bench_compare_invocations *invocations);
/* Takes those of a run away again; nothing where it has none. Before bench_compare_judge. */
void bench_compare_drop_run(struct bench_compare_invocations *invocations, const struct bench_run *run);

/* match.c */

/* Has it a direction, was it measured itself, and has it samples? */
bool bench_compare_is_judged(const struct bench_metric *metric);

/* A metric that both sides have: which verdict it is to get, and what it is to be judged by. */
struct bench_compare_match {
	size_t verdict; /* index in comparison->verdicts */
	struct bench_compare_invocations baseline, candidate;
	/* From which the spread between runs is learned: the baseline's runs, with those before an accepted
	 * shift, of alarms that recovered and of the nights before; and runs of one executable each. */
	struct bench_compare_invocations levels, history;
	size_t set_aside;   /* runs of the baseline that are first nights of what the candidate shows */
	bool canary_speaks; /* what slows the canary slows this too */
	/* Where the invocations are too few for the rank test: judged by a prediction from whole runs, or by
	 * how many steps lie between values that are alike. */
	bool predicted, by_steps;
	bool alike;      /* all values of either side are */
	double apart;    /* alike: how many steps one side is from the other */
	double step;     /* that values are known to: their rounding, or the last bits of a double */
	double rounding; /* how far a value may be off by it; 0 for what is counted */
	double hidden;   /* how much rounding, or a clock's coarser step, may hide of a change, half of it on
			    either side. All three are shifts */
};

/* The caller frees the arena once the comparison is made. */
struct bench_compare_matches {
	struct bench_arena arena;
	struct bench_compare_match *items;
	size_t count;
};

/*
 * Matches the cases and metrics of both sides. Adds the verdicts that need no statistics (broken, missing,
 * new), and a match for each of the others.
 */
void bench_compare_match_sides(struct bench_comparison *comparison, const struct bench_compare_sides *sides,
			       struct bench_compare_matches *matches);

/* second_night.c */

/*
 * Of a rolling baseline: sets aside the newest runs that lie beyond all older ones as the candidate does, and
 * at least half as far. They are no baseline for it, but its first nights: if the candidate is slower, it is
 * the second night that is. Fills verdict->first, if they started an hour before the candidate or earlier.
 */
void bench_compare_set_first_nights_aside(struct bench_comparison *comparison,
					  const struct bench_run *candidate, struct bench_arena *scratch,
					  struct bench_compare_match *match);

/* Makes a verdict suspected, with the reason. */
void bench_compare_suspect(struct bench_comparison *comparison, struct bench_verdict *verdict);

/* judge.c */

struct bench_compare_judging {
	struct bench_comparison *comparison;
	const struct bench_run *candidate;
	double metrics; /* on both sides */
	double tests; /* made, at least 1: what Holm corrects for. Metrics with too few invocations have none
		       */
	/* For the counts of the last metric, which mostly are those of the next one. */
	struct bench_null null;
	struct bench_detection detection;
	size_t alike_base, alike_count; /* the counts that alike_steps is for */
	double alike_steps;             /* how many steps apart are certain */
	size_t freedom;
	double quantile, likely_quantile, power_quantile; /* of Student's distribution with that freedom */
};

/* Gives each match its verdict. */
void bench_compare_judge(struct bench_comparison *comparison, const struct bench_run *candidate,
			 struct bench_compare_matches *matches);

/* resolution.c */

/* How finely the values of a match are known: fills step, rounding, hidden, and whether all are alike. Before
 * logarithms are taken. */
void bench_compare_note_resolution(struct bench_compare_match *match, const struct bench_verdict *verdict);
/*
 * The p-value of values that are all alike on either side; NaN where they are too few for that: five runs of
 * no more invocations than the candidate, or two invocations a side.
 */
double bench_compare_alike_test(const struct bench_compare_match *match);
/* The smallest shift of such values that is certain. */
double bench_compare_alike_certain(struct bench_compare_judging *judge,
				   const struct bench_compare_match *match);

/* run_spread.c */

/* The spread of a metric between runs of the same code, in shifts. */
struct bench_compare_learned {
	double edge;           /* a new run of the same code stays within this, at the corrected level */
	double edge_of_slower; /* the same, if the interval of the run were that of a slowdown; 0: no more */
	double likely;         /* the same, at the level of `same` */
	double drift;          /* by which a new run may hide a change, at the power that the MDE aims at */
	double ahead;  /* deviation of a new run of the same code from the baseline, known with `freedom` */
	double center; /* of the runs that this was learned from; NaN: use the estimate */
	size_t freedom;
	size_t runs; /* that this was learned from; 0: nothing was, and it is an allowance */
};

/* Puts those of the options' earlier runs from which that can be learned into `sides`. */
void bench_compare_choose_history(const struct bench_compare_options *options, struct bench_arena *arena,
				  struct bench_compare_sides *sides);
struct bench_compare_learned bench_compare_learn(struct bench_compare_judging *judge,
						 const struct bench_compare_match *match);
/*
 * Can the metric be judged by a prediction from whole runs? Then fills *components. It can if these are
 * enough (BENCH_COMPARE_PREDICTING_RUNS) and the candidate has no fewer invocations than they: then it is one
 * more of them if nothing changed.
 */
bool bench_compare_predicts(const struct bench_compare_match *match, struct bench_components *components);

/* canary.c */

/*
 * How much of a shift the canary explains, on logarithms and in the direction of `shift`; 0 if it says
 * nothing.
 */
double bench_compare_explained(const struct bench_compare_match *match, const struct bench_verdict *verdict,
			       double shift);

/* means.c: fills comparison->means, of the runs of a comparison and of the record of a duel. */

void bench_compare_means(struct bench_comparison *comparison, const struct bench_compare_sides *sides);
struct bench_duel_options;
void bench_compare_duel_means(struct bench_comparison *comparison, const struct bench_run *run,
			      const struct bench_duel_options *options);

/* reasons.c: why there is no test or the test did not decide, and what would help */

char *bench_compare_no_test_reason(const struct bench_compare_judging *judge,
				   const struct bench_compare_match *match);
/* `narrow`: the 90% interval by the invocations alone. */
char *bench_compare_unclear_reason(const struct bench_compare_judging *judge,
				   const struct bench_compare_match *match,
				   const struct bench_compare_learned *learned,
				   const struct bench_interval *narrow);
char *bench_compare_machine_reason(const struct bench_compare_judging *judge, struct bench_verdict *verdict,
				   double explained);

#endif
