#include "cli/accept.h"

#include <stdio.h>

#include "core/clock.h"

/* The id of the run that --since names; NULL where it is not given. */
static int read_since(const struct cli_args *args, struct bench_store *store, struct bench_arena *arena,
		      const char **id, struct bench_error *error)
{
	struct bench_run *run;
	const char *since = cli_value(args, "since", NULL);
	*id = NULL;
	if (!since)
		return 0;
	if (cli_load_run(args, store, since, &run, error) != 0)
		return -1;
	*id = bench_arena_string(arena, run->id);
	bench_run_free(run);
	return 0;
}

int cli_accept(const struct cli_args *args, struct bench_store *store, struct bench_error *error)
{
	struct bench_arena arena = {0};
	struct bench_accepted_row row = {.pattern = args->operands[1], .why = cli_value(args, "why", NULL)};
	const char *id;
	char **keys;
	size_t count;
	int result = -1;
	if (!row.why)
		return bench_fail(error, BENCH_USAGE,
				  "bench baseline accept needs --why TEXT: in a year nobody knows any more");
	if (read_since(args, store, &arena, &id, error) != 0 ||
	    bench_store_accept_from(store, row.pattern, id ? NULL : cli_host_fingerprint(&arena), id, &arena,
				    &row, error) != 0 ||
	    bench_store_metrics(store, row.pattern, &arena, &keys, &count, error) != 0)
		goto out;
	if (cli_given(args, "all-hosts"))
		row.fingerprint = "";
	result = bench_store_accept(store, &row, error);
	if (result == 0)
		fprintf(stderr, "bench: for %zu metric%s, runs before %s are no baseline any more\n", count,
			count == 1 ? "" : "s", row.run);
out:
	bench_arena_free(&arena);
	return result;
}

int cli_accepted(struct bench_store *store, const struct bench_report_options *report, struct bench_text *out,
		 struct bench_error *error)
{
	static const char *const titles[] = {"metric", "since", "why", "host", "accepted"};
	struct bench_arena arena = {0};
	struct bench_accepted_row *rows;
	struct bench_grid grid = {0};
	size_t count;
	int result = bench_store_accepted(store, NULL, &arena, &rows, &count, error);
	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
		bench_grid_column(&grid, titles[i], false, i < 3 ? 0 : 1);
	for (size_t i = 0; result == 0 && i < count; i++) {
		char accepted[40];
		size_t at = bench_grid_row(&grid);
		bench_clock_iso(rows[i].created, accepted, sizeof(accepted));
		bench_grid_set(&grid, at, 0, BENCH_TONE_PLAIN, rows[i].pattern);
		bench_grid_set(&grid, at, 1, BENCH_TONE_PLAIN, rows[i].run);
		bench_grid_set(&grid, at, 2, BENCH_TONE_PLAIN, rows[i].why);
		bench_grid_set(&grid, at, 3, BENCH_TONE_PLAIN, *rows[i].fingerprint ? rows[i].host : "all");
		bench_grid_set(&grid, at, 4, BENCH_TONE_PLAIN, accepted);
	}
	if (result == 0)
		report->format->grid(&grid, report, out);
	bench_grid_free(&grid);
	bench_arena_free(&arena);
	return result;
}

int cli_unaccept(const struct cli_args *args, struct bench_store *store, struct bench_error *error)
{
	struct bench_arena arena = {0};
	const char *id;
	int result = read_since(args, store, &arena, &id, error);
	if (result == 0)
		result = bench_store_unaccept(store, args->operands[1], id, error);
	bench_arena_free(&arena);
	return result;
}
