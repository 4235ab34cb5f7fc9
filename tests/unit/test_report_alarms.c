/* Alarms in reports: new ones and old ones are told apart, one line an alarm. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "report/format/format.h"
#include "report/render/alarms.h"
#include "report_fixture.h"

#define DAY      86400
#define NOVEMBER 1793671200 /* 2026-11-03 02:00 UTC */

/* Of the fixture's verdicts: one is new, two are of an old alarm, one has recovered. */
static void add_alarms(struct bench_comparison *comparison)
{
	static const struct bench_verdict_alarm news = {12,
							true,
							false,
							NOVEMBER + 7 * DAY,
							1,
							1.312,
							NAN,
							NAN,
							"s",
							"a1b2c3d4e5f60718",
							"c3d4e5f6a1b20718",
							""};
	static const struct bench_verdict_alarm old = {11,  false, false, NOVEMBER, 7,      1.26,
						       NAN, NAN,   "s",   "a1b2",   "b2c3", "b0b0"};
	static const struct bench_verdict_alarm worse = {11,  false, false, NOVEMBER, 6,      0.70,
							 NAN, NAN,   "s",   "a1b2",   "b2c3", "b0b0"};
	static const struct bench_verdict_alarm back = {9,   false, true, NOVEMBER - DAY, 3, 1.5, NAN,
							NAN, "s",   "",   "d4e5",         ""};
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

#define NEW_LINE "new alarm 12: 1 metric, 1 night, +31.2%, commits a1b2c3d4e5f6..c3d4e5f6a1b2"
#define OLD_LINE                                                                                             \
	"alarm 11, open since 2026-11-03: 2 metrics, 7 nights, -30.0%, commits a1b2..b2c3, bisected to b0b0"
#define BACK_LINE "alarm 9, recovered, was open since 2026-11-02: 1 metric, 3 nights, +50.0%, commit d4e5"
#define SUMMARY                                                                                              \
	"; 1 new alarm (1 metric), 1 alarm open since 2026-11-03 (2 metrics), 1 alarm recovered (1 metric) " \
	"("

static void terminals_and_markdown_have_a_line_an_alarm(void **state)
{
	(void)state;
	assert_parts(&bench_format_table, 0,
		     (const char *const[]){
			     "\n" NEW_LINE "\n" OLD_LINE "\n" BACK_LINE "\n", "new 12", "open 11",
			     "gate: FAIL: 1 broken, 1 missing, 1 slower, 2 unclear; 2 same", SUMMARY, NULL},
		     NULL);
	assert_parts(&bench_format_markdown, BENCH_FAILING_NEW_ONLY,
		     (const char *const[]){"- " NEW_LINE "\n- " OLD_LINE "\n- " BACK_LINE "\n", "| alarm |",
					   "recovered 9", "1 slower; 2 same, 1 faster, 2 unclear", NULL},
		     NULL);
}

static void json_has_the_alarm_of_a_verdict_and_all_of_them(void **state)
{
	(void)state;
	assert_parts(&bench_format_json, 0,
		     (const char *const[]){"\"alarms\":\t[{\n\t\t\t\"id\":\t12,\n\t\t\t\"state\":\t\"new\"",
					   "\"nights\":\t7,\n\t\t\t\"ratio\":\t0.7,",
					   "\"state\":\t\"recovered\"", "\"culprit\":\t\"b0b0\"",
					   "\"new_only\":\tfalse", NULL},
		     NULL);
}

static void csv_has_columns_of_the_alarm(void **state)
{
	(void)state;
	assert_parts(&bench_format_csv, 0,
		     (const char *const[]){"alarm_bad_commit,alarm_culprit,difference", ",12,new,2026-11-10T",
					   ",7,1.26,a1b2,b2c3,b0b0,,,\n", ",9,recovered,2026-11-02T", NULL},
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
	assert_parts(&bench_format_junit, 0,
		     (const char *const[]){"type=\"slower\"", "type=\"open alarm\"",
					   "<property name=\"alarm\" value=\"" OLD_LINE "\"/>",
					   "failures=\"5\"", "; new alarm 12, 1 night, +31.2%, commits ",
					   NULL},
		     NULL);
	assert_parts(&bench_format_junit, BENCH_FAILING_NEW_ONLY,
		     (const char *const[]){"failures=\"3\"", "<skipped message=\"+4.1%", NULL},
		     (const char *const[]){"type=\"open alarm\"", NULL});
}

/* What is not stored has no id; what is not in git has no commit; and a commit that was good is not the
 * cause. */
static void what_is_not_known_is_left_out(void **state)
{
	const struct bench_verdict_alarm bare = {.is_new = true,
						 .nights = 2,
						 .ratio = NAN,
						 .lo = NAN,
						 .hi = NAN,
						 .unit = "",
						 .good_commit = "",
						 .bad_commit = "",
						 .culprit = ""};
	struct bench_verdict_alarm difference = bare;
	const struct bench_verdict_alarm machine = {.id = 1,
						    .since = NOVEMBER,
						    .nights = 1,
						    .ratio = 1.1,
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
	assert_string_equal(bench_render_alarms_told(&arena, &difference), "new alarm, 2 nights, +5 errors");
	difference.hi = 7;
	assert_string_equal(bench_render_alarms_told(&arena, &difference),
			    "new alarm, 2 nights, +5 errors..+7 errors");
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
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
