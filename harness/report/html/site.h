/* What the pages are made from: the data, arranged. Private to the room. */
#ifndef BENCH_REPORT_HTML_SITE_H
#define BENCH_REPORT_HTML_SITE_H

#include "compare/compare.h"
#include "report/html/html.h"

/* The samples of a metric in one run; metric NULL: they were not loaded. */
struct html_samples {
	const struct bench_run *run;
	const struct bench_result *result;
	const struct bench_metric *metric;
};

/* One metric on one host. Of what is judged there is a page; what is derived, or has no better direction, is
 * shown beside it. */
struct html_series {
	const char *key, *suite, *unit, *fingerprint, *host;
	enum bench_better better;
	const struct bench_point *points; /* oldest first; at least one */
	size_t count;
	unsigned char *verdicts; /* one a point: 0, or 1 + enum bench_verdict_kind of its last comparison */
	const struct bench_verdict_row *verdict; /* of its newest run; NULL: there is none */
	const struct bench_kept_comparison *judged_by;
	const char *kind;                /* a verdict's name, "recovered", or "": the class of its row */
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
	bool newest; /* no run of its kind is newer, and it says what is so now */
};

struct html_device {
	const struct bench_run *run; /* the newest that has it */
	const struct bench_device_record *record;
	const char *host, *fingerprint, *page;
	size_t runs;
};

/* A page: what makes it, and of what. */
struct html_page {
	const char *name;
	void (*render)(const struct bench_html_site *site, const void *subject, struct bench_text *out);
	const void *subject;
};

struct bench_html_site {
	struct bench_arena arena;
	const struct bench_html_data *data;
	struct html_series *series; /* by key, then host */
	size_t series_count;
	const struct html_series **ranked; /* those with pages, what is worst first */
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
	struct html_page *pages;
	size_t page_count;
};

const struct bench_html_run *html_find_run(const struct bench_html_site *site, const char *id);
/* The first series of that key (and host; NULL: of any), or NULL. */
const struct html_series *html_find_series(const struct bench_html_site *site, const char *key,
					   const char *fingerprint);
/* The page of a run, of a suite; in the site's arena or `arena`; NULL: there is none. */
const char *html_run_page(struct bench_arena *arena, const struct bench_html_run *run);
const char *html_suite_page(struct bench_arena *arena, const char *suite);
/* What a host is called. */
const char *html_host(const struct bench_run_row *row, const char *fingerprint);
/* A name for a file, the same for the same text, another for another. */
char *html_file_name(struct bench_arena *arena, const char *text);

/* Is the change for the worse, and "slower" or "faster"? */
bool html_is_worse(const struct bench_change *change);
const char *html_change_kind(const struct bench_change *change);

/* pages, one kind a file */
void html_overview(const struct bench_html_site *site, const void *none, struct bench_text *out);
void html_suite(const struct bench_html_site *site, const void *suite, struct bench_text *out);
void html_metric(const struct bench_html_site *site, const void *subject, struct bench_text *out);
void html_run(const struct bench_html_site *site, const void *subject, struct bench_text *out);
void html_runs(const struct bench_html_site *site, const void *none, struct bench_text *out);
void html_comparison(const struct bench_html_site *site, const void *subject, struct bench_text *out);
void html_device(const struct bench_html_site *site, const void *subject, struct bench_text *out);
void html_devices(const struct bench_html_site *site, const void *none, struct bench_text *out);

#endif
