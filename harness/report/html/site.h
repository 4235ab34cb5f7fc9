/* SPDX-License-Identifier: MIT */
/* What the pages are made from: the data, arranged. Private to the room. */
#ifndef BENCH_REPORT_HTML_SITE_H
#define BENCH_REPORT_HTML_SITE_H

#include "compare/standing.h"
#include "report/html/html.h"

/* The samples of a metric in one run; metric NULL: not loaded. */
struct html_samples {
	const struct bench_run *run;
	const struct bench_result *result;
	const struct bench_metric *metric;
};

/* One metric on one host. Judged metrics have a page; derived ones, and those with no better direction,
 * appear on the pages of others. */
struct html_series {
	const char *key, *suite, *unit, *fingerprint, *host;
	enum bench_better better;
	const struct bench_point *points; /* oldest first; at least one */
	size_t count;
	enum bench_standing *verdicts;           /* one per point: from its last comparison */
	const struct bench_verdict_row *verdict; /* of its newest run; NULL: there is none */
	const struct bench_kept_comparison *judged_by;
	enum bench_standing standing;
	const struct bench_alarm *alarm; /* the newest that it is or was under; NULL: none */
	const struct bench_alarm_metric *alarm_metric;
	struct html_samples now, before; /* the newest two runs that were loaded */
	const char *page;                /* NULL: it has none */
};

/* Levels that shifted at the same run. */
struct html_moved {
	const struct bench_change **changes; /* the largest first */
	size_t count, worse, improved;
	const char *host;
};

struct html_comparison {
	const struct bench_kept_comparison *kept;
	const struct bench_html_run *run; /* NULL: it is not there */
	const char *page;
	bool newest; /* its run is the newest of its kind: it describes the present */
};

struct html_device {
	const struct bench_run *run; /* the newest that has it */
	const struct bench_device_record *record;
	const char *host, *fingerprint, *page;
	size_t runs;
};

struct bench_html_site {
	struct bench_arena arena;
	struct bench_arena *scratch; /* in it, for the texts of the page that is rendered */
	const struct bench_html_data *data;
	struct html_series *series; /* by key, then host */
	size_t series_count;
	const struct html_series **ranked; /* those with pages, the worst first */
	size_t ranked_count;
	const struct bench_html_run **by_id; /* the runs, sorted */
	struct html_moved *moved;            /* newest first */
	size_t moved_count;
	struct html_comparison *comparisons; /* newest first */
	size_t comparison_count;
	struct html_device *devices;
	size_t device_count;
	bool one_host;       /* which lists need not name */
	const char **suites; /* sorted */
	size_t suite_count;
	struct html_page *pages; /* pages.c */
	size_t page_count;
};

const struct bench_html_run *html_find_run(const struct bench_html_site *site, const char *id);
/* The first series of that key (and host; NULL: of any), or NULL. */
const struct html_series *html_find_series(const struct bench_html_site *site, const char *key,
					   const char *fingerprint);
/* The page of a run, of a suite; in `arena`; NULL: it has no page. */
const char *html_run_page(struct bench_arena *arena, const struct bench_html_run *run);
const char *html_suite_page(struct bench_arena *arena, const char *suite);
/* What a host is called. */
const char *html_host(const struct bench_run_row *row, const char *fingerprint);

enum bench_standing html_change_standing(const struct bench_change *change);
/* The newest alarm that the metric's host opened about it at that run; NULL: none. */
const struct bench_alarm *html_find_alarm(const struct bench_html_site *site, const char *first_bad,
					  const char *key, const char *fingerprint);
/* Is the change one of the series? */
bool html_is_of(const struct html_series *series, const struct bench_change *change);
/* The place of a run of that start among the points of a series; its count where it has none. */
size_t html_place_of(const struct html_series *series, int64_t started, const char *run);

/* Arranges all but the pages. */
struct bench_html_site *html_arrange(const struct bench_html_data *data);

#endif
