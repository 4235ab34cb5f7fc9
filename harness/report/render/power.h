/* SPDX-License-Identifier: MIT */
/* What a gate would see, as bench_power has counted it: the pieces that its reports share. */
#ifndef BENCH_REPORT_RENDER_POWER_H
#define BENCH_REPORT_RENDER_POWER_H

#include "compare/power.h"
#include "core/arena.h"
#include "core/text.h"
#include "report/render/grid.h"
#include "stats/stats.h"

#define BENCH_POWER_RATE_LEVEL 0.95 /* of all intervals */

/* What is counted at each level. */
enum bench_power_counted {
	BENCH_POWER_RUNS,
	BENCH_POWER_METRICS,
	BENCH_POWER_CASES,
	BENCH_POWER_UNCLEAR,
	BENCH_POWER_COUNTS
};
extern const char
	*const bench_render_power_count_names[BENCH_POWER_COUNTS]; /* "runs_slower", ...: for programs */

struct bench_power_count {
	size_t hits, trials;
};

struct bench_power_count bench_render_power_count_of(const struct bench_power_level *level,
						     enum bench_power_counted what);
struct bench_interval bench_render_power_rate(struct bench_power_count count);

struct bench_report_options;
typedef void (*bench_power_grid_adder)(struct bench_grid *grid, const struct bench_report_options *options,
				       struct bench_text *out);

/* For people: a grid of the slowdowns and one of the cases, with lines about them; those below behind
 * `prefix`. */
void bench_render_power(const struct bench_power *power, const char *prefix, bench_power_grid_adder add_grid,
			const struct bench_report_options *options, struct bench_text *out);

#endif
