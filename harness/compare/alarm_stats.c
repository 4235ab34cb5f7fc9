/* SPDX-License-Identifier: MIT */
#include "compare/alarm_stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "stats/stats.h"

#define DAY_SECONDS 86400.0

struct counting {
	const struct bench_alarm *alarms;
	size_t count;
	const struct bench_compare_options *options;
	int64_t now;
	struct bench_arena *arena;
};

/* Of a metric: its suite, which its name begins with, or its owner. */
typedef const char *name_of(const struct counting *in, const char *key);

static const char *suite_of(const struct counting *in, const char *key)
{
	return bench_arena_format(in->arena, "%.*s", (int)strcspn(key, "/"), key);
}

static const char *owner_of(const struct counting *in, const char *key)
{
	return bench_compare_owner(in->options, key);
}

/* The alarm with those of its metrics alone that have the name. */
static struct bench_alarm part_of(const struct counting *in, const struct bench_alarm *alarm, name_of *naming,
				  const char *name)
{
	struct bench_alarm part = *alarm;
	part.metrics = bench_arena_alloc(in->arena, alarm->metric_count + 1, sizeof(*part.metrics));
	part.metric_count = 0;
	for (size_t m = 0; m < alarm->metric_count; m++)
		if (!naming || strcmp(naming(in, alarm->metrics[m].key), name) == 0)
			part.metrics[part.metric_count++] = alarm->metrics[m];
	return part;
}

static double days_of(const struct bench_alarm *alarm, int64_t now)
{
	int64_t closed = alarm->since;
	for (size_t m = 0; m < alarm->metric_count; m++) {
		const struct bench_alarm_metric *metric = &alarm->metrics[m];
		const int64_t end = metric->state == BENCH_ALARM_OPEN ? now : metric->closed;
		closed = end > closed ? end : closed;
	}
	return (double)(closed - alarm->since) / DAY_SECONDS;
}

static struct bench_alarm_stats count(const struct counting *in, const char *by, name_of *naming,
				      const char *name)
{
	struct bench_alarm_stats stats = {.by = by, .name = name, .days_longest = NAN};
	double *days = bench_arena_alloc(in->arena, in->count + 1, sizeof(*days));
	for (size_t i = 0; i < in->count; i++) {
		const struct bench_alarm part = part_of(in, &in->alarms[i], naming, name);
		if (part.metric_count == 0)
			continue;
		const enum bench_alarm_state state = bench_record_alarm_state(&part);
		stats.open += state == BENCH_ALARM_OPEN;
		stats.accepted += state == BENCH_ALARM_ACCEPTED;
		stats.recovered += state == BENCH_ALARM_RECOVERED;
		days[stats.opened] = days_of(&part, in->now);
		stats.days_longest = fmax(stats.days_longest, days[stats.opened++]);
	}
	stats.days_median = stats.opened ? bench_stats_median(days, stats.opened) : NAN;
	return stats;
}

/* A row for each name that a metric has. */
static void add_rows(const struct counting *in, const char *by, name_of *naming,
		     struct bench_alarm_stats **rows, size_t *row_count)
{
	const char **names = NULL;
	size_t name_count = 0;
	for (size_t i = 0; i < in->count; i++)
		for (size_t m = 0; m < in->alarms[i].metric_count; m++)
			BENCH_PUSH(in->arena, names, name_count) = naming(in, in->alarms[i].metrics[m].key);
	if (name_count > 1)
		qsort(names, name_count, sizeof(*names), bench_text_order);
	for (size_t n = 0; n < name_count; n++)
		if (*names[n] && (n == 0 || strcmp(names[n], names[n - 1]) != 0))
			BENCH_PUSH(in->arena, *rows, *row_count) = count(in, by, naming, names[n]);
}

void bench_compare_alarm_stats(const struct bench_alarm *alarms, size_t alarm_count,
			       const struct bench_compare_options *options, int64_t now,
			       struct bench_arena *arena, struct bench_alarm_stats **rows, size_t *row_count)
{
	const struct counting in = {alarms, alarm_count, options, now, arena};
	*rows = NULL;
	*row_count = 0;
	BENCH_PUSH(arena, *rows, *row_count) = count(&in, "all", NULL, "");
	add_rows(&in, "suite", suite_of, rows, row_count);
	add_rows(&in, "owner", owner_of, rows, row_count);
}
