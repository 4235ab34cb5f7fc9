/* A sparkline: the shape of a trend, within a line of text. */
#include <math.h>

#include "report/html/chart.h"
#include "report/html/page.h"

enum { WIDTH = 120, HEIGHT = 24, MOST = 40 };

void html_spark(const struct html_series *series, struct bench_text *out)
{
	struct html_axis y = {.from = HEIGHT - 3, .to = 3};
	size_t shown = series->count < MOST ? series->count : MOST;
	double last_x = 0, last_y = 0;
	html_trend_range(series->points, series->count, false, &y);
	bench_text_add(
		out,
		"<svg class=\"spark\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" aria-hidden=\"true\">"
		"<polyline class=\"line\" fill=\"none\" stroke=\"currentColor\" points=\"",
		WIDTH, HEIGHT, WIDTH, HEIGHT);
	/* Of many, every so many-th, with the newest. */
	for (size_t i = 0; i < shown; i++) {
		size_t at = shown > 1 ? i * (series->count - 1) / (shown - 1) : 0;
		if (!isfinite(series->points[at].median))
			continue;
		last_x = 3 + (shown > 1 ? (double)i * (WIDTH - 6) / (double)(shown - 1) : 0);
		last_y = html_at(&y, series->points[at].median);
		bench_text_add(out, "%.0f,%.0f ", last_x, last_y);
	}
	bench_text_add(out, "\"/><circle class=\"point\" cx=\"%.0f\" cy=\"%.0f\" r=\"2\"/></svg>", last_x,
		       last_y);
}
