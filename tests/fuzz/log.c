/* SPDX-License-Identifier: MIT */
/* EXPERIMENTS.md, which people edit. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "report/log/log.h"

static char id[] = "20261120-231503";
static const char entry
	[] = "<!-- run: 20261120-231503 -->\n## 2026-11-20 23:15:03 gemm on quiet\n\n- **Commit**: none\n\n"
	     "### Key Results\n\n**gemm**\n\n- n=1: 1 s\n\n### Result\n\n### Notes\n\nNone.\n",
   changed[] = "<!-- run: 20261120-231503 -->\n## 2026-11-20 23:15:03 New\n\n- **Commit**: none\n\n"
	       "### Result\n\n> It pays.\n> ## 2027-01-01\n\n### Notes\n\nNone.\n";

/* What a list shows drives no terminal. */
static void check_list(const char *path)
{
	struct bench_arena arena = {0};
	struct bench_log_item *items;
	struct bench_error error;
	size_t count;
	FUZZ_CHECK(bench_log_list(path, &arena, &items, &count, &error) == 0);
	for (size_t i = 0; i < count; i++)
		for (const char *at = items[i].title; *at; at++)
			FUZZ_CHECK(!iscntrl((unsigned char)*at));
	bench_arena_free(&arena);
}

/* Fields that are set are there, and an entry made anew twice is the same: none where a code block that
 * nobody closed has the entry. */
static void check_changes(const char *path, const struct bench_log_run *run)
{
	const struct bench_log_texts texts = {.title = "New",
					      .fields[BENCH_LOG_RESULT] = "It pays.\n## 2027-01-01"},
				     none = {0};
	struct bench_error error = {0};
	struct bench_text shown = {0};
	size_t length;
	if (bench_log_rewrite(path, run, 1, changed, &texts, &error) != 0) {
		FUZZ_CHECK(error.code == BENCH_NOTHING || error.code == BENCH_USAGE);
		return;
	}
	FUZZ_CHECK(bench_log_show(path, id, &shown, &error) == 0);
	FUZZ_CHECK(strstr(shown.data, "\n### Result\n\n> It pays.\n> ## 2027-01-01\n"));
	FUZZ_CHECK(strstr(shown.data, "## 2026-11-20 23:15:03 New\n"));
	bench_text_free(&shown);
	if (bench_log_rewrite(path, run, 1, entry, &none, &error) != 0) {
		FUZZ_CHECK(error.code == BENCH_USAGE);
		return;
	}
	char *text = fuzz_read(path, &length);
	FUZZ_CHECK(strstr(text, "> It pays.\n> ## 2027-01-01\n"));
	FUZZ_CHECK(bench_log_rewrite(path, run, 1, entry, &none, &error) == 0);
	char *again = fuzz_read(path, &length);
	if (strcmp(text, again) != 0)
		fuzz_fail("the entry made again is another one:\n%s\n%s", text, again);
	free(again);
	free(text);
}

void fuzz_log(const uint8_t *data, size_t size)
{
	const struct bench_run run = {.id = id};
	const struct bench_log_run part = {.run = &run};
	struct bench_error error = {0};
	size_t length, again_length;
	const char *path = fuzz_path("EXPERIMENTS.md");
	fuzz_write(path, data, size);
	if (bench_log_append(path, &part, 1, entry, &error) != 0) {
		FUZZ_CHECK(error.code == BENCH_USAGE || error.code == BENCH_ENVIRONMENT);
		return;
	}
	char *text = fuzz_read(path, &length);
	FUZZ_CHECK(strstr(text, entry));
	/* It has its entry now, and the index that it should have. */
	FUZZ_CHECK(bench_log_append(path, &part, 1, entry, &error) == -1 && error.code == BENCH_USAGE);
	FUZZ_CHECK(bench_log_index(path, &error) == 0);
	char *again = fuzz_read(path, &again_length);
	if (strcmp(text, again) != 0)
		fuzz_fail("the index made again is another one:\n%s\n%s", text, again);
	free(again);
	free(text);
	check_list(path);
	check_changes(path, &part);
}
