/*
 * The budget, divided by need: what is left goes to the groups of cases in proportion to how much
 * their invocations differ. Pure functions over arrays.
 */
#ifndef BENCH_MEASURE_SESSION_BUDGET_H
#define BENCH_MEASURE_SESSION_BUDGET_H

#include <stddef.h>

/* The bounds of a group's share, in equal shares. */
#define BENCH_BUDGET_LEAST 0.25
#define BENCH_BUDGET_MOST  4.0

/*
 * What a case needs: the spread of its invocations' medians (between their quartiles, as the standard
 * deviation of normal noise), relative to the middle one, over the precision that is asked for; 1 at least,
 * where nothing is gained by more time. One invocation that is far from all others counts no more than any:
 * that is a process, or a moment, and not what more time in each would mend. NaN where fewer than two
 * invocations say anything.
 *
 * Of noise within invocations, shares in proportion to what is seen are those with the smallest mean width of
 * all intervals: with a variance of s^2 / t after the time t, the sum of s / sqrt(t) over the groups is least
 * where s / sqrt(t), which is what is seen, is in proportion to t.
 */
double bench_session_budget_need(const double *medians, size_t count, double precision);

/*
 * The share of each group, 1 being an equal one: in proportion to its need, within the bounds, and `count`
 * in all. A need that is NaN is not known: that of the others in the mean.
 */
void bench_session_budget_shares(const double *needs, size_t count, double *shares);

#endif
