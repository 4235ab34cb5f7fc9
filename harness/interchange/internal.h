/* SPDX-License-Identifier: MIT */
/* What the formats share: a draft, which files are read into, and what a record is written by. */
#ifndef BENCH_INTERCHANGE_INTERNAL_H
#define BENCH_INTERCHANGE_INTERNAL_H

#include <cjson/cJSON.h>

#include "core/date.h"
#include "core/json.h"
#include "core/unit.h"
#include "interchange/interchange.h"

#define INTERCHANGE_METRICS 64 /* of a case */

struct interchange_value {
	int invocation;
	size_t order; /* as it came */
	double value; /* SI */
	bool disturbed;
};

struct interchange_metric {
	char *name, *unit;
	enum bench_better better;
	struct interchange_value *values;
	size_t count;
};

/* A case of the draft. Texts live in the draft's arena. */
struct interchange_case {
	const char *suite, *backend, *device;
	struct bench_attribute *params; /* as they stand in the key */
	size_t param_count;
	struct bench_attribute *notes;
	size_t note_count;
	struct bench_work work;
	uint64_t iterations;
	enum bench_status status;
	const char *reason;
	struct interchange_metric *metrics;
	size_t metric_count;
	const char *id;                 /* suite, target and parameters as one text */
	uint64_t hash;                  /* of the id */
	size_t file;                    /* the file that had it last */
	int first;                      /* the number of that file's first invocation */
	struct interchange_value *last; /* the sample that came last, until the next one comes */
	size_t numbered;                /* the parameter that had an address; 0: none */
	double family[2];               /* which of the benchmarks of that name (gbench) */
	bool named;                     /* its name is enough, within its package */
};

struct interchange_draft {
	struct bench_run *run;
	const struct bench_interchange_options *options;
	struct bench_interchange_notes *notes;
	struct interchange_case *cases;
	size_t case_count;
	struct interchange_case *entered;    /* the case of the entry that is being read; NULL: none yet */
	size_t lost;                         /* entries that could not be read */
	const char *why;                     /* the first of them */
	size_t file;                         /* its number */
	struct bench_interchange_runs *runs; /* those that are whole */
};

struct interchange_reader {
	const struct bench_interchange_file *file;
	const cJSON *root; /* of the file, where it is one JSON document; else NULL */
	struct interchange_draft *draft;
	struct bench_arena *arena; /* of the run */
	struct bench_error *error;
	const char *format;
	bool told;  /* the user has said which format it is */
	void *more; /* of the format's own */
};

/* Who says in which direction a metric is better. Where nobody does, the user may (--better). */
enum interchange_direction {
	INTERCHANGE_SAID,    /* the file, or its format */
	INTERCHANGE_BY_UNIT, /* its unit, if anything */
	INTERCHANGE_UNSAID
};

/* How a metric is called and measured where it comes from. */
struct interchange_quantity {
	const char *name;
	const char *unit; /* "ns", "MB/s" ...; an unknown one is kept as it is */
	enum bench_better better;
	enum interchange_direction direction;
};

/* Less is better, as the file or its format says. */
#define INTERCHANGE_COST(NAME, UNIT)                                                                         \
	{                                                                                                    \
		NAME, UNIT, BENCH_BETTER_LOWER, INTERCHANGE_SAID                                             \
	}
/* A figure that the user added: only its unit may state a direction. */
#define INTERCHANGE_CUSTOM(NAME, UNIT)                                                                       \
	{                                                                                                    \
		NAME, UNIT, BENCH_BETTER_NONE, INTERCHANGE_BY_UNIT                                           \
	}

/* A format by its name, with what is NULL in struct bench_interchange_format where it has none. */
#define INTERCHANGE_FORMAT(NAME, IS, READ, WRITE)                                                            \
	const struct bench_interchange_format bench_interchange_##NAME = {#NAME, IS, READ, WRITE}

/* A text member, or "". */
static inline const char *interchange_text(const cJSON *object, const char *name)
{
	return bench_json_string_or(object, name, "");
}

/* A count of iterations, from 1 up; 1 where the file has none. */
static inline uint64_t interchange_iterations(double count)
{
	return count >= 1 && count < 1e15 ? (uint64_t)count : 1;
}

/* What the file calls the case; "" where it has no name. */
static inline const char *interchange_name_of(const struct interchange_case *of)
{
	return bench_record_attribute_get(of->notes, of->note_count, "name");
}

/* draft.c: reading. Those that return int: -1 with the error filled. */

/* BENCH_ENVIRONMENT, "FILE: ...". */
int interchange_fail(const struct interchange_reader *in, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/*
 * Ends an entry: where its reading has failed, for the reason that the error says and that is cleared, its
 * case has failed, or it is left out; both are counted and told. `entry`: what it is called in the file.
 */
void interchange_settle(struct interchange_reader *in, const char *entry, int result);
/* Reads an entry, such as a benchmark; -1 with the error: it is lost, and others are not. `what`: its place.
 */
typedef int interchange_entry(struct interchange_reader *in, const cJSON *item, const char *what);
/* All of a list; -1 if it is not a list. */
int interchange_each(struct interchange_reader *in, const cJSON *list, const char *name,
		     interchange_entry *read);
/* A case that the file calls `name`, and whose key has `base` for the parameter name; yet to be entered. */
struct interchange_case interchange_case(const struct interchange_reader *in, const char *name,
					 const char *base);
/* A parameter, by the file's name and value for it; an empty value is skipped. */
void interchange_param(const struct interchange_reader *in, struct interchange_case *to, const char *name,
		       const char *value);
/* The members of an object; anything that is neither text, number nor boolean is skipped. */
void interchange_params(const struct interchange_reader *in, struct interchange_case *to,
			const cJSON *object);
/* A parameter that is legal in a key as it is. */
void interchange_own_param(const struct interchange_reader *in, struct interchange_case *to, const char *name,
			   const char *value);
/*
 * The parts of `name` behind each '/', as parameters: "k=v" and "k:v" by their names, others as arg0, arg1
 * ...; the base is what stands before. As interchange_case, of a name that is taken apart.
 */
struct interchange_case interchange_split(const struct interchange_reader *in, const char *name);
/*
 * Puts it into the draft; NULL with the error. Where the file has had it already: `again` says that what
 * follows are more samples of it, else it is an error.
 */
struct interchange_case *interchange_enter(struct interchange_reader *in, struct interchange_case fresh,
					   bool again);
bool interchange_has(const struct interchange_reader *in, const struct interchange_case *fresh);
/* A sample, of an invocation that is counted from 0 in the file. */
int interchange_sample(struct interchange_reader *in, struct interchange_case *to,
		       const struct interchange_quantity *quantity, int invocation, double value);
/* The number in `member` as the only sample; the notes name the file and say `why` it stands alone. */
int interchange_single(struct interchange_reader *in, struct interchange_case *to,
		       const struct interchange_quantity *quantity, const cJSON *object, const char *member,
		       const char *what, const char *why);
/* All of a list of numbers; what is no list has none. */
int interchange_samples(struct interchange_reader *in, struct interchange_case *to,
			const struct interchange_quantity *quantity, int invocation, const cJSON *list);
/* Is the word in a list that ends with NULL? */
bool interchange_is_among(const char *word, const char *const *list);
/* The numbers among the members of an object, as the user's figures; without those of `own` (ends with NULL).
 */
int interchange_figures(struct interchange_reader *in, struct interchange_case *to, const cJSON *object,
			const char *const *own);
void interchange_note(const struct interchange_reader *in, struct interchange_case *to, const char *name,
		      const char *value);
/* The case has no numbers, for this reason. */
void interchange_end(struct interchange_case *to, enum bench_status status, const char *reason);

/* Facts of the run; the first file that has one says it. Empty texts say nothing. */
void interchange_fact(const struct interchange_reader *in, const char *name, const char *value);
void interchange_processors(const struct interchange_reader *in, double count); /* above 0 */
void interchange_label(const struct interchange_reader *in, const char *name, const char *value);
/* Another commit than that of an earlier file is an error. */
int interchange_commit(struct interchange_reader *in, const char *commit, const char *branch, bool dirty);
void interchange_started(const struct interchange_reader *in, int64_t started);
void interchange_dated(const struct interchange_reader *in, const char *date); /* where it is one */
/* Hexadecimal digits, as git and its like name what was built. */
bool interchange_is_commit(const char *text);
/* One more than the largest invocation of the case. */
int interchange_next_invocation(const struct interchange_case *of);

/* finish.c: the draft becomes a final run, and another one begins, which options and format are the same of.
 */
int interchange_finish(struct interchange_reader *in);

void interchange_say(struct bench_interchange_notes *notes, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Notes of the file that is being read: "FILE has ...". */
void interchange_say_has(const struct interchange_reader *in, const char *text);

/* The path of `name` in the folder of the file that is being read, in the run's arena. */
char *interchange_beside(const struct interchange_reader *in, const char *name);
/* The JSON document there; NULL with the error. The caller frees it with cJSON_Delete. */
cJSON *interchange_read_beside(const struct interchange_reader *in, const char *name,
			       struct bench_error *error);

/* names.c */

/* Any text as a value of a key: as URLs' queries have it, "a b" is "a+b"; a long one is cut, with a hash. */
char *interchange_encode(struct bench_arena *arena, const char *text);
/* Any text as the name of a metric or parameter of at most `most` characters: [a-z][a-z0-9_]*. */
char *interchange_identifier(struct bench_arena *arena, const char *text, size_t most);

/* write.c: writing. */

/* What the result was called where it came from; else its key, with '/' between parameters and `equals` in
 * them. */
const char *interchange_title(struct bench_arena *arena, const struct bench_result *result, char equals);
const char *interchange_metric_name(const struct bench_result *result, const struct bench_metric *metric);
/* The unit that the metric came in, and its factors; else its own. */
const char *interchange_unit(const struct bench_result *result, const struct bench_metric *metric,
			     double *times, double *over);
/* As a number with 15 digits is read: what is computed of values that were written is the same when they are
 * read back. */
double interchange_rounded(double value);
/* The values that stand for the metric: the medians of its invocations, or of a single one the samples;
 * rounded. */
double *interchange_values(struct bench_arena *arena, const struct bench_metric *metric, size_t *count);
/* Says, once a run, that invocations stand as one value each. */
void interchange_say_medians(const struct bench_run *run, const char *what,
			     struct bench_interchange_notes *notes);
/* Is the result left out, since it is not ok? Notes that `what` has no failures. */
bool interchange_leaves_out(const struct bench_result *result, const char *what,
			    struct bench_interchange_notes *notes);
/* Was it measured? Metrics derived from others were not. */
bool interchange_is_measured(const struct bench_metric *metric);
/* With 15 digits, so that units can be changed back and forth; NaN and infinities become null. */
void interchange_add_number(cJSON *object, const char *member, double value);
/* A field of CSV, which has no line ends: a row is a line. */
void interchange_add_field(struct bench_text *out, const char *text);
/* Prints it and frees it. */
void interchange_print(cJSON *root, struct bench_text *out);
/* "2026-11-20T22:15:03+00:00", of 32 characters. */
void interchange_utc(int64_t seconds, char out[32]);

#endif
