#include "app/series.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/series_internal.h"
#include "core/file.h"
#include "core/text.h"
#include "stats/changepoints.h"

enum series_label app_series_label(const char *name)
{
	static const struct {
		const char *name;
		enum series_label label;
	} names[] = {{"time", SERIES_TIME},    {"date", SERIES_TIME},     {"timestamp", SERIES_TIME},
		     {"started", SERIES_TIME}, {"commit", SERIES_COMMIT}, {"revision", SERIES_COMMIT},
		     {"sha", SERIES_COMMIT},   {"hash", SERIES_COMMIT},   {"version", SERIES_COMMIT},
		     {"build", SERIES_COMMIT}, {"run", SERIES_COMMIT},    {"index", SERIES_COMMIT}};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcasecmp(name, names[i].name) == 0)
			return names[i].label;
	return SERIES_NO_LABEL;
}

struct bench_app_series *app_series_add(struct app_series_reader *reader, const char *name)
{
	if (reader->count >= BENCH_APP_SERIES_MOST) {
		bench_fail(reader->error, BENCH_ENVIRONMENT, "%s: more than %d series: split the file",
			   reader->what, BENCH_APP_SERIES_MOST);
		return NULL;
	}
	struct bench_app_series *series =
		bench_arena_push(reader->arena, &reader->series, &reader->count, sizeof(*series));
	series->name = bench_arena_string(reader->arena, name);
	return series;
}

int app_series_push(struct app_series_reader *reader, struct bench_app_series *series, double value)
{
	if (series->count >= BENCH_APP_SERIES_VALUES)
		return bench_fail(reader->error, BENCH_ENVIRONMENT,
				  "%s: series '%.100s' has more than %d values: cut it", reader->what,
				  series->name, BENCH_APP_SERIES_VALUES);
	*(double *)bench_arena_push(reader->arena, &series->values, &series->count, sizeof(double)) = value;
	return 0;
}

bool app_series_names(const char *name)
{
	static const char *const names[] = {"name", "metric", "benchmark", "test"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcasecmp(name, names[i]) == 0)
			return true;
	return false;
}

static struct app_series_growing *find_growing(struct app_series_reader *reader,
					       struct app_series_group *group, const char *name)
{
	for (size_t i = group->count; i > 0; i--)
		if (strcmp(reader->series[group->members[i - 1].index].name, name) == 0)
			return &group->members[i - 1];
	if (!app_series_add(reader, name))
		return NULL;
	struct app_series_growing *growing =
		bench_arena_push(reader->arena, &group->members, &group->count, sizeof(*growing));
	growing->index = reader->count - 1;
	return growing;
}

int app_series_append(struct app_series_reader *reader, struct app_series_group *group, const char *name,
		      double value, const char *label)
{
	struct app_series_growing *growing = find_growing(reader, group, name);
	if (!growing)
		return -1;
	struct bench_app_series *series = &reader->series[growing->index];
	if (label) {
		*(const char **)bench_arena_push(reader->arena, &growing->labels, &growing->label_count,
						 sizeof(label)) = label;
		series->labels = growing->labels;
	}
	return app_series_push(reader, series, value);
}

int bench_app_series_parse(const char *data, size_t length, const char *what, struct bench_arena *arena,
			   struct bench_app_series **series, size_t *count, struct bench_error *error)
{
	struct app_series_reader reader = {
		.what = what, .arena = arena, .series = *series, .count = *count, .error = error};
	size_t start = 0;
	int result = -1;
	if (length >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0)
		start = 3; /* a byte order mark, as spreadsheets write it */
	size_t first = start;
	while (first < length && strchr(" \t\r\n", data[first]) && data[first])
		first++;
	if (memchr(data, '\0', length))
		return bench_fail(error, BENCH_ENVIRONMENT, "%s: has bytes of 0: it is no text", what);
	if (first < length && (data[first] == '[' || data[first] == '{')) {
		result = app_series_json(&reader, data + first, length - first);
	} else {
		char *copy = malloc(length - start + 1); /* the reader ends fields in place */
		if (!copy)
			return bench_fail(error, BENCH_NO_MEMORY, "%s: no memory for %zu bytes", what,
					  length);
		memcpy(copy, data + start, length - start);
		copy[length - start] = '\0';
		result = app_series_csv(&reader, copy);
		free(copy);
	}
	if (result != 0)
		return -1;
	if (reader.count == *count)
		return bench_fail(error, BENCH_NOTHING,
				  "%s: no series of numbers in it ('bench changepoints --help' says what is "
				  "read)",
				  what);
	*series = reader.series;
	*count = reader.count;
	return 0;
}

/* Leaves of the series from `first` on that which has the name. */
static int choose(struct bench_app_series *series, size_t first, size_t *count, const char *column,
		  struct bench_arena *arena, struct bench_error *error)
{
	const char **names = bench_arena_alloc(arena, *count - first + 1, sizeof(*names));
	for (size_t i = first; i < *count; i++) {
		names[i - first] = series[i].name;
		if (strcmp(series[i].name, column) == 0) {
			series[first] = series[i];
			*count = first + 1;
			return 0;
		}
	}
	return bench_text_no_such("series", column, names, *count - first, "", error);
}

int bench_app_series_read(const char *path, const char *column, struct bench_arena *arena,
			  struct bench_app_series **series, size_t *count, struct bench_error *error)
{
	char *data;
	size_t length, first = *count;
	bool standard = strcmp(path, "-") == 0;
	if ((standard ? bench_file_read_input(BENCH_APP_SERIES_BYTES, &data, &length, error)
		      : bench_file_read(path, BENCH_APP_SERIES_BYTES, &data, &length, error)) != 0)
		return -1;
	int result = bench_app_series_parse(data, length, standard ? "standard input" : path, arena, series,
					    count, error);
	free(data);
	return result == 0 && column ? choose(*series, first, count, column, arena, error) : result;
}

/* The values of a series that there are, and where they stand in it. */
struct present {
	double *values;
	size_t *places;
	size_t count;
};

static void find_present(const struct bench_app_series *series, bool logarithms, struct bench_arena *arena,
			 struct present *present)
{
	present->values = bench_arena_alloc(arena, series->count + 1, sizeof(double));
	present->places = bench_arena_alloc(arena, series->count + 1, sizeof(size_t));
	for (size_t i = 0; i < series->count; i++)
		if (!isnan(series->values[i])) {
			present->values[present->count] =
				logarithms ? log(series->values[i]) : series->values[i];
			present->places[present->count++] = i;
		}
}

static bool has_logarithms(const struct bench_app_series *series)
{
	for (size_t i = 0; i < series->count; i++)
		if (series->values[i] <= 0)
			return false;
	return true;
}

static const char *label_of(const struct bench_app_series *series, size_t place)
{
	return series->labels ? series->labels[place] : "";
}

static struct bench_change describe(const struct bench_app_series *series, const struct present *present,
				    const struct bench_stats_changepoint *found, bool logarithms)
{
	size_t last = present->places[found->index - 1], first = present->places[found->index];
	const struct bench_interval *shift = &found->shift;
	struct bench_change change = {.key = series->name,
				      .unit = "",
				      .fingerprint = "",
				      .last_run = label_of(series, last),
				      .first_run = label_of(series, first),
				      .last_commit = "",
				      .first_commit = "",
				      .index = first,
				      .before = logarithms ? exp(found->before) : found->before,
				      .after = logarithms ? exp(found->after) : found->after,
				      .ratio = *shift,
				      .is_difference = !logarithms,
				      .p = found->p,
				      .why = ""};
	if (logarithms)
		change.ratio = (struct bench_interval){exp(shift->estimate), exp(shift->lo), exp(shift->hi),
						       shift->level};
	return change;
}

size_t bench_app_series_changes(const struct bench_app_series *series, size_t count,
				const struct bench_app_series_options *options, struct bench_arena *arena,
				struct bench_change **changes, size_t *linear_count)
{
	size_t change_count = 0;
	*changes = NULL;
	*linear_count = 0;
	for (size_t s = 0; s < count; s++) {
		struct present present = {0};
		struct bench_stats_changepoint *found;
		bool positive = has_logarithms(&series[s]), logarithms = positive && !options->linear;
		find_present(&series[s], logarithms, arena, &present);
		double least =
			logarithms ? log1p(options->least)
			: present.count > 0
				? options->least * fabs(bench_stats_median(present.values, present.count))
				: 0;
		const struct bench_stats_changepoint_options searched = {
			.alpha = options->alpha / (double)count, .least = least};
		size_t found_count =
			bench_stats_changepoints(present.values, present.count, &searched, &found);
		for (size_t i = 0; i < found_count; i++) {
			struct bench_change *change =
				bench_arena_push(arena, changes, &change_count, sizeof(*change));
			*change = describe(&series[s], &present, &found[i], logarithms);
			change->better = options->better;
		}
		free(found);
		*linear_count += !positive && !options->linear;
	}
	return change_count;
}
