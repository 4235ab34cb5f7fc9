/* SPDX-License-Identifier: MIT */
/*
 * Events: the lines of samples.jsonl (docs/file-formats.md). Only this room knows how they are written:
 * others fill and read structs.
 *
 * A new kind needs a value of the enum, a struct for its members, a row in the table of event.c, and a
 * function in apply.c if it changes the record.
 */
#ifndef BENCH_RECORD_EVENT_H
#define BENCH_RECORD_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/record.h"

/* The metrics that samples are taken of by the harness itself. */
enum bench_sample_kind {
	BENCH_SAMPLE_TIME,        /* one of many iterations in a row, end to end */
	BENCH_SAMPLE_LATENCY,     /* an iteration alone; of items that have a device time */
	BENCH_SAMPLE_DEVICE_TIME, /* an iteration by the device's own clock */
	BENCH_SAMPLE_RELATIVE,    /* time over the base's, no unit; of items that have a base */
	BENCH_SAMPLE_KINDS,       /* those above are the sampler's */
	BENCH_SAMPLE_FIRST_CALL = BENCH_SAMPLE_KINDS,
	BENCH_SAMPLE_FIRST_CALL_COMPILE,
	BENCH_SAMPLE_BASE_TIME, /* of a duel's base */
	BENCH_SAMPLE_BASE_DEVICE_TIME,
	BENCH_SAMPLE_RELATIVE_DEVICE, /* device time over that of a duel's base */
};

const char *bench_record_sample_name(enum bench_sample_kind kind); /* "time", "latency", ... */

enum bench_event_kind {
	BENCH_EVENT_UNKNOWN, /* read from a newer file: to be passed over */
	BENCH_EVENT_RUN,
	BENCH_EVENT_CASE,
	BENCH_EVENT_BEGIN,
	BENCH_EVENT_SAMPLE,
	BENCH_EVENT_DISTURBED,
	BENCH_EVENT_WATCHED,
	BENCH_EVENT_CHECK,
	BENCH_EVENT_NOTE,
	BENCH_EVENT_END,
	BENCH_EVENT_RESUME,
	BENCH_EVENT_FINISH,
	BENCH_EVENT_KINDS,
};

struct bench_event_sample {
	const char *metric;
	double value;
	uint64_t iterations;
	double at;                 /* seconds since the process started */
	const char *unit, *better; /* NULL: of a metric that the harness knows */
	bool disturbed;
};

/* Samples [first, end) of a metric in the invocation. */
struct bench_event_range {
	const char *metric;
	size_t first, end;
};

#define BENCH_EVENT_RANGES 128

struct bench_event_disturbed {
	const char *reason; /* NULL: none is given */
	struct bench_event_range ranges[BENCH_EVENT_RANGES];
	size_t range_count;
};

struct bench_event_watched {
	struct bench_watched seen; /* its invocation is the event's */
	double canary_fastest;     /* of the run up to there, for its next workers; NaN: not known */
};

struct bench_event_note {
	const char *name, *value;
};

struct bench_event_end {
	enum bench_status status;
	const char *reason;  /* "" if ok */
	const char *stopped; /* bench_record_stop_name */
	bool usage;          /* failed with BENCH_USAGE */
};

struct bench_event_resume {
	double at, used_seconds; /* Unix seconds; of the budget. NaN: not told */
};

struct bench_event_finish {
	int64_t finished; /* Unix seconds */
	bool interrupted;
};

struct bench_event {
	enum bench_event_kind kind;
	size_t index;   /* of the case; none of RUN, RESUME, FINISH */
	int invocation; /* none of these and CASE */
	union {
		struct bench_event_sample sample;
		struct bench_event_disturbed disturbed;
		struct bench_event_watched watched;
		struct bench_check check;
		struct bench_event_note note;
		struct bench_event_end end;
		struct bench_event_resume resume;
		struct bench_event_finish finish;
	};
	struct cJSON *document; /* of one that was read: its texts are in it */
};

/* The event as a line without its newline (malloc'd). RUN and CASE have their own. */
char *bench_record_event_line(const struct bench_event *event);
/* The first event: everything known before measuring starts. */
char *bench_record_event_run_line(const struct bench_run *run);
/* The event of result `index`, before its invocations. */
char *bench_record_event_case_line(const struct bench_run *run, size_t index);

/*
 * Reads a line, which `what` names in messages; freed with bench_record_event_free. -1, BENCH_ENVIRONMENT:
 * the line is not JSON, or a member of a known kind is missing or mistyped. Then there is nothing to free.
 */
int bench_record_event_read(const char *line, size_t length, const char *what, struct bench_event *event,
			    struct bench_error *error);
void bench_record_event_free(struct bench_event *event);

/*
 * The last time that a run was resumed, from the text of its samples.jsonl; false: it never was. Members
 * that the line lacks keep their values in *resume.
 */
bool bench_record_event_last_resume(const char *samples, struct bench_event_resume *resume);

/*
 * Takes an event that was read into the record. Unknown ones are ignored, so that newer files can be read;
 * one that does not fit what came before is an error and changes nothing. The samples of an invocation
 * join the record when it ends "ok": those of one that a kill cut short were never checked
 * at its end, and are not published.
 */
int bench_record_apply(struct bench_run *run, const struct bench_event *event, struct bench_error *error);
/* Reads a line and applies it; `what` names it in messages. */
int bench_record_apply_line(struct bench_run *run, const char *line, size_t length, const char *what,
			    struct bench_error *error);

#endif
