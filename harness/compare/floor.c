/* SPDX-License-Identifier: MIT */
/*
 * The least change that matters: the threshold asked for, and for times an absolute floor. An iteration of
 * 0.3 ns that takes 0.5 ns now is 60% slower, and one cycle: how the loop around it was laid out.
 */
#include <math.h>
#include <string.h>

#include "compare/internal.h"

double bench_compare_asked_shift(const struct bench_verdict *verdict)
{
	return verdict->by_difference ? verdict->asked * verdict->magnitude : log1p(verdict->asked);
}

/* The floor as a shift; 0: there is none for this metric. */
static double floor_of(const struct bench_compare_options *options, const struct bench_verdict *verdict)
{
	if (!(options->floor > 0) || strcmp(verdict->unit, "s") != 0)
		return 0;
	if (verdict->by_difference)
		return options->floor;
	return verdict->base_median > 0 ? log1p(options->floor / verdict->base_median) : 0;
}

double bench_compare_edge(const struct bench_compare_options *options, const struct bench_verdict *verdict)
{
	return fmax(bench_compare_asked_shift(verdict), floor_of(options, verdict));
}

bool bench_compare_below_floor(const struct bench_compare_options *options,
			       const struct bench_verdict *verdict)
{
	double asked = bench_compare_asked_shift(verdict), floor = floor_of(options, verdict);
	double lo = verdict->by_difference ? verdict->lo : log(verdict->lo);
	double hi = verdict->by_difference ? verdict->hi : log(verdict->hi);

	return floor > asked && lo > -floor && hi < floor && (lo <= -asked || hi >= asked);
}

char *bench_compare_floor_reason(struct bench_arena *arena, const struct bench_compare_options *options,
				 const struct bench_verdict *verdict)
{
	double difference =
		verdict->by_difference ? verdict->difference : verdict->base_median * (verdict->ratio - 1);
	const char *share = verdict->by_difference
				    ? ""
				    : bench_arena_format(arena, "%+.1f%% are ", 100 * (verdict->ratio - 1));

	return bench_arena_format(arena,
				  "%s%.2g ns, less than the %.2g ns that a change of a time must reach",
				  share, 1e9 * fabs(difference), 1e9 * options->floor);
}
