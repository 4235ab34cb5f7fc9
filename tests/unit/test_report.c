/* SPDX-License-Identifier: MIT */
/*
 * Reports. Expected texts lie in tests/golden/report/; after a change that is meant,
 * run this test with BENCH_GOLDEN=write in the environment: they are written anew, to be read before they are
 * kept.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/file.h"
#include "core/json.h"
#include "report/format/format.h"
#include "report/log/log.h"
#include "report/plot/plot.h"
#include "report/render/words.h"
#include "report_fixture.h"

static const struct bench_report_options plain = {.format = &bench_format_table, .width = 0};

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

static size_t count_of(const char *text, const char *part)
{
	size_t count = 0;
	for (; (text = strstr(text, part)); text += strlen(part))
		count++;
	return count;
}

/* The lines of `text` are no longer than `width`. */
static void assert_width(const char *text, size_t width)
{
	while (*text) {
		size_t length = strcspn(text, "\n");
		if (length > width)
			fail_msg("%zu columns, more than %zu: %.*s", length, width, (int)length, text);
		text += length + (text[length] == '\n');
	}
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

static void golden_run(const char *name, struct bench_report_options options, bool compared)
{
	struct bench_run *run = fixture_run();
	struct bench_comparison comparison = {0};
	struct bench_text out = {0};
	fixture_comparison(&comparison);
	options.format->run(run, compared ? &comparison : NULL, &options, &out);
	assert_golden(name, out.data);
	bench_text_free(&out);
	bench_arena_free(&comparison.arena);
	bench_record_free(run);
}

static void table_shows_a_run(void **state)
{
	(void)state;
	golden_run("run.txt", plain, false);
}

static void table_shows_verdicts_and_repeat_commands(void **state)
{
	(void)state;
	golden_run("run-compared-repeat.txt",
		   (struct bench_report_options){.format = &bench_format_table, .repeat = true}, true);
}

static void table_of_80_columns_drops_columns(void **state)
{
	(void)state;
	golden_run("run-80.txt", (struct bench_report_options){.format = &bench_format_table, .width = 80},
		   true);
}

static void csv_has_a_row_a_metric(void **state)
{
	(void)state;
	golden_run("run.csv", (struct bench_report_options){.format = &bench_format_csv}, true);
}

static void markdown_shows_a_run(void **state)
{
	(void)state;
	golden_run("run.md", (struct bench_report_options){.format = &bench_format_markdown}, true);
}

static void golden_comparison(const char *name, struct bench_report_options options)
{
	struct bench_comparison comparison = {0};
	struct bench_text out = {0};
	fixture_comparison(&comparison);
	options.format->comparison(&comparison, &options, &out);
	assert_golden(name, out.data);
	bench_text_free(&out);
	bench_arena_free(&comparison.arena);
}

static void comparison_shows_what_matters_first(void **state)
{
	(void)state;
	golden_comparison("comparison.txt", plain);
	golden_comparison("comparison-100.txt",
			  (struct bench_report_options){.format = &bench_format_table, .width = 100});
	golden_comparison("comparison.csv", (struct bench_report_options){.format = &bench_format_csv});
	golden_comparison("comparison.md", (struct bench_report_options){.format = &bench_format_markdown});
	golden_comparison("comparison.json", (struct bench_report_options){.format = &bench_format_json});
}

static void log_entry_has_every_field(void **state)
{
	(void)state;
	struct bench_run *run = fixture_run();
	struct bench_comparison comparison = {0};
	struct bench_text out = {0};
	fixture_comparison(&comparison);
	char first[] = "9d8f7e6a5b4c Wider tiles", second[] = "8c7d6e5f4a3b Tile *sizes* of <each> device";
	char most[] = "kernels/gemm.cl +10 -3", least[] = "tests/a_b.sh +1 -0";
	char *commits[] = {first, second}, *files[] = {most, least};
	const struct bench_commits changes = {.base = "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d",
					      .head = run->git.commit,
					      .commits = commits,
					      .commit_count = 2,
					      .commits_in_all = 14,
					      .left_behind = 1,
					      .files = files,
					      .file_count = 2,
					      .files_in_all = 3};
	const struct bench_log_run part = {.run = run, .comparison = &comparison, .changes = &changes};
	const struct bench_log_texts texts = {
		.fields = {[BENCH_LOG_RESULT] = "It *pays*.",
			   [BENCH_LOG_NOTES] =
				   "Tiles of 8x32 now.\n\nThe step at 1024 is the **new** kernel."}};
	bench_log_entry(&part, 1, &texts, &out);
	assert_golden("log.md", out.data);
	bench_text_free(&out);
	bench_arena_free(&comparison.arena);
	bench_record_free(run);
}

static void table_never_exceeds_its_width(void **state)
{
	(void)state;
	struct bench_run *run = fixture_run();
	struct bench_comparison comparison = {0};
	fixture_comparison(&comparison);
	for (unsigned width = 60; width <= 160; width += 20) {
		struct bench_text out = {0};
		bench_format_table.run(run, &comparison, &(struct bench_report_options){.width = width},
				       &out);
		/* The sentences below the blocks are not cut: they give the reasons whole. */
		*strstr(out.data, "\n\n15 cases") = '\0';
		assert_width(out.data, width);
		bench_text_free(&out);
	}
	bench_arena_free(&comparison.arena);
	bench_record_free(run);
}

static void colors_only_where_asked_for(void **state)
{
	(void)state;
	struct bench_run *run = fixture_run();
	struct bench_text with = {0}, without = {0};
	bench_format_table.run(run, NULL, &plain, &without);
	assert_null(strchr(without.data, '\033'));
	bench_format_table.run(run, NULL, &(struct bench_report_options){.color = true}, &with);
	assert_has(with.data, "\033[31mincorrect: error 0.031");
	assert_int_equal(count_of(with.data, "\033[") % 2, 0);
	bench_text_free(&with);
	bench_text_free(&without);
	bench_record_free(run);
}

static void no_number_for_a_case_that_is_not_ok(void **state)
{
	(void)state;
	struct bench_run *run = fixture_empty("20261120-000000");
	struct bench_result *result = fixture_result(run, "gemm", "opencl", POCL, "m=64",
						     BENCH_STATUS_INCORRECT, "error above tolerance");
	fixture_metric(run, result, "time", "s", "", 123.456e-6, 0.01);
	for (const struct bench_format *const *at = bench_formats; *at; at++) {
		const struct bench_format *format = *at;
		struct bench_text out = {0};
		if (!format->run || format->exact)
			continue; /* those write the record as it is, which has been finalized by then */
		format->run(run, NULL, &(struct bench_report_options){0}, &out);
		assert_has(out.data, "incorrect");
		assert_has_not(out.data, "123.4");
		bench_text_free(&out);
	}
	bench_record_free(run);
}

static void run_without_results_says_so(void **state)
{
	(void)state;
	struct bench_run *run = fixture_empty("20261120-000000");
	run->finished = 0;
	for (const struct bench_format *const *at = bench_formats; *at; at++) {
		const struct bench_format *format = *at;
		struct bench_text out = {0};
		if (!format->run)
			continue;
		format->run(run, NULL, &(struct bench_report_options){0}, &out);
		assert_non_null(out.data);
		if (!format->exact) {
			assert_has(out.data, "0 cases");
			assert_has(out.data, "cut short");
		}
		bench_text_free(&out);
	}
	struct bench_text entry = {0};
	bench_log_entry(&(const struct bench_log_run){.run = run}, 1, &(const struct bench_log_texts){0},
			&entry);
	assert_has(entry.data, "Nothing was measured");
	bench_text_free(&entry);
	bench_record_free(run);
}

static void nan_is_a_dash_or_an_empty_field(void **state)
{
	(void)state;
	struct bench_run *run = fixture_empty("20261120-000000");
	struct bench_result *result =
		fixture_result(run, "gemm", "opencl", POCL, "m=64", BENCH_STATUS_OK, "");
	fixture_metric(run, result, "time", "s", "", NAN, 0.01);
	fixture_metric(run, result, "flop_rate", "FLOP/s", "time", INFINITY, 0.01);
	for (const struct bench_format *const *at = bench_formats; *at; at++) {
		const struct bench_format *format = *at;
		struct bench_text out = {0};
		if (!format->run)
			continue;
		format->run(run, NULL, &(struct bench_report_options){0}, &out);
		assert_null(strcasestr(out.data, "nan,"));
		assert_null(strcasestr(out.data, "inf,"));
		assert_null(strcasestr(out.data, " nan"));
		bench_text_free(&out);
	}
	bench_record_free(run);
}

static void three_targets_are_set_against_the_best(void **state)
{
	(void)state;
	struct bench_run *run = fixture_empty("20261120-000000");
	const double times[] = {2e-3, 1e-3, 4e-3};
	const char *devices[] = {"one", "two", "three"};
	for (size_t i = 0; i < 3; i++) {
		struct bench_result *result =
			fixture_result(run, "gemm", "opencl", devices[i], "m=64", BENCH_STATUS_OK, "");
		fixture_metric(run, result, "time", "s", "", times[i], 0.01);
	}
	struct bench_text out = {0};
	bench_format_table.run(run, NULL, &plain, &out);
	assert_has(out.data, "vs best");
	assert_has(out.data, "0.50x");
	assert_has(out.data, "1.00x");
	assert_has(out.data, "0.25x");
	bench_text_free(&out);
	bench_record_free(run);
}

static void weak_intervals_and_small_ratios_are_not_rounded_away(void **state)
{
	(void)state;
	struct bench_run *run = fixture_empty("20261120-000000");
	fixture_gemm(run, 64, "opencl", 22.7e-6);
	fixture_gemm(run, 64, "openblas", 36.9e-9);
	run->results[0].metrics[0].summary.ci_level = 0.75;
	struct bench_text out = {0};
	bench_format_table.run(run, NULL, &plain, &out);
	assert_has(out.data, "  0.0016x  ");
	assert_has(out.data, "+/- is an interval of 75% confidence");
	bench_text_free(&out);
	run->results[1].metrics[0].summary.over_samples = true;
	bench_format_table.run(run, NULL, &plain, &out);
	assert_has(out.data, "+/- is within one invocation");
	assert_has_not(out.data, "75% confidence");
	bench_text_free(&out);
	bench_record_free(run);
}

static void hundreds_of_cases_share_their_reasons(void **state)
{
	(void)state;
	struct bench_run *run = fixture_empty("20261120-000000");
	for (int i = 0; i < 300; i++) {
		char params[32];
		snprintf(params, sizeof(params), "m=%d", i + 1);
		if (i % 2)
			fixture_gemm(run, i + 1, "openblas", 1e-6 * i);
		else
			fixture_result(run, "spmv", "opencl", POCL, params, BENCH_STATUS_UNSUPPORTED,
				       "no kernel for it");
	}
	struct bench_text out = {0};
	bench_format_table.run(run, NULL, &plain, &out);
	assert_has(out.data, "unsupported: 150 cases: no kernel for it");
	assert_has(out.data, "300 cases: 150 ok, 150 unsupported");
	bench_text_free(&out);
	bench_record_free(run);
}

static void long_and_hostile_names_stay_on_their_line(void **state)
{
	(void)state;
	struct bench_run *run = fixture_empty("20261120-000000");
	char name[400];
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	struct bench_result *result =
		fixture_result(run, "gemm", "opencl", name, "m=64", BENCH_STATUS_OK, "");
	fixture_metric(run, result, "time", "s", "", 1e-3, 0.01);
	fixture_result(run, "gemm", "openblas", "short", "m=64", BENCH_STATUS_FAILED,
		       "first\nsecond \033[2J|\xff `tick` <b>");
	run->git.branch = bench_arena_string(&run->arena, "a\033]0;title\007b");
	struct bench_text table = {0}, markdown = {0};
	bench_format_table.run(run, NULL, &(struct bench_report_options){.width = 80}, &table);
	assert_null(strpbrk(table.data, "\033\007\xff"));
	assert_has(table.data, "\nfailed: gemm/openblas:short/m=64: first second ?[2J|? `tick` <b>\n");
	*strstr(table.data, "\n\n2 cases") = '\0';
	assert_width(table.data, 80);
	bench_format_markdown.run(run, NULL, &(struct bench_report_options){0}, &markdown);
	assert_has(markdown.data, "failed: first second ?\\[2J\\|? \\`tick\\` &lt;b\\>");
	bench_text_free(&table);
	bench_text_free(&markdown);
	bench_record_free(run);
}

/* Reads CSV as RFC 4180 has it: the fields of one row, NUL-separated in place; NULL at the end. */
static char *csv_row(char *at, char *fields[], size_t capacity, size_t *count)
{
	*count = 0;
	while (*count < capacity) {
		char *out = at, *start = at;
		bool quoted = *at == '"';
		for (at += quoted; *at; at++) {
			if (quoted && at[0] == '"' && at[1] != '"')
				break;
			if (quoted && *at == '"')
				at++;
			if (!quoted && strchr(",\n", *at))
				break;
			*out++ = *at;
		}
		at += quoted;
		char end = *at;
		fields[(*count)++] = start;
		*out = '\0';
		at++;
		if (end != ',')
			break;
	}
	return at;
}

static void csv_fields_survive_commas_quotes_and_newlines(void **state)
{
	(void)state;
	const char *reason = "a, \"quoted\" thing\nand a second line\r\n";
	struct bench_run *run = fixture_empty("20261120-000000");
	fixture_result(run, "gemm", "opencl", POCL, "m=64,n=32", BENCH_STATUS_FAILED, reason);
	struct bench_text out = {0};
	bench_format_csv.run(run, NULL, &(struct bench_report_options){0}, &out);
	char *fields[64] = {0}, *head[64] = {0};
	size_t count, head_count;
	char *next = csv_row(out.data, head, 64, &head_count);
	next = csv_row(next, fields, 64, &count);
	assert_int_equal(*next, '\0');
	assert_int_equal(count, head_count);
	assert_string_equal(head[0], "key");
	assert_string_equal(fields[0], "gemm/opencl:" POCL "/m=64,n=32");
	size_t found = 0;
	for (size_t i = 0; i < count; i++) {
		if (strcmp(head[i], "reason") == 0)
			assert_string_equal(fields[i], reason);
		if (strcmp(head[i], "status") == 0)
			assert_string_equal(fields[i], "failed");
		found += strcmp(head[i], "reason") == 0 || strcmp(head[i], "status") == 0;
	}
	assert_int_equal(found, 2);
	bench_text_free(&out);
	bench_record_free(run);
}

static void json_of_a_run_reads_back(void **state)
{
	(void)state;
	struct bench_run *run = fixture_run(), *back = NULL;
	struct bench_text out = {0};
	struct bench_error error;
	bench_format_json.run(run, NULL, &(struct bench_report_options){0}, &out);
	if (bench_record_from_json(out.data, out.length, "report", &back, &error) != 0)
		fail_msg("%s", error.text);
	assert_int_equal(back->result_count, run->result_count);
	assert_string_equal(back->id, run->id);
	bench_record_free(back);
	bench_text_free(&out);
	bench_record_free(run);
}

static void json_of_a_comparison_parses(void **state)
{
	(void)state;
	struct bench_comparison comparison = {0};
	struct bench_text out = {0};
	struct bench_error error;
	fixture_comparison(&comparison);
	bench_format_json.comparison(&comparison, &(struct bench_report_options){0}, &out);
	cJSON *document = bench_json_parse(out.data, out.length, "report", &error);
	assert_non_null(document);
	assert_string_equal(bench_json_string_or(document, "schema", ""), "bench-comparison/1");
	const cJSON *verdicts = cJSON_GetObjectItem(document, "verdicts");
	assert_int_equal(cJSON_GetArraySize(verdicts), comparison.verdict_count);
	const cJSON *slower = cJSON_GetArrayItem(verdicts, 2);
	assert_true(bench_json_number_or(slower, "ratio", 0) == 1.312);
	assert_true(cJSON_IsNull(cJSON_GetObjectItem(cJSON_GetArrayItem(verdicts, 0), "ratio")));
	cJSON_Delete(document);
	bench_text_free(&out);
	bench_arena_free(&comparison.arena);
}

static void comparison_lists_at_most_twenty_new_metrics(void **state)
{
	(void)state;
	struct bench_comparison comparison = {.options = {.threshold = 0.05, .alpha = 0.01}};
	comparison.baseline_name = comparison.candidate_id = bench_arena_string(&comparison.arena, "x");
	for (int i = 0; i < 60; i++) {
		char key[64];
		snprintf(key, sizeof(key), "gemm/b:d/m=%02d/time", i);
		fixture_verdict(&comparison, BENCH_NEW, key, NAN, "the baseline has no such metric");
	}
	struct bench_text out = {0};
	bench_format_table.comparison(&comparison, &plain, &out);
	assert_int_equal(count_of(out.data, "gemm/"), 20);
	assert_int_equal(count_of(out.data, "the baseline has no such metric"), 1);
	assert_has(out.data, "... and 40 more new");
	bench_text_free(&out);
	bench_arena_free(&comparison.arena);
}

/* Of so many, in that many words, for so many reasons. */
static void add_unclear(struct bench_comparison *comparison, int count)
{
	for (int i = 0; i < count; i++) {
		char key[64], reason[96];
		snprintf(key, sizeof(key), "gemm/b:d/m=%02d/time", i);
		if (i % 10 == 9)
			snprintf(reason, sizeof(reason), "the machine was disturbed");
		else
			snprintf(reason, sizeof(reason), "the interval 0.%02d..1.1 reaches past %d%%", i, i);
		fixture_verdict(comparison, BENCH_UNCLEAR, key, 1 + i / 1000.0, reason);
	}
}

static void what_is_unclear_is_summed_up_unless_all_is_asked_for(void **state)
{
	(void)state;
	struct bench_comparison comparison = {.options = {.threshold = 0.05, .alpha = 0.01}};
	struct bench_report_options options = plain;
	comparison.baseline_name = comparison.candidate_id = bench_arena_string(&comparison.arena, "x");
	fixture_verdict(&comparison, BENCH_SLOWER, "gemm/b:d/n=1/time", 1.06, "");
	fixture_verdict(&comparison, BENCH_SLOWER, "gemm/b:d/n=2/time", 1.5, "");
	add_unclear(&comparison, 83);
	fixture_verdict(&comparison, BENCH_SAME, "gemm/b:d/n=3/time", 1.001, "");
	struct bench_text out = {0};
	options.format->comparison(&comparison, &options, &out);
	assert_has(out.data, "83 metrics are unclear (--all lists them); the largest estimate among them is "
			     "+8.2% (gemm/b:d/m=82/time)\n"
			     "  75 like this: the interval 0.00..1.1 reaches past 0%\n"
			     "  8 like this: the machine was disturbed\n");
	assert_int_equal(count_of(out.data, "  unclear  "), 0);
	assert_true(count_of(out.data, "\n") < 12);
	/* The largest change first. */
	assert_true(strstr(out.data, "n=2/time") < strstr(out.data, "n=1/time"));
	bench_text_free(&out);
	options.all = true;
	options.format->comparison(&comparison, &options, &out);
	assert_int_equal(count_of(out.data, "  unclear  "), 83);
	assert_int_equal(count_of(out.data, "  same     "), 1);
	assert_has_not(out.data, "--all");
	bench_text_free(&out);
	/* Where unclear fails, it is listed; and a few are, too. */
	options = plain;
	options.failing = BENCH_FAILING_UNCLEAR;
	options.format->comparison(&comparison, &options, &out);
	assert_int_equal(count_of(out.data, "  unclear  "), 20);
	assert_has(out.data, "... and 63 more unclear; --all lists them");
	assert_has_not(out.data, "are unclear");
	bench_text_free(&out);
	bench_arena_free(&comparison.arena);
}

static void a_change_that_the_medians_do_not_have_is_named_beside_them(void **state)
{
	(void)state;
	struct bench_comparison comparison = {.options = {.threshold = 0.05, .alpha = 0.01}};
	struct bench_arena arena = {0};
	comparison.baseline_name = comparison.candidate_id = bench_arena_string(&comparison.arena, "x");
	struct bench_verdict *verdict =
		fixture_verdict(&comparison, BENCH_SLOWER, "gemm/b:d/n=1/time", 1.195, "");
	verdict->base_median = 34.84e-6;
	verdict->candidate_median = 29.65e-6;
	for (const struct bench_format *const *at = bench_formats; *at; at++) {
		struct bench_text out = {0};
		const struct bench_report_options options = {.format = *at};
		if ((*at)->exact || !(*at)->comparison)
			continue;
		(*at)->comparison(&comparison, &options, &out);
		if (strstr(out.data, "29.65 us"))
			assert_has(out.data, "-14.9%");
		bench_text_free(&out);
	}
	assert_string_equal(bench_render_words_told(&arena, verdict),
			    "+19.5% [+17.1, +23.1] (29.65 us, was 34.84 us: -14.9% by medians), p 0.0032");
	verdict->candidate_median = 1.195 * verdict->base_median;
	assert_string_equal(bench_render_words_verdict_medians(&arena, verdict), "41.63 us, was 34.84 us");
	assert_string_equal(bench_render_words_of_medians(&arena, 0, 1, 1.195), "");
	verdict->base_median = NAN;
	assert_string_equal(bench_render_words_told(&arena, verdict), "+19.5% [+17.1, +23.1], p 0.0032");
	/* No change has no sign. */
	assert_string_equal(bench_render_words_change(&arena, 0.99999), "+0.0%");
	bench_arena_free(&arena);
	bench_arena_free(&comparison.arena);
}

static void relative_times_and_own_metrics_have_columns(void **state)
{
	(void)state;
	struct bench_run *run = fixture_empty("20261120-231503");
	struct bench_text out = {0};
	const char *base =
		fixture_result(run, "guard", "opencl", POCL, "n=64,variant=raw", BENCH_STATUS_OK, "")->key;
	fixture_metric(run, &run->results[0], "time", "s", "", 1e-3, 0.01);
	struct bench_result *result =
		fixture_result(run, "guard", "opencl", POCL, "n=64,variant=guarded", BENCH_STATUS_OK, "");
	result->relative_to = bench_arena_string(&run->arena, base);
	fixture_metric(run, result, "time", "s", "", 1e-3, 0.01);
	struct bench_metric *relative =
		fixture_metric(run, result, "relative_time", "ratio", "", 1.004, 0.01);
	relative->better = BENCH_BETTER_LOWER;
	relative->summary.ci_lo = 0.999;
	relative->summary.ci_hi = 1.0091;
	/* A unit that rates have too does not make it the rate. */
	fixture_metric(run, result, "reading", "B/s", "", 2e9, 0);
	fixture_metric(run, result, "accuracy", "share", "", 0.9321, 0);
	fixture_metric(run, result, "peak", "B", "", 3 << 20, 0);
	fixture_metric(run, result, "steps", "count", "", 12, 0);
	bench_format_table.run(run, NULL, &plain, &out);
	assert_has(out.data, "vs variant=raw");
	assert_has(out.data, "+0.4% [-0.1, +0.9]");
	assert_has(out.data, "accuracy");
	assert_has(out.data, "93.21%");
	assert_has(out.data, "3.000 MiB");
	assert_has(out.data, "2.000 GB/s");
	assert_has_not(out.data, "GB/s  vs");
	bench_text_free(&out);
	bench_format_csv.run(run, NULL, &(struct bench_report_options){0}, &out);
	assert_has(out.data, "relative_time,ratio,lower,,1.004,0.999,1.0091,");
	assert_has(out.data, "accuracy,share,higher,,0.9321,");
	bench_text_free(&out);
	bench_log_entry(&(const struct bench_log_run){.run = run}, 1, &(const struct bench_log_texts){0},
			&out);
	assert_has(out.data, ", +0.4% [-0.1, +0.9] against variant=raw, reading 2.000 GB/s, "
			     "accuracy 93.21%, peak 3.000 MiB, steps 12\n");
	bench_text_free(&out);
	bench_record_free(run);
}

static void a_variant_without_its_base_is_named_below_the_table(void **state)
{
	(void)state;
	struct bench_run *run = fixture_empty("20261120-231503");
	struct bench_text out = {0};
	struct bench_result *result =
		fixture_result(run, "guard", "opencl", POCL, "variant=guarded", BENCH_STATUS_OK, "");
	fixture_metric(run, result, "time", "s", "", 1e-3, 0.01);
	bench_record_attribute_set(&run->arena, &result->notes, &result->note_count, "relative_time",
				   "none: variant=raw is not in this run");
	bench_format_table.run(run, NULL, &plain, &out);
	assert_has(out.data, "relative_time: 1 case: none: variant=raw is not in this run");
	bench_text_free(&out);
	bench_record_free(run);
}

static void unknown_format_is_named_with_the_nearest(void **state)
{
	(void)state;
	const struct bench_format *format;
	struct bench_error error;
	assert_int_equal(bench_format_parse("markdown", "show", BENCH_RENDERED_RUN, &format, &error), 0);
	assert_ptr_equal(format, &bench_format_markdown);
	assert_int_equal(bench_format_parse("jsn", "show", BENCH_RENDERED_RUN, &format, &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);
	assert_has(error.text, "'jsn'");
	assert_has(error.text, "did you mean 'json'");
}

static void format_that_cannot_render_is_named_with_those_that_can(void **state)
{
	(void)state;
	const struct bench_format *format;
	struct bench_error error;
	assert_int_equal(bench_format_parse("junit", "power", BENCH_RENDERED_POWER, &format, &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);
	assert_string_equal(
		error.text,
		"bench power cannot give junit, which is for verdicts ('bench compare' and 'bench "
		"gate' give it); it can give table, json, csv and markdown");
	assert_int_equal(bench_format_parse("junit", "gate", BENCH_RENDERED_COMPARISON, &format, &error), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_shows_a_run),
		cmocka_unit_test(table_shows_verdicts_and_repeat_commands),
		cmocka_unit_test(table_of_80_columns_drops_columns),
		cmocka_unit_test(csv_has_a_row_a_metric),
		cmocka_unit_test(markdown_shows_a_run),
		cmocka_unit_test(comparison_shows_what_matters_first),
		cmocka_unit_test(log_entry_has_every_field),
		cmocka_unit_test(table_never_exceeds_its_width),
		cmocka_unit_test(colors_only_where_asked_for),
		cmocka_unit_test(no_number_for_a_case_that_is_not_ok),
		cmocka_unit_test(run_without_results_says_so),
		cmocka_unit_test(nan_is_a_dash_or_an_empty_field),
		cmocka_unit_test(three_targets_are_set_against_the_best),
		cmocka_unit_test(weak_intervals_and_small_ratios_are_not_rounded_away),
		cmocka_unit_test(hundreds_of_cases_share_their_reasons),
		cmocka_unit_test(long_and_hostile_names_stay_on_their_line),
		cmocka_unit_test(csv_fields_survive_commas_quotes_and_newlines),
		cmocka_unit_test(json_of_a_run_reads_back),
		cmocka_unit_test(json_of_a_comparison_parses),
		cmocka_unit_test(comparison_lists_at_most_twenty_new_metrics),
		cmocka_unit_test(what_is_unclear_is_summed_up_unless_all_is_asked_for),
		cmocka_unit_test(a_change_that_the_medians_do_not_have_is_named_beside_them),
		cmocka_unit_test(relative_times_and_own_metrics_have_columns),
		cmocka_unit_test(a_variant_without_its_base_is_named_below_the_table),
		cmocka_unit_test(unknown_format_is_named_with_the_nearest),
		cmocka_unit_test(format_that_cannot_render_is_named_with_those_that_can),
	};
	/* Dates are local time: the expected texts are in UTC. */
	setenv("TZ", "UTC", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
