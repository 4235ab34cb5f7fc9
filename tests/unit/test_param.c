/* SPDX-License-Identifier: MIT */
/* Parameters: a value has one text, which is part of a key. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bench/param.h"
#include "core/text.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_value_has_one_text),
		cmocka_unit_test(a_file_is_known_by_its_name_and_found_by_its_path),
		cmocka_unit_test(a_long_name_of_a_file_is_cut_with_a_hash),
		cmocka_unit_test(a_text_is_passed_on_as_it_is_written_and_no_two_have_one_key),
		cmocka_unit_test(percent_encoding_reads_back),
		cmocka_unit_test(a_value_that_is_none_is_refused_by_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
