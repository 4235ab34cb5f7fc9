/* SPDX-License-Identifier: MIT */
#include "app/power.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/clock.h"
#include "core/memory.h"
#include "core/text.h"
#include "kit/rng.h"
#include "measure/session/budget.h"

/* The fewest runs that say anything. */
static double least_runs(const struct bench_app_power *power)
{
	return (double)(BENCH_APP_POWER_LEAST_TRIALS * power->level_count) +
	       (double)power->request->baseline_runs;
}

/* They must fit before the first is measured. */
static int check_budget(const struct bench_app_power *power, const char *preset, struct bench_error *error)
{
	double least = least_runs(power);
	if (!(power->run_seconds > 0))
		return bench_fail(error, BENCH_USAGE,
				  "preset %s has no budget for a run: --run-budget says how long one is",
				  preset);
	if (power->request->budget > 0 && least * power->run_seconds > power->request->budget)
		return bench_fail(
			error, BENCH_USAGE,
			"--budget %.4gs fits %.0f runs of %.4g s, but %.0f are needed (%llu for the "
			"baseline, %d of unchanged code, %d at each of %zu slowdowns): use --budget %.0fs, "
			"or --run-budget %.2gs",
			power->request->budget, floor(power->request->budget / power->run_seconds),
			power->run_seconds, least, (unsigned long long)power->request->baseline_runs,
			BENCH_APP_POWER_LEAST_TRIALS, BENCH_APP_POWER_LEAST_TRIALS, power->level_count - 1,
			ceil(least * power->run_seconds), floor(100 * power->request->budget / least) / 100);
	return 0;
}

int bench_app_power_plan(struct bench_app_power *power, const struct bench_app_power_request *request,
			 const struct bench_app_host *host, struct bench_error *error)
{
	BENCH_SCOPED_MEASURE measure = {0};

	*power = (struct bench_app_power){.request = request, .host = host, .start = bench_clock_seconds()};
	if (bench_app_measure_plan(&measure, &request->measure, host, NULL, error) != 0)
		return -1;
	power->start = measure.started;
	power->level_count = request->slowdown_count + 1;
	power->run_seconds = request->run_seconds > 0 ? request->run_seconds : measure.preset_budget;
	power->case_count = measure.plan->case_count;
	power->invocations = measure.run->invocations;
	power->seed = measure.run->seed;
	return check_budget(power, measure.preset->name, error);
}

/* One run as the gate would make it, slowed. */
static int measure_one(struct bench_app_power *power, size_t level, struct bench_error *error)
{
	const struct bench_app_power_request *request = power->request;
	struct bench_app_request slowed = request->measure;
	BENCH_SCOPED_MEASURE measure = {0};
	char value[32];

	snprintf(value, sizeof(value), "%.17g%%", level ? 100 * request->slowdowns[level - 1] : 0);
	slowed.overrides.slowdown = level ? value : NULL;
	if (bench_app_measure_plan(&measure, &slowed, power->host, NULL, error) != 0)
		return -1;
	struct bench_run *run = measure.run;
	bench_record_attribute_set(&run->arena, &run->labels, &run->label_count, "aside", "power");
	run->budget_seconds = power->run_seconds;
	measure.bounded = false;
	measure.quiet = true;
	if (bench_app_measure_open(&measure, error) != 0 || bench_app_measure_run(&measure, error) != 0)
		return -1;
	enum bench_outcome outcome = bench_app_measure_keep(&measure);
	power->outcome = power->outcome ? power->outcome : outcome;
	power->over = outcome == BENCH_OUTCOME_INTERRUPTED || outcome == BENCH_OUTCOME_NOTHING;
	if (power->over)
		return 0;
	power->owned[power->count] = run;
	power->runs[power->count++] = (struct bench_power_run){run, level};
	measure.run = NULL;
	bench_record_folder_close(&measure.folder);
	return 0;
}

/* Likewise once the first shows how long a run takes here, whatever its budget. */
static int check_first(const struct bench_app_power *power, struct bench_error *error)
{
	const double budget = power->request->budget, least = least_runs(power);
	const double took = bench_clock_seconds() - power->start;
	if (!(budget > 0) || power->count != 1 || least * took <= BENCH_BUDGET_REACH * budget)
		return 0;
	return bench_fail(error, BENCH_USAGE,
			  "--budget %.4gs is too short: a run takes %.2g s here, and %.0f are needed; use "
			  "--budget %.0fs, or fewer cases (--filter)",
			  budget, took, least, ceil(BENCH_BUDGET_REACH * least * took));
}

static void show_progress(const struct bench_app_power *power, size_t level)
{
	const struct bench_app_power_request *request = power->request;
	size_t total = (size_t)(request->trials * power->level_count + request->baseline_runs);
	double elapsed = bench_clock_seconds() - power->start, each = elapsed / (double)power->count;
	struct bench_app_power_progress now = {.done = power->count,
					       .slowdown = level ? request->slowdowns[level - 1] : 0,
					       .left = each * ((double)total - (double)power->count)};
	if (request->budget > 0)
		now.left = fmax(0, fmin(now.left, request->budget - elapsed));
	else
		now.total = total;
	request->progress(power->host->context, &now);
}

/*
 * A block has one run at each slowdown and one of unchanged code, each block in a different order: whatever
 * the machine does over the time, it does it to all alike. The first two have those that the baselines take
 * beside.
 */
static size_t make_block(const struct bench_app_power *power, size_t block, struct bench_rng *rng,
			 size_t *levels)
{
	size_t count = 0, all = (size_t)power->request->baseline_runs;
	size_t more = block == 0 ? (all + 1) / 2 : block == 1 ? all / 2 : 0;
	for (size_t i = 0; i < power->level_count; i++)
		levels[count++] = i;
	while (more-- > 0)
		levels[count++] = 0;
	bench_rng_shuffle(rng, levels, count);
	return count;
}

/* Would another block be over by the end of the budget, if its runs take as long as those before? */
static bool has_time(const struct bench_app_power *power)
{
	double elapsed = bench_clock_seconds() - power->start;
	double block = elapsed / (double)power->count * (double)power->level_count;
	return !(power->request->budget > 0) || elapsed + block <= power->request->budget;
}

int bench_app_power_measure(struct bench_app_power *power, struct bench_error *error)
{
	size_t most = (size_t)(power->request->trials * power->level_count + power->request->baseline_runs);
	BENCH_SCOPED_MEMORY size_t *levels = bench_memory_alloc(
		power->level_count + (size_t)power->request->baseline_runs, sizeof(*levels));
	struct bench_rng rng;
	int result = 0;

	power->runs = bench_memory_alloc(most, sizeof(*power->runs));
	power->owned = bench_memory_alloc(most, sizeof(struct bench_run *));
	bench_rng_start(&rng, power->seed, 2);
	double seconds = (double)most * power->run_seconds;
	bool ends = power->request->budget > 0 && power->request->budget < seconds;
	bench_app_note(power->host,
		       "%zu case%s, %u invocation%s and %.4g s a run, %s%zu run%s, about %.0f s in all",
		       power->case_count, bench_text_plural(power->case_count), power->invocations,
		       bench_text_plural(power->invocations), power->run_seconds, ends ? "at most " : "",
		       most, bench_text_plural(most), ends ? power->request->budget : seconds);
	size_t block = 0;
	for (; result == 0 && block < power->request->trials && !power->over; block++) {
		if (block >= BENCH_APP_POWER_LEAST_TRIALS && !has_time(power))
			break;
		size_t count = make_block(power, block, &rng, levels);
		for (size_t i = 0; result == 0 && i < count && !power->over; i++) {
			result = measure_one(power, levels[i], error);
			if (result == 0 && !power->over)
				show_progress(power, levels[i]);
			if (result == 0 && !power->over)
				result = check_first(power, error);
		}
	}
	if (result == 0 && !power->over && power->request->budget > 0)
		bench_app_note(power->host, "the budget held %zu run%s at each slowdown", block,
			       bench_text_plural(block));
	return result;
}

int bench_app_power_compare(const struct bench_app_power *power, struct bench_power **result,
			    struct bench_error *error)
{
	const struct bench_app_power_request *request = power->request;
	struct bench_power *counted =
		bench_compare_power_new(request->slowdowns, request->slowdown_count, &request->comparing);
	counted->invocations = power->invocations;
	counted->run_seconds = power->run_seconds;
	if (bench_compare_power_runs(counted, power->runs, power->count, (size_t)request->baseline_runs,
				     power->seed, error) != 0) {
		bench_compare_power_free(counted);
		return -1;
	}
	*result = counted;
	return 0;
}

void bench_app_power_free(struct bench_app_power *power)
{
	for (size_t i = 0; i < power->count; i++)
		bench_record_free(power->owned[i]);
	free(power->owned);
	free(power->runs);
}
