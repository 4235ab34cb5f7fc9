/* SPDX-License-Identifier: MIT */
/* The pages of bench report: what stands on which, from data made by hand. */
#include "html_fixture.h"

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
					  .cause = (char *)EVIL,
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
	assert_has(page(made, "comparisons/night-03"), "+30.0%<i>, </i><small>99% +20.0..+40.0</small>");
	forget(made);
}

static void the_overview_says_what_to_do(void **state)
{
	static const struct {
		const char *verdict, *sentence, *command;
	} nights[] = {
		{"slower", "1 metric is slower in the newest runs, and under no alarm.", "<code>bench gate<"},
		{"suspected", "Nothing to do until the next night: 1 metric is suspected to be slower.", ""},
		{"unclear",
		 "but 1 metric is unclear. This says what would decide them:", "<code>bench compare last<"},
		{"missing", "1 case or metric is missing or broken in the newest runs.", "#lost"},
		{"same", "Nothing to do: no alarm is open, and of 1 metric none is slower.", ""},
		{"", "Nothing to do: the next run will be compared with these.", ""},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(nights) / sizeof(nights[0]); i++) {
		const struct bench_verdict_row row = {
			TIME, nights[i].verdict, 1.3, 1.2, 1.4, 1e-9, 0.02, 0.05, 0.99, "", ""};
		const struct bench_kept_comparison kept = {"night-04", "rolling:10", &row, 1};
		struct made *made = make(5);
		judge(made, &kept, 1);
		assert_has(page(made, "index.html"), nights[i].sentence);
		assert_has(page(made, "index.html"), nights[i].command);
		assert_int_equal(count_of(page(made, "index.html"), "<p class=\"today\">"), 1);
		forget(made);
	}
}

/* The baseline's value is its run's; that of several runs follows from the ratio. */
static void a_comparison_says_what_was_and_what_is(void **state)
{
	const struct bench_verdict_row row = {TIME, "slower", 1.25, 1.2, 1.3, 1e-9, 0.02, 0.05, 0.99, "", ""};
	const struct bench_kept_comparison kept[] = {{"night-04", "night-01", &row, 1},
						     {"night-04", "rolling:10", &row, 1}};
	struct made *made = make(5);
	(void)state;
	made->points[5 + 1].median = 2e-3;
	made->points[5 + 4].median = 5e-3;
	judge(made, kept, 2);
	assert_has(page(made, "comparisons/night-04.night-01"),
		   ">2.000 ms</td><td data-value=\"0.005\">5.000 ms<");
	assert_has(page(made, "comparisons/night-04-rolling"),
		   ">4.000 ms</td><td data-value=\"0.005\">5.000 ms<");
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
	/* Nothing is judged, and no tile counts it. */
	assert_has_not(page(made, "index.html"), "<strong>");
	assert_has_not(page(made, "index.html"), "gone/<wbr>x:y");
	assert_has(page(made, "comparisons/"), "gone/<wbr>x:y");
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
	assert_has(index, "<td>gone/<wbr>x:y/<wbr>n=1/<wbr>time</td>");
	assert_true(strstr(index, "<td>gone/<wbr>x:y/<wbr>n=1/<wbr>time</td>") < strstr(index, "What moved"));
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
	assert_has(index, "<p class=\"today\">1 alarm is open: <a href=\"metrics/");
	assert_has(index, ", +20.0% since 2026-");
	assert_has(index, "<code>bench alarms show 12</code>");
	assert_has_not(index, "Nothing to do");
	assert_has(index, "4 days, 4 runs");
	assert_has(index, "+20.0%<i>, </i><small>75% +15.0..+26.0</small>");
	assert_has(index, "+25.0%<i>, </i><small>99.9% +20.0..+30.0</small>");
	assert_has(index, "05aaaaaaaaaa..06aaaaaaaaaa");
	assert_has(index, "<strong>1</strong> slower");
	assert_has_not(index, "<th>why");
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
	assert_has(page(made, "index.html"),
		   "Nothing to do: no alarm is open, and of 1 metric none is slower.");
	assert_has(page(made, "index.html"), "No alarm is open");
	assert_has(page(made, "index.html"), "<strong>1</strong> recovered");
	forget(made);
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
	assert_true(strstr(index, "-20.0%<i>, </i><small>") < strstr(index, "+20.0%<i>, </i><small>"));
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

static void hosts_and_units_of_a_metric_are_apart_on_one_page(void **state)
{
	struct bench_alarm_metric broken = alarm_metric(BENCH_ALARM_OPEN, "");
	const struct bench_alarm alarm = alarm_of(&broken);
	struct made *made = make(6);
	(void)state;
	made->data.alarms = &alarm;
	made->data.alarm_count = 1;
	for (size_t i = 1; i < 6; i += 2)
		made->points[6 + i].fingerprint = (char *)"cafe";
	made->points[6].unit = (char *)"B";
	render(made);
	const char *metric = page(made, "metrics/");
	assert_int_equal(count_of(metric, "<h2>On "), 3);
	assert_has(metric, "over 3 runs<");
	assert_has(metric, "over 2 runs<");
	/* Lists name hosts where there are several: alarms, metrics and runs. */
	assert_int_equal(count_of(page(made, "index.html"), ">host</th>"), 3);
	check_all_links(made);
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
	assert_has(page(made, "index.html"), "<td>12, accepted</td>");
	forget(made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_link_leads_to_a_page),
		cmocka_unit_test(what_is_judged_has_a_page_and_the_rest_is_beside_it),
		cmocka_unit_test(texts_from_outside_are_escaped_everywhere),
		cmocka_unit_test(pages_forbid_what_is_not_theirs),
		cmocka_unit_test(the_verdict_of_the_newest_run_counts),
		cmocka_unit_test(the_overview_says_what_to_do),
		cmocka_unit_test(a_comparison_says_what_was_and_what_is),
		cmocka_unit_test(a_gate_counts_before_a_comparison_by_hand),
		cmocka_unit_test(a_comparison_of_an_old_run_says_nothing_of_now),
		cmocka_unit_test(what_is_missing_or_broken_is_said_first),
		cmocka_unit_test(an_old_comparison_sums_up_what_did_not_change),
		cmocka_unit_test(an_open_alarm_has_its_age_size_and_commits),
		cmocka_unit_test(what_recovered_with_the_newest_run_is_said),
		cmocka_unit_test(what_moved_is_newest_first_with_size_commits_and_cause),
		cmocka_unit_test(hosts_and_units_of_a_metric_are_apart_on_one_page),
		cmocka_unit_test(an_alarm_says_what_became_of_what_moved),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
