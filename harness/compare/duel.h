/* SPDX-License-Identifier: MIT */
/*
 * The verdicts of a duel (measure/session/duel.h). Pure, as all of this room. The unit of replication is the
 * invocation: its value is the logarithm of its relative time (the median, if it has several). Under the null
 * hypothesis the two executables could as well have had each other's names, and each logarithm the other
 * sign: the signed-rank test needs no more than that.
 */
#ifndef BENCH_COMPARE_DUEL_H
#define BENCH_COMPARE_DUEL_H

#include "compare/compare.h"
#include "record/anchor.h"

struct bench_duel_options {
	const char *base_name;                 /* the base, as it was given */
	double threshold, alpha;               /* as in struct bench_compare_options */
	bool each_alone;                       /* as there */
	double floor;                          /* as there */
	const struct bench_metric_rule *rules; /* as there */
	size_t rule_count;
	const char *const *missing;       /* keys of cases that the base alone has */
	const char *const *missing_cause; /* why the head lacks it, one for each */
	size_t missing_count;
	size_t removed;                          /* such cases whose removal was accepted */
	size_t unknown;                          /* cases that the head alone has */
	const struct bench_anchor_level *levels; /* of the base: what is judged is the head over the level */
	size_t level_count;
	/*
	 * A second duel of some of the cases: their invocations are pooled with those of the first. NULL:
	 * none.
	 */
	const struct bench_run *again;
	/*
	 * Will what is left open be looked at twice, on pooled data? Then each look has half of alpha, and
	 * `same` asks for more (Pocock 1977), so that both together are wrong no more often than one look
	 * would be.
	 */
	bool two_looks;
	const char *const *mean_of; /* as in struct bench_compare_options */
	size_t mean_count;
};

/*
 * Judges the duel whose record is `run`. The verdict on a case has the key of its `time`, and its ratio is
 * the relative time, times the base's time over the level. Likewise `device_time`, where both sides have one.
 * A case that the base lacks or failed is `new`, with the reason; one that the head failed is `broken`.
 * BENCH_NOTHING if nothing could be judged, unless the base knows none of the cases: they all are `new` then.
 * BENCH_USAGE for options out of range. Else 0, and the caller frees *comparison.
 */
int bench_compare_duel(const struct bench_run *run, const struct bench_duel_options *options,
		       struct bench_comparison **comparison, struct bench_error *error);

/*
 * The fewest invocations that can call anything slower: the smallest p-value that they allow passes alpha,
 * corrected for the number of tests. A thousand at most.
 */
size_t bench_compare_duel_needed(double tests, double alpha);

#endif
