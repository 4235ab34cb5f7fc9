/*
 * The invocations of a metric: which are judged, and how the machine was meanwhile.
 *
 * An invocation that was disturbed is left out. That is valid because the marks come from what
 * the watch saw beside the work (other processes, the hypervisor, the canary), and never from the
 * times that are judged: leaving out what came out slow would make any two samples alike.
 */
#include <math.h>

#include "compare/parts.h"

void bench_compare_make_room(struct bench_arena *arena, size_t count, size_t runs,
			     struct bench_gathered *gathered)
{
	double *room = bench_arena_alloc(arena, 2 * count, sizeof(*room));
	size_t *by_run = bench_arena_alloc(arena, 2 * runs, sizeof(*by_run));

	*gathered = (struct bench_gathered){.medians = room,
					    .canaries = room + count,
					    .run_sizes = by_run,
					    .codes = by_run + runs,
					    .trouble = {.device = ""}};
}

/* They stand in the order of invocations, where none is absent at their number. */
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
static void note_trouble(const struct bench_watched *watched, struct bench_trouble *trouble)
{
	trouble->others = fmax(trouble->others, watched->others);
	trouble->steal = fmax(trouble->steal, watched->steal);
	trouble->canary = fmax(trouble->canary, watched->canary_worst);
	if (watched->device && *watched->device)
		trouble->device = watched->device;
}

void bench_compare_gather(const struct bench_result *result, const struct bench_metric *metric, size_t code,
			  struct bench_gathered *gathered)
{
	size_t before = gathered->count;

	for (size_t i = 0; i < metric->series_count; i++) {
		const struct bench_series *series = &metric->series[i];
		const struct bench_watched *watched = find_watched(result, series->invocation);
		bool disturbed;
		double median;

		if (series->count == 0)
			continue;
		median = bench_series_median(series, &disturbed);
		if (disturbed) {
			gathered->disturbed++;
			if (watched)
				note_trouble(watched, &gathered->trouble);
			continue;
		}
		gathered->medians[gathered->count++] = median;
		if (watched && watched->canary > 0 && isfinite(watched->canary))
			gathered->canaries[gathered->canary_count++] = watched->canary;
	}
	if (gathered->count > before) {
		gathered->codes[gathered->run_count] = code;
		gathered->run_sizes[gathered->run_count++] = gathered->count - before;
	}
}
