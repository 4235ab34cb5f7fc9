/* bench changepoints: where the series of a file shifted, whatever measured them. */
#include <stdio.h>
#include <string.h>

#include "app/series.h"
#include "cli/arguments.h"
#include "cli/output.h"
#include "cli/say.h"
#include "core/text.h"
#include "report/render/changes.h"

static const struct cli_option options[] = {
	{"column", 0, "NAME", "the series of that name alone (default: all)"},
	{"direction", 0, "D", "which is better: lower, higher or none (default: none)"},
	{"linear", 0, NULL, "values as they are, not their logarithms: shifts are differences"},
	CLI_OPTIONS_VERDICT,
	CLI_OPTION_FORMAT,
	{0},
};

static int read_options(const struct cli_args *args, struct bench_app_series_options *chosen,
			struct bench_error *error)
{
	static const char *const directions[] = {"lower", "higher", "none"};
	const char *direction = cli_value(args, "direction", "none");
	*chosen = (struct bench_app_series_options){.linear = cli_given(args, "linear")};
	if (!bench_record_better_parse(direction, &chosen->better))
		return bench_text_no_such("direction", direction, directions, 3, "", error);
	if (args->operand_count == 0)
		return bench_fail(error, BENCH_USAGE,
				  "bench changepoints: no file is named ('-' reads standard input)");
	return cli_read_judging(args, 0.05, &chosen->least, &chosen->alpha, error);
}

/* All files' series; of several files, with the file's name before them. */
static int read_files(const struct cli_args *args, struct bench_arena *arena,
		      struct bench_app_series **series, size_t *count, struct bench_error *error)
{
	for (size_t i = 0; i < args->operand_count; i++) {
		size_t first = *count;
		if (bench_app_series_read(args->operands[i], cli_value(args, "column", NULL), arena, series,
					  count, error) != 0)
			return -1;
		for (size_t s = first; args->operand_count > 1 && s < *count; s++)
			(*series)[s].name =
				bench_arena_format(arena, "%s: %s", args->operands[i], (*series)[s].name);
	}
	return 0;
}

/* What the table does not say. */
static void say(const struct bench_app_series *series, size_t count, size_t changes, size_t linear,
		const struct bench_app_series_options *chosen)
{
	size_t values = 0;
	for (size_t i = 0; i < count; i++)
		values += series[i].count;
	if (linear > 0)
		cli_say("%zu of %zu series %s values that are not above 0: %s searched without "
			"logarithms, as with --linear",
			linear, count, linear == 1 ? "has" : "have", linear == 1 ? "it is" : "they are");
	if (changes == 0)
		cli_say("no change of %.3g%% or more in %zu values of %zu series", 100 * chosen->least,
			values, count);
}

static int changepoints(const struct cli_args *args)
{
	struct bench_error error;
	struct bench_report_options report;
	struct bench_app_series_options chosen;
	struct bench_app_series *series = NULL;
	struct bench_change *changes;
	struct bench_arena arena = {0};
	struct bench_grid grid = {0};
	struct bench_text out = {0};
	size_t count = 0, linear;
	int status;
	if (cli_report_options(args, &report, &error) != 0 || read_options(args, &chosen, &error) != 0 ||
	    read_files(args, &arena, &series, &count, &error) != 0) {
		status = cli_fail(&error);
		goto out;
	}
	size_t change_count = bench_app_series_changes(series, count, &chosen, &arena, &changes, &linear);
	bench_render_changes_series_grid(changes, change_count, report.format->exact, &grid);
	say(series, count, change_count, linear, &chosen);
	if (change_count > 0 || report.format->exact)
		report.format->grid(&grid, &report, &out);
	status = cli_print(&out, CLI_OK);
out:
	bench_render_grid_free(&grid);
	bench_arena_free(&arena);
	return status;
}

const struct cli_verb cli_changepoints = {
	.name = "changepoints",
	.summary = "find where the series of a CSV or JSON file shifted for good",
	.usage = "FILE.. [--column NAME] [--threshold P] [--direction D] [--linear] [--format F]",
	.about = "Any series of values, oldest first, whatever measured them; '-' is standard input. Three "
		 "values make a\n"
		 "level. Index, last and first are of the first value of the new level, and its label and "
		 "that of the last\n"
		 "value of the old one: the time or commit beside them.\n"
		 "CSV: each column of numbers is a series, or each name in a column named name or metric; "
		 "columns named\n"
		 "time, date, commit, revision, version and the like label the rows. JSON: each array of "
		 "numbers, of pairs\n"
		 "[label, number], or of objects with numbers. Empty fields, NaN and null are missing "
		 "values. A series\n"
		 "with values that are not above 0 is searched without logarithms.",
	.examples = "bench changepoints nightly.csv\n"
		    "bench changepoints results.json --threshold 3% --direction higher\n"
		    "cut -d, -f1,4 all.csv | bench changepoints - --format json",
	.options = options,
	.rendered = BENCH_RENDERED_GRID,
	.max_operands = 1000,
	.run = changepoints,
};
