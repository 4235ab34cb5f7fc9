/* SPDX-License-Identifier: MIT */
#include "compare/power.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kit/rng.h"
#include "stats/stats.h"

struct bench_power *bench_compare_power_new(const double *slowdowns, size_t count,
					    const struct bench_compare_options *options)
{
	struct bench_arena arena = {0};
	struct bench_power *power = bench_arena_alloc(&arena, 1, sizeof(*power));
	power->arena = arena;
	power->options = *options;
	power->level_count = count + 1;
	power->levels = bench_arena_alloc(&power->arena, count + 1, sizeof(*power->levels));
	for (size_t i = 0; i < count; i++)
		power->levels[i + 1].slowdown = slowdowns[i];
	return power;
}

void bench_compare_power_free(struct bench_power *power)
{
	if (!power)
		return;
	struct bench_arena arena = power->arena; /* which holds *power as well */
	bench_arena_free(&arena);
}

/* The case of a verdict's metric: its key without the last part. */
static struct bench_power_case *case_of(struct bench_power *power, const struct bench_verdict *verdict)
{
	size_t length = strlen(verdict->key) - strlen(verdict->metric) - 1;
	for (size_t i = 0; i < power->case_count; i++)
		if (strncmp(power->cases[i].key, verdict->key, length) == 0 && !power->cases[i].key[length])
			return &power->cases[i];
	struct bench_power_case *one =
		bench_arena_push(&power->arena, &power->cases, &power->case_count, sizeof(*one));
	one->key = bench_arena_format(&power->arena, "%.*s", (int)length, verdict->key);
	one->trials = bench_arena_alloc(&power->arena, power->level_count, sizeof(*one->trials));
	one->found = bench_arena_alloc(&power->arena, power->level_count, sizeof(*one->found));
	return one;
}

static bool is_judged(const struct bench_verdict *verdict)
{
	return verdict->kind == BENCH_SAME || verdict->kind == BENCH_FASTER ||
	       verdict->kind == BENCH_SLOWER || verdict->kind == BENCH_UNCLEAR;
}

static bool carries(const struct bench_verdict *verdict)
{
	return is_judged(verdict) &&
	       (strcmp(verdict->metric, "time") == 0 || strcmp(verdict->metric, "latency") == 0);
}

/* Would it still be slower with its p corrected for all metrics, as if it were the only slower one? */
static bool is_found(const struct bench_power *power, const struct bench_verdict *verdict, size_t tests)
{
	return verdict->kind == BENCH_SLOWER && verdict->p * (double)tests <= power->options.alpha;
}

static void add_case(struct bench_power *power, size_t level, const struct bench_comparison *comparison,
		     struct bench_power_case *one, size_t tests)
{
	size_t length = strlen(one->key);
	bool found = false;
	for (size_t i = 0; i < comparison->verdict_count; i++) {
		const struct bench_verdict *verdict = &comparison->verdicts[i];
		if (!carries(verdict) || strncmp(verdict->key, one->key, length) != 0 ||
		    strcmp(verdict->key + length + 1, verdict->metric) != 0)
			continue;
		found |= is_found(power, verdict, tests);
		if (level == 0 && strcmp(verdict->metric, "time") == 0 && isfinite(verdict->mde)) {
			double *mde =
				bench_arena_push(&power->arena, &one->mdes, &one->mde_count, sizeof(*mde));
			*mde = verdict->mde;
		}
	}
	one->trials[level]++;
	one->found[level] += found ? 1 : 0;
	power->levels[level].cases++;
	power->levels[level].found += found ? 1 : 0;
}

void bench_compare_power_add(struct bench_power *power, size_t level,
			     const struct bench_comparison *comparison)
{
	struct bench_power_level *counts = &power->levels[level];
	size_t tests = 0;
	counts->comparisons++;
	counts->alarms += comparison->counts[BENCH_SLOWER] > 0;
	counts->slower += comparison->counts[BENCH_SLOWER];
	counts->unclear += comparison->counts[BENCH_UNCLEAR];
	counts->missing += comparison->counts[BENCH_MISSING] + comparison->counts[BENCH_BROKEN];
	for (size_t i = 0; i < comparison->verdict_count; i++) {
		const struct bench_verdict *verdict = &comparison->verdicts[i];
		size_t invocations = verdict->candidate_invocations + verdict->candidate_disturbed;
		tests += isnan(verdict->p) ? 0 : 1;
		if (!is_judged(verdict))
			continue;
		counts->metrics++;
		if (!power->least_invocations || invocations < power->least_invocations)
			power->least_invocations = invocations;
	}
	/* A case that has both time and latency is met twice here, but counts once. */
	bool *done = bench_arena_alloc(&power->arena, power->case_count + comparison->verdict_count,
				       sizeof(*done));
	for (size_t i = 0; i < comparison->verdict_count; i++) {
		if (!carries(&comparison->verdicts[i]))
			continue;
		struct bench_power_case *one = case_of(power, &comparison->verdicts[i]);
		if (!done[one - power->cases])
			add_case(power, level, comparison, one, tests);
		done[one - power->cases] = true;
	}
}

/* Compares a run with `base_count` of the unchanged ones, in an order that is drawn for it. */
static int compare_one(struct bench_power *power, const struct bench_power_run *one,
		       const struct bench_run *const *unchanged, size_t unchanged_count, size_t base_count,
		       struct bench_rng *rng, struct bench_error *error)
{
	struct bench_comparison *comparison;
	size_t *order = calloc(unchanged_count + 1, sizeof(*order));
	const struct bench_run **base = calloc(base_count + 1, sizeof(const struct bench_run *));
	int result = -1;
	size_t taken = 0;
	if (!order || !base) {
		bench_fail(error, BENCH_NO_MEMORY, "no memory for the baseline");
		goto out;
	}
	for (size_t i = 0; i < unchanged_count; i++)
		order[i] = i;
	bench_rng_shuffle(rng, order, unchanged_count);
	for (size_t i = 0; taken < base_count; i++)
		if (unchanged[order[i]] != one->run)
			base[taken++] = unchanged[order[i]];
	result = bench_compare_runs(base, base_count, "unchanged runs", one->run, &power->options,
				    &comparison, error);
	if (result == 0) {
		bench_compare_power_add(power, one->level, comparison);
		bench_compare_free(comparison);
	}
out:
	free(order);
	free(base);
	return result;
}

int bench_compare_power_runs(struct bench_power *power, const struct bench_power_run *runs, size_t count,
			     size_t baseline_runs, uint64_t seed, struct bench_error *error)
{
	struct bench_rng rng;
	const struct bench_run **unchanged = calloc(count + 1, sizeof(const struct bench_run *));
	size_t unchanged_count = 0;
	int result = 0;
	if (!unchanged)
		return bench_fail(error, BENCH_NO_MEMORY, "no memory for the baseline");
	for (size_t i = 0; i < count; i++)
		if (runs[i].level == 0)
			unchanged[unchanged_count++] = runs[i].run;
	bench_rng_start(&rng, seed, 0);
	if (unchanged_count > 1)
		power->baseline_runs = baseline_runs < unchanged_count ? baseline_runs : unchanged_count - 1;
	for (size_t i = 0; i < count && result == 0 && power->baseline_runs; i++)
		result = compare_one(power, &runs[i], unchanged, unchanged_count, power->baseline_runs, &rng,
				     error);
	free(unchanged);
	return result;
}

double bench_compare_power_smallest(const struct bench_power *power, const struct bench_power_case *one,
				    double share)
{
	double smallest = NAN;
	for (size_t i = power->level_count; i-- > 1;) {
		if (!one->trials[i] || (double)one->found[i] < share * (double)one->trials[i])
			break;
		smallest = power->levels[i].slowdown;
	}
	return smallest;
}

double bench_compare_power_mde(const struct bench_power_case *one)
{
	return bench_stats_median(one->mdes, one->mde_count);
}
