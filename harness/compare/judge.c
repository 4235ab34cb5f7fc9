/*
 * The statistics of a verdict; docs/comparing.md has the reasons and the error rates.
 *
 * slower, faster: the rank-sum test, corrected by Holm over all metrics of the comparison, says that there is
 *   a change; its estimate passes the threshold and the metric's spread between runs of the same code; and
 *   both still hold without what the canary explains. The interval shown is simultaneous: all of them hold
 *   together with probability 1 - alpha.
 * same: two one-sided tests at 5% each (Schuirmann 1987) say that the change lies within the threshold: their
 *   interval, of 90%, lies inside it, and is shown.
 * unclear: neither. The 90% interval is shown.
 * Intervals are at least as wide as the spread between runs of the same code, if that is known.
 */
#include <math.h>

#include "compare/internal.h"

/* Replaces the values by their logarithms; false if one has none. */
static bool to_logarithms(double *values, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!(values[i] > 0) || !isfinite(values[i]))
			return false;
		values[i] = log(values[i]);
	}
	return true;
}

/* Before the correction: medians, the p-value (NaN: no test), and the verdict if there can be no test. */
static void test(struct bench_compare_judging *judge, struct bench_compare_match *match)
{
	struct bench_verdict *verdict = &judge->comparison->verdicts[match->verdict];
	const struct bench_compare_invocations *baseline = &match->baseline, *candidate = &match->candidate;
	bool positive;

	verdict->base_median = bench_stats_median(baseline->medians, baseline->count);
	verdict->candidate_median = bench_stats_median(candidate->medians, candidate->count);
	positive = to_logarithms(baseline->medians, baseline->count);
	positive = to_logarithms(candidate->medians, candidate->count) && positive;
	if (!to_logarithms(match->history.medians, match->history.count))
		match->history.run_count = 0;
	if (!positive)
		verdict->reason =
			bench_arena_string(&judge->comparison->arena,
					   "a value is zero or negative, so that there is no ratio to judge");
	else if (baseline->count >= BENCH_FEWEST_INVOCATIONS && candidate->count >= BENCH_FEWEST_INVOCATIONS)
		verdict->p = bench_stats_rank_test_kept(&judge->null, baseline->medians, baseline->count,
							candidate->medians, candidate->count);
	else
		verdict->ratio = exp(bench_stats_shift(baseline->medians, baseline->count, candidate->medians,
						       candidate->count, BENCH_EQUIVALENCE_LEVEL)
					     .estimate);
}

/*
 * Is the change still certain, and as large as it must be, without what the machine explains? The corrected p
 * grows as much as p does.
 */
static bool stands(const struct bench_compare_judging *judge, struct bench_arena *scratch,
		   const struct bench_compare_match *match, double change, double least, double explained)
{
	const struct bench_verdict *verdict = &judge->comparison->verdicts[match->verdict];
	const struct bench_compare_invocations *baseline = &match->baseline, *candidate = &match->candidate;
	double *moved, rest = change > 0 ? change - explained : explained - change, p;

	if (explained == 0)
		return true;
	if (rest < least || rest <= 0)
		return false;
	moved = bench_arena_alloc(scratch, candidate->count, sizeof(*moved));
	for (size_t i = 0; i < candidate->count; i++)
		moved[i] = candidate->medians[i] - explained;
	p = bench_stats_rank_test(baseline->medians, baseline->count, moved, candidate->count);
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

	if (judge->detection.a_count != baseline_count || judge->detection.b_count != count)
		judge->detection = bench_stats_detection(baseline_count, count,
							 judge->comparison->options.alpha / judge->tests,
							 BENCH_AIMED_POWER);
	return learned->drift + bench_stats_detectable_shift(&judge->detection, match->baseline.medians,
							     match->candidate.medians, shift, least);
}

static void decide(struct bench_compare_judging *judge, struct bench_arena *scratch,
		   const struct bench_compare_match *match)
{
	const struct bench_compare_options *options = &judge->comparison->options;
	struct bench_verdict *verdict = &judge->comparison->verdicts[match->verdict];
	const struct bench_compare_invocations *baseline = &match->baseline, *candidate = &match->candidate;
	struct bench_compare_learned learned = bench_compare_learn(judge, match);
	double edge = log1p(options->threshold), least = fmax(edge, learned.edge), mde, explained;
	struct bench_interval shift =
		bench_stats_shift_kept(&judge->null, baseline->medians, baseline->count, candidate->medians,
				       candidate->count, BENCH_EQUIVALENCE_LEVEL);

	if (fmin(learned.edge, BENCH_LARGEST_THRESHOLD) > edge) {
		edge = fmin(learned.edge, BENCH_LARGEST_THRESHOLD);
		verdict->threshold = expm1(edge);
	}
	widen(&shift, learned.likely);
	bench_compare_set_interval(verdict, &shift);
	verdict->learned_runs = learned.runs;
	mde = smallest_visible(judge, match, shift.estimate, least, &learned);
	if (isfinite(mde))
		verdict->mde = expm1(mde);
	if (verdict->p_adjusted <= options->alpha && fabs(shift.estimate) >= least && shift.estimate != 0) {
		bool worse = (shift.estimate > 0) == (verdict->better == BENCH_BETTER_LOWER);

		explained = bench_compare_explained(match, verdict, shift.estimate);
		if (!stands(judge, scratch, match, shift.estimate, least, explained)) {
			verdict->reason = bench_compare_machine_reason(judge, verdict, explained);
			return;
		}
		verdict->kind = worse ? BENCH_SLOWER : BENCH_FASTER;
		shift = bench_stats_shift(baseline->medians, baseline->count, candidate->medians,
					  candidate->count, 1 - options->alpha / judge->tests);
		widen(&shift, learned.edge);
		bench_compare_set_interval(verdict, &shift);
	} else if (shift.level >= BENCH_EQUIVALENCE_LEVEL - 1e-9 && shift.lo > -edge && shift.hi < edge) {
		verdict->kind = BENCH_SAME;
	} else {
		verdict->reason = bench_compare_unclear_reason(judge, match, &learned);
	}
}

void bench_compare_judge(struct bench_comparison *comparison, struct bench_compare_matches *matches)
{
	struct bench_compare_judging judge = {.comparison = comparison, .metrics = (double)matches->count};
	double *p = bench_arena_alloc(&matches->arena, matches->count + 1, sizeof(*p));

	for (size_t i = 0; i < matches->count; i++) {
		test(&judge, &matches->items[i]);
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
