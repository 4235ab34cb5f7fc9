/*
 * Walks over series of values night by night, as a gate would have seen them, and looks back at the end:
 *
 *     walk FILE.csv...        reads each with FILE.changes, if there is one; Markdown on stdout
 *
 * FILE.csv is what 'bench changepoints' reads. FILE.changes lists the changes that somebody published, one a
 * line: the series' name, a tab, and the label (a commit, a time, or a part of one) or the number, from 0, of
 * the first value of the new level. Lines that begin with '#' are passed over.
 *
 * An event is a place where the search reports a change on some night, within NEAR values of where it did so
 * before. It is found if a published change is as near; else it stays if it is still reported on the last
 * night, and is transient if it is not.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/series.h"
#include "core/file.h"
#include "core/text.h"

enum { NEAR = 3, FIRST_NIGHT = 6, MOST_EVENTS = 1000, MOST_PUBLISHED = 10000 };

struct published {
	const char *series, *where;
	size_t index;
	bool seen;
};

struct event {
	size_t index;
	size_t first, last; /* nights that reported it: so many values */
};

struct walk {
	struct bench_arena arena;
	struct published published[MOST_PUBLISHED];
	size_t published_count;
	size_t series, values, found, events, transient, stayed;
	size_t delay; /* values from a published change to the night that found it, over all found */
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
	return event_count;
}

static void walk_series(struct walk *walk, const struct bench_app_series *series)
{
	struct event events[MOST_EVENTS];
	size_t count = find_events(series, events);

	walk->series++;
	walk->values += series->count;
	walk->events += count;
	for (size_t p = 0; p < walk->published_count; p++) {
		struct published *published = &walk->published[p];

		if (strcmp(published->series, series->name) != 0)
			continue;
		published->index = place(published, series);
		if (published->index == series->count)
			die(published->where, "a published change that the series has not");
	}
	for (size_t e = 0; e < count; e++) {
		bool matched = false;

		for (size_t p = 0; p < walk->published_count; p++) {
			struct published *published = &walk->published[p];

			if (strcmp(published->series, series->name) != 0 ||
			    apart(published->index, events[e].index) > NEAR)
				continue;
			matched = true;
			if (!published->seen) {
				walk->found++;
				walk->delay += events[e].first > published->index
						       ? events[e].first - published->index
						       : 0;
			}
			published->seen = true;
		}
		walk->stayed += !matched && events[e].last == series->count;
		walk->transient += !matched && events[e].last < series->count;
	}
}

static void walk_file(struct walk *walk, const char *path)
{
	struct bench_app_series_set set = {0};
	struct bench_error error;
	size_t published;

	read_published(walk, path);
	published = walk->published_count;
	if (bench_app_series_read(path, NULL, &walk->arena, &set, &error) != 0)
		die(path, error.text);
	walk->series = walk->values = walk->found = walk->events = walk->transient = walk->stayed =
		walk->delay = 0;
	for (size_t i = 0; i < set.count; i++)
		if (set.items[i].count >= FIRST_NIGHT)
			walk_series(walk, &set.items[i]);
	const char *name = strrchr(path, '/');
	printf("| %s | %zu | %zu | %zu of %zu | %.1f | %zu | %zu | %zu |\n", name ? name + 1 : path,
	       walk->series, walk->values, walk->found, published,
	       walk->found ? (double)walk->delay / (double)walk->found : 0, walk->events, walk->stayed,
	       walk->transient);
}

int main(int argc, char **argv)
{
	static struct walk walk;

	if (argc < 2) {
		fprintf(stderr, "usage: walk FILE.csv...\n");
		return 2;
	}
	printf("| series of | series | values | published changes found | nights later, in the mean | events "
	       "| of them "
	       "not published: still there at the end | transient |\n|---|---|---|---|---|---|---|---|\n");
	for (int i = 1; i < argc; i++)
		walk_file(&walk, argv[i]);
	bench_arena_free(&walk.arena);
	return 0;
}
