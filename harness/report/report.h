/*
 * Reports: a record (and a comparison, where there is one) rendered as text. Pure: they
 * add to a buffer; the caller prints it. Any stored run can be rendered again.
 */
#ifndef BENCH_REPORT_REPORT_H
#define BENCH_REPORT_REPORT_H

#include <stdbool.h>

#include "bench/error.h"
#include "compare/compare.h"
#include "core/text.h"
#include "record/record.h"

enum bench_format {
	BENCH_FORMAT_TABLE,
	BENCH_FORMAT_JSON,
	BENCH_FORMAT_CSV,
	BENCH_FORMAT_MARKDOWN,
	BENCH_FORMAT_JUNIT,  /* of comparisons alone, as is the next */
	BENCH_FORMAT_GITHUB, /* workflow commands, for annotations */
	BENCH_FORMATS
};

/* What `bench gate` adds to its comparison, which is its verdict. */
struct bench_report_gate {
	const char *reference; /* the fixed one, as the user named it; NULL: there is none */
	const char *again;   /* id of the run in which suspects were measured again; NULL: there were none */
	const char *trouble; /* what went wrong with the judging itself; NULL: nothing */
	double seconds;      /* that all of it took */
	bool in_turns;       /* the baseline is an executable that was measured beside this one */
};

struct bench_report_options {
	enum bench_format format;
	bool color;     /* table: ANSI colours */
	unsigned width; /* table: columns of the terminal; 0: not limited */
	bool repeat;    /* table: the command line that repeats each case, under it */
	/* Of comparisons: */
	bool strict;                          /* what is unclear counts */
	const struct bench_run *candidate;    /* junit: the run, for commit, time and host; NULL: not known */
	const struct bench_report_gate *gate; /* NULL: not a gate's */
};

/* BENCH_USAGE naming the formats that exist. */
int bench_format_parse(const char *text, enum bench_format *format, struct bench_error *error);

/*
 * A run: the environment in a few lines, then a block a suite: a row a case with its
 * parameters, median, interval, rate and, where the same case was measured on another
 * backend, the ratio; a verdict column where `comparison` is not NULL. JSON is metrics.json.
 */
void bench_report_run(const struct bench_run *run, const struct bench_comparison *comparison,
		      const struct bench_report_options *options, struct bench_text *out);

/* A comparison: summary line, what is broken, missing, slower, unclear with the reasons, then the rest. */
void bench_report_comparison(const struct bench_comparison *comparison,
			     const struct bench_report_options *options, struct bench_text *out);

/*
 * "gate: FAIL: 2 slower, 1 missing; 41 same, 3 unclear (baseline rolling:10, 10 runs; 243 s)", in `arena`.
 * Behind FAIL: what makes it fail; behind the semicolon: the rest. PASS, or UNCLEAR where nothing could be
 * decided, else.
 */
char *bench_report_gate_line(struct bench_arena *arena, const struct bench_comparison *comparison,
			     const struct bench_report_options *options);

/*
 * In place of a comparison that could not be made: junit and github get a failure with the text, so that CI
 * shows more than a status. The other formats get nothing.
 */
void bench_report_refusal(const char *verb, const char *why, const struct bench_report_options *options,
			  struct bench_text *out);

#endif
