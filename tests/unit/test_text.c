/* SPDX-License-Identifier: MIT */
/* Core: quantities, names, words, patterns and regular expressions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/regex.h"
#include "core/text.h"

static void quantities_read_as_a_person_writes_them(void **state)
{
	(void)state;
	static const struct {
		double value;
		const char *unit, *expected;
	} rows[] = {
		{1.234e-3, "s", "1.234 ms"},
		{4e11, "FLOP/s", "400.0 GFLOP/s"},
		{12.34e9, "B/s", "12.34 GB/s"},
		{1.5, "ratio", "1.500"},
		{0.9321, "share", "93.21%"},
		{12, "count", "12"},
		{12.5, "count", "12.50"},
		{0, "s", "0"},
		{0, "B", "0"},
		{0, "allocs/op", "0 allocs/op"},
		{61.27, "s", "61.27 s"},
		{3.2e-10, "s", "0.320 ns"},
		{(double)(3 << 20), "B", "3.000 MiB"},
		{1e12, "FLOP/s", "1.000 TFLOP/s"},
		{12345678, "widgets", "12345678 widgets"},
		{NAN, "s", "-"},
		{-2e-6, "s", "-2.000 us"},
		{999.96e-6, "s", "1000 us"},
		{2e6, "item/s", "2.000 Mitem/s"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[64];
		bench_text_quantity(text, sizeof(text), rows[i].value, rows[i].unit);
		assert_string_equal(text, rows[i].expected);
	}
}

static void differences_have_a_sign_and_no_needless_decimals(void **state)
{
	(void)state;
	static const struct {
		double value;
		const char *unit, *expected;
	} rows[] = {
		{5, "allocs/op", "+5 allocs/op"}, {-18, "count", "-18"},   {0, "s", "0 ns"},
		{-2.5e-9, "s", "-2.500 ns"},      {0.25, "x", "+0.250 x"}, {-0.0, "errors", "0 errors"},
		{3 << 20, "B", "+3.000 MiB"},     {12, "B", "+12 B"},      {1234567, "y", "+1234567 y"},
		{1e300, "errors", "+1"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[96];
		bench_text_difference(text, sizeof(text), rows[i].value, rows[i].unit);
		if (i + 1 < sizeof(rows) / sizeof(rows[0]))
			assert_string_equal(text, rows[i].expected);
		else
			assert_memory_equal(text, rows[i].expected, 2);
	}
}

static void the_nearest_name_is_a_slip_away_or_none(void **state)
{
	(void)state;
	static const char *const names[] = {"gemm", "gemm_chain", "transfer", "null", "openblas"};
	size_t n = sizeof(names) / sizeof(names[0]);
	assert_string_equal(bench_text_nearest("gem", names, n), "gemm");
	assert_string_equal(bench_text_nearest("gmem", names, n), "gemm");
	assert_string_equal(bench_text_nearest("tranfser", names, n), "transfer");
	assert_string_equal(bench_text_nearest("transf", names, n), "transfer");
	assert_string_equal(bench_text_nearest("openblsa", names, n), "openblas");
	assert_string_equal(bench_text_nearest("NULL", names, n), "null");
	assert_null(bench_text_nearest("convolution", names, n));
	assert_null(bench_text_nearest("x", names, 0));
	char longest[300];
	memset(longest, 'g', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_null(bench_text_nearest(longest, names, n));
}

static void lists_are_split_and_trimmed(void **state)
{
	(void)state;
	char text[] = " a , b,,c ", *rest = text;
	assert_string_equal(bench_text_next(&rest, ','), "a");
	assert_string_equal(bench_text_next(&rest, ','), "b");
	assert_string_equal(bench_text_next(&rest, ','), "");
	assert_string_equal(bench_text_next(&rest, ','), "c");
	assert_null(bench_text_next(&rest, ','));
}

static void durations_and_fractions_are_strict(void **state)
{
	(void)state;
	double value;
	assert_true(bench_text_duration("90s", &value) && value == 90);
	assert_true(bench_text_duration("1.5h", &value) && value == 5400);
	assert_true(bench_text_duration("250ms", &value) && value == 0.25);
	assert_true(bench_text_duration("15m", &value) && value == 900);
	assert_true(bench_text_duration("7", &value) && value == 7);
	assert_true(bench_text_time("1ns", &value) && fabs(value - 1e-9) < 1e-20);
	assert_true(bench_text_time("0.5us", &value) && fabs(value - 5e-7) < 1e-18);
	assert_true(bench_text_time("0", &value) && value == 0);
	assert_true(bench_text_time("0ns", &value) && value == 0);
	static const char *const bad_times[] = {"", "1", "-1ns", "ns", "11s", "1m", "1 ns", "nanns", "1nss"};
	for (size_t i = 0; i < sizeof(bad_times) / sizeof(bad_times[0]); i++)
		assert_false(bench_text_time(bad_times[i], &value));
	static const char *const bad_durations[] = {"",     "s",   "0s",  "-1s", "soon",
						    "1e9h", "nan", "inf", "1 s", "0x10"};
	for (size_t i = 0; i < sizeof(bad_durations) / sizeof(bad_durations[0]); i++)
		assert_false(bench_text_duration(bad_durations[i], &value));
	assert_true(bench_text_fraction("5%", &value) && fabs(value - 0.05) < 1e-15);
	assert_true(bench_text_fraction("0.05", &value) && value == 0.05);
	assert_false(bench_text_fraction("-1%", &value));
	assert_false(bench_text_fraction("much", &value));
	assert_false(bench_text_fraction("%", &value));
	assert_false(bench_text_real("1e999", &value));
}

static void a_bare_number_is_no_percentage_and_the_nearest_reading_is_said(void **state)
{
	static const struct {
		const char *text, *says;
	} refused[] = {
		{"5", "--threshold 5: say 5% (or 0.05)"},
		{"1", "--threshold 1: say 1% (or 0.01)"},
		{"2.5", "--threshold 2.5: say 2.5% (or 0.025)"},
		{"100", "--threshold 100: say 100%"},
		{"1000", "--threshold 1000: say 1000%"},
		{"1001", "--threshold '1001': expected a share"},
		{"-5", "--threshold '-5': expected a share"},
	};
	struct bench_error error;
	double value = 0.125;
	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		assert_false(bench_text_fraction(refused[i].text, &value));
		assert_int_equal(bench_text_no_fraction("--threshold", refused[i].text, refused[i].text,
							"a share", &error),
				 -1);
		assert_int_equal(error.code, BENCH_USAGE);
		assert_string_equal(error.text, refused[i].says);
	}
	assert_true(value == 0.125);
	assert_true(bench_text_fraction("0.99", &value) && value == 0.99);
	assert_true(bench_text_fraction("100%", &value) && value == 1);
	assert_true(bench_text_fraction("1000%", &value) && value == 10);
}

static void slugs_are_stable_and_plain(void **state)
{
	(void)state;
	char slug[16];
	bench_text_slug(slug, sizeof(slug), "NVIDIA H200");
	assert_string_equal(slug, "nvidia-h200");
	bench_text_slug(slug, sizeof(slug), "  (R) Xeon(R)!! ");
	assert_string_equal(slug, "r-xeon-r");
	bench_text_slug(slug, sizeof(slug), "a very long name indeed");
	assert_int_equal(strlen(slug), 15);
	bench_text_slug(slug, sizeof(slug), "\xff\xfe");
	assert_string_equal(slug, "");
}

static void words_are_quoted_for_a_shell(void **state)
{
	(void)state;
	struct bench_text text = {0};
	bench_text_add_shell(&text, "n=1,2");
	bench_text_add(&text, " ");
	bench_text_add_shell(&text, "it's > $HOME");
	bench_text_add(&text, " ");
	bench_text_add_shell(&text, "");
	bench_text_add_option(&text, "set", "n=1 2");
	bench_text_add_option(&text, "backend", "--set");
	assert_string_equal(text.data, "n=1,2 'it'\\''s > $HOME' '' --set 'n=1 2' --backend=--set");
	bench_text_free(&text);
}

static void words_are_read_as_a_shell_reads_them(void **state)
{
	(void)state;
	char line[] = " A=1\t'it''s  b' \"a \\\" $b\"c \\'d ''  'open ";
	static const char *const words[] = {"A=1", "its  b", "a \" $bc", "'d", "", "open "};
	char *rest = line;
	bool open = false;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		assert_false(open);
		assert_string_equal(bench_text_next_shell(&rest, &open), words[i]);
	}
	assert_true(open);
	assert_null(bench_text_next_shell(&rest, &open));
}

static void utf8_is_told_from_other_bytes(void **state)
{
	(void)state;
	static const struct {
		const char *bytes;
		size_t length;
		uint32_t point;
	} cases[] = {
		{"a", 1, 'a'},
		{"\xc2\x80", 2, 0x80},
		{"\xdf\xbf", 2, 0x7ff},
		{"\xe0\xa0\x80", 3, 0x800},
		{"\xed\x9f\xbf", 3, 0xd7ff},
		{"\xee\x80\x80", 3, 0xe000},
		{"\xf0\x90\x80\x80", 4, 0x10000},
		{"\xf4\x8f\xbf\xbf", 4, 0x10ffff},
		{"\x80", 0, 0},             /* nothing that it continues */
		{"\xc1\xbf", 0, 0},         /* longer than need be */
		{"\xe0\x9f\xbf", 0, 0},     /* so, too */
		{"\xf0\x8f\xbf\xbf", 0, 0}, /* so, too */
		{"\xed\xa0\x80", 0, 0},     /* a surrogate */
		{"\xf4\x90\x80\x80", 0, 0}, /* beyond U+10FFFF */
		{"\xf8\x88\x80\x80", 0, 0}, /* five bytes */
		{"\xe2\x82", 0, 0},         /* cut short */
		{"\xe2\x82 ", 0, 0},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t point = 0;
		assert_int_equal(bench_text_utf8(cases[i].bytes, &point), cases[i].length);
		if (cases[i].length)
			assert_int_equal(point, cases[i].point);
	}
}

/* What is shown, and what a runner of CI would act on. */
static void texts_from_outside_become_lines(void **state)
{
	(void)state;
	static const struct {
		const char *text, *line, *lines;
	} rows[] = {
		{"", "", ""},
		{"plain \xc3\xa4 \xe2\x82\xac", "plain \xc3\xa4 \xe2\x82\xac", "plain \xc3\xa4 \xe2\x82\xac"},
		{"a\nb\r\nc\td\re", "a b c d?e", "a\nb\r\nc d?e"},
		{"\033[2J\a\x7f\xc2\x9b\xff", "?[2J????", "?[2J????"},
		{"\xe2\x80\xae\xe2\x81\xa6", "??", "??"},
		{"::error::x", "?:error::x", "?:error::x"},
		{" \t\xc2\xa0\n::error::x", "  \xc2\xa0 ?:error::x", "  \xc2\xa0\n?:error::x"},
		{"a ::b\n::c", "a ::b ::c", "a ::b\n?:c"},
		{"a##[error]b", "a?#[error]b", "a?#[error]b"},
		{"###[error]b", "#?#[error]b", "#?#[error]b"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct bench_text line = {0}, lines = {0};
		bench_text_add_line(&line, rows[i].text);
		bench_text_add_lines(&lines, rows[i].text);
		assert_string_equal(line.data, rows[i].line);
		assert_string_equal(lines.data, rows[i].lines);
		bench_text_free(&line);
		bench_text_free(&lines);
	}
}

static void a_pattern_matches_as_in_a_shell(void **state)
{
	(void)state;
	static const struct {
		const char *pattern, *name;
		bool matches;
	} rows[] = {
		{"", "", true},
		{"", "a", false},
		{"*", "", true},
		{"***", "a/b", true},
		{"a*b*c", "a/x/b/y/c", true},
		{"a*b*c", "a/x/b/y/cd", false},
		{"?b", "ab", true},
		{"?", "", false},
		{"[a-c][!a-c]", "bd", true},
		{"[a-c][^a-c]", "bb", false},
		{"[]x]", "]", true},
		{"[[:digit:]]*[[:alpha:]]", "1-a", true},
		{"[\\]]", "]", true},
		{"[a", "[a", true},
		{"[a", "a", false},
		{"[[", "[[", true},
		{"\\*", "*", true},
		{"\\*", "a", false},
		{"*.[ch]", "text.c", true},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (bench_text_match(rows[i].pattern, rows[i].name) != rows[i].matches)
			fail_msg("'%s' and '%s'", rows[i].pattern, rows[i].name);
}

/* fnmatch(3) takes longer for it than anybody lives. */
static void a_pattern_of_many_stars_is_matched_at_once(void **state)
{
	(void)state;
	char pattern[101] = "", name[401] = "";
	for (size_t i = 0; i < 98; i += 2)
		memcpy(pattern + i, "*a", 2);
	pattern[98] = 'b';
	memset(name, 'a', sizeof(name) - 1);
	assert_false(bench_text_match(pattern, name));
}

static void a_literal_pattern_matches_its_name_alone(void **state)
{
	static const char *const names[] = {"a*d", "a?d", "a[b]d", "a\\bd", "abd", "[", "\\"};
	struct bench_arena arena = {0};
	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		for (size_t j = 0; j < sizeof(names) / sizeof(names[0]); j++)
			if (bench_text_match(bench_text_literal(&arena, names[i]), names[j]) != (i == j))
				fail_msg("'%s' and '%s'", names[i], names[j]);
	bench_arena_free(&arena);
}

/* Each repetition of a repetition doubles what glibc compiles: two hundred characters would take all memory.
 */
static void a_regular_expression_is_of_a_known_size(void **state)
{
	static const char *const taken[] = {
		"a+b*c?",    "[0-9]{4}-[0-9]{2}", "a{2000}",
		"(ab){600}", "[]+++[:digit:]]+",  "\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+",
		"((a+)+)+",  "x{,3}|(y|z)*",      ""};
	static const char *const refused[] = {"a++++++++++++++++++++++++++++++++++++++++++++++++++",
					      "a{2001}",
					      "a{1,99999999999999999999}",
					      "(.*){1000}{1000}",
					      "((((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)+)+",
					      "(a{0,50}){0,50}",
					      "[[.a.]+++]{3000}"};
	char why[200], deep[400];
	regex_t regex;
	(void)state;
	for (size_t i = 0; i < sizeof(taken) / sizeof(*taken); i++) {
		assert_int_equal(bench_regex_compile(&regex, taken[i], 0, why, sizeof(why)), 0);
		regfree(&regex);
	}
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		assert_int_equal(bench_regex_compile(&regex, refused[i], 0, why, sizeof(why)), -1);
		assert_non_null(strstr(why, "more than 2000 elements"));
	}
	memset(deep, '(', sizeof(deep));
	deep[sizeof(deep) - 1] = '\0';
	assert_int_equal(bench_regex_compile(&regex, deep, 0, why, sizeof(why)), -1);
	assert_non_null(strstr(why, "groups within 63 others"));
	assert_int_equal(bench_regex_compile(&regex, "(a", 0, why, sizeof(why)), -1);
	assert_non_null(strstr(why, "Unmatched"));
	assert_int_equal(bench_regex_compile(&regex, "^a(b+)$", 0, why, sizeof(why)), 0);
	assert_int_equal(regexec(&regex, "abbb", 0, NULL, 0), 0);
	assert_int_equal(regexec(&regex, "ab!", 0, NULL, 0), REG_NOMATCH);
	regfree(&regex);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantities_read_as_a_person_writes_them),
		cmocka_unit_test(differences_have_a_sign_and_no_needless_decimals),
		cmocka_unit_test(the_nearest_name_is_a_slip_away_or_none),
		cmocka_unit_test(lists_are_split_and_trimmed),
		cmocka_unit_test(durations_and_fractions_are_strict),
		cmocka_unit_test(a_bare_number_is_no_percentage_and_the_nearest_reading_is_said),
		cmocka_unit_test(slugs_are_stable_and_plain),
		cmocka_unit_test(words_are_quoted_for_a_shell),
		cmocka_unit_test(words_are_read_as_a_shell_reads_them),
		cmocka_unit_test(utf8_is_told_from_other_bytes),
		cmocka_unit_test(texts_from_outside_become_lines),
		cmocka_unit_test(a_pattern_matches_as_in_a_shell),
		cmocka_unit_test(a_literal_pattern_matches_its_name_alone),
		cmocka_unit_test(a_pattern_of_many_stars_is_matched_at_once),
		cmocka_unit_test(a_regular_expression_is_of_a_known_size),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
