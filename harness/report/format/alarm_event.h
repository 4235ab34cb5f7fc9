/* SPDX-License-Identifier: MIT */
/* What a hook is told: an event of an alarm as a JSON document, bench-alarm-event/1 (docs/output.md). */
#ifndef BENCH_REPORT_FORMAT_ALARM_EVENT_H
#define BENCH_REPORT_FORMAT_ALARM_EVENT_H

#include "compare/compare.h"
#include "record/alarm.h"
#include "report/render/alarm_list.h"

struct bench_alarm_telling {
	const struct bench_alarm *alarm;
	enum bench_alarm_event event;
	struct bench_alarm_origin origin;
	const struct bench_compare_options *options; /* its rules name owners */
	const char *places; /* what commands about the history need: " --db other.db" */
};

/* malloc'd, on one line. */
char *bench_format_alarm_event(const struct bench_alarm_telling *telling);

#endif
