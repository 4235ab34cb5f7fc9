/* SPDX-License-Identifier: MIT */
/*
 * The run record: the one in-memory model of a run. metrics.json is its written form, the
 * database rows its stored form, and everything shown to a person is rendered from it.
 *
 * It is built from events (event.h), the lines of samples.jsonl, live while a run is measured and
 * again from the file of a run that was killed: the same code, the same record.
 *
 * The room: event (lines of samples.jsonl, typed) -> apply (into the record) -> finalize (statuses, derived
 * metrics; summary, ceilings) -> json (metrics.json; head: what it shares with the first events). member has
 * the tables by which all of these are read and written, folder writes a run directory, load reads one back.
 *
 * A record owns everything that it points to (one arena). Strings are never NULL unless
 * marked so. Quantities are SI base units. Not for use by several threads at once.
 */
#ifndef BENCH_RECORD_RECORD_H
#define BENCH_RECORD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/backend.h"
#include "bench/case.h"
#include "bench/error.h"
#include "bench/metric.h"
#include "core/arena.h"

#define BENCH_METRICS_SCHEMA "bench-metrics/1"
#define BENCH_SAMPLES_SCHEMA "bench-samples/1"

/*
 * Every result ends as exactly one of these; the order is that of severity, so that the
 * status over several invocations is the largest. PENDING: no event has said yet (a run
 * that was cut short); it is written as "skipped", with that reason.
 */
enum bench_status {
	BENCH_STATUS_PENDING,
	BENCH_STATUS_OK,
	BENCH_STATUS_SKIPPED,
	BENCH_STATUS_UNSUPPORTED,
	BENCH_STATUS_FAILED,
	BENCH_STATUS_INCORRECT,
};

/* What ended the sampling. */
enum bench_stop { BENCH_STOP_NONE, BENCH_STOP_PRECISION, BENCH_STOP_BUDGET };

const char *bench_record_stop_name(enum bench_stop stop);       /* "", "precision", "budget" */
const char *bench_record_status_name(enum bench_status status); /* "ok", "skipped", ... */
const char *bench_record_better_name(enum bench_better better); /* "lower", "higher", "none" */
/* And back; false for any other word, PENDING's included. */
bool bench_record_status_parse(const char *name, enum bench_status *status);
bool bench_record_better_parse(const char *name, enum bench_better *better);

/* The samples of one metric in one invocation (a fresh process), in the order taken. */
struct bench_series {
	int invocation; /* 0, 1, ... */
	double *values;
	size_t count;
	bool *disturbed; /* one a value: the machine was slowed from outside while it was taken; NULL: none
			    was */
};

/*
 * What an invocation says: the median of its undisturbed samples, and *disturbed false; where less than
 * half of them are undisturbed, that of all, and *disturbed true. NaN where it has none.
 */
double bench_record_series_median(const struct bench_series *series, bool *disturbed);

/*
 * What else ran on the machine while one invocation of a case was sampled: what
 * measure/watch.h saw over its visits. NaN where it could not be read.
 */
struct bench_watched {
	int invocation;
	double disturbed;    /* share of the visits that were disturbed, 0 to 1 */
	double canary;       /* seconds of the fixed canary work, the median over the visits */
	double canary_worst; /* the slowest canary over the fastest that the run had seen, 1 or more */
	double others;       /* processor cores that other processes used, in the worst visit */
	double steal;        /* processor cores that the hypervisor took, in the worst visit */
	double frequency;    /* Hz of the processor that the worker was on, the lowest reading */
	char *device;        /* throttle reasons, clocks and other users that the device's driver told; "" */
};
/* In `device`, where other processes used the GPU. */
#define BENCH_WATCHED_GPU_USED "% of the GPU"

struct bench_summary {
	double median;       /* of the invocations' medians */
	double ci_lo, ci_hi; /* distribution-free interval of that median; NaN: not known, of one value */
	double ci_level;     /* its confidence, e.g. 0.95; lower where there are too few, 0 of one value */
	bool over_samples;   /* one (undisturbed) invocation: the interval is over its samples, and too narrow
			      */
	double min, mean, stddev, p05, p95; /* over all samples; stddev NaN where count < 2 */
	size_t count;                       /* samples in all */
	size_t disturbed; /* disturbed invocations; median and interval are of the others, if any */
};

/* Memory for the series of invocations to come; private to record.c. */
struct bench_room {
	size_t series;  /* that the array has room for */
	double *values; /* `value_count` values for the next series */
	size_t value_count;
};

struct bench_metric {
	char *name; /* one of core/metric.c, or of a suite's own */
	char *unit; /* "s", "FLOP/s", "B/s", "item/s", "ratio", "share", "count" */
	enum bench_better better;
	char *derived_from; /* "" if measured; else the metric it is computed from: it is shown, not judged */
	struct bench_series *series; /* one an invocation that gave samples */
	size_t series_count;
	struct bench_summary summary;
	struct bench_room room;
};

struct bench_attribute {
	char *name;
	char *value;
};

/* Notes on a case of a file of shapes: how often it is used there, and the seconds that all of it took. */
#define BENCH_NOTE_USES     "uses"
#define BENCH_NOTE_CAPTURED "captured"

struct bench_result {
	char *key; /* "suite/backend:device/k=v,k=v": with "/metric" behind it, the key of all history */
	char *suite;
	char *backend;
	char *device;                   /* slug */
	struct bench_attribute *params; /* in table order; values in canonical text */
	size_t param_count;
	enum bench_status status;
	char *reason;  /* "" if ok */
	bool is_usage; /* failed because what was asked for cannot be (BENCH_USAGE); not stored */
	bool checked;
	struct bench_check check; /* the worst over all invocations */
	struct bench_work work;
	uint64_t iterations;           /* a sample, as last calibrated */
	char *stopped;                 /* "precision", "budget" or "" */
	char *relative_to;             /* key of the variant that relative_time is against; "": none */
	char *repeat;                  /* the command line that measures this case again */
	struct bench_attribute *notes; /* facts about the case: "program": "cached" or "compiled" ... */
	size_t note_count;
	struct bench_watched *watched;      /* one an invocation that was watched */
	size_t watched_count, watched_room; /* the room is private to record.c */
	struct bench_metric *metrics;       /* empty unless status is ok */
	size_t metric_count;
	bool is_final; /* nothing has changed since bench_record_finalise */
};

struct bench_git {
	bool present; /* the working directory is in a git work tree */
	char *commit; /* full hash */
	char *branch; /* "" when detached */
	bool dirty;
	char **dirty_files; /* paths, relative to the work tree; at most 100 */
	size_t dirty_count; /* entries in dirty_files */
	/* What changed in each of them, in that order: "+10 -3" lines, "new" or "binary"; "": not known. */
	char **dirty_changes;
	size_t dirty_change_count; /* 0, as in earlier records, or dirty_count */
};

/* What the run was asked to cover: decides whether a baseline's case is missing or was not asked for. */
struct bench_selection {
	char **suites; /* names, expanded ("all" is the list) */
	size_t suite_count;
	char **targets; /* "backend:slug" for every device measured */
	size_t target_count;
	char *backends; /* --backend, "" if none: tells a device that is gone from one not asked for */
	char *filter;   /* --filter, "" if none */
	char **sets;    /* --set arguments, "key=v1,v2" */
	size_t set_count;
	char **extensions; /* texts of what the user brought (extend/extend.h) */
	size_t extension_count;
};

/* The most that a device has reached in suite peak, as far as is remembered; 0: not known. */
struct bench_ceilings {
	double flop_rate[BENCH_C32]; /* FLOP/s, by enum bench_dtype: on whichever units are the fastest */
	double bandwidth;            /* B/s, of memory */
	char run[64];                /* the one that last raised one of them; "": none has */
};

/* The types that have ceilings of arithmetic. */
enum { BENCH_CEILING_TYPES = BENCH_C32 };
extern const char *const bench_record_ceiling_types[BENCH_CEILING_TYPES];
/* The type whose ceiling a result is under: its own; f32 where it has none, or another. */
enum bench_dtype bench_record_ceiling_type(const struct bench_result *result);

struct bench_device_record {
	char *backend;
	struct bench_device_info info;
	struct bench_ceilings ceilings;
	struct bench_ceilings applied; /* those that shares were derived from; private to ceilings.c */
};

#define BENCH_RECORD_IMPORTED "imported"

struct bench_run {
	struct bench_arena arena;
	char *id;                  /* "20261120-231503" or "20261120-231503-2": the name of its folder */
	int64_t started, finished; /* Unix seconds; finished 0: it was cut short */
	bool interrupted;
	char *command;                    /* quoted for a shell */
	char *preset;                     /* BENCH_RECORD_IMPORTED: other tools measured it */
	char *project_preset;             /* the preset of a project file that led to it; "": none did */
	double budget_seconds, precision; /* budget 0: none */
	unsigned invocations;
	uint64_t seed;
	struct bench_selection selection;
	struct bench_attribute *labels;
	size_t label_count;
	struct bench_git git;
	/*
	 * host: name, fingerprint (stable), cpu, cores, memory_bytes, governor, kernel, os, load, steal ...;
	 * build: version, commit, type (Release), compiler, flags, library versions. In the order recorded.
	 */
	struct bench_attribute *host;
	size_t host_count;
	struct bench_device_record *devices;
	size_t device_count;
	struct bench_result *results;
	size_t result_count;
	char *folder; /* where the run directory is, as recorded or loaded from; "" if unknown. Not written in
			 it */
	struct bench_record_state *state; /* private to apply.c: invocations in progress */
};

/*
 * The command with the variables before it that change what is measured ("BENCH_KERNELS=kernels bench run
 * ..."), as far as they were recorded, in `arena`. A text from outside, quoted for a shell.
 */
char *bench_record_command_line(const struct bench_run *run, struct bench_arena *arena);
/* The same of another command for what the run measured, such as a result's `repeat`. */
char *bench_record_command_with(const struct bench_run *run, const char *command, struct bench_arena *arena);

/* The preset as it was asked for. */
const char *bench_record_preset(const struct bench_run *run);

/* The device that a backend calls by that slug; NULL where the run has none. */
struct bench_device_record *bench_record_device(const struct bench_run *run, const char *backend,
						const char *slug);

/* The value of `name`; "" where absent: of pairs, of a run's host, of its labels, of a result's notes, of its
 * parameters. */
const char *bench_record_attribute_get(const struct bench_attribute *pairs, size_t count, const char *name);
const char *bench_record_fact(const struct bench_run *run, const char *name);
const char *bench_record_label(const struct bench_run *run, const char *name);
const char *bench_record_note(const struct bench_result *result, const char *name);
const char *bench_record_param(const struct bench_result *result, const char *name);
/* What of an ok result nobody has checked; "" where all of it was. */
const char *bench_record_unchecked(const struct bench_result *result);
/* How many results have some of that. */
size_t bench_record_count_unchecked(const struct bench_run *run);
void bench_record_attribute_set(struct bench_arena *arena, struct bench_attribute **pairs, size_t *count,
				const char *name, const char *value);

struct bench_run *bench_record_new(void);
void bench_record_free(struct bench_run *run); /* NULL is allowed */
/* In place of `struct bench_run`, for a local pointer, as BENCH_SCOPED_MEMORY (core/memory.h). */
#define BENCH_SCOPED_RUN __attribute__((cleanup(bench_record_release))) struct bench_run
static inline void bench_record_release(struct bench_run *const *run)
{
	bench_record_free(*run);
}

/*
 * Adds a case that nothing is known of yet (PENDING) and gives it its key. Copies what it
 * is given; the result stays valid until the next call. A name or value that cannot stand
 * in a key (suite [a-z][a-z0-9_]*, backend [a-z][a-z0-9_+]*, device [a-z0-9-]+, values
 * printable without ',', '=', '/' and blanks): NULL, BENCH_ENVIRONMENT, and nothing is added.
 */
struct bench_result *bench_record_add_case(struct bench_run *run, const char *suite, const char *backend,
					   const char *device, const struct bench_attribute *params,
					   size_t param_count, struct bench_error *error);

/* The series of an invocation; NULL if the metric has none, or is NULL. */
const struct bench_series *bench_record_series(const struct bench_metric *metric, int invocation);
/* The first result with that key; NULL if the run has none. */
const struct bench_result *bench_record_find(const struct bench_run *run, const char *key);
/*
 * The metric `name` of a result, or NULL. The full name of a metric into out:
 * "<result key>/<metric name>"; false if it does not fit.
 */
const struct bench_metric *bench_record_metric(const struct bench_result *result, const char *name);
bool bench_record_metric_key(char *out, size_t size, const struct bench_result *result,
			     const struct bench_metric *metric);
#define BENCH_KEY_MAX 512

/* The bytes of memory that an iteration was seen to move, over those that it must; 0: not known. */
double bench_record_traffic(const struct bench_result *result);

/* The parameters in the key, "k=v,k=v": the same of the same case on another target. Points into the key. */
const char *bench_record_point(const struct bench_result *result);

/* Exact intervals of ranks come close to the level that was asked for, and seldom hit it: these count as 95%.
 */
#define BENCH_LEVEL_95 0.945

/* The same invocation of two results: a process takes the samples of both interleaved. */
struct bench_pair {
	int invocation;
	double ratio;   /* the other's median over its own */
	bool disturbed; /* either is; false in all where too few would be left for an interval of 95% */
};
/* The pairs of a metric with that of another result; `pairs` has room for own->series_count. */
size_t bench_record_pairs(const struct bench_metric *own, const struct bench_metric *against,
			  struct bench_pair *pairs);

/* A difference that matters, as a fraction: two sides that differ by less are called not different. */
#define BENCH_DIFFERENCE_MATTERS 0.05
/* Does the interval of a ratio exclude every difference that matters? */
bool bench_record_is_tie(double lo, double hi);
/* Is a ratio without a verdict although its interval is one of 95%? */
bool bench_record_is_undecided(const struct bench_summary *ratio);
/* About how many values narrow such an interval of `count` values enough to decide: with the square root. */
double bench_record_count_for_tie(double count, double lo, double hi);

enum bench_versus_verdict {
	BENCH_VERSUS_UNKNOWN,   /* no interval of 95% */
	BENCH_VERSUS_UNDECIDED, /* the interval contains 1, and is no tie */
	BENCH_VERSUS_NOT_DIFFERENT,
	BENCH_VERSUS_FASTER,
	BENCH_VERSUS_SLOWER
};
/* As files have it: "unknown", "not different" (undecided, too: its interval tells), ... */
const char *bench_record_versus_name(enum bench_versus_verdict verdict);

/* How many times as fast a result is as the same case on another target. */
struct bench_versus {
	struct bench_summary
		ratio; /* time of the other over its own, an invocation each: above 1, it is faster */
	enum bench_versus_verdict verdict;
};
/*
 * By the pairs of their times, without those that are disturbed. False where either is not ok or they share
 * no invocation.
 */
bool bench_record_versus(const struct bench_result *result, const struct bench_result *other,
			 struct bench_versus *versus);

/*
 * After the last event: makes every status final (a result that is not ok loses its metrics),
 * derives rates, overheads and shares of the devices' ceilings, and computes all summaries. May be called
 * again after further events, and then looks at what has changed since alone.
 */
void bench_record_finalise(struct bench_run *run);

/* The median of a summary: of the invocations' medians, without those that were disturbed where there are
 * others. */
double bench_record_median(const struct bench_series *series, size_t series_count);
/* Summary of a metric's series; pure. */
void bench_record_summarize(const struct bench_series *series, size_t series_count,
			    struct bench_summary *summary);

/*
 * The final record as the text of metrics.json (malloc'd, ends with a newline), and back,
 * finalized; equal in everything but `folder`. `what` names it in messages. Text from outside
 * is bounded and checked: BENCH_ENVIRONMENT naming the member. Derived metrics and summaries
 * are computed again from the samples.
 */
char *bench_record_to_json(const struct bench_run *run);
int bench_record_from_json(const char *data, size_t length, const char *what, struct bench_run **run,
			   struct bench_error *error);

/*
 * Is it a record that metrics.json may hold, apart from its head, which was read from a text? For records
 * that were not read from one. BENCH_ENVIRONMENT naming the case and what is wrong.
 */
int bench_record_check(const struct bench_run *run, struct bench_error *error);

/*
 * Reads a run directory: metrics.json, or, where a killed run left none, samples.jsonl. A
 * cut last line is passed over. BENCH_ENVIRONMENT where neither can be read, BENCH_NOTHING where the run was
 * killed before anything was written.
 */
int bench_record_load_folder(const char *folder, struct bench_run **run, struct bench_error *error);

#endif
