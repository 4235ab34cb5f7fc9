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

/* Differences are comparable in one unit alone: of others the first is kept. */
static bool is_larger(const struct bench_alarm_metric *metric, const struct bench_alarm_metric *than)
{
	if (isnan(metric->ratio) != isnan(than->ratio))
		return isnan(than->ratio);
	if (!isnan(metric->ratio))
		return fabs(log(metric->ratio)) > fabs(log(than->ratio));
	return strcmp(metric->unit, than->unit) == 0 &&
	       fabs(metric->lo + metric->hi) > fabs(than->lo + than->hi);
}

const struct bench_alarm_metric *bench_record_alarm_largest(const struct bench_alarm *alarm)
{
	bool open = bench_record_alarm_is_open(alarm);
	const struct bench_alarm_metric *largest = NULL;

	for (size_t i = 0; i < alarm->metric_count; i++) {
		const struct bench_alarm_metric *metric = &alarm->metrics[i];

		if ((!open || metric->state == BENCH_ALARM_OPEN) && (!largest || is_larger(metric, largest)))
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
