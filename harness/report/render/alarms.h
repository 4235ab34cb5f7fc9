/* SPDX-License-Identifier: MIT */
/* The alarms that verdicts are under, as people read them: one line per alarm, whatever the number of its
 * metrics. */
#ifndef BENCH_REPORT_RENDER_ALARMS_H
#define BENCH_REPORT_RENDER_ALARMS_H

#include "compare/compare.h"
#include "core/arena.h"

/* The verdicts of a comparison that are under one alarm. */
struct bench_alarm_group {
	/* New if a metric is new, recovered if all of them are; the most nights; the change of the alarm. */
	struct bench_verdict_alarm alarm;
	size_t metrics, recovered; /* of them: those that recovered with this run */
};

/* In `arena`: new alarms first, then open ones, then those whose metrics have all recovered; each oldest
 * first. */
void bench_render_alarms(struct bench_arena *arena, const struct bench_comparison *comparison,
			 struct bench_alarm_group **groups, size_t *count);

/* Does the verdict only repeat an alarm that an earlier run opened? */
bool bench_render_alarms_known(const struct bench_verdict *verdict);

/* "new", "open" or "recovered". */
const char *bench_render_alarms_state(const struct bench_verdict_alarm *alarm);
/* "alarm 12, open since 2026-11-03: 3 metrics, 7 nights, +26.0% [+24.1, +28.0], this run +27.1%
 * [+25.2, +29.0], commits a1b2c3d4e5f6..c3d4e5f6a1b2". */
char *bench_render_alarms_line(struct bench_arena *arena, const struct bench_alarm_group *group);
/* Such a line for each group of a comparison, in `arena`. */
size_t bench_render_alarms_lines(struct bench_arena *arena, const struct bench_comparison *comparison,
				 char ***lines);
/* The same for one verdict: without the number of metrics, and with the change of its metric if that differs.
 */
char *bench_render_alarms_told(struct bench_arena *arena, const struct bench_verdict_alarm *alarm);
/* For a grid's cell: "new 12", "open 12", "recovered 12". */
char *bench_render_alarms_cell(struct bench_arena *arena, const struct bench_verdict_alarm *alarm);
/* All in a phrase: "1 new alarm (3 metrics), 1 alarm open since 2026-11-03 (1 metric)"; "": there are
 * none. */
char *bench_render_alarms_summary(struct bench_arena *arena, const struct bench_comparison *comparison);

/*
 * Open alarms that began with the same commits, over the comparisons of the classes of a fleet (NULL: a class
 * without one), one line each: "open alarms 12, 13, commits a1b2c3d4e5f6..c3d4e5f6a1b2: 37 metrics of 2
 * classes". In `arena`.
 */
void bench_render_alarms_causes(struct bench_arena *arena, const struct bench_comparison *const *comparisons,
				size_t comparison_count, char ***lines, size_t *count);

/* "a1b2c3d4e5f6..c3d4e5f6a1b2", or the one that is known; "" if neither is. */
char *bench_render_alarms_commits(struct bench_arena *arena, const char *good, const char *bad);
/* "2026-11-03", of Unix seconds. */
char *bench_render_alarms_day(struct bench_arena *arena, int64_t since);

#endif
