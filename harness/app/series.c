/* SPDX-License-Identifier: MIT */
#include "app/series.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/series_internal.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "stats/changepoints.h"

#define NOTES_MOST 50

void app_series_note(struct app_series_reader *reader, const char *format, ...)
{
	struct bench_app_series_set *set = reader->set;
	va_list arguments;
	va_start(arguments, format);
	const char *text = bench_arena_format(reader->arena, "%s: %s", reader->what,
					      bench_arena_vformat(reader->arena, format, arguments));
	va_end(arguments);
	if (set->note_count < NOTES_MOST)
		bench_text_find_or_add(reader->arena, &set->notes, &set->note_count, sizeof(text), text);
}

int app_series_join(struct app_series_reader *reader, const char *path, const char *name,
		    struct app_place *place)
{
	struct app_place joined;
	const int length = snprintf(joined.path, sizeof(joined.path), "%s%s%s", path,
				    *path && *name && *name != '[' ? "." : "", name);
	if (length < 0 || (size_t)length >= sizeof(joined.path))
		return bench_fail(reader->error, BENCH_ENVIRONMENT,
				  "%s: the name of a series is longer than %zu bytes: '%.60s...'",
				  reader->what, sizeof(joined.path) - 1, joined.path);
	*place = joined;
	return 0;
}

/* Where the JSON of a script begins that assigns it ("window.DATA = {"), or which is JSON; NULL: neither. */
static const char *find_json(const char *text)
{
	text += strspn(text, " \t\r\n");
	if (isalpha((unsigned char)*text)) {
		while (isalnum((unsigned char)*text) || (*text && strchr("._$ ", *text)))
			text++;
		if (*text != '=')
			return NULL;
		text += 1 + strspn(text + 1, " \t\r\n");
	}
	return *text == '[' || *text == '{' ? text : NULL;
}

/* Reads a text, which it may change. */
static int parse(struct app_series_reader *reader, char *text)
{
	static const char mark[] = "\xef\xbb\xbf"; /* a byte order mark */
	text += strncmp(text, mark, 3) == 0 ? 3 : 0;
	const char *json = find_json(text);
	if (!json)
		return app_series_csv(reader, text);
	const char *end = text + strlen(text);
	while (end > json && strchr(" \t\r\n;", end[-1]))
		end--;
	return app_series_json(reader, text + (json - text), (size_t)(end - json));
}

int bench_app_series_parse(const char *data, size_t length, const char *what, struct bench_arena *arena,
			   struct bench_app_series_set *set, struct bench_error *error)
{
	struct app_series_reader reader = {.what = what, .arena = arena, .set = set, .error = error};
	const size_t before = set->count;
	if (memchr(data, '\0', length))
		return bench_fail(error, BENCH_ENVIRONMENT, "%s: is not a text: it contains zero bytes",
				  what);
	BENCH_SCOPED_MEMORY char *copy = bench_memory_alloc(length + 1, 1);
	memcpy(copy, data, length);
	if (parse(&reader, copy) != 0)
		return -1;
	if (set->count > before)
		return 0;
	return bench_fail(
		error, BENCH_NOTHING,
		"%s: no series of numbers in it ('bench changepoints --help' describes the formats)", what);
}

/* Leaves of the series from `first` on that which has the name. */
static int choose(struct bench_app_series_set *set, size_t first, const char *column,
		  struct bench_arena *arena, struct bench_error *error)
{
	const char **names = bench_arena_alloc(arena, set->count - first + 1, sizeof(*names));
	for (size_t i = first; i < set->count; i++) {
		names[i - first] = set->items[i].name;
		if (strcmp(set->items[i].name, column) == 0) {
			set->items[first] = set->items[i];
			set->count = first + 1;
			return 0;
		}
	}
	return bench_text_no_such("series", column, names, set->count - first, "", error);
}

int bench_app_series_read(const char *path, const char *column, struct bench_arena *arena,
			  struct bench_app_series_set *set, struct bench_error *error)
{
	BENCH_SCOPED_MEMORY char *data = NULL;
	size_t length;
	const size_t first = set->count;
	bool standard = strcmp(path, "-") == 0;
	if ((standard ? bench_file_read_input(BENCH_APP_SERIES_BYTES, &data, &length, error)
		      : bench_file_read(path, BENCH_APP_SERIES_BYTES, &data, &length, error)) != 0 ||
	    bench_app_series_parse(data, length, standard ? "standard input" : path, arena, set, error) != 0)
		return -1;
	return column ? choose(set, first, column, arena, error) : 0;
}

int bench_app_series_cut(struct bench_app_series_set *set, const struct bench_app_period *period,
			 struct bench_error *error)
{
	size_t left = 0;
	for (size_t i = 0; i < set->count; i++) {
		struct bench_app_series series = set->items[i];
		size_t kept = 0;
		if (!series.times)
			return bench_fail(
				error, BENCH_USAGE,
				"series '%s' has no dates: --since and --until need a column of them",
				series.name);
		for (size_t v = 0; v < series.count; v++) {
			if (!(series.times[v] >= (double)period->since &&
			      series.times[v] <= (double)period->until))
				continue;
			series.values[kept] = series.values[v];
			series.times[kept] = series.times[v];
			if (series.labels)
				series.labels[kept] = series.labels[v];
			kept++;
		}
		series.count = kept;
		if (kept > 0)
			set->items[left++] = series;
	}
	set->count = left;
	return left > 0 ? 0 : bench_fail(error, BENCH_NOTHING, "no value is from that period");
}

bool bench_app_series_is_searched(const struct bench_app_series *series)
{
	size_t present = 0;
	for (size_t i = 0; i < series->count; i++)
		present += isnan(series->values[i]) ? 0 : 1;
	return present >= (size_t)BENCH_STATS_LEVEL_VALUES * 2;
}

static struct bench_change describe(const struct bench_app_series *series, const size_t *places,
				    const struct bench_stats_changepoint *found, bool logarithms)
{
	const size_t last = places[found->index - 1], first = places[found->index];
	const struct bench_interval *shift = &found->shift;
	return (struct bench_change){
		.key = series->name,
		.unit = series->unit,
		.fingerprint = "",
		.last_run = series->labels ? series->labels[last] : "",
		.first_run = series->labels ? series->labels[first] : "",
		.last_commit = "",
		.first_commit = "",
		.index = first,
		.before = logarithms ? exp(found->before) : found->before,
		.after = logarithms ? exp(found->after) : found->after,
		.ratio = logarithms ? (struct bench_interval){exp(shift->estimate), exp(shift->lo),
							      exp(shift->hi), shift->level}
				    : *shift,
		.is_difference = !logarithms,
		.p = found->p,
		.why = ""};
}

size_t bench_app_series_changes(const struct bench_app_series *series, size_t count,
				const struct bench_app_series_options *options, struct bench_arena *arena,
				struct bench_change **changes, size_t *linear_count)
{
	size_t change_count = 0, searched_count = 0;
	*changes = NULL;
	*linear_count = 0;
	for (size_t s = 0; s < count; s++)
		searched_count += bench_app_series_is_searched(&series[s]);
	for (const struct bench_app_series *one = series; one < series + count; one++) {
		double *values = bench_arena_alloc(arena, one->count + 1, sizeof(*values));
		size_t *places = bench_arena_alloc(arena, one->count + 1, sizeof(*places)), present = 0;
		bool positive = true;
		if (!bench_app_series_is_searched(one))
			continue;
		for (size_t i = 0; i < one->count; i++)
			positive = positive && !(one->values[i] <= 0);
		const bool logarithms = positive && !options->linear;
		for (size_t i = 0; i < one->count; i++)
			if (!isnan(one->values[i])) {
				values[present] = logarithms ? log(one->values[i]) : one->values[i];
				places[present++] = i;
			}
		const struct bench_stats_changepoint_options searched = {
			.alpha = options->alpha / (double)searched_count,
			.least = logarithms ? log1p(options->least)
					    : options->least * fabs(bench_stats_median(values, present))};
		struct bench_stats_changepoint *found;
		const size_t found_count = bench_stats_changepoints(values, present, &searched, &found);
		for (size_t i = 0; i < found_count; i++) {
			struct bench_change *change =
				bench_arena_push(arena, changes, &change_count, sizeof(*change));
			*change = describe(one, places, &found[i], logarithms);
			change->better = options->as_stated ? one->better : options->better;
		}
		free(found);
		*linear_count += !positive && !options->linear;
	}
	return change_count;
}
