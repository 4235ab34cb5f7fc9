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
	BENCH_FORMATS
};

struct bench_report_options {
	enum bench_format format;
	bool color;     /* table: ANSI colours */
	unsigned width; /* table: columns of the terminal; 0: not limited */
	bool repeat;    /* table: the command line that repeats each case, under it */
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

#endif
