/* SPDX-License-Identifier: MIT */
/*
 * The invocations of a metric: which are judged, and how the machine was meanwhile.
 *
 * A disturbed invocation is left out. That is valid because the disturbance flags come from what the watch
 * saw beside the work (other processes, the hypervisor, the canary), and never from the times that are
 * judged: leaving out slow times would make any two samples alike.
 */
#include <math.h>
#include <string.h>

#include "compare/internal.h"

void bench_compare_reserve_invocations(struct bench_arena *arena, size_t count, size_t runs,
				       struct bench_compare_invocations *invocations)
{
	double *room = bench_arena_alloc(arena, 2 * count, sizeof(*room));
	size_t *by_run = bench_arena_alloc(arena, 2 * runs, sizeof(*by_run));
	const struct bench_run **which = bench_arena_alloc(arena, runs, sizeof(struct bench_run *));

	*invocations = (struct bench_compare_invocations){.medians = room,
							  .canaries = room + count,
							  .run_sizes = by_run,
							  .runs = which,
							  .codes = by_run + runs,
							  .disturbance = {.device = ""}};
}

/* They are in the order of invocations; if none is missing, each stands at its number. */
static const struct bench_watched *find_watched(const struct bench_result *result, int invocation)
{
	size_t guess = invocation < 0 ? 0 : (size_t)invocation;

	if (guess < result->watched_count && result->watched[guess].invocation == invocation)
		return &result->watched[guess];
	for (size_t i = 0; i < result->watched_count; i++)
		if (result->watched[i].invocation == invocation)
			return &result->watched[i];
	return NULL;
}

/* fmax passes over NaN, which is what could not be read. */
static void note_disturbance(const struct bench_watched *watched,
			     struct bench_compare_disturbance *disturbance)
{
	disturbance->others = fmax(disturbance->others, watched->others);
	disturbance->steal = fmax(disturbance->steal, watched->steal);
	disturbance->canary = fmax(disturbance->canary, watched->canary_worst);
	if (watched->device && *watched->device)
		disturbance->device = watched->device;
}

void bench_compare_add_invocations(const struct bench_run *run, const struct bench_result *result,
				   const struct bench_metric *metric, size_t code,
				   struct bench_compare_invocations *invocations)
{
	size_t before = invocations->count;

	for (size_t i = 0; i < metric->series_count; i++) {
		const struct bench_series *series = &metric->series[i];
		const struct bench_watched *watched = find_watched(result, series->invocation);
		bool disturbed;
		double median;

		if (series->count == 0)
			continue;
		median = bench_record_series_median(series, &disturbed);
		if (disturbed) {
			invocations->disturbed++;
			if (watched)
				note_disturbance(watched, &invocations->disturbance);
			continue;
		}
		invocations->medians[invocations->count++] = median;
		if (watched && watched->canary > 0 && isfinite(watched->canary))
			invocations->canaries[invocations->canary_count++] = watched->canary;
	}
	if (invocations->count > before) {
		invocations->runs[invocations->run_count] = run;
		invocations->codes[invocations->run_count] = code;
		invocations->run_sizes[invocations->run_count++] = invocations->count - before;
	}
}

void bench_compare_drop_run(struct bench_compare_invocations *invocations, const struct bench_run *run)
{
	size_t at = 0, from = 0, size, later;

	while (at < invocations->run_count && invocations->runs[at] != run)
		from += invocations->run_sizes[at++];
	if (at == invocations->run_count)
		return;
	size = invocations->run_sizes[at];
	invocations->count -= size;
	memmove(invocations->medians + from, invocations->medians + from + size,
		(invocations->count - from) * sizeof(*invocations->medians));
	later = --invocations->run_count - at;
	memmove(invocations->runs + at, invocations->runs + at + 1, later * sizeof(struct bench_run *));
	memmove(invocations->run_sizes + at, invocations->run_sizes + at + 1,
		later * sizeof(*invocations->run_sizes));
	memmove(invocations->codes + at, invocations->codes + at + 1, later * sizeof(*invocations->codes));
}
