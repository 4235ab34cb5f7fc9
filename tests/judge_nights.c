/* SPDX-License-Identifier: MIT */
/*
 * Judges nights that were made up (scripts/make_history) as a gate with a history judges those that it
 * measures, but for the second look: against the ten nights before, and over all of them. Verdicts and alarms
 * are kept.
 *
 *     judge_nights DB NIGHTS [BUT]     the newest NIGHTS of the history, in order, but for the newest BUT of
 * them
 */
#include <stdio.h>
#include <stdlib.h>

#include "app/alarms.h"
#include "app/changepoints.h"
#include "app/compare.h"
#include "app/runs.h"

static int judge(const char *db, struct bench_store *store, const char *id, struct bench_error *error)
{
	const struct bench_compare_options options = {.threshold = 0.05,
						      .assumed_spread = BENCH_COMPARE_ASSUMED_SPREAD,
						      .floor = BENCH_COMPARE_FLOOR,
						      .alpha = 0.01};
	const struct bench_app_changepoint_options looking = {
		.least = 0.05, .alpha = 0.01, .runs = BENCH_APP_RECENT_RUNS};
	const struct bench_app_places places = {.db = db, .runs_dir = ""};
	struct bench_comparison *comparison = NULL;
	struct bench_arena arena = {0};
	struct bench_app_line line = {0};
	struct bench_changes changes;
	struct bench_run *run;
	int result = bench_store_load(store, id, &run, error);

	if (result != 0)
		return -1;
	if (run->finished != 0 &&
	    bench_app_compare(&places, store, run, "rolling:10", &options, &comparison, error) != 0) {
		/* The first night has nothing to be compared with. */
		result = error->code == BENCH_NOTHING ? 0 : -1;
	} else if (run->finished != 0) {
		result = bench_app_line_of(store, &places.line, &run->git, &arena, &line, error);
		if (result == 0)
			result = bench_app_changepoints_recent(store, run, &line, &looking, &arena, &changes,
							       error);
		if (result == 0)
			result = bench_app_alarms_update(db, run, &line, NULL, &changes, false, comparison,
							 error);
		if (result == 0)
			result = bench_app_keep_verdicts(db, comparison, error);
	}
	bench_compare_free(comparison);
	bench_arena_free(&arena);
	bench_record_free(run);
	return result;
}

int main(int argc, char **argv)
{
	size_t wanted = argc > 2 ? strtoul(argv[2], NULL, 10) : 0, count = 0;
	size_t left = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
	struct bench_store *store = NULL;
	struct bench_run_row *rows;
	struct bench_arena arena = {0};
	struct bench_error error;

	if (wanted == 0) {
		fprintf(stderr, "usage: judge_nights DB NIGHTS [BUT]\n");
		return 2;
	}
	int result = bench_app_open_store(argv[1], &store, &error);
	if (result == 0)
		result = bench_store_runs(store, wanted, &arena, &rows, &count, &error);
	/* The rows are newest first. */
	while (result == 0 && count > left)
		result = judge(argv[1], store, rows[--count].id, &error);
	if (result != 0)
		fprintf(stderr, "judge_nights: %s\n", error.text);
	bench_store_close(store);
	bench_arena_free(&arena);
	return result == 0 ? 0 : 1;
}
