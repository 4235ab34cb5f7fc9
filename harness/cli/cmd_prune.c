/* SPDX-License-Identifier: MIT */
/* bench prune: runs that are no longer needed go. */
#include <time.h>

#include "app/retention.h"
#include "cli/arguments.h"
#include "cli/call.h"
#include "cli/host.h"
#include "cli/output.h"
#include "cli/say.h"
#include "core/clock.h"
#include "core/text.h"

#define DAY INT64_C(86400)

static const struct cli_option options[] = {
	{"keep", 0, "N", "keep the newest N of each host, preset and choice of suites"},
	{"older", 0, "DAYS", "remove only runs that began at least DAYS ago"},
	{"yes", 'y', NULL, "remove the runs, not only list them"},
	{"keep-folders", 0, NULL, "remove runs only from the history"},
	CLI_OPTION_DB,
	CLI_OPTION_RUNS_DIR,
	CLI_OPTION_FORMAT,
	{0},
};

static int read_prune(const struct cli_args *args, struct bench_app_prune *prune, struct bench_error *error)
{
	uint64_t newest, days;
	if (!cli_given(args, "keep") && !cli_given(args, "older"))
		return bench_fail(error, BENCH_USAGE,
				  "bench prune: --keep N or --older DAYS must choose the runs");
	if (cli_read_whole(args, "keep", 0, 1000000, &newest, error) != 0 ||
	    cli_read_whole(args, "older", 0, 100000, &days, error) != 0)
		return -1;
	prune->runs_dir = cli_given(args, "keep-folders") ? NULL : cli_places(args).runs_dir;
	prune->newest = (size_t)newest;
	prune->before = (int64_t)time(NULL) - (int64_t)days * DAY + 1;
	return 0;
}

static void fill(struct bench_grid *grid, const struct bench_app_old_run *runs, size_t count)
{
	static const struct bench_grid_column columns[] = {{"run", false, 0},    {"started", false, 2},
							   {"preset", false, 1}, {"suites", false, 1},
							   {"host", false, 3},   {"stays", false, 0}};
	bench_render_grid_columns(grid, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < count; i++) {
		const struct bench_run_row *row = runs[i].row;
		char started[40];
		bench_clock_iso(row->started, started, sizeof(started));
		bench_render_grid_add(grid, (const char *[]){row->id, started, row->shown_preset, row->suites,
							     row->host, runs[i].stays});
	}
}

/* Those that their folders hold were to go: the exit status says that they have not. */
static int remove_runs(struct cli_call *call, const struct bench_app_prune *which,
		       const struct bench_app_old_run *runs, size_t count, struct bench_error *error)
{
	struct bench_arena *arena = call->args->arena;
	const bool yes = cli_given(call->args, "yes");
	const struct bench_app_old_run *held = NULL;
	const char **ids = NULL;
	size_t going = 0, removed = 0;
	int result = 0;
	for (size_t i = 0; i < count; i++) {
		if (!*runs[i].stays)
			BENCH_PUSH(arena, ids, going) = runs[i].row->id;
		else if (runs[i].held && !held)
			held = &runs[i];
	}
	if (going && yes)
		result = bench_app_remove_runs(call->store, which->runs_dir, ids, going, &removed, cli_host(),
					       error);
	const size_t gone = yes ? removed : going;
	const char *stay = gone == count ? ""
					 : bench_arena_format(arena, "; %zu of these stay%s", count - gone,
							      count - gone == 1 ? "s" : "");
	if (count == 0)
		cli_say("no run to remove");
	else if (result == 0 || removed)
		cli_say("%zu run%s %s%s%s", gone, bench_text_plural(gone), yes ? "removed" : "to remove",
			going && !yes ? ": --yes removes them" : "", stay);
	if (result == 0 && yes && held)
		return bench_fail(error, BENCH_ENVIRONMENT, "run %s: %s", held->row->id, held->stays);
	return result;
}

static int prune(struct cli_call *call, struct bench_error *error)
{
	struct bench_app_prune which;
	struct bench_app_old_run *runs;
	size_t count;
	if (read_prune(call->args, &which, error) != 0 ||
	    (cli_given(call->args, "yes") ? cli_change_store : cli_open_store)(call, error) != 0 ||
	    bench_app_old_runs(call->store, &which, call->args->arena, &runs, &count, error) != 0)
		return -1;
	fill(&call->grid, runs, count);
	int status = cli_print_rows(call, CLI_OK);
	return status == CLI_OK ? remove_runs(call, &which, runs, count, error) : status;
}

const struct cli_verb cli_prune = {
	.name = "prune",
	.summary = "remove old runs, from the history and from disk",
	.usage = "[--keep N] [--older DAYS] [--yes] [--keep-folders]",
	.about =
		"Lists the runs beyond the newest N that are older than DAYS; --yes removes them. A run "
		"stays if it belongs to a baseline, measured an anchor, is named by an open alarm, or begins "
		"an accepted shift. It also stays if its folder holds other files, is a link, or belongs to "
		"another run; the list gives the reason. Runs that are aside are counted separately.\n"
		"Exit status: 0; 2 usage; 3 no history; 5 storage failed, or a folder remains (--yes).",
	.examples = "bench prune --keep 100\n"
		    "bench prune --keep 30 --older 365 --yes\n"
		    "bench prune --older 90 --format json",
	.options = options,
	.rendered = BENCH_RENDERED_GRID,
	.run = prune,
};
