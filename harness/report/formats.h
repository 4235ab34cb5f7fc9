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
void bench_markdown_comparison(const struct bench_comparison *comparison, struct bench_text *out);

void bench_csv_run(const struct bench_run *run, const struct bench_comparison *comparison,
		   struct bench_text *out);
void bench_csv_comparison(const struct bench_comparison *comparison, struct bench_text *out);

void bench_json_comparison(const struct bench_comparison *comparison, struct bench_text *out);

#endif
