/* SPDX-License-Identifier: MIT */
/* The events' names and members, each once: what event_write.c writes and event_read.c reads. */
#include "record/event.h"
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
	[BENCH_SAMPLE_BASE_DEVICE_TIME] = "base_device_time",
	[BENCH_SAMPLE_RELATIVE_DEVICE] = "relative_device_time",
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
	{"usage", MEMBER_FLAG, EVENT(end.usage)},
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

const struct record_event_kind record_event_kinds[] = {
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
