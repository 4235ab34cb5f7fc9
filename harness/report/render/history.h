/* The stored values of metrics, as people read them. */
#ifndef BENCH_REPORT_RENDER_HISTORY_H
#define BENCH_REPORT_RENDER_HISTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "core/text.h"
#include "store/store.h"

/*
 * A table for each metric under its full name, whole at 80 columns; metrics in the order of their numbers
 * (n=64 before n=128), values in that of `points`, which are sorted by metric.
 */
void bench_render_history(const struct bench_point *points, size_t count, unsigned width, bool color,
			  struct bench_text *out);

#endif
