/* SPDX-License-Identifier: MIT */
/*
 * Two samples that were taken in strata, such as nights: whatever a stratum has in common cancels, since
 * values are compared within it alone (van Elteren, "On the combination of independent two sample tests of
 * Wilcoxon", Bull. Inst. Internat. Statist. 37 (1960), with equal weights; the interval inverts it, as that
 * of Moses does the rank-sum test). It requires that the values within each stratum are exchangeable except
 * for one shift, and assumes no shape.
 */
#ifndef BENCH_STATS_STRATA_H
#define BENCH_STATS_STRATA_H

#include "stats/stats.h"

/* Not owned; a stratum with none of either says nothing. */
struct bench_stratum {
	const double *a, *b;
	size_t a_count, b_count;
};

/*
 * Shift of b against a: the median of all b[j] - a[i] within strata, with its interval; `level` is its actual
 * level. With too few values for the requested level: the widest interval, with its level. NaN without a
 * difference.
 */
struct bench_interval bench_stats_strata_shift(const struct bench_stratum *strata, size_t count,
					       double level);

#endif
