/* SPDX-License-Identifier: MIT */
/*
 * Verdicts as CI reads them. Expected texts lie in tests/golden/report/; BENCH_GOLDEN=write writes them anew.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/file.h"
#include "report/format/format.h"
#include "report_fixture.h"

#define NASTY "a <b> & \"c\" 'd': 5%, e\r\nf\x1b[31m \xff \xef\xbf\xbe"

static const struct bench_report_gate facts = {
	.reference = "reference", .confirmation = "20261120-231603", .seconds = 243.4};

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in:\n%s", part, text);
}

static void assert_has_not(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("'%s' is in:\n%s", part, text);
}

static void assert_golden(const char *name, const char *text)
{
	char path[512], *expected;
	size_t length;
	struct bench_error error;
	snprintf(path, sizeof(path), "%s/tests/golden/report/%s", BENCH_SOURCE_DIR, name);
	const char *mode = getenv("BENCH_GOLDEN");
	if (mode && strcmp(mode, "write") == 0)
		assert_int_equal(bench_file_write(path, text, strlen(text), &error), 0);
	if (bench_file_read(path, 1 << 20, &expected, &length, &error) != 0)
		fail_msg("%s", error.text);
	if (strcmp(expected, text) != 0)
		fail_msg("%s differs; this is what came:\n%s", path, text);
	free(expected);
}

/* The caller frees it. */
static struct bench_text rendered(struct bench_report_options options, bool nasty)
{
	struct bench_comparison comparison = {0};
	struct bench_run *run = fixture_run();
	struct bench_text out = {0};
	fixture_comparison(&comparison);
	if (nasty)
		comparison.verdicts[0].reason = bench_arena_string(&comparison.arena, NASTY);
	options.candidate = run;
	options.format->comparison(&comparison, &options, &out);
	bench_record_free(run);
	bench_arena_free(&comparison.arena);
	return out;
}

static void golden(const char *name, struct bench_report_options options)
{
	struct bench_text out = rendered(options, true);
	assert_golden(name, out.data);
	bench_text_free(&out);
}

static void junit_has_a_testcase_a_metric(void **state)
{
	(void)state;
	golden("gate-junit.xml",
	       (struct bench_report_options){.format = &bench_format_junit, .gate = &facts});
}

static void github_has_a_command_a_failure(void **state)
{
	(void)state;
	golden("gate-github.txt",
	       (struct bench_report_options){.format = &bench_format_github, .gate = &facts});
}

static void comment_shows_what_is_not_the_same(void **state)
{
	(void)state;
	golden("gate-comment.md",
	       (struct bench_report_options){.format = &bench_format_comment, .gate = &facts});
}

/* GitHub refuses more than 65,536 characters, and then nobody sees any of it. */
static void comment_is_never_too_long(void **state)
{
	(void)state;
	for (int kind = 0; kind < 2; kind++) {
		struct bench_comparison comparison = {0};
		struct bench_text out = {0};
		fixture_comparison(&comparison);
		struct bench_verdict verdict = comparison.verdicts[0];
		verdict.kind = kind ? BENCH_SAME : BENCH_SLOWER;
		comparison.verdicts = NULL;
		comparison.verdict_count = 0;
		memset(comparison.counts, 0, sizeof(comparison.counts));
		for (int i = 0; i < 3000; i++) {
			*(struct bench_verdict *)bench_arena_push(&comparison.arena, &comparison.verdicts,
								  &comparison.verdict_count,
								  sizeof(verdict)) = verdict;
			comparison.counts[verdict.kind]++;
		}
		bench_format_comment.comparison(
			&comparison,
			&(struct bench_report_options){.format = &bench_format_comment, .gate = &facts},
			&out);
		assert_in_range(out.length, 20000, 62000);
		assert_has(out.data, "more are not shown here.");
		assert_has(out.data, "Run ");
		bench_text_free(&out);
		bench_arena_free(&comparison.arena);
	}
}

static void github_escapes_text_and_titles(void **state)
{
	(void)state;
	struct bench_text out = rendered((struct bench_report_options){.format = &bench_format_github}, true);
	assert_has(out.data, "::error title=broken%3A gemm/opencl%3A" POCL "/dtype=f32%2Cm=7%2Cn=7%2C");
	assert_has(out.data, "5%25, e f?[31m");
	assert_has_not(out.data, "\x1b");
	assert_has_not(out.data, "\r");
	bench_text_free(&out);
}

static void xml_has_no_character_that_is_none(void **state)
{
	(void)state;
	struct bench_text out = rendered((struct bench_report_options){.format = &bench_format_junit}, true);
	assert_has(out.data, "a &lt;b&gt; &amp; &quot;c&quot; 'd': 5%, e f?[31m ? ?");
	assert_has_not(out.data, "\x1b");
	assert_has_not(out.data, "\xff");
	assert_has_not(out.data, "\xef\xbf\xbe");
	bench_text_free(&out);
}

/* Under --strict an unclear verdict fails in junit, and is a warning in github. */
static void strict_counts_what_is_unclear(void **state)
{
	(void)state;
	for (unsigned strict = 0; strict <= BENCH_FAILING_UNCLEAR; strict++) {
		struct bench_text xml = rendered(
			(struct bench_report_options){.format = &bench_format_junit, .failing = strict},
			false);
		struct bench_text commands = rendered(
			(struct bench_report_options){.format = &bench_format_github, .failing = strict},
			false);
		if (strict) {
			assert_has(xml.data, "type=\"unclear\"");
			assert_has_not(xml.data, "<skipped");
			assert_has(commands.data, "::warning title=unclear%3A ");
		} else {
			assert_has_not(xml.data, "type=\"unclear\"");
			assert_has(xml.data, "<skipped message=");
			assert_has_not(commands.data, "::warning title=unclear");
		}
		bench_text_free(&xml);
		bench_text_free(&commands);
	}
}

/* The line, of a comparison with these counts. */
static void assert_line(const size_t counts[BENCH_VERDICT_KINDS], unsigned failing,
			const struct bench_report_gate *gate, const char *expected)
{
	char name[] = "rolling:5";
	struct bench_comparison comparison = {.baseline_name = name, .baseline_count = 5};
	struct bench_arena arena = {0};
	memcpy(comparison.counts, counts, sizeof(comparison.counts));
	for (int kind = 0; kind < BENCH_VERDICT_KINDS; kind++)
		for (size_t i = 0; i < counts[kind]; i++)
			((struct bench_verdict *)bench_arena_push(&arena, &comparison.verdicts,
								  &comparison.verdict_count,
								  sizeof(*comparison.verdicts)))
				->kind = (enum bench_verdict_kind)kind;
	assert_string_equal(bench_render_gate_line(&arena, &comparison, gate, failing), expected);
	bench_arena_free(&arena);
}

static void line_says_what_fails_first(void **state)
{
	(void)state;
	const size_t bad[BENCH_VERDICT_KINDS] = {
		[BENCH_SLOWER] = 2, [BENCH_MISSING] = 1, [BENCH_SAME] = 41, [BENCH_UNCLEAR] = 3};
	const size_t good[BENCH_VERDICT_KINDS] = {[BENCH_SAME] = 41, [BENCH_UNCLEAR] = 3};
	const struct bench_report_gate plain = {.seconds = 243.4};
	const struct bench_report_gate unclear = {.seconds = 243.4, .undecided.too_many = true};
	const struct bench_report_gate troubled = {.seconds = 1, .trouble = "reference: no metric in common"};
	assert_line(
		bad, 0, &plain,
		"gate: FAIL: 1 missing, 2 slower; 41 same, 3 unclear (baseline rolling:5, 5 runs; 243 s)");
	assert_line(
		good, 0, &facts,
		"gate: PASS: 41 same, 3 unclear (baseline rolling:5, 5 runs; reference reference; 243 s)");
	const size_t undecided[BENCH_VERDICT_KINDS] = {[BENCH_UNCLEAR] = 3};
	assert_line(undecided, 0, &unclear, "gate: UNCLEAR: 3 unclear (baseline rolling:5, 5 runs; 243 s)");
	const struct bench_report_gate young = {
		.seconds = 243.4, .undecided.too_many = true, .undecided.begins = true};
	assert_line(undecided, 0, &young, "gate: BEGUN: 3 unclear (baseline rolling:5, 5 runs; 243 s)");
	assert_line(good, BENCH_FAILING_UNCLEAR, &plain,
		    "gate: FAIL: 3 unclear; 41 same (baseline rolling:5, 5 runs; 243 s)");
	struct bench_verdict learned[] = {{.threshold = 0.05}, {.threshold = 0.57}, {.threshold = NAN}};
	struct bench_comparison varied = {.baseline_name = (char[]){"rolling:10"},
					  .baseline_count = 10,
					  .options.threshold = 0.05,
					  .verdicts = learned,
					  .verdict_count = 3,
					  .counts[BENCH_SAME] = 3};
	struct bench_arena arena = {0};
	assert_string_equal(
		bench_render_gate_line(&arena, &varied, &plain, 0),
		"gate: PASS: 3 same (baseline rolling:10, 10 runs; thresholds of 5.0% to 57.0%; 243 s)");
	bench_arena_free(&arena);
	const struct bench_report_gate in_turns = {.seconds = 243.4, .in_turns = true};
	assert_line(good, 0, &in_turns, "gate: PASS: 41 same, 3 unclear (interleaved with rolling:5; 243 s)");
	assert_line(good, 0, &troubled,
		    "gate: FAIL: reference: no metric in common; 41 same, 3 unclear (baseline rolling:5, 5 "
		    "runs; 1 s)");
}

/* CSV has verdicts, a row each, and nothing else. */
static void the_answer_and_the_next_commands_are_in_every_format(void **state)
{
	(void)state;
	for (const struct bench_format *const *at = bench_formats; *at; at++) {
		const struct bench_format *format = *at;
		struct bench_report_options options = {.format = format, .gate = &facts};
		if (!format->comparison)
			continue;
		struct bench_text out = rendered(options, false);
		if (options.format != &bench_format_csv) {
			assert_has(out.data, "BROKEN: 1 of 9, 1 missing, 1 slower, ");
			assert_has(out.data, "bench diff 20261119-231503 20261120-231503");
			assert_has(out.data, "bench baseline accept ");
			assert_has(out.data, "/time --why ");
		}
		bench_text_free(&out);
	}
}

static void a_refusal_is_told_to_ci_alone(void **state)
{
	(void)state;
	struct bench_text out = {0};
	bench_format_junit.refusal("gate", "threads: 2 < 4", &out);
	assert_has(out.data, "<failure message=\"threads: 2 &lt; 4\" type=\"refused\"/>");
	assert_has(out.data, "</testsuites>\n");
	bench_text_free(&out);
	bench_format_github.refusal("gate", "threads: 2 < 4", &out);
	assert_string_equal(out.data, "::error title=bench gate::threads: 2 < 4\n");
	bench_text_free(&out);
	for (const struct bench_format *const *at = bench_formats; *at; at++)
		assert_true(!(*at)->refusal || !(*at)->run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(junit_has_a_testcase_a_metric),
		cmocka_unit_test(github_has_a_command_a_failure),
		cmocka_unit_test(comment_shows_what_is_not_the_same),
		cmocka_unit_test(comment_is_never_too_long),
		cmocka_unit_test(github_escapes_text_and_titles),
		cmocka_unit_test(xml_has_no_character_that_is_none),
		cmocka_unit_test(strict_counts_what_is_unclear),
		cmocka_unit_test(line_says_what_fails_first),
		cmocka_unit_test(the_answer_and_the_next_commands_are_in_every_format),
		cmocka_unit_test(a_refusal_is_told_to_ci_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
