/* Series of files, of any origin: read, or refused with the place. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/series.h"
#include "core/file.h"
#include "core/text.h"

#define SERIES_FOLDER BENCH_SOURCE_DIR "/../shared/data/series"

static struct bench_error error;

static int parse(const char *text, struct bench_arena *arena, struct bench_app_series **series, size_t *count)
{
	*series = NULL;
	*count = 0;
	return bench_app_series_parse(text, strlen(text), "x", arena, series, count, &error);
}

/* What was read as one line: "name: label=1 label=nan; name: 2". */
static const char *shown(const char *text)
{
	static char line[1024];
	struct bench_arena arena = {0};
	struct bench_text out = {0};
	struct bench_app_series *series;
	size_t count;
	if (parse(text, &arena, &series, &count) != 0)
		fail_msg("%s: %s", text, error.text);
	for (size_t s = 0; s < count; s++) {
		bench_text_add(&out, "%s%s:", s ? "; " : "", series[s].name);
		for (size_t i = 0; i < series[s].count; i++) {
			const char *label = series[s].labels ? series[s].labels[i] : "";
			bench_text_add(&out, " %s%s%g", label, *label ? "=" : "", series[s].values[i]);
		}
	}
	snprintf(line, sizeof(line), "%s", out.data);
	bench_text_free(&out);
	bench_arena_free(&arena);
	return line;
}

static void assert_read(const char *text, const char *expected)
{
	assert_string_equal(shown(text), expected);
}

static void columns_of_numbers_are_series(void **state)
{
	(void)state;
	assert_read("1\n2.5\n3e1\n", "column 1: 1 2.5 30");
	assert_read("\xef\xbb\xbf"
		    "a\r\n1\r\n2\r\n",
		    "a: 1 2");
	assert_read("# of a night\na,b\n\n1,2\n3,4\n", "a: 1 3; b: 2 4");
	assert_read("a;b\n1;x\n2;y\n", "a: 1 2");
	assert_read("\"a, b\"\t\"say \"\"c\"\"\"\n1\t2\n", "a, b: 1; say \"c\": 2");
	assert_read("a,b\n1,\nNaN,2\n null , 3\n-,4\n", "a: 1 nan nan nan; b: nan 2 3 4");
	assert_read("1,2\n3,4", "column 1: 1 3; column 2: 2 4");
	assert_read("when,128\n1,2\n3,4", "when: 1 3; 128: 2 4");
	assert_read("c0,1\nc1,2", "column 2: 1 2");
	assert_read("commit,ms\nc0,\nc1,2", "ms: c0=nan c1=2");
}

static void times_and_commits_label_the_rows(void **state)
{
	(void)state;
	assert_read("time,commit,ms\n1,c1,5\n2,c2,6\n", "ms: 1 c1=5 2 c2=6");
	assert_read("Date,ms\nmon,5\n,6\n", "ms: mon=5 6");
	assert_read("ms,Revision\n5,17\n", "ms: 17=5");
	/* Where there is nothing else, they are what was measured. */
	assert_read("commit,time\nc1,5\nc2,6\n", "time: 5 c1=5 6 c2=6");
	assert_read("{\"commit\":[\"a\",\"b\"],\"ms\":[1,2]}", "ms: a=1 b=2");
	assert_read("{\"time\":[7,8],\"commit\":[\"a\",\"b\"],\"x\":{\"y\":[1]},\"ms\":[1,2]}",
		    "x.y: 1; ms: 7 a=1 8 b=2");
	assert_read("{\"time\":[7,8]}", "time: 7=7 8=8");
}

static void arrays_of_numbers_are_series(void **state)
{
	(void)state;
	assert_read("[1,2,null,4]", "values: 1 2 nan 4");
	assert_read(" {\"a\":[1,2],\"b\":{\"c\":[3]},\"expected\":[9],\"n\":7}", "a: 1 2; b.c: 3");
	assert_read("[{\"name\":\"s\",\"series\":[1,2],\"expected_change_points\":[1]}]", "s.series: 1 2");
	assert_read("[[1,2,3],[4,5,6]]", "[0]: 1 2 3; [1]: 4 5 6");
	assert_read("{\"a\":[[\"r1\",5],[17,null]]}", "a: r1=5 17=nan");
	assert_read("[{\"time\":1,\"commit\":\"c\",\"v\":5,\"w\":6},{\"time\":2,\"v\":7}]",
		    "v: 1 c=5 2=7; w: 1 c=6");
	assert_read("{\"benchmarks\":[{\"name\":\"a\",\"ms\":1},{\"name\":\"b\",\"ms\":2},{\"name\":\"a\","
		    "\"ms\":3}]}",
		    "benchmarks.a.ms: 1 3; benchmarks.b.ms: 2");
	assert_read("[{\"time\":1},{\"time\":2}]", "time: 1=1 2=2");
	assert_read("[{\"x\":[1]},{\"x\":[2]}]", "[0].x: 1; [1].x: 2");
}

static void names_among_the_rows_are_series(void **state)
{
	(void)state;
	assert_read("metric,started,ms\na,t1,1\nb,t1,5\na,t2,2\nb,t2,\n",
		    "a.ms: t1=1 t2=2; b.ms: t1=5 t2=nan");
	assert_read("name,x,y\na,1,2\nb,3,4\n", "a.x: 1; b.x: 3; a.y: 2; b.y: 4");
	assert_read("name,ms\n1,2\n3,4\n", "name: 1 3; ms: 2 4");
	assert_read("[{\"Benchmark\":\"a\",\"x\":1},{\"test\":\"b\",\"x\":2}]", "a.x: 1; b.x: 2");
}

static void what_is_no_series_is_refused_with_its_place(void **state)
{
	static const struct {
		const char *text, *message;
	} rows[] = {
		{"", "no series of numbers"},
		{"\n# 1\n", "no series of numbers"},
		{"a,b\nx,y\n", "no series of numbers"},
		{"{}", "no series of numbers"},
		{"[\"a\",\"b\"]", "no series of numbers"},
		{"a\n1\n2\nx\n4\n", "x: line 4: 'x' in column 'a' is no number"},
		{"a\n1\n2\n1e999\n4\n", "line 4: '1e999'"},
		{"a,b\n\n1,2\n3\n", "line 4 has 1 field, and line 1 has 2"},
		{"1\n2,3\n", "line 2 has 2 fields, and line 1 has 1"},
		{"a\n\"1\n2\n", "line 2: a quote is not closed"},
		{"a\n\"1\"x\n", "line 2: text behind a closed quote"},
		{"[1,2,\"x\"]", "item 3 of 'the array' is no number"},
		{"{\"a\":{\"b\":[1,{}]}}", "item 2 of 'a.b' is no number"},
		{"{\"a\":[1,1e999]}", "a value of 'a' is larger"},
		{"[1,2", "not valid JSON"},
		{"[1] x", "text after the end"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_arena arena = {0};
		struct bench_app_series *series;
		size_t count;
		assert_int_equal(parse(rows[i].text, &arena, &series, &count), -1);
		if (!strstr(error.text, rows[i].message))
			fail_msg("'%s' lacks '%s'", error.text, rows[i].message);
		bench_arena_free(&arena);
	}
}

static void bytes_of_0_are_refused(void **state)
{
	struct bench_arena arena = {0};
	struct bench_app_series *series = NULL;
	size_t count = 0;
	(void)state;
	assert_int_equal(bench_app_series_parse("1\0002\n", 4, "x", &arena, &series, &count, &error), -1);
	assert_non_null(strstr(error.text, "no text"));
	bench_arena_free(&arena);
}

/* `count` times `item`, between `head` and `tail`; the caller frees it. */
static char *repeated(const char *head, const char *item, size_t count, const char *tail)
{
	struct bench_text text = {0};
	bench_text_add(&text, "%s", head);
	for (size_t i = 0; i < count; i++)
		bench_text_add(&text, "%s", item);
	bench_text_add(&text, "%s", tail);
	return text.data;
}

static void sizes_are_bounded(void **state)
{
	const struct {
		const char *head, *item, *tail, *message;
		size_t count;
	} rows[] = {
		{"", "1\n", "", "more than 10000 rows", BENCH_APP_SERIES_VALUES + 2},
		{"", "1,", "1\n", "more than 2000 columns", BENCH_APP_SERIES_MOST},
		{"[", "1,", "1]", "more than 10000 values", BENCH_APP_SERIES_VALUES},
		{"[", "[1],", "[1]]", "more than 2000 series", BENCH_APP_SERIES_MOST},
		{"", "[", "", "not valid JSON", 100000},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_arena arena = {0};
		struct bench_app_series *series;
		size_t count;
		char *text = repeated(rows[i].head, rows[i].item, rows[i].count, rows[i].tail);
		assert_int_equal(parse(text, &arena, &series, &count), -1);
		if (!strstr(error.text, rows[i].message))
			fail_msg("'%s' lacks '%s'", error.text, rows[i].message);
		free(text);
		bench_arena_free(&arena);
	}
}

/* Every start of a text, and the text with each byte replaced: read or refused, and nothing worse. */
static void damaged_texts_are_an_error_at_worst(void **state)
{
	static const char *const texts[] = {
		"time,commit,\"a \"\"b\"\"\",c\n2026-01-01,c0,1.5,nan\n2026-01-02,\"c1\",-2e3,7\n",
		"{\"a\":[1,null,3],\"time\":[\"x\",2,\"z\"],\"b\":[[1,2],[3,4]],\"c\":[{\"name\":\"n\","
		"\"time\":1,\"v\":2},{\"v\":3}]}",
	};
	static const char bytes[] = "\",;[]{}\n:0x-\\ \xff";
	(void)state;
	for (size_t t = 0; t < 2; t++) {
		size_t length = strlen(texts[t]);
		for (size_t i = 0; i < length; i++)
			for (size_t b = 0; b < sizeof(bytes); b++) {
				struct bench_arena arena = {0};
				struct bench_app_series *series = NULL;
				size_t count = 0;
				/* In memory of its own, so that a sanitizer sees a byte read too many. */
				size_t kept = b == 0 ? i : length;
				char *copy = malloc(kept + 1);
				memcpy(copy, texts[t], kept);
				if (b > 0)
					copy[i] = bytes[b - 1];
				copy = realloc(copy, kept ? kept : 1);
				if (bench_app_series_parse(copy, kept, "x", &arena, &series, &count,
							   &error) != 0)
					assert_true(*error.text);
				free(copy);
				bench_arena_free(&arena);
			}
	}
}

static void missing_values_keep_their_places(void **state)
{
	struct bench_arena arena = {0};
	struct bench_app_series *series;
	struct bench_change *changes;
	struct bench_app_series_options options = {.alpha = 0.01, .least = 0.05};
	size_t count, linear;
	(void)state;
	assert_int_equal(parse("commit,v\na,10\nb,10.1\nc,\nd,10.05\ne,9.9\nf,nan\ng,20\nh,20.1\ni,19.9\n",
			       &arena, &series, &count),
			 0);
	assert_int_equal(bench_app_series_changes(series, count, &options, &arena, &changes, &linear), 1);
	assert_int_equal(changes[0].index, 6);
	assert_string_equal(changes[0].last_run, "e");
	assert_string_equal(changes[0].first_run, "g");
	assert_true(fabs(changes[0].ratio.estimate - 2) < 0.05 && !changes[0].is_difference);
	assert_int_equal(linear, 0);
	options.least = 1.5;
	assert_int_equal(bench_app_series_changes(series, count, &options, &arena, &changes, &linear), 0);
	bench_arena_free(&arena);
}

static void values_not_above_0_are_searched_as_they_are(void **state)
{
	struct bench_arena arena = {0};
	struct bench_app_series *series;
	struct bench_change *changes;
	struct bench_app_series_options options = {.alpha = 0.01, .least = 0.05};
	size_t count, linear;
	(void)state;
	assert_int_equal(parse("[-1,0,-0.5,-1,-0.2,9,9.5,9.2,9.9]", &arena, &series, &count), 0);
	assert_int_equal(bench_app_series_changes(series, count, &options, &arena, &changes, &linear), 1);
	assert_true(changes[0].is_difference && changes[0].index == 5);
	assert_true(changes[0].ratio.estimate > 9 && changes[0].ratio.estimate < 11);
	assert_int_equal(linear, 1);
	assert_int_equal(parse("[1,1.1,1,1.05,1,9,9.5,9.2,9.9]", &arena, &series, &count), 0);
	options.linear = true;
	assert_int_equal(bench_app_series_changes(series, count, &options, &arena, &changes, &linear), 1);
	assert_true(changes[0].is_difference);
	assert_int_equal(linear, 0);
	bench_arena_free(&arena);
}

static void published_files_are_read(void **state)
{
	static const struct {
		const char *name;
		size_t series;
	} files[] = {{"mongodb-spa/expected_cases.json", 7}, {"mongodb-spa/profiling_small.json", 1},
		     {"mongodb-spa/long_series.json", 1},    {"otava/small_cases.json", 2},
		     {"otava/tigerbeetle.json", 1},          {"otava/sample.csv", 2},
		     {"otava/sample_multi_branch.csv", 2},   {"otava/histostat.csv", 14}};
	(void)state;
	if (!bench_file_is_folder(SERIES_FOLDER)) {
		print_message("skipped: no folder " SERIES_FOLDER "\n");
		skip();
	}
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct bench_arena arena = {0};
		struct bench_app_series *series = NULL;
		size_t count = 0;
		char path[512];
		snprintf(path, sizeof(path), "%s/%s", SERIES_FOLDER, files[i].name);
		if (bench_app_series_read(path, NULL, &arena, &series, &count, &error) != 0)
			fail_msg("%s", error.text);
		assert_int_equal(count, files[i].series);
		bench_arena_free(&arena);
	}
}

static void a_small_file_takes_little_memory(void **state)
{
	(void)state;
	enum { OBJECTS = 10000 };
	struct bench_arena arena = {0};
	struct bench_app_series *series;
	struct bench_text text = {0};
	size_t count;
	bench_text_add(&text, "{\"%0300d\":[{}", 0);
	for (int i = 1; i < OBJECTS; i++)
		bench_text_add(&text, ",{}");
	bench_text_add(&text, "]}");
	assert_int_equal(parse(text.data, &arena, &series, &count), -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	if (bench_arena_bytes(&arena) > 100 * OBJECTS)
		fail_msg("%zu bytes", bench_arena_bytes(&arena));
	bench_arena_free(&arena);
	bench_text_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_of_numbers_are_series),
		cmocka_unit_test(times_and_commits_label_the_rows),
		cmocka_unit_test(arrays_of_numbers_are_series),
		cmocka_unit_test(names_among_the_rows_are_series),
		cmocka_unit_test(what_is_no_series_is_refused_with_its_place),
		cmocka_unit_test(bytes_of_0_are_refused),
		cmocka_unit_test(sizes_are_bounded),
		cmocka_unit_test(damaged_texts_are_an_error_at_worst),
		cmocka_unit_test(missing_values_keep_their_places),
		cmocka_unit_test(values_not_above_0_are_searched_as_they_are),
		cmocka_unit_test(published_files_are_read),
		cmocka_unit_test(a_small_file_takes_little_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
