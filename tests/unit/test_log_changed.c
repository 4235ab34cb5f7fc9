/* SPDX-License-Identifier: MIT */
/* Entries of the experiment log that people have filled in: made anew, shown and listed. */
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
#include "report/log/log.h"
#include "report_fixture.h"
#include "scratch.h"

#define ID "20261120-231503"

static char path[160];

static const struct bench_log_texts no_texts = {0};

static void use_scratch(void **state)
{
	snprintf(path, sizeof(path), "%s/EXPERIMENTS.md", (const char *)*state);
}

static char *read_log(void)
{
	char *text;
	size_t length;
	struct bench_error error;
	if (bench_file_read(path, 1 << 20, &text, &length, &error) != 0)
		fail_msg("%s", error.text);
	return text;
}

static void write_log(const char *text)
{
	struct bench_error error;
	assert_int_equal(bench_file_write(path, text, strlen(text), &error), 0);
}

static void assert_log_has(const char *part)
{
	char *text = read_log();
	if (!strstr(text, part))
		fail_msg("'%s' is not in:\n%s", part, text);
	free(text);
}

static void assert_log_has_not(const char *part)
{
	char *text = read_log();
	if (strstr(text, part))
		fail_msg("'%s' is in:\n%s", part, text);
	free(text);
}

static void assert_part(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in:\n%s", part, text);
}

/* The entry of the fixture, with a title: whose numbers are `slow` times what they are. */
static void make_entry(const struct bench_run *run, const struct bench_log_texts *texts,
		       struct bench_text *entry)
{
	const struct bench_log_run part = {.run = run};
	bench_log_entry(&part, 1, texts, entry);
}

static void append(const struct bench_log_texts *texts)
{
	struct bench_run *run = fixture_run();
	struct bench_text entry = {0};
	struct bench_error error;
	const struct bench_log_run part = {.run = run};
	make_entry(run, texts, &entry);
	if (bench_log_append(path, &part, 1, entry.data, &error) != 0)
		fail_msg("%s", error.text);
	bench_text_free(&entry);
	bench_record_free(run);
}

static int rewrite(const struct bench_log_texts *texts, struct bench_error *error)
{
	struct bench_run *run = fixture_run();
	struct bench_text entry = {0};
	const struct bench_log_run part = {.run = run};
	run->command = bench_arena_string(&run->arena, "bench run --again");
	make_entry(run, texts, &entry);
	int result = bench_log_rewrite(path, &part, 1, entry.data, texts, error);
	bench_text_free(&entry);
	bench_record_free(run);
	return result;
}

/* In the entry, `from` becomes `to`. */
static void edit_by_hand(const char *from, const char *to)
{
	char *text = read_log(), *at = strstr(text, from);
	struct bench_text edited = {0};
	assert_non_null(at);
	bench_text_add_bytes(&edited, text, (size_t)(at - text));
	bench_text_add(&edited, "%s%s", to, at + strlen(from));
	write_log(edited.data);
	bench_text_free(&edited);
	free(text);
}

static void an_entry_made_anew_keeps_what_people_wrote(void **state)
{
	use_scratch(state);
	struct bench_error error;
	write_log("# Mine\n\n## 2026-11-25 after it\n\nText.\n\n## 2026-11-01 before it\n\n### "
		  "Notes\n\nOld.\n");
	append(&(const struct bench_log_texts){.fields = {[BENCH_LOG_NEXT] = "Try 16."}});
	edit_by_hand("gemm, transfer on buildbox (pocl-skylake-avx512, skylakex)\n", "Wider tiles\n");
	edit_by_hand("### Result\n", "### Result\n\nThey *pay*:\n\n```\n## 2030-01-01 | x\n```\n");
	edit_by_hand("### Cause\n", "### Cause\n\n- the cache\n\n### Other tools\n\n| a | b |\n| - | - |\n");
	edit_by_hand("### Notes\n\nNone.\n", "### Notes\n\nBy hand.\n");
	assert_int_equal(rewrite(&no_texts, &error), 0);
	assert_log_has("bench run --again\n");
	assert_log_has_not("--preset quick");
	assert_log_has("## 2026-11-20 23:15:03 Wider tiles\n\n- **Timestamp**");
	assert_log_has("\n### Result\n\nThey *pay*:\n\n```\n## 2030-01-01 | x\n```\n\n### Cause\n\n- the "
		       "cache\n\n### Next\n");
	assert_log_has("\n### Next\n\n> Try 16.\n\n### Notes\n\nBy hand.\n\n### Other tools\n\n| a | b |\n| "
		       "- | - |\n\n## 2026-11-01");
	assert_log_has("# Mine\n\n<!-- index");
	assert_log_has("## 2026-11-25 after it\n\nText.\n\n<!-- run: " ID " -->\n");
	/* Once more it is the same. */
	char *once = read_log();
	assert_int_equal(rewrite(&no_texts, &error), 0);
	char *twice = read_log();
	assert_string_equal(once, twice);
	free(once);
	free(twice);
	/* What is said now counts. */
	const struct bench_log_texts texts = {.title = "Other *title*",
					      .fields = {[BENCH_LOG_CAUSE] = "Luck."}};
	assert_int_equal(rewrite(&texts, &error), 0);
	assert_log_has("## 2026-11-20 23:15:03 Other \\*title\\*\n");
	assert_log_has("### Cause\n\n> Luck.\n\n### Next");
	assert_log_has_not("the cache");
}

static void what_would_be_lost_is_refused_with_its_line(void **state)
{
	use_scratch(state);
	struct bench_error error;
	append(&no_texts);
	edit_by_hand("### Key Results\n", "### Key Results\n\nThese were taken at night.\n");
	char *before = read_log();
	size_t line = 1;
	for (const char *at = before; at < strstr(before, "These were"); at++)
		line += *at == '\n';
	assert_int_equal(rewrite(&no_texts, &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);
	char where[256];
	snprintf(where, sizeof(where), "%s, line %zu: --rewrite would lose 'These were taken at night.'",
		 path, line);
	assert_part(error.text, where);
	char *after = read_log();
	assert_string_equal(before, after);
	free(before);
	free(after);
	/* Tables, images and code among the facts, and in a section that is replaced. */
	static const struct {
		const char *line, *above, *part;
	} lost[] = {
		{"| 1 | 2 |", "### Comparison\n", "since it replaces Comparison; put the line under"},
		{"![x](y.svg)", "### Changes\n", "since it replaces Changes; put"},
		{"> quoted", "### Commands\n\n```sh\nbench run\n```\n", "since it replaces Commands; put"},
		{"    code", "- **Branch**: `main`\n", "since it replaces the facts; put"},
		{"- **Note**: cold", "- **Branch**: `main`\n", "since it replaces the facts; put"}};
	for (size_t i = 0; i < sizeof(lost) / sizeof(lost[0]); i++) {
		struct bench_text entry = {0};
		bench_text_add(&entry, "<!-- run: " ID " -->\n## 2026-11-20\n\n%s%s\n", lost[i].above,
			       lost[i].line);
		write_log(entry.data);
		bench_text_free(&entry);
		assert_int_equal(rewrite(&no_texts, &error), -1);
		assert_part(error.text, lost[i].part);
	}
}

static void only_a_run_with_an_entry_has_one_to_make_anew(void **state)
{
	use_scratch(state);
	struct bench_error error;
	assert_int_equal(rewrite(&no_texts, &error), -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	assert_part(error.text, "there is no log");
	write_log("# Mine\n\n## 2026-11-20 23:15:03 by hand\n");
	assert_int_equal(rewrite(&no_texts, &error), -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	assert_part(error.text, "has no entry for run " ID);
	/* In two places it is not known which is meant. */
	write_log("## 2026-11-20 a\n\n<!-- run: " ID
		  " -->\n\nx\n\n## 2026-11-21 b\n\n- **Run dir**: `runs/" ID "`\n");
	assert_int_equal(rewrite(&no_texts, &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);
	assert_part(error.text, "2 entries for these runs");
}

static void an_entry_of_an_earlier_version_can_be_made_anew(void **state)
{
	use_scratch(state);
	struct bench_error error;
	write_log(
		"<!-- run: " ID
		" -->\n## 2026-11-20 23:15:03 gemm on buildbox\n\n- **Timestamp**: 2026\n- **Commit**: `x`\n"
		"- **Branch**: `main`\n- **Worktree**: clean\n- **Run dir**: `runs/" ID
		"`\n\n### Commands\n\n```sh\nbench run\n"
		"```\n\n### Key Results\n\n**gemm** (dtype=f32)\n\n- n=1: 1 s\n- n=2: **failed**: y\n\n### "
		"Comparison\n\n"
		"2 metrics against baseline main: 1 slower\n\n- **slower +3%**: `x` (1 s against 2 s)\n\n### "
		"Notes\n\n> Kept.\n");
	assert_int_equal(rewrite(&no_texts, &error), 0);
	assert_log_has("### Next\n\n### Notes\n\n> Kept.\n");
	assert_log_has_not("slower +3%");
	assert_log_has_not("**Timestamp**: 2026\n");
}

static void fields_of_an_entry_can_be_set_and_set_again(void **state)
{
	use_scratch(state);
	struct bench_error error;
	const struct bench_log_texts first = {
		.fields = {[BENCH_LOG_HYPOTHESIS] = "Wide.", [BENCH_LOG_RESULT] = "a\n### b"}};
	const struct bench_log_texts second = {
		.fields = {[BENCH_LOG_RESULT] = "It pays.", [BENCH_LOG_NEXT] = ""}};
	write_log("# Log\n\n## Undated\n\n### Result\n\nOf nothing.\n\n## 2026-11-17 other\n");
	append(&no_texts);
	assert_int_equal(rewrite(&first, &error), 0);
	assert_log_has("### Hypothesis\n\n> Wide.\n\n### Result\n\n> a\n> ### b\n\n### Cause\n\n### Next\n\n"
		       "### Notes\n\nNone.\n\n## 2026-11-17 other\n");
	assert_int_equal(rewrite(&second, &error), 0);
	assert_log_has("### Hypothesis\n\n> Wide.\n\n### Result\n\n> It pays.\n\n### Cause\n\n### "
		       "Next\n\n### Notes");
	assert_log_has("# Log\n\n## Undated\n\n### Result\n\nOf nothing.\n\n");
	assert_int_equal(rewrite(&(const struct bench_log_texts){.title = "New | title"}, &error), 0);
	assert_log_has("\n## 2026-11-20 23:15:03 New \\| title\n");
	assert_log_has("  - [2026-11-20 23:15:03 New \\| title](#2026-11-20-231503-new--title)\n");
}

static void an_entry_is_found_by_run_folder_or_date(void **state)
{
	use_scratch(state);
	struct bench_error error;
	struct bench_text out = {0};
	append(&no_texts);
	char *text = read_log();
	struct bench_text two = {0};
	bench_text_add(&two, "%s\n## 2026-11-20 before\n\nx\n\n## 2026-10-01 T\n\ny\n", text);
	write_log(two.data);
	bench_text_free(&two);
	free(text);
	const char *const names[] = {ID, "runs/" ID "/", "2026-11-20 23", NULL};
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(bench_log_show(path, names[i], &out, &error), 0);
		assert_memory_equal(out.data, "<!-- run: " ID " -->\n## 2026", 30);
		assert_part(out.data, "### Notes\n\nNone.\n");
		assert_null(strstr(out.data, "before"));
		bench_text_free(&out);
	}
	assert_int_equal(bench_log_show(path, "2026-10", &out, &error), 0);
	assert_string_equal(out.data, "## 2026-10-01 T\n\ny\n");
	bench_text_free(&out);
	assert_int_equal(bench_log_show(path, "2026-11", &out, &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);
	assert_part(error.text, "any of 2 entries");
	const char *const unknown[] = {"2020", "", "/", "20261120", "before"};
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(bench_log_show(path, unknown[i], &out, &error), -1);
		assert_int_equal(error.code, BENCH_NOTHING);
	}
	write_log("# Empty\n");
	assert_int_equal(bench_log_show(path, NULL, &out, &error), -1);
	assert_part(error.text, "has no entries");
}

static void several_runs_share_an_entry_and_what_they_have_in_common(void **state)
{
	use_scratch(state);
	struct bench_error error;
	struct bench_run *first = fixture_run(), *second = fixture_run();
	struct bench_text entry = {0};
	second->id = bench_arena_string(&second->arena, "20261121-101010");
	second->folder = bench_arena_string(&second->arena, "runs/20261121-101010");
	second->started += 36000;
	second->git.dirty = false;
	second->interrupted = true;
	second->git.dirty_count = 0;
	const struct bench_commits changes = {
		.base = "1111111111111", .head = "2222222222222", .unknown = "no such <commit>"};
	const struct bench_log_run parts[] = {
		{.run = first, .changes = &changes, .why_not = "nothing *before* it"},
		{.run = second, .changes = &changes}};
	bench_log_entry(parts, 2, &no_texts, &entry);
	assert_part(entry.data,
		    "<!-- run: " ID
		    " -->\n<!-- run: 20261121-101010 -->\n## 2026-11-21 09:15:03 gemm, transfer on ");
	assert_part(entry.data,
		    "- **Commit**: `4af884b1c2d35e6f7081920a3b4c5d6e7f809182`\n- **Branch**: `main`\n");
	assert_part(entry.data, "- **Worktree**: dirty: `kernels/gemm.cl` (" ID
				")\n- **Worktree**: clean (20261121-101010)\n");
	assert_part(entry.data,
		    "- **Run dir**: `runs/" ID "`\n- **Run dir**: `runs/20261121-101010`\n- **Host**: ");
	assert_part(
		entry.data,
		"- **Interrupted**: the run was interrupted: 9 of 15 cases have numbers (20261121-101010)\n");
	assert_part(entry.data, "### Changes\n\nNot known: no such &lt;commit\\>\n\n### Key");
	assert_part(entry.data, "**gemm** (dtype=f32 trans=nn, run " ID ")");
	assert_part(entry.data, "**gemm** (dtype=f32 trans=nn, run 20261121-101010)");
	assert_part(entry.data,
		    "\nRun " ID ":\n\nNone: nothing \\*before\\* it\n\nRun 20261121-101010:\n\nNone.\n");
	assert_int_equal(bench_log_append(path, parts, 2, entry.data, &error), 0);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(bench_log_append(path, &parts[i], 1, entry.data, &error), -1);
		assert_part(error.text, parts[i].run->id);
	}
	assert_int_equal(bench_log_rewrite(path, parts, 2, entry.data, &no_texts, &error), 0);
	char *text = read_log();
	assert_part(text, entry.data);
	assert_part(text, "- By suite\n  - gemm: [2026-11-21](#2026-11-21-091503-gemm-transfer-on-buildbox-");
	free(text);
	bench_text_free(&entry);
	bench_record_free(first);
	bench_record_free(second);
}

static void a_list_has_date_title_suites_runs_and_what_came_of_it(void **state)
{
	use_scratch(state);
	struct bench_error error;
	struct bench_arena arena = {0};
	struct bench_log_item *items;
	size_t count;
	write_log("# Log\n\n## 2026-11-18: by [hand](https://x) a\\_b &lt;c\033[2J\n\n### Notes\n\n- it "
		  "went\n- well\n");
	append(&(const struct bench_log_texts){.title = "Wider",
					       .fields = {[BENCH_LOG_RESULT] = "It \\*pays\\*.\nSo."}});
	assert_int_equal(bench_log_list(path, &arena, &items, &count, &error), 0);
	assert_int_equal(count, 2);
	assert_string_equal(items[0].date, "2026-11-20 23:15:03");
	assert_string_equal(items[0].title, "Wider");
	assert_string_equal(items[0].suites, "gemm, transfer");
	assert_string_equal(items[0].runs, ID);
	assert_string_equal(items[0].result, "It *pays*.");
	assert_string_equal(items[1].date, "2026-11-18");
	assert_string_equal(items[1].title, "by [hand](https://x) a_b <c?[2J");
	assert_string_equal(items[1].suites, "");
	assert_string_equal(items[1].result, "- it went");
	bench_arena_free(&arena);
}

static void an_open_code_block_is_named_and_nothing_changed(void **state)
{
	use_scratch(state);
	struct bench_error error;
	write_log("# Log\n\n<!-- run: " ID
		  " -->\n## 2026-11-18 open\n\n### Result\n\n```\nx\n\n## 2026-11-01 swallowed\n");
	assert_int_equal(rewrite(&no_texts, &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);
	assert_part(error.text, ", line 8: a code block begins that nobody closes");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_scratch(an_entry_made_anew_keeps_what_people_wrote),
		in_scratch(what_would_be_lost_is_refused_with_its_line),
		in_scratch(only_a_run_with_an_entry_has_one_to_make_anew),
		in_scratch(an_entry_of_an_earlier_version_can_be_made_anew),
		in_scratch(fields_of_an_entry_can_be_set_and_set_again),
		in_scratch(an_entry_is_found_by_run_folder_or_date),
		in_scratch(several_runs_share_an_entry_and_what_they_have_in_common),
		in_scratch(a_list_has_date_title_suites_runs_and_what_came_of_it),
		in_scratch(an_open_code_block_is_named_and_nothing_changed),
	};
	setenv("TZ", "UTC", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
