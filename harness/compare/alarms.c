/* SPDX-License-Identifier: MIT */
#include "compare/alarms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/internal.h"
#include "core/text.h"

/* The verdict on a metric, to be changed, or NULL. */
static struct bench_verdict *find_verdict(struct bench_comparison *comparison, const char *key)
{
	const struct bench_verdict *found = bench_compare_find(comparison, key);

	return found ? &comparison->verdicts[found - comparison->verdicts] : NULL;
}

/* How far a value is from the level before an alarm. */
static double distance(bool by_ratio, double level, double value)
{
	return by_ratio ? log(value / level) : value - level;
}

/* How far an alarm's change is from the level before it, on the scale of distance(). */
static double change_of(const struct bench_alarm_metric *metric, bool by_ratio)
{
	return by_ratio ? log(metric->ratio) : 0.5 * (metric->lo + metric->hi);
}

/* The share of the change that the night before still had; 0 where there was no change. */
static double last_share(const struct bench_alarm_metric *metric)
{
	bool by_ratio = isfinite(metric->ratio) && isfinite(metric->last_ratio) && metric->last_ratio > 0;
	double last = by_ratio ? log(metric->last_ratio) : 0.5 * (metric->last_lo + metric->last_hi);
	double share = last / change_of(metric, by_ratio);

	return isfinite(share) ? share : 0;
}

static bool is_last(const struct bench_changes *changes, size_t index)
{
	return index + 1 == changes->count ||
	       strcmp(changes->items[index + 1].key, changes->items[index].key) != 0;
}

/* The shift that brought the level that a metric has now; NULL: none is shown. */
static const struct bench_change *last_change(const struct bench_changes *changes, const char *key)
{
	for (size_t i = 0; changes && i < changes->count; i++)
		if (is_last(changes, i) && strcmp(changes->items[i].key, key) == 0)
			return &changes->items[i];
	return NULL;
}

/*
 * The level before an alarm over the anchor's: open alarms of the metric that began earlier lie below it. A
 * gate beside an anchor judges each of them against the anchor, whose own time differs from night to night.
 */
static double level_over_anchor(const struct bench_alarm *alarms, size_t count,
				const struct bench_alarm *alarm, const char *key)
{
	double ratio = 1;

	for (size_t i = 0; i < count; i++) {
		const struct bench_alarm_metric *metric = bench_record_alarm_metric(&alarms[i], key);

		if (metric && alarms[i].since < alarm->since && isfinite(metric->ratio) &&
		    (metric->state == BENCH_ALARM_OPEN || metric->closed > alarm->since))
			ratio *= metric->ratio;
	}
	return ratio;
}

/* What tonight's baseline is over the level before the alarm, which need not be the same. */
static double baseline_over_level(const struct bench_alarm *alarms, size_t count,
				  const struct bench_alarm *alarm, const struct bench_alarm_metric *metric,
				  const struct bench_verdict *verdict, bool of_history)
{
	if (!of_history)
		return 1 / level_over_anchor(alarms, count, alarm, metric->key);
	return isfinite(verdict->ratio) && metric->level > 0 && verdict->base_median > 0
		       ? verdict->base_median / metric->level
		       : 1;
}

/* The standard error of the logarithm of a ratio, by its interval. */
static double error_of(double lo, double hi, double level)
{
	return 0.5 * log(hi / lo) / bench_stats_normal_quantile(0.5 + 0.5 * level);
}

/*
 * Do this night and the one before it, together, show less than the threshold (`edge`)? Beside an anchor they
 * are measured by different pairs. Those of one night may be too few for `same`, and those of two enough.
 */
static bool are_same_together(const struct bench_alarm_metric *metric, const struct bench_verdict *verdict,
			      double edge)
{
	double mean = 0.5 * log(metric->last_ratio * verdict->ratio);
	double error = 0.5 * hypot(error_of(metric->last_lo, metric->last_hi, metric->last_ci_level),
				   error_of(verdict->lo, verdict->hi, verdict->level));

	return verdict->kind == BENCH_UNCLEAR &&
	       fabs(mean) + bench_stats_normal_quantile(0.5 + 0.5 * BENCH_EQUIVALENCE_LEVEL) * error < edge;
}

/* Does an undecided verdict at least show that tonight is not slower by the threshold (`edge`)? */
static bool is_not_slower(const struct bench_verdict *verdict, double edge)
{
	double worst = verdict->better == BENCH_BETTER_LOWER ? verdict->hi : verdict->lo;
	double shift = verdict->by_difference ? worst : log(worst);

	return verdict->kind == BENCH_UNCLEAR && verdict->level >= BENCH_EQUIVALENCE_LEVEL - 1e-9 &&
	       (verdict->better == BENCH_BETTER_LOWER ? shift < edge : shift > -edge);
}

/*
 * Is the level before the alarm back tonight? Beside an anchor it is if tonight, alone or with the night
 * before, is `same` or `faster`, or not slower. Against a history it also has to be nearer to that level than
 * to the level that gave the alarm: a slower metric is `same` against a rolling baseline that has drifted
 * with it. For a second step, whose level lies above the baseline's, the nearness alone decides. No verdict
 * is needed if the nights together show a shift back to within the threshold (`edge`) since the alarm began
 * (`shown` is the newest shift): single values may never be `same`. One night may be chance: the night before
 * must be nearer to that level as well, and both together must leave at most a quarter of the change. `over`
 * is the baseline over the level.
 */
static bool is_back(const struct bench_alarm_metric *metric, int64_t since,
		    const struct bench_verdict *verdict, bool of_history, double over,
		    const struct bench_change *shown, double edge, const char *tonight)
{
	bool by_ratio =
		isfinite(metric->ratio) && (!of_history || (metric->level > 0 && verdict->base_median > 0));
	bool is_well =
		verdict->kind == BENCH_SAME || verdict->kind == BENCH_FASTER || is_not_slower(verdict, edge);
	bool is_again = strcmp(metric->last_run, tonight) == 0;
	double change = change_of(metric, by_ratio);
	double moved = by_ratio ? log(over) : verdict->base_median - metric->level;
	double share = (of_history ? distance(by_ratio, metric->level, verdict->candidate_median)
				   : log(over * verdict->ratio)) /
		       change;
	double last = last_share(metric);

	if (!of_history && (is_well || over == 1))
		return is_well || (!is_again && are_same_together(metric, verdict, edge));
	if (is_again)
		return false;
	if (!isfinite(change) || change == 0 || !isfinite(moved))
		return is_well && last < 0.5;
	is_well |= !of_history || moved / change < -0.25;
	is_well |= shown && shown->started > since &&
		   distance(by_ratio, metric->level, shown->after) / change < fmin(0.5, edge / fabs(change));
	return is_well && fmax(share, last) < 0.5 && 0.5 * (share + last) < 0.25;
}

static void note_night(struct bench_alarm_metric *metric, const struct bench_alarm_night *night,
		       const struct bench_verdict *verdict, double over, bool back, struct bench_arena *arena)
{
	metric->nights += !back && strcmp(metric->last_run, night->run) != 0;
	metric->last_run = bench_arena_string(arena, night->run);
	metric->last_ratio = over * verdict->ratio;
	metric->last_lo = over * verdict->lo;
	metric->last_hi = over * verdict->hi;
	metric->last_ci_level = verdict->level;
	if (!back)
		return;
	metric->state = BENCH_ALARM_RECOVERED;
	metric->closed_run = metric->last_run;
	metric->closed = night->started;
}

static void follow(const struct bench_alarm *alarms, size_t count, struct bench_alarm *alarm,
		   const struct bench_alarm_night *night, struct bench_comparison *comparison,
		   struct bench_arena *arena)
{
	bool of_history = comparison->baseline_count > 0;

	for (size_t i = 0; i < alarm->metric_count; i++) {
		struct bench_alarm_metric *metric = &alarm->metrics[i];
		const struct bench_verdict *verdict = bench_compare_find(comparison, metric->key);
		double over;

		if (metric->state != BENCH_ALARM_OPEN || !verdict || verdict->kind == BENCH_MISSING)
			continue;
		over = baseline_over_level(alarms, count, alarm, metric, verdict, of_history);
		note_night(metric, night, verdict, over,
			   is_back(metric, alarm->since, verdict, of_history, over,
				   last_change(night->changes, metric->key),
				   bench_compare_edge(&comparison->options, verdict), night->run),
			   arena);
	}
}

/*
 * Does a slower metric need another alarm? Makes the verdict what that would be about: tonight over the level
 * that the open alarms already have, with the errors of both. Against a history, looking back finds the
 * second steps.
 */
static bool is_new_step(const struct bench_alarm *alarms, size_t count,
			const struct bench_comparison *comparison, struct bench_verdict *verdict)
{
	double below = 1, error = error_of(verdict->lo, verdict->hi, verdict->level), reach;

	for (size_t i = 0; i < count; i++) {
		const struct bench_alarm_metric *metric = bench_record_alarm_metric(&alarms[i], verdict->key);

		if (!metric || metric->state != BENCH_ALARM_OPEN)
			continue;
		if (comparison->baseline_count > 0)
			return false;
		below *= metric->ratio;
		error = hypot(error, error_of(metric->lo, metric->hi, metric->ci_level));
	}
	if (below == 1)
		return true;
	reach = bench_stats_normal_quantile(0.5 + 0.5 * verdict->level) * error;
	verdict->base_median *= below;
	verdict->ratio /= below;
	verdict->lo = verdict->ratio * exp(-reach);
	verdict->hi = verdict->ratio * exp(reach);
	return verdict->lo > 1 && log(verdict->ratio) >= bench_compare_edge(&comparison->options, verdict);
}

/*
 * Is it the alarm that a metric belongs to that is slower tonight? If it began with this run, which is judged
 * again; or with an earlier run of the same commit, is open, and had the metric in doubt so far.
 */
static bool takes(const struct bench_alarm *alarm, const struct bench_alarm_night *night, const char *key)
{
	if (strcmp(alarm->first_bad, night->run) == 0)
		return true;
	return *night->commit && strcmp(alarm->bad_commit, night->commit) == 0 &&
	       bench_record_alarm_is_open(alarm) && !bench_record_alarm_metric(alarm, key);
}

static struct bench_alarm *alarm_for(struct bench_alarm **alarms, size_t *count,
				     const struct bench_alarm_night *night, const char *key,
				     struct bench_arena *arena)
{
	struct bench_alarm *alarm;

	for (size_t i = *count; i-- > 0;)
		if (takes(&(*alarms)[i], night, key))
			return &(*alarms)[i];
	alarm = bench_arena_push(arena, alarms, count, sizeof(*alarm));
	*alarm = (struct bench_alarm){
		.fingerprint = bench_arena_string(arena, night->fingerprint),
		.track = bench_arena_string(arena, night->track),
		.first_bad = bench_arena_string(arena, night->run),
		.last_good = bench_arena_string(arena, night->last_run),
		.bad_commit = bench_arena_string(arena, night->commit),
		.good_commit = bench_arena_string(arena, night->last_commit),
		.culprit = bench_arena_string(arena, ""),
		.since = night->started,
	};
	return alarm;
}

static void add_metric(struct bench_alarm *alarm, const struct bench_alarm_night *night,
		       const struct bench_verdict *verdict, struct bench_arena *arena)
{
	struct bench_alarm_metric *metric = bench_record_alarm_metric(alarm, verdict->key);

	if (!metric)
		metric = bench_arena_push(arena, &alarm->metrics, &alarm->metric_count, sizeof(*metric));
	*metric = (struct bench_alarm_metric){
		.key = bench_arena_string(arena, verdict->key),
		.unit = bench_arena_string(arena, verdict->unit),
		.state = BENCH_ALARM_OPEN,
		.level = verdict->base_median,
		.ratio = verdict->ratio,
		.lo = verdict->lo,
		.hi = verdict->hi,
		.ci_level = verdict->level,
		.last_ratio = verdict->ratio,
		.last_lo = verdict->lo,
		.last_hi = verdict->hi,
		.last_ci_level = verdict->level,
		.last_run = bench_arena_string(arena, night->run),
		.nights = 1,
		.closed_run = bench_arena_string(arena, ""),
		.why = bench_arena_string(arena, ""),
	};
	if (alarm->metric_count > 1)
		qsort(alarm->metrics, alarm->metric_count, sizeof(*alarm->metrics), bench_text_order);
}

/* The night that it began with: tonight, or an earlier one that was as slow. */
static struct bench_alarm_night first_night(const struct bench_alarm_night *night,
					    const struct bench_verdict *verdict)
{
	struct bench_alarm_night since = *night;

	if (!verdict->first)
		return since;
	since.run = verdict->first->run;
	since.commit = verdict->first->commit;
	since.started = verdict->first->started;
	since.last_run = verdict->first->last_run;
	since.last_commit = verdict->first->last_commit;
	return since;
}

void bench_compare_alarms_update(struct bench_alarm **alarms, size_t *count,
				 const struct bench_alarm_night *night, struct bench_comparison *comparison,
				 struct bench_arena *arena)
{
	for (size_t i = 0; i < *count; i++)
		follow(*alarms, *count, &(*alarms)[i], night, comparison, arena);
	for (size_t i = 0; i < comparison->verdict_count; i++) {
		struct bench_verdict step = comparison->verdicts[i];

		if (step.kind == BENCH_SLOWER && !step.expected &&
		    is_new_step(*alarms, *count, comparison, &step)) {
			struct bench_alarm_night since = first_night(night, &step);

			add_metric(alarm_for(alarms, count, &since, step.key, arena), night, &step, arena);
		}
	}
	bench_compare_alarms_tell(*alarms, *count, night->run, night->started, comparison);
}

static bool is_worse(const struct bench_change *change)
{
	return (change->better == BENCH_BETTER_LOWER && change->ratio.estimate > 1) ||
	       (change->better == BENCH_BETTER_HIGHER && change->ratio.estimate < 1);
}

/* Does a shift begin above the level that an open alarm is about? It is a second step then. */
static bool is_above(const struct bench_alarm *alarm, const struct bench_alarm_metric *metric,
		     const struct bench_change *change)
{
	bool by_ratio = isfinite(metric->ratio) && metric->level > 0 && change->before > 0;

	return change->started > alarm->since &&
	       distance(by_ratio, metric->level, change->before) / change_of(metric, by_ratio) >= 0.5;
}

/* Is tonight's value back at the level before a shift? */
static bool is_over(const struct bench_change *change, const struct bench_verdict *verdict)
{
	bool by_ratio = change->before > 0 && change->after > 0 && verdict->candidate_median > 0;

	return distance(by_ratio, change->before, verdict->candidate_median) /
		       distance(by_ratio, change->before, change->after) <
	       0.5;
}

/* Has it its alarm, or was it accepted? One that recovered answers nothing: what it was about is back. */
static bool is_answered(const struct bench_alarm *alarms, size_t count, const struct bench_change *change,
			const struct bench_comparison *comparison)
{
	const struct bench_compare_options *options = &comparison->options;

	for (size_t i = 0; i < count; i++) {
		const struct bench_alarm_metric *metric = bench_record_alarm_metric(&alarms[i], change->key);

		if (metric && metric->state == BENCH_ALARM_OPEN && !is_above(&alarms[i], metric, change))
			return true;
		if (metric && metric->state == BENCH_ALARM_ACCEPTED && metric->closed >= change->started)
			return true;
	}
	for (size_t i = 0; i < options->accepted_count; i++)
		if (options->accepted[i].since >= change->started &&
		    bench_text_match(options->accepted[i].pattern, change->key))
			return true;
	return false;
}

static void open_past(struct bench_alarm **alarms, size_t *count, const struct bench_alarm_night *night,
		      const struct bench_change *change, const struct bench_verdict *verdict,
		      struct bench_arena *arena)
{
	struct bench_alarm_night first = *night;
	struct bench_verdict shift = *verdict;
	struct bench_alarm *alarm;

	first.run = change->first_run;
	first.commit = change->first_commit;
	first.started = change->started;
	first.last_run = change->last_run;
	first.last_commit = change->last_commit;
	shift.base_median = change->before;
	shift.ratio = change->ratio.estimate;
	shift.lo = change->ratio.lo;
	shift.hi = change->ratio.hi;
	shift.level = change->ratio.level;
	alarm = alarm_for(alarms, count, &first, change->key, arena);
	add_metric(alarm, &first, &shift, arena);
	/* Tonight is the first night that is judged under it. */
	bench_record_alarm_metric(alarm, change->key)->nights = 0;
}

void bench_compare_alarms_look_back(struct bench_alarm **alarms, size_t *count,
				    const struct bench_alarm_night *night,
				    const struct bench_comparison *comparison, struct bench_arena *arena)
{
	const struct bench_changes *changes = night->changes;

	for (size_t i = 0; changes && i < changes->count; i++) {
		const struct bench_change *change = &changes->items[i];
		const struct bench_verdict *verdict = bench_compare_find(comparison, change->key);

		if (is_last(changes, i) && is_worse(change) && change->cause != BENCH_CHANGE_MACHINE &&
		    !change->recurs && verdict && verdict->kind != BENCH_MISSING &&
		    !is_over(change, verdict) && !is_answered(*alarms, *count, change, comparison))
			open_past(alarms, count, night, change, verdict, arena);
	}
}

/* Is the metric under this alarm in that run, or was it until that run? */
static bool covers(const struct bench_alarm *alarm, const struct bench_alarm_metric *metric, const char *run,
		   int64_t started)
{
	if (metric->state == BENCH_ALARM_ACCEPTED)
		return false;
	return strcmp(metric->last_run, run) == 0 ||
	       (alarm->since <= started && (metric->state == BENCH_ALARM_OPEN || started < metric->closed));
}

/* How the metric of the alarm's number does in that run: as it was judged under the alarm, or is now. */
static void tell_now(const struct bench_alarm *alarms, size_t count, const struct bench_alarm *alarm,
		     struct bench_verdict_alarm *told, const struct bench_alarm_metric *largest,
		     const char *run, const struct bench_comparison *comparison)
{
	const struct bench_verdict *verdict = bench_compare_find(comparison, largest->key);
	double over = verdict ? baseline_over_level(alarms, count, alarm, largest, verdict,
						    comparison->baseline_count > 0)
			      : NAN;
	bool noted = strcmp(largest->last_run, run) == 0;

	told->largest.now_ratio = noted ? largest->last_ratio : verdict ? over * verdict->ratio : NAN;
	told->largest.now_lo = noted ? largest->last_lo : verdict ? over * verdict->lo : NAN;
	told->largest.now_hi = noted ? largest->last_hi : verdict ? over * verdict->hi : NAN;
	told->largest.now_ci_level = noted ? largest->last_ci_level : verdict ? verdict->level : NAN;
}

static struct bench_verdict_alarm *told(const struct bench_alarm *alarms, size_t count,
					const struct bench_alarm *alarm,
					const struct bench_alarm_metric *metric, const char *run,
					struct bench_comparison *comparison)
{
	struct bench_arena *arena = &comparison->arena;
	struct bench_verdict_alarm *told = bench_arena_alloc(arena, 1, sizeof(*told));
	const struct bench_alarm_metric *largest = bench_record_alarm_largest(alarm);
	bool recovered = metric->state == BENCH_ALARM_RECOVERED && strcmp(metric->closed_run, run) == 0;
	bool first_night = metric->nights == 1 && !recovered && strcmp(metric->last_run, run) == 0;

	*told = (struct bench_verdict_alarm){
		.id = alarm->id,
		.is_new = first_night || strcmp(alarm->first_bad, run) == 0,
		.recovered = recovered,
		.since = alarm->since,
		.nights = metric->nights,
		.ratio = metric->ratio,
		.lo = metric->lo,
		.hi = metric->hi,
		.ci_level = metric->ci_level,
		.unit = bench_arena_string(arena, metric->unit),
		.largest = {.key = bench_arena_string(arena, largest->key),
			    .unit = bench_arena_string(arena, largest->unit),
			    .ratio = largest->ratio,
			    .lo = largest->lo,
			    .hi = largest->hi,
			    .ci_level = largest->ci_level},
		.good_commit = bench_arena_string(arena, alarm->good_commit),
		.bad_commit = bench_arena_string(arena, alarm->bad_commit),
		.culprit = bench_arena_string(arena, alarm->culprit),
		.cause = bench_arena_string(arena, alarm->cause),
	};
	tell_now(alarms, count, alarm, told, largest, run, comparison);
	return told;
}

/* Puts the alarms that recovered with that run, or the others, in front of each verdict's list. */
static void tell_some(const struct bench_alarm *alarms, size_t count, const char *run, int64_t started,
		      bool recovered, struct bench_comparison *comparison)
{
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < alarms[i].metric_count; j++) {
			const struct bench_alarm_metric *metric = &alarms[i].metrics[j];
			struct bench_verdict *verdict = find_verdict(comparison, metric->key);
			struct bench_verdict_alarm *alarm;

			if (!verdict || !covers(&alarms[i], metric, run, started))
				continue;
			alarm = told(alarms, count, &alarms[i], metric, run, comparison);
			if (alarm->recovered != recovered)
				continue;
			alarm->older = verdict->alarm;
			verdict->alarm = alarm;
		}
	}
}

void bench_compare_alarms_tell(const struct bench_alarm *alarms, size_t count, const char *run,
			       int64_t started, struct bench_comparison *comparison)
{
	struct bench_verdict *verdicts = comparison->verdicts;
	size_t verdict_count = comparison->verdict_count;

	for (size_t i = 0; i < verdict_count; i++)
		verdicts[i].alarm = NULL;
	tell_some(alarms, count, run, started, true, comparison);
	tell_some(alarms, count, run, started, false, comparison);
	/* What is under an open alarm needs no second night. */
	for (size_t i = 0; i < verdict_count; i++)
		if (verdicts[i].kind == BENCH_SUSPECTED && verdicts[i].alarm &&
		    !verdicts[i].alarm->recovered) {
			verdicts[i].kind = BENCH_SLOWER;
			verdicts[i].reason = verdicts[i].decided ? verdicts[i].decided : verdicts[i].reason;
			verdicts[i].decided = NULL;
		}
	bench_compare_sort(comparison);
}

size_t bench_compare_alarms_accept(struct bench_alarm *alarm, const struct bench_accepted *shift,
				   const char *run, struct bench_arena *arena)
{
	size_t accepted = 0;

	for (size_t i = 0; i < alarm->metric_count; i++) {
		struct bench_alarm_metric *metric = &alarm->metrics[i];

		if (metric->state != BENCH_ALARM_OPEN || !bench_text_match(shift->pattern, metric->key))
			continue;
		metric->state = BENCH_ALARM_ACCEPTED;
		metric->closed_run = bench_arena_string(arena, run);
		metric->closed = shift->since;
		metric->why = bench_arena_string(arena, shift->why);
		accepted++;
	}
	return accepted;
}

static int compare_excluded(const void *left, const void *right)
{
	const struct bench_excluded *a = left, *b = right;
	int by_key = strcmp(a->key, b->key);

	return by_key ? by_key : (a->since > b->since) - (a->since < b->since);
}

static bool has_recovered(const struct bench_alarm_metric *metric, int64_t now)
{
	return metric->state == BENCH_ALARM_RECOVERED && metric->closed < now;
}

/* Has another alarm of the metric recovered as well, at another time? A further step under an open alarm is
 * of the same time. */
static bool recovers_again(const struct bench_alarm *alarms, size_t count, const struct bench_alarm *but,
			   const struct bench_alarm_metric *of, int64_t now)
{
	for (size_t i = 0; i < count; i++) {
		const struct bench_alarm_metric *metric = bench_record_alarm_metric(&alarms[i], of->key);

		if (metric && has_recovered(metric, now) &&
		    (alarms[i].since >= of->closed || metric->closed <= but->since))
			return true;
	}
	return false;
}

size_t bench_compare_alarms_excluded(const struct bench_alarm *alarms, size_t count, int64_t now,
				     struct bench_arena *arena, struct bench_excluded **excluded)
{
	size_t found = 0;

	*excluded = NULL;
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < alarms[i].metric_count; j++) {
			const struct bench_alarm_metric *metric = &alarms[i].metrics[j];
			bool open = metric->state == BENCH_ALARM_OPEN;

			if (open || metric->closed > alarms[i].since)
				BENCH_PUSH(arena, *excluded, found) = (struct bench_excluded){
					.key = bench_arena_string(arena, metric->key),
					.since = alarms[i].since,
					.until = open ? INT64_MAX : metric->closed,
					.teaches_spread =
						has_recovered(metric, now) &&
						recovers_again(alarms, count, &alarms[i], metric, now)};
		}
	}
	if (found > 1)
		qsort(*excluded, found, sizeof(**excluded), compare_excluded);
	return found;
}
