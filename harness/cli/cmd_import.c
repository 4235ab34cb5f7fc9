/* bench import: the results of other tools as runs of the history. */
#include <string.h>

#include "app/import.h"
#include "cli/arguments.h"
#include "cli/exit.h"
#include "cli/say.h"
#include "core/text.h"

static const struct cli_option options[] = {
	{"from", 0, "F",
	 "gbench, hyperfine, pytest, criterion, nvbench, asv, jmh, dotnet, pyperf, datajs, bmf, smaller, "
	 "bigger, "
	 "go, cargo or csv (default: by content)"},
	{"together", 0, NULL, "all files are one run: what several have of a case are its invocations"},
	{"as", 0, "SUITE", "suite of the keys (default: the format's name)"},
	{"host", 0, "NAME", "where it was measured (default: what the file says)"},
	{"commit", 0, "HASH", "what was measured (default: what the file says)"},
	{"branch", 0, "NAME", "its branch (default: what the file says)"},
	{"better", 0, "M=lower,..", "of metrics that have no direction: lower or higher"},
	{"column", 0, "C=param", "what a column of CSV is: param, skip, or a result's unit; may be repeated"},
	{"label", 'l', "K=V", "kept with the run; may be repeated"},
	{"no-store", 0, NULL, "leave the history alone"},
	CLI_OPTION_RUNS_DIR,
	CLI_OPTION_DB,
	{0},
};

/* "M=lower,N=higher" */
static int read_better(const struct cli_args *args, struct bench_arena *arena,
		       struct bench_interchange_options *chosen, struct bench_error *error)
{
	size_t count;
	const char **list = NULL;
	const char *const *given = cli_values(args, "better", &count);
	for (size_t i = 0; i < count; i++) {
		char *rest = bench_arena_string(arena, given[i]), *word;
		while ((word = bench_text_next(&rest, ','))) {
			const char *equals = strchr(word, '=');
			enum bench_better better;
			if (!equals || equals == word || !bench_record_better_parse(equals + 1, &better))
				return bench_fail(error, BENCH_USAGE,
						  "--better '%s': expected METRIC=lower, higher or none",
						  word);
			*(const char **)bench_arena_push(arena, &list, &chosen->better_count, sizeof(*list)) =
				word;
		}
	}
	chosen->better = list;
	return 0;
}

static int read_options(const struct cli_args *args, struct bench_arena *arena,
			struct bench_app_import *import, struct bench_error *error)
{
	const char *from = cli_value(args, "from", NULL);
	*import = (struct bench_app_import){.places = cli_places(args),
					    .no_store = cli_given(args, "no-store")};
	import->options.suite = cli_value(args, "as", NULL);
	import->options.host = cli_value(args, "host", NULL);
	import->options.commit = cli_value(args, "commit", NULL);
	import->options.branch = cli_value(args, "branch", NULL);
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
	return read_better(args, arena, &import->options, error);
}

/* What imports the files again. In `arena`. */
static const char *command_of(const char *const *paths, size_t count, struct bench_arena *arena)
{
	struct bench_text command = {0};
	bench_text_add(&command, "bench import%s", count > 1 ? " --together" : "");
	for (size_t i = 0; i < count && command.length < 4096; i++) {
		bench_text_add(&command, " ");
		bench_text_add_shell(&command, paths[i]);
	}
	return bench_text_keep(&command, arena);
}

/* "RUN, 12 cases (1 failed), read as gbench; 2 results could not be read" */
static void say_imported(const char *path, const struct bench_app_imported *imported)
{
	struct bench_text text = {0};
	if (imported->runs == 0 && imported->known > 0)
		bench_text_add(&text, "is there already, as run %s", imported->id);
	else if (imported->runs > 1)
		bench_text_add(&text, "%zu runs, the last %s", imported->runs, imported->id);
	else
		bench_text_add(&text, "run %s", imported->id);
	if (imported->runs > 0)
		bench_text_add(&text, ", %zu case%s", imported->results, imported->results == 1 ? "" : "s");
	if (imported->runs > 0 && imported->failed > 0)
		bench_text_add(&text, " (%zu failed)", imported->failed);
	if (imported->runs > 0)
		bench_text_add(&text, ", read as %s", imported->from);
	if (imported->runs > 0 && imported->known > 0)
		bench_text_add(&text, "; %zu more had been imported before", imported->known);
	if (imported->lost > 0)
		bench_text_add(&text, "; %zu result%s could not be read", imported->lost,
			       imported->lost == 1 ? "" : "s");
	cli_say("%s: %s", path, text.data);
	bench_text_free(&text);
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

static int import(const struct cli_args *args)
{
	struct bench_arena arena = {0};
	struct bench_app_import chosen;
	struct bench_error error;
	int status = CLI_OK;
	if (read_options(args, &arena, &chosen, &error) != 0)
		status = cli_fail(&error);
	else if (cli_given(args, "together"))
		status = take(&chosen, args->operands, args->operand_count);
	else
		for (size_t i = 0; i < args->operand_count; i++) {
			/* One bad file does not keep the others out. */
			const int one = take(&chosen, &args->operands[i], 1);
			status = one != CLI_OK ? one : status;
		}
	bench_arena_free(&arena);
	return status;
}

const struct cli_verb cli_import = {
	.name = "import",
	.summary = "take the results of other benchmark tools into the history",
	.usage = "FILE.. [--from F] [--together] [--host NAME] [--commit HASH]",
	.about = "Each file becomes a run, with a folder and a place in the history; then it is compared, "
		 "gated and\n"
		 "plotted as every other. A folder is Criterion's target/criterion, '-' is standard input. "
		 "What a file\n"
		 "does not say, options say; what cannot be held is said on standard error. The same file "
		 "again changes\n"
		 "nothing.\n"
		 "Exit status: 0; 2 usage; 3 there are no results in it; 4 some of its results could not be "
		 "read; 5 none could.",
	.examples = "bench import gbench.json\n"
		    "bench import hyperfine.json --host ci --commit 3f2a91c0\n"
		    "go test -bench . -count 5 | bench import -\n"
		    "bench import run1.json run2.json run3.json --together\n"
		    "bench import results.csv --better score=higher",
	.options = options,
	.max_operands = 1000000,
	.run = import,
};
