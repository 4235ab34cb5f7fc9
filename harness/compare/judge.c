/* SPDX-License-Identifier: MIT */
/*
 * The statistics of a verdict; docs/comparing.md has the reasons and the error rates.
 *
 * slower, faster: the rank-sum test, corrected by Holm over all metrics of the comparison, finds a change.
 * Its estimate passes the threshold and the metric's spread between runs of the same code. Both still hold
 *   without the part that the canary explains. The interval shown is simultaneous: all of them hold
 *   together with probability 1 - alpha.
 * same: by two one-sided tests at 5% each (Schuirmann 1987), the change lies within the requested threshold,
 *   whatever the spread between runs: their 90% interval lies inside it, and is shown.
 * suspected: as slower, by one value of one night, or (compare/gate.h) on the first night of a gate.
 * unclear: neither. The 90% interval is shown.
 * Intervals are at least as wide as the spread between runs of the same code.
 *
 * Where the candidate has too few invocations for the rank test to reach the level, one even, and the
 * baseline has runs enough, the test is Student's: is the candidate one more of these runs? Its intervals are
 * prediction intervals (G. J. Hahn, "Factors for calculating two-sided prediction intervals for samples from
 * a normal distribution", JASA 64 (1969)), on logarithms, without the baseline's odd runs.
 */
#include <math.h>
#include <string.h>

#include "compare/internal.h"

/*
 * A prediction assumes normal values, and they seldom are. So it needs this many times the distance of
 * Student's t, which allows for tails like those of t with three degrees of freedom. Also, the value must lie
 * beyond all of the baseline's by this share of their range: the other of two peaks does not. Found by
 * simulation (tests/statistics/single_values.c).
 */
#define TAILS  2.0
#define BEYOND 0.5
/* The same of the interval that says `same`, where tails matter less. */
#define LIKELY_TAILS 1.1

static bool all_positive(const struct bench_compare_invocations *side)
{
	for (size_t i = 0; i < side->count; i++)
		if (!(side->medians[i] > 0))
			return false;
	return true;
}

static void take_logarithms(double *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		values[i] = log(values[i]);
}

/* Only of runs that count; a metric that was zero or below tells nothing about ratios. */
static void take_logarithms_of_teachers(struct bench_compare_invocations *runs)
{
	if (all_positive(runs))
		take_logarithms(runs->medians, runs->count);
	else
		runs->run_count = 0;
}

/* The median of the values without their signs. */
static double magnitude_of(struct bench_arena *scratch, const struct bench_compare_invocations *side)
{
	double *magnitudes = bench_arena_alloc(scratch, side->count + 1, sizeof(*magnitudes));

	for (size_t i = 0; i < side->count; i++)
		magnitudes[i] = fabs(side->medians[i]);
	return bench_stats_median(magnitudes, side->count);
}

/* Ratios are judged on logarithms; where a value has none, differences are judged, of the values as they are.
 */
static void choose_scale(struct bench_arena *scratch, struct bench_compare_match *match,
			 struct bench_verdict *verdict)
{
	struct bench_compare_invocations *baseline = &match->baseline, *candidate = &match->candidate;

	verdict->by_difference = !all_positive(baseline) || !all_positive(candidate);
	if (verdict->by_difference) {
		verdict->magnitude = magnitude_of(scratch, baseline);
		verdict->threshold = NAN; /* no share, and no difference yet */
	}
	bench_compare_note_resolution(match, verdict);
	if (verdict->by_difference)
		return;
	take_logarithms(baseline->medians, baseline->count);
	take_logarithms(baseline->sorted, baseline->count);
	take_logarithms(candidate->medians, candidate->count);
	take_logarithms_of_teachers(&match->levels);
	take_logarithms_of_teachers(&match->history);
}

/* Could a rank test not even reach the level, however large the change? */
static bool has_too_few(const struct bench_compare_judging *judge, const struct bench_compare_match *match)
{
	const struct bench_compare_options *options = &judge->comparison->options;
	size_t base = match->baseline.count, count = match->candidate.count;
	double tests = options->each_alone ? 1 : judge->metrics;

	return base < BENCH_FEWEST_INVOCATIONS || count < BENCH_FEWEST_INVOCATIONS ||
	       bench_stats_rank_test_floor(base, count) * tests > options->alpha;
}

/* The estimate and its 90% interval by the invocations alone. */
static struct bench_interval estimate(struct bench_compare_judging *judge,
				      const struct bench_compare_match *match)
{
	return bench_stats_shift_kept(&judge->null, match->baseline.sorted, match->baseline.count,
				      match->candidate.medians, match->candidate.count,
				      BENCH_EQUIVALENCE_LEVEL);
}

/* How far the candidate lies from the center of the runs that it is predicted from. */
static double predicted_shift(struct bench_compare_judging *judge, const struct bench_compare_match *match,
			      double center)
{
	if (isnan(center))
		return estimate(judge, match).estimate;
	return bench_stats_median(match->candidate.medians, match->candidate.count) - center;
}

/* The baseline's invocations are many, and are asked for in their order again and again. */
static void sort_baseline(struct bench_arena *arena, struct bench_compare_invocations *baseline)
{
	baseline->sorted = bench_arena_alloc(arena, baseline->count + 1, sizeof(*baseline->sorted));
	if (baseline->count > 0)
		memcpy(baseline->sorted, baseline->medians, baseline->count * sizeof(*baseline->sorted));
	bench_stats_sort(baseline->sorted, baseline->count);
}

/* Without an interval: it has none that means anything. */
static void set_estimate(struct bench_verdict *verdict, double shift)
{
	bench_compare_set_interval(verdict, &(struct bench_interval){shift, NAN, NAN, NAN});
}

/* Before the correction: medians, the p-value (NaN: no test), and the verdict if there can be no test. */
static void test(struct bench_compare_judging *judge, struct bench_arena *scratch,
		 struct bench_compare_match *match)
{
	struct bench_verdict *verdict = &judge->comparison->verdicts[match->verdict];
	struct bench_compare_invocations *baseline = &match->baseline;
	const struct bench_compare_invocations *candidate = &match->candidate;
	struct bench_components components;
	bool few;

	if (judge->comparison->options.newest > 0)
		bench_compare_set_first_nights_aside(judge->comparison, judge->candidate, scratch, match);
	sort_baseline(scratch, baseline);
	verdict->base_median = bench_stats_median(baseline->sorted, baseline->count);
	verdict->candidate_median = bench_stats_median(candidate->medians, candidate->count);
	choose_scale(scratch, match, verdict);
	if (baseline->count == 0 || candidate->count == 0)
		return;
	few = has_too_few(judge, match);
	if (few && match->alike)
		verdict->p = bench_compare_alike_test(match);
	match->by_steps = !isnan(verdict->p);
	match->predicted = few && !match->by_steps && bench_compare_predicts(match, &components);
	if (match->predicted)
		verdict->p = bench_stats_student_test(predicted_shift(judge, match, components.center) /
							      components.ahead,
						      components.freedom);
	else if (!match->by_steps && baseline->count >= BENCH_FEWEST_INVOCATIONS &&
		 candidate->count >= BENCH_FEWEST_INVOCATIONS)
		verdict->p = bench_stats_rank_test_kept(&judge->null, baseline->sorted, baseline->count,
							candidate->medians, candidate->count);
	else if (!match->by_steps)
		set_estimate(verdict, estimate(judge, match).estimate);
}

/*
 * Is the change still certain, and as large as it must be, without what the machine explains? The corrected p
 * grows as much as p does.
 */
static bool stands(const struct bench_compare_judging *judge, struct bench_arena *scratch,
		   const struct bench_compare_match *match, const struct bench_compare_learned *learned,
		   double change, double least, double explained)
{
	const struct bench_verdict *verdict = &judge->comparison->verdicts[match->verdict];
	const struct bench_compare_invocations *baseline = &match->baseline, *candidate = &match->candidate;
	double *moved, rest = change > 0 ? change - explained : explained - change, p;

	if (explained == 0)
		return true;
	if (rest < least || rest <= 0)
		return false;
	if (match->predicted) {
		p = bench_stats_student_test(rest / learned->ahead, learned->freedom);
	} else {
		moved = bench_arena_alloc(scratch, candidate->count, sizeof(*moved));
		for (size_t i = 0; i < candidate->count; i++)
			moved[i] = candidate->medians[i] - explained;
		p = bench_stats_rank_test(baseline->sorted, baseline->count, moved, candidate->count);
	}
	return p * (verdict->p_adjusted / verdict->p) <= judge->comparison->options.alpha;
}

/* Widens the interval by the spread between runs of the same code: to at least `reach` on either side. */
static void widen(struct bench_interval *shift, double reach)
{
	shift->lo = fmin(shift->lo, shift->estimate - reach);
	shift->hi = fmax(shift->hi, shift->estimate + reach);
}

static double smallest_visible(struct bench_compare_judging *judge, const struct bench_compare_match *match,
			       double shift, double least, const struct bench_compare_learned *learned)
{
	size_t baseline_count = match->baseline.count, count = match->candidate.count;

	if (match->by_steps)
		return learned->drift + fmax(least, bench_compare_alike_certain(judge, match));
	if (match->predicted)
		return least + match->hidden +
		       bench_stats_student_quantile(BENCH_AIMED_POWER, learned->freedom) * learned->ahead;
	if (judge->detection.a_count != baseline_count || judge->detection.b_count != count)
		judge->detection = bench_stats_detection(baseline_count, count,
							 judge->comparison->options.alpha / judge->tests,
							 BENCH_AIMED_POWER);
	return learned->drift + match->hidden +
	       fmax(match->step, bench_stats_detectable_shift(&judge->detection, match->baseline.sorted,
							      match->candidate.medians, shift, least));
}

/* The estimate and its interval, to be widened by what runs differ by: of a prediction that is all there is.
 */
static struct bench_interval interval_of(struct bench_compare_judging *judge,
					 const struct bench_compare_match *match,
					 const struct bench_compare_learned *learned, double level)
{
	double shift;

	if (!match->predicted && !match->by_steps)
		return bench_stats_shift_kept(&judge->null, match->baseline.sorted, match->baseline.count,
					      match->candidate.medians, match->candidate.count, level);
	shift = predicted_shift(judge, match, match->by_steps ? NAN : learned->center);
	return (struct bench_interval){shift, shift, shift, level};
}

/* The verdict on a change that is certain and large enough: is it the machine's? */
static void decide_changed(struct bench_compare_judging *judge, struct bench_arena *scratch,
			   const struct bench_compare_match *match,
			   const struct bench_compare_learned *learned, struct bench_interval shift,
			   double least)
{
	const struct bench_compare_options *options = &judge->comparison->options;
	struct bench_verdict *verdict = &judge->comparison->verdicts[match->verdict];
	bool worse = (shift.estimate > 0) == (verdict->better == BENCH_BETTER_LOWER);
	double explained = bench_compare_explained(match, verdict, shift.estimate);
	double level = 1 - options->alpha / judge->tests;

	if (!stands(judge, scratch, match, learned, shift.estimate, least, explained)) {
		verdict->reason = bench_compare_machine_reason(judge, verdict, explained);
		return;
	}
	verdict->kind = worse ? BENCH_SLOWER : BENCH_FASTER;
	/* One value is as likely a spike; on two nights it is not. */
	if (worse && match->predicted && match->candidate.count < BENCH_FEWEST_INVOCATIONS && !verdict->first)
		bench_compare_suspect(judge->comparison, verdict);
	shift = interval_of(judge, match, learned, level);
	widen(&shift, learned->edge);
	bench_compare_set_interval(verdict, &shift);
}

/*
 * How far a value has to be from the center that it is predicted from, so that it lies beyond all of the
 * baseline's values on that side; 0: it is not predicted.
 */
static double least_beyond(const struct bench_compare_match *match,
			   const struct bench_compare_learned *learned)
{
	const struct bench_compare_invocations *baseline = &match->baseline;
	double low, high, center;

	if (!match->predicted)
		return 0;
	low = baseline->sorted[0];
	high = baseline->sorted[baseline->count - 1];
	center = isnan(learned->center) ? bench_stats_median(baseline->sorted, baseline->count)
					: learned->center;
	if (bench_stats_median(match->candidate.medians, match->candidate.count) > center)
		return high - center + BEYOND * (high - low);
	return center - low + BEYOND * (high - low);
}

/* Of what is zero throughout there is no share that would be too little to matter. */
static bool lies_within(const struct bench_interval *shift, double edge)
{
	return (shift->lo > -edge && shift->hi < edge) || (shift->lo == 0 && shift->hi == 0);
}

static void decide(struct bench_compare_judging *judge, struct bench_arena *scratch,
		   const struct bench_compare_match *match)
{
	const struct bench_compare_options *options = &judge->comparison->options;
	struct bench_verdict *verdict = &judge->comparison->verdicts[match->verdict];
	struct bench_compare_learned learned = bench_compare_learn(judge, match);
	struct bench_interval narrow = interval_of(judge, match, &learned, BENCH_EQUIVALENCE_LEVEL),
			      shift = narrow;
	double asked = bench_compare_edge(options, verdict), least, mde;

	if (match->predicted) {
		learned.edge *= TAILS;
		learned.likely *= LIKELY_TAILS;
	}
	least = fmax(fmax(asked, learned.edge), least_beyond(match, &learned));
	if (verdict->by_difference || least > log1p(verdict->asked))
		verdict->threshold = bench_compare_from_shift(verdict, least);
	widen(&shift, learned.likely);
	bench_compare_set_interval(verdict, &shift);
	verdict->learned_runs = learned.runs;
	mde = smallest_visible(judge, match, shift.estimate, fmax(least, learned.edge_of_slower), &learned);
	if (isfinite(mde))
		verdict->mde = bench_compare_from_shift(verdict, mde);
	if (verdict->p_adjusted <= options->alpha && fabs(shift.estimate) >= least && shift.estimate != 0) {
		decide_changed(judge, scratch, match, &learned, shift, least);
	} else if (shift.level >= BENCH_EQUIVALENCE_LEVEL - 1e-9 && lies_within(&shift, asked)) {
		verdict->kind = BENCH_SAME;
		if (bench_compare_below_floor(options, verdict))
			verdict->reason =
				bench_compare_floor_reason(&judge->comparison->arena, options, verdict);
	} else {
		verdict->reason = bench_compare_unclear_reason(judge, match, &learned, &narrow);
	}
}

void bench_compare_judge(struct bench_comparison *comparison, const struct bench_run *candidate,
			 struct bench_compare_matches *matches)
{
	struct bench_compare_judging judge = {
		.comparison = comparison, .candidate = candidate, .metrics = (double)matches->count};
	double *p = bench_arena_alloc(&matches->arena, matches->count + 1, sizeof(*p));

	for (size_t i = 0; i < matches->count; i++) {
		test(&judge, &matches->arena, &matches->items[i]);
		p[i] = comparison->verdicts[matches->items[i].verdict].p;
		judge.tests += !isnan(p[i]);
	}
	if (comparison->options.each_alone)
		judge.tests = 1;
	else
		bench_stats_holm(p, matches->count, p);
	judge.tests = fmax(judge.tests, 1);
	for (size_t i = 0; i < matches->count; i++) {
		struct bench_verdict *verdict = &comparison->verdicts[matches->items[i].verdict];

		verdict->p_adjusted = p[i];
		if (!isnan(p[i]))
			decide(&judge, &matches->arena, &matches->items[i]);
		else if (!*verdict->reason)
			verdict->reason = bench_compare_no_test_reason(&judge, &matches->items[i]);
	}
	bench_stats_null_free(&judge.null);
}
