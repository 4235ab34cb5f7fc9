/* SPDX-License-Identifier: MIT */
/*
 * The division of the budget by need: what is left of it goes to the groups of cases in proportion to how
 * much their invocations differ. Pure functions over arrays.
 */
#ifndef BENCH_MEASURE_SESSION_BUDGET_H
#define BENCH_MEASURE_SESSION_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

#define BENCH_BUDGET_REACH 1.1 /* times the budget is where a command ends, whatever it is at */

/* The bounds of a group's share, in equal shares. */
#define BENCH_BUDGET_LEAST 0.25
#define BENCH_BUDGET_MOST  4.0

/*
 * A case's need: the relative spread of its invocations' medians over the requested precision, at least 1:
 * below that, more time gains nothing. The spread is the interquartile range over 1.349 (the standard
 * deviation of normal noise), divided by their median. The interquartile range is robust: one outlying
 * invocation, which longer invocations would not improve, has no more weight than any other. NaN with fewer
 * than two invocations.
 *
 * For noise within invocations, shares in proportion to the observed spread minimize the mean width of the
 * intervals: with a variance of s^2 / t after the time t, the sum of s / sqrt(t) over the groups is least if
 * s / sqrt(t), the observed spread, is proportional to t.
 */
double bench_session_budget_need(const double *medians, size_t count, double precision);

/*
 * The share of each group, 1 being an equal one: in proportion to its need, within the bounds, with the sum
 * `count`. A group whose need is not known (NaN) gets the mean need of the others.
 */
void bench_session_budget_shares(const double *needs, size_t count, double *shares);

/* What a session knows of its time: in its first invocation, or when later ones are made. */
struct bench_budget_outlook {
	double budget_seconds; /* of the command */
	double used_seconds;   /* of it, so far */
	size_t groups;         /* that an invocation measures */
	size_t known;          /* of these, those that have been measured */
	double known_seconds;  /* what they took, with slices of the least length */
	double again;         /* what a later invocation takes, `known_seconds` being 1: programs are compiled
				 in the first alone */
	unsigned made, least; /* whole invocations: so far, and those that a result needs */
};

#define BENCH_BUDGET_AGAIN 0.5 /* `again`, while it is not known */

/*
 * Seconds that the command takes for its `least` invocations, with slices of the least length. Groups that
 * are not known take what the others do on average.
 */
double bench_session_budget_needed(const struct bench_budget_outlook *outlook);

/*
 * Is it clear that the budget, with a tenth on top, does not hold them? Only from a quarter of the budget on,
 * or once all groups are known: a few groups say little about the others.
 */
bool bench_session_budget_is_short(const struct bench_budget_outlook *outlook);

#endif
