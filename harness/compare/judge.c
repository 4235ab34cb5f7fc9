/*
 * The statistics of a verdict; docs/comparing.md has the reasons and the error rates.
 *
 * slower, faster: the rank-sum test, corrected by Holm over all metrics of the comparison,
 *   says that there is a change, and its estimate passes the threshold. The interval
 *   shown is simultaneous: all of them hold together with probability 1 - alpha.
 * same: two one-sided tests at 5% each (Schuirmann 1987) say that the change lies within
 *   the threshold: their interval, of 90%, lies inside it, and is shown.
 * unclear: neither. The 90% interval is shown.
 */
#include <math.h>
#include <stdio.h>

#include "compare/parts.h"
#include "stats/stats.h"

#define EQUIVALENCE_LEVEL 0.90
#define AIMED_POWER       0.97 /* promised are 95%: a little goes to not knowing the noise exactly */

/*
 * One invocation could be called different from a hundred by the test, and would be if it
 * was disturbed; two that are disturbed alike are another matter.
 */
enum { FEWEST_INVOCATIONS = 2 };

struct judge {
	struct bench_comparison *comparison;
	double metrics; /* on both sides */
	double tests;   /* made, at least 1: what Holm corrects for. Less where invocations are too few */
};

/* Replaces the values by their logarithms; false where one has none. */
static bool to_logarithms(double *values, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!(values[i] > 0) || !isfinite(values[i]))
			return false;
		values[i] = log(values[i]);
	}
	return true;
}

/* How many invocations a side, of those now and more, would let the smallest p pass the correction. */
static size_t needed_invocations(const struct judge *judge, const struct bench_verdict *verdict, double tests)
{
	const size_t limit = 1000;
	size_t a = verdict->base_invocations, b = verdict->candidate_invocations, each = FEWEST_INVOCATIONS;
	double alpha = judge->comparison->options.alpha;

	while (each < limit &&
	       bench_stats_rank_test_floor(a > each ? a : each, b > each ? b : each) * tests > alpha)
		each++;
	return each;
}

/* "3 invocations a side", "10 invocations against 1" */
static const char *counts_text(const struct bench_verdict *verdict, char *out, size_t size)
{
	if (verdict->base_invocations == verdict->candidate_invocations)
		snprintf(out, size, "%zu invocation%s a side", verdict->base_invocations,
			 verdict->base_invocations == 1 ? "" : "s");
	else
		snprintf(out, size, "%zu invocation%s in the baseline and %zu now", verdict->base_invocations,
			 verdict->base_invocations == 1 ? "" : "s", verdict->candidate_invocations);
	return out;
}

static char *no_test_reason(const struct judge *judge, const struct bench_verdict *verdict)
{
	char counts[96];

	return bench_arena_format(&judge->comparison->arena,
				  "%s cannot tell a change from a disturbance; %zu a side could",
				  counts_text(verdict, counts, sizeof(counts)),
				  needed_invocations(judge, verdict, judge->metrics));
}

/* Why neither a change nor its absence could be shown, and what would help. */
static char *unclear_reason(const struct judge *judge, const struct bench_verdict *verdict)
{
	struct bench_arena *arena = &judge->comparison->arena;
	const struct bench_compare_options *options = &judge->comparison->options;
	double floor = bench_stats_rank_test_floor(verdict->base_invocations, verdict->candidate_invocations);
	double change = 100 * (verdict->ratio - 1), threshold = 100 * options->threshold;
	bool past = fabs(log(verdict->ratio)) >= log1p(options->threshold);
	char counts[96], visible[96] = "";

	counts_text(verdict, counts, sizeof(counts));
	if (floor * judge->tests > options->alpha)
		return bench_arena_format(arena,
					  "%s cannot show p <= %g over %.0f metric%s; %zu a side could",
					  counts, options->alpha, judge->tests, judge->tests == 1 ? "" : "s",
					  needed_invocations(judge, verdict, judge->tests));
	if (isfinite(verdict->mde))
		snprintf(visible, sizeof(visible), "; the smallest change visible here is %.3g%%",
			 100 * verdict->mde);
	if (past)
		return bench_arena_format(arena,
					  "%+.3g%%, but p = %.2g over %.0f metrics is not <= %g%s; more "
					  "invocations or a quieter machine would decide it",
					  change, verdict->p_adjusted, judge->tests, options->alpha, visible);
	if (verdict->p_adjusted <= options->alpha)
		return bench_arena_format(
			arena,
			"changed by %+.3g%%, less than the threshold of %.3g%%, but its "
			"interval %.3f..%.3f reaches past it; more invocations would narrow it",
			change, threshold, verdict->lo, verdict->hi);
	return bench_arena_format(arena,
				  "the interval %.3f..%.3f reaches past the threshold of %.3g%%%s; more "
				  "invocations or a quieter machine would narrow it",
				  verdict->lo, verdict->hi, threshold, visible);
}

static void set_interval(struct bench_verdict *verdict, const struct bench_interval *shift)
{
	verdict->ratio = exp(shift->estimate);
	verdict->lo = exp(shift->lo);
	verdict->hi = exp(shift->hi);
	verdict->level = shift->level;
}

/* Before the correction: medians, the p-value (NaN: no test), and verdicts where there can be no test. */
static void test(const struct judge *judge, const struct bench_pairing *pairing)
{
	struct bench_verdict *verdict = &judge->comparison->verdicts[pairing->verdict];
	size_t base_count = verdict->base_invocations, count = verdict->candidate_invocations;
	bool positive;

	verdict->base_median = bench_stats_median(pairing->base, base_count);
	verdict->candidate_median = bench_stats_median(pairing->candidate, count);
	positive = to_logarithms(pairing->base, base_count);
	positive = to_logarithms(pairing->candidate, count) && positive;
	if (!positive)
		verdict->reason =
			bench_arena_string(&judge->comparison->arena,
					   "a value is zero or negative, so that there is no ratio to judge");
	else if (base_count >= FEWEST_INVOCATIONS && count >= FEWEST_INVOCATIONS)
		verdict->p = bench_stats_rank_test(pairing->base, base_count, pairing->candidate, count);
	else
		verdict->ratio = exp(bench_stats_shift(pairing->base, base_count, pairing->candidate, count,
						       EQUIVALENCE_LEVEL)
					     .estimate);
}

static void decide(const struct judge *judge, const struct bench_pairing *pairing)
{
	const struct bench_compare_options *options = &judge->comparison->options;
	struct bench_verdict *verdict = &judge->comparison->verdicts[pairing->verdict];
	size_t base_count = verdict->base_invocations, count = verdict->candidate_invocations;
	double edge = log1p(options->threshold), worst_alpha = options->alpha / judge->tests;
	struct bench_interval shift =
		bench_stats_shift(pairing->base, base_count, pairing->candidate, count, EQUIVALENCE_LEVEL);
	double mde = bench_stats_detectable_shift(pairing->base, base_count, pairing->candidate, count,
						  worst_alpha, AIMED_POWER, edge);

	set_interval(verdict, &shift);
	if (isfinite(mde))
		verdict->mde = expm1(mde);
	if (verdict->p_adjusted <= options->alpha && fabs(shift.estimate) >= edge && shift.estimate != 0) {
		bool worse = (shift.estimate > 0) == (verdict->better == BENCH_BETTER_LOWER);

		verdict->kind = worse ? BENCH_SLOWER : BENCH_FASTER;
		shift = bench_stats_shift(pairing->base, base_count, pairing->candidate, count,
					  1 - worst_alpha);
		set_interval(verdict, &shift);
	} else if (shift.level >= EQUIVALENCE_LEVEL - 1e-9 && shift.lo > -edge && shift.hi < edge) {
		verdict->kind = BENCH_SAME;
	} else {
		verdict->reason = unclear_reason(judge, verdict);
	}
}

void bench_compare_judge(struct bench_comparison *comparison, struct bench_pairings *pairings)
{
	struct judge judge = {comparison, (double)pairings->count, 0};
	double *p = bench_arena_alloc(&pairings->arena, pairings->count + 1, sizeof(*p));

	for (size_t i = 0; i < pairings->count; i++) {
		test(&judge, &pairings->items[i]);
		p[i] = comparison->verdicts[pairings->items[i].verdict].p;
		judge.tests += !isnan(p[i]);
	}
	bench_stats_holm(p, pairings->count, p);
	judge.tests = fmax(judge.tests, 1);
	for (size_t i = 0; i < pairings->count; i++) {
		struct bench_verdict *verdict = &comparison->verdicts[pairings->items[i].verdict];

		verdict->p_adjusted = p[i];
		if (!isnan(p[i]))
			decide(&judge, &pairings->items[i]);
		else if (!*verdict->reason)
			verdict->reason = no_test_reason(&judge, verdict);
	}
}
