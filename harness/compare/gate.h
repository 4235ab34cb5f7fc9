/*
 * The gate: the final verdicts of a comparison, after a second look at the cases that it accuses or leaves
 * open, in fresh processes, and with a reference baseline beside the baseline if there is one. Pure, as all
 * of this room.
 *
 * An accusation by chance, or because a neighbour was busy for a while, rarely comes twice. So a metric is
 * slower only if the second run says so too, by itself, against the same baseline. What the first run left
 * open is judged by both runs' invocations together, each of the two looks at half of alpha: so the rate of
 * false alarms stays below alpha, however the second run comes about. Both looks are of one hour, though.
 * What is measured in turns with the baseline need not mind; against a history it takes a second night.
 */
#ifndef BENCH_COMPARE_GATE_H
#define BENCH_COMPARE_GATE_H

#include "compare/compare.h"

/*
 * The keys of the cases that are to be measured again, sorted, NULL-terminated, in `arena`: those with a
 * metric that is slower than the baseline or than `reference` (the comparison with the reference baseline;
 * NULL: there is none), those that are broken, and those with a metric that is unclear although it could be
 * tested. *count: how many.
 */
const char *const *bench_compare_gate_suspects(const struct bench_comparison *comparison,
					       const struct bench_comparison *reference,
					       struct bench_arena *arena, size_t *count);

/* The second look. What could not be made is NULL, and `failure` says why. */
struct bench_compare_confirmation {
	const struct bench_run *run;
	const struct bench_comparison *comparison; /* of the second run with the baseline */
	const struct bench_comparison *pooled;     /* of both runs together with the baseline */
	const struct bench_comparison
		*reference;  /* of the second run with the reference; NULL: there is none */
	const char *failure; /* NULL: none */
};

/* Against a rolling baseline a metric is `suspected` on its first night, and slower on the next one if it is
 * so still; at once only where the second run agrees, and it takes twice as much and so many times what
 * `slower` needs. */
#define BENCH_GATE_BEYOND_DOUBT 5

/* How the second run is judged by itself: each metric alone, and what came out large comes out smaller. */
#define BENCH_GATE_CONFIRM_ALPHA 0.05
#define BENCH_GATE_CONFIRM_SHARE 0.5 /* of the threshold */
/*
 * Makes the options of the first look those of the second. A false alarm needs the first look to accuse,
 * which it does with the chance alpha over all metrics together: whatever the second look's own rate is, it
 * only takes away from that. So it need not be as hard to convince.
 */
void bench_compare_gate_ease(struct bench_compare_options *options, struct bench_arena *arena);

/*
 * Changes the verdicts of `comparison` (of the first run with the baseline) into those of the gate:
 *
 * slower    where the second run says so too (with the numbers of both together), or says nothing at all: an
 *           accusation that could not be checked stands. Also where it was unclear at first, and both runs
 *           together and the second by itself say that it is slower;
 * slower    also if both runs are slower than the reference baseline: drift. Ratio, interval and p are then
 *           those against the reference;
 * same,     of what was measured twice: as both runs together say;
 * faster
 * unclear   of what was measured twice: if both together are unclear, or slower where the second is not;
 * broken    stays broken; the reason says whether it was broken again;
 * missing,  also for cases of the reference baseline that the baseline no longer has.
 * broken
 *
 * The reasons say all of this, even those of slower. confirmation NULL: there was nothing to measure again.
 */
void bench_compare_gate_conclude(struct bench_comparison *comparison,
				 const struct bench_comparison *reference,
				 const struct bench_compare_confirmation *confirmation);

/*
 * Of the metrics that were judged, but for those under an open alarm: how many could not be decided, and
 * whether that is too little to pass.
 */
struct bench_gate_undecided {
	size_t judged, unclear;
	const struct bench_verdict
		*worst; /* the unclear one that looks slower by far (BENCH_GATE_FAR); NULL: none */
	bool too_many;  /* unclear are more than the share, or there is such a one */
	bool begins;    /* that is so because the history is young: the baseline has too few runs */
};

/* This many times the threshold, on logarithms. */
#define BENCH_GATE_FAR 2

/* share: of the judged metrics that may be unclear, e.g. 0.1. young: each night adds a run to the baseline,
 * which has not yet enough (BENCH_COMPARE_ENOUGH_RUNS). */
struct bench_gate_undecided bench_compare_gate_undecided(const struct bench_comparison *comparison,
							 double share, bool young);

#endif
