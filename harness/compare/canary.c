/* SPDX-License-Identifier: MIT */
/*
 * How much of a change does the machine explain? The canary is the same work in every run. Where it took
 * longer, the processor ran slower (because of its clock, or a neighbor on the same host), and the code with
 * it.
 *
 * The canary can only reduce a change, never increase it or correct what is judged: for that it would have to
 * slow down exactly as much as every kernel does, and it does not. It applies only to times and rates of
 * devices that are the processor itself; about a GPU the host's canary says nothing. Nor does it about
 * differences, which need not grow as the time of the canary does.
 */
#include <math.h>
#include <string.h>

#include "compare/internal.h"

double bench_compare_explained(const struct bench_compare_match *match, const struct bench_verdict *verdict,
			       double shift)
{
	const struct bench_compare_invocations *baseline = &match->baseline, *candidate = &match->candidate;
	bool time = strcmp(verdict->unit, "s") == 0;
	double slower;

	/* With fewer than half of the invocations watched, it would mostly tell of other moments. */
	if (!match->canary_speaks || verdict->by_difference || 2 * baseline->canary_count < baseline->count ||
	    2 * candidate->canary_count < candidate->count)
		return 0;
	slower = log(bench_stats_median(candidate->canaries, candidate->canary_count) /
		     bench_stats_median(baseline->canaries, baseline->canary_count));
	if (!isfinite(slower))
		return 0;
	slower = time ? slower : -slower; /* rates fall where times grow */
	return shift > 0 ? fmax(0, slower) : fmin(0, slower);
}
