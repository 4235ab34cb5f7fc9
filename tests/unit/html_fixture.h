/* SPDX-License-Identifier: MIT */
/* A history made by hand, and the pages of bench report on it: for test_report_html.c and
 * test_report_chart.c. */
#ifndef BENCH_TEST_HTML_FIXTURE_H
#define BENCH_TEST_HTML_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "report/html/chart.h"
#include "report/html/html.h"
#include "report/html/page.h"
#include "report_fixture.h"

enum { NIGHTS = 60, MOST_PAGES = 400, DAY = 86400 };
#define FIRST 1767225600 /* 2026-01-01 */
#define TIME  "gemm/openblas:cpu/n=64/time"
#define RATE  "gemm/openblas:cpu/n=64/flop_rate"
#define EVIL  "<script>alert(1)</script>\"'&\x1b[2J"

/* A history of one metric, with its rate, over NIGHTS runs. */
struct made {
	struct bench_html_data data;
	struct bench_arena arena;
	struct bench_run_row rows[NIGHTS];
	struct bench_html_run runs[NIGHTS];
	struct bench_run *heads[NIGHTS];
	struct bench_point points[2 * NIGHTS];
	struct bench_html_site *site;
	char *names[MOST_PAGES], *texts[MOST_PAGES];
	size_t count;
};

/* Run i, the oldest is 0, at 1 ms; rows are newest first. */
static inline struct made *make(size_t nights)
{
	struct made *made = calloc(1, sizeof(*made));
	for (size_t i = 0; i < nights; i++) {
		size_t at = nights - 1 - i;
		char *id = bench_arena_format(&made->arena, "night-%02zu", i);
		char *commit = bench_arena_format(&made->arena, "%02zuaaaaaaaaaaaa", i);
		made->heads[at] = fixture_empty(id);
		made->rows[at] = (struct bench_run_row){.id = id,
							.preset = (char *)"nightly",
							.shown_preset = (char *)"nightly",
							.commit = commit,
							.branch = (char *)"main",
							.folder = (char *)"",
							.host = (char *)"buildbox",
							.fingerprint = (char *)"f00d",
							.suites = (char *)"gemm",
							.aside = (char *)"",
							.started = FIRST + DAY * (int64_t)i,
							.finished = FIRST + DAY * (int64_t)i + 60,
							.results = 1};
		made->runs[at] = (struct bench_html_run){&made->rows[at], made->heads[at], ""};
		made->points[nights + i] = (struct bench_point){.run = id,
								.commit = commit,
								.key = (char *)TIME,
								.unit = (char *)"s",
								.started = made->rows[at].started,
								.median = 1e-3,
								.ci_lo = 0.99e-3,
								.ci_hi = 1.01e-3,
								.better = BENCH_BETTER_LOWER,
								.accepted = "",
								.fingerprint = (char *)"f00d",
								.anchor = ""};
		made->points[i] = made->points[nights + i];
		made->points[i].key = (char *)RATE;
		made->points[i].unit = (char *)"FLOP/s";
		made->points[i].derived = true;
		made->points[i].median = 5e8;
	}
	made->data = (struct bench_html_data){.now = FIRST + DAY * (int64_t)nights,
					      .runs = made->runs,
					      .run_count = nights,
					      .points = made->points,
					      .point_count = 2 * nights};
	return made;
}

static inline void render(struct made *made)
{
	made->site = bench_html_site_new(&made->data);
	made->count = bench_html_page_count(made->site);
	assert_in_range(made->count, 1, MOST_PAGES);
	for (size_t i = 0; i < made->count; i++) {
		struct bench_text out = {0};
		made->names[i] = bench_arena_string(&made->arena, bench_html_page(made->site, i, &out));
		made->texts[i] = out.data;
	}
}

static inline void forget(struct made *made)
{
	for (size_t i = 0; i < made->count; i++)
		free(made->texts[i]);
	for (size_t i = 0; i < NIGHTS; i++)
		bench_record_free(made->heads[i]);
	bench_html_site_free(made->site);
	bench_arena_free(&made->arena);
	free(made);
}

static inline const char *page(const struct made *made, const char *name)
{
	for (size_t i = 0; i < made->count; i++)
		if (strstr(made->names[i], name))
			return made->texts[i];
	fail_msg("there is no page %s", name);
	return NULL;
}

static inline void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in:\n%.20000s", part, text);
}

static inline void assert_has_not(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("'%s' is in:\n%.2000s", part, strstr(text, part));
}

static inline size_t count_of(const char *text, const char *part)
{
	size_t count = 0;
	for (; (text = strstr(text, part)); text += strlen(part))
		count++;
	return count;
}

static inline struct bench_change change_at(size_t night, double ratio)
{
	static char runs[NIGHTS][16];
	snprintf(runs[night], sizeof(runs[night]), "night-%02zu", night);
	return (struct bench_change){.key = TIME,
				     .unit = "s",
				     .better = BENCH_BETTER_LOWER,
				     .fingerprint = "f00d",
				     .last_run = "",
				     .last_commit = "aaaa",
				     .first_run = runs[night],
				     .first_commit = "bbbb",
				     .started = FIRST + DAY * (int64_t)night,
				     .before = 1e-3,
				     .after = ratio * 1e-3,
				     .ratio = {ratio, ratio - 0.01, ratio + 0.01, 0.95},
				     .cause = BENCH_CHANGE_CODE,
				     .why = "against the anchor +20.0%"};
}

#endif
