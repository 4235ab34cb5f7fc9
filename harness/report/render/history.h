/* SPDX-License-Identifier: MIT */
/* The stored values of metrics, as people read them. */
#ifndef BENCH_REPORT_RENDER_HISTORY_H
#define BENCH_REPORT_RENDER_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/text.h"

/* One stored value. */
struct bench_history_value {
	const char *key; /* full metric name */
	const char *run, *commit, *unit;
	int64_t started;
	double median, ci_lo, ci_hi;
	double ci_level;      /* the confidence of that interval; NaN: not known; 0: it has none */
	bool disturbed;       /* all its invocations were */
	const char *accepted; /* why the shift was accepted that counts from it on; "": none does */
};

/*
 * A table for each metric under its full name, whole at 80 columns; metrics in the order of their numbers
 * (n=64 before n=128), values in that of `values`, which are sorted by metric.
 */
void bench_render_history(const struct bench_history_value *values, size_t count, unsigned width, bool color,
			  struct bench_text *out);

#endif
