/* SPDX-License-Identifier: MIT */
/* A sparkline: the shape of a trend, within a line of text. */
#include <math.h>

#include "core/memory.h"
#include "report/html/chart.h"
#include "stats/stats.h"

enum { WIDTH = 120, HEIGHT = 24, MOST = 40 };

/* The median of neighbors, or NaN. A single spike is not part of the shape. */
static double median_of(const struct bench_point *points, size_t count, double *scratch)
{
	size_t used = 0;
	for (size_t i = 0; i < count; i++)
		if (isfinite(points[i].median) && (!points[i].disturbed || count == 1))
			scratch[used++] = points[i].median;
	bench_stats_sort(scratch, used);
	return used > 0 ? scratch[used / 2] : NAN;
}

void html_spark(const struct html_series *series, struct bench_text *out)
{
	struct html_axis y = {.from = HEIGHT - 3, .to = 3};
	size_t count = series->count, shown = count < MOST ? count : MOST;
	BENCH_SCOPED_MEMORY double *scratch = bench_memory_alloc(count, sizeof(*scratch));
	double last_x = 0, last_y = 0;
	html_trend_range(series->points, count, false, &y);
	bench_text_add(
		out,
		"<svg class=\"spark\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" aria-hidden=\"true\">"
		"<polyline class=\"line\" fill=\"none\" stroke=\"currentColor\" points=\"",
		WIDTH, HEIGHT, WIDTH, HEIGHT);
	for (size_t i = 0; i < shown; i++) {
		size_t from = i * count / shown, to = (i + 1) * count / shown;
		/* The newest value is not smoothed. */
		double value = i + 1 == shown ? series->points[count - 1].median
					      : median_of(series->points + from, to - from, scratch);
		if (!isfinite(value))
			continue;
		last_x = 3 + (shown > 1 ? (double)i * (WIDTH - 6) / (double)(shown - 1) : 0);
		last_y = html_at(&y, value);
		bench_text_add(out, "%.0f,%.0f ", last_x, last_y);
	}
	bench_text_add(out, "\"/><circle class=\"point\" cx=\"%.0f\" cy=\"%.0f\" r=\"2\"/></svg>", last_x,
		       last_y);
}
