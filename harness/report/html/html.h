/* SPDX-License-Identifier: MIT */
/*
 * A report: the pages of one static folder. Pure: the history goes in, HTML comes out; app/report.h reads and
 * writes. docs/report.md says what each page shows.  A page links to others by relative names, loads nothing
 * from elsewhere, and is readable without its script and style sheet (bench_html_css, bench_html_js of
 * core/embedded.h: assets/report.css, assets/report.js).
 */
#ifndef BENCH_REPORT_HTML_HTML_H
#define BENCH_REPORT_HTML_HTML_H

#include "compare/changes.h"
#include "core/text.h"
#include "record/record.h"
#include "store/store.h"

/* A run, with what only its page and those of its metrics show. */
struct bench_html_run {
	const struct bench_run_row *row;
	const struct bench_run *head; /* NULL: it gets no page */
	const char *facts; /* of host, build and devices that changed since the run before of this kind; "" */
};

/* What a report is made from. The caller owns all of it; it outlives the site. */
struct bench_html_data {
	int64_t now;                       /* Unix seconds: ages count from here */
	const struct bench_html_run *runs; /* newest first */
	size_t run_count;
	const struct bench_point *points; /* as bench_store_history gives them */
	size_t point_count;
	const struct bench_change *changes; /* of these points, by key */
	size_t change_count;
	const struct bench_alarm *alarms; /* open and closed, oldest first */
	size_t alarm_count;
	const struct bench_kept_comparison *comparisons; /* oldest first */
	size_t comparison_count;
	const struct bench_run *const *whole; /* runs with their samples, newest first */
	size_t whole_count;
};

struct bench_html_site;

struct bench_html_site *bench_html_site_new(const struct bench_html_data *data);
void bench_html_site_free(struct bench_html_site *site); /* NULL is allowed */

/* The pages: index.html first. Page `index` goes to the end of `out`; its name ("runs/x.html") is the site's.
 */
size_t bench_html_page_count(const struct bench_html_site *site);
const char *bench_html_page(const struct bench_html_site *site, size_t index, struct bench_text *out);

#endif
