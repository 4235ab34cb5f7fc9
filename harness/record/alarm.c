/* SPDX-License-Identifier: MIT */
#include "record/alarm.h"

#include <math.h>
#include <string.h>

#include "core/text.h"

#define WEEK_SECONDS INT64_C(604800)

static const char *const names[] = {
	[BENCH_ALARM_OPEN] = "open",
	[BENCH_ALARM_ACCEPTED] = "accepted",
	[BENCH_ALARM_RECOVERED] = "recovered",
};

const char *bench_record_alarm_state_name(enum bench_alarm_state state)
{
	return names[state];
}

bool bench_record_alarm_state_parse(const char *name, enum bench_alarm_state *state)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i], name) != 0)
			continue;
		*state = (enum bench_alarm_state)i;
		return true;
	}
	return false;
}

static const char *const events[BENCH_ALARM_EVENTS] = {
	[BENCH_ALARM_OPENED] = "opened",         [BENCH_ALARM_SECOND_NIGHT] = "second-night",
	[BENCH_ALARM_WEEK_OLD] = "week-old",     [BENCH_ALARM_HAS_RECOVERED] = "recovered",
	[BENCH_ALARM_WAS_ACCEPTED] = "accepted",
};

const char *bench_record_alarm_event_name(enum bench_alarm_event event)
{
	return events[event];
}

bool bench_record_alarm_is_open(const struct bench_alarm *alarm)
{
	for (size_t i = 0; i < alarm->metric_count; i++)
		if (alarm->metrics[i].state == BENCH_ALARM_OPEN)
			return true;
	return false;
}

struct bench_alarm_whole bench_record_alarm_whole(const struct bench_alarm *alarm)
{
	const bool is_open = bench_record_alarm_is_open(alarm);
	struct bench_alarm_whole whole = {0};

	for (size_t i = 0; i < alarm->metric_count; i++) {
		const struct bench_alarm_metric *metric = &alarm->metrics[i];

		if (is_open && metric->state != BENCH_ALARM_OPEN)
			continue;
		whole.open += metric->state == BENCH_ALARM_OPEN;
		whole.nights = metric->nights > whole.nights ? metric->nights : whole.nights;
	}
	return whole;
}

enum bench_alarm_state bench_record_alarm_state(const struct bench_alarm *alarm)
{
	if (bench_record_alarm_is_open(alarm))
		return BENCH_ALARM_OPEN;
	for (size_t i = 0; i < alarm->metric_count; i++)
		if (alarm->metrics[i].state == BENCH_ALARM_ACCEPTED)
			return BENCH_ALARM_ACCEPTED;
	return BENCH_ALARM_RECOVERED;
}

/* How far hooks have followed it: an event, or -1 for none. */
static int followed(const struct bench_alarm *alarm)
{
	int event = BENCH_ALARM_EVENTS;

	while (event-- > 0)
		if (strcmp(events[event], alarm->told) == 0)
			break;
	return event;
}

size_t bench_record_alarm_due(const struct bench_alarm *alarm, int64_t now,
			      enum bench_alarm_event due[BENCH_ALARM_MOST_DUE])
{
	const enum bench_alarm_state state = bench_record_alarm_state(alarm);
	const int told = alarm->told ? followed(alarm) : BENCH_ALARM_EVENTS;
	size_t count = 0;

	if (!alarm->told)
		return 0;
	if (told < 0 || (state == BENCH_ALARM_OPEN && told >= BENCH_ALARM_HAS_RECOVERED))
		due[count++] = BENCH_ALARM_OPENED;
	if (state == BENCH_ALARM_OPEN) {
		if (count == 0 && told < BENCH_ALARM_WEEK_OLD && now - alarm->since >= WEEK_SECONDS)
			due[count++] = BENCH_ALARM_WEEK_OLD;
		if (count == 0 && told < BENCH_ALARM_SECOND_NIGHT &&
		    bench_record_alarm_whole(alarm).nights >= 2)
			due[count++] = BENCH_ALARM_SECOND_NIGHT;
	} else if (told < BENCH_ALARM_HAS_RECOVERED) {
		due[count++] =
			state == BENCH_ALARM_ACCEPTED ? BENCH_ALARM_WAS_ACCEPTED : BENCH_ALARM_HAS_RECOVERED;
	}
	return count;
}

/* How far a value is from the level before, whichever way. */
static double distance(double ratio, double lo, double hi)
{
	return isnan(ratio) ? fabs(lo + hi) : fabs(log(ratio));
}

/*
 * The change that a metric has kept: no more than its last judged run still had. A spike of one night does
 * not last. A recovered metric is back in its last run, which says nothing of the nights before.
 */
static double kept_change(const struct bench_alarm_metric *metric)
{
	double first = distance(metric->ratio, metric->lo, metric->hi);
	double last = distance(metric->last_ratio, metric->last_lo, metric->last_hi);
	bool same_kind = isnan(metric->ratio) == isnan(metric->last_ratio);
	return metric->state == BENCH_ALARM_RECOVERED || !same_kind ? first : fmin(first, last);
}

/* Differences are comparable in one unit alone: of others the first is kept. */
static bool is_larger(const struct bench_alarm_metric *metric, const struct bench_alarm_metric *than)
{
	if (isnan(metric->ratio) != isnan(than->ratio))
		return isnan(than->ratio);
	if (isnan(metric->ratio) && strcmp(metric->unit, than->unit) != 0)
		return false;
	return kept_change(metric) > kept_change(than);
}

/* Does the metric count for the alarm's number: of an open alarm the open ones do? */
static bool counts(const struct bench_alarm_metric *metric, bool open)
{
	return !open || metric->state == BENCH_ALARM_OPEN;
}

const struct bench_alarm_metric *bench_record_alarm_largest(const struct bench_alarm *alarm)
{
	const bool open = bench_record_alarm_is_open(alarm);
	const struct bench_alarm_metric *largest = NULL;
	unsigned nights = 0;

	for (size_t i = 0; i < alarm->metric_count; i++)
		if (counts(&alarm->metrics[i], open) && alarm->metrics[i].nights > nights)
			nights = alarm->metrics[i].nights;
	for (size_t i = 0; i < alarm->metric_count; i++) {
		const struct bench_alarm_metric *metric = &alarm->metrics[i];

		if (counts(metric, open) && 2 * metric->nights >= nights &&
		    (!largest || is_larger(metric, largest)))
			largest = metric;
	}
	return largest;
}

struct bench_alarm_metric *bench_record_alarm_metric(const struct bench_alarm *alarm, const char *key)
{
	return BENCH_FIND(alarm->metrics, alarm->metric_count, key);
}

const struct bench_alarm *bench_record_alarm_opened(const struct bench_alarm *alarms, size_t count,
						    const char *run, const char *key, const char *fingerprint)
{
	while (count-- > 0)
		if (strcmp(alarms[count].first_bad, run) == 0 &&
		    strcmp(alarms[count].fingerprint, fingerprint) == 0 &&
		    bench_record_alarm_metric(&alarms[count], key))
			return &alarms[count];
	return NULL;
}
