/* SPDX-License-Identifier: MIT */
#include "report/render/axis.h"

#include "stats/stats.h"

double *bench_render_axis_samples(const struct bench_metric *metric, struct bench_arena *arena, size_t *count)
{
	size_t series_count = metric ? metric->series_count : 0, total = 0;
	for (size_t s = 0; s < series_count; s++)
		total += metric->series[s].count;
	double *samples = bench_arena_alloc(arena, total + 1, sizeof(*samples));
	*count = 0;
	for (size_t s = 0; s < series_count; s++)
		for (size_t i = 0; i < metric->series[s].count; i++)
			if (bench_render_axis_is_usable(metric->series[s].values[i]))
				samples[(*count)++] = metric->series[s].values[i];
	bench_stats_sort(samples, *count);
	return samples;
}
