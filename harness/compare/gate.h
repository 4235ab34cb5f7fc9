/*
 * The gate: what becomes of a comparison when the cases that it accuses have been measured again in
 * fresh processes, and when there is a fixed reference beside the baseline. Pure, as all of this room.
 *
 * An accusation that came by chance, or of a neighbour that was busy for a while, does not come
 * twice: slower is, in the end, what both runs say each by itself, against the same baseline. That
 * both must say so can but lower the rate of false alarms: it stays below alpha, however the second
 * run comes about.
 */
#ifndef BENCH_COMPARE_GATE_H
#define BENCH_COMPARE_GATE_H

#include "compare/compare.h"

/*
 * The keys of the cases that are to be measured again, sorted, NULL-terminated, in `arena`: those with a
 * metric that is slower than the baseline or than `reference` (NULL: there is none), and those that
 * are broken. *count of them.
 */
const char *const *bench_compare_gate_suspects(const struct bench_comparison *comparison,
					       const struct bench_comparison *reference,
					       struct bench_arena *arena, size_t *count);

/* The confirmation: what the second run says. What of it could not be made is NULL, and `failure` says why.
 */
struct bench_compare_confirmation {
	const struct bench_run *run;
	const struct bench_comparison *comparison; /* of it with the baseline */
	const struct bench_comparison *reference;  /* and with the reference; NULL: there is none */
	const char *failure;                       /* NULL: none */
};

/*
 * Changes the verdicts of `comparison` (of the first run with the baseline) into those of the gate:
 *
 * slower    where the second run says so too; or where it could not say anything at all: an accusation
 *           that nobody could check stands;
 * slower    also where both are slower than the reference: drift. Ratio, interval and p are then those
 *           against the reference;
 * unclear   what was slower at first and is not in the second run;
 * broken    stays so, and the reason says whether it was again;
 * missing,  also of the reference's cases that the baseline has forgotten.
 * broken
 *
 * Reasons say all of this, also those of slower. confirmation NULL: there was nothing to measure again.
 */
void bench_compare_gate_conclude(struct bench_comparison *comparison,
				 const struct bench_comparison *reference,
				 const struct bench_compare_confirmation *confirmation);

#endif
