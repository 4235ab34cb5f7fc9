/* SPDX-License-Identifier: MIT */
/* Why a verdict is unclear: in full with the arithmetic, and in a few words. What would help. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compare/internal.h"
#include "core/text.h"

/* How many invocations a side, at least as many as now, would let the smallest p pass the correction. */
static size_t needed_invocations(const struct bench_compare_judging *judge,
				 const struct bench_verdict *verdict, double tests)
{
	const size_t limit = 1000;
	size_t a = verdict->base_invocations, b = verdict->candidate_invocations,
	       each = BENCH_FEWEST_INVOCATIONS;
	double alpha = judge->comparison->options.alpha;

	while (each < limit &&
	       bench_stats_rank_test_floor(a > each ? a : each, b > each ? b : each) * tests > alpha)
		each++;
	return each;
}

/* "too few quiet invocations (2 of 16)": of the side that has fewer; `needed` a side would do. */
static void tell_few(const struct bench_compare_judging *judge, const struct bench_compare_match *match,
		     size_t needed)
{
	struct bench_verdict *verdict = &judge->comparison->verdicts[match->verdict];
	struct bench_arena *arena = &judge->comparison->arena;
	bool now = match->candidate.count <= match->baseline.count;
	const struct bench_compare_invocations *side = now ? &match->candidate : &match->baseline;
	const char *where = now ? "" : " in the baseline";

	verdict->needed = needed;
	if (side->disturbed > 0)
		verdict->why = bench_arena_format(arena, "too few quiet invocations (%zu of %zu%s)",
						  side->count, side->count + side->disturbed, where);
	else
		verdict->why = bench_arena_format(arena, "too few invocations (%zu%s, needed %zu)",
						  side->count, where, needed);
}

/*
 * Invocations a side that would probably narrow an interval so that it no longer holds both 0 and a change of
 * `edge`: its width falls with their square root. 0: far more than now.
 */
static size_t narrowing_invocations(const struct bench_verdict *verdict, const struct bench_interval *shift,
				    double edge)
{
	const double most_times = 16, reserve = 1.2;
	size_t now = verdict->candidate_invocations;
	double reach = 0.5 * (shift->hi - shift->lo);
	/* From the estimate to what it is not told from yet. */
	double apart = fabs(fabs(shift->estimate) - (fabs(shift->estimate) < edge ? edge : 0));
	double times = reserve * (reach / apart) * (reach / apart);

	if (!(times > 1))
		times = 2;
	return times <= most_times ? (size_t)ceil((double)now * times) : 0;
}

/* "3 invocations a side", "10 invocations in the baseline and 1 now" */
static const char *counts_text(const struct bench_verdict *verdict, char *out, size_t size)
{
	if (verdict->base_invocations == verdict->candidate_invocations)
		snprintf(out, size, "%zu invocation%s a side", verdict->base_invocations,
			 bench_text_plural(verdict->base_invocations));
	else
		snprintf(out, size, "%zu invocation%s in the baseline and %zu now", verdict->base_invocations,
			 bench_text_plural(verdict->base_invocations), verdict->candidate_invocations);
	return out;
}

/* " (others used 0.98 cores, canary 1.9x)"; nothing if nothing is known. */
static void add_disturbance(struct bench_text *out, const struct bench_compare_disturbance *disturbance)
{
	const char *separator = " (";

	if (disturbance->others >= 0.005) {
		bench_text_add(out, "%sothers used %.2f cores", separator, disturbance->others);
		separator = ", ";
	}
	if (disturbance->steal >= 0.005) {
		bench_text_add(out, "%sthe hypervisor took %.2f cores", separator, disturbance->steal);
		separator = ", ";
	}
	if (disturbance->canary >= 1.005) {
		bench_text_add(out, "%scanary %.2gx", separator, disturbance->canary);
		separator = ", ";
	}
	if (*disturbance->device) {
		bench_text_add(out, "%s%s", separator, disturbance->device);
		separator = ", ";
	}
	if (*separator == ',')
		bench_text_add(out, ")");
}

/* "9 of 10 invocations now (canary 1.9x)"; nothing if none of that side was disturbed. */
static void add_disturbed(struct bench_text *out, const struct bench_compare_invocations *side,
			  const char *when)
{
	if (side->disturbed == 0)
		return;
	bench_text_add(out, "%s%zu of %zu invocations %s", out->length ? ", " : "", side->disturbed,
		       side->disturbed + side->count, when);
	add_disturbance(out, &side->disturbance);
}

/* What was left out on both sides, in the arena; "" if nothing was. */
static const char *disturbed_text(struct bench_arena *arena, const struct bench_compare_match *match)
{
	struct bench_text out = {0};
	add_disturbed(&out, &match->baseline, "in the baseline");
	add_disturbed(&out, &match->candidate, "now");
	return bench_text_keep(&out, arena);
}

static bool had_enough(const struct bench_compare_invocations *side)
{
	return side->count + side->disturbed >= BENCH_FEWEST_INVOCATIONS;
}

/* ", or a baseline of 10 runs like these (it has 3)", where that would do. */
static const char *needed_runs(struct bench_arena *arena, const struct bench_compare_match *match)
{
	size_t runs = match->baseline.run_count;

	if (runs >= BENCH_COMPARE_PREDICTING_RUNS || match->candidate.count == 0 ||
	    match->candidate.count * runs < match->baseline.count)
		return "";
	return bench_arena_format(arena, ", or a baseline of %d such runs (it has %zu)",
				  BENCH_COMPARE_PREDICTING_RUNS, runs);
}

/* Of the precision that tables have: "2%", "9.2%", "0.25%", "109%". */
static const char *percent_text(struct bench_arena *arena, double fraction)
{
	double percent = 100 * fraction;
	int digits = percent >= 99.95 || fabs(percent - round(percent)) < 0.05 ? 0 : 1;

	return bench_arena_format(arena, "%.*f%%", percent < 0.95 ? 2 : digits, percent);
}

/* A value of the verdict's own kind, or a shift without direction: "5%", "2 allocs/op". */
static const char *amount_text(struct bench_arena *arena, const struct bench_verdict *verdict, double amount)
{
	char text[96];

	if (!verdict->by_difference)
		return percent_text(arena, amount);
	bench_text_difference(text, sizeof(text), amount, verdict->unit);
	return bench_arena_string(arena, text + (*text == '+'));
}

static const char *change_text(struct bench_arena *arena, const struct bench_verdict *verdict)
{
	return verdict->by_difference ? bench_compare_size_text(arena, verdict)
				      : bench_arena_format(arena, "%+.1f%%", 100 * (verdict->ratio - 1));
}

/* "-2.0%..+20.0%"; of a difference "-2 allocs/op..+5 allocs/op" */
static const char *interval_text(struct bench_arena *arena, const struct bench_verdict *verdict)
{
	char lo[96], hi[96];

	if (!verdict->by_difference)
		return bench_arena_format(arena, "%+.1f%%..%+.1f%%", 100 * (verdict->lo - 1),
					  100 * (verdict->hi - 1));
	bench_text_difference(lo, sizeof(lo), verdict->lo, verdict->unit);
	bench_text_difference(hi, sizeof(hi), verdict->hi, verdict->unit);
	return bench_arena_format(arena, "%s..%s", lo, hi);
}

char *bench_compare_no_test_reason(const struct bench_compare_judging *judge,
				   const struct bench_compare_match *match)
{
	struct bench_arena *arena = &judge->comparison->arena;
	const struct bench_verdict *verdict = &judge->comparison->verdicts[match->verdict];
	const size_t needed = needed_invocations(judge, verdict, judge->metrics);
	char counts[96];

	tell_few(judge, match, needed);
	if (had_enough(&match->baseline) && had_enough(&match->candidate))
		return bench_arena_format(arena,
					  "the machine was disturbed: %s; bench duel would still judge",
					  disturbed_text(arena, match));
	return bench_arena_format(arena, "%s cannot tell a change from a disturbance; %zu a side could%s",
				  counts_text(verdict, counts, sizeof(counts)), needed,
				  needed_runs(arena, match));
}

/* "; two peaks now: 0.93 and 1.39 of the middle, in 4 and 6 of 10 invocations" */
static void add_peaks(struct bench_text *out, const struct bench_verdict *verdict,
		      const struct bench_compare_invocations *side, const char *when)
{
	const double apart = 0.01; /* nearer peaks explain nothing */
	struct bench_peaks peaks;
	double middle;

	if (verdict->by_difference || !bench_stats_two_peaks(side->medians, side->count, &peaks) ||
	    peaks.high - peaks.low < apart)
		return;
	middle = bench_stats_median(side->medians, side->count);
	bench_text_add(out, "; two peaks %s: %.2f and %.2f of the middle, in %zu and %zu of %zu invocations",
		       when, exp(peaks.low - middle), exp(peaks.high - middle), peaks.low_count,
		       peaks.high_count, side->count);
}

/* "threshold of 5%", "floor of 1 ns" */
static const char *asked_text(const struct bench_compare_options *options,
			      const struct bench_verdict *verdict, char *out, size_t size)
{
	if (bench_compare_edge(options, verdict) > bench_compare_asked_shift(verdict))
		snprintf(out, size, "floor of %.3g ns", 1e9 * options->floor);
	else
		snprintf(out, size, "threshold of %.3g%%", 100 * verdict->asked);
	return out;
}

/* What runs of the same code differ by, and where that is from. */
static void add_spread(struct bench_text *out, struct bench_arena *arena, const struct bench_verdict *verdict,
		       const struct bench_compare_match *match, const struct bench_compare_learned *learned)
{
	const char *likely = amount_text(arena, verdict, bench_compare_from_shift(verdict, learned->likely));
	size_t runs = match->baseline.run_count;

	if (match->rounding > 0 && learned->likely <= match->rounding)
		bench_text_add(out, "the values are rounded to steps of %s", likely);
	else if (learned->runs > 0)
		bench_text_add(
			out, "runs of the same code differ by up to %s here (at 90%%, learned from %zu runs)",
			likely, learned->runs);
	else
		bench_text_add(
			out,
			"how far runs of the same code differ is not known here (%zu run%s in the baseline, "
			"too few earlier ones of one executable), up to %s is allowed for (at 90%%)",
			runs, bench_text_plural(runs), likely);
}

/* The same in a few words. */
static void tell_spread(const struct bench_compare_judging *judge, const struct bench_compare_match *match,
			const struct bench_compare_learned *learned)
{
	struct bench_verdict *verdict = &judge->comparison->verdicts[match->verdict];
	struct bench_arena *arena = &judge->comparison->arena;
	double likely = bench_compare_from_shift(verdict, learned->likely);

	if (match->rounding > 0 && learned->likely <= match->rounding)
		verdict->why = bench_arena_format(arena, "its values are rounded to steps of %s",
						  amount_text(arena, verdict, likely));
	else if (learned->runs > 0)
		verdict->why = bench_arena_format(arena, "runs of unchanged code differ by up to %s here",
						  amount_text(arena, verdict, likely));
	else
		verdict->why =
			bench_arena_format(arena, "too few runs to know how far runs differ (%zu, needed %d)",
					   match->baseline.run_count, BENCH_COMPARE_ENOUGH_RUNS);
}

/* Certain by the invocations, and less than what runs differ by. */
static void add_hidden_change(struct bench_text *out, const struct bench_compare_judging *judge,
			      const struct bench_compare_match *match,
			      const struct bench_compare_learned *learned)
{
	struct bench_arena *arena = &judge->comparison->arena;
	const struct bench_verdict *verdict = &judge->comparison->verdicts[match->verdict];

	tell_spread(judge, match, learned);
	bench_text_add(out, "%s, but ", change_text(arena, verdict));
	add_spread(out, arena, verdict, match, learned);
	bench_text_add(
		out,
		", and over %.0f metric%s a change is certain from %s on; %sbench duel or a gate's anchor "
		"would judge it",
		judge->tests, bench_text_plural((size_t)judge->tests),
		amount_text(arena, verdict, verdict->threshold),
		learned->runs > 0 ? "" : "a baseline of 5 runs or more, ");
}

/* The measurements vary too much: `what` is open. With invocations left out, these are why. */
static void tell_wide(const struct bench_compare_judging *judge, const struct bench_compare_match *match,
		      const struct bench_interval *narrow, const char *what)
{
	struct bench_verdict *verdict = &judge->comparison->verdicts[match->verdict];
	size_t disturbed = match->baseline.disturbed + match->candidate.disturbed;
	size_t all = disturbed + match->baseline.count + match->candidate.count;

	verdict->needed = narrowing_invocations(verdict, narrow,
						bench_compare_edge(&judge->comparison->options, verdict));
	verdict->why = 2 * disturbed > all ? bench_arena_format(&judge->comparison->arena,
								"%s: %zu of %zu invocations were disturbed",
								what, disturbed, all)
					   : bench_arena_string(&judge->comparison->arena, what);
}

/* The cause in the reason: the first that applies. */
static void add_why(struct bench_text *out, const struct bench_compare_judging *judge,
		    const struct bench_compare_match *match, const struct bench_compare_learned *learned,
		    const struct bench_interval *narrow)
{
	struct bench_verdict *verdict = &judge->comparison->verdicts[match->verdict];
	const struct bench_compare_options *options = &judge->comparison->options;
	struct bench_arena *arena = &judge->comparison->arena;
	double edge = bench_compare_edge(options, verdict);
	bool certain = verdict->p_adjusted <= options->alpha;
	/* Of what was zero throughout, any difference is large enough. */
	bool large = fabs(narrow->estimate) >= edge && narrow->estimate != 0;
	const char *visible = "";
	char asked[96];

	asked_text(options, verdict, asked, sizeof(asked));
	if (isfinite(verdict->mde))
		visible = bench_arena_format(arena, "; the smallest change visible here is %s",
					     amount_text(arena, verdict, verdict->mde));
	if (large && certain) {
		add_hidden_change(out, judge, match, learned);
	} else if (large) {
		tell_wide(judge, match, narrow, "the change is not certain yet");
		bench_text_add(
			out,
			"%s, but p = %.2g over %.0f metric%s is not <= %g%s; more invocations or a quieter "
			"machine would decide it",
			change_text(arena, verdict), verdict->p_adjusted, judge->tests,
			bench_text_plural((size_t)judge->tests), options->alpha, visible);
	} else if (narrow->lo > -edge && narrow->hi < edge) {
		tell_spread(judge, match, learned);
		add_spread(out, arena, verdict, match, learned);
		bench_text_add(
			out,
			", which a change of the %s could hide behind%s; %s, bench duel or a gate's anchor "
			"would decide it",
			asked, visible,
			learned->runs > 0 ? "more invocations, more runs in the baseline"
					  : "a baseline of 5 runs or more");
	} else if (certain) {
		tell_wide(judge, match, narrow, bench_arena_format(arena, "near the %s", asked));
		bench_text_add(out,
			       "changed by %s, less than the %s, but its interval %s reaches past it; more "
			       "invocations would narrow it",
			       change_text(arena, verdict), asked, interval_text(arena, verdict));
	} else {
		tell_wide(judge, match, narrow,
			  bench_arena_format(arena, "the interval reaches past the %s", asked));
		bench_text_add(out,
			       "the interval %s reaches past the %s%s; more invocations or a quieter machine "
			       "would narrow it",
			       interval_text(arena, verdict), asked, visible);
	}
	add_peaks(out, verdict, &match->baseline, "in the baseline");
	add_peaks(out, verdict, &match->candidate, "now");
}

char *bench_compare_unclear_reason(const struct bench_compare_judging *judge,
				   const struct bench_compare_match *match,
				   const struct bench_compare_learned *learned,
				   const struct bench_interval *narrow)
{
	struct bench_arena *arena = &judge->comparison->arena;
	const struct bench_verdict *verdict = &judge->comparison->verdicts[match->verdict];
	double alpha = judge->comparison->options.alpha;
	double floor = bench_stats_rank_test_floor(verdict->base_invocations, verdict->candidate_invocations);
	const char *disturbed = disturbed_text(arena, match);
	struct bench_text out = {0};
	char counts[96];

	if (!match->predicted && !match->by_steps && floor * judge->tests > alpha) {
		size_t needed = needed_invocations(judge, verdict, judge->tests);
		tell_few(judge, match, needed);
		bench_text_add(&out, "%s cannot show p <= %g over %.0f metric%s; %zu a side could%s",
			       counts_text(verdict, counts, sizeof(counts)), alpha, judge->tests,
			       bench_text_plural((size_t)judge->tests), needed, needed_runs(arena, match));
	} else {
		add_why(&out, judge, match, learned, narrow);
	}
	if (*disturbed)
		bench_text_add(&out, "; left out, the machine being disturbed: %s", disturbed);
	return bench_text_keep(&out, arena);
}

char *bench_compare_machine_reason(const struct bench_compare_judging *judge, struct bench_verdict *verdict,
				   double explained)
{
	bool slower = (explained > 0) == (strcmp(verdict->unit, "s") == 0); /* rates fall where times grow */

	verdict->why = bench_arena_format(&judge->comparison->arena,
					  "the machine itself was %s (%.2gx by its canary)",
					  slower ? "slower" : "faster", exp(fabs(explained)));
	return bench_arena_format(
		&judge->comparison->arena,
		"%+.3g%%, but the machine itself was %.3gx %s by its canary, and what is left of the change "
		"is not certain or below the threshold; bench duel would still judge",
		100 * (verdict->ratio - 1), exp(fabs(explained)), slower ? "slower" : "faster");
}
