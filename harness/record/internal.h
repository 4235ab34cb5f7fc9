/* SPDX-License-Identifier: MIT */
/* What the files of harness/record share; no other room includes this. */
#ifndef BENCH_RECORD_INTERNAL_H
#define BENCH_RECORD_INTERNAL_H

#include <limits.h>

#include "record/event.h"
#include "record/member.h"
#include "record/record.h"

/* Bounds on what a file from outside may hold: far above any run, and kept in memory with ease. */
enum {
	RECORD_MAX_RESULTS = 100 * 1000,
	RECORD_MAX_SAMPLES = 10 * 1000 * 1000, /* of a run, in all */
	RECORD_MAX_INVOCATION = 9999,
	RECORD_MAX_METRICS = BENCH_EVENT_RANGES, /* of a result, measured */
	RECORD_MAX_ATTRIBUTES = 1000,            /* labels, notes, facts about the host */
	RECORD_MAX_PARAMS = 64,
	RECORD_MAX_DEVICES = 1000,
	RECORD_MAX_LIST = 1000,
	RECORD_MAX_NAME = 63,           /* characters of a name */
	RECORD_MAX_TEXT = 8 * 1024,     /* of a reason, a note, a version ... */
	RECORD_MAX_COMMAND = 64 * 1024, /* of a command line */
	RECORD_MAX_EXTENSION = 1024 * 1024
};
#define RECORD_METRICS_FILE_BYTES ((size_t)256 << 20)
#define RECORD_SAMPLES_FILE_BYTES ((size_t)1 << 30)
#define RECORD_LINE_BYTES         ((size_t)64 << 20) /* of samples.jsonl */

/* folder.c: "folder/name" into out; BENCH_ENVIRONMENT if it does not fit. */
int record_join(char out[PATH_MAX], const char *folder, const char *name, struct bench_error *error);

/* head.c: the members run, git, host and devices, into a run that has none yet. */
void record_add_head(cJSON *object, const struct bench_run *run);
int record_read_head(const struct reader *in, const cJSON *object, struct bench_run *run);
/* The members suite ... notes, as a new result at the end of the run. */
void record_add_case(cJSON *object, const struct bench_result *result);
int record_read_case(const struct reader *in, const cJSON *object, struct bench_run *run);

/* json.c: members that events have, too. Those of what was watched are without its invocation. */
extern const struct member record_check_members[];
extern const struct member record_watched_members[];
/* The member schema; read, it must be the one expected. */
void record_add_schema(cJSON *object, const char *schema);
int record_check_schema(const struct reader *in, const cJSON *object, const char *expected);
/*
 * A metric of that name, checked against what the name means; unit and better are NULL where they are not
 * given, as a known metric needs none. *metric points to what was given.
 */
int record_check_metric(const struct reader *in, const char *name, const char *unit, const char *better,
			struct bench_metric_spec *metric);

/* member_write.c: whole numbers by enum member_type: how large one is in memory, and the largest that a file
 * may have. */
struct record_integer {
	size_t bytes;
	int64_t largest;
};
extern const struct record_integer record_integers[];

/* event.c: the events by their kind, the name and the members of each. A line begins with the member of the
 * kind. */
struct record_event_kind {
	const char *name;
	const struct member *members;
};
extern const struct record_event_kind record_event_kinds[];
#define RECORD_EVENT_KIND   "event"
#define RECORD_EVENT_RANGES "samples" /* of a disturbed event */

/* record.c: words of files. */
extern const struct member_words record_status_words;
extern const struct member_words record_stop_words;
/* A name that may stand in a key: [a-z][a-z0-9_]*, at most RECORD_MAX_NAME characters. */
bool record_is_name(const char *text);
/* The metric of the result, added where it has none of that name. */
struct bench_metric *record_add_metric(struct bench_arena *arena, struct bench_result *result,
				       const struct bench_metric_spec *like, const char *derived_from);
/* A new series of `count` samples, to be filled, of so many that are `expected` in all. */
struct bench_series *record_add_series(struct bench_arena *arena, struct bench_metric *metric, int invocation,
				       size_t count, size_t expected);
/* Invocations, as far as a run says before they are made. */
size_t record_expected(const struct bench_run *run);
/* Flags the samples first, ..., end - 1 as disturbed. */
void record_flag(struct bench_arena *arena, struct bench_series *series, size_t first, size_t end);
/* At most one an invocation. */
int record_keep_watched(const struct reader *in, const struct bench_watched *watched,
			struct bench_result *result, size_t expected);
/* Two results with the same key would be one line of history: BENCH_ENVIRONMENT naming it. */
int record_check_unique(const struct bench_run *run, const char *what, struct bench_error *error);
/* The bytes of samples.jsonl up to the end of the last whole event: a torn last line does not count. */
int record_count_whole(const char *data, size_t length, const char *path, size_t *whole,
		       struct bench_error *error);

/* finalise.c: the reason of a result that nothing was measured of; events that come later may change it. */
extern const char record_cut_short[];
/* How bad a check is: at most 1 passes. The worst is kept. */
double record_check_excess(const struct bench_check *check);
/*
 * Makes the metric `name`, derived from the times (or another metric, `by`), agree with them: `amount` a
 * second, sample by sample. There is none where it is 0 or where a time was below the clock's resolution.
 */
void record_derive_rate(struct bench_run *run, struct bench_result *result, const char *name, double amount,
			const char *by);
/* Computes the summary of such a metric, where the result has it: that of `by`, turned over. */
void record_summarize_rate(struct bench_result *result, const char *name, double amount, const char *by);
/* traffic.c, after the medians: notes that a case moves far more than its model says. */
void record_mark_traffic(struct bench_run *run, struct bench_result *result);
void record_drop_note(struct bench_result *result, const char *name);

/* ceilings.c, after all medians: what part of the devices' ceilings was reached, and what cannot be. */
void record_derive_shares(struct bench_run *run);

#endif
