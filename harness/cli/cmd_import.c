/* SPDX-License-Identifier: MIT */
/* bench import: the results of other tools as runs of the history. */
#include <string.h>

#include "app/import.h"
#include "cli/arguments.h"
#include "cli/call.h"
#include "cli/exit.h"
#include "cli/say.h"
#include "core/text.h"

static const struct cli_option options[] = {
	{"from", 0, "F",
	 "gbench, hyperfine, pytest, criterion, nvbench, asv, jmh, dotnet, pyperf, datajs, bmf, smaller, "
	 "bigger, go, cargo or csv"},
	{"together", 0, NULL, "make one run of all files; each file is an invocation of its cases"},
	{"as", 0, "SUITE", "the suite in the metric names"},
	{"host", 0, "NAME", "the host that measured"},
	{"commit", 0, "HASH", "the commit that was measured"},
	{"branch", 0, "NAME", "the branch of the commit"},
	{"better", 0, "M=lower,..",
	 "the better direction of metrics that have none: lower or higher; repeatable"},
	{"column", 0, "C=param",
	 "the role of a CSV column: param, skip, or the unit of a result; repeatable"},
	CLI_OPTION_LABEL,
	{"no-store", 0, NULL, "do not write to the history"},
	CLI_OPTION_RUNS_DIR,
	CLI_OPTION_DB,
	{0},
};

static const struct cli_default defaults[] = {
	{"as", NULL, NULL, "the name of the format"}, {"branch", NULL, NULL, "that in the file"},
	{"commit", NULL, NULL, "that in the file"},   {"from", NULL, NULL, "detected by content"},
	{"host", NULL, NULL, "that in the file"},     {0},
};

/* "M=lower,N=higher" */
static int read_better(const struct cli_args *args, struct bench_interchange_options *chosen,
		       struct bench_error *error)
{
	size_t count;
	const char **list = NULL;
	const char *const *given = cli_values(args, "better", &count);
	for (size_t i = 0; i < count; i++) {
		char *rest = bench_arena_string(args->arena, given[i]), *word;
		while ((word = bench_text_next(&rest, ','))) {
			const char *equals = strchr(word, '=');
			enum bench_better better;
			if (!equals || equals == word || !bench_record_better_parse(equals + 1, &better))
				return bench_fail(error, BENCH_USAGE,
						  "--better '%s': expected METRIC=lower, higher or none",
						  word);
			BENCH_PUSH(args->arena, list, chosen->better_count) = word;
		}
	}
	chosen->better = list;
	return 0;
}

static int read_options(const struct cli_args *args, struct bench_app_import *import,
			struct bench_error *error)
{
	const char *from = cli_value(args, "from");
	*import = (struct bench_app_import){.places = cli_places(args),
					    .no_store = cli_given(args, "no-store")};
	import->options.suite = cli_value(args, "as");
	import->options.host = cli_value(args, "host");
	import->options.commit = cli_value(args, "commit");
	import->options.branch = cli_value(args, "branch");
	import->options.columns = cli_values(args, "column", &import->options.column_count);
	import->labels = cli_values(args, "label", &import->label_count);
	for (size_t i = 0; i < import->options.column_count; i++) {
		const char *column = import->options.columns[i], *equals = strrchr(column, '=');
		if (!equals || equals == column || !equals[1])
			return bench_fail(error, BENCH_USAGE,
					  "--column '%s': expected NAME=param, NAME=skip, or NAME=UNIT",
					  column);
	}
	if (args->operand_count == 0)
		return bench_fail(error, BENCH_USAGE, "bench import needs files: bench import results.json");
	if (from && bench_interchange_find(from, false, &import->format, error) != 0)
		return -1;
	return read_better(args, &import->options, error);
}

/* What imports the files again. In `arena`. */
static const char *command_of(const char *const *paths, size_t count, struct bench_arena *arena)
{
	struct bench_text command = {0};
	bench_text_add(&command, "bench import%s", count > 1 ? " --together" : "");
	for (size_t i = 0; i < count && command.length < 4096; i++)
		bench_text_add_command(&command, " %s", paths[i]);
	return bench_text_keep(&command, arena);
}

/* "RUN, 12 cases (1 failed), read as gbench; 2 results could not be read" */
static void say_imported(const char *path, const struct bench_app_imported *imported)
{
	BENCH_SCOPED_TEXT text = {0};
	if (imported->runs == 0 && imported->known > 0)
		bench_text_add(&text, "is there already, as run %s", imported->id);
	else if (imported->runs > 1)
		bench_text_add(&text, "%zu runs, the last %s", imported->runs, imported->id);
	else
		bench_text_add(&text, "run %s", imported->id);
	if (imported->runs > 0)
		bench_text_add(&text, ", %zu case%s", imported->results,
			       bench_text_plural(imported->results));
	if (imported->runs > 0 && imported->failed > 0)
		bench_text_add(&text, " (%zu failed)", imported->failed);
	if (imported->runs > 0)
		bench_text_add(&text, ", read as %s", imported->from);
	if (imported->runs > 0 && imported->known > 0)
		bench_text_add(&text, "; %zu more had been imported before", imported->known);
	if (imported->lost > 0)
		bench_text_add(&text, "; %zu result%s could not be read", imported->lost,
			       bench_text_plural(imported->lost));
	cli_say("%s: %s", path, text.data);
}

/* One run, of one file or of all, or those of a history. */
static int take(struct bench_app_import *import, const char *const *paths, size_t count)
{
	struct bench_interchange_notes notes = {0};
	struct bench_app_imported imported;
	struct bench_error error;
	import->options.command = command_of(paths, count, &notes.arena);
	const int result = bench_app_import(import, paths, count, &notes, &imported, &error);
	const int status = result != 0 ? cli_fail(&error) : imported.lost > 0 ? CLI_WRONG : CLI_OK;
	for (size_t i = 0; i < notes.count && (imported.runs > 0 || imported.lost > 0); i++)
		cli_say("%s", notes.lines[i]);
	if (result == 0)
		say_imported(paths[0], &imported);
	bench_arena_free(&notes.arena);
	return status;
}

static int import(struct cli_call *call, struct bench_error *error)
{
	const struct cli_args *args = call->args;
	struct bench_app_import chosen;
	int status = CLI_OK;
	if (read_options(args, &chosen, error) != 0)
		return -1;
	if (cli_given(args, "together"))
		return take(&chosen, args->operands, args->operand_count);
	for (size_t i = 0; i < args->operand_count; i++) {
		/* One bad file does not keep the others out. */
		const int one = take(&chosen, &args->operands[i], 1);
		status = one != CLI_OK ? one : status;
	}
	return status;
}

const struct cli_verb cli_import = {
	.name = "import",
	.summary = "add results of other benchmark tools to the history",
	.usage = "FILE.. [--from F] [--together] [--host NAME] [--commit HASH]",
	.about = "Each file becomes a run, with a folder and an entry in the history, and can be compared, "
		 "gated and plotted as any other. FILE may be the folder target/criterion of Criterion, or "
		 "'-' for standard input. Options supply what a file lacks. Standard error lists what could "
		 "not be kept. Importing the same file again changes nothing.\n"
		 "Exit status: 0; 2 usage; 3 no results; 4 some results could not be read; 5 none could.",
	.examples = "bench import gbench.json\n"
		    "bench import hyperfine.json --host ci --commit 3f2a91c0\n"
		    "go test -bench . -count 5 | bench import -\n"
		    "bench import run1.json run2.json run3.json --together\n"
		    "bench import results.csv --better score=higher",
	.options = options,
	.defaults = defaults,
	.max_operands = 1000000,
	.run = import,
};
