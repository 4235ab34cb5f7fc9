/* SPDX-License-Identifier: MIT */
/* The kinds of pages, one file each. Private to the room. */
#ifndef BENCH_REPORT_HTML_PAGES_H
#define BENCH_REPORT_HTML_PAGES_H

#include "report/html/site.h"

void html_overview(const struct bench_html_site *site, const void *none, struct bench_text *out);
void html_suite(const struct bench_html_site *site, const void *suite, struct bench_text *out);
void html_metric(const struct bench_html_site *site, const void *subject, struct bench_text *out);
void html_run(const struct bench_html_site *site, const void *subject, struct bench_text *out);
void html_runs(const struct bench_html_site *site, const void *none, struct bench_text *out);
void html_comparison(const struct bench_html_site *site, const void *subject, struct bench_text *out);
void html_device(const struct bench_html_site *site, const void *subject, struct bench_text *out);
void html_devices(const struct bench_html_site *site, const void *none, struct bench_text *out);

#endif
