/* SPDX-License-Identifier: MIT */
/* Records in every layout: their sizes, their sums, and the suite's check on what is right and wrong. */
#include <stdlib.h>

#include "suite_fixture.h"
#include "suites/layout/records.h"

enum { LAYOUTS = BENCH_LAYOUT_ALIGNED + 1 };

static void a_record_takes_what_its_layout_says(void **state)
{
	(void)state;
	static const size_t sizes[LAYOUTS] = {36, 33, 36, 33, 64};
	for (int layout = 0; layout < LAYOUTS; layout++) {
		assert_int_equal(bench_records_bytes((enum bench_layout)layout, 64), 64 * sizes[layout]);
		for (size_t count = 1; count < 70; count++) {
			size_t bytes = bench_records_bytes((enum bench_layout)layout, count);
			assert_true(bytes % 64 == 0 && bytes >= count * sizes[layout]);
		}
	}
}

/* Field f of record i is i * 8 + f + 1: no two alike, and with sums in closed form. */
static void sums_are_those_of_the_fields(void **state)
{
	(void)state;
	static const size_t counts[] = {1,  2,  3,  4,  7,  8,   15,  16,  17,  31,
					32, 33, 63, 64, 65, 127, 128, 129, 1000};
	for (size_t i = 0; i < (size_t)LAYOUTS * sizeof(counts) / sizeof(counts[0]); i++) {
		struct bench_records records = {.layout = (enum bench_layout)(i % LAYOUTS),
						.count = counts[i / LAYOUTS]};
		size_t n = records.count;
		assert_int_equal(posix_memalign(&records.memory, 64, bench_records_bytes(records.layout, n)),
				 0);
		for (size_t j = 0; j < n; j++) {
			uint32_t fields[BENCH_RECORD_FIELDS];
			for (size_t f = 0; f < BENCH_RECORD_FIELDS; f++)
				fields[f] = (uint32_t)(j * BENCH_RECORD_FIELDS + f + 1);
			bench_records_store(&records, j, fields);
		}
		uint64_t all = 8 * n * (8 * n + 1) / 2;
		uint64_t one = 8 * (n * (n - 1) / 2) + n * (BENCH_RECORD_FIELD + 1);
		assert_int_equal(bench_records_sum(&records, true, 3), 3 * all);
		assert_int_equal(bench_records_sum(&records, false, 5), 5 * one);
		assert_int_equal(bench_records_sum(&records, false, 0), 0);
		free(records.memory);
	}
}

static const char *const layouts[] = {"flat", "arrays", "nested", "packed", "aligned"};

/* The suite measures the host: the backend is not looked at. */
static void open_layout(struct fixture *fixture, const char *layout, const char *settings)
{
	char text[96];
	struct bench_error error = {0};
	snprintf(text, sizeof(text), "layout=%s %s", layout, settings);
	assert_true(open_fixture(fixture, &bench_suite_layout, bench_backends[0], text, &error));
	must(fixture->suite->setup(&fixture->bench_case, &error), fixture, "setup", &error);
}

static const char *const settings[] = {"fields=one count=1", "fields=all count=1", "fields=one count=1001",
				       "fields=all count=1001"};
enum { SETTINGS = sizeof(settings) / sizeof(settings[0]) };

static void the_suite_is_right_in_every_layout(void **state)
{
	(void)state;
	for (size_t i = 0; i < (size_t)LAYOUTS * SETTINGS; i++) {
		struct fixture fixture;
		open_layout(&fixture, layouts[i % LAYOUTS], settings[i / LAYOUTS]);
		struct bench_check check = prepare_run_check(&fixture, (const uint64_t[]){1, 7, 2}, 3);
		assert_true(check.error <= check.tolerance);
		close_fixture(&fixture);
	}
}

/* One field of one record is another, or the last record is left out, or an iteration. */
static void a_wrong_sum_is_incorrect(void **state)
{
	(void)state;
	for (size_t i = 0; i < (size_t)LAYOUTS * SETTINGS; i++) {
		struct fixture fixture;
		struct bench_error error = {0};
		struct bench_check check;
		open_layout(&fixture, layouts[i % LAYOUTS], settings[i / LAYOUTS]);
		struct bench_records *records = fixture.bench_case.state;
		must(fixture.suite->prepare(&fixture.bench_case, &error), &fixture, "prepare", &error);
		must(fixture.suite->run(&fixture.bench_case, 9, &error), &fixture, "run", &error);
		must(fixture.suite->check(&fixture.bench_case, 10, &check, &error), &fixture, "check",
		     &error);
		assert_true(check.error > check.tolerance);
		static const uint32_t fields[BENCH_RECORD_FIELDS] = {1, 2, 3, 4, 5, 6, 7, 8};
		bench_records_store(records, records->count - 1, fields);
		check = once(&fixture);
		assert_true(check.error > check.tolerance);
		close_fixture(&fixture);
	}
}

static void what_is_useful_is_what_is_summed(void **state)
{
	(void)state;
	struct fixture fixture = {.suite = &bench_suite_layout};
	struct bench_error error = {0};
	struct bench_work work = {0};
	fixture.bench_case.values = fixture.values;
	set_values(fixture.suite, "fields=one count=1000 layout=aligned", fixture.values);
	must(fixture.suite->work(&fixture.bench_case, &work, &error), &fixture, "work", &error);
	assert_true(work.bytes == 4000 && work.items == 1000 && work.host_bytes >= 64000);
	set_values(fixture.suite, "fields=all count=1000 layout=packed", fixture.values);
	must(fixture.suite->work(&fixture.bench_case, &work, &error), &fixture, "work", &error);
	assert_true(work.bytes == 32000 && work.items == 1000 && work.host_bytes >= 33000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_record_takes_what_its_layout_says),
		cmocka_unit_test(sums_are_those_of_the_fields),
		cmocka_unit_test(the_suite_is_right_in_every_layout),
		cmocka_unit_test(a_wrong_sum_is_incorrect),
		cmocka_unit_test(what_is_useful_is_what_is_summed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
