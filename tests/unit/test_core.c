/* Core: errors, parameters, JSON, files, clock, memory and random numbers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench/param.h"
#include "core/arena.h"
#include "core/clock.h"
#include "core/file.h"
#include "core/json.h"
#include "core/memory.h"
#include "core/text.h"
#include "kit/half.h"
#include "kit/rng.h"

static void an_error_is_one_line_and_is_cut_to_fit(void **state)
{
	(void)state;
	struct bench_error error;
	char huge[5000];
	memset(huge, 'x', sizeof(huge) - 1);
	huge[sizeof(huge) - 1] = '\0';
	assert_int_equal(bench_fail(&error, BENCH_FAILED, "build log:\nline 2\r\n%s", huge), -1);
	assert_int_equal(error.code, BENCH_FAILED);
	assert_null(strchr(error.text, '\n'));
	assert_null(strchr(error.text, '\r'));
	assert_in_range(strlen(error.text), sizeof(error.text) - 8, sizeof(error.text) - 1);
	/* What was wrong is said last: the middle goes, and no character is torn. */
	assert_int_equal(bench_fail(&error, BENCH_FAILED, "cannot read '%s': No space left", huge), -1);
	assert_non_null(strstr(error.text, "cannot read 'xxx"));
	assert_non_null(strstr(error.text, "xxx [...] xxx"));
	assert_non_null(strstr(error.text, "xxx': No space left"));
	for (size_t i = 0; i + 1 < sizeof(huge) - 1; i += 2)
		memcpy(huge + i, "\xc3\xa4", 2);
	for (int shift = 0; shift < 2; shift++) {
		bench_fail(&error, BENCH_FAILED, "%s%s", shift ? "x" : "", huge);
		for (const char *at = error.text; *at;) {
			uint32_t point;
			size_t length = bench_text_utf8(at, &point);
			assert_true(length > 0 || !at[1]);
			at += length ? length : 1;
		}
	}
	bench_fail(&error, BENCH_FAILED, "no space");
	bench_fail(&error, error.code, "cannot write: %s", error.text);
	assert_string_equal(error.text, "cannot write: no space");
	assert_int_equal(bench_fail(NULL, BENCH_FAILED, "nobody asks"), -1);
}

static void an_arena_array_keeps_its_elements_while_it_grows(void **state)
{
	(void)state;
	struct bench_arena arena = {0};
	uint64_t *array = NULL;
	size_t count = 0;
	for (uint64_t i = 0; i < 10000; i++) {
		uint64_t *slot = bench_arena_push(&arena, &array, &count, sizeof(*slot));
		assert_int_equal(*slot, 0);
		*slot = i * i;
	}
	for (uint64_t i = 0; i < 10000; i++)
		assert_int_equal(array[i], i * i);
	char *big = bench_arena_alloc(&arena, 1, 1 << 20);
	assert_int_equal((uintptr_t)big % _Alignof(max_align_t), 0);
	assert_int_equal(big[(1 << 20) - 1], 0);
	assert_string_equal(bench_arena_format(&arena, "%d of %s", 3, "four"), "3 of four");
	assert_null(bench_arena_string(&arena, NULL));
	bench_arena_free(&arena);
}

static const struct bench_param int_param = {"n", BENCH_PARAM_INT, "1", NULL, 0, 1000000, "rows"};
static const struct bench_param real_param = {"alpha", BENCH_PARAM_REAL, "1", NULL, 0, 0, "factor"};
static const struct bench_param choice_param = {"trans", BENCH_PARAM_CHOICE, "NN", "NN|NT|TN|TT", 0, 0,
						"which"};

static const struct bench_param text_param = {"v", BENCH_PARAM_TEXT, "x", NULL, 0, 0, "what stands for it"};
static const struct bench_param file_param = {"matrix", BENCH_PARAM_PATH, "cycle", "cycle|banded", 0,
					      0,        "which"};

static void one_value_has_one_text(void **state)
{
	(void)state;
	struct bench_value value;
	struct bench_error error;
	static const struct {
		const struct bench_param *param;
		const char *given, *canonical;
	} rows[] = {
		{&int_param, "64", "64"},          {&int_param, "4KiB", "4096"},
		{&int_param, "3K", "3000"},        {&int_param, "0", "0"},
		{&real_param, "1.50", "1.5"},      {&real_param, "1e0", "1"},
		{&real_param, "-0", "0"},          {&real_param, "0.1", "0.1"},
		{&choice_param, "TN", "TN"},       {&real_param, "1e-05", "1e-05"},
		{&file_param, "banded", "banded"}, {&file_param, "a.mtx", "a.mtx"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(bench_value_parse(rows[i].param, rows[i].given, &value, &error), 0);
		assert_string_equal(value.text, rows[i].canonical);
		struct bench_value again;
		assert_int_equal(bench_value_parse(rows[i].param, value.text, &again, &error), 0);
		assert_string_equal(again.text, value.text);
	}
	assert_int_equal(bench_value_parse(&choice_param, "TT", &value, &error), 0);
	assert_int_equal(value.integer, 3);
}

static void a_file_is_known_by_its_name_and_found_by_its_path(void **state)
{
	(void)state;
	struct bench_value value;
	struct bench_error error;
	assert_int_equal(bench_value_parse(&file_param, "../my data/x=1/arrow.mtx.gz", &value, &error), 0);
	assert_string_equal(value.text, "arrow.mtx.gz");
	assert_string_equal(bench_value_given(&value), "../my data/x=1/arrow.mtx.gz");
	assert_int_equal(value.integer, -1);
	assert_int_equal(bench_value_parse(&file_param, "./folder//", &value, &error), 0);
	assert_string_equal(value.text, "folder");
	assert_string_equal(bench_value_given(&value), "./folder//");
	assert_int_equal(bench_value_parse(&file_param, "banded", &value, &error), 0);
	assert_string_equal(bench_value_given(&value), "banded");
	assert_int_equal(value.integer, 1);
}

/* Names of 47 characters and more: each has a key of its own, which is the same every time. */
static void a_long_name_of_a_file_is_cut_with_a_hash(void **state)
{
	(void)state;
	static const struct {
		const char *given, *key;
	} rows[] = {
		{"d/a123456789b123456789c123456789d123456789abc.mtx",
		 "a123456789b123456789c123456789d123456789abc.mtx"},
		{"d/a123456789b123456789c123456789d123456789abcd.mtx",
		 "a123456789b123456789c123456789d1234567~d5bc6a7f"},
		{"e/f/a123456789b123456789c123456789d123456789abcd.mtx",
		 "a123456789b123456789c123456789d1234567~d5bc6a7f"},
		{"d/a123456789b123456789c123456789d123456789abce.mtx",
		 "a123456789b123456789c123456789d1234567~972fd579"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_value value;
		struct bench_error error;
		if (bench_value_parse(&file_param, rows[i].given, &value, &error) != 0)
			fail_msg("%s", error.text);
		assert_string_equal(value.text, rows[i].key);
		assert_string_equal(bench_value_given(&value), rows[i].given);
	}
}

static void a_text_is_passed_on_as_it_is_written_and_no_two_have_one_key(void **state)
{
	(void)state;
	static const struct {
		const char *given, *key; /* NULL: as given */
	} rows[] = {
		{"1", NULL},
		{"1.0", NULL},
		{"1.00", NULL},
		{"01", NULL},
		{"+1", NULL},
		{"1.", NULL},
		{"1e0", NULL},
		{"1E0", NULL},
		{"-1", NULL},
		{"0", NULL},
		{"-0", NULL},
		{"00", NULL},
		{"1.1", NULL},
		{"1.10", NULL},
		{"1.9", NULL},
		{"1e3", NULL},
		{"1e+03", NULL},
		{"1000", NULL},
		{"1K", NULL},
		{"1KiB", NULL},
		{"007", NULL},
		{"0x10", NULL},
		{".5", NULL},
		{"0.5", NULL},
		{"inf", NULL},
		{"nan", NULL},
		{"NaN", NULL},
		{"12345678901234567890", NULL},
		{"12345678901234567891", NULL},
		{"0.1000000000000000055511151231257827", NULL},
		{"a", NULL},
		{"A", NULL},
		{"10:30", NULL},
		{"x:y", NULL},
		{"~", "%7E"},
		{"*.c", NULL},
		{"$HOME", NULL},
		{"a'b\"c", NULL},
		{"a b", "a%20b"},
		{"a%20b", "a%2520b"},
		{"a  b", "a%20%20b"},
		{" ", "%20"},
		{"a\tb", "a%09b"},
		{"a\nb", "a%0Ab"},
		{"a,b", "a%2Cb"},
		{"a=b", "a%3Db"},
		{"a/b", "a%2Fb"},
		{"b", NULL},
		{"./b", ".%2Fb"},
		{"/b", "%2Fb"},
		{"..", NULL},
		{"50%", "50%25"},
		{"[a]", "%5Ba%5D"},
		{"a\\b", "a%5Cb"},
		{"\xc3\xa9", "%C3%A9"},
		{"\x7f", "%7F"},
		{"\xff", "%FF"},
		{"-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", NULL}, /* 47 characters */
		{"-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		 "-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa~6751760b"},
		{"-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab",
		 "-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa~6751730b"},
		{"-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa~6751760b",
		 "-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa~aa78ea6a"},
		{"/////////////////////////////////", "%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2F%2~6695c8db"},
	};
	enum { COUNT = sizeof(rows) / sizeof(rows[0]) };
	static struct bench_value values[COUNT];
	struct bench_error error;
	for (size_t i = 0; i < COUNT; i++) {
		const char *key = rows[i].key ? rows[i].key : rows[i].given;
		if (bench_value_parse(&text_param, rows[i].given, &values[i], &error) != 0)
			fail_msg("'%s': %s", rows[i].given, error.text);
		assert_string_equal(values[i].text, key);
		assert_string_equal(bench_value_given(&values[i]), rows[i].given);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(values[i].text, values[j].text);
	}
}

static void percent_encoding_reads_back(void **state)
{
	(void)state;
	static const char *const rows[] = {"", "a", "a b", "%", "%%", "%2F", "%2f", "\x01\xff~", "a,b=c/d"};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_text text = {0};
		bench_text_add(&text, "%s", "");
		bench_text_add_percent(&text, rows[i], ",=/");
		assert_null(strpbrk(text.data, ",=/ "));
		bench_text_decode_percent(text.data);
		assert_string_equal(text.data, rows[i]);
		bench_text_free(&text);
	}
	char loose[] = "%4%zz%2";
	bench_text_decode_percent(loose);
	assert_string_equal(loose, "%4%zz%2");
}

static void a_value_that_is_none_is_refused_by_name(void **state)
{
	(void)state;
	static char too_long[BENCH_VALUE_PATH_MAX + 1];
	memset(too_long, 'x', sizeof(too_long) - 1);
	static const struct {
		const struct bench_param *param;
		const char *given, *said;
	} rows[] = {
		{&int_param, "1000001", "0 to 1000000"},
		{&int_param, "0512", "write it without"},
		{&int_param, "00", "write it without"},
		{&int_param, "-012", "write it without"},
		{&int_param, "+512", "write it without"},
		{&int_param, "5.12e2", "no whole number"},
		{&int_param, "512.0", "no whole number"},
		{&int_param, "0x200", "no whole number"},
		{&real_param, "+5", "write it without"},
		{&real_param, "007", "write it without"},
		{&real_param, "-01.5", "write it without"},
		{&text_param, "", "no value"},
		{&text_param, too_long, "too long"},
		{&int_param, "-5", "n"},
		{&int_param, "99999999999999999999", "n"},
		{&int_param, "abc", "abc"},
		{&int_param, "64x", "64x"},
		{&int_param, "", "n"},
		{&int_param, "1.5", "1.5"},
		{&int_param, " 5", "n"},
		{&int_param, "9223372036854775807G", "n"},
		{&real_param, "nan", "alpha"},
		{&real_param, "inf", "alpha"},
		{&real_param, "", "alpha"},
		{&choice_param, "NX", "NN|NT|TN|TT"},
		{&choice_param, "nn", "did you mean 'NN'"},
		{&file_param, "cylce", "cycle|banded or a path; did you mean 'cycle'"},
		{&file_param, "", "matrix"},
		{&file_param, "/", "no path"},
		{&file_param, "../..", "no path"},
		{&file_param, "a b.mtx", "without blanks"},
		{&file_param, "a=b.mtx", "without blanks"},
		{&file_param, "a\n.mtx", "no path"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_value value;
		struct bench_error error;
		assert_int_equal(bench_value_parse(rows[i].param, rows[i].given, &value, &error), -1);
		assert_int_equal(error.code, BENCH_USAGE);
		assert_non_null(strstr(error.text, rows[i].said));
	}
}

static void numbers_in_json_read_back_bit_for_bit(void **state)
{
	(void)state;
	struct bench_rng rng;
	bench_rng_start(&rng, 7, 0);
	for (int i = 0; i < 2000; i++) {
		double value = ldexp(bench_rng_uniform(&rng) - 0.5, (int)bench_rng_below(&rng, 400) - 200);
		cJSON *object = cJSON_CreateObject();
		bench_json_add_number(object, "x", value);
		char *text = cJSON_PrintUnformatted(object);
		struct bench_error error;
		cJSON *again = bench_json_parse(text, strlen(text), "text", &error);
		double read = 0;
		assert_int_equal(bench_json_number(again, "x", "text", &read, &error), 0);
		assert_memory_equal(&read, &value, sizeof(value));
		free(text);
		cJSON_Delete(object);
		cJSON_Delete(again);
	}
	cJSON *object = cJSON_CreateObject();
	bench_json_add_number(object, "x", NAN);
	bench_json_add_number(object, "y", INFINITY);
	char *text = cJSON_PrintUnformatted(object);
	assert_string_equal(text, "{\"x\":null,\"y\":null}");
	free(text);
	cJSON_Delete(object);
}

static void json_that_is_none_is_refused(void **state)
{
	(void)state;
	static const char *const bad[] = {"", "{", "{\"a\":1} x", "[1,", "{\"a\" 1}", "nul"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct bench_error error;
		assert_null(bench_json_parse(bad[i], strlen(bad[i]), "the file", &error));
		assert_int_equal(error.code, BENCH_ENVIRONMENT);
		assert_non_null(strstr(error.text, "the file"));
	}
	/* Deeper than any document of ours: the parser has a limit, and the stack survives. */
	char *deep = malloc(200001);
	memset(deep, '[', 200000);
	deep[200000] = '\0';
	assert_null(bench_json_parse(deep, 200000, "deep", NULL));
	free(deep);
}

static void members_are_checked_for_type_and_range(void **state)
{
	(void)state;
	struct bench_error error;
	const char *text = "{\"s\":\"x\",\"n\":1.5,\"i\":7,\"big\":1e300,\"a\":[],\"o\":{},\"b\":true}";
	cJSON *object = bench_json_parse(text, strlen(text), "it", &error);
	const char *string;
	double number;
	int64_t integer;
	const cJSON *item;
	assert_int_equal(bench_json_string(object, "s", "it", &string, &error), 0);
	assert_int_equal(bench_json_string(object, "n", "it", &string, &error), -1);
	assert_non_null(strstr(error.text, "it: member 'n'"));
	assert_int_equal(bench_json_string(object, "gone", "it", &string, &error), -1);
	assert_non_null(strstr(error.text, "is missing"));
	assert_int_equal(bench_json_integer(object, "i", "it", 0, 10, &integer, &error), 0);
	assert_int_equal(integer, 7);
	assert_int_equal(bench_json_integer(object, "i", "it", 8, 10, &integer, &error), -1);
	assert_int_equal(bench_json_integer(object, "n", "it", 0, 10, &integer, &error), -1);
	assert_int_equal(bench_json_integer(object, "big", "it", 0, 10, &integer, &error), -1);
	assert_int_equal(bench_json_number(object, "s", "it", &number, &error), -1);
	assert_int_equal(bench_json_array(object, "a", "it", &item, &error), 0);
	assert_int_equal(bench_json_array(object, "o", "it", &item, &error), -1);
	assert_int_equal(bench_json_object(object, "o", "it", &item, &error), 0);
	assert_int_equal(bench_json_object(object, "a", "it", &item, &error), -1);
	assert_true(bench_json_bool_or(object, "b", false));
	assert_string_equal(bench_json_string_or(object, "gone", "else"), "else");
	assert_true(bench_json_number_or(object, "gone", 3) == 3);
	cJSON_Delete(object);
}

static void make_scratch(char *path, size_t size)
{
	const char *base = getenv("TMPDIR");
	snprintf(path, size, "%s/bench-core-XXXXXX", base ? base : "/tmp");
	assert_non_null(mkdtemp(path));
}

static void a_file_is_written_whole_or_not_at_all(void **state)
{
	(void)state;
	char folder[256], path[300], *data;
	size_t length;
	struct bench_error error;
	make_scratch(folder, sizeof(folder));
	assert_true(bench_file_join(path, sizeof(path), folder, "f"));
	assert_int_equal(bench_file_write(path, "one", 3, &error), 0);
	assert_int_equal(bench_file_write(path, "three", 5, &error), 0);
	assert_int_equal(bench_file_read(path, 100, &data, &length, &error), 0);
	assert_string_equal(data, "three");
	free(data);
	assert_int_equal(bench_file_read(path, 4, &data, &length, &error), -1);
	assert_non_null(strstr(error.text, path));
	assert_int_equal(bench_file_read(folder, 100, &data, &length, &error), -1);
	assert_non_null(strstr(error.text, "not a regular file"));
	struct stat status;
	mode_t mask = umask(0);
	umask(mask);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0666 & ~mask);
	unlink(path);
	/* Nothing but the file itself was left behind. */
	assert_int_equal(rmdir(folder), 0);
	assert_int_equal(bench_file_write(path, "x", 1, &error), -1);
	assert_int_equal(error.code, BENCH_ENVIRONMENT);
}

static void folders_are_made_with_their_parents(void **state)
{
	(void)state;
	char folder[256], path[300];
	struct bench_error error;
	make_scratch(folder, sizeof(folder));
	snprintf(path, sizeof(path), "%s/a/b/", folder);
	assert_int_equal(bench_file_make_folder(path, &error), 0);
	assert_int_equal(bench_file_make_folder(path, &error), 0);
	assert_true(bench_file_is_folder(path));
	assert_int_equal(bench_file_check_writable(path, &error), 0);
	rmdir(path);
	snprintf(path, sizeof(path), "%s/a/b", folder);
	assert_int_equal(bench_file_write(path, "x", 1, &error), 0);
	assert_int_equal(bench_file_make_folder(path, &error), -1);
	assert_non_null(strstr(error.text, path));
	assert_int_equal(bench_file_make_folder("", &error), -1);
	assert_int_equal(bench_file_make_folder("/proc/nothing", &error), -1);
	assert_int_equal(bench_file_check_writable("/proc", &error), -1);
	unlink(path);
	snprintf(path, sizeof(path), "%s/a", folder);
	rmdir(path);
	rmdir(folder);
}

static void json_is_shown_with_the_same_value(void **state)
{
	(void)state;
	static const char value[] = "\033\xc2\x9b ##[error] \xe2\x80\xae \xc3\xa4 \\ ::x";
	struct bench_text shown = {0};
	cJSON *item = cJSON_CreateString(value);
	char *json = cJSON_Print(item);
	bench_text_add_json(&shown, json);
	assert_string_equal(shown.data, "\"\\u001b\\u009b \\u0023#[error] \\u202e \xc3\xa4 \\\\ ::x\"");
	cJSON *back = cJSON_Parse(shown.data);
	assert_string_equal(cJSON_GetStringValue(back), value);
	cJSON_Delete(back);
	cJSON_Delete(item);
	cJSON_free(json);
	bench_text_free(&shown);
}

struct steps {
	uint64_t now, step;
};

static uint64_t stepping_now(void *context)
{
	struct steps *steps = context;
	return steps->now += steps->step;
}

static void a_clock_is_known_by_its_readings(void **state)
{
	(void)state;
	struct steps steps = {.step = 40};
	struct bench_clock clock = {stepping_now, &steps};
	struct bench_clock_quality quality;
	bench_clock_calibrate(&clock, &quality);
	assert_true(quality.tick_ns == 40);
	assert_true(fabs(quality.cost_ns - 40) < 1);
	bench_clock_calibrate(&bench_clock_real, &quality);
	assert_true(quality.tick_ns >= 1 && quality.cost_ns > 0);
}

static void time_is_written_with_its_zone(void **state)
{
	(void)state;
	char text[40];
	setenv("TZ", "CET-1", 1);
	tzset();
	bench_clock_iso(1764000000, text, sizeof(text));
	assert_string_equal(text, "2025-11-24T17:00:00+01:00");
	setenv("TZ", "UTC", 1);
	tzset();
	bench_clock_iso(1764000000, text, sizeof(text));
	assert_string_equal(text, "2025-11-24T16:00:00+00:00");
}

/* Known answer of philox4x32-10 from Random123's own kat_vectors: counter 0, key 0. */
static void random_numbers_are_philox(void **state)
{
	(void)state;
	struct bench_rng rng;
	bench_rng_start(&rng, 0, 0);
	assert_int_equal(bench_rng_u32(&rng), 0x6627e8d5);
	assert_int_equal(bench_rng_u32(&rng), 0xe169c58d);
	assert_int_equal(bench_rng_u32(&rng), 0xbc57ac4c);
	assert_int_equal(bench_rng_u32(&rng), 0x9b00dbd8);
}

static void random_numbers_have_the_moments_they_should(void **state)
{
	(void)state;
	enum { N = 200000 };
	struct bench_rng rng;
	double sum = 0, squares = 0, uniform = 0;
	size_t seen[7] = {0};
	bench_rng_start(&rng, 42, 3);
	for (int i = 0; i < N; i++) {
		double x = bench_rng_normal(&rng);
		sum += x;
		squares += x * x;
		uniform += bench_rng_uniform(&rng);
		seen[bench_rng_below(&rng, 7)]++;
	}
	/* Six standard errors each. */
	assert_true(fabs(sum / N) < 6 / sqrt(N));
	assert_true(fabs(squares / N - 1) < 6 * sqrt(2.0 / N));
	assert_true(fabs(uniform / N - 0.5) < 6 * sqrt(1.0 / 12 / N));
	for (int i = 0; i < 7; i++)
		assert_true(fabs((double)seen[i] - N / 7.0) < 6 * sqrt(N / 7.0));
}

static void a_shuffle_keeps_every_item(void **state)
{
	(void)state;
	size_t items[100], seen[100] = {0};
	struct bench_rng rng;
	bench_rng_start(&rng, 1, 1);
	for (size_t i = 0; i < 100; i++)
		items[i] = i;
	bench_rng_shuffle(&rng, items, 100);
	bool moved = false;
	for (size_t i = 0; i < 100; i++) {
		seen[items[i]]++;
		moved |= items[i] != i;
	}
	for (size_t i = 0; i < 100; i++)
		assert_int_equal(seen[i], 1);
	assert_true(moved);
}

static void every_type_is_filled_with_the_same_values(void **state)
{
	(void)state;
	float singles[1003];
	double doubles[1003];
	uint16_t halves[1003];
	bench_rng_fill(9, 2, BENCH_F32, singles, 1003);
	bench_rng_fill(9, 2, BENCH_F64, doubles, 1003);
	bench_rng_fill(9, 2, BENCH_F16, halves, 1003);
	for (size_t i = 0; i < 1003; i++) {
		assert_true((double)singles[i] == doubles[i]);
		assert_int_equal(halves[i], bench_half_from_double(doubles[i]));
		assert_true(doubles[i] >= -1 && doubles[i] < 1);
	}
	double shorter[5];
	bench_rng_fill(9, 2, BENCH_F64, shorter, 5);
	assert_memory_equal(shorter, doubles, sizeof(shorter));
	bench_rng_fill(9, 3, BENCH_F64, shorter, 5);
	assert_memory_not_equal(shorter, doubles, sizeof(shorter));
}

/* `rounded` is the nearest number of `units` to `value`, and between two the even one. */
static void expect_nearest(double value, double rounded, double unit)
{
	double units = rounded / unit, off = fabs(value - rounded) / unit;
	if (units != floor(units) || off > 0.5 || (off == 0.5 && fmod(units, 2) != 0))
		fail_msg("%a is rounded to %a, in units of %a", value, rounded, unit);
}

static void bfloat_and_tf32_round_to_the_nearest_even(void **state)
{
	(void)state;
	for (unsigned bits = 0; bits < 0x10000; bits++) {
		double value = (double)bench_bfloat_to_float((uint16_t)bits);
		if (isnan(value))
			assert_true(isnan(bench_bfloat_to_float(bench_bfloat_from_double(value))));
		else
			assert_int_equal(bench_bfloat_from_double(value), bits);
	}
	struct bench_rng rng;
	bench_rng_start(&rng, 1, 1);
	for (int i = 0; i < 100000; i++) {
		/* 24 digits from 1 to 2; of every eighth only those that decide, which makes ties. */
		uint64_t digits = bench_rng_below(&rng, 1 << 23);
		double bfloat = 1 + (double)(i % 8 ? digits : digits >> 15 << 15) * 0x1p-23;
		double tf32 = 1 + (double)(i % 8 ? digits : digits >> 12 << 12) * 0x1p-23;
		expect_nearest(bfloat, (double)bench_bfloat_to_float(bench_bfloat_from_double(bfloat)),
			       0x1p-7);
		expect_nearest(-tf32, (double)bench_tf32_from_double(-tf32), 0x1p-10);
	}
	/* Beyond the range, and the largest number within it. */
	assert_true(isinf(bench_bfloat_to_float(bench_bfloat_from_double(0x1.ffp127))));
	assert_int_equal(bench_bfloat_from_double(0x1.fefp127), 0x7f7f);
	assert_true(isinf(bench_tf32_from_double(-1e300)));
	assert_true(isnan(bench_tf32_from_double(NAN)));
	assert_int_equal(bench_bfloat_from_double(-0.0), 0x8000);
}

static void every_half_is_a_float_and_comes_back(void **state)
{
	(void)state;
	for (unsigned half = 0; half < 0x10000; half++) {
		unsigned exponent = half >> 10 & 31, digits = half & 1023;
		double size = exponent ? ldexp(1024 + digits, (int)exponent - 25) : ldexp(digits, -24);
		float value = bench_half_to_float((uint16_t)half);
		if (exponent == 31 && digits) {
			assert_true(isnan(value));
			assert_true(isnan(bench_half_to_float(bench_half_from_double((double)value))));
			continue;
		}
		if (exponent == 31)
			size = (double)INFINITY;
		if ((double)value != (half & 0x8000 ? -size : size) || !signbit(value) != !(half & 0x8000))
			fail_msg("half %#x is %g, not %g", half, (double)value, size);
		assert_int_equal(bench_half_from_double((double)value), half);
	}
}

static void between_two_halves_the_nearer_is_taken_and_of_two_as_near_the_even_one(void **state)
{
	(void)state;
	for (unsigned half = 0; half < 0x7bff; half++) {
		double low = (double)bench_half_to_float((uint16_t)half),
		       high = (double)bench_half_to_float((uint16_t)(half + 1)), middle = (low + high) / 2;
		unsigned even = half & 1 ? half + 1 : half;
		assert_int_equal(bench_half_from_double(middle), even);
		assert_int_equal(bench_half_from_double(-middle), even | 0x8000);
		assert_int_equal(bench_half_from_double(nextafter(middle, 0)), half);
		assert_int_equal(bench_half_from_double(nextafter(middle, high)), half + 1);
	}
	/* 65520 lies between the largest and what would follow it. */
	assert_int_equal(bench_half_from_double(nextafter(65520, 0)), 0x7bff);
	assert_int_equal(bench_half_from_double(65520), 0x7c00);
	assert_int_equal(bench_half_from_double(-1e300), 0xfc00);
	assert_int_equal(bench_half_from_double(5e-324), 0);
	assert_int_equal(bench_half_from_double(-0.0), 0x8000);
}

static jmp_buf without_memory;
static char said[128];

static void give_up(const char *text)
{
	snprintf(said, sizeof(said), "%s", text);
	longjmp(without_memory, 1);
}

static void where_memory_runs_out_the_handler_is_called(void **state)
{
	(void)state;
	struct bench_arena arena = {0};
	bench_memory_on_exhausted(give_up);
	if (setjmp(without_memory) == 0) {
		bench_arena_alloc(&arena, SIZE_MAX / 2, 3);
		fail_msg("so much memory there is not");
	}
	bench_memory_on_exhausted(NULL);
	assert_non_null(strstr(said, "out of memory: "));
	assert_non_null(strstr(said, " x 3 bytes for a record"));
	bench_arena_free(&arena);
}

static void what_is_asked_for_is_there_or_the_handler_is_called(void **state)
{
	(void)state;
	bench_memory_on_exhausted(give_up);
	if (setjmp(without_memory) == 0) {
		free(bench_memory_alloc(0, 8));
		free(bench_memory_alloc(SIZE_MAX / 2, 3));
		fail_msg("so much memory there is not");
	}
	assert_string_equal(said, "out of memory: 9223372036854775807 x 3 bytes");
	/* cJSON leaves out of a document what it has no memory for. */
	if (setjmp(without_memory) == 0) {
		cJSON_free(cJSON_malloc(SIZE_MAX / 2));
		fail_msg("so much memory there is not");
	}
	assert_string_equal(said, "out of memory: 9223372036854775807 bytes of JSON");
	bench_memory_on_exhausted(NULL);
}

static void a_document_of_too_many_values_is_refused(void **state)
{
	(void)state;
	const size_t size = (size_t)40 << 20;
	struct bench_error error;
	char *text = malloc(size);
	assert_non_null(text);
	for (size_t i = 0; i < size; i++)
		text[i] = i % 2 ? '0' : ',';
	text[0] = '[';
	text[size - 1] = ']';
	assert_null(bench_json_parse(text, size, "a file", &error));
	assert_non_null(strstr(error.text, "more than 16777216 values"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(where_memory_runs_out_the_handler_is_called),
		cmocka_unit_test(what_is_asked_for_is_there_or_the_handler_is_called),
		cmocka_unit_test(an_error_is_one_line_and_is_cut_to_fit),
		cmocka_unit_test(an_arena_array_keeps_its_elements_while_it_grows),
		cmocka_unit_test(one_value_has_one_text),
		cmocka_unit_test(a_file_is_known_by_its_name_and_found_by_its_path),
		cmocka_unit_test(a_long_name_of_a_file_is_cut_with_a_hash),
		cmocka_unit_test(a_text_is_passed_on_as_it_is_written_and_no_two_have_one_key),
		cmocka_unit_test(percent_encoding_reads_back),
		cmocka_unit_test(a_value_that_is_none_is_refused_by_name),
		cmocka_unit_test(numbers_in_json_read_back_bit_for_bit),
		cmocka_unit_test(json_that_is_none_is_refused),
		cmocka_unit_test(members_are_checked_for_type_and_range),
		cmocka_unit_test(a_file_is_written_whole_or_not_at_all),
		cmocka_unit_test(folders_are_made_with_their_parents),
		cmocka_unit_test(json_is_shown_with_the_same_value),
		cmocka_unit_test(a_clock_is_known_by_its_readings),
		cmocka_unit_test(time_is_written_with_its_zone),
		cmocka_unit_test(random_numbers_are_philox),
		cmocka_unit_test(random_numbers_have_the_moments_they_should),
		cmocka_unit_test(a_shuffle_keeps_every_item),
		cmocka_unit_test(every_type_is_filled_with_the_same_values),
		cmocka_unit_test(every_half_is_a_float_and_comes_back),
		cmocka_unit_test(bfloat_and_tf32_round_to_the_nearest_even),
		cmocka_unit_test(between_two_halves_the_nearer_is_taken_and_of_two_as_near_the_even_one),
		cmocka_unit_test(a_document_of_too_many_values_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
