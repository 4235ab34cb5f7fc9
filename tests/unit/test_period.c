/* SPDX-License-Identifier: MIT */
/* Periods of time: --since and --until. */
#include <time.h>

#include "app/period.h"
#include "store_fixture.h"

#define NOW  INT64_C(1795174200) /* 2026-11-20 11:30:00 UTC */
#define HOUR INT64_C(3600)

/* Ten hours west of UTC: the local day is another one, and no summer time moves it. */
static int live_in_hawaii(void **state)
{
	(void)state;
	setenv("TZ", "HST10", 1);
	tzset();
	return 0;
}

static struct bench_app_period read_period(const char *since, const char *until, struct bench_store *store)
{
	struct bench_app_period period;
	must(bench_app_period_read(since, until, NOW, store, &period, &error));
	return period;
}

static int64_t since_of(const char *text)
{
	return read_period(text, NULL, NULL).since;
}

static void nothing_given_is_all_of_time(void **state)
{
	(void)state;
	const struct bench_app_period period = read_period(NULL, NULL, NULL);
	assert_true(period.since == INT64_MIN);
	assert_true(period.until == INT64_MAX);
	assert_true(bench_app_period_holds(&period, 0));
}

static void times_ago_count_from_now(void **state)
{
	(void)state;
	assert_int_equal(since_of("90m"), NOW - 90 * 60);
	assert_int_equal(since_of("12h"), NOW - 12 * HOUR);
	assert_int_equal(since_of("7d"), NOW - 7 * 24 * HOUR);
	assert_int_equal(since_of("2w"), NOW - 14 * 24 * HOUR);
}

static void dates_without_a_zone_are_local(void **state)
{
	(void)state;
	assert_int_equal(since_of("2026-11-20"), 1795132800 + 10 * HOUR);
	assert_int_equal(since_of("20261120"), 1795132800 + 10 * HOUR);
	assert_int_equal(since_of("2026-11-20T11:30"), NOW + 10 * HOUR);
	assert_int_equal(since_of("2026-11-20 11:30:00"), NOW + 10 * HOUR);
}

static void dates_with_a_zone_are_as_stated(void **state)
{
	(void)state;
	assert_int_equal(since_of("2026-11-20T11:30Z"), NOW);
	assert_int_equal(since_of("2026-11-20T12:30+01:00"), NOW);
	assert_int_equal(since_of("1795174200"), NOW);
}

static void until_a_day_includes_it(void **state)
{
	(void)state;
	const struct bench_app_period period = read_period("2026-11-20", "2026-11-20", NULL);
	assert_int_equal(period.until - period.since, 24 * HOUR - 1);
	assert_true(bench_app_period_holds(&period, period.until));
	assert_false(bench_app_period_holds(&period, period.until + 1));
}

static void without_a_history_an_id_states_its_time(void **state)
{
	(void)state;
	assert_int_equal(since_of("20261120-113000"), NOW + 10 * HOUR);
	assert_int_equal(since_of("20261120-113000-2"), NOW + 10 * HOUR);
}

static void runs_stand_for_their_start(void **state)
{
	struct bench_store *store = open_store(state);
	must_ingest(store, labelled_run("first", 1000, NULL));
	must_ingest(store, labelled_run("second", 2000, NULL));
	const struct bench_app_period period = read_period("first", "last", store);
	assert_int_equal(period.since, 1000);
	assert_int_equal(period.until, 2000);
	bench_store_close(store);
}

static void assert_refused(const char *since, const char *until, struct bench_store *store, const char *text)
{
	struct bench_app_period period;
	assert_int_equal(bench_app_period_read(since, until, NOW, store, &period, &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);
	if (!strstr(error.text, text))
		fail_msg("'%s' lacks '%s'", error.text, text);
}

static void anything_else_is_refused_with_what_is_accepted(void **state)
{
	static const char *const wrong[] = {
		"",           "yesterday",       "7",          "7y",    "-7d",
		"7dd",        "1234567d",        "2026-02-30", "2026",  "2026-11-20T25:00",
		"20261320-0", "99999999-999999", "last~x",     "lastly"};
	struct bench_store *store = open_store(state);
	must_ingest(store, labelled_run("first", 1000, NULL));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_refused(wrong[i], NULL, NULL, "expected a date (2026-11-20)");
		assert_refused(NULL, wrong[i], store, "7d, 2w) or a run's id");
	}
	assert_refused("20261120-113000", NULL, store, "--since '20261120-113000'"); /* no such run */
	bench_store_close(store);
}

static void a_period_that_ends_before_it_begins_is_refused(void **state)
{
	(void)state;
	assert_refused("2026-11-21", "2026-11-20", NULL, "--since 2026-11-21 is after --until 2026-11-20");
	assert_refused("1h", "2h", NULL, "nothing lies between");
}

static void what_began_in_the_period_stays_in_its_order(void **state)
{
	(void)state;
	const struct bench_app_period period = {10, 20};
	struct bench_run_row rows[] = {{.started = 21}, {.started = 20}, {.started = 10}, {.started = 9}};
	struct bench_point points[] = {{.started = 9}, {.started = 10}, {.started = 15}, {.started = 99}};
	assert_int_equal(bench_app_period_runs(&period, rows, 4), 2);
	assert_int_equal(rows[0].started, 20);
	assert_int_equal(rows[1].started, 10);
	assert_int_equal(bench_app_period_points(&period, points, 4), 2);
	assert_int_equal(points[0].started, 10);
	assert_int_equal(points[1].started, 15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_given_is_all_of_time),
		cmocka_unit_test(times_ago_count_from_now),
		cmocka_unit_test(dates_without_a_zone_are_local),
		cmocka_unit_test(dates_with_a_zone_are_as_stated),
		cmocka_unit_test(until_a_day_includes_it),
		cmocka_unit_test(without_a_history_an_id_states_its_time),
		in_scratch(runs_stand_for_their_start),
		in_scratch(anything_else_is_refused_with_what_is_accepted),
		cmocka_unit_test(a_period_that_ends_before_it_begins_is_refused),
		cmocka_unit_test(what_began_in_the_period_stays_in_its_order),
	};
	return cmocka_run_group_tests(tests, live_in_hawaii, NULL);
}
