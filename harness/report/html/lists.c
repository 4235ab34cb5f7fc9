/* SPDX-License-Identifier: MIT */
#include "report/html/lists.h"

#include <math.h>

#include "report/html/chart.h"
#include "report/html/page.h"
#include "report/render/alarms.h"

void html_tiles(struct bench_text *out, const size_t counts[BENCH_STANDINGS])
{
	size_t judged = 0;
	for (int i = BENCH_STANDS_BROKEN; i > BENCH_STANDS_UNJUDGED; i--)
		judged += counts[i];
	if (judged == 0)
		return; /* a first night */
	bench_text_add(out, "<div class=\"tiles\">\n");
	for (int i = BENCH_STANDS_BROKEN; i > BENCH_STANDS_UNJUDGED; i--) {
		const char *name = bench_compare_standing_name((enum bench_standing)i);
		bench_text_add(out,
			       "<button type=\"button\" class=\"tile %s\" data-kind=\"%s\" "
			       "aria-pressed=\"false\"><strong>%zu</strong> %s</button>\n",
			       name, name, counts[i], name);
	}
	bench_text_add(out, "</div>\n");
	if (counts[BENCH_STANDS_SUSPECTED] > 0)
		bench_text_add(out,
			       "<p class=\"hint\">suspected: slower on one night, or by one value; the next "
			       "night confirms or clears it.</p>\n");
}

static void add_metric_row(const struct bench_html_site *site, struct bench_text *out, bool below,
			   const struct html_series *series)
{
	const struct bench_point *last = &series->points[series->count - 1];
	html_row(out, series->standing);
	html_verdict(out, series->standing);
	html_link_cell(out, below, series->page, series->key);
	html_quantity(out, last->median, series->unit);
	if (series->verdict && isfinite(series->verdict->ratio))
		html_ratio(out, series->verdict->ratio, NAN, NAN, NAN);
	else if (series->verdict)
		html_kept(out, NAN, series->verdict->lo, series->verdict->hi, NAN, series->unit);
	else
		bench_text_add(out, "<td></td>");
	bench_text_add(out, "<td>");
	html_spark(series, out);
	bench_text_add(out, "</td>");
	html_time(out, last->started);
	if (!site->one_host)
		html_cell(out, series->host);
	html_row_end(out);
}

void html_metrics(const struct bench_html_site *site, struct bench_text *out, bool below, const char *caption,
		  const struct html_series *const *series, size_t count)
{
	static const char *const titles[] = {"verdict", "metric",    "#newest", "#newest change",
					     "trend",   "#measured", "host"};
	html_list_begin(out, caption, titles, site->one_host ? 6 : 7);
	for (size_t i = 0; i < count; i++)
		add_metric_row(site, out, below, series[i]);
	html_list_end(out);
}

/* The largest of a group by name, and how many more. */
static void add_names(const struct bench_html_site *site, struct bench_text *out, bool below,
		      const struct html_moved *moved)
{
	bench_text_add(out, "<td>");
	const struct bench_change *largest = moved->changes[0];
	const struct html_series *series = html_find_series(site, largest->key, largest->fingerprint);
	html_link(out, below, series ? series->page : NULL, largest->key);
	if (moved->count > 1) {
		bench_text_add(out, "<br>");
		html_link(out, below,
			  html_run_page(site->scratch, html_find_run(site, moved->changes[0]->first_run)),
			  bench_arena_format(site->scratch, "and %zu more", moved->count - 1));
	}
	bench_text_add(out, "</td>");
}

static void add_move(const struct bench_html_site *site, struct bench_text *out, bool below,
		     const struct html_moved *moved)
{
	const struct bench_change *largest = moved->changes[0];
	const char *cause = bench_compare_cause_name(largest->cause);
	html_row(out, html_change_standing(largest));
	html_verdict(out, html_change_standing(largest));
	add_names(site, out, below, moved);
	html_ratio(out, largest->ratio.estimate, largest->ratio.lo, largest->ratio.hi, largest->ratio.level);
	html_time(out, largest->started);
	html_count(out, moved->count);
	html_code(out,
		  bench_render_alarms_commits(site->scratch, largest->last_commit, largest->first_commit));
	html_cell(out,
		  *largest->why ? bench_arena_format(site->scratch, "%s: %s", cause, largest->why) : cause);
	const struct bench_alarm *alarm =
		html_find_alarm(site, largest->first_run, largest->key, largest->fingerprint);
	html_cell(out,
		  alarm ? bench_arena_format(site->scratch, "%lld, %s", (long long)alarm->id,
					     bench_record_alarm_state_name(
						     bench_record_alarm_metric(alarm, largest->key)->state))
			: "");
	if (!site->one_host)
		html_cell(out, moved->host);
	html_row_end(out);
}

void html_moves(const struct bench_html_site *site, struct bench_text *out, bool below, const char *caption,
		const struct html_moved *moved, size_t count)
{
	static const char *const titles[] = {"direction", "largest", "#level shift", "#when", "#metrics",
					     "commits",   "cause",   "alarm",        "host"};
	html_list_begin(out, caption, titles, site->one_host ? 8 : 9);
	for (size_t i = 0; i < count; i++)
		add_move(site, out, below, &moved[i]);
	html_list_end(out);
}

static const char *state_of(const struct bench_run_row *row)
{
	return *row->aside ? "aside" : row->interrupted ? "interrupted" : !row->finished ? "cut short" : "";
}

void html_run_list(const struct bench_html_site *site, struct bench_text *out, const char *caption,
		   size_t count)
{
	static const char *const titles[] = {"run",    "#started", "commit",   "branch",  "suites",
					     "preset", "host",     "#results", "#failed", "note"};
	html_list_begin(out, caption, titles, 10);
	for (size_t i = 0; i < count; i++) {
		const struct bench_run_row *row = site->data->runs[i].row;
		html_row(out, row->not_ok > 0 ? BENCH_STANDS_BROKEN : BENCH_STANDS_UNJUDGED);
		html_run_cell(site, out, false, row->id);
		html_time(out, row->started);
		html_commit(out, row->commit);
		html_cell(out, row->branch);
		html_names(out, "td", row->suites);
		html_cell(out, row->shown_preset);
		html_cell(out, html_host(row, row->fingerprint));
		html_count(out, row->results);
		html_count(out, row->not_ok);
		html_cell(out, state_of(row));
		html_row_end(out);
	}
	html_list_end(out);
}
