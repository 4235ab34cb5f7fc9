/* SPDX-License-Identifier: MIT */
/* metrics/HASH.html: one metric, on each of its hosts. */
#include <math.h>
#include <string.h>

#include "report/html/chart.h"
#include "report/html/page.h"
#include "report/html/pages.h"
#include "report/render/alarms.h"
#include "report/render/words.h"

enum { MOST_ROWS = 60, MOST_TOGETHER = 10 };

/* The verdict of the newest comparison, with its page. */
static void add_verdict(const struct bench_html_site *site, const struct html_series *series,
			struct bench_text *out)
{
	const struct bench_verdict_row *verdict = series->verdict;
	const char *page = NULL, *unit = bench_store_verdict_is_difference(verdict) ? series->unit : NULL;
	for (size_t i = 0; i < site->comparison_count; i++)
		if (site->comparisons[i].kept == series->judged_by)
			page = site->comparisons[i].page;
	bench_text_add(out, "<dt>verdict</dt><dd>%s%s%s against ",
		       bench_compare_standing_name(series->standing),
		       unit || isfinite(verdict->ratio) ? ", newest change " : "",
		       unit || isfinite(verdict->ratio)
			       ? bench_render_words_measured(site->scratch, verdict->ratio, verdict->lo,
							     verdict->hi, verdict->ci_level, unit)
			       : "");
	html_link(out, true, page, series->judged_by->baseline);
	if (isfinite(verdict->mde))
		bench_text_add(out, "; a change of %s would have been seen",
			       bench_render_words_amount(site->scratch, verdict->mde, unit));
	bench_text_add(out, "</dd>\n");
	if (*verdict->reason)
		html_fact(out, "why", verdict->reason);
	if (*verdict->owner)
		html_fact(out, "owner", verdict->owner);
}

static void add_alarm(struct bench_arena *arena, const struct html_series *series, struct bench_text *out)
{
	const struct bench_alarm *alarm = series->alarm;
	html_fact(
		out, "alarm",
		bench_arena_format(arena, "%s, since %s, commits %s%s%.12s",
				   html_alarm(arena, alarm, series->key), html_when(arena, alarm->since),
				   bench_render_alarms_commits(arena, alarm->good_commit, alarm->bad_commit),
				   *alarm->culprit ? ", bisected to " : "", alarm->culprit));
}

static void add_state(const struct bench_html_site *site, const struct html_series *series,
		      struct bench_text *out)
{
	const struct bench_point *last = &series->points[series->count - 1];
	const struct bench_result *result = series->now.result;
	html_format(out, "<dl class=\"facts\">\n<dt>newest</dt><dd>%s, %s, run ",
		    bench_render_words_quantity(site->scratch, last->median, series->unit),
		    html_when(site->scratch, last->started));
	html_run_link(site, out, true, last->run);
	bench_text_add(out, "</dd>\n");
	if (series->verdict)
		add_verdict(site, series, out);
	if (series->alarm)
		add_alarm(site->scratch, series, out);
	html_fact(out, "better", series->better == BENCH_BETTER_LOWER ? "lower" : "higher");
	if (result)
		html_fact(out, "checked", result->checked ? result->check.method : "no");
	if (result && *bench_record_unchecked(result))
		html_fact(out, "not checked", bench_record_unchecked(result));
	bench_text_add(out, "</dl>\n");
}

/* events: what happened at a run, newest first */

static void add_event(const struct bench_html_site *site, const struct bench_point *point, const char *what,
		      enum bench_standing standing, const char *text, struct bench_text *out)
{
	html_row(out, standing);
	html_time(out, point->started);
	html_cell(out, what);
	html_cell(out, text);
	html_run_cell(site, out, true, point->run);
	html_commit(out, point->commit);
	html_row_end(out);
}

static void add_change_event(const struct bench_html_site *site, const struct bench_point *point,
			     const struct bench_change *change, struct bench_text *out)
{
	add_event(
		site, point, "level", html_change_standing(change),
		bench_arena_format(
			site->scratch,
			"level shift %s: %s to %s, commits %s; %zu other metrics shifted; cause: %s%s%s",
			bench_render_words_measured(site->scratch, change->ratio.estimate, change->ratio.lo,
						    change->ratio.hi, change->ratio.level, change->unit),
			bench_render_words_quantity(site->scratch, change->before, change->unit),
			bench_render_words_quantity(site->scratch, change->after, change->unit),
			bench_render_alarms_commits(site->scratch, change->last_commit, change->first_commit),
			change->together, bench_compare_cause_name(change->cause), *change->why ? ", " : "",
			change->why),
		out);
}

static void add_events_at(const struct bench_html_site *site, const struct html_series *series, size_t at,
			  struct bench_text *out)
{
	const struct bench_html_data *data = site->data;
	const struct bench_point *point = &series->points[at];
	const struct bench_html_run *run = html_find_run(site, point->run);
	for (size_t i = 0; i < data->change_count; i++)
		if (strcmp(data->changes[i].first_run, point->run) == 0 &&
		    html_is_of(series, &data->changes[i]))
			add_change_event(site, point, &data->changes[i], out);
	const struct bench_alarm *alarm = html_find_alarm(site, point->run, series->key, series->fingerprint);
	if (alarm) {
		add_event(site, point, "alarm", BENCH_STANDS_SLOWER,
			  bench_arena_format(site->scratch, "alarm %s",
					     html_alarm(site->scratch, alarm, series->key)),
			  out);
	}
	if (*point->accepted)
		add_event(site, point, "accepted", BENCH_STANDS_UNJUDGED, point->accepted, out);
	if (run && *run->facts)
		add_event(site, point, "environment", BENCH_STANDS_UNJUDGED, run->facts, out);
}

static void add_events(const struct bench_html_site *site, const struct html_series *series,
		       struct bench_text *out)
{
	static const char *const titles[] = {"#when", "what", "details", "run", "commit"};
	BENCH_SCOPED_TEXT rows = {0};
	for (size_t i = series->count; i > 0; i--)
		add_events_at(site, series, i - 1, &rows);
	if (!rows.data)
		return;
	bench_text_add(out, "<h3>What happened</h3>\n");
	html_list_begin(out, "shifts, alarms, accepted shifts and changes of the environment, newest first",
			titles, 5);
	bench_text_add_bytes(out, rows.data, rows.length);
	html_list_end(out);
}

/* The other metrics that shifted at the runs where this one did. */
static void add_together(const struct bench_html_site *site, const struct html_series *series,
			 struct bench_text *out)
{
	for (size_t g = 0; g < site->moved_count; g++) {
		const struct html_moved *moved = &site->moved[g];
		bool with = false;
		for (size_t i = 0; i < moved->count; i++)
			with |= html_is_of(series, moved->changes[i]);
		if (!with || moved->count < 2)
			continue;
		bench_text_add(out, "<h3>Levels that shifted with it at ");
		html_run_link(site, out, true, moved->changes[0]->first_run);
		bench_text_add(out, "</h3>\n<ul>\n");
		for (size_t i = 0, shown = 0; i < moved->count && shown < MOST_TOGETHER; i++) {
			const struct bench_change *change = moved->changes[i];
			const struct html_series *other =
				html_find_series(site, change->key, change->fingerprint);
			if (strcmp(change->key, series->key) == 0)
				continue;
			bench_text_add(out, "<li>%s ",
				       bench_render_words_change(site->scratch, change->ratio.estimate));
			html_link(out, true, other ? other->page : NULL, change->key);
			bench_text_add(out, "</li>\n");
			shown++;
		}
		bench_text_add(out, "</ul>\n");
	}
}

static void add_siblings(const struct bench_html_site *site, const struct html_series *series,
			 struct bench_text *out)
{
	static const char *const titles[] = {"metric", "#newest", "trend"};
	const char *metric = strrchr(series->key, '/');
	size_t length = metric ? (size_t)(metric - series->key) + 1 : 0,
	       first = (size_t)(series - site->series);
	if (length == 0)
		return;
	while (first > 0 && strncmp(site->series[first - 1].key, series->key, length) == 0)
		first--;
	bench_text_add(out, "<h3>Other metrics of the case</h3>\n");
	html_list_begin(out, "newest values", titles, 3);
	for (; first < site->series_count && strncmp(site->series[first].key, series->key, length) == 0;
	     first++) {
		const struct html_series *other = &site->series[first];
		if (other == series || strcmp(other->fingerprint, series->fingerprint) != 0)
			continue;
		html_row(out, other->standing);
		html_link_cell(out, true, other->page, other->key + length);
		html_quantity(out, other->points[other->count - 1].median, other->unit);
		bench_text_add(out, "<td>");
		html_spark(other, out);
		bench_text_add(out, "</td>");
		html_row_end(out);
	}
	html_list_end(out);
}

static void add_values(const struct bench_html_site *site, const struct html_series *series,
		       struct bench_text *out)
{
	static const char *const titles[] = {"#when", "#median", "#+/-", "verdict", "run", "commit", "note"};
	size_t shown = series->count < MOST_ROWS ? series->count : MOST_ROWS;
	bench_text_add(out, "<details><summary>The newest %zu of %zu values</summary>\n", shown,
		       series->count);
	html_list_begin(out,
			"values, newest first; +/-: the larger half of the interval of the median, of "
			"95% confidence unless it says otherwise",
			titles, 7);
	for (size_t i = 0; i < shown; i++) {
		size_t at = series->count - 1 - i;
		const struct bench_point *point = &series->points[at];
		html_row(out, series->verdicts[at]);
		html_time(out, point->started);
		html_quantity(out, point->median, series->unit);
		html_spread(out, point);
		html_verdict(out, series->verdicts[at]);
		html_run_cell(site, out, true, point->run);
		html_commit(out, point->commit);
		html_cell(out, point->disturbed ? "disturbed" : "");
		html_row_end(out);
	}
	html_list_end(out);
	bench_text_add(out, "</details>\n");
}

static void add_repeat(const struct html_series *series, struct bench_text *out)
{
	BENCH_SCOPED_ARENA arena = {0};
	BENCH_SCOPED_TEXT command = {0};

	bench_text_add(out, "<h3>To repeat and to judge</h3>\n");
	if (series->now.result && *series->now.result->repeat)
		html_command(out, series->now.result->repeat);
	bench_text_add_command(&command, "bench history %s", series->key);
	html_command(out, command.data);
	if (series->alarm_metric && series->alarm_metric->state == BENCH_ALARM_OPEN &&
	    *series->alarm->good_commit && *series->alarm->bad_commit)
		html_command(out, bench_arena_format(&arena, "bench bisect --alarm %lld",
						     (long long)series->alarm->id));
}

static size_t add_host(const struct bench_html_site *site, const struct html_series *series, size_t id,
		       struct bench_text *out)
{
	html_format(out, "<section>\n<h2>On %s</h2>\n", series->host);
	add_state(site, series, out);
	id = html_trend(site, series, id, out);
	add_events(site, series, out);
	add_together(site, series, out);
	id = html_samples(site->scratch, series, id, out);
	add_repeat(series, out);
	add_siblings(site, series, out);
	add_values(site, series, out);
	bench_text_add(out, "</section>\n");
	return id;
}

void html_metric(const struct bench_html_site *site, const void *subject, struct bench_text *out)
{
	const struct html_series *series = subject, *end = site->series + site->series_count;
	const char *key = series->key;
	html_begin(out, "metric", key, true);
	bench_text_add(out, "<p>Suite ");
	html_link(out, true, html_suite_page(site->scratch, series->suite), series->suite);
	bench_text_add(out, "</p>\n");
	for (size_t id = 0; series < end && strcmp(series->key, key) == 0; series++)
		if (series->page)
			id = add_host(site, series, id, out);
	html_end(site, out);
}
