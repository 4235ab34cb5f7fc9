/* SPDX-License-Identifier: MIT */
/*
 * Walks over series of values night by night, as a gate would have seen them, and looks back at the end:
 *
 *     walk FILE.csv...        by change points alone; reads each with FILE.changes, if there is one; Markdown
 *     walk --gate FILE.csv... by all rules of a gate against rolling:10, for which the series of a file are
 *                             metrics of one run, and each row is a night; less is better
 *
 * FILE.csv is what 'bench changepoints' reads. FILE.changes lists the changes that somebody published, one a
 * line: the series' name, a tab, and the label (a commit, a time, or a part of one) or the number, from 0, of
 * the first value of the new level. Lines that begin with '#' are passed over.
 *
 * An event is a place where the search reports a change on some night, within NEAR values of where it did so
 * before. It is transient if it is not reported any more on the last night. With the gate, it is an alarm,
 * and transient if it recovers within SHORT nights. A published change is found if there is an event within
 * NEAR values of it; with the gate, if an alarm of its series is opened from NEAR nights before it to SOON
 * after it. Where it is not, it is red if such an alarm was open already.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/series.h"
#include "core/file.h"
#include "core/text.h"
#include "statistics/nights.h"

enum {
	NEAR = 3,
	SOON = 20,
	SHORT = 30,
	FIRST_NIGHT = 6,
	MOST_EVENTS = 1000,
	MOST_ALARMS = 100000,
	MOST_PUBLISHED = 10000
};

struct published {
	const char *series, *where;
	size_t index;
	bool seen;
};

struct event {
	size_t index;
	size_t first, last; /* nights that reported it: so many values */
	size_t from, until; /* places of published changes that it finds */
	bool transient;
};

struct counts {
	size_t series, values, published, found, red, events, transient, stayed;
	size_t alarms, short_alarms; /* of one metric or several; those that recovered within SHORT nights */
	size_t delay; /* values from a published change to the night that found it, over all found */
};

struct walk {
	struct bench_arena arena;
	bool by_gate;
	struct published published[MOST_PUBLISHED];
	size_t published_count;
	struct counts counts, total;
};

static void die(const char *what, const char *why)
{
	fprintf(stderr, "walk: %s: %s\n", what, why);
	exit(2);
}

static size_t apart(size_t a, size_t b)
{
	return a > b ? a - b : b - a;
}

/* FILE.changes beside FILE.csv; where there is none, nothing was published. */
static void read_published(struct walk *walk, const char *csv)
{
	struct bench_error error;
	size_t stem = strlen(csv) - (strrchr(csv, '.') ? strlen(strrchr(csv, '.')) : 0), length;
	char *path = bench_arena_format(&walk->arena, "%.*s.changes", (int)stem, csv), *text, *line;

	walk->published_count = 0;
	if (bench_file_read(path, (size_t)1 << 20, &text, &length, &error) != 0)
		return;
	char *rest = bench_arena_string(&walk->arena, text);
	free(text);
	while ((line = bench_text_next(&rest, '\n'))) {
		char *where = strchr(line, '\t');

		if (!*line || *line == '#')
			continue;
		if (!where || walk->published_count == MOST_PUBLISHED)
			die(path, "expected lines of a series, a tab and a label, and not too many");
		*where++ = '\0';
		walk->published[walk->published_count++] = (struct published){.series = line, .where = where};
	}
}

/* Where the published change is in the series; its count where it is in no label, and no number. */
static size_t place(const struct published *published, const struct bench_app_series *series)
{
	char *end;
	size_t index = strtoul(published->where, &end, 10);

	for (size_t i = 0; series->labels && i < series->count; i++)
		if (series->labels[i] && strstr(series->labels[i], published->where))
			return i;
	return *end || index >= series->count ? series->count : index;
}

/* The event at an index, or a new one. */
static struct event *event_at(struct event *events, size_t *count, size_t index)
{
	for (size_t i = 0; i < *count; i++)
		if (apart(events[i].index, index) <= NEAR)
			return &events[i];
	if (*count == MOST_EVENTS)
		die("a series", "too many events");
	events[*count] = (struct event){.index = index};
	return &events[(*count)++];
}

static size_t find_events(const struct bench_app_series *series, struct event *events)
{
	const struct bench_app_series_options options = {
		.least = BENCH_CHANGE_LEAST, .alpha = 0.01, .better = BENCH_BETTER_NONE};
	size_t event_count = 0;

	for (size_t night = FIRST_NIGHT; night <= series->count; night++) {
		struct bench_app_series until = *series;
		struct bench_arena arena = {0};
		struct bench_change *changes;
		size_t linear;

		until.count = night;
		size_t count = bench_app_series_changes(&until, 1, &options, &arena, &changes, &linear);
		for (size_t i = 0; i < count; i++) {
			struct event *event = event_at(events, &event_count, changes[i].index);

			event->first = event->first ? event->first : night;
			event->last = night;
			event->index = changes[i].index;
		}
		bench_arena_free(&arena);
	}
	for (size_t e = 0; e < event_count; e++) {
		events[e].transient = events[e].last < series->count;
		events[e].from = events[e].index > NEAR ? events[e].index - NEAR : 0;
		events[e].until = events[e].index + NEAR;
	}
	return event_count;
}

/* The alarms of one metric. */
static size_t take_alarms(const struct nights_event *alarms, size_t alarm_count, size_t metric, size_t nights,
			  struct event *events)
{
	size_t count = 0;

	for (size_t a = 0; a < alarm_count; a++) {
		const struct nights_event *alarm = &alarms[a];

		if (alarm->metric != metric)
			continue;
		if (count == MOST_EVENTS)
			die("a series", "too many events");
		events[count++] = (struct event){
			.index = alarm->first_bad,
			.first = alarm->opened,
			.last = alarm->closed ? alarm->closed : nights,
			.from = alarm->opened > SOON ? alarm->opened - SOON : 0,
			.until = alarm->opened + NEAR,
			.transient = alarm->closed && alarm->closed <= alarm->opened + SHORT,
		};
	}
	return count;
}

static void find_published(struct walk *walk, struct published *published, const struct event *events,
			   size_t count)
{
	size_t delay = 0;
	bool red = false;

	for (size_t e = 0; e < count; e++) {
		red |= events[e].first < published->index && published->index < events[e].last;
		if (published->index < events[e].from || published->index > events[e].until)
			continue;
		if (!published->seen)
			delay = events[e].first > published->index ? events[e].first - published->index : 0;
		published->seen = true;
	}
	walk->counts.found += published->seen;
	walk->counts.delay += delay;
	walk->counts.red += !published->seen && red && walk->by_gate;
}

static void count_events(struct walk *walk, const struct bench_app_series *series, const struct event *events,
			 size_t count)
{
	struct counts *counts = &walk->counts;
	bool matched[MOST_EVENTS] = {false};

	counts->series++;
	counts->events += count;
	for (size_t i = 0; i < series->count; i++)
		counts->values += isfinite(series->values[i]);
	for (size_t p = 0; p < walk->published_count; p++) {
		struct published *published = &walk->published[p];

		if (strcmp(published->series, series->name) != 0)
			continue;
		published->index = place(published, series);
		if (published->index == series->count)
			die(published->where, "a published change that the series has not");
		find_published(walk, published, events, count);
		for (size_t e = 0; e < count; e++)
			matched[e] |=
				published->index >= events[e].from && published->index <= events[e].until;
	}
	for (size_t e = 0; e < count; e++) {
		counts->transient += events[e].transient;
		counts->stayed += !matched[e] && !events[e].transient;
	}
}

/* The alarms of a gate that has all series of a file as its metrics; the shorter end with nights without. */
static struct nights_event *walk_nights(const struct bench_app_series_set *set, struct bench_arena *arena,
					size_t *count)
{
	struct nights_event *alarms = bench_arena_alloc(arena, MOST_ALARMS, sizeof(*alarms));
	const double **values = bench_arena_alloc(arena, set->count, sizeof(*values));
	size_t nights = 0;

	for (size_t i = 0; i < set->count; i++)
		nights = set->items[i].count > nights ? set->items[i].count : nights;
	for (size_t i = 0; i < set->count; i++) {
		double *padded = bench_arena_alloc(arena, nights, sizeof(*padded));

		for (size_t n = 0; n < nights; n++)
			padded[n] = n < set->items[i].count ? set->items[i].values[n] : NAN;
		values[i] = padded;
	}
	*count = nights_walk(values, set->count, nights, alarms, MOST_ALARMS);
	return alarms;
}

/* An alarm of several metrics is one, and has recovered when all have. */
static void count_alarms(struct counts *counts, const struct nights_event *events, size_t count)
{
	for (size_t e = 0; e < count; e++) {
		bool is_first = true, is_short = true;

		for (size_t i = 0; i < count; i++) {
			if (events[i].alarm != events[e].alarm)
				continue;
			is_first &= i >= e;
			is_short &= events[i].closed && events[i].closed <= events[e].opened + SHORT;
		}
		counts->alarms += is_first;
		counts->short_alarms += is_first && is_short;
	}
}

static void print_row(const char *name, const struct counts *counts)
{
	printf("| %s | %zu | %zu | %zu of %zu | %zu | %.1f | %zu | %zu | %zu | %zu | %zu |\n", name,
	       counts->series, counts->values, counts->found, counts->published, counts->red,
	       counts->found ? (double)counts->delay / (double)counts->found : 0, counts->events,
	       counts->stayed, counts->transient, counts->alarms, counts->short_alarms);
	fflush(stdout);
}

static void walk_file(struct walk *walk, const char *path)
{
	struct bench_app_series_set set = {0};
	struct nights_event *alarms = NULL;
	struct bench_error error;
	struct counts *total = &walk->total, *counts = &walk->counts;
	struct event events[MOST_EVENTS];
	const char *name = strrchr(path, '/');
	size_t alarm_count = 0;

	read_published(walk, path);
	if (bench_app_series_read(path, NULL, &walk->arena, &set, &error) != 0)
		die(path, error.text);
	*counts = (struct counts){.published = walk->published_count};
	if (walk->by_gate)
		alarms = walk_nights(&set, &walk->arena, &alarm_count);
	count_alarms(counts, alarms, alarm_count);
	for (size_t i = 0; i < set.count; i++)
		if (set.items[i].count >= FIRST_NIGHT)
			count_events(walk, &set.items[i], events,
				     walk->by_gate
					     ? take_alarms(alarms, alarm_count, i, set.items[i].count, events)
					     : find_events(&set.items[i], events));
	print_row(name ? name + 1 : path, counts);
	total->series += counts->series;
	total->values += counts->values;
	total->published += counts->published;
	total->found += counts->found;
	total->red += counts->red;
	total->delay += counts->delay;
	total->events += counts->events;
	total->stayed += counts->stayed;
	total->transient += counts->transient;
	total->alarms += counts->alarms;
	total->short_alarms += counts->short_alarms;
}

int main(int argc, char **argv)
{
	static struct walk walk;
	int first = 1;

	walk.by_gate = argc > 1 && strcmp(argv[1], "--gate") == 0;
	first += walk.by_gate;
	if (argc <= first) {
		fprintf(stderr, "usage: walk [--gate] FILE.csv...\n");
		return 2;
	}
	printf("| series of | series | values | published changes found | red already | nights later, in the "
	       "mean | events | of them lasting, and not published | transient | alarms | of them transient "
	       "|\n|---|---|---|---|---|---|---|---|---|---|---|\n");
	for (int i = first; i < argc; i++)
		walk_file(&walk, argv[i]);
	if (argc > first + 1)
		print_row("all", &walk.total);
	bench_arena_free(&walk.arena);
	return 0;
}
