/* SPDX-License-Identifier: MIT */
/* Which case and metric of one side is which of the other. */
#include <stdlib.h>
#include <string.h>

#include "compare/internal.h"
#include "core/hash.h"
#include "record/event.h"

/* One result in one run. Sorted by key, then by order. */
struct occurrence {
	const struct bench_result *result;
	const struct bench_run *run;
	size_t order; /* 0: the candidate; 1: its second run; then the baseline's runs, then the history's */
	size_t code;  /* of a run of the history: which code it measured */
};

/* All that is known of one case. */
struct group {
	const struct bench_run *candidate_run;
	const struct bench_result *candidate; /* NULL: it has none */
	const struct bench_result *again;     /* of its second run, if that is ok; NULL: none */
	const struct occurrence *baseline;    /* those that are ok; others do not count */
	size_t baseline_count;
	const struct occurrence *history; /* right behind the baseline's */
	size_t history_count;
	bool of_nights; /* as struct bench_compare_sides has it */
};

struct matcher {
	struct bench_comparison *comparison;
	struct bench_compare_matches *matches;
};

/* A key that occurs, how often, and where its occurrences begin once they are sorted. */
struct occurring {
	const char *key;
	size_t count, first;
};

static int compare_keys(const void *left, const void *right)
{
	const struct occurring *const *a = left, *const *b = right;

	return strcmp((*a)->key, (*b)->key);
}

static size_t hash_of(const char *text)
{
	uint64_t hash = bench_hash_bytes(BENCH_HASH_START, text, strlen(text));

	return (size_t)(hash ^ hash >> 32);
}

/*
 * Sorts by key; occurrences of a key stay in their order. Few keys occur in many runs: each is looked up, and
 * they alone are compared.
 */
static void sort_by_key(struct bench_arena *arena, struct occurrence *occurrences, size_t count)
{
	size_t room = 16, key_count = 0, first = 0;
	struct occurring *keys = bench_arena_alloc(arena, count + 1, sizeof(*keys)), **slots, **sorted;
	struct occurrence *unsorted = bench_arena_alloc(arena, count + 1, sizeof(*unsorted));
	size_t *which = bench_arena_alloc(arena, count + 1, sizeof(*which));

	while (room < 2 * count)
		room *= 2;
	slots = bench_arena_alloc(arena, room, sizeof(*slots));
	for (size_t i = 0; i < count; i++) {
		const char *key = occurrences[i].result->key;
		size_t at = hash_of(key) & (room - 1);

		while (slots[at] && slots[at]->key != key && strcmp(slots[at]->key, key) != 0)
			at = (at + 1) & (room - 1);
		if (!slots[at]) {
			slots[at] = &keys[key_count++];
			slots[at]->key = key;
		}
		slots[at]->count++;
		which[i] = (size_t)(slots[at] - keys);
		unsorted[i] = occurrences[i];
	}
	sorted = bench_arena_alloc(arena, key_count + 1, sizeof(*sorted));
	for (size_t k = 0; k < key_count; k++)
		sorted[k] = &keys[k];
	if (key_count > 1)
		qsort(sorted, key_count, sizeof(*sorted), compare_keys);
	for (size_t k = 0; k < key_count; first += sorted[k++]->count)
		sorted[k]->first = first;
	for (size_t i = 0; i < count; i++)
		occurrences[keys[which[i]].first++] = unsorted[i];
}

static size_t count_invocations(const struct bench_metric *metric)
{
	size_t count = 0;

	for (size_t i = 0; i < metric->series_count; i++)
		count += metric->series[i].count > 0;
	return count;
}

bool bench_compare_is_judged(const struct bench_metric *metric)
{
	return metric->better != BENCH_BETTER_NONE && !*metric->derived_from && count_invocations(metric) > 0;
}

/* The metric of that name, if it is one that is judged. */
static const struct bench_metric *judged_metric(const struct bench_result *result, const char *name)
{
	const struct bench_metric *metric = result ? bench_record_metric(result, name) : NULL;

	return metric && bench_compare_is_judged(metric) ? metric : NULL;
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

static bool ignores(struct matcher *in, const struct bench_result *result, const struct bench_metric *metric)
{
	const struct bench_compare_options *options = &in->comparison->options;
	bool ignored =
		options->rule_count > 0 &&
		bench_compare_is_ignored(options, metric ? bench_arena_format(&in->matches->arena, "%s/%s",
									      result->key, metric->name)
							 : result->key);

	in->comparison->ignored += ignored;
	return ignored;
}

/* What a ratio is relative to belongs to it. */
static bool same_reference(const struct bench_result *a, const struct bench_result *b,
			   const struct bench_metric *metric)
{
	return strcmp(metric->name, bench_record_sample_name(BENCH_SAMPLE_RELATIVE)) != 0 ||
	       strcmp(a->relative_to, b->relative_to) == 0;
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

/* What a metric of the candidate's is compared with. */
struct asked {
	const struct bench_comparison *comparison;
	const struct bench_result *result;
	const struct bench_metric *metric;
	const char *key;
	const struct bench_accepted *accepted; /* NULL: none */
	bool of_spread; /* do runs from before the accepted shift, and of alarms that recovered, count too? */
};

/* The metric in an earlier run, if that counts and it means the same. */
static const struct bench_metric *counting_metric(const struct occurrence *occurrence,
						  const struct asked *asked)
{
	const struct bench_metric *then = judged_metric(occurrence->result, asked->metric->name);
	int64_t started = occurrence->run->started;

	if (!then || !same_meaning(then, asked->metric) ||
	    !same_reference(occurrence->result, asked->result, then) ||
	    bench_compare_is_excluded(&asked->comparison->options, asked->key, started, asked->of_spread))
		return NULL;
	return asked->of_spread || !asked->accepted || started >= asked->accepted->since ? then : NULL;
}

static const char *reference_of(const struct bench_result *result)
{
	return *result->relative_to ? result->relative_to : "the other executable of a duel";
}

/* Explains why no run of the baseline can be compared with: the metric is new, or meant something else. */
static void explain_unmatched(struct matcher *in, const struct group *group,
			      const struct bench_metric *metric, const struct bench_accepted *accepted,
			      struct bench_verdict *verdict)
{
	struct bench_arena *arena = &in->comparison->arena;
	const struct bench_metric *other = NULL;
	const struct bench_result *otherwise = NULL; /* the result that it is of */
	bool outdated = false, excluded = false;

	verdict->candidate_median = metric->summary.median;
	verdict->candidate_invocations = count_invocations(metric);
	for (size_t i = 0; i < group->baseline_count; i++) {
		const struct bench_metric *then = judged_metric(group->baseline[i].result, metric->name);
		int64_t started = group->baseline[i].run->started;

		if (then && accepted && started < accepted->since)
			outdated = true;
		else if (then &&
			 bench_compare_is_excluded(&in->comparison->options, verdict->key, started, false))
			excluded = true;
		else if (then) {
			other = then;
			otherwise = group->baseline[i].result;
		}
	}
	/* Excluded before outdated: `new` passes a gate. */
	verdict->kind = other ? BENCH_MISSING : excluded ? BENCH_UNCLEAR : BENCH_NEW;
	if (other && !same_reference(otherwise, group->candidate, metric))
		verdict->reason =
			bench_arena_format(arena,
					   "it was relative to %s, and is relative to %s now: ratios to "
					   "different references are not compared",
					   reference_of(otherwise), reference_of(group->candidate));
	else if (other)
		verdict->reason = bench_arena_format(
			arena, "it was in %s with %s being better, and is in %s with %s being better now",
			other->unit, bench_record_better_name(other->better), metric->unit,
			bench_record_better_name(metric->better));
	else if (excluded)
		verdict->reason = bench_arena_string(
			arena, "each run of the baseline was measured while an alarm was open for it; a "
			       "baseline from before the alarm, such as a longer rolling:N, could tell");
	else if (outdated)
		verdict->reason = bench_compare_accepted_reason(arena, accepted);
	else
		verdict->reason = bench_arena_string(arena, "the baseline has no such metric");
}

/*
 * Pools the invocations that mean the same, of the first `most` runs (0: all) that count. Runs of one code on
 * two sides of an accepted shift are of two levels, and count as two codes.
 */
static void pool(struct bench_arena *arena, const struct occurrence *occurrences, size_t count, size_t most,
		 const struct asked *asked, struct bench_compare_invocations *pooled)
{
	size_t room = 0, runs = 0, end = 0, levels = asked->comparison->options.accepted_count + 1;

	for (; end < count && (most == 0 || runs < most); end++) {
		const struct bench_metric *then = counting_metric(&occurrences[end], asked);

		room += then ? then->series_count : 0;
		runs += then != NULL;
	}
	bench_compare_reserve_invocations(arena, room, count, pooled);
	for (size_t i = 0; room > 0 && i < end; i++) {
		const struct bench_metric *then = counting_metric(&occurrences[i], asked);
		size_t level = levels == 1 ? 0
					   : bench_compare_count_accepted(asked->comparison, asked->key,
									  occurrences[i].run->started);

		if (then)
			bench_compare_add_invocations(occurrences[i].run, occurrences[i].result, then,
						      occurrences[i].code * levels + level, pooled);
	}
}

/* The candidate's own invocations, and those of its second run. */
static void pool_candidate(struct bench_arena *arena, const struct group *group,
			   const struct bench_metric *metric, struct bench_compare_invocations *pooled)
{
	const struct bench_metric *again = judged_metric(group->again, metric->name);

	if (again &&
	    (!same_meaning(again, metric) || !same_reference(group->again, group->candidate, metric)))
		again = NULL;
	bench_compare_reserve_invocations(arena, metric->series_count + (again ? again->series_count : 0), 2,
					  pooled);
	bench_compare_add_invocations(group->candidate_run, group->candidate, metric, 0, pooled);
	if (again)
		bench_compare_add_invocations(group->candidate_run, group->again, again, 0, pooled);
}

/* A metric of the candidate's, with what the baseline and the history have of it. */
static void match_metric(struct matcher *in, const struct group *group, const struct bench_metric *metric)
{
	struct bench_arena *arena = &in->matches->arena;
	struct bench_verdict *verdict = add_verdict(in, BENCH_UNCLEAR, group->candidate, metric);
	struct asked asked = {.comparison = in->comparison,
			      .result = group->candidate,
			      .metric = metric,
			      .key = verdict->key};
	struct bench_compare_match *match;
	struct bench_compare_invocations baseline;

	asked.accepted = bench_compare_find_accepted(in->comparison, group->candidate_run, verdict->key);
	pool(arena, group->baseline, group->baseline_count, in->comparison->options.newest, &asked,
	     &baseline);
	if (baseline.count + baseline.disturbed == 0) {
		explain_unmatched(in, group, metric, asked.accepted, verdict);
		return;
	}
	match = bench_arena_push(arena, &in->matches->items, &in->matches->count, sizeof(*match));
	*match = (struct bench_compare_match){.verdict = in->comparison->verdict_count - 1,
					      .baseline = baseline,
					      .canary_speaks = canary_speaks(group, metric)};
	asked.of_spread = true;
	if (group->of_nights)
		/* The history's nights stand behind those of the baseline. */
		pool(arena, group->baseline, group->baseline_count + group->history_count, 0, &asked,
		     &match->levels);
	else if (asked.accepted)
		pool(arena, group->baseline, group->baseline_count, 0, &asked, &match->levels);
	if (!group->of_nights)
		pool(arena, group->history, group->history_count, 0, &asked, &match->history);
	pool_candidate(arena, group, metric, &match->candidate);
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
	if (ignores(in, result, metric))
		return;
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
	if (ignores(in, result, NULL))
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
		if (bench_compare_is_judged(&candidate->metrics[i]) &&
		    !ignores(in, candidate, &candidate->metrics[i]))
			match_metric(in, group, &candidate->metrics[i]);
	for (size_t i = 0; i < group->baseline_count; i++) {
		const struct bench_result *result = group->baseline[i].result;

		for (size_t j = 0; j < result->metric_count; j++) {
			const struct bench_metric *metric = &result->metrics[j];

			if (bench_compare_is_judged(metric) && !judged_metric(candidate, metric->name) &&
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
	capacity += sides->again ? sides->again->result_count : 0;
	occurrences = bench_arena_alloc(&matches->arena, capacity ? capacity : 1, sizeof(*occurrences));
	add_occurrences(sides->candidate, 0, 0, occurrences, &count);
	if (sides->again)
		add_occurrences(sides->again, 1, 0, occurrences, &count);
	for (size_t i = 0; i < sides->baseline_count; i++)
		add_occurrences(sides->baseline[i], i + 2, 0, occurrences, &count);
	for (size_t i = 0; i < sides->history_count; i++)
		add_occurrences(sides->history[i], sides->baseline_count + i + 2, sides->history_codes[i],
				occurrences, &count);
	sort_by_key(&matches->arena, occurrences, count);
	for (size_t first = 0, next; first < count; first = next) {
		struct group group = {.candidate_run = sides->candidate, .of_nights = sides->of_nights};

		for (next = first; next < count; next++)
			if (strcmp(occurrences[next].result->key, occurrences[first].result->key) != 0)
				break;
		if (occurrences[first].order == 0)
			group.candidate = occurrences[first].result;
		first += group.candidate != NULL;
		if (first < next && occurrences[first].order == 1)
			group.again = occurrences[first++].result;
		group.baseline = occurrences + first;
		while (first < next && occurrences[first].order <= sides->baseline_count + 1)
			first++;
		group.baseline_count = (size_t)(occurrences + first - group.baseline);
		group.history = occurrences + first;
		group.history_count = next - first;
		match_group(&in, &group);
	}
}
