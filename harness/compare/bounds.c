/* SPDX-License-Identifier: MIT */
#include "compare/bounds.h"

#include <stdlib.h>
#include <string.h>

#include "compare/internal.h"
#include "core/text.h"

const char *bench_compare_bound_name(enum bench_bound_state state)
{
	static const char *const names[] = {"out", "undecided", "kept"};
	return names[state];
}

const char *bench_compare_expectation_name(enum bench_expectation_state state)
{
	static const char *const names[] = {"holds", "expired", "passed"};
	return names[state];
}

static const struct bench_bound *bound_of(const struct bench_metric_rule *rule, bool least)
{
	return least ? rule->least : rule->most;
}

/* Does the bound concern metrics such as this one? A ratio is about a case, and is looked for at its time. */
static bool concerns(const struct bench_bound *bound, const struct bench_metric *metric)
{
	return bound->versus ? strcmp(metric->name, "time") == 0 : strcmp(metric->unit, bound->unit) == 0;
}

/* The last rule that bounds the metric on that side; NULL: none does. */
static const struct bench_bound *find_bound(const struct bench_compare_options *options, const char *key,
					    const struct bench_metric *metric, bool least)
{
	for (size_t i = options->rule_count; i > 0; i--) {
		const struct bench_metric_rule *rule = &options->rules[i - 1];
		const struct bench_bound *bound = bound_of(rule, least);
		if (bound && concerns(bound, metric) && bench_text_match(rule->pattern, key))
			return bound;
	}
	return NULL;
}

static bool is_on(const struct bench_result *result, const char *target)
{
	const char *colon = strchr(target, ':');
	const size_t length = colon ? (size_t)(colon - target) : strlen(target);
	return strncmp(result->backend, target, length) == 0 && !result->backend[length] &&
	       (!colon || strcmp(result->device, colon + 1) == 0);
}

/* Do both differ in one parameter alone, of which the other one has that value? */
static bool is_contestant(const struct bench_result *result, const struct bench_result *other,
			  const char *value)
{
	size_t differ = 0;
	bool named = false;
	if (result->param_count != other->param_count || strcmp(result->backend, other->backend) != 0 ||
	    strcmp(result->device, other->device) != 0)
		return false;
	for (size_t i = 0; i < result->param_count; i++) {
		if (strcmp(result->params[i].value, other->params[i].value) == 0)
			continue;
		differ++;
		named |= strcmp(other->params[i].value, value) == 0;
	}
	return differ == 1 && named;
}

/* The case that a ratio is against; NULL: the run has none. */
static const struct bench_result *find_other(const struct bench_run *run, const struct bench_result *result,
					     const char *versus)
{
	const char *point = bench_record_point(result);
	for (size_t i = 0; i < run->result_count; i++) {
		const struct bench_result *other = &run->results[i];
		if (other != result && strcmp(other->suite, result->suite) == 0 &&
		    ((is_on(other, versus) && strcmp(bench_record_point(other), point) == 0) ||
		     is_contestant(result, other, versus)))
			return other;
	}
	return NULL;
}

/* Is the case the reference itself? */
static bool is_reference(const struct bench_result *result, const char *versus)
{
	bool is = is_on(result, versus);
	for (size_t i = 0; i < result->param_count; i++)
		is |= strcmp(result->params[i].value, versus) == 0;
	return is;
}

/* `quiet`: some invocation was. A disturbance makes nothing faster, so that it accuses nobody. */
static void decide(struct bench_arena *arena, const struct bench_summary *summary, bool quiet,
		   struct bench_bound_verdict *held)
{
	const double limit = held->bound->limit;
	const bool beyond = held->is_least ? summary->ci_hi < limit : summary->ci_lo > limit;
	const bool within = held->is_least ? summary->ci_lo >= limit : summary->ci_hi <= limit;
	held->value = summary->median;
	held->lo = summary->ci_lo;
	held->hi = summary->ci_hi;
	held->level = summary->ci_level;
	if (summary->over_samples)
		held->reason = "one invocation gives no interval between runs; 6 or more decide";
	else if (!(summary->ci_level >= BENCH_LEVEL_95))
		held->reason = bench_arena_format(
			arena, "the interval has a confidence of %.0f%%; 6 or more quiet invocations decide",
			100 * summary->ci_level);
	else if (beyond && !quiet)
		held->reason = "other programs disturbed all invocations";
	else if (beyond || within)
		held->state = beyond ? BENCH_BOUND_OUT : BENCH_BOUND_KEPT;
	else
		held->reason = "the interval has the bound inside it; more invocations narrow it";
}

static struct bench_bound_verdict *add_verdict(struct bench_comparison *comparison, const char *key,
					       const struct bench_bound *bound, bool least)
{
	struct bench_arena *arena = &comparison->arena;
	struct bench_bound_verdict *held =
		bench_arena_push(arena, &comparison->bounds, &comparison->bound_count, sizeof(*held));
	*held = (struct bench_bound_verdict){
		.key = bench_arena_string(arena, key),
		.is_least = least,
		.bound = bound,
		.state = BENCH_BOUND_UNDECIDED,
		.value = NAN,
		.lo = NAN,
		.hi = NAN,
		.level = NAN,
		.unit = bound->versus ? "ratio" : bound->unit,
		.owner = bench_arena_string(arena, bench_compare_owner(&comparison->options, key)),
		.reason = ""};
	return held;
}

static void hold_bound(struct bench_comparison *comparison, const struct bench_run *run,
		       const struct bench_result *result, const struct bench_metric *metric, const char *key,
		       bool least)
{
	struct bench_arena *arena = &comparison->arena;
	const struct bench_bound *bound = find_bound(&comparison->options, key, metric, least);
	struct bench_versus versus = {0};
	if (!bound || (bound->versus && is_reference(result, bound->versus)))
		return;
	struct bench_bound_verdict *held = add_verdict(comparison, key, bound, least);
	const struct bench_result *other = bound->versus ? find_other(run, result, bound->versus) : NULL;
	if (!bound->versus)
		decide(arena, &metric->summary, metric->summary.disturbed < metric->series_count, held);
	else if (other && bench_record_versus(result, other, &versus))
		decide(arena, &versus.ratio, true, held); /* of both alike */
	else
		held->reason =
			bench_arena_format(arena, "%s has no time of this case in the run", bound->versus);
}

/* Does the pattern name a suite that the run has measured? */
static bool is_of_run(struct bench_arena *arena, const struct bench_run *run, const char *pattern)
{
	const char *suite = bench_arena_format(arena, "%.*s", (int)strcspn(pattern, "/"), pattern);
	bool is = false;
	for (size_t i = 0; i < run->result_count; i++)
		is |= bench_text_match(suite, run->results[i].suite);
	return is;
}

/* A bound that no metric is held to, as of a wrong name or unit, would never be missed. */
static void note_idle(struct bench_comparison *comparison, const struct bench_run *run,
		      const struct bench_metric_rule *rule, bool least)
{
	struct bench_arena *arena = &comparison->arena;
	const struct bench_bound *bound = bound_of(rule, least);
	const char *unit = bound && !bound->versus ? bound->unit : "";
	char key[BENCH_KEY_MAX];
	bool matches = false;
	if (!bound || !is_of_run(arena, run, rule->pattern))
		return;
	for (size_t i = 0; i < run->result_count; i++)
		for (size_t j = 0; j < run->results[i].metric_count; j++) {
			const struct bench_metric *metric = &run->results[i].metrics[j];
			if (!bench_record_metric_key(key, sizeof(key), &run->results[i], metric) ||
			    !bench_text_match(rule->pattern, key))
				continue;
			if (concerns(bound, metric))
				return;
			matches = true;
		}
	add_verdict(comparison, rule->pattern, bound, least)->reason =
		!matches ? "no metric of this run matches this"
		: *unit  ? bench_arena_format(arena, "no metric that this matches has the unit %s", unit)
			 : "no metric that this matches is a time";
}

static int worst_first(const void *left, const void *right)
{
	const struct bench_bound_verdict *a = left, *b = right;
	const int by_state = (int)a->state - (int)b->state, by_key = strcmp(a->key, b->key);
	return by_state ? by_state : by_key ? by_key : (int)a->is_least - (int)b->is_least;
}

static void hold_bounds(struct bench_comparison *comparison, const struct bench_run *run)
{
	char key[BENCH_KEY_MAX];
	for (size_t i = 0; i < run->result_count; i++)
		for (size_t j = 0; j < run->results[i].metric_count; j++) {
			const struct bench_result *result = &run->results[i];
			const struct bench_metric *metric = &result->metrics[j];
			if (!bench_record_metric_key(key, sizeof(key), result, metric) ||
			    bench_compare_is_ignored(&comparison->options, key))
				continue;
			hold_bound(comparison, run, result, metric, key, false);
			hold_bound(comparison, run, result, metric, key, true);
		}
	for (size_t i = 0; i < comparison->options.rule_count; i++) {
		note_idle(comparison, run, &comparison->options.rules[i], false);
		note_idle(comparison, run, &comparison->options.rules[i], true);
	}
	if (comparison->bound_count > 1)
		qsort(comparison->bounds, comparison->bound_count, sizeof(*comparison->bounds), worst_first);
}

/* The last rule that expects a failure of the metric, or of the whole case; NULL: none does. */
static const struct bench_metric_rule *find_expecting(const struct bench_compare_options *options,
						      const char *key)
{
	for (size_t i = options->rule_count; i > 0; i--)
		if (options->rules[i - 1].expected && bench_text_match(options->rules[i - 1].pattern, key))
			return &options->rules[i - 1];
	return NULL;
}

static struct bench_expectation *note_expectation(struct bench_comparison *comparison,
						  const struct bench_metric_rule *rule)
{
	for (size_t i = 0; i < comparison->expectation_count; i++)
		if (comparison->expectations[i].expected == rule->expected)
			return &comparison->expectations[i];
	struct bench_expectation *noted = bench_arena_push(&comparison->arena, &comparison->expectations,
							   &comparison->expectation_count, sizeof(*noted));
	*noted = (struct bench_expectation){
		.pattern = rule->pattern, .expected = rule->expected, .state = BENCH_EXPECTATION_PASSED};
	return noted;
}

/* What the expectation of a metric is, if it fails and the day is not over. */
static const struct bench_expected *expect(struct bench_comparison *comparison, const char *key, bool fails,
					   bool passes, int64_t now)
{
	const struct bench_metric_rule *rule = find_expecting(&comparison->options, key);
	if (!rule)
		return NULL;
	struct bench_expectation *noted = note_expectation(comparison, rule);
	noted->open += !fails && !passes;
	if (!fails)
		return NULL;
	const bool over = now >= rule->expected->end;
	noted->failing++;
	noted->key = noted->key ? noted->key : key;
	noted->state = over ? BENCH_EXPECTATION_EXPIRED : BENCH_EXPECTATION_HOLDS;
	return over ? NULL : rule->expected;
}

/* While something is undecided, nobody knows whether all passes. */
static void drop_open_expectations(struct bench_comparison *comparison)
{
	size_t kept = 0;
	for (size_t i = 0; i < comparison->expectation_count; i++)
		if (comparison->expectations[i].failing > 0 || comparison->expectations[i].open == 0)
			comparison->expectations[kept++] = comparison->expectations[i];
	comparison->expectation_count = kept;
}

void bench_compare_hold(struct bench_comparison *comparison, const struct bench_run *run)
{
	comparison->bounds = NULL;
	comparison->bound_count = 0;
	comparison->expectations = NULL;
	comparison->expectation_count = 0;
	memset(comparison->expected, 0, sizeof(comparison->expected));
	if (comparison->options.rule_count == 0)
		return;
	hold_bounds(comparison, run);
	for (size_t i = 0; i < comparison->verdict_count; i++) {
		struct bench_verdict *verdict = &comparison->verdicts[i];
		const bool passes = verdict->kind == BENCH_SAME || verdict->kind == BENCH_FASTER;
		verdict->expected = NULL;
		verdict->expected =
			expect(comparison, verdict->key,
			       verdict->kind == BENCH_SUSPECTED || bench_compare_fails(verdict, 0), passes,
			       run->started);
		comparison->expected[verdict->kind] += verdict->expected != NULL;
	}
	for (size_t i = 0; i < comparison->bound_count; i++) {
		struct bench_bound_verdict *held = &comparison->bounds[i];
		held->expected = expect(comparison, held->key, held->state == BENCH_BOUND_OUT,
					held->state == BENCH_BOUND_KEPT, run->started);
	}
	drop_open_expectations(comparison);
}

size_t bench_compare_out_of_bounds(const struct bench_comparison *comparison, enum bench_bound_state state)
{
	size_t count = 0;
	for (size_t i = 0; i < comparison->bound_count; i++)
		count += comparison->bounds[i].state == state && !comparison->bounds[i].expected;
	return count;
}
