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
	const struct bench_html_data *data = site->data;
	if (data->run_count > 0)
		bench_text_add(out, "<p>%zu run%s %s%s%s, %zu metric%s.</p>\n", data->run_count,
			       data->run_count == 1 ? "," : "s from",
			       html_when(site->scratch, data->runs[data->run_count - 1].row->started),
			       data->run_count == 1 ? "" : " to ",
			       data->run_count == 1 ? ""
						    : html_when(site->scratch, data->runs[0].row->started),
			       site->ranked_count, site->ranked_count == 1 ? "" : "s");
	else
		bench_text_add(out, "<p>The history has no run yet.</p>\n");
}

static void count_standings(const struct bench_html_site *site, const char *suite,
			    size_t counts[BENCH_STANDINGS])
{
	for (size_t i = 0; i < site->ranked_count; i++)
		if (!suite || strcmp(site->ranked[i]->suite, suite) == 0)
			counts[site->ranked[i]->standing]++;
}

/* what to do today */

/* How many alarms are open; *newest: the last of them. */
static size_t open_alarms(const struct bench_html_site *site, const struct bench_alarm **newest)
{
	size_t open = 0;
	*newest = NULL;
	for (size_t a = 0; a < site->data->alarm_count; a++)
		if (bench_record_alarm_is_open(&site->data->alarms[a])) {
			*newest = &site->data->alarms[a];
			open++;
		}
	return open;
}

static bool is_lost(const struct bench_verdict_row *row)
{
	return bench_compare_standing_of(row->verdict) >= BENCH_STANDS_MISSING;
}

/* Cases and metrics of the newest runs that are missing or broken. */
static size_t count_lost(const struct bench_html_site *site)
{
	size_t count = 0;
	for (size_t i = 0; i < site->comparison_count; i++)
		for (size_t r = 0; site->comparisons[i].newest && r < site->comparisons[i].kept->count; r++)
			count += is_lost(&site->comparisons[i].kept->rows[r]);
	return count;
}

static void add_alarm_advice(const struct bench_html_site *site, size_t open,
			     const struct bench_alarm *newest, struct bench_text *out)
{
	const struct bench_alarm_metric *largest = bench_record_alarm_largest(newest);
	const struct html_series *series = html_find_series(site, largest->key, newest->fingerprint);
	bench_text_add(out, "<p class=\"today\">%zu alarm%s open%s ", open, open == 1 ? " is" : "s are",
		       open == 1 ? ":" : "; the newest:");
	html_link(out, false, series ? series->page : NULL, largest->key);
	html_format(out, ", %s",
		    bench_render_words_kept(site->scratch, largest->ratio, largest->lo, largest->hi,
					    largest->unit));
	if (!site->one_host && series)
		html_format(out, " on %s", series->host);
	bench_text_add(out, " since %s. Find the cause, then mend or accept it:</p>\n",
		       bench_render_alarms_day(site->scratch, newest->since));
	html_command(out, bench_arena_format(site->scratch, "bench alarms show %lld", (long long)newest->id));
}

/* A sentence, and the command to paste; NULL: none. */
static void say(struct bench_text *out, const char *sentence, const char *command)
{
	bench_text_add(out, "<p class=\"today\">%s</p>\n", sentence);
	if (command)
		html_command(out, command);
}

static const char *metrics_are(struct bench_arena *arena, size_t count)
{
	return bench_arena_format(arena, "%zu metric%s", count, count == 1 ? " is" : "s are");
}

/* Of nights without an alarm and with all cases there. */
static void add_quiet_advice(const struct bench_html_site *site, const size_t counts[BENCH_STANDINGS],
			     struct bench_text *out)
{
	size_t slower = counts[BENCH_STANDS_SLOWER], suspected = counts[BENCH_STANDS_SUSPECTED],
	       unclear = counts[BENCH_STANDS_UNCLEAR], unjudged = counts[BENCH_STANDS_UNJUDGED];
	if (slower > 0)
		say(out,
		    bench_arena_format(
			    site->scratch,
			    "%s slower in the newest runs, and under no alarm. Confirm it with a gate:",
			    metrics_are(site->scratch, slower)),
		    "bench gate");
	else if (suspected > 0)
		say(out,
		    bench_arena_format(site->scratch,
				       "Nothing to do until the next night: %s suspected to be slower.",
				       metrics_are(site->scratch, suspected)),
		    NULL);
	else if (site->ranked_count > 0 && unjudged == site->ranked_count)
		say(out, "Nothing to do: the next run will be compared with these.", NULL);
	else if (2 * unclear > site->ranked_count)
		say(out,
		    bench_arena_format(site->scratch,
				       "Nothing is known to be slower, but %s unclear. This says what would "
				       "decide them:",
				       metrics_are(site->scratch, unclear)),
		    "bench compare last");
	else if (site->ranked_count > 0)
		say(out,
		    bench_arena_format(site->scratch,
				       "Nothing to do: no alarm is open, and of %zu metric%s none is slower.",
				       site->ranked_count, bench_text_plural(site->ranked_count)),
		    NULL);
}

/* What a person should do today, in a sentence, with the command. Alarms come before broken and missing
 * cases, which have no alarm, and those before what has to wait for another night. */
static void add_advice(const struct bench_html_site *site, const size_t counts[BENCH_STANDINGS],
		       struct bench_text *out)
{
	const struct bench_alarm *newest;
	size_t open = open_alarms(site, &newest), lost = count_lost(site);
	if (open > 0)
		add_alarm_advice(site, open, newest, out);
	if (lost > 0)
		say(out,
		    bench_arena_format(site->scratch,
				       "%zu case%s missing or broken in the newest runs. <a "
				       "href=\"index.html#lost\">See why</a>, mend it, and measure again:",
				       lost, lost == 1 ? " or metric is" : "s or metrics are"),
		    "bench compare last");
	if (open + lost == 0)
		add_quiet_advice(site, counts, out);
}

/* alarms */

/* Columns that no open alarm fills are left out. */
struct alarm_columns {
	bool culprit, cause;
};

static void add_alarm(const struct bench_html_site *site, const struct bench_alarm *alarm,
		      const struct alarm_columns *any, struct bench_text *out)
{
	const struct bench_alarm_metric *largest = bench_record_alarm_largest(alarm);
	const struct html_series *series = html_find_series(site, largest->key, alarm->fingerprint);
	size_t open = 0;
	for (size_t m = 0; m < alarm->metric_count; m++)
		open += alarm->metrics[m].state == BENCH_ALARM_OPEN;
	double days = fmax(floor(((double)site->data->now - (double)alarm->since) / 86400), 0);
	html_row(out, BENCH_STANDS_SLOWER);
	html_count(out, (size_t)alarm->id);
	html_key_cell(out, false, series, largest->key);
	html_kept(out, largest->ratio, largest->lo, largest->hi, largest->ci_level, largest->unit);
	html_kept(out, largest->last_ratio, largest->last_lo, largest->last_hi, largest->last_ci_level,
		  largest->unit);
	html_number_and(out, (double)alarm->since, html_when(site->scratch, alarm->since),
			bench_arena_format(site->scratch, ", %.0f day%s, %u run%s", days,
					   days == 1 ? "" : "s", largest->nights,
					   largest->nights == 1 ? "" : "s"));
	html_count(out, open);
	html_code(out, bench_render_alarms_commits(site->scratch, alarm->good_commit, alarm->bad_commit));
	if (any->culprit)
		html_commit(out, alarm->culprit);
	if (any->cause)
		html_cell(out, alarm->cause ? alarm->cause : "");
	html_run_cell(site, out, false, alarm->first_bad);
	if (!site->one_host)
		html_cell(out, series ? series->host : "");
	html_row_end(out);
}

static void add_alarms(const struct bench_html_site *site, struct bench_text *out)
{
	const char *titles[11] = {"#alarm", "largest",  "#change", "#newest change",
				  "#since", "#metrics", "commits"};
	size_t columns = 7;
	const struct bench_alarm *newest;
	size_t open = open_alarms(site, &newest);
	struct alarm_columns any = {false, false};
	for (size_t a = 0; a < site->data->alarm_count; a++) {
		const struct bench_alarm *alarm = &site->data->alarms[a];
		any.culprit |= bench_record_alarm_is_open(alarm) && *alarm->culprit;
		any.cause |= bench_record_alarm_is_open(alarm) && alarm->cause && *alarm->cause;
	}
	if (any.culprit)
		titles[columns++] = "culprit";
	if (any.cause)
		titles[columns++] = "why";
	titles[columns++] = "first bad run";
	if (!site->one_host)
		titles[columns++] = "host";
	bench_text_add(out, "<section id=\"alarms\">\n<h2>Open alarms</h2>\n");
	if (open == 0)
		bench_text_add(out, "<p>No alarm is open.</p>\n");
	else
		html_list_begin(out, "what became slower and has neither recovered nor been accepted", titles,
				(unsigned)columns);
	for (size_t a = site->data->alarm_count; a > 0; a--)
		if (bench_record_alarm_is_open(&site->data->alarms[a - 1]))
			add_alarm(site, &site->data->alarms[a - 1], &any, out);
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
	if (!site->one_host)
		html_cell(out, html_host(comparison->run->row, comparison->run->row->fingerprint));
	html_row_end(out);
}

static void add_lost(const struct bench_html_site *site, struct bench_text *out)
{
	static const char *const titles[] = {"verdict", "metric or case", "#when", "run", "against", "why",
					     "host"};
	size_t count = count_lost(site), shown = 0;
	if (count == 0)
		return;
	bench_text_add(out, "<section id=\"lost\">\n<h2>Missing or broken</h2>\n");
	html_list_begin(out, "in the newest runs", titles, site->one_host ? 6 : 7);
	for (size_t i = 0; i < site->comparison_count; i++) {
		const struct html_comparison *comparison = &site->comparisons[i];
		for (size_t r = 0; comparison->newest && r < comparison->kept->count; r++)
			if (is_lost(&comparison->kept->rows[r]) && shown++ < MOST_LOST)
				add_lost_row(site, comparison, &comparison->kept->rows[r], out);
	}
	html_list_end(out);
	if (count > MOST_LOST)
		bench_text_add(out, "<p>%zu more are on the pages of the comparisons.</p>\n",
			       count - MOST_LOST);
	bench_text_add(out, "</section>\n");
}

static void add_moves(const struct bench_html_site *site, struct bench_text *out)
{
	size_t shown = site->moved_count < MOST_MOVES ? site->moved_count : MOST_MOVES;
	bench_text_add(out, "<section id=\"moved\">\n<h2>What moved</h2>\n");
	if (shown == 0)
		bench_text_add(out, "<p>No level has shifted for good.</p>\n");
	else
		html_moves(site, out, false, "levels that shifted for good, newest first, one row a run",
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
		html_metrics(site, out, false, "all metrics that are judged, most urgent first", site->ranked,
			     shown);
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
		html_link_cell(out, false, html_suite_page(site->scratch, site->suites[i]), site->suites[i]);
		html_count(out, metrics);
		for (size_t k = 0; k < sizeof(shown) / sizeof(shown[0]); k++)
			html_count(out, counts[shown[k]]);
		html_row_end(out);
	}
	html_list_end(out);
	bench_text_add(out, "</section>\n");
}

static void add_runs(const struct bench_html_site *site, struct bench_text *out)
{
	size_t shown = site->data->run_count < MOST_RUNS ? site->data->run_count : MOST_RUNS;
	bench_text_add(out, "<section id=\"runs\">\n<h2>Newest runs</h2>\n");
	html_run_list(site, out, "newest first", shown);
	bench_text_add(out, "<p><a href=\"runs.html\">All %zu runs</a></p>\n</section>\n",
		       site->data->run_count);
}

void html_overview(const struct bench_html_site *site, const void *none, struct bench_text *out)
{
	size_t counts[BENCH_STANDINGS] = {0};
	(void)none;
	html_begin(out, "index", "Overview", false);
	count_standings(site, NULL, counts);
	add_advice(site, counts, out);
	add_summary(site, out);
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
	size_t counts[BENCH_STANDINGS] = {0}, count = 0;
	const struct html_series **series =
		bench_arena_alloc(site->scratch, site->ranked_count + 1, sizeof(*series));
	for (size_t i = 0; i < site->ranked_count; i++)
		if (strcmp(site->ranked[i]->suite, suite) == 0)
			series[count++] = site->ranked[i];
	html_begin(out, "suite", bench_arena_format(site->scratch, "Suite %s", (const char *)suite), true);
	count_standings(site, suite, counts);
	html_tiles(out, counts);
	html_metrics(site, out, true, "its metrics, most urgent first", series, count);
	html_end(site, out);
}
