/* SPDX-License-Identifier: MIT */
/* Change points of series whose changes are known: made ones, and real ones that other tools publish with
 * theirs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/file.h"
#include "core/json.h"
#include "stats/changepoints.h"

#define SERIES_FOLDER BENCH_SOURCE_DIR "/../shared/data/series"

enum { MOST = 8192 };

static size_t find(const double *values, size_t count, double least, size_t *found)
{
	struct bench_stats_changepoint *changes;
	struct bench_stats_changepoint_options options = {.alpha = 0.01, .least = least};
	size_t changed = bench_stats_changepoints(values, count, &options, &changes);
	for (size_t i = 0; i < changed; i++)
		found[i] = changes[i].index;
	free(changes);
	return changed;
}

/* A level of 100 with noise of 0.5% that repeats, and steps on it. */
static void make(double *values, size_t count)
{
	static const double noise[] = {0.3, -0.5, 0.1, 0.6, -0.2, -0.6, 0.4, -0.1, 0.5, -0.4, 0.2, -0.3, 0};
	for (size_t i = 0; i < count; i++)
		values[i] = 100 + noise[i % 13];
}

static void a_level_without_a_step_has_no_change(void **state)
{
	double values[60];
	size_t found[60];
	(void)state;
	make(values, 60);
	assert_int_equal(find(values, 60, 0, found), 0);
	for (size_t i = 0; i < 60; i++)
		values[i] = 7;
	assert_int_equal(find(values, 60, 0, found), 0);
}

static void a_step_is_found_with_its_levels_and_size(void **state)
{
	double values[60];
	struct bench_stats_changepoint *changes;
	struct bench_stats_changepoint_options options = {.alpha = 0.01};
	(void)state;
	make(values, 60);
	for (size_t i = 40; i < 60; i++)
		values[i] += 5;
	assert_int_equal(bench_stats_changepoints(values, 60, &options, &changes), 1);
	assert_int_equal(changes[0].index, 40);
	assert_int_equal(changes[0].end, 60);
	assert_true(fabs(changes[0].before - 100) < 0.2 && fabs(changes[0].after - 105) < 0.2);
	assert_true(changes[0].shift.lo < 5 && 5 < changes[0].shift.hi && changes[0].shift.hi < 5.6);
	assert_true(changes[0].p < 1e-6);
	free(changes);
}

/* Values that were at the new level before count if they are recent, did not last, and went no further. */
static void a_change_says_how_often_its_level_was_visited(void **state)
{
	static const struct {
		size_t from, to;
		double height;
		bool recurs;
	} cases[] = {{30, 30, 5, false},
		     {30, 32, 5, false},
		     {30, 33, 5, true},
		     {30, 33, 20, false},
		     {5, 9, 5, false}};
	struct bench_stats_changepoint_options options = {.alpha = 0.01};
	(void)state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		struct bench_stats_changepoint *changes;
		double values[60];
		make(values, 60);
		for (size_t i = 0; i < 60; i++)
			if (i >= 40)
				values[i] += 5;
			else if (i >= cases[c].from && i < cases[c].to)
				values[i] += cases[c].height;
		assert_int_equal(bench_stats_changepoints(values, 60, &options, &changes), 1);
		assert_int_equal(changes[0].recurs, cases[c].recurs);
		free(changes);
	}
	/* A level that lasted is none. */
	struct bench_stats_changepoint *changes;
	double values[60];
	make(values, 60);
	for (size_t i = 0; i < 60; i++)
		if (i >= 40 || i < 20)
			values[i] += 5;
	assert_int_equal(bench_stats_changepoints(values, 60, &options, &changes), 2);
	assert_false(changes[1].recurs);
	free(changes);
}

static void spikes_alone_and_in_pairs_are_no_change(void **state)
{
	double values[60];
	size_t found[60];
	(void)state;
	make(values, 60);
	values[10] = values[30] = values[31] = values[58] = values[59] = 180;
	assert_int_equal(find(values, 60, 0, found), 0);
}

static void three_values_make_a_level(void **state)
{
	double values[60];
	size_t found[60];
	(void)state;
	make(values, 60);
	for (size_t i = 57; i < 60; i++)
		values[i] = 180;
	assert_int_equal(find(values, 60, 0, found), 1);
	assert_int_equal(found[0], 57);
}

static void steps_below_the_least_are_not_reported(void **state)
{
	double values[60];
	size_t found[60];
	(void)state;
	make(values, 60);
	for (size_t i = 20; i < 60; i++)
		values[i] += i < 40 ? 2 : 12;
	assert_int_equal(find(values, 60, 0, found), 2);
	assert_int_equal(find(values, 60, 5, found), 1);
	assert_int_equal(found[0], 40);
}

static void a_small_step_before_is_no_part_of_a_large_one(void **state)
{
	double values[60];
	struct bench_stats_changepoint *changes;
	struct bench_stats_changepoint_options options = {.alpha = 0.01, .least = 5};
	(void)state;
	make(values, 60);
	for (size_t i = 20; i < 60; i++)
		values[i] += i < 40 ? 2 : 12;
	assert_int_equal(bench_stats_changepoints(values, 60, &options, &changes), 1);
	assert_int_equal(changes[0].from, 20);
	assert_true(fabs(changes[0].before - 102) < 0.2 && fabs(changes[0].after - 112) < 0.2);
	assert_true(changes[0].shift.lo < 10 && 10 < changes[0].shift.hi && changes[0].shift.hi < 10.6);
	free(changes);
}

static void small_steps_are_reported_where_they_add_up(void **state)
{
	double values[80];
	struct bench_stats_changepoint *changes;
	struct bench_stats_changepoint_options options = {.alpha = 0.01, .least = 3};
	(void)state;
	make(values, 80);
	for (size_t i = 0; i < 80; i++)
		values[i] += 2 * (double)(i / 20);
	assert_int_equal(bench_stats_changepoints(values, 80, &options, &changes), 1);
	assert_int_equal(changes[0].from, 0);
	assert_int_equal(changes[0].index, 40);
	assert_int_equal(changes[0].end, 60);
	assert_true(fabs(changes[0].before - 100) < 0.2 && fabs(changes[0].after - 104) < 0.2);
	free(changes);
}

static void a_steady_drift_has_no_step(void **state)
{
	double values[60];
	size_t found[60];
	(void)state;
	make(values, 60);
	for (size_t i = 0; i < 60; i++)
		values[i] += 0.05 * (double)i;
	assert_int_equal(find(values, 60, 0, found), 0);
}

static void values_that_are_known_badly_weigh_less(void **state)
{
	double values[30], deviations[30];
	struct bench_stats_changepoint *changes;
	struct bench_stats_changepoint_options options = {.alpha = 0.01, .deviations = deviations};
	(void)state;
	make(values, 30);
	for (size_t i = 0; i < 30; i++) {
		deviations[i] = i < 24 ? 0.1 : 20;
		values[i] += i < 24 ? 0 : 5;
	}
	assert_int_equal(bench_stats_changepoints(values, 30, &options, &changes), 0);
	for (size_t i = 24; i < 30; i++)
		deviations[i] = 0.1;
	assert_int_equal(bench_stats_changepoints(values, 30, &options, &changes), 1);
	free(changes);
}

static void noise_below_the_floor_is_no_change(void **state)
{
	double values[40];
	struct bench_stats_changepoint *changes;
	struct bench_stats_changepoint_options options = {.alpha = 0.01, .floor = 1};
	(void)state;
	for (size_t i = 0; i < 40; i++)
		values[i] = i < 20 ? 10 : 11;
	assert_int_equal(bench_stats_changepoints(values, 40, &options, &changes), 0);
	options.floor = 0;
	assert_int_equal(bench_stats_changepoints(values, 40, &options, &changes), 1);
	assert_int_equal(changes[0].index, 20);
	free(changes);
}

static void series_too_short_for_two_levels_have_none(void **state)
{
	double values[] = {1, 1, 1, 9, 9};
	size_t found[5];
	(void)state;
	assert_int_equal(find(values, 5, 0, found), 0);
	assert_int_equal(find(values, 0, 0, found), 0);
}

/* A file of the folder; skips the test where it is not there. */
static cJSON *load(const char *name)
{
	char path[512], *data;
	size_t length;
	struct bench_error error;
	snprintf(path, sizeof(path), "%s/%s", SERIES_FOLDER, name);
	if (bench_file_read(path, (size_t)1 << 20, &data, &length, &error) != 0) {
		print_message("skipped: %s\n", error.text);
		skip();
	}
	cJSON *json = bench_json_parse(data, length, name, &error);
	free(data);
	assert_non_null(json);
	return json;
}

static size_t read_values(const cJSON *array, double *values, bool logarithms)
{
	size_t count = 0;
	const cJSON *item;
	cJSON_ArrayForEach(item, array)
	{
		assert_true(count < MOST);
		values[count++] = logarithms ? log(item->valuedouble) : item->valuedouble;
	}
	return count;
}

/*
 * The cases of MongoDB's signal-processing-algorithms and of Otava, on the values as they are. Within three
 * places: where a level that ends with outliers ends is a matter of taste. One change more is found than they
 * publish: the last level of "random_ish" has medians of 171 and 222 in its halves.
 */
static void published_cases_are_found(void **state)
{
	static double values[MOST];
	static size_t found[MOST];
	static const char *const files[] = {"mongodb-spa/expected_cases.json", "otava/small_cases.json"};
	size_t others = 0;
	(void)state;
	for (size_t f = 0; f < 2; f++) {
		cJSON *json = load(files[f]);
		const cJSON *item, *cases = cJSON_IsArray(json) ? json : cJSON_GetObjectItem(json, "cases");
		cJSON_ArrayForEach(item, cases)
		{
			const cJSON *expected = cJSON_GetObjectItem(item, "expected_change_points"), *place;
			size_t count = read_values(cJSON_GetObjectItem(item, "series"), values, false);
			size_t changes = find(values, count, 0, found);
			others += changes;
			cJSON_ArrayForEach(place, expected)
			{
				size_t i = 0;
				while (i < changes && fabs((double)found[i] - place->valuedouble) > 3)
					i++;
				if (i == changes)
					fail_msg("%s: no change near %g",
						 cJSON_GetObjectItem(item, "name")->valuestring,
						 place->valuedouble);
				others--;
			}
		}
		cJSON_Delete(json);
	}
	assert_int_equal(others, 1);
}

/* Real throughput that MongoDB profiles its own method with, by how many changes that finds. */
static void as_many_changes_of_real_throughput_as_published(void **state)
{
	static double values[MOST];
	static size_t found[MOST];
	static const char *const sizes[] = {"short", "small", "medium", "large"};
	(void)state;
	for (size_t s = 0; s < 4; s++) {
		char name[64];
		snprintf(name, sizeof(name), "mongodb-spa/profiling_%s.json", sizes[s]);
		cJSON *json = load(name);
		size_t count = read_values(cJSON_GetObjectItem(json, "series"), values, true);
		assert_int_equal(find(values, count, 0, found),
				 cJSON_GetObjectItem(json, "expected")->valueint);
		cJSON_Delete(json);
	}
}

/* A year of TigerBeetle's nights: the two changes of 5% or more that Otava finds with its defaults. */
static void changes_of_a_year_of_nights_are_those_of_otava(void **state)
{
	static double values[MOST];
	size_t found[MOST / 8];
	(void)state;
	cJSON *json = load("otava/tigerbeetle.json");
	size_t count = read_values(cJSON_GetObjectItem(json, "series"), values, true);
	assert_int_equal(find(values, count, log(1.05), found), 2);
	assert_int_equal(found[0], 15);
	assert_int_equal(found[1], 71);
	cJSON_Delete(json);
}

/* A change that a walk has reported: where, and on which night first and last (values that were known). */
struct reported {
	size_t at, first, last;
};

struct walked {
	size_t expected, found, reported, gone;
};

/* What a night reports is what the one before it did, where it is three values from it at most. */
static size_t note_night(struct reported *reported, size_t count, const size_t *found, size_t changes,
			 size_t night)
{
	for (size_t i = 0; i < changes; i++) {
		size_t r = 0;
		while (r < count && fabs((double)reported[r].at - (double)found[i]) > 3)
			r++;
		if (r == count)
			reported[count++] = (struct reported){.first = night};
		reported[r].at = found[i];
		reported[r].last = night;
	}
	return count;
}

/*
 * Searches what is known on each night. An expected change is found where a change three values from it at
 * most is reported within six nights of it.
 */
static void walk(struct walked *walked, const double *values, size_t count, double least,
		 const size_t *expected, size_t expected_count)
{
	static struct reported reported[MOST];
	static size_t found[MOST];
	size_t reports = 0;
	for (size_t night = 2 * BENCH_STATS_LEVEL_VALUES; night <= count; night++)
		reports = note_night(reported, reports, found, find(values, night, least, found), night);
	for (size_t e = 0; e < expected_count; e++) {
		bool seen = false;
		for (size_t r = 0; r < reports; r++)
			seen |= fabs((double)reported[r].at - (double)expected[e]) <= 3 &&
				reported[r].first <= expected[e] + 6;
		walked->found += seen;
	}
	walked->expected += expected_count;
	walked->reported += reports;
	for (size_t r = 0; r < reports; r++)
		walked->gone += reported[r].last < count;
}

static void walk_cases(struct walked *walked, const char *file)
{
	static double values[MOST];
	cJSON *json = load(file);
	const cJSON *item, *cases = cJSON_IsArray(json) ? json : cJSON_GetObjectItem(json, "cases");
	cJSON_ArrayForEach(item, cases)
	{
		size_t places[16], expected = 0;
		const cJSON *place;
		cJSON_ArrayForEach(place, cJSON_GetObjectItem(item, "expected_change_points"))
			places[expected++] = (size_t)place->valueint;
		size_t count = read_values(cJSON_GetObjectItem(item, "series"), values, false);
		walk(walked, values, count, 0, places, expected);
	}
	cJSON_Delete(json);
}

/*
 * Night by night, as a gate looks at its history: what is published is reported soon after it happened, and
 * what is reported stays. Of the real series, the first 121 nights, and what looking back finds in them.
 */
static void nights_report_what_is_published_and_keep_to_it(void **state)
{
	static const char *const real[] = {"mongodb-spa/profiling_small.json", "otava/tigerbeetle.json"};
	static double values[MOST];
	struct walked walked = {0};
	(void)state;
	walk_cases(&walked, "mongodb-spa/expected_cases.json");
	walk_cases(&walked, "otava/small_cases.json");
	for (size_t i = 0; i < 2; i++) {
		static const size_t places[2][3] = {{25, 69, 114}, {15, 71}};
		cJSON *json = load(real[i]);
		read_values(cJSON_GetObjectItem(json, "series"), values, true);
		walk(&walked, values, 121, log(1.05), places[i], 3 - i);
		cJSON_Delete(json);
	}
	print_message("%zu of %zu changes found, %zu of %zu reports gone later\n", walked.found,
		      walked.expected, walked.gone, walked.reported);
	assert_true(10 * walked.found >= 8 * walked.expected);
	assert_true(5 * walked.gone <= walked.found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_level_without_a_step_has_no_change),
		cmocka_unit_test(a_step_is_found_with_its_levels_and_size),
		cmocka_unit_test(a_change_says_how_often_its_level_was_visited),
		cmocka_unit_test(spikes_alone_and_in_pairs_are_no_change),
		cmocka_unit_test(three_values_make_a_level),
		cmocka_unit_test(steps_below_the_least_are_not_reported),
		cmocka_unit_test(a_small_step_before_is_no_part_of_a_large_one),
		cmocka_unit_test(small_steps_are_reported_where_they_add_up),
		cmocka_unit_test(a_steady_drift_has_no_step),
		cmocka_unit_test(values_that_are_known_badly_weigh_less),
		cmocka_unit_test(noise_below_the_floor_is_no_change),
		cmocka_unit_test(series_too_short_for_two_levels_have_none),
		cmocka_unit_test(published_cases_are_found),
		cmocka_unit_test(as_many_changes_of_real_throughput_as_published),
		cmocka_unit_test(changes_of_a_year_of_nights_are_those_of_otava),
		cmocka_unit_test(nights_report_what_is_published_and_keep_to_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
