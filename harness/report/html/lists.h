/* SPDX-License-Identifier: MIT */
/* The lists that several pages show. Private to the room. */
#ifndef BENCH_REPORT_HTML_LISTS_H
#define BENCH_REPORT_HTML_LISTS_H

#include "report/html/site.h"

/* A tile a standing, with the number of metrics that stand there. */
void html_tiles(struct bench_text *out, const size_t counts[BENCH_STANDINGS]);

/* The list of metrics with their verdicts, newest values and sparklines. */
void html_metrics(const struct bench_html_site *site, struct bench_text *out, bool below, const char *caption,
		  const struct html_series *const *series, size_t count);
/* The rows of levels that shifted, one line per run at which they shifted. */
void html_moves(const struct bench_html_site *site, struct bench_text *out, bool below, const char *caption,
		const struct html_moved *moved, size_t count);

/* The newest runs, on a page that is in no folder. */
void html_run_list(const struct bench_html_site *site, struct bench_text *out, const char *caption,
		   size_t count);

#endif
