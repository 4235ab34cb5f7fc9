/* What the files of harness/record share; no other room includes this. */
#ifndef BENCH_RECORD_INTERNAL_H
#define BENCH_RECORD_INTERNAL_H

#include "record/record.h"

/* Bounds on what a file from outside may hold: far above any run, and kept in memory with ease. */
enum {
	RECORD_MAX_RESULTS = 100 * 1000,
	RECORD_MAX_SAMPLES = 10 * 1000 * 1000, /* of a run, in all */
	RECORD_MAX_INVOCATION = 9999,
	RECORD_MAX_METRICS = 64, /* of a result, measured */
	RECORD_MAX_PAIRS = 1000, /* labels, notes, facts about the host */
	RECORD_MAX_PARAMS = 64,
	RECORD_MAX_DEVICES = 1000,
	RECORD_MAX_LIST = 1000,
	RECORD_MAX_NAME = 63,          /* characters of a name */
	RECORD_MAX_TEXT = 8 * 1024,    /* of a reason, a note, a version ... */
	RECORD_MAX_COMMAND = 64 * 1024 /* of a command line */
};
#define RECORD_METRICS_FILE_BYTES ((size_t)256 << 20)
#define RECORD_SAMPLES_FILE_BYTES ((size_t)1 << 30)

/* Where values are read from (`what`, for messages) and where they are kept. */
struct reader {
	struct bench_arena *arena;
	const char *what;
	struct bench_error *error;
};

/* Members of a JSON object, checked and copied: 0, or -1 with the error filled. */
int record_read_text(const struct reader *in, const cJSON *object, const char *member, size_t max_length,
		     char **out);
int record_read_bool(const struct reader *in, const cJSON *object, const char *member, bool *out);
/* Finite and not negative. */
int record_read_quantity(const struct reader *in, const cJSON *object, const char *member, double *out);
/* A whole number from 0 to 2^53, or to 2^31 - 1. */
int record_read_size(const struct reader *in, const cJSON *object, const char *member, uint64_t *out);
int record_read_unsigned(const struct reader *in, const cJSON *object, const char *member, unsigned *out);
/* A string into a field of `size` bytes. */
int record_read_field(const struct reader *in, const cJSON *object, const char *member, char *out,
		      size_t size);
/* An array of strings; added behind what is in *items. */
int record_read_list(const struct reader *in, const cJSON *object, const char *member, size_t max_length,
		     char ***items, size_t *count);
/* An object of strings, names unique. */
int record_read_pairs(const struct reader *in, const cJSON *object, const char *member, size_t max_count,
		      struct bench_pair **pairs, size_t *count);
/* A number that JSON can hold, or null for NaN. */
int record_read_number_or_null(const struct reader *in, const cJSON *object, const char *member, double *out);

/* The members run, git, host and devices of `object`, into a run that has none yet. */
int record_read_head(const struct reader *in, const cJSON *object, struct bench_run *run);
/* The members suite ... repeat (and notes) of `object`, as a new result at the end of the run. */
int record_read_case(const struct reader *in, const cJSON *object, struct bench_run *run);
/* The members error, tolerance, method. */
int record_read_check(const struct reader *in, const cJSON *object, struct bench_check *check);
/* The members unit and better (of which a known metric needs none), checked against what the name means. */
int record_read_metric(const struct reader *in, const cJSON *object, const char *name,
		       struct bench_metric *metric);

/* A time in Unix seconds. */
int record_read_time(const struct reader *in, const cJSON *object, const char *member, int64_t *out);
/* The member stopped: "precision", "budget" or "". */
int record_read_stopped(const struct reader *in, const cJSON *object, char **stopped);
/* The member schema, which must be the one expected. */
int record_check_schema(const struct reader *in, const cJSON *object, const char *expected);
/* A name that may stand in a key: [a-z][a-z0-9_]*, at most RECORD_MAX_NAME characters. */
bool record_is_name(const char *text);
/* A number that a sample may be: finite. */
bool record_is_sample(const cJSON *item);

/* The members of struct bench_watched: of one object, and of the array "watched", which may not be there. */
int record_read_watched(const struct reader *in, const cJSON *object, struct bench_watched *watched);
int record_read_all_watched(const struct reader *in, const cJSON *object, struct bench_result *result);
/* At most one an invocation. */
int record_keep_watched(const struct reader *in, const struct bench_watched *watched,
			struct bench_result *result);
/* The member disturbed of a series that has its values: indices, in order. It may not be there. */
int record_read_marks(const struct reader *in, const cJSON *object, struct bench_series *series);
/* Marks the samples first, ..., end - 1 as disturbed. */
void record_mark(struct bench_arena *arena, struct bench_series *series, size_t first, size_t end);

/* Two results with the same key would be one line of history: BENCH_ENVIRONMENT naming it. */
int record_check_unique(const struct bench_run *run, const char *what, struct bench_error *error);

/* How bad a check is: at most 1 passes. The worst is kept. */
double record_check_excess(const struct bench_check *check);

/* The series that `name` has in `metrics`, with a new one at its end for the invocation. */
struct bench_series *record_add_series(struct bench_arena *arena, struct bench_metric **metrics,
				       size_t *count, const struct bench_metric *like, int invocation);

/*
 * Adds the metric `name`, derived from the times: `amount` a second, sample by sample. None where it is 0 or
 * where a time was below the clock's resolution.
 */
void record_derive_rate(struct bench_arena *arena, struct bench_result *result, const char *name,
			double amount);

/* After all medians: what part of the devices' ceilings was reached, and what cannot be. */
void record_derive_shares(struct bench_run *run);

/* The reason of a result that nothing was measured of: events that come later may still change it. */
extern const char record_cut_short[];

#endif
