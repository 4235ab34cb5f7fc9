/* SPDX-License-Identifier: MIT */
/* bench db: is the history whole; a copy of it; a new one of what can be saved. */
#include <string.h>

#include "app/db.h"
#include "cli/arguments.h"
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

static int print_grid(struct bench_grid *grid, const struct bench_report_options *report, int status)
{
	struct bench_text out = {0};
	/* People read that there is nothing; programs read an empty list. */
	if (grid->row_count > 0 || !report->format->terminal)
		report->format->grid(grid, report, &out);
	status = cli_print(&out, status);
	bench_render_grid_free(grid);
	return status;
}

static int check(const struct cli_args *args, const struct bench_report_options *report)
{
	static const struct bench_grid_column columns[] = {{"what", false, 0}, {"problem", false, 0}};
	struct bench_arena arena = {0};
	const char *path = cli_places(args).db, *db = bench_store_shown(path, &arena);
	struct bench_store_finding *findings;
	struct bench_grid grid = {0};
	struct bench_error error;
	size_t count, runs;
	int status;
	if (bench_app_db_check(path, &arena, &findings, &count, &runs, &error) != 0) {
		status = cli_fail(&error);
	} else {
		bench_render_grid_columns(&grid, columns, 2);
		for (size_t i = 0; i < count; i++)
			bench_render_grid_add(&grid, (const char *[]){findings[i].what, findings[i].problem});
		status = print_grid(&grid, report, count ? CLI_ENVIRONMENT : CLI_OK);
		if (count)
			cli_say("database '%s' is damaged: %s", db,
				bench_store_is_server(path) ? "restore a backup of the server's, and 'bench "
							      "ingest' the run folders since"
							    : "'bench db repair' makes it anew of what is "
							      "right, and of the run folders");
		else
			cli_say("database '%s' is whole: %zu run%s", db, runs, bench_text_plural(runs));
	}
	bench_arena_free(&arena);
	return status;
}

static int backup(const struct cli_args *args, const struct bench_report_options *report)
{
	const char *db = cli_places(args).db, *target = args->operands[1];
	struct bench_error error;
	(void)report;
	if (bench_store_backup(db, target, cli_given(args, "overwrite"), &error) != 0)
		return cli_fail(&error);
	struct bench_arena arena = {0};
	cli_say("'%s' is a copy of '%s', checked", target, bench_store_shown(db, &arena));
	bench_arena_free(&arena);
	return CLI_OK;
}

static int copy(const struct cli_args *args, const struct bench_report_options *report)
{
	const char *db = cli_places(args).db, *target = args->operands[1];
	struct bench_arena arena = {0};
	struct bench_error error;
	(void)report;
	int status = CLI_OK;
	if (bench_store_transfer(db, target, &error) != 0)
		status = cli_fail(&error);
	else
		cli_say("'%s' has all rows of '%s', checked", bench_store_shown(target, &arena),
			bench_store_shown(db, &arena));
	bench_arena_free(&arena);
	return status;
}

static int grant(const struct cli_args *args, const struct bench_report_options *report)
{
	struct bench_error error;
	(void)report;
	if (bench_store_grant(cli_places(args).db, args->operands[1], args->operands[2], &error) != 0)
		return cli_fail(&error);
	cli_say("'%s' is now: %s", args->operands[2], args->operands[1]);
	return CLI_OK;
}

static int repair(const struct cli_args *args, const struct bench_report_options *report)
{
	static const struct bench_grid_column columns[] = {
		{"what", false, 0}, {"from", false, 0}, {"note", false, 0}};
	const struct bench_app_places places = cli_places(args);
	struct bench_app_repair repair;
	struct bench_grid grid = {0};
	struct bench_error error;
	int status;
	if (bench_app_db_repair(&places, &repair, &error) != 0) {
		status = cli_fail(&error);
	} else {
		bench_render_grid_columns(&grid, columns, 3);
		for (size_t i = 0; i < repair.count; i++) {
			const struct bench_app_repaired *part = &repair.parts[i];
			bench_render_grid_add(
				&grid,
				(const char *[]){part->what, *part->from ? part->from : "LOST", part->note});
		}
		status = print_grid(&grid, report, repair.lost ? CLI_ENVIRONMENT : CLI_OK);
		cli_say("'%s' is made anew; as it was, it is kept in '%s'", places.db, repair.aside);
		if (repair.lost)
			cli_say("of %zu part%s something is lost", repair.lost,
				bench_text_plural(repair.lost));
	}
	bench_app_db_repair_free(&repair);
	return status;
}

static const struct word {
	const char *name, *takes;
	size_t operands; /* the word included */
	int (*run)(const struct cli_args *args, const struct bench_report_options *report);
} words[] = {
	{"check", "no argument", 1, check},
	{"backup", "the name of the copy", 2, backup},
	{"copy", "the place of the copy: a new file, or a server's address", 2, copy},
	{"grant", "reader, writer or none, and the name of a role of the server", 3, grant},
	{"repair", "no argument", 1, repair},
};

#define WORDS (sizeof(words) / sizeof(words[0]))

static const struct word *find_word(const struct cli_args *args, struct bench_error *error)
{
	const struct word *word = cli_find_word(args, words, WORDS, sizeof(*words), "", error);
	if (!word)
		return NULL;
	if (args->operand_count != word->operands)
		bench_fail(error, BENCH_USAGE, "bench db %s takes %s", word->name, word->takes);
	else if (cli_given(args, "overwrite") && word->run != backup)
		bench_fail(error, BENCH_USAGE, "bench db %s has no --overwrite; backup has it", word->name);
	else
		return word;
	return NULL;
}

static int db(const struct cli_args *args)
{
	struct bench_report_options report;
	struct bench_error error;
	const struct word *word = find_word(args, &error);
	if (!word || cli_report_options(args, &report, &error) != 0)
		return cli_fail(&error);
	return word->run(args, &report);
}

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
	.run = db,
};
