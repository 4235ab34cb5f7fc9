/* SPDX-License-Identifier: MIT */
/* Power as it is shown: table, JSON, CSV, Markdown and the picture. */
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

#include "core/file.h"
#include "core/json.h"
#include "report/format/format.h"
#include "report/plot/plot.h"
#include "report_fixture.h"

static const double slowdowns[] = {0.05, 0.1};
static const struct bench_compare_options comparing = {.threshold = 0.05, .alpha = 0.01};

/* Four comparisons a level of `cases` cases; at 10% all are found, at 5% and of unchanged code none. */
static struct bench_power *counted(unsigned cases)
{
	struct bench_power *power = bench_compare_power_new(slowdowns, 2, &comparing);
	power->baseline_runs = 3;
	power->invocations = 6;
	power->run_seconds = 10;
	for (size_t level = 0; level < 3; level++) {
		for (int trial = 0; trial < 4; trial++) {
			struct bench_comparison comparison = {0};
			for (unsigned c = 0; c < cases; c++) {
				char key[64];
				snprintf(key, sizeof(key), "gemm/openblas:cpu/m=%u,n=64/time", c);
				struct bench_verdict *verdict = fixture_verdict(
					&comparison, level == 2 ? BENCH_SLOWER : BENCH_SAME, key, 1.1, "");
				verdict->p = level == 2 ? 1e-6 : 0.5;
				verdict->mde = 0.07;
				verdict->candidate_invocations = 6;
			}
			bench_compare_power_add(power, level, &comparison);
			bench_arena_free(&comparison.arena);
		}
	}
	return power;
}

static char *rendered(const struct bench_power *power, const struct bench_format *format)
{
	const struct bench_report_options options = {.format = format};
	struct bench_text out = {0};
	format->power(power, &options, &out);
	return out.data;
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in:\n%s", part, text);
}

static void the_table_counts_levels_and_cases(void **state)
{
	struct bench_power *power = counted(2);
	char *text = rendered(power, &bench_format_table);

	(void)state;
	assert_has(text,
		   "12 runs of 6 invocations and 10 s, each against 3 of unchanged code; threshold 5.0%");
	assert_has(text, "none        0 of 4, 0.0%   0.0%..60.2%         0 of 8, 0.0%   0.0%..36.9%");
	assert_has(text, "10%        4 of 4, 100%   39.8%..100%         8 of 8, 100%   63.1%..100%");
	assert_has(text, "gemm/openblas:cpu/m=1,n=64   0/4  0/4  4/4          10%          10%  7.0%");
	assert_has(text, "unchanged code: 0 of 8 metrics were called slower, 0.0% (95%: 0.0%..36.9%)");
	free(text);
	bench_compare_power_free(power);
}

static void runs_that_were_cut_short_are_said(void **state)
{
	struct bench_power *power = counted(1);
	power->invocations = 10;
	char *text = rendered(power, &bench_format_table);

	(void)state;
	assert_has(text, "12 runs of 6 to 10 invocations");
	free(text);
	bench_compare_power_free(power);
}

static void markdown_has_the_same_tables(void **state)
{
	struct bench_power *power = counted(1);
	power->levels[1].missing = 2;
	char *text = rendered(power, &bench_format_markdown);

	(void)state;
	assert_has(text, "# Power\n");
	assert_has(text, "| 4/4 |");
	assert_has(text, "- 2 times a case or metric was missing or broken");
	free(text);
	bench_compare_power_free(power);
}

static void csv_has_a_row_a_rate(void **state)
{
	struct bench_power *power = counted(1);
	char *text = rendered(power, &bench_format_csv);
	size_t lines = 0;

	(void)state;
	assert_has(text, "what,case,slowdown,hits,trials,rate,lo,hi\n");
	assert_has(text, "\nruns_slower,,0,0,4,0,0,0.60");
	assert_has(text, "\ncase_slower,\"gemm/openblas:cpu/m=0,n=64\",0.1,4,4,1,0.39");
	for (const char *at = text; (at = strchr(at, '\n')); at++)
		lines++;
	assert_int_equal(lines, 1 + 3 * 4 + 3);
	free(text);
	bench_compare_power_free(power);
}

static void json_has_every_count(void **state)
{
	struct bench_power *power = counted(2);
	char *text = rendered(power, &bench_format_json);
	struct bench_error error;

	(void)state;
	cJSON *document = bench_json_parse(text, strlen(text), "power", &error);
	if (!document)
		fail_msg("%s", error.text);
	assert_string_equal(bench_json_string_or(document, "schema", ""), "bench-power/1");
	const cJSON *level = cJSON_GetArrayItem(cJSON_GetObjectItem(document, "levels"), 2);
	const cJSON *count = cJSON_GetObjectItem(level, "cases_slower");
	assert_true(bench_json_number_or(level, "slowdown", NAN) == 0.1);
	assert_true(bench_json_number_or(count, "hits", NAN) == 8);
	assert_true(bench_json_number_or(count, "trials", NAN) == 8);
	const cJSON *one = cJSON_GetArrayItem(cJSON_GetObjectItem(document, "cases"), 1);
	assert_string_equal(bench_json_string_or(one, "case", ""), "gemm/openblas:cpu/m=1,n=64");
	assert_true(bench_json_number_or(one, "found_95", NAN) == 0.1);
	assert_true(bench_json_number_or(one, "mde", NAN) == 0.07);
	assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(one, "levels")), 3);
	cJSON_Delete(document);
	free(text);
	bench_compare_power_free(power);
}

static void nothing_that_was_counted_is_said_and_not_drawn(void **state)
{
	struct bench_power *power = bench_compare_power_new(slowdowns, 2, &comparing);
	struct bench_error error;
	char *text = rendered(power, &bench_format_table);

	(void)state;
	assert_has(text, "nothing was compared");
	assert_int_equal(bench_plot_power(power, &(struct bench_plot_place){.file = "never.svg"}, &error),
			 -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	free(text);
	text = rendered(power, &bench_format_json);
	assert_has(text, "\"rate\":\tnull");
	free(text);
	bench_compare_power_free(power);
}

/* Draws `cases` cases; the picture as text, to be freed. NULL: there is no gnuplot. */
static char *drawn(unsigned cases)
{
	char path[] = "/tmp/bench-power-XXXXXX.svg", *data = NULL;
	size_t length;
	struct bench_error error;
	if (system("gnuplot --version >/dev/null 2>&1") != 0)
		return NULL;
	int fd = mkstemps(path, 4);
	assert_true(fd >= 0);
	close(fd);
	struct bench_power *power = counted(cases);
	if (bench_plot_power(power, &(struct bench_plot_place){.file = path}, &error) != 0 ||
	    bench_file_read(path, 16 << 20, &data, &length, &error) != 0)
		fail_msg("%s", error.text);
	unlink(path);
	bench_compare_power_free(power);
	return data;
}

static void the_picture_has_a_line_a_case_while_they_can_be_told_apart(void **state)
{
	char *few = drawn(3), *many = drawn(12), *one = drawn(1);

	(void)state;
	if (!few || !many || !one) {
		print_message("skipped: gnuplot is not installed\n");
		skip();
		return;
	}
	assert_has(few, "all cases");
	assert_has(few, "m=2");
	assert_has(few, ">Power:  gemm  openblas:cpu  n=64<");
	assert_has(few, ">10%<");
	assert_has(many, "all cases");
	assert_null(strstr(many, "m=2"));
	assert_has(one, ">Power:  gemm  openblas:cpu  m=0  n=64<");
	free(few);
	free(many);
	free(one);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table_counts_levels_and_cases),
		cmocka_unit_test(runs_that_were_cut_short_are_said),
		cmocka_unit_test(markdown_has_the_same_tables),
		cmocka_unit_test(csv_has_a_row_a_rate),
		cmocka_unit_test(json_has_every_count),
		cmocka_unit_test(nothing_that_was_counted_is_said_and_not_drawn),
		cmocka_unit_test(the_picture_has_a_line_a_case_while_they_can_be_told_apart),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
