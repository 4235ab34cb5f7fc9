/*
 * Two samples that were taken in strata, such as nights: whatever a stratum has in common cancels, since
 * values are compared within it alone (van Elteren, "On the combination of independent two sample tests of
 * Wilcoxon", Bull. Inst. Internat. Statist. 37 (1960), with equal weights; the interval inverts it, as that
 * of Moses does the rank-sum test). It asks that within each stratum the values could be exchanged but for
 * one shift, and nothing of their shape.
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
 * Shift of b against a: the median of all b[j] - a[i] within strata, with its interval; `level` is what it
 * has. Where the values are too few for the level that was asked for, the widest that there is, with its own.
 * NaN without a difference.
 */
struct bench_interval bench_stats_strata_shift(const struct bench_stratum *strata, size_t count,
					       double level);

#endif
