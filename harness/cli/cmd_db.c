/* SPDX-License-Identifier: MIT */
/* bench db: is the history whole; a copy of it; a new one of what can be saved. */
#include <string.h>

#include "app/db.h"
#include "cli/arguments.h"
#include "cli/call.h"
#include "cli/output.h"
#include "cli/say.h"
#include "core/text.h"

static const struct cli_option options[] = {
	{"overwrite", 0, NULL, "backup: replace an existing file"},
	CLI_OPTION_DB,
	CLI_OPTION_RUNS_DIR,
	CLI_OPTION_FORMAT,
	{0},
};

static int check(struct cli_call *call, struct bench_error *error)
{
	static const struct bench_grid_column columns[] = {{"what", false, 0}, {"problem", false, 0}};
	struct bench_arena *arena = call->args->arena;
	const char *path = cli_places(call->args).db, *db = bench_store_shown(path, arena);
	struct bench_store_finding *findings;
	size_t count, runs;
	if (bench_app_db_check(path, arena, &findings, &count, &runs, error) != 0)
		return -1;
	bench_render_grid_columns(&call->grid, columns, 2);
	for (size_t i = 0; i < count; i++)
		bench_render_grid_add(&call->grid, (const char *[]){findings[i].what, findings[i].problem});
	int status = cli_print_rows(call, count ? CLI_ENVIRONMENT : CLI_OK);
	if (count)
		cli_say("database '%s' is damaged: %s", db,
			bench_store_is_server(path) ? "restore a backup of the server's, and 'bench "
						      "ingest' the run folders since"
						    : "'bench db repair' makes it anew of what is "
						      "right, and of the run folders");
	else
		cli_say("database '%s' is whole: %zu run%s", db, runs, bench_text_plural(runs));
	return status;
}

static int backup(struct cli_call *call, struct bench_error *error)
{
	const struct cli_args *args = call->args;
	const char *db = cli_places(args).db, *target = args->operands[1];
	if (bench_store_backup(db, target, cli_given(args, "overwrite"), error) != 0)
		return -1;
	cli_say("'%s' is a copy of '%s', checked", target, bench_store_shown(db, args->arena));
	return CLI_OK;
}

static int copy(struct cli_call *call, struct bench_error *error)
{
	const struct cli_args *args = call->args;
	const char *db = cli_places(args).db, *target = args->operands[1];
	if (bench_store_transfer(db, target, error) != 0)
		return -1;
	cli_say("'%s' has all rows of '%s', checked", bench_store_shown(target, args->arena),
		bench_store_shown(db, args->arena));
	return CLI_OK;
}

static int grant(struct cli_call *call, struct bench_error *error)
{
	const char *const *operands = call->args->operands;
	if (bench_store_grant(cli_places(call->args).db, operands[1], operands[2], error) != 0)
		return -1;
	cli_say("'%s' is now: %s", operands[2], operands[1]);
	return CLI_OK;
}

static int repair(struct cli_call *call, struct bench_error *error)
{
	static const struct bench_grid_column columns[] = {
		{"what", false, 0}, {"from", false, 0}, {"note", false, 0}};
	const struct bench_app_places places = cli_places(call->args);
	struct bench_app_repair repair;
	int status = bench_app_db_repair(&places, &repair, error);
	if (status == 0) {
		bench_render_grid_columns(&call->grid, columns, 3);
		for (size_t i = 0; i < repair.count; i++) {
			const struct bench_app_repaired *part = &repair.parts[i];
			bench_render_grid_add(
				&call->grid,
				(const char *[]){part->what, *part->from ? part->from : "LOST", part->note});
		}
		status = cli_print_rows(call, repair.lost ? CLI_ENVIRONMENT : CLI_OK);
		cli_say("'%s' is made anew; as it was, it is kept in '%s'", places.db, repair.aside);
		if (repair.lost)
			cli_say("of %zu part%s something is lost", repair.lost,
				bench_text_plural(repair.lost));
	}
	bench_app_db_repair_free(&repair);
	return status;
}

static const struct cli_word words[] = {
	{"check", "no argument", 1, 1, {0}, check},
	{"backup", "the name of the copy", 2, 2, {"overwrite"}, backup},
	{"copy", "the place of the copy: a new file, or a server's address", 2, 2, {0}, copy},
	{"grant", "reader, writer or none, and the name of a role of the server", 3, 3, {0}, grant},
	{"repair", "no argument", 1, 1, {0}, repair},
	{0},
};

const struct cli_verb cli_db = {
	.name = "db",
	.summary = "check, back up, copy or repair the history",
	.usage = "check\nbackup FILE [--overwrite]\ncopy FILE|ADDRESS\ngrant reader|writer|none ROLE\nrepair "
		 "[--runs-dir DIR]",
	.about = "check reads everything (pages, references, tables, digests of runs and tables, every "
		 "sample) and lists the damage. backup makes a consistent copy, even while others write, and "
		 "checks it. copy transfers the rows between files and servers; the target is a new file, or "
		 "a schema without a history. grant sets what a role of the server may do. repair rebuilds "
		 "the history from intact runs, the run folders, and whatever baselines, verdicts, alarms "
		 "and other records can be read. It keeps the damaged file beside the new one. "
		 "docs/database.md states what each guarantees.\n"
		 "Exit status: 0 intact; 2 usage; 3 no history; 5 it is damaged, could not be copied, or "
		 "something was lost.",
	.examples = "bench db check\n"
		    "bench db check --db results.db.before-schema-6 --format json\n"
		    "bench db backup /mnt/backup/results-$(date +%F).db\n"
		    "bench db copy postgresql://bench@db.example/bench --db results.db\n"
		    "bench db repair --runs-dir runs",
	.options = options,
	.rendered = BENCH_RENDERED_GRID,
	.max_operands = 3,
	.words = words,
};
