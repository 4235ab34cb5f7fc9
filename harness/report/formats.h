/* The formats, one file each; report.c chooses. Each adds to `out`, which is never left without text. */
#ifndef BENCH_REPORT_FORMATS_H
#define BENCH_REPORT_FORMATS_H

#include "report/report.h"

void bench_table_run(const struct bench_run *run, const struct bench_comparison *comparison,
		     const struct bench_report_options *options, struct bench_text *out);
void bench_table_comparison(const struct bench_comparison *comparison,
			    const struct bench_report_options *options, struct bench_text *out);

void bench_markdown_run(const struct bench_run *run, const struct bench_comparison *comparison,
			struct bench_text *out);
void bench_markdown_comparison(const struct bench_comparison *comparison,
			       const struct bench_report_options *options, struct bench_text *out);

void bench_csv_run(const struct bench_run *run, const struct bench_comparison *comparison,
		   struct bench_text *out);
void bench_csv_comparison(const struct bench_comparison *comparison, struct bench_text *out);

void bench_json_comparison(const struct bench_comparison *comparison,
			   const struct bench_report_options *options, struct bench_text *out);

/* One testsuite a suite, one testcase a metric. */
void bench_junit_comparison(const struct bench_comparison *comparison,
			    const struct bench_report_options *options, struct bench_text *out);
void bench_junit_refusal(const char *verb, const char *why, struct bench_text *out);

/* A workflow command for each verdict that fails, and one for the summary. */
void bench_github_comparison(const struct bench_comparison *comparison,
			     const struct bench_report_options *options, struct bench_text *out);
void bench_github_refusal(const char *verb, const char *why, struct bench_text *out);

#endif
