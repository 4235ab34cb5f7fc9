/* SPDX-License-Identifier: MIT */
/* Units and dates as people and tools write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/date.h"
#include "core/unit.h"

static void a_unit_has_a_factor_and_a_direction_of_its_own(void **state)
{
	static const struct {
		const char *text, *si;
		double in_si; /* 3 of it */
		enum bench_better better;
	} cases[] = {
		{"s", "s", 3, BENCH_BETTER_LOWER},
		{"seconds", "s", 3, BENCH_BETTER_LOWER},
		{"ms", "s", 3e-3, BENCH_BETTER_LOWER},
		{"\xc2\xb5s", "s", 3e-6, BENCH_BETTER_LOWER},
		{"\xce\xbcs", "s", 3e-6, BENCH_BETTER_LOWER},
		{"usec", "s", 3e-6, BENCH_BETTER_LOWER},
		{"nanoseconds (ns)", "s", 3e-9, BENCH_BETTER_LOWER},
		{"min", "s", 180, BENCH_BETTER_LOWER},
		{"h", "s", 10800, BENCH_BETTER_LOWER},
		{"ns/op", "s", 3e-9, BENCH_BETTER_LOWER},
		{"us/iter", "s", 3e-6, BENCH_BETTER_LOWER},
		{"ms / iteration", "s", 3e-3, BENCH_BETTER_LOWER},
		{"sec/iter", "s", 3, BENCH_BETTER_LOWER},
		{"ns per call", "s", 3e-9, BENCH_BETTER_LOWER},
		{"ns/item", "s/item", 3e-9, BENCH_BETTER_LOWER},
		{"ns/byte", "s/B", 3e-9, BENCH_BETTER_LOWER},
		{"B", "B", 3, BENCH_BETTER_NONE},
		{"kB", "B", 3e3, BENCH_BETTER_NONE},
		{"KiB", "B", 3072, BENCH_BETTER_NONE},
		{"MiB", "B", 3145728, BENCH_BETTER_NONE},
		{"Kilobytes", "B", 3e3, BENCH_BETTER_NONE},
		{"KB/op", "B", 3e3, BENCH_BETTER_NONE},
		{"MB/s", "B/s", 3e6, BENCH_BETTER_HIGHER},
		{"MB/sec", "B/s", 3e6, BENCH_BETTER_HIGHER},
		{"GiB/s", "B/s", 3221225472, BENCH_BETTER_HIGHER},
		{"bytes/ms", "B/s", 3e3, BENCH_BETTER_HIGHER},
		{"Gbit/s", "bit/s", 3e9, BENCH_BETTER_HIGHER},
		{"Mbps", "bit/s", 3e6, BENCH_BETTER_HIGHER},
		{"GBps", "B/s", 3e9, BENCH_BETTER_HIGHER},
		{"FLOP/s", "FLOP/s", 3, BENCH_BETTER_HIGHER},
		{"GFLOP/sec", "FLOP/s", 3e9, BENCH_BETTER_HIGHER},
		{"GFLOPS", "FLOP/s", 3e9, BENCH_BETTER_HIGHER},
		{"GFLOPs/s", "FLOP/s", 3e9, BENCH_BETTER_HIGHER},
		{"gflops", "FLOP/s", 3e9, BENCH_BETTER_HIGHER},
		{"mflop/s", "FLOP/s", 3e6, BENCH_BETTER_HIGHER},
		{"GFLOP", "FLOP", 3e9, BENCH_BETTER_NONE},
		{"ops/s", "item/s", 3, BENCH_BETTER_HIGHER},
		{"ops/ms", "item/s", 3e3, BENCH_BETTER_HIGHER},
		{"Mops/s", "item/s", 3e6, BENCH_BETTER_HIGHER},
		{"iter/ms", "item/s", 3e3, BENCH_BETTER_HIGHER},
		{"operations/second (ops/s)", "item/s", 3, BENCH_BETTER_HIGHER},
		{"queries/min", "item/s", 0.05, BENCH_BETTER_HIGHER},
		{"fps", "item/s", 3, BENCH_BETTER_HIGHER},
		{"allocs/op", "count", 3, BENCH_BETTER_NONE},
		{"allocs/s", "count/s", 3, BENCH_BETTER_NONE},
		{"cycles/byte", "count/B", 3, BENCH_BETTER_NONE},
		{"%", "share", 0.03, BENCH_BETTER_NONE},
		{"x", "ratio", 3, BENCH_BETTER_NONE},
		{"", "count", 3, BENCH_BETTER_NONE},
		{"mJ", "J", 3e-3, BENCH_BETTER_NONE},
		{"MHz", "Hz", 3e6, BENCH_BETTER_NONE},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench_unit unit;
		if (!bench_unit_parse(cases[i].text, &unit))
			fail_msg("'%s' is not known", cases[i].text);
		if (strcmp(unit.si, cases[i].si) != 0 || unit.better != cases[i].better ||
		    3 * unit.times / unit.over != cases[i].in_si)
			fail_msg("3 %s: %.17g %s, better %d", cases[i].text, 3 * unit.times / unit.over,
				 unit.si, unit.better);
	}
}

static void a_unit_with_two_meanings_or_none_is_not_known(void **state)
{
	static const char *const texts[] = {"mb",      "kb",        "gb/s",   "mbps", "GFLOPs", "m",
					    "parsecs", "widgets/s", "mops/s", "ms/%", "s/s/s",  "/s",
					    "ops/",    "/",         " ",      "Ks",   "mB",     "kis"};
	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct bench_unit unit;
		if (bench_unit_parse(texts[i], &unit))
			fail_msg("'%s' is read as %g %s", texts[i], unit.times / unit.over, unit.si);
	}
}

static void the_name_of_a_quantity_stays_when_its_unit_is_spelt_differently(void **state)
{
	static const char *const alike[][2] = {{"ns/iter", "us/op"},
					       {"ops/s", "Mops/ms"},
					       {"MB/s", "bytes/sec"},
					       {"B/op", "KiB"},
					       {"cycles/byte", "kcycles/B"}};
	struct bench_unit a, b;
	(void)state;
	for (size_t i = 0; i < sizeof(alike) / sizeof(alike[0]); i++) {
		assert_true(bench_unit_parse(alike[i][0], &a) && bench_unit_parse(alike[i][1], &b));
		assert_string_equal(a.si, b.si);
		assert_string_equal(a.name, b.name);
	}
}

static void a_name_states_a_unit_or_none(void **state)
{
	static const struct {
		const char *name;
		size_t stem;
		const char *si; /* NULL: none is stated */
		double factor;
		enum bench_better better;
	} cases[] = {
		{"time [ms]", 4, "s", 1e-3, BENCH_BETTER_LOWER},
		{"Mean (ns)", 4, "s", 1e-9, BENCH_BETTER_LOWER},
		{"speed [furlongs]", 5, "furlongs", 1, BENCH_BETTER_NONE},
		{"time_ms", 4, "s", 1e-3, BENCH_BETTER_LOWER},
		{"p99_s", 3, "s", 1, BENCH_BETTER_LOWER},
		{"p99_ms", 3, "s", 1e-3, BENCH_BETTER_LOWER},
		{"p99Ms", 3, "s", 1e-3, BENCH_BETTER_LOWER},
		{"Elapsed seconds", 7, "s", 1, BENCH_BETTER_LOWER},
		{"elapsed-time-us", 12, "s", 1e-6, BENCH_BETTER_LOWER},
		{"process_s", 7, "s", 1, BENCH_BETTER_LOWER},
		{"tokens_per_s", 0, "item/s", 1, BENCH_BETTER_HIGHER},
		{"TokensPerSecond", 0, "item/s", 1, BENCH_BETTER_HIGHER},
		{"avg_tokens_per_sec", 3, "item/s", 1, BENCH_BETTER_HIGHER},
		{"throughput_mb_s", 10, "B/s", 1e6, BENCH_BETTER_HIGHER},
		{"throughput_MB_per_s", 10, "B/s", 1e6, BENCH_BETTER_HIGHER},
		{"gflop_s", 0, "FLOP/s", 1e9, BENCH_BETTER_HIGHER},
		{"gflops", 0, "FLOP/s", 1e9, BENCH_BETTER_HIGHER},
		{"requests_per_second", 0, "item/s", 1, BENCH_BETTER_HIGHER},
		{"bytes_per_ms", 0, "B/s", 1e3, BENCH_BETTER_HIGHER},
		{"items_per_second", 0, "item/s", 1, BENCH_BETTER_HIGHER},
		{"ops/s", 0, "item/s", 1, BENCH_BETTER_HIGHER},
		{"MB/s", 0, "B/s", 1e6, BENCH_BETTER_HIGHER},
		{"read MB/s", 4, "B/s", 1e6, BENCH_BETTER_HIGHER},
		{"ns_per_op", 0, "s", 1e-9, BENCH_BETTER_LOWER},
		{"rss_MiB", 3, "B", 1048576, BENCH_BETTER_NONE},
		{"read_GBps", 4, "B/s", 1e9, BENCH_BETTER_HIGHER},
		{"rss_kib", 3, "B", 1024, BENCH_BETTER_NONE},
		{"peak_bytes", 4, "B", 1, BENCH_BETTER_NONE},
		{"error_count", 5, "count", 1, BENCH_BETTER_NONE},
		{"ms", 0, "s", 1e-3, BENCH_BETTER_LOWER},
		{"time_avg", 0, NULL, 0, 0},
		{"time_min", 0, NULL, 0, 0},
		{"time_max", 0, NULL, 0, 0},
		{"time", 0, NULL, 0, 0},
		{"min", 0, NULL, 0, 0},
		{"second", 0, NULL, 0, 0},
		{"size", 0, NULL, 0, 0},
		{"reads_s", 0, NULL, 0, 0},
		{"widgets_per_s", 0, NULL, 0, 0},
		{"bytes_ms", 0, NULL, 0, 0},
		{"n_requests", 0, NULL, 0, 0},
		{"mbps", 0, NULL, 0, 0},
		{"variant_b", 0, NULL, 0, 0},
		{"speedup_x", 0, NULL, 0, 0},
		{"", 0, NULL, 0, 0},
		{"_", 0, NULL, 0, 0},
		{"[ms]", 0, NULL, 0, 0},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench_unit unit = {"", 0, 1, BENCH_BETTER_NONE, ""};
		size_t stem = 99;
		const bool stated = bench_unit_of_name(cases[i].name, &stem, &unit);
		if (stated != (cases[i].si != NULL))
			fail_msg("'%s': %s", cases[i].name, stated ? unit.si : "no unit");
		if (stated && (stem != cases[i].stem || strcmp(unit.si, cases[i].si) != 0 ||
			       unit.times / unit.over != cases[i].factor || unit.better != cases[i].better))
			fail_msg("'%s': '%.*s' in %g %s, better %d", cases[i].name, (int)stem, cases[i].name,
				 unit.times / unit.over, unit.si, unit.better);
	}
}

/* 17:30 of 20 November 2026, UTC */
#define HALF_PAST INT64_C(1795195800)

static void a_date_is_read_to_the_second(void **state)
{
	static const struct {
		const char *text;
		int64_t seconds;
	} cases[] = {
		{"2026-11-20T17:30:00Z", HALF_PAST},
		{"2026-11-20T17:30Z", HALF_PAST},
		{"2026-11-20 17:30:00", HALF_PAST},
		{"2026-11-20 17:30:00 UTC", HALF_PAST},
		{"2026-11-20T17:30:00,123", HALF_PAST},
		{"2026-11-20T17:30:00.123456789Z", HALF_PAST},
		{"2026-11-20T18:30+01:00", HALF_PAST},
		{"2026-11-20T18:30:00+01", HALF_PAST},
		{"2026-11-20 23:00:00 +0530", HALF_PAST},
		{"2026-11-20T23:00:00+0530", HALF_PAST},
		{"2026-11-20T12:00:00-05:30", HALF_PAST},
		{"20261120T173000Z", HALF_PAST},
		{"Fri Nov 20 23:00:00 2026 +0530", HALF_PAST},
		{"Fri, 20 Nov 2026 23:00:00 +0530", HALF_PAST},
		{"1795195800", HALF_PAST},
		{"1795195800 +0530", HALF_PAST},
		{"2026-11-20", HALF_PAST - 17 * 3600 - 1800},
		{"2024-02-29", INT64_C(1709164800)},
		{"1970-01-01T00:00:00Z", 0},
		{"2016-12-31T23:59:60Z", INT64_C(1483228800)},
		{"Mon Feb 5 08:00:00 2024 +0000", INT64_C(1707120000)},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t seconds = -1;
		if (!bench_date_parse(cases[i].text, &seconds) || seconds != cases[i].seconds)
			fail_msg("'%s': %lld, not %lld", cases[i].text, (long long)seconds,
				 (long long)cases[i].seconds);
	}
}

static void what_is_no_date_is_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"2026-11-20T17:30:00+99:99",
		"2026-11-20T17:30:00Zjunk",
		"2026-02-31",
		"2025-02-29",
		"2026-13-01",
		"2026-00-10",
		"2026-11-00",
		"2026-11-20T24:00:00Z",
		"2026-11-20T17:60Z",
		"2026-11-20T17:30:61Z",
		"2026-11-20T",
		"2026-11-20T17",
		"2026-11-20T17:30:00+1",
		"2026-11-20T17:30:00+01:0",
		"2026-11-20T17:30:00.",
		"2026-11-20 17:30:00 CET",
		"2026-11-2",
		"20/11/2026",
		"11/20/2026",
		"2026.11.20",
		"yesterday",
		"12345678",
		"1795195800000",
		"0026-11-20",
		"2026-11-20T17:30:00 ",
		"-2026-11-20",
		"Fri Nov 20 2026",
		"2026-11-20  17:30:00",
		"1795195800 x",
	};
	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		int64_t seconds;
		if (bench_date_parse(texts[i], &seconds))
			fail_msg("'%s' is read as %lld", texts[i], (long long)seconds);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_unit_has_a_factor_and_a_direction_of_its_own),
		cmocka_unit_test(a_unit_with_two_meanings_or_none_is_not_known),
		cmocka_unit_test(the_name_of_a_quantity_stays_when_its_unit_is_spelt_differently),
		cmocka_unit_test(a_name_states_a_unit_or_none),
		cmocka_unit_test(a_date_is_read_to_the_second),
		cmocka_unit_test(what_is_no_date_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
