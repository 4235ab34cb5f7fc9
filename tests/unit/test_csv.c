/* SPDX-License-Identifier: MIT */
/* Tables of text: which rows and fields there are, and where they begin. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/csv.h"
#include "core/text.h"

static struct bench_error error;

static int read_table(const char *text, struct bench_arena *arena, struct bench_csv *table)
{
	return bench_csv_read(text, "x", 100, 10, arena, table, &error);
}

/* "1[a][b] 2[c][d]": the rows by their lines, with their fields. */
static void assert_rows(const char *text, const char *expected)
{
	struct bench_arena arena = {0};
	struct bench_text shown = {0};
	struct bench_csv table;
	if (read_table(text, &arena, &table) != 0)
		fail_msg("%s: %s", text, error.text);
	bench_text_add(&shown, "%s", "");
	for (size_t r = 0; r < table.row_count; r++) {
		bench_text_add(&shown, "%s%zu", r ? " " : "", table.rows[r].line);
		for (size_t c = 0; c < table.column_count; c++)
			bench_text_add(&shown, "[%s]", table.rows[r].fields[c]);
	}
	assert_string_equal(shown.data, expected);
	bench_text_free(&shown);
	bench_arena_free(&arena);
}

static void a_quoted_field_holds_line_ends_separators_and_quotes(void **state)
{
	(void)state;
	assert_rows("a,\"b\nc\"\n1,2\n", "1[a][b\nc] 3[1][2]");
	assert_rows("a,\"b\r\nc\rd\"\r\n1,2\r\n3,4", "1[a][b\r\nc\rd] 4[1][2] 5[3][4]");
	assert_rows("\"a,b\";\"c \"\"d\"\"\"\n1;2\n", "1[a,b][c \"d\"] 2[1][2]");
	assert_rows(" \" \"\"q\"\" \" , b\n1,2\n", "1[\"q\"][b] 2[1][2]");
	assert_rows("a,5\" disk\n1,2\n", "1[a][5\" disk] 2[1][2]");
	assert_rows("\"\",\"\"\n1,\"\"\n", "1[][] 2[1][]");
}

static void lines_end_with_any_of_the_three_ends(void **state)
{
	(void)state;
	assert_rows("a,b\r1,2\r3,4\r", "1[a][b] 2[1][2] 3[3][4]");
	assert_rows("a,b\r\n1,2\r\n\r\n3,4\r\n", "1[a][b] 2[1][2] 4[3][4]");
	assert_rows("a,b\n\n \t\n1,2", "1[a][b] 4[1][2]");
	assert_rows("a,b\r\r1,2\n", "1[a][b] 3[1][2]");
	assert_rows("", "");
	assert_rows("\n\r\n\r", "");
}

static void a_byte_order_mark_is_no_text(void **state)
{
	(void)state;
	assert_rows("\xef\xbb\xbf"
		    "a,b\n1,2\n",
		    "1[a][b] 2[1][2]");
	assert_rows("\xef\xbb\xbf\"a\",b\n1,2\n", "1[a][b] 2[1][2]");
	assert_rows("\xef\xbb\xbf# note\na\n", "2[a]");
	assert_rows("\xef\xbb\xbf", "");
}

static void a_line_that_begins_with_a_hash_is_a_comment_or_a_row(void **state)
{
	(void)state;
	assert_rows("# of a night, or two\na,b\n1,2\n", "2[a][b] 3[1][2]");
	assert_rows("build,ms\n#101,5\n#102,6\n", "1[build][ms] 2[#101][5] 3[#102][6]");
	assert_rows("a,b\n# end of week\n1,2\n#x,y,z\n#\n", "1[a][b] 3[1][2]");
	assert_rows("a,b\n#\"open,1\n1,2\n# \"x\" y,1\n3,4\n",
		    "1[a][b] 2[#\"open][1] 3[1][2] 4[# \"x\" y][1] 5[3][4]");
	assert_rows("a,b\n#1,\"open\n1,2\n", "1[a][b] 3[1][2]");
	assert_rows("a\n# note\n1\n", "1[a] 3[1]");
}

static void a_separator_may_end_lines(void **state)
{
	(void)state;
	assert_rows("a,b,\n1,2,\n3,4\n", "1[a][b][] 2[1][2][] 3[3][4][]");
	assert_rows("a,b\n1,2,\n3,4,,\n", "1[a][b] 2[1][2] 3[3][4]");
	assert_rows("a;b;\n1;;\n", "1[a][b][] 2[1][][]");
	assert_rows("a\tb\n1\t\n\t2\n", "1[a][b] 2[1][] 3[][2]");
}

static void the_separator_is_what_rows_have_in_common(void **state)
{
	(void)state;
	assert_rows("1,5;2,5\n3,5;4,5\n", "1[1,5][2,5] 2[3,5][4,5]");
	assert_rows("a,b;c\n1,2\n", "1[a][b;c] 2[1][2]");
	assert_rows("time, ms;x\n1,5;2\n", "1[time, ms][x] 2[1,5][2]");
	assert_rows("a;b,c\td\n1;2,3\t4\n", "1[a;b,c][d] 2[1;2,3][4]");
	assert_rows("a\n1\n", "1[a] 2[1]");
	assert_rows(" a \t b\t\n1 \t2\n", "1[a][b][] 2[1][2][]");
}

static void what_is_no_table_is_refused_with_its_line(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"a,b\n1,2\n3\n", "x: line 3 has 1 field, and line 1 has 2"},
		{"a,b\r\r1,2,3", "x: line 3 has 3 fields, and line 1 has 2"},
		{"\"a\nb\",c\n1\n", "x: line 3 has 1 field, and line 1 has 2"},
		{"a,b\n1,\"2\n3,4\n", "x: line 2: a quote is not closed"},
		{"a\n\"1\"x\n", "x: line 2: text behind a closed quote"},
		{"1,2,3,4,5,6,7,8,9,10,11\n", "x: line 1: more than 10 columns"},
		{"# ok\n\"", "x: line 2: a quote is not closed"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench_arena arena = {0};
		struct bench_csv table;
		assert_int_equal(read_table(cases[i].text, &arena, &table), -1);
		assert_string_equal(error.text, cases[i].message);
		assert_int_equal(error.code, BENCH_ENVIRONMENT);
		bench_arena_free(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_quoted_field_holds_line_ends_separators_and_quotes),
		cmocka_unit_test(lines_end_with_any_of_the_three_ends),
		cmocka_unit_test(a_byte_order_mark_is_no_text),
		cmocka_unit_test(a_line_that_begins_with_a_hash_is_a_comment_or_a_row),
		cmocka_unit_test(a_separator_may_end_lines),
		cmocka_unit_test(the_separator_is_what_rows_have_in_common),
		cmocka_unit_test(what_is_no_table_is_refused_with_its_line),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
