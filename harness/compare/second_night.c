/* SPDX-License-Identifier: MIT */
/*
 * The second night. A slow hour of the machine accuses twice within the hour, and not on the next night; what
 * the code does is still there then. So the newest runs of a rolling baseline may be as slow as the candidate
 * already: they are the first nights of what it is judged for, and no baseline.
 */
#include <math.h>

#include "compare/internal.h"

/* How far a first night has to lie: as far from the older runs as the candidate, to this share either way,
 * and this share of the older runs' range beyond all of them. */
#define AS_FAR (2.0 / 3)
#define BEYOND 0.5
/* More such nights are what nights are like; of one value each, more than one: they leave too few that are
 * older, and those may all be of one peak. */
#define MOST_FIRST_NIGHTS 3
/* Seconds. A run that started less before the candidate is of the same hour. */
#define SAME_HOUR 3600

/* A run's median, on the scale that it is judged on. */
static double center_of(const double *values, size_t count, bool by_ratio)
{
	double median = bench_stats_median(values, count);

	return by_ratio ? log(median) : median;
}

static bool is_positive(const struct bench_compare_invocations *side)
{
	for (size_t i = 0; i < side->count; i++)
		if (!(side->medians[i] > 0))
			return false;
	return true;
}

/* Do the `newest` nights lie beyond the older ones on the side of the candidate, and far enough? */
static bool are_first(const double *centers, size_t newest, size_t count, double candidate)
{
	double low = INFINITY, high = -INFINITY, middle, reach;

	for (size_t i = newest; i < count; i++) {
		low = fmin(low, centers[i]);
		high = fmax(high, centers[i]);
	}
	middle = bench_stats_median(centers + newest, count - newest);
	reach = BEYOND * (high - low);
	for (size_t i = 0; i < newest; i++) {
		double share = (centers[i] - middle) / (candidate - middle);

		if (!(share >= AS_FAR && share <= 1 / AS_FAR) ||
		    (centers[i] <= high + reach && centers[i] >= low - reach))
			return false;
	}
	return true;
}

static const struct bench_first_night *first_night(struct bench_arena *arena, const struct bench_run *run,
						   const struct bench_run *last)
{
	struct bench_first_night *first = bench_arena_alloc(arena, 1, sizeof(*first));

	*first = (struct bench_first_night){.run = bench_arena_string(arena, run->id),
					    .commit = bench_arena_string(arena, run->git.commit),
					    .started = run->started,
					    .last_run = bench_arena_string(arena, last->id),
					    .last_commit = bench_arena_string(arena, last->git.commit)};
	return first;
}

void bench_compare_set_first_nights_aside(struct bench_comparison *comparison,
					  const struct bench_run *candidate, struct bench_arena *scratch,
					  struct bench_compare_match *match)
{
	struct bench_compare_invocations *baseline = &match->baseline;
	struct bench_verdict *verdict = &comparison->verdicts[match->verdict];
	double *centers = bench_arena_alloc(scratch, baseline->run_count + 1, sizeof(*centers)), center;
	bool by_ratio = is_positive(baseline) && is_positive(&match->candidate);
	const double *values = baseline->medians;
	size_t first = 0, most = match->candidate.count > 1 ? MOST_FIRST_NIGHTS : 1;

	if (match->candidate.count == 0)
		return;
	for (size_t r = 0; r < baseline->run_count; values += baseline->run_sizes[r++])
		centers[r] = center_of(values, baseline->run_sizes[r], by_ratio);
	center = center_of(match->candidate.medians, match->candidate.count, by_ratio);
	for (size_t n = 1; n <= most && n < baseline->run_count; n++)
		if (are_first(centers, n, baseline->run_count, center))
			first = n;
	if (first > 0 && baseline->runs[first - 1]->started <= candidate->started - SAME_HOUR)
		verdict->first =
			first_night(&comparison->arena, baseline->runs[first - 1], baseline->runs[first]);
	match->set_aside = first;
	for (; first > 0; first--) {
		bench_compare_drop_run(&match->levels, baseline->runs[0]);
		bench_compare_drop_run(baseline, baseline->runs[0]);
	}
	verdict->base_invocations = baseline->count;
}

void bench_compare_suspect(struct bench_comparison *comparison, struct bench_verdict *verdict)
{
	verdict->kind = BENCH_SUSPECTED;
	verdict->decided = verdict->reason;
	verdict->reason = bench_arena_format(
		&comparison->arena, "%s%s%s", verdict->reason, *verdict->reason ? "; " : "",
		comparison->options.newest > 0
			? "slower on this night alone: the next one confirms or clears it"
			: "one value may be a spike: several invocations, or rolling:N and the next night, "
			  "tell");
}
