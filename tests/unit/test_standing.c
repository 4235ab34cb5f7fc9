/* SPDX-License-Identifier: MIT */
/* Where a metric stands, and what the text of a baseline means. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compare/baseline.h"
#include "compare/standing.h"

static void every_verdict_has_its_standing_and_no_other_name_has(void **state)
{
	(void)state;
	for (int kind = 0; kind < BENCH_VERDICT_KINDS; kind++) {
		const char *name = bench_compare_verdict_name((enum bench_verdict_kind)kind);
		assert_string_equal(bench_compare_standing_name(bench_compare_standing_of(name)), name);
	}
	assert_int_equal(bench_compare_standing_of("recovered"), BENCH_STANDS_UNJUDGED);
	assert_int_equal(bench_compare_standing_of(""), BENCH_STANDS_UNJUDGED);
	assert_string_equal(bench_compare_standing_name(BENCH_STANDS_UNJUDGED), "");
}

static void an_open_alarm_outlasts_an_unclear_night_and_recovery_shows_once(void **state)
{
	(void)state;
	char closed[] = "20261120-231503";
	const struct bench_alarm_metric open = {.state = BENCH_ALARM_OPEN},
					accepted = {.state = BENCH_ALARM_ACCEPTED, .closed_run = closed},
					recovered = {.state = BENCH_ALARM_RECOVERED, .closed_run = closed};
	assert_int_equal(bench_compare_standing_under(BENCH_STANDS_UNCLEAR, &open, closed),
			 BENCH_STANDS_SLOWER);
	assert_int_equal(bench_compare_standing_under(BENCH_STANDS_BROKEN, &open, closed),
			 BENCH_STANDS_BROKEN);
	assert_int_equal(bench_compare_standing_under(BENCH_STANDS_SAME, &accepted, closed),
			 BENCH_STANDS_SAME);
	assert_int_equal(bench_compare_standing_under(BENCH_STANDS_SAME, &recovered, closed),
			 BENCH_STANDS_RECOVERED);
	assert_int_equal(bench_compare_standing_under(BENCH_STANDS_SAME, &recovered, "20261121-231503"),
			 BENCH_STANDS_SAME);
}

static void a_gates_comparison_outranks_one_that_somebody_asked_for(void **state)
{
	(void)state;
	assert_true(bench_compare_standing_outranks("anchor 20261120-231503", "rolling:10"));
	assert_true(bench_compare_standing_outranks("rolling:10", "main"));
	assert_false(bench_compare_standing_outranks("main", "anchored"));
	assert_false(bench_compare_standing_outranks("rolling:3", "rolling:10"));
}

static void the_text_of_a_baseline_is_rolling_an_anchor_or_a_name(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		enum bench_baseline_kind kind;
		size_t window;
	} cases[] = {{"rolling:10", BENCH_BASELINE_ROLLING, 10},
		     {"rolling:1000", BENCH_BASELINE_ROLLING, 1000},
		     {"rolling:1001", BENCH_BASELINE_ROLLING, 0},
		     {"rolling:0", BENCH_BASELINE_ROLLING, 0},
		     {"rolling:-1", BENCH_BASELINE_ROLLING, 0},
		     {"rolling:", BENCH_BASELINE_ROLLING, 0},
		     {"rolling:3x", BENCH_BASELINE_ROLLING, 0},
		     {"rolling", BENCH_BASELINE_NAMED, 0},
		     {"anchor", BENCH_BASELINE_ANCHOR, 0},
		     {"anchor 20261120-231503", BENCH_BASELINE_ANCHOR, 0},
		     {"anchor2", BENCH_BASELINE_NAMED, 0},
		     {"20261120-231503", BENCH_BASELINE_NAMED, 0}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t window = 7;
		assert_int_equal(bench_compare_baseline_kind(cases[i].text, &window), cases[i].kind);
		assert_int_equal(window, cases[i].window);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_verdict_has_its_standing_and_no_other_name_has),
		cmocka_unit_test(an_open_alarm_outlasts_an_unclear_night_and_recovery_shows_once),
		cmocka_unit_test(a_gates_comparison_outranks_one_that_somebody_asked_for),
		cmocka_unit_test(the_text_of_a_baseline_is_rolling_an_anchor_or_a_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
