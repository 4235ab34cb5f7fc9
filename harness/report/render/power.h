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
extern const char *const bench_power_count_names[BENCH_POWER_COUNTS]; /* "runs_slower", ...: for programs */

struct bench_power_count {
	size_t hits, trials;
};

struct bench_power_count bench_power_count_of(const struct bench_power_level *level,
					      enum bench_power_counted what);
struct bench_interval bench_power_rate(struct bench_power_count count);

/* Each fills an empty grid: a row a slowdown; a row a case, with how often it was found at each level. */
void bench_power_grid_levels(const struct bench_power *power, struct bench_grid *grid);
void bench_power_grid_cases(const struct bench_power *power, struct bench_grid *grid);

/* What was compared with what. */
char *bench_power_head(struct bench_arena *arena, const struct bench_power *power);
/* What the grids leave open, a line each behind `prefix`. */
void bench_power_add_foot(struct bench_arena *arena, const struct bench_power *power, const char *prefix,
			  struct bench_text *out);

#endif
