/*
 * The least change that matters: the threshold asked for, and for times an absolute floor. An iteration of
 * 0.3 ns that takes 0.5 ns now is 60% slower, and one cycle: how the loop around it was laid out.
 */
#include <math.h>
#include <string.h>

#include "compare/internal.h"

/* The floor as a shift of logarithms; 0: there is none for this metric. */
static double floor_of(const struct bench_compare_options *options, const struct bench_verdict *verdict)
{
	if (!(options->floor > 0) || strcmp(verdict->unit, "s") != 0 || !(verdict->base_median > 0))
		return 0;
	return log1p(options->floor / verdict->base_median);
}

double bench_compare_edge(const struct bench_compare_options *options, const struct bench_verdict *verdict)
{
	return fmax(log1p(verdict->asked), floor_of(options, verdict));
}

bool bench_compare_below_floor(const struct bench_compare_options *options,
			       const struct bench_verdict *verdict)
{
	double asked = log1p(verdict->asked), floor = floor_of(options, verdict);
	double lo = log(verdict->lo), hi = log(verdict->hi);

	return floor > asked && lo > -floor && hi < floor && (lo <= -asked || hi >= asked);
}

char *bench_compare_floor_reason(struct bench_arena *arena, const struct bench_compare_options *options,
				 const struct bench_verdict *verdict)
{
	return bench_arena_format(
		arena, "%+.3g%% are %.2g ns, less than the %.2g ns that a change of a time must reach",
		100 * (verdict->ratio - 1), 1e9 * fabs(verdict->base_median * (verdict->ratio - 1)),
		1e9 * options->floor);
}
