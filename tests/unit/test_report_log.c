/* SPDX-License-Identifier: MIT */
/* The experiment log: entries, and the file that they are put into. */
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

struct place {
	char folder[64], path[96];
};

static void make_place(struct place *place)
{
	snprintf(place->folder, sizeof(place->folder), "/tmp/bench-log-XXXXXX");
	assert_non_null(mkdtemp(place->folder));
	snprintf(place->path, sizeof(place->path), "%s/EXPERIMENTS.md", place->folder);
}

static void remove_place(const struct place *place)
{
	unlink(place->path);
	assert_int_equal(rmdir(place->folder), 0); /* no temporary file is left either */
}

static char *read_log(const struct place *place)
{
	char *text;
	size_t length;
	struct bench_error error;
	if (bench_file_read(place->path, 1 << 20, &text, &length, &error) != 0)
		fail_msg("%s", error.text);
	return text;
}

static void write_log(const struct place *place, const char *text)
{
	struct bench_error error;
	assert_int_equal(bench_file_write(place->path, text, strlen(text), &error), 0);
}

/* Appends a run of that id, started `days` after 2026-11-20. */
static int append(const struct place *place, const char *id, int days, const char *note,
		  struct bench_error *error)
{
	struct bench_run *run = fixture_empty(id);
	run->started += (int64_t)days * 86400;
	struct bench_text entry = {0};
	const struct bench_log_run part = {.run = run};
	const struct bench_log_texts texts = {.fields[BENCH_LOG_NOTES] = note};
	bench_log_entry(&part, 1, &texts, &entry);
	int result = bench_log_append(place->path, &part, 1, entry.data, error);
	bench_text_free(&entry);
	bench_record_free(run);
	return result;
}

/* Each of the texts comes after the one before it. */
static void assert_order(const char *text, const char *const *parts)
{
	const char *at = text;
	for (; *parts; parts++) {
		const char *found = strstr(at, *parts);
		if (!found)
			fail_msg("'%s' is not there, or not in its place:\n%s", *parts, text);
		at = found + strlen(*parts);
	}
}

/* Headings of level two outside of code blocks, which are fenced at the start of a line here. */
static size_t count_entries(const char *text)
{
	size_t count = 0;
	bool fenced = false;
	while (*text) {
		fenced ^= strncmp(text, "```", 3) == 0;
		count += !fenced && strncmp(text, "## ", 3) == 0;
		text = strchrnul(text, '\n');
		text += *text == '\n';
	}
	return count;
}

static void new_file_gets_a_heading_and_the_entry(void **state)
{
	(void)state;
	struct place place;
	struct bench_error error;
	make_place(&place);
	assert_int_equal(append(&place, "20261120-231503", 0, NULL, &error), 0);
	char *text = read_log(&place);
	assert_order(text, (const char *const[]){"# Experiments\n\n",
						 "\n\n<!-- run: 20261120-231503 -->\n## 2026-11-20",
						 "### Notes\n\nNone.\n", NULL});
	free(text);
	remove_place(&place);
}

static void newest_entry_stands_first_whatever_the_order_of_appending(void **state)
{
	(void)state;
	struct place place;
	struct bench_error error;
	make_place(&place);
	assert_int_equal(append(&place, "20261122-231503", 2, NULL, &error), 0);
	assert_int_equal(append(&place, "20261120-231503", 0, NULL, &error), 0);
	assert_int_equal(append(&place, "20261123-231503", 3, NULL, &error), 0);
	assert_int_equal(append(&place, "20261121-231503", 1, NULL, &error), 0);
	char *text = read_log(&place);
	assert_order(text, (const char *const[]){"# Experiments", "run: 20261123", "run: 20261122",
						 "run: 20261121", "run: 20261120", NULL});
	assert_int_equal(count_entries(text), 4);
	free(text);
	remove_place(&place);
}

static void text_above_the_first_entry_and_entries_by_hand_stay(void **state)
{
	(void)state;
	struct place place;
	struct bench_error error;
	const char *head = "# What we tried\n\nRead from the top.\n\n## How to read this\n\nWith care.\n\n";
	const char *hand =
		"## 2026-11-18 by hand\n\n- **Run dir**: `runs/20261118-101010`\n\n```\n## 2030-01-01\n```\n";
	char before[1024];
	make_place(&place);
	snprintf(before, sizeof(before), "%s%s", head, hand);
	write_log(&place, before);
	assert_int_equal(append(&place, "20261120-231503", 0, NULL, &error), 0);
	assert_int_equal(append(&place, "20261110-231503", -10, NULL, &error), 0);
	char *text = read_log(&place);
	assert_memory_equal(text, head, strlen(head));
	assert_order(text,
		     (const char *const[]){"With care.\n\n<!-- index", "\n\n<!-- run: 20261120-231503 -->\n",
					   hand, "\n<!-- run: 20261110-231503 -->\n", NULL});
	free(text);
	remove_place(&place);
}

static void run_with_an_entry_is_refused_and_the_file_untouched(void **state)
{
	(void)state;
	struct place place;
	struct bench_error error;
	make_place(&place);
	assert_int_equal(append(&place, "20261120-231503", 0, NULL, &error), 0);
	assert_int_equal(append(&place, "20261120-231503-2", 0, NULL, &error), 0);
	char *before = read_log(&place);
	assert_int_equal(append(&place, "20261120-231503", 0, "again", &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);
	assert_non_null(strstr(error.text, "20261120-231503"));
	assert_non_null(strstr(error.text, place.path));
	char *after = read_log(&place);
	assert_string_equal(before, after);
	free(before);
	free(after);
	/* An entry without a marker is known by its Run dir. */
	write_log(&place, "## 2026-11-20\n\n**Run dir**: `./runs/20261120-231503/`\n");
	assert_int_equal(append(&place, "20261120-231503", 0, NULL, &error), -1);
	assert_int_equal(append(&place, "231503", 0, NULL, &error), 0);
	remove_place(&place);
}

static void hostile_texts_do_not_break_the_structure(void **state)
{
	(void)state;
	struct place place;
	struct bench_error error;
	struct bench_run *run = fixture_run();
	struct bench_text entry = {0};
	run->command = bench_arena_string(&run->arena, "bench run --label 'a=```\n## 2031-01-01 b'");
	run->git.branch = bench_arena_string(&run->arena, "x`\n## 2031-01-01 branch");
	run->git.dirty_files[0] = bench_arena_string(&run->arena, "``a`\n<!-- run: z -->");
	run->host[0].value = bench_arena_string(&run->arena, "h\n## 2031-01-01 <script>*");
	run->results[6].reason = bench_arena_string(&run->arena, "r\n## 2031-01-01 | <img> `");
	const struct bench_log_run part = {.run = run};
	const struct bench_log_texts texts = {
		.fields[BENCH_LOG_NOTES] =
			"first\n## 2031-01-01 note\r\n<!-- run: 20261121-231503 -->\n```\n\033[2J <!-- open"};
	bench_log_entry(&part, 1, &texts, &entry);
	make_place(&place);
	assert_int_equal(bench_log_append(place.path, &part, 1, entry.data, &error), 0);
	assert_int_equal(append(&place, "20261121-231503", 1, NULL, &error), 0);
	assert_int_equal(append(&place, "20261119-231503", -1, NULL, &error), 0);
	char *text = read_log(&place);
	assert_order(text,
		     (const char *const[]){
			     "<!-- run: 20261121-231503 -->\n## 2026-11-21",
			     "<!-- run: 20261120-231503 -->\n## 2026-11-20 23:15:03 gemm, transfer on h "
			     "\\#\\# 2031-01-01 &lt;script\\>\\* (pocl-skylake-avx512, skylakex)\n",
			     "- **Branch**: `` x` ## 2031-01-01 branch ``\n", "\n````sh\n", "\n````\n",
			     "> ## 2031-01-01 note\n> &lt;!-- run: 20261121-231503 -->\n> ```\n",
			     "<!-- run: 20261119-231503 -->\n## 2026-11-19", NULL});
	assert_null(strchr(text, '\033'));
	assert_null(strstr(text, "<img>"));
	free(text);
	bench_text_free(&entry);
	bench_record_free(run);
	remove_place(&place);
}

static void unwritable_folder_and_binary_file_are_named(void **state)
{
	(void)state;
	struct place place;
	struct bench_error error;
	make_place(&place);
	struct place missing = place;
	snprintf(missing.path, sizeof(missing.path), "%s/no/E.md", place.folder);
	assert_int_equal(append(&missing, "20261120-231503", 0, NULL, &error), -1);
	assert_int_equal(error.code, BENCH_ENVIRONMENT);
	assert_non_null(strstr(error.text, missing.path));
	assert_int_equal(bench_file_write(place.path, "a\0b", 3, &error), 0);
	assert_int_equal(append(&place, "20261120-231503", 0, NULL, &error), -1);
	assert_int_equal(error.code, BENCH_ENVIRONMENT);
	remove_place(&place);
}

/* The text of a log without its index. */
static char *without_index(const char *text)
{
	struct bench_text rest = {0};
	const char *start = strstr(text, "<!-- index"), *end = strstr(text, "<!-- end of the index -->\n\n");
	assert_true(start && end && start < end);
	bench_text_add_bytes(&rest, text, (size_t)(start - text));
	bench_text_add(&rest, "%s", end + strlen("<!-- end of the index -->\n\n"));
	return rest.data;
}

static void index_has_a_line_an_entry_linked_to_its_heading(void **state)
{
	(void)state;
	struct place place;
	struct bench_error error;
	make_place(&place);
	write_log(&place, "# Log\n\n## 2026-11-18 [by hand](https://x.y/z), a\\_b &lt;c\n\n## 2026-11-18\n\n"
			  "```\n## 2026-11-17\n```\n\n## No date\n\n## 2026-11-18\n");
	assert_int_equal(append(&place, "20261120-231503", 0, NULL, &error), 0);
	char *text = read_log(&place);
	assert_order(text, (const char *const[]){
				   "# Log\n\n<!-- index: written by bench log -->\n"
				   "- 2026-11\n"
				   "  - [2026-11-20 23:15:03 on buildbox](#2026-11-20-231503-on-buildbox)\n"
				   "  - [2026-11-18 by hand, a\\_b &lt;c](#2026-11-18-by-hand-a_b-c)\n"
				   "  - [2026-11-18](#2026-11-18)\n"
				   "  - [2026-11-18](#2026-11-18-1)\n"
				   "<!-- end of the index -->\n\n<!-- run: 20261120-231503 -->\n",
				   NULL});
	free(text);
	remove_place(&place);
}

static void index_made_again_is_the_same_and_its_place_and_text_by_hand_stay(void **state)
{
	(void)state;
	struct place place;
	struct bench_error error;
	const char *head = "# Log\n\n<!-- index: written by bench log -->\nRead the first one.\n\n"
			   "- [2026-01-01 gone](#2026-01-01-gone)\n- 2026-01\n"
			   "  - [2026-01-01 gone](#2026-01-01-gone)\n- By suite\n"
			   "  - gemm\\_chain: [2026-01-01](#2026-01-01-gone)\n",
		   *tail = "<!-- end of the index -->\nBelow it.\n\n## 2026-11-18\nText, no line end";
	struct bench_text before = {0};
	bench_text_add(&before, "%s%s", head, tail);
	make_place(&place);
	write_log(&place, before.data);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(bench_log_index(place.path, &error), 0);
		char *text = read_log(&place);
		assert_string_equal(text,
				    "# Log\n\n<!-- index: written by bench log -->\nRead the first one.\n\n"
				    "- 2026-11\n  - [2026-11-18](#2026-11-18)\n<!-- end of the index -->\n"
				    "Below it.\n\n"
				    "## 2026-11-18\nText, no line end");
		free(text);
	}
	bench_text_free(&before);
	remove_place(&place);
}

/* Markers that would swallow an entry, and those in a code block, are no index. */
static void index_never_covers_an_entry(void **state)
{
	(void)state;
	struct place place;
	struct bench_error error;
	const char *before = "<!-- index: written by bench log -->\n\n```\n<!-- end of the index -->\n```\n\n"
			     "<!-- run: 1 -->\n## 2026-11-18\n\nText.\n\n<!-- end of the index -->\n";
	make_place(&place);
	write_log(&place, before);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(bench_log_index(place.path, &error), 0);
		char *text = read_log(&place);
		assert_order(text, (const char *const[]){"<!-- index", "```\n\n<!-- index", "- [2026-11-18]",
							 "<!-- end of the index -->\n\n<!-- run: 1 -->\n"
							 "## 2026-11-18\n\nText.\n\n<!-- end of",
							 NULL});
		assert_int_equal(strlen(text),
				 strlen(before) + strlen("<!-- index: written by bench log -->\n"
							 "- 2026-11\n  - [2026-11-18](#2026-11-18)\n"
							 "<!-- end of the index -->\n\n"));
		free(text);
	}
	remove_place(&place);
}

static void log_of_the_project_loses_nothing(void **state)
{
	(void)state;
	struct place place;
	struct bench_error error;
	char *before, *text, *after;
	size_t length;
	make_place(&place);
	assert_int_equal(
		bench_file_read(BENCH_SOURCE_DIR "/EXPERIMENTS.md", 1 << 24, &before, &length, &error), 0);
	write_log(&place, before);
	assert_int_equal(bench_log_index(place.path, &error), 0);
	text = read_log(&place);
	assert_string_equal(text, before); /* the file has its index, and it is up to date */
	free(text);
	free(before);

	before = without_index(text = read_log(&place));
	write_log(&place, before);
	free(text);
	assert_int_equal(append(&place, "20261121-231503", 1, NULL, &error), 0);
	after = without_index(text = read_log(&place));
	char *start = strstr(after, "<!-- run: 20261121-231503 -->\n");
	char *end = strstr(start, "### Notes\n\nNone.\n\n") + strlen("### Notes\n\nNone.\n\n");
	memmove(start, end, strlen(end) + 1);
	assert_string_equal(after, before);
	free(before);
	free(text);
	free(after);
	remove_place(&place);
}

static void log_that_is_not_there_has_no_index(void **state)
{
	(void)state;
	struct bench_error error;
	assert_int_equal(bench_log_index("/nonexistent/EXPERIMENTS.md", &error), -1);
	assert_int_equal(error.code, BENCH_NOTHING);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(new_file_gets_a_heading_and_the_entry),
		cmocka_unit_test(newest_entry_stands_first_whatever_the_order_of_appending),
		cmocka_unit_test(text_above_the_first_entry_and_entries_by_hand_stay),
		cmocka_unit_test(run_with_an_entry_is_refused_and_the_file_untouched),
		cmocka_unit_test(index_has_a_line_an_entry_linked_to_its_heading),
		cmocka_unit_test(index_made_again_is_the_same_and_its_place_and_text_by_hand_stay),
		cmocka_unit_test(index_never_covers_an_entry),
		cmocka_unit_test(log_of_the_project_loses_nothing),
		cmocka_unit_test(log_that_is_not_there_has_no_index),
		cmocka_unit_test(hostile_texts_do_not_break_the_structure),
		cmocka_unit_test(unwritable_folder_and_binary_file_are_named),
	};
	setenv("TZ", "UTC", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
