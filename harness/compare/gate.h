/* SPDX-License-Identifier: MIT */
/*
 * The gate: the final verdicts of a comparison. It takes a second look, in fresh processes, at the cases that
 * are accused or left open, and consults a reference baseline, if any, as well as the baseline. Pure, like
 * this whole room.
 *
 * An accusation by chance, or because a neighbor was busy for a while, rarely comes twice. So a metric is
 * slower only if the second run alone confirms it against the same baseline. The invocations of both runs
 * together judge the cases that the first run left open, each of the two looks at half of alpha. So the rate
 * of false alarms stays below alpha, whatever triggered the second run. But both looks are within one hour.
 * That does not matter for runs interleaved with the baseline; against a history, a second night is needed.
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

/* The second look. A run that could not be made is NULL, and `failure` says why. */
struct bench_compare_confirmation {
	const struct bench_run *run;
	const struct bench_comparison *comparison; /* of the second run with the baseline */
	const struct bench_comparison *pooled;     /* of both runs together with the baseline */
	const struct bench_comparison
		*reference;  /* of the second run with the reference; NULL: there is none */
	const char *failure; /* NULL: none */
};

/* Against a rolling baseline a metric is `suspected` on its first night, and slower on the next one if it
 * still is. It is slower at once only if the second run agrees and the change is at least a doubling and this
 * many times what `slower` needs. */
#define BENCH_GATE_BEYOND_DOUBT 5

/* How the second run is judged by itself: each metric alone, and what came out large comes out smaller. Where
 * that leaves it open and both runs together are slower, an interval of 90% beyond the threshold will do. */
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
 * slower    if the second run confirms it (with the numbers of both together), or has no verdict: an
 *           accusation that could not be checked stands. Also if it was unclear at first, and is slower by
 *           both runs together and by the second alone;
 * slower    also if both runs are slower than the reference baseline: drift. Ratio, interval and p are then
 * against the reference; same,     of metrics measured twice: the verdict of both runs together; faster
 * unclear   of metrics measured twice: if both together are unclear, or slower but the second is not;
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
 * Of the judged metrics not under an open alarm: how many are undecided, and whether that is too many to
 * pass.
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
