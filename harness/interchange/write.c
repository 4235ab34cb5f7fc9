/* SPDX-License-Identifier: MIT */
/* What writers share: a record's names, units and values as others would have them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/memory.h"
#include "interchange/internal.h"

const char *interchange_title(struct bench_arena *arena, const struct bench_result *result, char equals)
{
	const char *name = bench_record_note(result, "name"), *package = bench_record_note(result, "package");
	if (*name && !*package)
		return name;
	if (*name)
		return bench_arena_format(arena, "%s/pkg%c%s", name, equals, package);
	struct bench_text text = {0};
	bench_text_add(&text, "%s/%s%c%s", result->suite, result->backend, equals, result->device);
	for (size_t i = 0; i < result->param_count; i++)
		bench_text_add(&text, "/%s%c%s", result->params[i].name, equals, result->params[i].value);
	return bench_text_keep(&text, arena);
}

/* The note "KIND.NAME", or the fallback. */
static const char *original(const struct bench_result *result, const char *kind, const char *name,
			    const char *fallback)
{
	char key[128];
	snprintf(key, sizeof(key), "%s.%s", kind, name);
	const char *note = bench_record_note(result, key);
	return *note ? note : fallback;
}

const char *interchange_metric_name(const struct bench_result *result, const struct bench_metric *metric)
{
	return original(result, "metric", metric->name, metric->name);
}

const char *interchange_unit(const struct bench_result *result, const struct bench_metric *metric,
			     double *times, double *over)
{
	struct bench_unit unit;
	const char *came = original(result, "unit", metric->name, metric->unit);
	const bool known = bench_unit_parse(came, &unit) && strcmp(unit.si, metric->unit) == 0;
	*times = known ? unit.times : 1;
	*over = known ? unit.over : 1;
	return known ? came : metric->unit;
}

double interchange_rounded(double value)
{
	char text[32];
	snprintf(text, sizeof(text), "%.15g", value);
	return strtod(text, NULL);
}

double *interchange_values(struct bench_arena *arena, const struct bench_metric *metric, size_t *count)
{
	const bool medians = metric->series_count > 1;
	*count = medians ? metric->series_count : metric->series[0].count;
	double *values = bench_arena_alloc(arena, *count, sizeof(*values));
	for (size_t i = 0; i < *count; i++) {
		bool disturbed;
		values[i] = interchange_rounded(
			medians ? bench_record_series_median(&metric->series[i], &disturbed)
				: metric->series[0].values[i]);
	}
	return values;
}

bool interchange_leaves_out(const struct bench_result *result, const char *what,
			    struct bench_interchange_notes *notes)
{
	if (result->status == BENCH_STATUS_OK)
		return false;
	interchange_say(notes, "%s has no failures: cases that are not ok are left out", what);
	return true;
}

bool interchange_is_measured(const struct bench_metric *metric)
{
	return !*metric->derived_from && metric->series_count > 0 && metric->series[0].count > 0;
}

void interchange_say_medians(const struct bench_run *run, const char *what,
			     struct bench_interchange_notes *notes)
{
	bool several = false, flagged = false;
	for (size_t i = 0; i < run->result_count; i++)
		for (size_t m = 0; m < run->results[i].metric_count; m++) {
			const struct bench_metric *metric = &run->results[i].metrics[m];
			if (!interchange_is_measured(metric))
				continue;
			for (size_t s = 0; metric->series_count > 1 && s < metric->series_count; s++)
				several |= metric->series[s].count > 1;
			flagged |= metric->summary.disturbed > 0;
		}
	if (several)
		interchange_say(notes,
				"%s has no invocations: the median of each stands as one value (csv keeps "
				"every sample)",
				what);
	if (flagged)
		interchange_say(notes, "%s has no flags of disturbance", what);
}

void interchange_add_number(cJSON *object, const char *member, double value)
{
	char text[32];
	snprintf(text, sizeof(text), "%.15g", value);
	cJSON_AddItemToObject(object, member, isfinite(value) ? cJSON_CreateRaw(text) : cJSON_CreateNull());
}

void interchange_add_field(struct bench_text *out, const char *text)
{
	BENCH_SCOPED_TEXT line = {0};
	bench_text_add_line(&line, text);
	const char *shown = line.data ? line.data : "";
	if (!strpbrk(shown, ",;\"\t") && *shown != '#' && *shown != ' ') {
		bench_text_add(out, "%s", shown);
	} else {
		bench_text_add(out, "\"");
		for (const char *at = shown; *at; at++)
			bench_text_add(out, *at == '"' ? "\"\"" : "%c", *at);
		bench_text_add(out, "\"");
	}
}

void interchange_print(cJSON *root, struct bench_text *out)
{
	BENCH_SCOPED_MEMORY char *text = bench_json_print(root, true);
	bench_text_add_json(out, text);
	bench_text_add(out, "\n");
}

void interchange_utc(int64_t seconds, char out[32])
{
	struct tm parts;
	time_t at = (time_t)seconds;
	if (!gmtime_r(&at, &parts) || !strftime(out, 32, "%Y-%m-%dT%H:%M:%S+00:00", &parts))
		*out = '\0';
}
