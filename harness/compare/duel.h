/*
 * The verdicts of a duel (measure/duel.h): pure, as all of this room. The unit of replication is the
 * invocation, and what it says is the median of its relative times, on the logarithm. Under the null the
 * two sides could as well have had each other's names, so that each logarithm could have had the other sign:
 * that is all that the signed-rank test asks for.
 */
#ifndef BENCH_COMPARE_DUEL_H
#define BENCH_COMPARE_DUEL_H

#include "compare/compare.h"

struct bench_duel_options {
	const char *base_name;            /* the base's side, as it was given */
	double threshold, alpha;          /* as in struct bench_compare_options */
	bool each_alone;                  /* as there */
	const char *const *missing;       /* keys of cases that the base alone has */
	const char *const *missing_cause; /* and why, one each */
	size_t missing_count;
};

/*
 * Judges the duel that `run` is the record of: the verdict of a case stands under the key of its `time`,
 * whose ratio is the relative time. A case that the base has not got, or failed, is `new`, with the reason;
 * one that the head failed is `broken`. BENCH_NOTHING where nothing could be judged, BENCH_USAGE for options
 * out of range. Else 0 and *comparison is the caller's.
 */
int bench_compare_duel(const struct bench_run *run, const struct bench_duel_options *options,
		       struct bench_comparison **comparison, struct bench_error *error);

/*
 * How many invocations it takes to call anything slower: the smallest p of so many passes alpha, corrected
 * for so many tests. A thousand at most.
 */
size_t bench_compare_duel_needed(double tests, double alpha);

#endif
