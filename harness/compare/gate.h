/*
 * The gate: the final verdicts of a comparison, after the cases that it accuses have been measured again in
 * fresh processes, and with a reference baseline beside the baseline if there is one. Pure, as all of this
 * room.
 *
 * An accusation by chance, or because a neighbour was busy for a while, rarely comes twice. So a metric is
 * slower only if both runs say so, each by itself, against the same baseline. That both must say so can only
 * lower the rate of false alarms: it stays below alpha, however the second run comes about.
 */
#ifndef BENCH_COMPARE_GATE_H
#define BENCH_COMPARE_GATE_H

#include "compare/compare.h"

/*
 * The keys of the cases that are to be measured again, sorted, NULL-terminated, in `arena`: those with a
 * metric that is slower than the baseline or than `reference` (the comparison with the reference baseline;
 * NULL: there is none), and those that are broken. *count: how many.
 */
const char *const *bench_compare_gate_suspects(const struct bench_comparison *comparison,
					       const struct bench_comparison *reference,
					       struct bench_arena *arena, size_t *count);

/* The confirmation: the second run and its comparisons. What could not be made is NULL, and `failure` says
 * why. */
struct bench_compare_confirmation {
	const struct bench_run *run;
	const struct bench_comparison *comparison; /* of it with the baseline */
	const struct bench_comparison *reference;  /* and with the reference; NULL: there is none */
	const char *failure;                       /* NULL: none */
};

/*
 * Changes the verdicts of `comparison` (of the first run with the baseline) into those of the gate:
 *
 * slower    if the second run says so too, or says nothing at all: an accusation that could not be checked
 *           stands;
 * slower    also if both runs are slower than the reference baseline: drift. Ratio, interval and p are then
 *           those against the reference;
 * unclear   if it was slower at first, and is not in the second run;
 * broken    stays broken; the reason says whether it was broken again;
 * missing,  also for cases of the reference baseline that the baseline no longer has.
 * broken
 *
 * The reasons say all of this, even those of slower. confirmation NULL: there was nothing to measure again.
 */
void bench_compare_gate_conclude(struct bench_comparison *comparison,
				 const struct bench_comparison *reference,
				 const struct bench_compare_confirmation *confirmation);

#endif
