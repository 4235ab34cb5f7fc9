/* SPDX-License-Identifier: MIT */
/* Lines of samples.jsonl as events. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/json.h"
#include "record/event.h"
#include "record/internal.h"

/* What is no range is one without samples, which the record refuses. */
static int read_ranges(const struct reader *in, const cJSON *object, struct bench_event_disturbed *disturbed)
{
	const cJSON *samples, *item;
	disturbed->range_count = 0;
	if (bench_json_object(object, RECORD_EVENT_RANGES, in->what, &samples, in->error) != 0)
		return -1;
	cJSON_ArrayForEach(item, samples)
	{
		if (disturbed->range_count == BENCH_EVENT_RANGES)
			return record_fail(in, "more than %d metrics", BENCH_EVENT_RANGES);
		double first = cJSON_GetNumberValue(cJSON_GetArrayItem(item, 0));
		double end = cJSON_GetNumberValue(cJSON_GetArrayItem(item, 1));
		struct bench_event_range range = {.metric = item->string};
		if (cJSON_GetArraySize(item) == 2 && first >= 0 && first < end && end <= RECORD_MAX_SAMPLES) {
			range.first = (size_t)first;
			range.end = (size_t)end;
		}
		disturbed->ranges[disturbed->range_count++] = range;
	}
	return 0;
}

static int read_kind(const cJSON *document, struct bench_event *event, struct bench_error *error)
{
	const char *name;
	if (bench_json_string(document, RECORD_EVENT_KIND, RECORD_EVENT_KIND, &name, error) != 0)
		return -1;
	for (size_t i = BENCH_EVENT_RUN; i < BENCH_EVENT_KINDS; i++)
		if (strcmp(record_event_kinds[i].name, name) == 0)
			event->kind = (enum bench_event_kind)i;
	const struct reader in = {NULL, record_event_kinds[event->kind].name, error};
	if (record_read_members(&in, document, record_event_kinds[event->kind].members, event) != 0)
		return -1;
	return event->kind == BENCH_EVENT_DISTURBED ? read_ranges(&in, document, &event->disturbed) : 0;
}

int bench_record_event_read(const char *line, size_t length, const char *what, struct bench_event *event,
			    struct bench_error *error)
{
	struct bench_error cause;
	*event = (struct bench_event){0};
	if (length > RECORD_LINE_BYTES)
		return bench_fail(error, BENCH_ENVIRONMENT, "%s: longer than %zu bytes", what,
				  RECORD_LINE_BYTES);
	*event = (struct bench_event){.document = bench_json_parse(line, length, what, error)};
	if (!event->document)
		return -1;
	if (read_kind(event->document, event, &cause) == 0)
		return 0;
	bench_record_event_free(event);
	return bench_fail(error, cause.code, "%s: %s", what, cause.text);
}

void bench_record_event_free(struct bench_event *event)
{
	cJSON_Delete(event->document);
	event->document = NULL;
}

bool bench_record_event_last_resume(const char *samples, struct bench_event_resume *resume)
{
	char begin[32];
	const char *last = NULL;
	struct bench_event event;
	snprintf(begin, sizeof(begin), "{\"%s\":\"%s\"", RECORD_EVENT_KIND,
		 record_event_kinds[BENCH_EVENT_RESUME].name);
	for (const char *found = samples; (found = strstr(found, begin)); found++)
		last = found;
	if (!last || bench_record_event_read(last, strcspn(last, "\n"), begin, &event, NULL) != 0)
		return false;
	if (!isnan(event.resume.at))
		resume->at = event.resume.at;
	if (!isnan(event.resume.used_seconds))
		resume->used_seconds = event.resume.used_seconds;
	bench_record_event_free(&event);
	return true;
}
