/* What pages share: escaping, the frame, lists, numbers. Private to the room. */
#ifndef BENCH_REPORT_HTML_PAGE_H
#define BENCH_REPORT_HTML_PAGE_H

#include "report/html/site.h"

/* Text from outside, as one line, in an element or between quotes of an attribute. */
void html_add(struct bench_text *out, const char *text);

/* A page from its start up to where its content begins, and its end. `kind`: of the page, for script and
 * style. */
void html_begin(struct bench_text *out, const char *kind, const char *title, bool below);
void html_end(const struct bench_html_site *site, struct bench_text *out);

/* A link; the text alone where page is NULL. `below`: the page at hand is in a folder. */
void html_link(struct bench_text *out, bool below, const char *page, const char *text);
void html_run_link(const struct bench_html_site *site, struct bench_text *out, bool below, const char *id);

/* A list, with its header: titles with a '#' in front are of numbers. */
void html_list_begin(struct bench_text *out, const char *caption, const char *const *titles, size_t count);
void html_list_end(struct bench_text *out);
void html_row(struct bench_text *out, const char *kind); /* "slower", ...; "" */
void html_row_end(struct bench_text *out);
void html_cell(struct bench_text *out, const char *text);
void html_names(struct bench_text *out, const char *text); /* the same of names, "gemm,transfer" */
/* The number decides the order, the text is shown. NaN: neither. */
void html_number(struct bench_text *out, double number, const char *text);
void html_quantity(struct bench_text *out, double value, const char *unit);
/* A ratio as a change, with its interval where there is one. */
void html_ratio(struct bench_text *out, double ratio, double lo, double hi, double level);
/* A change as it is kept: without a ratio lo and hi are of a difference. */
void html_kept(struct bench_text *out, double ratio, double lo, double hi, double level, const char *unit);
/* The larger half of the interval, in percent of the median; "unknown" where there is none. */
void html_spread(struct bench_text *out, const struct bench_point *point);
void html_count(struct bench_text *out, size_t count);
void html_time(struct bench_text *out, int64_t seconds); /* a cell */
void html_commit(struct bench_text *out, const char *commit);
/* The cell of a verdict: its name, which colour alone does not tell. */
void html_verdict(struct bench_text *out, const char *kind);

/* "2026-11-20 23:15", in local time; "" for 0. */
char *html_when(struct bench_arena *arena, int64_t seconds);

/* A term with what it is, in a <dl>; nothing where the text is "". */
void html_fact(struct bench_text *out, const char *term, const char *text);
/* A command to copy. */
void html_command(struct bench_text *out, const char *command);

/* The newest alarm that the metric's host opened about it at that run; NULL: none. */
const struct bench_alarm *html_find_alarm(const struct bench_html_site *site, const char *first_bad,
					  const char *key, const char *fingerprint);
/* Its id, number and what became of a metric of it, "12: +17.3%, open"; with the metric's own change where
 * the number is another's. */
char *html_alarm(struct bench_arena *arena, const struct bench_alarm *alarm, const char *key);

/* The tiles of so many of each kind, in the order of BENCH_VERDICT_KINDS and then recovered. */
#define HTML_KINDS (BENCH_VERDICT_KINDS + 1)
void html_tiles(struct bench_text *out, const size_t counts[HTML_KINDS]);

/* The list of metrics with their verdicts, newest values and sparklines. */
void html_metrics(const struct bench_html_site *site, struct bench_text *out, bool below, const char *caption,
		  const struct html_series *const *series, size_t count);
/* The rows of levels that shifted, a line a run that they shifted at. */
void html_moves(const struct bench_html_site *site, struct bench_text *out, bool below, const char *caption,
		const struct html_moved *moved, size_t count);

/* The newest runs, on a page that is in no folder. */
void html_run_list(const struct bench_html_site *site, struct bench_text *out, const char *caption,
		   size_t count);

#endif
