/* SPDX-License-Identifier: MIT */
/*
 * The spread of a metric between runs of the same code: what `slower` must pass, and what intervals allow
 * for.
 *
 * The rank test assumes that the invocations of several runs are exchangeable. They are not if runs of the
 * same code differ (in memory layout, temperature, that night's neighbors). Then all invocations of a new
 * run lie off to one side, and the test finds a change without a cause. A change must therefore also be
 * larger than a prediction interval for the center of one more run of the same code, at the same corrected
 * level as the test. With N runs it has N - 1 degrees of freedom; it is wide for N = 5, and half as wide for
 * ten. The interval shown is at least as wide, at its own level.
 *
 * With enough runs, the spread comes from the baseline's runs, around the mean of each level if a shift was
 * accepted among them. A rolling baseline adds as many nights before it, around their own mean. Otherwise it
 * comes from earlier runs of executables that were measured more than once: differences between runs of one
 * executable are not due to its code. Without enough of either, a deviation is assumed
 * (options.assumed_spread, or what three or four runs show, if larger) and treated as known. Three or four
 * runs that differ by less may still show it, with Student's t of their two or three degrees of freedom.
 *
 * No spread is known better than the step that values are rounded to.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "compare/internal.h"

/* The degrees of freedom of the fewest runs of one code. */
enum { FEWEST_FREEDOM = BENCH_COMPARE_ENOUGH_RUNS - 1 };

static bool is_in_baseline(const struct bench_compare_sides *sides, const struct bench_run *run)
{
	for (size_t i = 0; i < sides->baseline_count; i++)
		if (strcmp(sides->baseline[i]->id, run->id) == 0)
			return true;
	return false;
}

void bench_compare_choose_history(const struct bench_compare_options *options, struct bench_arena *arena,
				  struct bench_compare_sides *sides)
{
	size_t count = options->history_count;

	sides->of_nights = options->newest > 0 && sides->baseline_count >= BENCH_COMPARE_ENOUGH_RUNS;
	if (count == 0)
		return;
	sides->history = bench_arena_alloc(arena, count, sizeof(*sides->history));
	sides->history_codes = bench_arena_alloc(arena, count, sizeof(*sides->history_codes));
	for (size_t i = 0; i < count; i++) {
		const struct bench_run *run = options->history[i];
		size_t at = sides->history_count, code = 0;

		if (strcmp(sides->candidate->id, run->id) == 0 ||
		    (sides->again && strcmp(sides->again->id, run->id) == 0) ||
		    (sides->of_nights ? is_in_baseline(sides, run)
				      : !*bench_record_fact(run, "executable")) ||
		    !bench_compare_same_environment(run, sides->candidate))
			continue;
		while (code < at && strcmp(bench_record_fact(sides->history[code], "executable"),
					   bench_record_fact(run, "executable")) != 0)
			code++;
		sides->history[at] = run;
		sides->history_codes[at] = sides->of_nights ? 1 : code < at ? sides->history_codes[code] : at;
		sides->history_count++;
	}
}

/* Of Student's distribution, for the level of each use; those of the last metric mostly are the next one's.
 */
static void set_quantiles(struct bench_compare_judging *judge, size_t freedom)
{
	double alpha = judge->comparison->options.alpha / judge->tests;

	if (judge->freedom == freedom)
		return;
	judge->freedom = freedom;
	judge->quantile = bench_stats_student_quantile(1 - 0.5 * alpha, freedom);
	judge->likely_quantile =
		bench_stats_student_quantile(1 - 0.5 * (1 - BENCH_EQUIVALENCE_LEVEL), freedom);
	judge->power_quantile = bench_stats_student_quantile(BENCH_AIMED_POWER, freedom);
}

/* The estimate from `runs` for a new run that is compared with `baseline` (NULL: with `runs`). */
static struct bench_components components_of(const struct bench_compare_invocations *runs,
					     const struct bench_compare_invocations *baseline,
					     const struct bench_compare_invocations *candidate)
{
	struct bench_runs values = {runs->medians, runs->run_sizes, baseline ? runs->codes : NULL,
				    runs->run_count};
	struct bench_meeting meeting = {candidate->count, baseline ? baseline->run_count : 0,
					baseline ? baseline->count : 0,
					bench_stats_median(candidate->medians, candidate->count)};

	return bench_stats_components(&values, &meeting);
}

/* From the baseline's own runs. */
static struct bench_components components_of_baseline(const struct bench_compare_match *match)
{
	if (match->levels.run_count > match->baseline.run_count)
		return components_of(&match->levels, &match->baseline, &match->candidate);
	return components_of(&match->baseline, NULL, &match->candidate);
}

static size_t freedom_of(const struct bench_components *components)
{
	return isnan(components->ahead) ? 0 : components->freedom + components->left_out;
}

/* The baseline's, if it has enough runs; otherwise from earlier runs, if they tell more. */
static struct bench_components best_components(const struct bench_compare_match *match)
{
	struct bench_components own = components_of_baseline(match), earlier;

	if (freedom_of(&own) >= FEWEST_FREEDOM)
		return own;
	earlier = components_of(&match->history, &match->baseline, &match->candidate);
	return freedom_of(&earlier) > freedom_of(&own) ? earlier : own;
}

/* Half a step is more than rounding alone deviates by. */
static double ahead_of(const struct bench_compare_match *match, const struct bench_components *components)
{
	return match->alike && match->baseline.run_count >= BENCH_COMPARE_ENOUGH_RUNS
		       ? components->ahead
		       : fmax(components->ahead, 0.5 * match->step);
}

static struct bench_compare_learned learned_from(struct bench_compare_judging *judge,
						 const struct bench_compare_match *match,
						 const struct bench_components *components)
{
	double ahead = ahead_of(match, components);
	size_t base_runs = match->baseline.run_count;

	set_quantiles(judge, components->freedom);
	return (struct bench_compare_learned){.edge = judge->quantile * ahead,
					      .likely = judge->likely_quantile * ahead,
					      .drift = judge->power_quantile * components->between *
						       sqrt(1 + 1 / (double)base_runs),
					      .ahead = ahead,
					      .center = components->center,
					      .freedom = components->freedom,
					      .runs = components->runs};
}

/* How far the interval of a shift by the invocations alone reaches towards no change. *of_slower (or NULL):
 * how far it would for a slowdown. */
static double reach_of(struct bench_compare_judging *judge, const struct bench_compare_match *match,
		       double level, double *of_slower)
{
	bool slower_is_less = judge->comparison->verdicts[match->verdict].better == BENCH_BETTER_HIGHER;
	struct bench_interval shift =
		bench_stats_shift_kept(&judge->null, match->baseline.sorted, match->baseline.count,
				       match->candidate.medians, match->candidate.count, level);
	double below = shift.estimate - shift.lo, above = shift.hi - shift.estimate;

	if (of_slower)
		*of_slower = slower_is_less ? above : below;
	return shift.estimate > 0 ? below : above;
}

/*
 * An allowance for a deviation that nobody knows; with what little is known of it. The interval of the
 * invocations as a whole must lie beyond it: of two peaks, the estimate jumps by more than any deviation
 * says. For the MDE it is the side of a slowdown that counts, wherever this estimate lies: with a straggler
 * in the baseline it reaches much further.
 */
static struct bench_compare_learned allowance(struct bench_compare_judging *judge,
					      const struct bench_compare_match *match,
					      const struct bench_components *little)
{
	const size_t normal = SIZE_MAX; /* degrees of freedom: it is taken as known */
	bool some = freedom_of(little) >= 2;
	double alpha = judge->comparison->options.alpha / judge->tests;
	const struct bench_verdict *verdict = &judge->comparison->verdicts[match->verdict];
	double spread = judge->comparison->options.assumed_spread, ahead, reach, of_slower;
	struct bench_compare_learned learned = {.center = NAN}, seen;

	if (spread == 0)
		return learned;
	spread *= verdict->by_difference ? verdict->magnitude : 1;
	spread = some ? fmax(spread, little->between) : spread;
	ahead = spread * sqrt(1 + 1 / (double)match->baseline.run_count);
	set_quantiles(judge, normal);
	reach = reach_of(judge, match, 1 - alpha, &of_slower);
	learned.edge = judge->quantile * ahead + reach;
	learned.likely =
		judge->likely_quantile * ahead + reach_of(judge, match, BENCH_EQUIVALENCE_LEVEL, NULL);
	learned.edge_of_slower = fmax(learned.edge, judge->quantile * ahead + of_slower);
	learned.drift = judge->power_quantile * ahead;
	if (!some)
		return learned;
	seen = learned_from(judge, match, little);
	learned.runs = seen.likely < learned.likely ? seen.runs : 0;
	learned.edge = fmin(learned.edge, seen.edge);
	learned.edge_of_slower = fmin(learned.edge_of_slower, seen.edge);
	learned.likely = fmin(learned.likely, seen.likely);
	learned.drift = fmin(learned.drift, seen.drift);
	return learned;
}

struct bench_compare_learned bench_compare_learn(struct bench_compare_judging *judge,
						 const struct bench_compare_match *match)
{
	struct bench_components components = best_components(match);
	struct bench_compare_learned learned = freedom_of(&components) >= FEWEST_FREEDOM
						       ? learned_from(judge, match, &components)
						       : allowance(judge, match, &components);

	/* What did not move at all was not moved back by another run either. */
	if (match->alike && match->apart == 0)
		learned.likely = 0;
	/* Two values on either side of a step's edge are a step apart, and may be the same. */
	learned.edge = fmax(learned.edge, 1.5 * match->rounding);
	learned.likely = fmax(learned.likely, match->rounding);
	return learned;
}

bool bench_compare_predicts(const struct bench_compare_match *match, struct bench_components *components)
{
	const struct bench_compare_invocations *baseline = &match->baseline;

	if (match->candidate.count * baseline->run_count < baseline->count)
		return false;
	*components = best_components(match);
	components->ahead = ahead_of(match, components);
	return freedom_of(components) + match->set_aside >= BENCH_COMPARE_PREDICTING_RUNS - 1 &&
	       components->ahead > 0;
}
