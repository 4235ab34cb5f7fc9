/* SPDX-License-Identifier: MIT */
/* The pages of bench report: what stands on which, from data made by hand. */
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
static struct made *make(size_t nights)
{
	struct made *made = calloc(1, sizeof(*made));
	for (size_t i = 0; i < nights; i++) {
		size_t at = nights - 1 - i;
		char *id = bench_arena_format(&made->arena, "night-%02zu", i);
		char *commit = bench_arena_format(&made->arena, "%02zuaaaaaaaaaaaa", i);
		made->heads[at] = fixture_empty(id);
		made->rows[at] = (struct bench_run_row){.id = id,
							.preset = (char *)"nightly",
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

static void render(struct made *made)
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

static void forget(struct made *made)
{
	for (size_t i = 0; i < made->count; i++)
		free(made->texts[i]);
	for (size_t i = 0; i < NIGHTS; i++)
		bench_record_free(made->heads[i]);
	bench_html_site_free(made->site);
	bench_arena_free(&made->arena);
	free(made);
}

static const char *page(const struct made *made, const char *name)
{
	for (size_t i = 0; i < made->count; i++)
		if (strstr(made->names[i], name))
			return made->texts[i];
	fail_msg("there is no page %s", name);
	return NULL;
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in:\n%.20000s", part, text);
}

static void assert_has_not(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("'%s' is in:\n%.2000s", part, strstr(text, part));
}

static size_t count_of(const char *text, const char *part)
{
	size_t count = 0;
	for (; (text = strstr(text, part)); text += strlen(part))
		count++;
	return count;
}

static bool is_page(const struct made *made, const char *name, size_t length)
{
	for (size_t i = 0; i < made->count; i++)
		if (strlen(made->names[i]) == length && strncmp(made->names[i], name, length) == 0)
			return true;
	return strncmp(name, "assets/report.", 14) == 0;
}

/* Every link of a page leads to a page of the report. */
static void check_links(const struct made *made, size_t at)
{
	const char *text = made->texts[at];
	size_t up = strchr(made->names[at], '/') ? 3 : 0;
	while ((text = strstr(text, "href=\"")) || (text = NULL)) {
		text += 6;
		if (strncmp(text, "../", up) != 0 || !is_page(made, text + up, strcspn(text + up, "\"#")))
			fail_msg("%s: no page %.80s", made->names[at], text);
	}
}

static void check_all_links(const struct made *made)
{
	for (size_t i = 0; i < made->count; i++) {
		check_links(made, i);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(made->names[i], made->names[j]);
	}
}

static void every_link_leads_to_a_page(void **state)
{
	struct made *made = make(NIGHTS);
	(void)state;
	/* A run beyond those that have a page is named, and no link. */
	made->runs[NIGHTS - 1].head = NULL;
	render(made);
	check_all_links(made);
	assert_has(page(made, "runs.html"), "<td>night-00</td>");
	assert_has(page(made, "runs.html"), "<a href=\"runs/night-01.html\">night-01</a>");
	forget(made);
}

static void what_is_judged_has_a_page_and_the_rest_is_beside_it(void **state)
{
	struct made *made = make(3);
	(void)state;
	render(made);
	size_t metrics = 0;
	for (size_t i = 0; i < made->count; i++)
		metrics += strncmp(made->names[i], "metrics/", 8) == 0;
	assert_int_equal(metrics, 1);
	assert_has(page(made, "metrics/"), "<td>flop_rate</td>");
	assert_has_not(page(made, "index.html"), "flop_rate");
	forget(made);
}

/* Each text that comes from a run, a database or a person. */
static void texts_from_outside_are_escaped_everywhere(void **state)
{
	struct made *made = make(4);
	const struct bench_verdict_row rows[] = {
		{"evil" EVIL, EVIL, 1, 1, 1, 1, 1, 1, 1, EVIL, EVIL},
		{"gone/" EVIL "/time", "missing", NAN, NAN, NAN, NAN, NAN, NAN, NAN, EVIL, EVIL},
		{TIME, "slower", 1.5, 1.4, 1.6, 1e-9, 0.02, 0.05, 0.99, "", ""}};
	const struct bench_kept_comparison kept = {"../../" EVIL, EVIL, rows, 3};
	struct bench_change change = {.key = "evil/" EVIL "/time",
				      .unit = EVIL,
				      .better = BENCH_BETTER_LOWER,
				      .fingerprint = EVIL,
				      .last_run = EVIL,
				      .last_commit = EVIL,
				      .first_run = "../../" EVIL,
				      .first_commit = EVIL,
				      .before = 1,
				      .after = 2,
				      .ratio = {2, 1.9, 2.1, 0.95},
				      .why = EVIL};
	struct bench_alarm_metric metric = {.key = (char *)"evil/" EVIL "/time",
					    .unit = (char *)EVIL,
					    .last_ratio = 1.5,
					    .last_run = (char *)EVIL,
					    .closed_run = (char *)"",
					    .why = (char *)EVIL};
	const struct bench_alarm alarm = {.id = 1,
					  .fingerprint = (char *)EVIL,
					  .track = (char *)EVIL,
					  .first_bad = (char *)"../../" EVIL,
					  .last_good = (char *)EVIL,
					  .bad_commit = (char *)EVIL,
					  .good_commit = (char *)EVIL,
					  .culprit = (char *)EVIL,
					  .metrics = &metric,
					  .metric_count = 1};
	(void)state;
	struct bench_run *head = made->heads[0];
	struct bench_run_row *row = &made->rows[0];
	head->command = head->git.commit = head->git.branch = (char *)EVIL;
	bench_record_attribute_set(&head->arena, &head->labels, &head->label_count, EVIL, EVIL);
	bench_record_attribute_set(&head->arena, &head->host, &head->host_count, EVIL, EVIL);
	fixture_device(head, "open" EVIL, "../" EVIL, EVIL, EVIL);
	row->id = (char *)"../../" EVIL;
	row->commit = row->branch = row->host = row->preset = row->suites = row->fingerprint = (char *)EVIL;
	made->runs[0].facts = EVIL;
	for (size_t i = 0; i < 8; i += 7) {
		struct bench_point *point = &made->points[i];
		*point = (struct bench_point){.run = row->id,
					      .commit = (char *)EVIL,
					      .key = (char *)(i == 0 ? "evil/" EVIL "/time" : TIME),
					      .unit = (char *)EVIL,
					      .started = row->started,
					      .median = 1,
					      .ci_lo = NAN,
					      .ci_hi = NAN,
					      .better = BENCH_BETTER_LOWER,
					      .disturbed = true,
					      .accepted = EVIL,
					      .fingerprint = (char *)EVIL,
					      .anchor = EVIL};
	}
	made->data.comparisons = &kept;
	made->data.changes = &change;
	made->data.alarms = &alarm;
	made->data.comparison_count = made->data.change_count = made->data.alarm_count = 1;
	render(made);
	check_all_links(made);
	for (size_t i = 0; i < made->count; i++) {
		assert_has_not(made->texts[i], "<script>alert");
		assert_has_not(made->texts[i], "\"'&");
		assert_has_not(made->texts[i], "\x1b");
		assert_null(strstr(made->names[i], ".."));
		assert_int_equal(strspn(made->names[i], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
							"0123456789_-./"),
				 strlen(made->names[i]));
	}
	assert_has(page(made, "index.html"), "&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;");
	forget(made);
}

static void pages_forbid_what_is_not_theirs(void **state)
{
	struct made *made = make(5);
	(void)state;
	render(made);
	for (size_t i = 0; i < made->count; i++) {
		assert_has(made->texts[i],
			   "content=\"default-src 'none'; style-src 'self'; script-src 'self'");
		assert_int_equal(count_of(made->texts[i], "<script"), 1);
		assert_has_not(made->texts[i], " style=");
		assert_has_not(made->texts[i], "<style");
		assert_has_not(made->texts[i], "://");
		assert_has_not(made->texts[i], "nan");
	}
	forget(made);
}

/* verdicts */

static void judge(struct made *made, const struct bench_kept_comparison *kept, size_t count)
{
	made->data.comparisons = kept;
	made->data.comparison_count = count;
	render(made);
}

static void the_verdict_of_the_newest_run_counts(void **state)
{
	const struct bench_verdict_row slower = {TIME, "slower", 1.3,  1.2, 1.4, 1e-9,
						 0.02, 0.05,     0.99, "",  ""};
	const struct bench_verdict_row same = {TIME, "same", 1.001, 0.99, 1.01, 0.5,
					       0.02, 0.05,   0.99,  "",   ""};
	const struct bench_kept_comparison kept[] = {{"night-03", "rolling:10", &slower, 1},
						     {"night-04", "rolling:10", &same, 1}};
	struct made *made = make(5);
	(void)state;
	judge(made, kept, 2);
	assert_has(page(made, "index.html"), "aria-pressed=\"false\"><strong>1</strong> same");
	assert_has(page(made, "index.html"), "<strong>0</strong> slower");
	/* The older one is on the trend, and on the page of its run. */
	assert_has(page(made, "metrics/"), "class=\"point slower\"");
	assert_has(page(made, "runs/night-03"), "<tr class=\"row slower\">");
	assert_has(page(made, "comparisons/night-03"), "+30.0% [+20.0, +40.0]");
	forget(made);
}

static void a_gate_counts_before_a_comparison_by_hand(void **state)
{
	const struct bench_verdict_row slower = {TIME, "slower", 1.3,  1.2, 1.4, 1e-9,
						 0.02, 0.05,     0.99, "",  ""};
	const struct bench_verdict_row same = {TIME, "same", 1.001, 0.99, 1.01, 0.5,
					       0.02, 0.05,   0.99,  "",   ""};
	const struct bench_kept_comparison kept[] = {{"night-04", "anchor 20260101", &same, 1},
						     {"night-04", "main", &slower, 1}};
	struct made *made = make(5);
	(void)state;
	judge(made, kept, 2);
	assert_has(page(made, "index.html"), "<strong>1</strong> same");
	forget(made);
}

static void a_comparison_of_an_old_run_says_nothing_of_now(void **state)
{
	const struct bench_verdict_row rows[] = {
		{"gone/x:y/n=1/time", "missing", NAN, NAN, NAN, NAN, NAN, NAN, 0.99, "", ""},
		{TIME, "slower", 1.3, 1.2, 1.4, 1e-9, 0.02, 0.05, 0.99, "", ""}};
	const struct bench_kept_comparison kept = {"night-01", "rolling:10", rows, 2};
	struct made *made = make(5);
	(void)state;
	judge(made, &kept, 1);
	assert_has(page(made, "index.html"), "<strong>0</strong> slower");
	assert_has_not(page(made, "index.html"), "gone/x:y");
	assert_has(page(made, "comparisons/"), "gone/x:y");
	forget(made);
}

static void what_is_missing_or_broken_is_said_first(void **state)
{
	const struct bench_verdict_row rows[] = {
		{"gemm/openblas:cpu/n=64", "broken", NAN, NAN, NAN, NAN, NAN, NAN, 0.99, "", ""},
		{"gone/x:y/n=1/time", "missing", NAN, NAN, NAN, NAN, NAN, NAN, 0.99, "", ""}};
	const struct bench_kept_comparison kept = {"night-04", "rolling:10", rows, 2};
	struct made *made = make(5);
	(void)state;
	judge(made, &kept, 1);
	const char *index = page(made, "index.html");
	/* A broken case is said of its metrics. */
	assert_has(index, "<strong>1</strong> broken");
	assert_has(index, "<td>gone/x:y/n=1/time</td>");
	assert_true(strstr(index, "<td>gone/x:y/n=1/time</td>") < strstr(index, "What moved"));
	forget(made);
}

static void an_old_comparison_sums_up_what_did_not_change(void **state)
{
	const struct bench_verdict_row rows[] = {
		{"gemm/a:b/n=1/time", "same", 1, 0.9, 1.1, 1, 0.02, 0.05, 0.99, "", ""},
		{TIME, "unclear", 1, 0.9, 1.1, 1, 0.02, 0.05, 0.99, "too few runs", "@us/<timers>"}};
	const struct bench_kept_comparison kept[] = {{"night-01", "rolling:10", rows, 2},
						     {"night-04", "rolling:10", rows, 2}};
	struct made *made = make(5);
	(void)state;
	judge(made, kept, 2);
	assert_has(page(made, "comparisons/night-01"), "Not listed: 1 unclear, 1 the same");
	assert_has_not(page(made, "comparisons/night-01"), "<tr class=\"row same\">");
	assert_has(page(made, "comparisons/night-04"), "<tr class=\"row same\">");
	assert_has(page(made, "comparisons/night-04"),
		   "<td>too few runs</td><td>@us/&lt;timers&gt;</td></tr>");
	assert_has(page(made, "metrics/"), "<dt>why</dt><dd>too few runs</dd>");
	forget(made);
}

/* alarms and changes */

static struct bench_alarm_metric alarm_metric(enum bench_alarm_state state, const char *closed)
{
	return (struct bench_alarm_metric){.key = (char *)TIME,
					   .unit = (char *)"s",
					   .state = state,
					   .level = 1e-3,
					   .ratio = 1.2,
					   .lo = 1.15,
					   .hi = 1.26,
					   .ci_level = 0.75,
					   .last_ratio = 1.25,
					   .last_lo = 1.2,
					   .last_hi = 1.3,
					   .last_ci_level = 0.999,
					   .last_run = (char *)"night-09",
					   .nights = 4,
					   .closed_run = (char *)closed,
					   .why = (char *)""};
}

static struct bench_alarm alarm_of(struct bench_alarm_metric *metric)
{
	return (struct bench_alarm){.id = 12,
				    .fingerprint = (char *)"f00d",
				    .track = (char *)"",
				    .first_bad = (char *)"night-06",
				    .last_good = (char *)"night-05",
				    .bad_commit = (char *)"06aaaaaaaaaaaa",
				    .good_commit = (char *)"05aaaaaaaaaaaa",
				    .culprit = (char *)"",
				    .since = FIRST + 6 * DAY,
				    .metrics = metric,
				    .metric_count = 1};
}

static void an_open_alarm_has_its_age_size_and_commits(void **state)
{
	struct bench_alarm_metric metric = alarm_metric(BENCH_ALARM_OPEN, "");
	const struct bench_alarm alarm = alarm_of(&metric);
	struct made *made = make(10);
	(void)state;
	made->data.alarms = &alarm;
	made->data.alarm_count = 1;
	render(made);
	const char *index = page(made, "index.html");
	assert_has(index, "4 days, 4 runs");
	assert_has(index, "+20.0% [+15.0, +26.0] at 75%");
	assert_has(index, "+25.0% [+20.0, +30.0] at 99.90%");
	assert_has(index, "05aaaaaaaaaa..06aaaaaaaaaa");
	assert_has(index, "<strong>1</strong> slower");
	assert_has(page(made, "metrics/"), "bench bisect --alarm 12");
	assert_has(page(made, "metrics/"), "class=\"mark alarm\"");
	forget(made);
}

static void what_recovered_with_the_newest_run_is_said(void **state)
{
	struct bench_alarm_metric metric = alarm_metric(BENCH_ALARM_RECOVERED, "night-09");
	const struct bench_alarm alarm = alarm_of(&metric);
	struct made *made = make(10);
	(void)state;
	made->data.alarms = &alarm;
	made->data.alarm_count = 1;
	render(made);
	assert_has(page(made, "index.html"), "No alarm is open");
	assert_has(page(made, "index.html"), "<strong>1</strong> recovered");
	forget(made);
}

static struct bench_change change_at(size_t night, double ratio)
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

static void what_moved_is_newest_first_with_size_commits_and_cause(void **state)
{
	const struct bench_change changes[] = {change_at(3, 1.2), change_at(7, 0.8)};
	struct made *made = make(10);
	(void)state;
	made->data.changes = changes;
	made->data.change_count = 2;
	render(made);
	const char *index = page(made, "index.html");
	assert_true(strstr(index, "-20.0% [") < strstr(index, "+20.0% ["));
	assert_has(index, "<tr class=\"row faster\">");
	assert_has(index, "aaaa..bbbb");
	assert_has(index, "code: against the anchor +20.0%");
	/* Both levels and both marks are on the trend, and a run says what began with it. */
	assert_int_equal(count_of(page(made, "metrics/"), "class=\"line level\""), 3);
	assert_int_equal(count_of(page(made, "metrics/"), "<g class=\"mark change\">"), 2);
	assert_has(page(made, "runs/night-03"), "Levels that began with this run");
	assert_has_not(page(made, "runs/night-04"), "Levels that began with this run");
	forget(made);
}

static void what_changed_between_runs_is_marked(void **state)
{
	struct made *made = make(10);
	(void)state;
	made->runs[4].facts = "kernel: 6.1, now 6.2";
	made->points[10 + 2].accepted = "the new allocator";
	made->points[10 + 3].disturbed = true;
	render(made);
	assert_has(page(made, "metrics/"), "class=\"mark environment\"");
	assert_has(page(made, "metrics/"), "<td>kernel: 6.1, now 6.2</td>");
	assert_has(page(made, "metrics/"), "class=\"mark accepted\"");
	assert_has(page(made, "metrics/"), "<td>the new allocator</td>");
	assert_has(page(made, "metrics/"), "class=\"point disturbed\"");
	forget(made);
}

/* charts */

static struct html_axis range_of(const struct made *made, size_t nights)
{
	struct html_axis axis = {0};
	html_trend_range(made->points + nights, nights, true, &axis);
	return axis;
}

static void a_spike_or_a_wide_interval_flattens_nothing(void **state)
{
	struct made *made = make(30);
	(void)state;
	made->points[30 + 10].median = 45e-3;
	made->points[30 + 11].median = 45e-3;
	made->points[30 + 20].ci_hi = 45e-3;
	struct html_axis axis = range_of(made, 30);
	assert_true(axis.hi < 1.1e-3 && axis.lo > 0.9e-3);
	render(made);
	assert_int_equal(count_of(page(made, "metrics/"), "class=\"point outside\""), 2);
	forget(made);
}

static void a_new_level_and_the_newest_value_are_within_the_chart(void **state)
{
	struct made *made = make(30);
	(void)state;
	for (size_t i = 5; i < 8; i++)
		made->points[30 + i].median = 1.3e-3;
	made->points[30 + 29].median = 0.5e-3;
	struct html_axis axis = range_of(made, 30);
	assert_true(axis.hi > 1.3e-3 && axis.lo < 0.5e-3);
	forget(made);
}

static void one_run_no_spread_and_no_value_can_be_drawn(void **state)
{
	struct made *made = make(1);
	(void)state;
	made->points[1].ci_lo = made->points[1].ci_hi = made->points[1].median;
	struct html_axis axis = range_of(made, 1);
	assert_true(axis.lo < axis.hi);
	render(made);
	assert_has(page(made, "metrics/"), "over 1 run<");
	forget(made);
	made = make(3);
	for (size_t i = 0; i < 3; i++)
		made->points[3 + i].median = made->points[3 + i].ci_lo = made->points[3 + i].ci_hi = NAN;
	render(made);
	assert_has_not(page(made, "metrics/"), "nan");
	forget(made);
}

static void hosts_and_units_of_a_metric_are_apart_on_one_page(void **state)
{
	struct made *made = make(6);
	(void)state;
	for (size_t i = 1; i < 6; i += 2)
		made->points[6 + i].fingerprint = (char *)"cafe";
	made->points[6].unit = (char *)"B";
	render(made);
	const char *metric = page(made, "metrics/");
	assert_int_equal(count_of(metric, "<h2>On "), 3);
	assert_has(metric, "over 3 runs<");
	assert_has(metric, "over 2 runs<");
	/* Lists name hosts where there are several. */
	assert_has(page(made, "index.html"), ">host</th>");
	check_all_links(made);
	forget(made);
}

static void the_time_relative_to_the_anchor_has_a_chart_of_its_own(void **state)
{
	struct made *made = make(20);
	(void)state;
	/* The rate becomes the ratio; two runs have none. */
	for (size_t i = 0; i < 20; i++) {
		made->points[i].key = (char *)"gemm/openblas:cpu/n=64/relative_time";
		made->points[i].unit = (char *)"ratio";
		made->points[i].better = BENCH_BETTER_LOWER;
		made->points[i].derived = false;
		made->points[i].median = 1.1;
		made->points[i].level_shift = 0.1;
		made->points[i].anchor = i < 2 ? "" : "night-00";
	}
	render(made);
	const char *metric = page(made, html_find_series(made->site, TIME, NULL)->page);
	assert_has(metric, "class=\"ratio\"");
	/* The anchor's own shift is chained: 1.1 * exp(0.1). */
	assert_int_equal(count_of(metric, ", 1.216, commit"), 18);
	forget(made);
}

static void an_alarm_says_what_became_of_what_moved(void **state)
{
	struct bench_alarm_metric metric = alarm_metric(BENCH_ALARM_ACCEPTED, "night-08");
	const struct bench_alarm alarm = alarm_of(&metric);
	const struct bench_change change = change_at(6, 1.2);
	struct made *made = make(10);
	(void)state;
	made->data.alarms = &alarm;
	made->data.changes = &change;
	made->data.alarm_count = made->data.change_count = 1;
	render(made);
	assert_has(page(made, "index.html"), "<td>12: +20.0% [+15.0, +26.0] at 75%, accepted</td>");
	forget(made);
}

/* The run of report_fixture.h as the newest, of its host and with its samples. */
static void samples_and_the_command_that_repeats_them_are_shown(void **state)
{
	struct made *made = make(4);
	struct bench_run *whole = fixture_run();
	const struct bench_run *const list[] = {whole};
	(void)state;
	bench_record_attribute_set(&whole->arena, &whole->host, &whole->host_count, "fingerprint", "f00d");
	for (size_t i = 0; i < 4; i++)
		made->points[4 + i].key = bench_arena_format(&made->arena, "%s/time", whole->results[0].key);
	made->data.whole = list;
	made->data.whole_count = 1;
	render(made);
	const char *metric = page(made, "metrics/");
	assert_has(metric, "distribution of the samples");
	assert_has(metric, "samples in the order");
	assert_has(metric, "bench run --suite gemm --backend opencl:" POCL);
	assert_has_not(metric, "class=\"bar before\"");
	forget(made);
	bench_record_free(whole);
}

static void no_roof_is_below_a_rate_that_was_checked(void **state)
{
	struct made *made = make(2);
	struct bench_run *whole = fixture_run();
	const struct bench_run *const list[] = {whole};
	(void)state;
	bench_record_attribute_set(&whole->arena, &whole->host, &whole->host_count, "fingerprint", "f00d");
	for (size_t i = 0; i < whole->result_count; i++)
		whole->results[i].work = (struct bench_work){.flops = 1e9, .bytes = 1e7};
	whole->devices[0].ceilings = (struct bench_ceilings){.flop_rate_f32 = 1e9, .bandwidth = 1e10};
	struct bench_result *peak =
		fixture_result(whole, "peak", "opencl", POCL, "what=read,bytes=32768", BENCH_STATUS_OK, "");
	fixture_metric(whole, peak, "bandwidth", "B/s", "", 9e10, 0);
	fixture_metric(whole, peak, "time", "s", "", 1e-6, 0);
	for (size_t i = 0; i < 4; i++) {
		made->points[i] = made->points[2 + i % 2];
		made->points[i].key = bench_arena_format(&made->arena, "%s/time",
							 i < 2 ? whole->results[2].key : peak->key);
	}
	made->runs[0].head = whole;
	made->data.whole = list;
	made->data.whole_count = 1;
	render(made);
	const char *device = page(made, "devices/f00d_opencl");
	/* 2 * 1024^3 in 7.161 ms */
	assert_has(device, "f32: 299.9 GFLOP/s");
	assert_has(device, "memory: 10.00 GB/s");
	assert_has(device, "32 KiB: 90.00 GB/s");
	assert_int_equal(count_of(device, "<circle class=\"point\""), 1);
	assert_has(device, "<td data-value=\"100\">100</td>"); /* FLOPs per byte */
	forget(made);
	bench_record_free(whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_link_leads_to_a_page),
		cmocka_unit_test(what_is_judged_has_a_page_and_the_rest_is_beside_it),
		cmocka_unit_test(texts_from_outside_are_escaped_everywhere),
		cmocka_unit_test(pages_forbid_what_is_not_theirs),
		cmocka_unit_test(the_verdict_of_the_newest_run_counts),
		cmocka_unit_test(a_gate_counts_before_a_comparison_by_hand),
		cmocka_unit_test(a_comparison_of_an_old_run_says_nothing_of_now),
		cmocka_unit_test(what_is_missing_or_broken_is_said_first),
		cmocka_unit_test(an_old_comparison_sums_up_what_did_not_change),
		cmocka_unit_test(an_open_alarm_has_its_age_size_and_commits),
		cmocka_unit_test(what_recovered_with_the_newest_run_is_said),
		cmocka_unit_test(what_moved_is_newest_first_with_size_commits_and_cause),
		cmocka_unit_test(what_changed_between_runs_is_marked),
		cmocka_unit_test(a_spike_or_a_wide_interval_flattens_nothing),
		cmocka_unit_test(a_new_level_and_the_newest_value_are_within_the_chart),
		cmocka_unit_test(one_run_no_spread_and_no_value_can_be_drawn),
		cmocka_unit_test(hosts_and_units_of_a_metric_are_apart_on_one_page),
		cmocka_unit_test(the_time_relative_to_the_anchor_has_a_chart_of_its_own),
		cmocka_unit_test(an_alarm_says_what_became_of_what_moved),
		cmocka_unit_test(samples_and_the_command_that_repeats_them_are_shown),
		cmocka_unit_test(no_roof_is_below_a_rate_that_was_checked),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
