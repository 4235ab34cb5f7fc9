/* Which case and metric of one side is which of the other. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/internal.h"

/* One result in one run. Sorted by key, then the candidate's before the baseline's. */
struct occurrence {
	const struct bench_result *result;
	const struct bench_run *run;
	size_t order; /* 0: the candidate; then the baseline's runs from 1, then those of the history */
	size_t code;  /* of a run of the history: which code it measured */
};

/* All that is known of one case. */
struct group {
	const struct bench_run *candidate_run;
	const struct bench_result *candidate; /* NULL: it has none */
	const struct occurrence *baseline;    /* those that are ok; others do not count */
	size_t baseline_count;
	const struct occurrence *history;
	size_t history_count;
};

struct matcher {
	struct bench_comparison *comparison;
	struct bench_compare_matches *matches;
};

static int compare_occurrences(const void *left, const void *right)
{
	const struct occurrence *a = left, *b = right;
	int by_key = strcmp(a->result->key, b->result->key);

	return by_key ? by_key : (a->order > b->order) - (a->order < b->order);
}

static size_t count_invocations(const struct bench_metric *metric)
{
	size_t count = 0;

	for (size_t i = 0; i < metric->series_count; i++)
		count += metric->series[i].count > 0;
	return count;
}

static bool is_judged(const struct bench_metric *metric)
{
	return metric->better != BENCH_BETTER_NONE && !*metric->derived_from && count_invocations(metric) > 0;
}

/* The metric of that name, if it is one that is judged. */
static const struct bench_metric *judged_metric(const struct bench_result *result, const char *name)
{
	const struct bench_metric *metric = result ? bench_record_metric(result, name) : NULL;

	return metric && is_judged(metric) ? metric : NULL;
}

static bool has_samples(const struct bench_result *result)
{
	for (size_t i = 0; i < result->metric_count; i++)
		if (count_invocations(&result->metrics[i]) > 0)
			return true;
	return false;
}

/* A new verdict on a metric of a case, or, with metric NULL, on the case. */
static struct bench_verdict *add_verdict(struct matcher *in, enum bench_verdict_kind kind,
					 const struct bench_result *result, const struct bench_metric *metric)
{
	struct bench_comparison *comparison = in->comparison;
	struct bench_arena *arena = &comparison->arena;

	if (!metric)
		return bench_compare_add_verdict(comparison, kind, result->key, "", "", BENCH_BETTER_NONE);
	return bench_compare_add_verdict(comparison, kind,
					 bench_arena_format(arena, "%s/%s", result->key, metric->name),
					 metric->name, metric->unit, metric->better);
}

static bool same_meaning(const struct bench_metric *a, const struct bench_metric *b)
{
	return a->better == b->better && strcmp(a->unit, b->unit) == 0;
}

/* Does the metric follow the canary? Times and rates do if the processor itself is the device. */
static bool canary_speaks(const struct group *group, const struct bench_metric *metric)
{
	const struct bench_run *run = group->candidate_run;
	size_t length = strlen(metric->unit);

	if (strcmp(metric->unit, "s") != 0 && (length < 2 || strcmp(metric->unit + length - 2, "/s") != 0))
		return false;
	for (size_t i = 0; i < run->device_count; i++)
		if (strcmp(run->devices[i].backend, group->candidate->backend) == 0 &&
		    strcmp(run->devices[i].info.slug, group->candidate->device) == 0)
			return run->devices[i].info.kind == BENCH_DEVICE_CPU;
	return false;
}

/* Which runs teach about a metric. */
struct teaching {
	int64_t since;                         /* those that started then or later */
	const struct bench_excluded *excluded; /* and under none of these alarms */
	size_t excluded_count;
};

static struct teaching teaching_about(const struct bench_compare_options *options, const char *key,
				      const struct bench_accepted *accepted)
{
	struct teaching teaching = {.since = accepted ? accepted->since : INT64_MIN};
	size_t first = 0, end = options->excluded_count;

	while (first < end) {
		size_t middle = first + (end - first) / 2;

		if (strcmp(options->excluded[middle].key, key) < 0)
			first = middle + 1;
		else
			end = middle;
	}
	teaching.excluded = options->excluded + first;
	while (first + teaching.excluded_count < options->excluded_count &&
	       strcmp(teaching.excluded[teaching.excluded_count].key, key) == 0)
		teaching.excluded_count++;
	return teaching;
}

static bool is_excluded(const struct teaching *teaching, const struct bench_run *run)
{
	for (size_t i = 0; i < teaching->excluded_count; i++)
		if (run->started >= teaching->excluded[i].since && run->started < teaching->excluded[i].until)
			return true;
	return false;
}

/* The metric in a run of the baseline, if it still counts and means the same. */
static const struct bench_metric *counting_metric(const struct occurrence *occurrence,
						  const struct bench_metric *metric,
						  const struct teaching *teaching)
{
	const struct bench_metric *then = judged_metric(occurrence->result, metric->name);

	return then && occurrence->run->started >= teaching->since &&
			       !is_excluded(teaching, occurrence->run) && same_meaning(then, metric)
		       ? then
		       : NULL;
}

/* Explains why no run of the baseline can be compared with: the metric is new, or meant something else. */
static void explain_unmatched(struct matcher *in, const struct group *group,
			      const struct bench_metric *metric, const struct bench_accepted *accepted,
			      const struct teaching *teaching, struct bench_verdict *verdict)
{
	struct bench_arena *arena = &in->comparison->arena;
	const struct bench_metric *other = NULL;
	bool outdated = false, excluded = false;

	verdict->candidate_median = metric->summary.median;
	verdict->candidate_invocations = count_invocations(metric);
	for (size_t i = 0; i < group->baseline_count; i++) {
		const struct bench_metric *then = judged_metric(group->baseline[i].result, metric->name);
		bool counts = group->baseline[i].run->started >= teaching->since;
		bool alarmed = is_excluded(teaching, group->baseline[i].run);

		if (then && counts && !alarmed)
			other = then;
		outdated |= then && !counts;
		excluded |= then && counts && alarmed;
	}
	verdict->kind = other ? BENCH_MISSING : BENCH_NEW;
	if (other)
		verdict->reason = bench_arena_format(
			arena, "it was in %s with %s being better, and is in %s with %s being better now",
			other->unit, bench_record_better_name(other->better), metric->unit,
			bench_record_better_name(metric->better));
	else if (excluded)
		verdict->reason = bench_arena_string(
			arena,
			"an alarm was open when the baseline was measured: only what is older teaches");
	else if (outdated)
		verdict->reason = bench_compare_accepted_reason(arena, accepted);
	else
		verdict->reason = bench_arena_string(arena, "the baseline has no such metric");
}

/* Pools the invocations that mean the same, of the first `most` runs (0: all) that teach. */
static void pool(struct bench_arena *arena, const struct occurrence *occurrences, size_t count, size_t most,
		 const struct bench_metric *metric, const struct teaching *teaching,
		 struct bench_compare_invocations *pooled)
{
	size_t room = 0, runs = 0, end = 0;

	for (; end < count && (most == 0 || runs < most); end++) {
		const struct bench_metric *then = counting_metric(&occurrences[end], metric, teaching);

		room += then ? then->series_count : 0;
		runs += then != NULL;
	}
	bench_compare_reserve_invocations(arena, room, count, pooled);
	for (size_t i = 0; room > 0 && i < end; i++) {
		const struct bench_metric *then = counting_metric(&occurrences[i], metric, teaching);

		if (then)
			bench_compare_add_invocations(occurrences[i].result, then, occurrences[i].code,
						      pooled);
	}
}

/* A metric of the candidate's, with what the baseline and the history have of it. */
static void match_metric(struct matcher *in, const struct group *group, const struct bench_metric *metric)
{
	struct bench_arena *arena = &in->matches->arena;
	struct bench_verdict *verdict = add_verdict(in, BENCH_UNCLEAR, group->candidate, metric);
	const struct bench_accepted *accepted =
		bench_compare_find_accepted(in->comparison, group->candidate_run, verdict->key);
	const struct bench_compare_options *options = &in->comparison->options;
	const struct teaching teaching = teaching_about(options, verdict->key, accepted);
	struct bench_compare_match *match;
	struct bench_compare_invocations baseline;

	pool(arena, group->baseline, group->baseline_count, options->newest, metric, &teaching, &baseline);
	if (baseline.count + baseline.disturbed == 0) {
		explain_unmatched(in, group, metric, accepted, &teaching, verdict);
		return;
	}
	match = bench_arena_push(arena, &in->matches->items, &in->matches->count, sizeof(*match));
	*match = (struct bench_compare_match){.verdict = in->comparison->verdict_count - 1,
					      .baseline = baseline,
					      .canary_speaks = canary_speaks(group, metric)};
	pool(arena, group->history, group->history_count, 0, metric, &teaching, &match->history);
	bench_compare_reserve_invocations(arena, metric->series_count, 1, &match->candidate);
	bench_compare_add_invocations(group->candidate, metric, 0, &match->candidate);
	verdict->base_invocations = match->baseline.count;
	verdict->base_disturbed = match->baseline.disturbed;
	verdict->candidate_invocations = match->candidate.count;
	verdict->candidate_disturbed = match->candidate.disturbed;
}

static bool was_asked(const struct group *group)
{
	for (size_t i = 0; i < group->baseline_count; i++)
		if (bench_compare_is_selected(group->candidate_run, group->baseline[i].run,
					      group->baseline[i].result))
			return true;
	return false;
}

/* Was it accepted that the metric is gone, and has no run of the baseline had it since? */
static bool is_removed(const struct matcher *in, const struct group *group, const struct bench_result *result,
		       const struct bench_metric *metric)
{
	char *key = bench_arena_format(&in->matches->arena, "%s/%s", result->key, metric->name);
	const struct bench_accepted *removal =
		bench_compare_find_removal(in->comparison, group->candidate_run, key);

	for (size_t i = 0; removal && i < group->baseline_count; i++)
		if (group->baseline[i].run->started >= removal->since &&
		    judged_metric(group->baseline[i].result, metric->name))
			return false;
	return removal != NULL;
}

/* Judges a metric of the baseline that the candidate lacks. */
static void miss_metric(struct matcher *in, const struct group *group, const struct bench_result *result,
			const struct bench_metric *metric)
{
	const struct bench_run *run = group->candidate_run;
	struct bench_verdict *verdict;
	const char *reason;

	if (!group->candidate && !was_asked(group)) {
		in->comparison->not_selected++;
		return;
	}
	if (is_removed(in, group, result, metric)) {
		in->comparison->removed++;
		return;
	}
	if (group->candidate && bench_record_metric(group->candidate, metric->name))
		reason = "it is there, but without samples or not as something to judge any more";
	else if (group->candidate)
		reason = "the case was measured, this metric of it was not";
	else if (run->interrupted || run->finished == 0)
		reason = "the run was cut short before it";
	else if (!bench_compare_has_target(run, result->backend, result->device))
		reason = "its device is not there any more";
	else
		reason = "the command asked for it, and the run has no such case";
	verdict = add_verdict(in, BENCH_MISSING, result, metric);
	verdict->base_median = metric->summary.median;
	for (size_t i = 0; i < group->baseline_count; i++) {
		const struct bench_metric *then = judged_metric(group->baseline[i].result, metric->name);

		verdict->base_invocations += then ? count_invocations(then) : 0;
	}
	verdict->reason = bench_arena_string(&in->comparison->arena, reason);
}

/* Is this the first of the baseline's occurrences that has the metric? */
static bool is_first(const struct group *group, size_t at, const char *name)
{
	for (size_t i = 0; i < at; i++)
		if (judged_metric(group->baseline[i].result, name))
			return false;
	return true;
}

/* Judges a case that the candidate has and that is not ok: broken if it was ok before, or went wrong now. */
static void judge_broken(struct matcher *in, const struct group *group)
{
	const struct bench_result *result = group->candidate;
	const char *reason = *result->reason ? result->reason : "no reason was recorded";
	struct bench_verdict *verdict;

	if (result->status != BENCH_STATUS_FAILED && result->status != BENCH_STATUS_INCORRECT &&
	    result->status != BENCH_STATUS_OK && group->baseline_count == 0)
		return;
	verdict = add_verdict(in, BENCH_BROKEN, result, NULL);
	if (result->status == BENCH_STATUS_OK)
		verdict->reason =
			bench_arena_string(&in->comparison->arena, "ok, but without a single sample");
	else
		verdict->reason = bench_arena_format(&in->comparison->arena, "%s%s: %s",
						     group->baseline_count ? "was ok, now " : "",
						     bench_record_status_name(result->status), reason);
}

static void match_group(struct matcher *in, const struct group *group)
{
	const struct bench_result *candidate = group->candidate;

	if (candidate && (candidate->status != BENCH_STATUS_OK || !has_samples(candidate))) {
		judge_broken(in, group);
		return;
	}
	for (size_t i = 0; candidate && i < candidate->metric_count; i++)
		if (is_judged(&candidate->metrics[i]))
			match_metric(in, group, &candidate->metrics[i]);
	for (size_t i = 0; i < group->baseline_count; i++) {
		const struct bench_result *result = group->baseline[i].result;

		for (size_t j = 0; j < result->metric_count; j++) {
			const struct bench_metric *metric = &result->metrics[j];

			if (is_judged(metric) && !judged_metric(candidate, metric->name) &&
			    is_first(group, i, metric->name))
				miss_metric(in, group, result, metric);
		}
	}
}

/* A case of which a run that was cut short says nothing is not there. */
static bool is_there(const struct occurrence *occurrence)
{
	bool cut_short = occurrence->run->interrupted || occurrence->run->finished == 0;
	enum bench_status status = occurrence->result->status;

	if (occurrence->order > 0)
		return status == BENCH_STATUS_OK;
	return !cut_short || (status != BENCH_STATUS_PENDING && status != BENCH_STATUS_SKIPPED);
}

static void add_occurrences(const struct bench_run *run, size_t order, size_t code,
			    struct occurrence *occurrences, size_t *count)
{
	for (size_t i = 0; i < run->result_count; i++) {
		struct occurrence *occurrence = &occurrences[*count];

		*occurrence = (struct occurrence){&run->results[i], run, order, code};
		*count += is_there(occurrence);
	}
}

void bench_compare_match_sides(struct bench_comparison *comparison, const struct bench_compare_sides *sides,
			       struct bench_compare_matches *matches)
{
	struct matcher in = {comparison, matches};
	size_t count = 0, capacity = sides->candidate->result_count;
	struct occurrence *occurrences;

	for (size_t i = 0; i < sides->baseline_count; i++)
		capacity += sides->baseline[i]->result_count;
	for (size_t i = 0; i < sides->history_count; i++)
		capacity += sides->history[i]->result_count;
	occurrences = bench_arena_alloc(&matches->arena, capacity ? capacity : 1, sizeof(*occurrences));
	add_occurrences(sides->candidate, 0, 0, occurrences, &count);
	for (size_t i = 0; i < sides->baseline_count; i++)
		add_occurrences(sides->baseline[i], i + 1, 0, occurrences, &count);
	for (size_t i = 0; i < sides->history_count; i++)
		add_occurrences(sides->history[i], sides->baseline_count + i + 1, sides->history_codes[i],
				occurrences, &count);
	qsort(occurrences, count, sizeof(*occurrences), compare_occurrences);
	for (size_t first = 0, next; first < count; first = next) {
		struct group group = {.candidate_run = sides->candidate};

		for (next = first; next < count; next++)
			if (strcmp(occurrences[next].result->key, occurrences[first].result->key) != 0)
				break;
		if (occurrences[first].order == 0)
			group.candidate = occurrences[first].result;
		first += group.candidate != NULL;
		group.baseline = occurrences + first;
		while (first < next && occurrences[first].order <= sides->baseline_count)
			first++;
		group.baseline_count = (size_t)(occurrences + first - group.baseline);
		group.history = occurrences + first;
		group.history_count = next - first;
		match_group(&in, &group);
	}
}
