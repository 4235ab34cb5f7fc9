/* SPDX-License-Identifier: MIT */
/* index.html: alarms, losses, shifts, and all metrics. */
#include <math.h>
#include <string.h>

#include "report/html/lists.h"
#include "report/html/page.h"
#include "report/html/pages.h"
#include "report/render/alarms.h"
#include "report/render/words.h"

enum { MOST_METRICS = 600, MOST_MOVES = 100, MOST_LOST = 200, MOST_RUNS = 20 };

static void add_summary(const struct bench_html_site *site, struct bench_text *out)
{
	struct bench_arena arena = {0};
	const struct bench_html_data *data = site->data;
	if (data->run_count > 0)
		bench_text_add(out, "<p>%zu run%s from %s to %s, %zu metric%s.</p>\n", data->run_count,
			       data->run_count == 1 ? "" : "s",
			       html_when(&arena, data->runs[data->run_count - 1].row->started),
			       html_when(&arena, data->runs[0].row->started), site->ranked_count,
			       site->ranked_count == 1 ? "" : "s");
	else
		bench_text_add(out, "<p>The history has no run yet.</p>\n");
	bench_arena_free(&arena);
}

static void count_standings(const struct bench_html_site *site, const char *suite,
			    size_t counts[BENCH_STANDINGS])
{
	for (size_t i = 0; i < site->ranked_count; i++)
		if (!suite || strcmp(site->ranked[i]->suite, suite) == 0)
			counts[site->ranked[i]->standing]++;
}

/* alarms */

static void add_alarm(const struct bench_html_site *site, const struct bench_alarm *alarm,
		      struct bench_text *out)
{
	struct bench_arena arena = {0};
	const struct bench_alarm_metric *largest = bench_record_alarm_largest(alarm);
	const struct html_series *series = html_find_series(site, largest->key, alarm->fingerprint);
	size_t open = 0;
	for (size_t m = 0; m < alarm->metric_count; m++)
		open += alarm->metrics[m].state == BENCH_ALARM_OPEN;
	html_row(out, BENCH_STANDS_SLOWER);
	html_count(out, (size_t)alarm->id);
	html_time(out, alarm->since);
	double days = floor(((double)site->data->now - (double)alarm->since) / 86400);
	html_number(out, days,
		    bench_arena_format(&arena, "%.0f days, %u runs", fmax(days, 0), largest->nights));
	html_kept(out, largest->ratio, largest->lo, largest->hi, largest->ci_level, largest->unit);
	html_kept(out, largest->last_ratio, largest->last_lo, largest->last_hi, largest->last_ci_level,
		  largest->unit);
	html_count(out, open);
	bench_text_add(out, "<td>");
	html_link(out, false, series ? series->page : NULL, largest->key);
	bench_text_add(out, "</td><td><code>");
	html_add(out, bench_render_alarms_commits(&arena, alarm->good_commit, alarm->bad_commit));
	bench_text_add(out, "</code></td>");
	html_commit(out, alarm->culprit);
	html_run_cell(site, out, false, alarm->first_bad);
	html_row_end(out);
	bench_arena_free(&arena);
}

static void add_alarms(const struct bench_html_site *site, struct bench_text *out)
{
	static const char *const titles[] = {"#alarm",   "#since",  "#age",    "#change", "#newest change",
					     "#metrics", "largest", "commits", "culprit", "first bad run"};
	size_t open = 0;
	for (size_t a = 0; a < site->data->alarm_count; a++)
		open += bench_record_alarm_is_open(&site->data->alarms[a]);
	bench_text_add(out, "<section id=\"alarms\">\n<h2>Open alarms</h2>\n");
	if (open == 0)
		bench_text_add(out, "<p>No alarm is open.</p>\n");
	else
		html_list_begin(out, "what became slower and has neither recovered nor been accepted", titles,
				10);
	for (size_t a = site->data->alarm_count; a > 0; a--)
		if (bench_record_alarm_is_open(&site->data->alarms[a - 1]))
			add_alarm(site, &site->data->alarms[a - 1], out);
	if (open > 0)
		html_list_end(out);
	bench_text_add(out, "</section>\n");
}

/* missing and broken cases, which have no row of a metric */

static void add_lost_row(const struct bench_html_site *site, const struct html_comparison *comparison,
			 const struct bench_verdict_row *row, struct bench_text *out)
{
	const struct html_series *series =
		html_find_series(site, row->key, comparison->run->row->fingerprint);
	html_row(out, bench_compare_standing_of(row->verdict));
	html_verdict(out, bench_compare_standing_of(row->verdict));
	html_key_cell(out, false, series, row->key);
	html_time(out, comparison->run->row->started);
	html_run_cell(site, out, false, comparison->kept->run);
	html_cell(out, comparison->kept->baseline);
	html_cell(out, row->reason);
	html_row_end(out);
}

static bool is_lost(const struct bench_verdict_row *row)
{
	return bench_compare_standing_of(row->verdict) >= BENCH_STANDS_MISSING;
}

static void add_lost(const struct bench_html_site *site, struct bench_text *out)
{
	static const char *const titles[] = {"verdict", "metric or case", "#when", "run", "against", "why"};
	struct bench_text rows = {0};
	size_t count = 0;
	for (size_t i = 0; i < site->comparison_count; i++) {
		const struct html_comparison *comparison = &site->comparisons[i];
		for (size_t r = 0; comparison->newest && r < comparison->kept->count; r++)
			if (is_lost(&comparison->kept->rows[r]) && count++ < MOST_LOST)
				add_lost_row(site, comparison, &comparison->kept->rows[r], &rows);
	}
	if (count == 0)
		return;
	bench_text_add(out, "<section id=\"lost\">\n<h2>Missing or broken</h2>\n");
	html_list_begin(out, "in the newest runs", titles, 6);
	bench_text_add_bytes(out, rows.data, rows.length);
	html_list_end(out);
	if (count > MOST_LOST)
		bench_text_add(out, "<p>%zu more are on the pages of the comparisons.</p>\n",
			       count - MOST_LOST);
	bench_text_add(out, "</section>\n");
	bench_text_free(&rows);
}

static void add_moves(const struct bench_html_site *site, struct bench_text *out)
{
	size_t shown = site->moved_count < MOST_MOVES ? site->moved_count : MOST_MOVES;
	bench_text_add(out, "<section id=\"moved\">\n<h2>What moved</h2>\n");
	if (shown == 0)
		bench_text_add(out, "<p>No level has shifted for good.</p>\n");
	else
		html_moves(site, out, false, "levels that shifted for good, newest first, a line a run",
			   site->moved, shown);
	if (shown < site->moved_count)
		bench_text_add(out, "<p>%zu older shifts are on the pages of their runs.</p>\n",
			       site->moved_count - shown);
	bench_text_add(out, "</section>\n");
}

static void add_metrics(const struct bench_html_site *site, struct bench_text *out)
{
	size_t shown = site->ranked_count < MOST_METRICS ? site->ranked_count : MOST_METRICS;
	bench_text_add(out, "<section id=\"metrics\">\n<h2>Metrics</h2>\n");
	if (shown > 0)
		html_metrics(site, out, false, "all metrics that are judged, what needs somebody first",
			     site->ranked, shown);
	if (shown < site->ranked_count)
		bench_text_add(out, "<p>%zu more are on the pages of their suites.</p>\n",
			       site->ranked_count - shown);
	bench_text_add(out, "</section>\n");
}

static void add_suites(const struct bench_html_site *site, struct bench_text *out)
{
	static const char *const titles[] = {"suite",      "#metrics", "#broken",  "#missing", "#slower",
					     "#suspected", "#faster",  "#unclear", "#same"};
	static const enum bench_standing shown[] = {
		BENCH_STANDS_BROKEN, BENCH_STANDS_MISSING, BENCH_STANDS_SLOWER, BENCH_STANDS_SUSPECTED,
		BENCH_STANDS_FASTER, BENCH_STANDS_UNCLEAR, BENCH_STANDS_SAME};
	struct bench_arena arena = {0};
	bench_text_add(out, "<section id=\"suites\">\n<h2>Suites</h2>\n");
	html_list_begin(out, "verdicts on the newest runs, by suite", titles, 9);
	for (size_t i = 0; i < site->suite_count; i++) {
		size_t counts[BENCH_STANDINGS] = {0}, metrics = 0;
		int worst = BENCH_STANDS_BROKEN;
		count_standings(site, site->suites[i], counts);
		for (size_t s = 0; s < site->ranked_count; s++)
			metrics += strcmp(site->ranked[s]->suite, site->suites[i]) == 0;
		while (worst > BENCH_STANDS_RECOVERED && counts[worst] == 0)
			worst--;
		html_row(out,
			 worst > BENCH_STANDS_RECOVERED ? (enum bench_standing)worst : BENCH_STANDS_UNJUDGED);
		html_link_cell(out, false, html_suite_page(&arena, site->suites[i]), site->suites[i]);
		html_count(out, metrics);
		for (size_t k = 0; k < sizeof(shown) / sizeof(shown[0]); k++)
			html_count(out, counts[shown[k]]);
		html_row_end(out);
	}
	html_list_end(out);
	bench_text_add(out, "</section>\n");
	bench_arena_free(&arena);
}

static void add_runs(const struct bench_html_site *site, struct bench_text *out)
{
	size_t shown = site->data->run_count < MOST_RUNS ? site->data->run_count : MOST_RUNS;
	bench_text_add(out, "<section id=\"runs\">\n<h2>Newest runs</h2>\n");
	html_run_list(site, out, "the newest runs", shown);
	bench_text_add(out, "<p><a href=\"runs.html\">All %zu runs</a></p>\n</section>\n",
		       site->data->run_count);
}

void html_overview(const struct bench_html_site *site, const void *none, struct bench_text *out)
{
	size_t counts[BENCH_STANDINGS] = {0};
	(void)none;
	html_begin(out, "index", "Overview", false);
	add_summary(site, out);
	count_standings(site, NULL, counts);
	html_tiles(out, counts);
	add_alarms(site, out);
	add_lost(site, out);
	add_moves(site, out);
	add_metrics(site, out);
	add_suites(site, out);
	add_runs(site, out);
	html_end(site, out);
}

void html_suite(const struct bench_html_site *site, const void *suite, struct bench_text *out)
{
	struct bench_arena arena = {0};
	size_t counts[BENCH_STANDINGS] = {0}, count = 0;
	const struct html_series **series =
		bench_arena_alloc(&arena, site->ranked_count + 1, sizeof(*series));
	for (size_t i = 0; i < site->ranked_count; i++)
		if (strcmp(site->ranked[i]->suite, suite) == 0)
			series[count++] = site->ranked[i];
	html_begin(out, "suite", bench_arena_format(&arena, "Suite %s", (const char *)suite), true);
	count_standings(site, suite, counts);
	html_tiles(out, counts);
	html_metrics(site, out, true, "metrics, what needs somebody first", series, count);
	html_end(site, out);
	bench_arena_free(&arena);
}
