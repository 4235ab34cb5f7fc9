#include "record/event.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/json.h"
#include "record/internal.h"

#define EVENT(field) .offset = offsetof(struct bench_event, field)

static const char *const sample_names[] = {
	[BENCH_SAMPLE_TIME] = "time",
	[BENCH_SAMPLE_LATENCY] = "latency",
	[BENCH_SAMPLE_DEVICE_TIME] = "device_time",
	[BENCH_SAMPLE_RELATIVE] = "relative_time",
	[BENCH_SAMPLE_FIRST_CALL] = "first_call",
	[BENCH_SAMPLE_FIRST_CALL_COMPILE] = "first_call_compile",
	[BENCH_SAMPLE_BASE_TIME] = "base_time",
};

const char *bench_record_sample_name(enum bench_sample_kind kind)
{
	return sample_names[kind];
}

static const struct member case_members[] = {{"case", MEMBER_INDEX, EVENT(index)}, {0}};
static const struct member begin_members[] = {
	{"", MEMBER_ALL_OF, .members = case_members},
	{"invocation", MEMBER_INVOCATION, EVENT(invocation)},
	{0},
};
/* All that happens in an invocation begins so. */
#define IN_INVOCATION                                                                                        \
	{                                                                                                    \
		"", MEMBER_ALL_OF, .members = begin_members                                                  \
	}

static const struct member introduced_members[] = {{"index", MEMBER_INDEX, EVENT(index)}, {0}};
static const struct member sample_members[] = {
	IN_INVOCATION,
	{"metric", MEMBER_TEXT, EVENT(sample.metric), RECORD_MAX_TEXT},
	{"value", MEMBER_NUMBER, EVENT(sample.value)},
	{"iterations", MEMBER_SIZE, EVENT(sample.iterations)},
	{"at", MEMBER_ANY_NUMBER, EVENT(sample.at)},
	{"unit", MEMBER_HINT, EVENT(sample.unit)},
	{"better", MEMBER_HINT, EVENT(sample.better)},
	{"disturbed", MEMBER_FLAG, EVENT(sample.disturbed)},
	{0},
};
static const struct member disturbed_members[] = {
	IN_INVOCATION,
	{"reason", MEMBER_HINT, EVENT(disturbed.reason)},
	{0},
};
static const char ranges_member[] = "samples";
static const struct member watched_members[] = {
	IN_INVOCATION,
	{"", MEMBER_ALL_OF, EVENT(watched.seen), .members = record_watched_members},
	{"canary_fastest", MEMBER_ANY_NUMBER, EVENT(watched.canary_fastest)},
	{0},
};
static const struct member check_members[] = {
	IN_INVOCATION,
	{"", MEMBER_ALL_OF, EVENT(check), .members = record_check_members},
	{0},
};
static const struct member note_members[] = {
	{"", MEMBER_ALL_OF, .members = case_members},
	{"invocation", MEMBER_INVOCATION_IF_ANY, EVENT(invocation)},
	{"name", MEMBER_TEXT, EVENT(note.name), RECORD_MAX_NAME},
	{"value", MEMBER_TEXT, EVENT(note.value), RECORD_MAX_TEXT},
	{0},
};
static const struct member end_members[] = {
	IN_INVOCATION,
	{"status", MEMBER_WORD, EVENT(end.status), .words = &record_status_words},
	{"reason", MEMBER_TEXT, EVENT(end.reason), RECORD_MAX_TEXT},
	{"stopped", MEMBER_TEXT, EVENT(end.stopped), RECORD_MAX_NAME, .words = &record_stop_words},
	{0},
};
static const struct member resume_members[] = {
	{"at", MEMBER_ANY_NUMBER, EVENT(resume.at)},
	{"used_seconds", MEMBER_ANY_NUMBER, EVENT(resume.used_seconds)},
	{0},
};
static const struct member finish_members[] = {
	{"finished", MEMBER_TIME, EVENT(finish.finished)},
	{"interrupted", MEMBER_BOOL, EVENT(finish.interrupted)},
	{0},
};
static const struct member no_members[] = {{0}};

static const char kind_member[] = "event";

static const struct {
	const char *name;
	const struct member *members;
} kinds[] = {
	[BENCH_EVENT_UNKNOWN] = {"", no_members},
	[BENCH_EVENT_RUN] = {"run", no_members}, /* and what head.c has */
	[BENCH_EVENT_CASE] = {"case", introduced_members},
	[BENCH_EVENT_BEGIN] = {"begin", begin_members},
	[BENCH_EVENT_SAMPLE] = {"sample", sample_members},
	[BENCH_EVENT_DISTURBED] = {"disturbed", disturbed_members},
	[BENCH_EVENT_WATCHED] = {"watched", watched_members},
	[BENCH_EVENT_CHECK] = {"check", check_members},
	[BENCH_EVENT_NOTE] = {"note", note_members},
	[BENCH_EVENT_END] = {"end", end_members},
	[BENCH_EVENT_RESUME] = {"resume", resume_members},
	[BENCH_EVENT_FINISH] = {"finish", finish_members},
};

const char *record_event_name(enum bench_event_kind kind)
{
	return kinds[kind].name;
}

static cJSON *new_line(const struct bench_event *event)
{
	cJSON *object = cJSON_CreateObject();
	cJSON_AddStringToObject(object, kind_member, kinds[event->kind].name);
	record_add_members(object, kinds[event->kind].members, event);
	return object;
}

static char *print_line(cJSON *object)
{
	char *line = cJSON_PrintUnformatted(object);
	cJSON_Delete(object);
	return line;
}

char *bench_record_event_line(const struct bench_event *event)
{
	const struct bench_event_disturbed *disturbed = &event->disturbed;
	cJSON *object = new_line(event), *samples = NULL;
	if (event->kind == BENCH_EVENT_DISTURBED)
		samples = cJSON_AddObjectToObject(object, ranges_member);
	for (size_t i = 0; samples && i < disturbed->range_count; i++) {
		cJSON *range = cJSON_AddArrayToObject(samples, disturbed->ranges[i].metric);
		cJSON_AddItemToArray(range, bench_json_real((double)disturbed->ranges[i].first));
		cJSON_AddItemToArray(range, bench_json_real((double)disturbed->ranges[i].end));
	}
	return print_line(object);
}

char *bench_record_event_run_line(const struct bench_run *run)
{
	cJSON *object = new_line(&(struct bench_event){.kind = BENCH_EVENT_RUN});
	record_add_schema(object, BENCH_SAMPLES_SCHEMA);
	record_add_head(object, run);
	return print_line(object);
}

char *bench_record_event_case_line(const struct bench_run *run, size_t index)
{
	cJSON *object = new_line(&(struct bench_event){.kind = BENCH_EVENT_CASE, .index = index});
	record_add_case(object, &run->results[index]);
	return print_line(object);
}

/* What is no range is one without samples, which the record refuses. */
static int read_ranges(const struct reader *in, const cJSON *object, struct bench_event_disturbed *disturbed)
{
	const cJSON *samples, *item;
	disturbed->range_count = 0;
	if (bench_json_object(object, ranges_member, in->what, &samples, in->error) != 0)
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
	if (bench_json_string(document, kind_member, kind_member, &name, error) != 0)
		return -1;
	for (size_t i = BENCH_EVENT_RUN; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].name, name) == 0)
			event->kind = (enum bench_event_kind)i;
	const struct reader in = {NULL, kinds[event->kind].name, error};
	if (record_read_members(&in, document, kinds[event->kind].members, event) != 0)
		return -1;
	return event->kind == BENCH_EVENT_DISTURBED ? read_ranges(&in, document, &event->disturbed) : 0;
}

int bench_record_event_read(const char *line, size_t length, const char *what, struct bench_event *event,
			    struct bench_error *error)
{
	struct bench_error cause;
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
	snprintf(begin, sizeof(begin), "{\"%s\":\"%s\"", kind_member, kinds[BENCH_EVENT_RESUME].name);
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
