/* SPDX-License-Identifier: MIT */
/*
 * An alarm, as it is kept: what became slower, first seen in one run. It is open while one of its metrics is.
 * Ratios are of values, as in a verdict.
 * compare/alarms.h says what opens and closes it.
 */
#ifndef BENCH_RECORD_ALARM_H
#define BENCH_RECORD_ALARM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum bench_alarm_state {
	BENCH_ALARM_OPEN,
	BENCH_ALARM_ACCEPTED,
	BENCH_ALARM_RECOVERED,
};

struct bench_alarm_metric {
	char *key;  /* full metric name */
	char *unit; /* of its values */
	enum bench_alarm_state state;
	double level;         /* the median before; NaN: not known */
	double ratio, lo, hi; /* of the first bad run over the level before; ratio NaN: lo and hi are of the
				 difference, in that unit */
	double ci_level;      /* the confidence of that interval; NaN: not known */
	double last_ratio, last_lo, last_hi, last_ci_level; /* the same of the last run that was judged */
	char *last_run;                                     /* its id */
	unsigned nights;  /* judged runs from the first bad one on, except the recovery */
	char *closed_run; /* "": open */
	int64_t closed;   /* start of that run */
	char *why;        /* of an accepted one */
};

struct bench_alarm {
	int64_t id; /* 0: not stored yet */
	char *fingerprint, *track;
	char *first_bad, *last_good;    /* ids of runs; last_good "": not known */
	char *bad_commit, *good_commit; /* "": not known */
	char *culprit;                  /* the commit that a bisection found; "": none yet */
	char *cause;   /* of its largest change, as `bench why` said it; NULL or "": nobody has asked */
	int64_t since; /* start of the first bad run, Unix seconds */
	char *told;    /* name of the last event that hooks were given; "": none yet; NULL: none is to be */
	struct bench_alarm_metric *metrics; /* sorted by key */
	size_t metric_count;
};

/* What hooks are told of, in the order in which an alarm comes to it. */
enum bench_alarm_event {
	BENCH_ALARM_OPENED,
	BENCH_ALARM_SECOND_NIGHT,
	BENCH_ALARM_WEEK_OLD,
	BENCH_ALARM_HAS_RECOVERED,
	BENCH_ALARM_WAS_ACCEPTED,
	BENCH_ALARM_EVENTS,
};
#define BENCH_ALARM_MOST_DUE 2

const char *bench_record_alarm_state_name(enum bench_alarm_state state); /* "open", "accepted", "recovered" */
/* False where it is none of them. */
bool bench_record_alarm_state_parse(const char *name, enum bench_alarm_state *state);
bool bench_record_alarm_is_open(const struct bench_alarm *alarm);
/* Of an alarm as a whole: its open metrics, and the most nights of one of them; of a closed alarm, of all. */
struct bench_alarm_whole {
	size_t open;
	unsigned nights;
};
struct bench_alarm_whole bench_record_alarm_whole(const struct bench_alarm *alarm);
/* Open while one of its metrics is; else accepted if one of them was, and recovered if none. */
enum bench_alarm_state bench_record_alarm_state(const struct bench_alarm *alarm);
/* "opened", "second-night", "week-old", "recovered", "accepted". */
const char *bench_record_alarm_event_name(enum bench_alarm_event event);
/*
 * The events that are due at `now`, in order; returns how many. While the alarm is open, one at a time. One
 * that is closed before anybody was told of it was opened, too. One that is open again is opened anew.
 */
size_t bench_record_alarm_due(const struct bench_alarm *alarm, int64_t now,
			      enum bench_alarm_event due[BENCH_ALARM_MOST_DUE]);
/*
 * The metric whose ratio is the alarm's number: the one with the largest lasting change, among those that are
 * open; of a closed alarm, among all. A change lasts no farther than the metric's last run confirms it, and
 * one of fewer than half as many nights as the longest does not count, so that a spike gives no alarm its
 * number. One with a ratio comes before one with a difference. NULL: the alarm has no metric.
 */
const struct bench_alarm_metric *bench_record_alarm_largest(const struct bench_alarm *alarm);
/* The metric of that key, or NULL. */
struct bench_alarm_metric *bench_record_alarm_metric(const struct bench_alarm *alarm, const char *key);
/* The last of `alarms` that a run opened about a metric of that key and host, or NULL. */
const struct bench_alarm *bench_record_alarm_opened(const struct bench_alarm *alarms, size_t count,
						    const char *run, const char *key,
						    const char *fingerprint);

#endif
