/* SPDX-License-Identifier: MIT */
/* Alarms as they are kept, as people read them: a row each, and a row for each metric of one. */
#ifndef BENCH_REPORT_RENDER_ALARM_LIST_H
#define BENCH_REPORT_RENDER_ALARM_LIST_H

#include "record/alarm.h"
#include "report/render/grid.h"

/* Where an alarm was raised, as a person knows it: the host's name, and the command that found it. */
struct bench_alarm_origin {
	const char *host, *command;
};

/* Fills an empty grid. 80 columns hold all that tells one alarm from another; an origin for each alarm. */
void bench_render_alarm_list(const struct bench_alarm *alarms, const struct bench_alarm_origin *origins,
			     size_t count, bool under, struct bench_grid *grid);

/* Fills an empty grid with the metrics. `under`: full names, and how they closed, stand under the rows, where
 * no width cuts them; else in columns. */
void bench_render_alarm_metrics(const struct bench_alarm *alarms, size_t count, bool under,
				struct bench_grid *grid);

#endif
