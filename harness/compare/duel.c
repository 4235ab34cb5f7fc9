/* SPDX-License-Identifier: MIT */
#include "compare/duel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/internal.h"
#include "core/metric.h"
#include "core/text.h"
#include "stats/signed.h"

/*
 * The one-sided level of each of two looks at the same data, the second with more of it. Together they err in
 * 5% of trials if the first look has half of the data (Pocock, "Group sequential methods in the design and
 * analysis of clinical trials", Biometrika 64 (1977)), and in at most 6% for any share.
 */
#define SAME_TAIL_OF_TWO 0.0304

/* A larger MDE means only that there is no useful one. */
#define MOST_DETECTABLE 100

/* A correlation of invocations that a reason speaks of. */
#define MENTIONED 0.3

/* So many units of a time's last digit may be one tick of the clock. */
#define MOST_UNITS 5

/* What is known of a case's time or device time: the logarithms of its invocations. */
struct match {
	size_t verdict;
	double *logs; /* over the level */
	size_t count;
	double written;     /* a tick of the clock, as far as the digits of the two times tell */
	double error;       /* standard error of the base over the level */
	double correlation; /* of each with the one before it; 0 or less: they count as independent */
};

struct judging {
	struct bench_comparison *comparison;
	const struct bench_duel_options *options;
	double alpha;      /* of this look, over all metrics */
	double same_level; /* of the interval that says `same` */
	struct match *matches;
	size_t count;
	double tests;
	struct bench_arena arena;
};

/* A verdict on a whole case. */
static struct bench_verdict *add(struct judging *in, enum bench_verdict_kind kind, const char *key)
{
	return bench_compare_add_verdict(in->comparison, kind, key, "", "", BENCH_BETTER_NONE);
}

static double median_of(const struct bench_result *result, const char *name)
{
	const struct bench_metric *metric = bench_record_metric(result, name);

	return metric ? metric->summary.median : NAN;
}

static const struct bench_anchor_level *level_of(const struct bench_duel_options *options, const char *key)
{
	for (size_t i = 0; i < options->level_count; i++)
		if (strcmp(options->levels[i].key, key) == 0)
			return &options->levels[i];
	return NULL;
}

/* Adds the logarithm of each invocation's median ratio. */
static void take_logs(const struct bench_metric *metric, double shift, struct match *match)
{
	for (size_t i = 0; i < metric->series_count; i++) {
		double median = bench_stats_median(metric->series[i].values, metric->series[i].count);

		if (median > 0 && isfinite(median))
			match->logs[match->count++] = log(median) + shift;
	}
}

/* The same case in the second duel; NULL if it is not there, or not ok. */
static const struct bench_metric *again_of(const struct judging *in, const struct bench_result *result,
					   const char *ratio)
{
	const struct bench_run *again = in->options->again;

	for (size_t i = 0; again && i < again->result_count; i++)
		if (again->results[i].status == BENCH_STATUS_OK &&
		    strcmp(again->results[i].key, result->key) == 0)
			return bench_record_metric(&again->results[i], ratio);
	return NULL;
}

/* Infinity where the times are not known. */
static double written_step(const struct bench_result *result, const struct bench_metric_pair *pair)
{
	const double times[] = {median_of(result, pair->name), median_of(result, pair->base)};

	if (!(times[0] > 0 && times[1] > 0 && isfinite(times[0]) && isfinite(times[1])))
		return INFINITY;
	return log1p(MOST_UNITS * bench_stats_step(times, 2) / fmin(times[0], times[1]));
}

static void add_match(struct judging *in, const struct bench_result *result,
		      const struct bench_metric_pair *pair)
{
	const struct bench_metric *metric = bench_record_metric(result, pair->ratio);
	const struct bench_metric *again = again_of(in, result, pair->ratio);
	struct bench_verdict *verdict =
		bench_compare_add_verdict(in->comparison, BENCH_UNCLEAR,
					  bench_arena_format(&in->arena, "%s/%s", result->key, pair->name),
					  pair->name, "s", BENCH_BETTER_LOWER);
	const struct bench_anchor_level *level = level_of(in->options, verdict->key);
	double shift = level ? level->shift : 0;
	struct match *match;

	verdict->base_median = median_of(result, pair->base) * exp(-shift);
	verdict->candidate_median = median_of(result, pair->name);
	if (!metric) {
		verdict->reason = bench_arena_string(
			&in->comparison->arena,
			"an iteration takes less than the clock can tell, so that there is no ratio");
		return;
	}
	match = bench_arena_push(&in->arena, &in->matches, &in->count, sizeof(*match));
	match->verdict = in->comparison->verdict_count - 1;
	match->written = written_step(result, pair);
	match->error = level ? level->error : 0;
	match->logs =
		bench_arena_alloc(&in->arena, metric->series_count + (again ? again->series_count : 0) + 1,
				  sizeof(*match->logs));
	take_logs(metric, shift, match);
	if (again)
		take_logs(again, shift, match);
	verdict->base_invocations = verdict->candidate_invocations = match->count;
}

static bool ignores(struct judging *in, const char *key, const char *metric)
{
	const struct bench_compare_options *options = &in->comparison->options;
	bool ignored =
		bench_compare_is_ignored(options, key) ||
		bench_compare_is_ignored(options, bench_arena_format(&in->arena, "%s/%s", key, metric));

	in->comparison->ignored += ignored;
	return ignored;
}

/*
 * Is the case's device time judged? Not where most invocations have none of both sides, nor where it is
 * mostly what its launches cost (it is reported as "<= 2 us"): such ratios would stay open.
 */
static bool has_device_time(struct judging *in, const struct bench_result *result,
			    const struct bench_metric_pair *pair)
{
	struct bench_comparison *comparison = in->comparison;
	const struct bench_metric *ratio = bench_record_metric(result, pair->ratio),
				  *time = bench_record_metric(result, bench_metric_pairs[0].ratio);
	const char *why = bench_record_note(result, pair->ratio);

	if (ratio && (!time || 2 * ratio->series_count >= time->series_count)) {
		if (!(fmax(median_of(result, pair->name), median_of(result, pair->base)) <
		      2 * median_of(result, "device_time_within")))
			return true;
		why = "it is mostly what the launches cost";
	}
	if (*why && !comparison->no_device_time++)
		comparison->no_device_time_why = bench_arena_string(&comparison->arena, why);
	return false;
}

static void add_result(struct judging *in, const struct bench_run *run, const struct bench_result *result)
{
	struct bench_arena *arena = &in->comparison->arena;
	bool cut_short = run->interrupted || run->finished == 0;

	for (size_t i = 0; i < BENCH_METRIC_PAIRS && result->status == BENCH_STATUS_OK; i++) {
		const struct bench_metric_pair *pair = &bench_metric_pairs[i];

		if ((i == 0 || has_device_time(in, result, pair)) && !ignores(in, result->key, pair->name))
			add_match(in, result, pair);
	}
	if (result->status == BENCH_STATUS_OK || ignores(in, result->key, bench_metric_pairs[0].name))
		return;
	if (result->status == BENCH_STATUS_SKIPPED && !cut_short) /* the base lacks or failed it */
		add(in, BENCH_NEW, result->key)->reason = bench_arena_string(arena, result->reason);
	else if (result->status == BENCH_STATUS_FAILED || result->status == BENCH_STATUS_INCORRECT)
		add(in, BENCH_BROKEN, result->key)->reason = bench_arena_format(
			arena, "%s: %s", bench_record_status_name(result->status), result->reason);
}

size_t bench_compare_duel_needed(double tests, double alpha)
{
	size_t count = 2;

	while (count < 1000 && bench_stats_signed_test_floor(count) * tests > alpha)
		count++;
	return count;
}

/* Sets the reason of an unclear verdict, in full and in a few words. `hidden`: what alone kept it from
 * `same`; else 0. Infinity: no step is seen, and the times have few digits. */
static void tell_unclear(const struct judging *in, struct bench_verdict *verdict, double hidden)
{
	struct bench_arena *arena = &in->comparison->arena;
	size_t count = verdict->candidate_invocations,
	       enough = bench_compare_duel_needed(in->tests, in->alpha);
	double change = 100 * (verdict->ratio - 1), threshold = 100 * verdict->asked;

	if (count < enough) {
		verdict->needed = enough;
		verdict->why =
			bench_arena_format(arena, "too few invocations (%zu, needed %zu)", count, enough);
		verdict->reason = bench_arena_format(
			arena,
			"%zu pair%s of invocations cannot show p <= %g over %.0f metric%s; %zu could "
			"(--invocations %zu, and a --budget that has room for them)",
			count, bench_text_plural(count), in->alpha, in->tests,
			bench_text_plural((size_t)in->tests), enough, enough);
		return;
	}
	if (hidden > 0) {
		verdict->why = bench_arena_string(arena, "the clock is too coarse");
		verdict->reason =
			isinf(hidden)
				? bench_arena_format(arena,
						     "all ratios are equal, and the times are not known: "
						     "their digits may hide a change of %.3g%%",
						     threshold)
				: bench_arena_format(
					  arena,
					  "ratios come in steps of %.2g%%, which may hide a change of %.3g%%",
					  100 * expm1(hidden), threshold);
		return;
	}
	verdict->needed = 2 * count;
	if (fabs(log(verdict->ratio)) >= log1p(verdict->asked) && verdict->p_adjusted > in->alpha) {
		verdict->why = bench_arena_string(arena, "the change is not certain yet");
		verdict->reason = bench_arena_format(
			arena,
			"%+.1f%%, but p = %.2g over %.0f metric%s is not <= %g; more invocations would "
			"decide it",
			change, verdict->p_adjusted, in->tests, bench_text_plural((size_t)in->tests),
			in->alpha);
		return;
	}
	verdict->why =
		bench_arena_format(arena, "the interval reaches past the threshold of %.3g%%", threshold);
	verdict->reason = bench_arena_format(
		arena,
		"the interval %+.1f%%..%+.1f%% reaches past the threshold of %.3g%%; more invocations would "
		"narrow it",
		100 * (verdict->lo - 1), 100 * (verdict->hi - 1), threshold);
}

/* The interval of the shift, with what is not known of the base's own place. */
static struct bench_interval shift_of(const struct match *match, double level)
{
	struct bench_interval shift =
		bench_stats_signed_series(match->logs, match->count, level, match->correlation);
	double reach = bench_stats_normal_quantile(0.5 + 0.5 * level) * match->error;

	shift.lo = shift.estimate - hypot(shift.estimate - shift.lo, reach);
	shift.hi = shift.estimate + hypot(shift.hi - shift.estimate, reach);
	return shift;
}

/*
 * The p-value of the signed-rank test. If the base's own place is not known exactly, or neighbors resemble
 * each other: the larger of it and the p-value of Student's t of the estimate with all of its errors.
 */
static double test(const struct match *match)
{
	double p = bench_stats_signed_test(match->logs, match->count), deviation;
	size_t freedom = bench_stats_series_freedom(match->count, match->correlation);
	struct bench_interval shift;

	if (!(match->error > 0 || match->correlation > 0))
		return p;
	shift = shift_of(match, BENCH_EQUIVALENCE_LEVEL);
	deviation = 0.5 * (shift.hi - shift.lo) /
		    bench_stats_student_quantile(0.5 + 0.5 * BENCH_EQUIVALENCE_LEVEL, freedom);
	return fmax(p, bench_stats_student_test(shift.estimate / deviation, freedom));
}

static void decide(const struct judging *in, const struct match *match, double p_adjusted)
{
	const struct bench_compare_options *options = &in->comparison->options;
	struct bench_verdict *verdict = &in->comparison->verdicts[match->verdict];
	double edge = bench_compare_edge(options, verdict), worst_alpha = in->alpha / in->tests;
	struct bench_interval shift = shift_of(match, in->same_level);
	double seen = bench_stats_signed_hidden(match->logs, match->count);
	double step = isinf(seen) ? match->written : seen; /* all are equal: the code may repeat exactly */
	bool is_within = shift.level >= in->same_level - 1e-9 && shift.lo > -edge && shift.hi < edge;
	double mde = bench_stats_signed_detectable(match->logs, match->count, worst_alpha, BENCH_AIMED_POWER,
						   edge, match->correlation) +
		     bench_stats_normal_quantile(BENCH_AIMED_POWER) * match->error;

	verdict->p_adjusted = p_adjusted;
	bench_compare_set_interval(verdict, &shift);
	if (mde < log(MOST_DETECTABLE))
		verdict->mde = expm1(mde);
	if (p_adjusted <= in->alpha && fabs(shift.estimate) >= edge && shift.estimate != 0) {
		verdict->kind = shift.estimate > 0 ? BENCH_SLOWER : BENCH_FASTER;
		shift = shift_of(match, 1 - worst_alpha);
		bench_compare_set_interval(verdict, &shift);
	} else if (is_within && shift.lo - step > -edge && shift.hi + step < edge) {
		verdict->kind = BENCH_SAME;
		if (bench_compare_below_floor(options, verdict))
			verdict->reason =
				bench_compare_floor_reason(&in->comparison->arena, options, verdict);
	} else {
		tell_unclear(in, verdict, is_within ? seen : 0);
		if (match->correlation >= MENTIONED)
			verdict->reason = bench_arena_format(
				&in->comparison->arena,
				"%s; invocations resemble the ones before them (correlation %.1f) and say "
				"less for it",
				verdict->reason, match->correlation);
	}
}

/* How much the invocations resemble the ones before; the cases of a duel were measured side by side. */
static void correlate(struct judging *in)
{
	double *correlations = bench_arena_alloc(&in->arena, in->count + 1, sizeof(*correlations));
	size_t *counts = bench_arena_alloc(&in->arena, in->count + 1, sizeof(*counts));

	for (size_t i = 0; i < in->count; i++) {
		counts[i] = in->matches[i].count;
		correlations[i] = bench_stats_correlation(in->matches[i].logs, counts[i]);
	}
	bench_stats_share_correlations(correlations, counts, in->count);
	for (size_t i = 0; i < in->count; i++)
		in->matches[i].correlation = correlations[i];
}

static void judge(struct judging *in)
{
	double *p = bench_arena_alloc(&in->arena, in->count + 1, sizeof(*p));

	correlate(in);
	for (size_t i = 0; i < in->count; i++) {
		p[i] = test(&in->matches[i]);
		in->comparison->verdicts[in->matches[i].verdict].p = p[i];
	}
	in->tests = fmax(1, in->comparison->options.each_alone ? 1 : (double)in->count);
	if (!in->comparison->options.each_alone)
		bench_stats_holm(p, in->count, p);
	for (size_t i = 0; i < in->count; i++)
		decide(in, &in->matches[i], p[i]);
}

static void describe(struct bench_comparison *comparison, const struct bench_run *run,
		     const struct bench_duel_options *options)
{
	struct bench_arena *arena = &comparison->arena;

	comparison->options = (struct bench_compare_options){.threshold = options->threshold,
							     .alpha = options->alpha,
							     .each_alone = options->each_alone,
							     .rules = options->rules,
							     .rule_count = options->rule_count,
							     .floor = options->floor,
							     .mean_of = options->mean_of,
							     .mean_count = options->mean_count};
	comparison->baseline_name = bench_arena_string(arena, options->base_name);
	comparison->candidate_id = bench_arena_string(arena, run->id);
	comparison->unchecked = bench_record_count_unchecked(run);
}

int bench_compare_duel(const struct bench_run *run, const struct bench_duel_options *options,
		       struct bench_comparison **comparison, struct bench_error *error)
{
	struct judging in = {.comparison = calloc(1, sizeof(*in.comparison)),
			     .options = options,
			     .alpha = options->two_looks ? options->alpha / 2 : options->alpha,
			     .same_level =
				     options->two_looks ? 1 - 2 * SAME_TAIL_OF_TWO : BENCH_EQUIVALENCE_LEVEL};
	size_t judged;

	if (!in.comparison)
		return bench_fail(error, BENCH_NO_MEMORY, "no memory for a comparison");
	describe(in.comparison, run, options);
	in.comparison->removed = options->removed;
	if (bench_compare_check_options(&in.comparison->options, error) != 0) {
		bench_compare_free(in.comparison);
		return -1;
	}
	for (size_t i = 0; i < run->result_count; i++)
		add_result(&in, run, &run->results[i]);
	for (size_t i = 0; i < options->missing_count; i++)
		if (!ignores(&in, options->missing[i], bench_metric_pairs[0].name))
			add(&in, BENCH_MISSING, options->missing[i])->reason =
				bench_arena_string(&in.comparison->arena, options->missing_cause[i]);
	judge(&in);
	bench_compare_sort(in.comparison);
	judged = in.comparison->verdict_count - in.comparison->counts[BENCH_NEW];
	bench_arena_free(&in.arena);
	bool all_unknown = options->unknown > 0 && in.comparison->counts[BENCH_NEW] == options->unknown;
	if (judged == 0 && !all_unknown) {
		bench_fail(error, BENCH_NOTHING,
			   "nothing to compare: no case was measured on both sides%s%.300s",
			   in.comparison->verdict_count ? "; the first: " : "",
			   in.comparison->verdict_count ? in.comparison->verdicts[0].reason : "");
		bench_compare_free(in.comparison);
		return -1;
	}
	if (options->mean_of)
		bench_compare_duel_means(in.comparison, run, options);
	*comparison = in.comparison;
	return 0;
}
