/* SPDX-License-Identifier: MIT */
/* Level shifts of the history beside a gate's verdicts, in each format that shows them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/json.h"
#include "report/format/format.h"
#include "report_fixture.h"

#define KEY "gemm/openblas:skylakex/dtype=f32,m=1024,n=1024,k=1024,trans=nn/time"

static const struct bench_change items[] = {
	{.key = KEY,
	 .unit = "s",
	 .better = BENCH_BETTER_LOWER,
	 .last_run = "20261110-020000",
	 .last_commit = "aaaaaaaaaaaaaaaa",
	 .first_run = "20261111-020000",
	 .first_commit = "bbbbbbbbbbbbbbbb",
	 .started = 1794362400,
	 .before = 4e-3,
	 .after = 5e-3,
	 .ratio = {1.25, 1.2, 1.3, 0.95},
	 .p = 0.001,
	 .together = 1,
	 .cause = BENCH_CHANGE_MACHINE,
	 .why = "kernel: 6.1 | <b>, now 6.2\n\x1b[31m"},
	{.key = KEY "2",
	 .unit = "s",
	 .better = BENCH_BETTER_LOWER,
	 .last_run = "20261110-020000",
	 .last_commit = "",
	 .first_run = "20261111-020000",
	 .first_commit = "",
	 .started = 1794362400,
	 .before = 5e-3,
	 .after = 4e-3,
	 .ratio = {0.8, 0.7, 0.9, 0.95},
	 .p = 0.001,
	 .why = ""},
};

static char *rendered(const struct bench_format *format, const struct bench_changes *changes)
{
	struct bench_comparison comparison = {0};
	struct bench_text out = {0};
	fixture_comparison(&comparison);
	format->comparison(&comparison, &(struct bench_report_options){.format = format, .changes = changes},
			   &out);
	bench_arena_free(&comparison.arena);
	return out.data;
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in:\n%s", part, text);
}

/* Every format is as it was where nothing is known, and where nothing shifted the words are left out. */
static void nothing_is_said_of_no_shift(void **state)
{
	static const struct bench_format *const formats[] = {&bench_format_table, &bench_format_markdown,
							     &bench_format_github};
	const struct bench_changes none = {.runs = 20};
	(void)state;
	for (size_t i = 0; i < 3; i++) {
		char *with = rendered(formats[i], &none), *without = rendered(formats[i], NULL);
		assert_string_equal(with, without);
		free(with);
		free(without);
	}
	char *json = rendered(&bench_format_json, &none), *other = rendered(&bench_format_json, NULL);
	assert_has(json, "\"level_shifts\"");
	assert_null(strstr(other, "\"level_shifts\""));
	free(json);
	free(other);
}

static void table_and_markdown_list_them(void **state)
{
	const struct bench_changes changes = {items, 2, 20};
	(void)state;
	char *table = rendered(&bench_format_table, &changes);
	assert_has(table, "Level shifts in the history, of the last 20 runs\n");
	assert_has(table, "aaaaaaaa..bbbbbbbb");
	assert_has(table, "+25.0%");
	assert_has(table, "machine  kernel: 6.1 | <b>, now 6.2 ?[31m");
	assert_has(table, "unknown");
	free(table);
	char *markdown = rendered(&bench_format_markdown, &changes);
	assert_has(markdown, "\n## Level shifts in the history, of the last 20 runs\n\n|");
	assert_has(markdown, "kernel: 6.1 \\| &lt;b\\>");
	free(markdown);
}

static void github_tells_the_first_five(void **state)
{
	struct bench_change many[7];
	const struct bench_changes changes = {many, 7, 20};
	(void)state;
	for (size_t i = 0; i < 7; i++)
		many[i] = items[i % 2];
	char *github = rendered(&bench_format_github, &changes);
	assert_has(github, "::notice title=level shift%3A gemm/openblas%3A");
	assert_has(github,
		   ": +25.0%25 [+20.0, +30.0] (5.000 ms, was 4.000 ms) from run 20261111-020000 on, commits "
		   "aaaaaaaa..bbbbbbbb, 1 more shifted with it; cause: machine (kernel: 6.1 | <b>, now 6.2 "
		   "?[31m)\n");
	assert_has(github, ": -20.0%25 [-30.0, -10.0] (4.000 ms, was 5.000 ms) from run 20261111-020000 on; "
			   "cause: unknown\n");
	assert_has(github, "2 more metrics' levels shifted");
	free(github);
}

static void json_has_all_of_them(void **state)
{
	const struct bench_changes changes = {items, 2, 20};
	struct bench_error error;
	(void)state;
	char *text = rendered(&bench_format_json, &changes);
	cJSON *json = bench_json_parse(text, strlen(text), "it", &error);
	const cJSON *shifts = cJSON_GetObjectItem(json, "level_shifts"), *list, *first;
	assert_int_equal(cJSON_GetObjectItem(shifts, "runs")->valueint, 20);
	list = cJSON_GetObjectItem(shifts, "changes");
	assert_int_equal(cJSON_GetArraySize(list), 2);
	first = cJSON_GetArrayItem(list, 0);
	assert_string_equal(cJSON_GetObjectItem(first, "key")->valuestring, KEY);
	assert_string_equal(cJSON_GetObjectItem(first, "last_commit")->valuestring, "aaaaaaaaaaaaaaaa");
	assert_string_equal(cJSON_GetObjectItem(first, "cause")->valuestring, "machine");
	assert_true(cJSON_GetObjectItem(first, "ratio")->valuedouble == 1.25);
	assert_true(cJSON_GetArrayItem(cJSON_GetObjectItem(first, "ci"), 1)->valuedouble == 1.3);
	cJSON_Delete(json);
	free(text);
}

static void a_change_that_the_medians_do_not_have_is_named_beside_them(void **state)
{
	(void)state;
	struct bench_change change = items[0];
	const struct bench_changes changes = {.items = &change, .count = 1, .runs = 20};
	change.after = 3.9e-3;
	char *table = rendered(&bench_format_table, &changes),
	     *notices = rendered(&bench_format_github, &changes);
	assert_has(table, "  by medians");
	assert_has(table, "-2.5%");
	assert_has(notices, "+25.0%25 [+20.0, +30.0] (3.900 ms, was 4.000 ms: -2.5%25 by medians) from run "
			    "20261111-020000");
	free(table);
	free(notices);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_change_that_the_medians_do_not_have_is_named_beside_them),
		cmocka_unit_test(nothing_is_said_of_no_shift),
		cmocka_unit_test(table_and_markdown_list_them),
		cmocka_unit_test(github_tells_the_first_five),
		cmocka_unit_test(json_has_all_of_them),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
