/* SPDX-License-Identifier: MIT */
#include "record/alarm.h"

#include <math.h>
#include <string.h>

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

bool bench_record_alarm_is_open(const struct bench_alarm *alarm)
{
	for (size_t i = 0; i < alarm->metric_count; i++)
		if (alarm->metrics[i].state == BENCH_ALARM_OPEN)
			return true;
	return false;
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
	for (size_t i = 0; i < alarm->metric_count; i++)
		if (strcmp(alarm->metrics[i].key, key) == 0)
			return &alarm->metrics[i];
	return NULL;
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
