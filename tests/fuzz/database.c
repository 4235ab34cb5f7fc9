/* SPDX-License-Identifier: MIT */
/*
 * Databases. What begins with "SQLite format 3" is one, and what begins with a byte of 0 changes bytes of a
 * small history: four each, where (24 bits) and what is there then. All else is SQL, a statement a line, that
 * somebody runs on that history: values, tables, views, triggers. Then everything is read, and a run
 * ingested.
 */
#include <dirent.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/report.h"
#include "fuzz.h"
#include "store/store.h"

#define FINGERPRINT "5f1c0e7a" /* of the run in run.json's host */
#define TRACK       "preset=quick;"
#define KEY         "gemm/openblas:some-cpu/n=1/time"

static char *history;
static size_t history_size;

static const char *path(void)
{
	return fuzz_path("history/results.db");
}

/* With what is put beside it: the log, and copies from before a migration. */
static void remove_database(void)
{
	char file[4200];
	fuzz_make_folder(fuzz_path("history"));
	DIR *folder = opendir(fuzz_path("history"));
	FUZZ_CHECK(folder);
	for (const struct dirent *entry; (entry = readdir(folder));) {
		snprintf(file, sizeof(file), "%s/%.60s", fuzz_path("history"), entry->d_name);
		if (entry->d_name[0] != '.')
			FUZZ_CHECK(unlink(file) == 0);
	}
	closedir(folder);
}

static struct bench_run *run_of(const char *id, int64_t later)
{
	struct bench_run *run = fuzz_small_run();
	run->id = bench_arena_string(&run->arena, id);
	run->started += later;
	run->finished += later;
	return run;
}

static void must(int status, const struct bench_error *error)
{
	if (status != 0)
		fuzz_fail("%s", error->text);
}

static void ingest(struct bench_store *store, const char *id, int64_t later)
{
	struct bench_error error = {0};
	struct bench_run *run = run_of(id, later);
	bool added;
	must(bench_store_ingest(store, run, &added, &error), &error);
	FUZZ_CHECK(added);
	bench_record_free(run);
}

/* Two runs, and a row of each of the other tables. */
static void make_history(void)
{
	struct bench_store *store;
	struct bench_error error = {0};
	struct bench_arena arena = {0};
	char *ids[] = {bench_arena_string(&arena, "20261120-231503"),
		       bench_arena_string(&arena, "20261121-231503")};
	char *key = bench_arena_string(&arena, KEY), *unit = bench_arena_string(&arena, "s");
	char *print = bench_arena_string(&arena, FINGERPRINT), *track = bench_arena_string(&arena, TRACK);
	char *none = bench_arena_string(&arena, "");
	struct bench_accepted_row accepted = {.why = "a new compiler"};
	struct bench_alarm_metric metric = {
		.key = key, .unit = unit, .level = 1, .ratio = 1.1, .last_run = ids[1], .closed_run = none};
	struct bench_alarm alarm = {.fingerprint = print,
				    .track = track,
				    .first_bad = ids[1],
				    .last_good = ids[0],
				    .bad_commit = none,
				    .good_commit = none,
				    .culprit = none,
				    .metrics = &metric,
				    .metric_count = 1};
	struct bench_anchor_level level = {key, 0.1, 0.01, 0.1};
	const struct bench_anchor_row anchor = {.fingerprint = print,
						.track = track,
						.run = ids[0],
						.content = "0123456789abcdef",
						.commit = "",
						.why = "the first night",
						.levels = &level,
						.level_count = 1};
	const struct bench_tuning_row tuning = {.fingerprint = print,
						.backend = "opencl",
						.device = "pocl-some-cpu",
						.driver = "3.1",
						.name = "gemm.slice",
						.value = 4,
						.base = 2,
						.step = 0.9,
						.chosen = true,
						.run = ids[0]};
	const struct bench_verdict_row verdict = {.key = key, .verdict = "same", .ratio = 1};
	metric.why = none;
	remove_database();
	must(bench_store_open(path(), BENCH_STORE_WRITE, &store, &error), &error);
	ingest(store, ids[0], 0);
	ingest(store, ids[1], 86400);
	must(bench_store_baseline_set(store, "main", ids, 2, &error), &error);
	must(bench_store_accept_from(store, KEY, NULL, NULL, &arena, &accepted, &error), &error);
	accepted.pattern = KEY;
	must(bench_store_accept(store, &accepted, &error), &error);
	must(bench_store_alarm_keep(store, &alarm, &error), &error);
	must(bench_store_anchor_put(store, &anchor, &error), &error);
	must(bench_store_tuning_put(store, &tuning, 1, &error), &error);
	must(bench_store_keep_verdicts(store, ids[1], "main", &verdict, 1, &error), &error);
	bench_store_close(store);
	bench_arena_free(&arena);
	history = fuzz_read(path(), &history_size);
}

/* Somebody's SQL may do to the file what it likes, but to this file alone. */
static int authorize(void *unused, int action, const char *first, const char *second, const char *third,
		     const char *fourth)
{
	static const char *const pragmas[] = {"user_version", "application_id", "writable_schema",
					      "foreign_keys", "ignore_check_constraints"};
	(void)unused;
	(void)second;
	(void)third;
	(void)fourth;
	if (action == SQLITE_ATTACH || action == SQLITE_DETACH)
		return SQLITE_DENY;
	for (size_t i = 0; action == SQLITE_PRAGMA && i < sizeof(pragmas) / sizeof(pragmas[0]); i++)
		if (sqlite3_stricmp(first, pragmas[i]) == 0)
			return SQLITE_OK;
	return action == SQLITE_PRAGMA ? SQLITE_DENY : SQLITE_OK;
}

static int stop(void *unused)
{
	(void)unused;
	return 1;
}

static void run_sql(const uint8_t *data, size_t size)
{
	char *text = fuzz_string(data, size), *rest = text, *line;
	sqlite3 *db;
	FUZZ_CHECK(sqlite3_open(path(), &db) == SQLITE_OK);
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1 << 20);
	sqlite3_set_authorizer(db, authorize, NULL);
	for (unsigned lines = 0; lines < 32 && (line = strsep(&rest, "\n")); lines++) {
		sqlite3_progress_handler(db, 20000, stop, NULL);
		sqlite3_exec(db, line, NULL, NULL, NULL);
	}
	sqlite3_close(db);
	free(text);
}

static void make_database(const uint8_t *data, size_t size)
{
	static const char begin[] = "SQLite format 3";
	remove_database();
	if (size >= sizeof(begin) && memcmp(data, begin, sizeof(begin)) == 0) {
		fuzz_write(path(), data, size);
		return;
	}
	char *copy = malloc(history_size);
	FUZZ_CHECK(copy);
	memcpy(copy, history, history_size);
	bool patch = size > 0 && data[0] == 0;
	for (const uint8_t *at = data + 1; patch && at + 4 <= data + size; at += 4)
		copy[(size_t)(at[0] | at[1] << 8 | at[2] << 16) % history_size] = (char)at[3];
	fuzz_write(path(), copy, history_size);
	free(copy);
	if (!patch)
		run_sql(data, size);
}

static void read_tables(struct bench_store *store, struct bench_arena *arena)
{
	static const struct bench_tuning_query tuned = {.fingerprint = FINGERPRINT, .name = "gemm*"};
	struct bench_error error;
	struct bench_point *points;
	struct bench_baseline_row *baselines;
	struct bench_accepted_row *accepted;
	struct bench_tuning_row *tunings;
	struct bench_alarm *alarms;
	struct bench_kept_comparison *comparisons;
	struct bench_anchor_row *anchors, anchor;
	struct bench_older_run *older;
	struct bench_run_commit *commits;
	char **keys, id[64];
	size_t count;
	bench_store_check(store, &error);
	bench_store_last(store, 0, id, sizeof(id), &error);
	bench_store_last_of(store, "gemm", "openblas", "some-cpu", FINGERPRINT, id, sizeof(id), &error);
	bench_store_history(store, "gemm*/time", arena, &points, &count, &error);
	bench_store_metrics(store, "*", arena, &keys, &count, &error);
	bench_store_baselines(store, arena, &baselines, &count, &error);
	bench_store_accepted(store, NULL, arena, &accepted, &count, &error);
	bench_store_tuned(store, &tuned, arena, &tunings, &count, &error);
	bench_store_alarms(store, NULL, NULL, false, arena, &alarms, &count, &error);
	bench_store_comparisons(store, arena, &comparisons, &count, &error);
	bench_store_anchors(store, NULL, NULL, arena, &anchors, &count, &error);
	bench_store_anchor_of(store, "20261120-231503", INT64_MAX, arena, &anchor, &error);
	bench_store_runs_before(store, FINGERPRINT, "quick", "20261121-231503", INT64_MAX, arena, &older,
				&count, &error);
	bench_store_commits(store, arena, &commits, &count, &error);
}

/* What a baseline is made of, and what `bench db check` and `repair` look at. */
static void read_runs(struct bench_store *store, struct bench_arena *arena)
{
	struct bench_error error;
	struct bench_store_finding *findings;
	struct bench_run *runs[2];
	char **ids;
	size_t count, finding_count;
	bool intact;
	bench_store_examine(store, arena, &findings, &finding_count, &error);
	if (bench_store_known(store, arena, &ids, &count, &error) != 0)
		return;
	for (size_t i = 0; i < count && i < 4; i++)
		bench_store_intact(store, ids[i], &intact, &error);
	count = count < 2 ? count : 2;
	if (bench_store_load_medians(store, ids, count, arena, runs, &error) != 0)
		return;
	for (size_t i = 0; i < count; i++)
		bench_record_free(runs[i]);
}

/* A run that the history gives is one that a file may have. */
static void read_all(struct bench_store *store)
{
	struct bench_arena arena = {0};
	struct bench_error error;
	struct bench_run_row *rows;
	struct bench_run *run;
	size_t count = 0;
	if (bench_store_runs(store, 8, &arena, &rows, &count, &error) != 0)
		count = 0;
	for (size_t i = 0; i < count; i++) {
		if (bench_store_load(store, rows[i].id, &run, &error) != 0)
			continue;
		fuzz_check_run(run);
		bench_record_free(run);
	}
	read_tables(store, &arena);
	bench_arena_free(&arena);
}

static bool is_whole(struct bench_store *store)
{
	struct bench_arena arena = {0};
	struct bench_store_finding *findings;
	struct bench_error error;
	size_t count;
	bool whole = bench_store_examine(store, &arena, &findings, &count, &error) == 0 && count == 0;
	bench_arena_free(&arena);
	return whole;
}

static void ignore(void *context, const char *text)
{
	(void)context;
	(void)text;
}

/* A page is whole, and has the script and the markup of its own alone. */
static void check_page(const char *name, const struct bench_text *page)
{
	static const char end[] = "</html>\n";
	FUZZ_CHECK(page->length > sizeof(end) && strlen(page->data) == page->length);
	const char *script = strstr(page->data, "<script");
	if (strcmp(page->data + page->length - strlen(end), end) != 0 || !script ||
	    strstr(script + 1, "<script") || strstr(page->data, " style="))
		fuzz_fail("page %s:\n%s", name, page->data);
	for (const char *at = page->data; *at; at++)
		if ((unsigned char)*at < ' ' && *at != '\n')
			fuzz_fail("page %s has a byte of %u", name, (unsigned)*at);
}

static void check_pages(void)
{
	static const struct bench_app_host silent = {.note = ignore, .warn = ignore};
	const struct bench_app_report_request request = {
		.places = {"no-runs", path()},
		.runs = 8,
		.baseline = "rolling:10",
		.comparing = {.threshold = 0.05,
			      .alpha = 0.01,
			      .assumed_spread = BENCH_COMPARE_ASSUMED_SPREAD},
		.changes = {.least = 0.05, .alpha = 0.01},
		.host = &silent,
	};
	struct bench_app_report_data data;
	struct bench_error error = {0};
	if (bench_app_report_read(&request, &data, &error) == 0) {
		struct bench_html_site *site = bench_html_site_new(&data.html);
		for (size_t i = 0; i < bench_html_page_count(site); i++) {
			struct bench_text page = {0};
			const char *name = bench_html_page(site, i, &page);
			FUZZ_CHECK(!strstr(name, ".."));
			check_page(name, &page);
			bench_text_free(&page);
		}
		bench_html_site_free(site);
	}
	bench_app_report_free(&data);
}

/* What was taken in is there, or the file is damaged and `bench db check` says so. */
static void ingest_another(struct bench_store *store)
{
	struct bench_error error;
	struct bench_run *run = run_of("20261122-231503", 2 * 86400), *loaded;
	bool added = false;
	if (bench_store_ingest(store, run, &added, &error) == 0 && added) {
		char *before = bench_record_to_json(run), *after = NULL;
		if (bench_store_load(store, run->id, &loaded, &error) == 0) {
			after = bench_record_to_json(loaded);
			bench_record_free(loaded);
		}
		if ((!after || strcmp(before, after) != 0) && is_whole(store))
			fuzz_fail("ingested and loaded:\n%s\n%s", before, after ? after : error.text);
		free(before);
		free(after);
	}
	bench_record_free(run);
}

void fuzz_database(const uint8_t *data, size_t size)
{
	struct bench_store *store;
	struct bench_error error = {0};
	if (!history)
		make_history();
	make_database(data, size);
	if (bench_store_open(path(), BENCH_STORE_READ, &store, &error) == 0) {
		read_all(store);
		bench_store_close(store);
		check_pages();
	} else {
		FUZZ_CHECK(*error.text);
	}
	if (bench_store_open(path(), BENCH_STORE_ANY, &store, &error) == 0) {
		struct bench_arena arena = {0};
		read_runs(store, &arena);
		bench_store_close(store);
		bench_arena_free(&arena);
	}
	if (bench_store_open(path(), BENCH_STORE_WRITE, &store, &error) == 0) {
		ingest_another(store);
		bench_store_close(store);
	}
}
