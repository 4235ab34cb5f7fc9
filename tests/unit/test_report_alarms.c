/* SPDX-License-Identifier: MIT */
/* Alarms in reports: new ones and old ones are told apart, one line an alarm. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "compare/alarms.h"
#include "record/record.h"
#include "report/format/format.h"
#include "report/render/alarms.h"
#include "report/render/words.h"
#include "report_fixture.h"

#define DAY      86400
#define NOVEMBER 1793671200 /* 2026-11-03 02:00 UTC */

/* Of the fixture's verdicts: one is new, two are of an old alarm, one has recovered. */
static void add_alarms(struct bench_comparison *comparison)
{
	const struct bench_verdict_alarm like = {
		.lo = NAN,
		.hi = NAN,
		.unit = "s",
		.largest = {.key = "", .unit = "s", .lo = NAN, .hi = NAN, .now_ratio = NAN, .now_lo = NAN},
		.culprit = ""};
	static struct bench_verdict_alarm news, old, worse, back;
	news = old = worse = back = like;
	news.id = 12;
	news.is_new = true;
	news.since = NOVEMBER + 7 * DAY;
	news.nights = 1;
	news.ratio = 1.312;
	news.good_commit = "a1b2c3d4e5f60718";
	news.bad_commit = "c3d4e5f6a1b20718";
	old.id = worse.id = 11;
	old.since = worse.since = NOVEMBER;
	old.nights = 7;
	worse.nights = 6;
	old.ratio = 1.26;
	worse.ratio = 0.70;
	old.good_commit = worse.good_commit = "a1b2";
	old.bad_commit = worse.bad_commit = "b2c3";
	old.culprit = worse.culprit = "b0b0";
	old.cause = worse.cause = "slower by 26% [24, 28]: page faults x3";
	back.id = 9;
	back.recovered = true;
	back.since = NOVEMBER - DAY;
	back.nights = 3;
	back.ratio = 1.5;
	back.good_commit = "";
	back.bad_commit = "d4e5";
	news.largest.ratio = news.ratio;
	old.largest.ratio = worse.largest.ratio = worse.ratio;
	back.largest.ratio = back.ratio;
	news.lo = news.largest.lo = 1.28;
	news.hi = news.largest.hi = 1.345;
	news.ci_level = news.largest.ci_level = 0.9;
	comparison->verdicts[2].alarm = &news;
	comparison->verdicts[3].alarm = &old;
	comparison->verdicts[4].alarm = &worse;
	comparison->verdicts[7].alarm = &back;
}

static struct bench_text rendered(const struct bench_format *format, unsigned failing)
{
	const struct bench_report_gate gate = {.seconds = 10};
	const struct bench_report_options options = {.format = format, .failing = failing, .gate = &gate};
	struct bench_comparison comparison = {0};
	struct bench_text out = {0};
	fixture_comparison(&comparison);
	add_alarms(&comparison);
	format->comparison(&comparison, &options, &out);
	bench_arena_free(&comparison.arena);
	return out;
}

static void assert_parts(const struct bench_format *format, unsigned failing, const char *const *parts,
			 const char *const *absent)
{
	struct bench_text out = rendered(format, failing);
	for (; *parts; parts++)
		if (!strstr(out.data, *parts))
			fail_msg("'%s' is not in:\n%s", *parts, out.data);
	for (; absent && *absent; absent++)
		if (strstr(out.data, *absent))
			fail_msg("'%s' is in:\n%s", *absent, out.data);
	bench_text_free(&out);
}

#define NEW_LINE                                                                                             \
	"new alarm 12: 1 metric, 1 night, +31.2%, 90% +28.0..+34.5, commits a1b2c3d4e5f6..c3d4e5f6a1b2"
#define OLD_LINE                                                                                             \
	"alarm 11, open since 2026-11-03: 2 metrics, 7 nights, -30.0%, commits a1b2..b2c3, bisected to "     \
	"b0b0; why: slower by 26% [24, 28]: page faults x3"
#define BACK_LINE "alarm 9, recovered, was open since 2026-11-02: 1 metric, 3 nights, +50.0%, commit d4e5"
#define SUMMARY                                                                                              \
	"; 1 new alarm (1 metric), 1 alarm open since 2026-11-03 (2 metrics), 1 alarm recovered (1 metric) " \
	"("

static void terminals_and_markdown_have_a_line_an_alarm(void **state)
{
	(void)state;
	assert_parts(&bench_format_table, 0,
		     (const char *const[]){
			     "\n" NEW_LINE "\n" OLD_LINE "\n" BACK_LINE "\n", "alarm 12, new",
			     "alarm 11, open", "BROKEN: 1 of 9, 1 missing, 1 slower, 1 faster, 2 unclear, ",
			     "if it is intended, to accept alarm 12:\n  bench alarms accept 12 --why '...'\n",
			     "to see all 2 alarms:\n  bench alarms\n", NULL},
		     NULL);
	assert_parts(&bench_format_markdown, BENCH_FAILING_NEW_ONLY,
		     (const char *const[]){"- " NEW_LINE "\n- " OLD_LINE "\n- " BACK_LINE "\n", "| alarm |",
					   "recovered 9", "# BROKEN: 1 of 9, 1 missing, 1 slower, ", NULL},
		     NULL);
}

static void json_has_the_alarm_of_a_verdict_and_all_of_them(void **state)
{
	(void)state;
	assert_parts(&bench_format_json, 0,
		     (const char *const[]){"\"alarms\":\t[{\n\t\t\t\"id\":\t12,\n\t\t\t\"state\":\t\"new\"",
					   "\"nights\":\t7,\n\t\t\t\"ratio\":\t0.7,",
					   "\"ci\":\t[1.28, 1.345],\n\t\t\t\"ci_level\":\t0.9,",
					   "\"state\":\t\"recovered\"",
					   "\"culprit\":\t\"b0b0\",\n\t\t\t\"cause\":\t\"slower by 26% [24, "
					   "28]: page faults x3\"",
					   "\"new_only\":\tfalse", SUMMARY, NULL},
		     NULL);
}

static void csv_has_columns_of_the_alarm(void **state)
{
	(void)state;
	assert_parts(&bench_format_csv, 0,
		     (const char *const[]){"alarm_bad_commit,alarm_culprit,difference", ",12,new,2026-11-10T",
					   ",7,1.26,a1b2,b2c3,b0b0,,,,,,0\n", ",1.28,1.345,0.9\n",
					   ",9,recovered,2026-11-02T", NULL},
		     NULL);
}

static void ci_is_told_of_an_old_alarm_once(void **state)
{
	(void)state;
	assert_parts(&bench_format_github, 0,
		     (const char *const[]){
			     "::error title=slower%3A ", "::error title=alarm::new alarm 12: 1 metric",
			     "::error title=alarm::alarm 11", "::notice title=alarm::alarm 9", NULL},
		     (const char *const[]){"title=unclear", NULL});
	assert_parts(&bench_format_github, BENCH_FAILING_NEW_ONLY,
		     (const char *const[]){"::error title=alarm::new alarm 12",
					   "::warning title=alarm::alarm 11", NULL},
		     NULL);
}

static void junit_tells_old_failures_from_new_ones(void **state)
{
	(void)state;
	assert_parts(
		&bench_format_junit, 0,
		(const char *const[]){"type=\"slower\"", "type=\"open alarm\"",
				      "<property name=\"alarm\" value=\"" OLD_LINE "\"/>", "failures=\"5\"",
				      "; new alarm 12, 1 night, +31.2%, 90% +28.0..+34.5, commits ", NULL},
		NULL);
	assert_parts(&bench_format_junit, BENCH_FAILING_NEW_ONLY,
		     (const char *const[]){"failures=\"3\"",
					   "<skipped message=\"unclear: 4.091 ms -&gt; 4.259 ms (+4.1%",
					   NULL},
		     (const char *const[]){"type=\"open alarm\"", NULL});
}

/* What is not stored has no id; what is not in git has no commit; and a commit that was good is not the
 * cause. */
static void what_is_not_known_is_left_out(void **state)
{
	const struct bench_verdict_alarm bare = {
		.is_new = true,
		.nights = 2,
		.ratio = NAN,
		.lo = NAN,
		.hi = NAN,
		.unit = "",
		.largest = {.key = "", .unit = "", .ratio = NAN, .lo = NAN, .hi = NAN},
		.good_commit = "",
		.bad_commit = "",
		.culprit = ""};
	struct bench_verdict_alarm difference = bare;
	const struct bench_verdict_alarm machine = {
		.id = 1,
		.since = NOVEMBER,
		.nights = 1,
		.ratio = 1.1,
		.lo = NAN,
		.largest = {.key = "", .unit = "s", .ratio = 1.1, .lo = NAN},
		.good_commit = "a1b2",
		.bad_commit = "a1b2",
		.culprit = ""};
	struct bench_arena arena = {0};
	(void)state;
	assert_string_equal(bench_render_alarms_told(&arena, &bare), "new alarm, 2 nights, -");
	assert_string_equal(bench_render_alarms_cell(&arena, &bare), "new");
	assert_string_equal(bench_render_alarms_told(&arena, &machine),
			    "alarm 1, open since 2026-11-03, 1 night, +10.0%, no commit between (a1b2)");
	difference.lo = difference.hi = 5;
	difference.unit = "errors";
	difference.largest.lo = difference.largest.hi = 5;
	difference.largest.unit = "errors";
	assert_string_equal(bench_render_alarms_told(&arena, &difference), "new alarm, 2 nights, +5 errors");
	difference.hi = difference.largest.hi = 7;
	assert_string_equal(bench_render_alarms_told(&arena, &difference),
			    "new alarm, 2 nights, +5 errors..+7 errors");
	bench_arena_free(&arena);
}

/* A metric that recovered was worse: the alarm's number is that of the one that is open, everywhere. */
static void an_alarm_has_one_number_wherever_it_is_shown(void **state)
{
	struct bench_comparison comparison = {0};
	struct bench_text line = {0}, json = {0}, markdown = {0}, quoted = {0};
	struct bench_arena arena = {0};
	struct bench_alarm_group *groups;
	size_t count;
	(void)state;
	fixture_comparison(&comparison);
	struct bench_verdict *open = &comparison.verdicts[3], *back = &comparison.verdicts[4];
	struct bench_alarm_metric metrics[] = {{.key = back->key,
						.unit = "s",
						.state = BENCH_ALARM_RECOVERED,
						.ratio = 1.497,
						.last_run = "tonight",
						.closed_run = "tonight",
						.nights = 1},
					       {.key = open->key,
						.unit = "s",
						.state = BENCH_ALARM_OPEN,
						.ratio = 1.097,
						.lo = 1.09,
						.hi = 1.11,
						.ci_level = 0.5,
						.last_ratio = 1.211,
						.last_lo = NAN,
						.last_run = "tonight",
						.closed_run = "",
						.nights = 1}};
	const struct bench_alarm alarm = {.id = 5,
					  .first_bad = "before",
					  .good_commit = "",
					  .bad_commit = "b2c3",
					  .culprit = "",
					  .metrics = metrics,
					  .metric_count = 2};
	assert_ptr_equal(bench_record_alarm_largest(&alarm), &metrics[1]);
	bench_compare_alarms_tell(&alarm, 1, "tonight", NOVEMBER, &comparison);
	bench_render_alarms(&arena, &comparison, &groups, &count);
	assert_int_equal(count, 1);
	bench_text_add(&line, "%s", bench_render_alarms_line(&arena, &groups[0]));
	assert_non_null(strstr(line.data,
			       "1 metric (and 1 recovered), 1 night, +9.7%, 50% +9.0..+11.0, this run "
			       "+21.1%, "));
	const struct bench_report_options as_json = {.format = &bench_format_json},
					  as_markdown = {.format = &bench_format_markdown};
	bench_format_json.comparison(&comparison, &as_json, &json);
	assert_non_null(strstr(strstr(json.data, "\"alarms\":"), "\"ratio\":\t1.097,"));
	bench_format_markdown.comparison(&comparison, &as_markdown, &markdown);
	bench_text_add(&quoted, "- %s\n", line.data);
	assert_non_null(strstr(markdown.data, quoted.data));
	/* A spike that is still open: on its own night by its age, later by what is left of it. */
	metrics[0].state = BENCH_ALARM_OPEN;
	metrics[0].last_ratio = 1.497;
	metrics[1].nights = 6;
	assert_ptr_equal(bench_record_alarm_largest(&alarm), &metrics[1]);
	metrics[0].last_ratio = 1.011;
	metrics[0].nights = 5;
	assert_ptr_equal(bench_record_alarm_largest(&alarm), &metrics[1]);
	metrics[0].last_ratio = 1.45;
	assert_ptr_equal(bench_record_alarm_largest(&alarm), &metrics[0]);
	/* Of one that is closed the largest of all counts. */
	metrics[0].state = BENCH_ALARM_RECOVERED;
	metrics[1].state = BENCH_ALARM_ACCEPTED;
	assert_ptr_equal(bench_record_alarm_largest(&alarm), &metrics[0]);
	/* A difference has no ratio, and never hides one. */
	metrics[0].ratio = NAN;
	assert_ptr_equal(bench_record_alarm_largest(&alarm), &metrics[1]);
	bench_text_free(&line);
	bench_text_free(&json);
	bench_text_free(&markdown);
	bench_text_free(&quoted);
	bench_arena_free(&arena);
	bench_arena_free(&comparison.arena);
}

/* A precision that is not known is not one of 0%, and one of less confidence says so. */
static void a_spread_says_its_confidence(void **state)
{
	const double values[] = {1, 1.02};
	const struct bench_series one = {.values = (double *)values, .count = 1},
				  two = {.values = (double *)values, .count = 2};
	struct bench_summary summary;
	struct bench_arena arena = {0};
	(void)state;
	bench_record_summarize(&one, 1, &summary);
	assert_true(isnan(summary.ci_lo) && isnan(summary.ci_hi) && summary.ci_level == 0);
	assert_string_equal(bench_render_words_spread(&arena, &summary), "unknown");
	bench_record_summarize(&two, 1, &summary);
	assert_true(summary.ci_level == 0.5);
	assert_string_equal(bench_render_words_spread(&arena, &summary), "1.0% at 50%");
	summary.ci_level = 0.95;
	assert_string_equal(bench_render_words_spread(&arena, &summary), "1.0%");
	bench_arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(terminals_and_markdown_have_a_line_an_alarm),
		cmocka_unit_test(json_has_the_alarm_of_a_verdict_and_all_of_them),
		cmocka_unit_test(csv_has_columns_of_the_alarm),
		cmocka_unit_test(ci_is_told_of_an_old_alarm_once),
		cmocka_unit_test(junit_tells_old_failures_from_new_ones),
		cmocka_unit_test(what_is_not_known_is_left_out),
		cmocka_unit_test(an_alarm_has_one_number_wherever_it_is_shown),
		cmocka_unit_test(a_spread_says_its_confidence),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
