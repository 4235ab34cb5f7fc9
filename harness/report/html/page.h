/* SPDX-License-Identifier: MIT */
/* What pages share: escaping, the frame, lists, numbers. Private to the room. */
#ifndef BENCH_REPORT_HTML_PAGE_H
#define BENCH_REPORT_HTML_PAGE_H

#include "report/html/site.h"

/* Text from outside, as one line, for an element or a quoted attribute. */
void html_add(struct bench_text *out, const char *text);
/* A format of HTML, whose %s are such text (bench_text_add_by). */
void html_format(struct bench_text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A page from its start up to where its content begins, and its end. `kind`: of the page, for script and
 * style. `below`, here and elsewhere: the page is in a folder. */
void html_begin(struct bench_text *out, const char *kind, const char *title, bool below);
void html_end(const struct bench_html_site *site, struct bench_text *out);

/* A link; the text alone where page is NULL. And the same as a cell. */
void html_link(struct bench_text *out, bool below, const char *page, const char *text);
void html_link_cell(struct bench_text *out, bool below, const char *page, const char *text);
void html_run_link(const struct bench_html_site *site, struct bench_text *out, bool below, const char *id);
void html_run_cell(const struct bench_html_site *site, struct bench_text *out, bool below, const char *id);
/* A key, as a cell that links the page of its series; NULL: it has none. */
void html_key_cell(struct bench_text *out, bool below, const struct html_series *series, const char *key);

/* A list, with its header: titles with a '#' in front are of numbers. */
void html_list_begin(struct bench_text *out, const char *caption, const char *const *titles, size_t count);
void html_list_end(struct bench_text *out);
void html_row(struct bench_text *out, enum bench_standing standing); /* its class, for script and style */
void html_row_end(struct bench_text *out);
void html_cell(struct bench_text *out, const char *text);
/* The same of names, "gemm,transfer"; element: "td" or "dd". */
void html_names(struct bench_text *out, const char *element, const char *text);
/* The number decides the order, the text is shown. NaN: neither. */
void html_number(struct bench_text *out, double number, const char *text);
/* The same of a number that is finite; `more` (NULL: nothing; ", 6 runs") stands below
 * it, smaller. */
void html_number_and(struct bench_text *out, double number, const char *text, const char *more);
void html_quantity(struct bench_text *out, double value, const char *unit);
/* A ratio as a change, with its interval if known. */
void html_ratio(struct bench_text *out, double ratio, double lo, double hi, double level);
/* A change as it is kept: without a ratio lo and hi are of a difference. */
void html_kept(struct bench_text *out, double ratio, double lo, double hi, double level, const char *unit);
/* The larger half of the interval, in percent of the median; "unknown" without an interval. */
void html_spread(struct bench_text *out, const struct bench_point *point);
void html_count(struct bench_text *out, size_t count);
void html_time(struct bench_text *out, int64_t seconds);  /* a cell */
void html_code(struct bench_text *out, const char *text); /* a cell */
void html_commit(struct bench_text *out, const char *commit);
/* A cell with the name of a standing, since color alone does not tell. */
void html_verdict(struct bench_text *out, enum bench_standing standing);

/* "2026-11-20 23:15", in local time; "" for 0. */
char *html_when(struct bench_arena *arena, int64_t seconds);

/* A term with what it is, in a <dl>; nothing where the text is "". */
void html_fact(struct bench_text *out, const char *term, const char *text);
/* A command to copy. */
void html_command(struct bench_text *out, const char *command);

/* The id of an alarm, its number and the state of a metric of it, "12: +17.3%, open"; with the metric's own
 * change where the number is another's. */
char *html_alarm(struct bench_arena *arena, const struct bench_alarm *alarm, const char *key);

#endif
