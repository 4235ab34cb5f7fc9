/* SPDX-License-Identifier: MIT */
/* Events as lines of samples.jsonl. */
#include "core/json.h"
#include "record/event.h"
#include "record/internal.h"

static cJSON *new_line(const struct bench_event *event)
{
	cJSON *object = cJSON_CreateObject();
	cJSON_AddStringToObject(object, RECORD_EVENT_KIND, record_event_kinds[event->kind].name);
	record_add_members(object, record_event_kinds[event->kind].members, event);
	return object;
}

char *bench_record_event_line(const struct bench_event *event)
{
	const struct bench_event_disturbed *disturbed = &event->disturbed;
	cJSON *object = new_line(event), *samples = NULL;
	if (event->kind == BENCH_EVENT_DISTURBED)
		samples = cJSON_AddObjectToObject(object, RECORD_EVENT_RANGES);
	for (size_t i = 0; samples && i < disturbed->range_count; i++) {
		cJSON *range = cJSON_AddArrayToObject(samples, disturbed->ranges[i].metric);
		cJSON_AddItemToArray(range, bench_json_real((double)disturbed->ranges[i].first));
		cJSON_AddItemToArray(range, bench_json_real((double)disturbed->ranges[i].end));
	}
	return bench_json_print(object, false);
}

char *bench_record_event_run_line(const struct bench_run *run)
{
	cJSON *object = new_line(&(struct bench_event){.kind = BENCH_EVENT_RUN});
	record_add_schema(object, BENCH_SAMPLES_SCHEMA);
	record_add_head(object, run);
	return bench_json_print(object, false);
}

char *bench_record_event_case_line(const struct bench_run *run, size_t index)
{
	cJSON *object = new_line(&(struct bench_event){.kind = BENCH_EVENT_CASE, .index = index});
	record_add_case(object, &run->results[index]);
	return bench_json_print(object, false);
}
