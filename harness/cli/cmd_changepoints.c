/* SPDX-License-Identifier: MIT */
/* bench changepoints: where the series of a file shifted, whatever measured them. */
#include "app/series.h"
#include "cli/arguments.h"
#include "cli/call.h"
#include "cli/output.h"
#include "cli/say.h"
#include "core/text.h"
#include "report/render/changes.h"
#include "stats/changepoints.h"

#define LOSERS_MOST 20 /* series that are named for what they lost */

static const struct cli_option options[] = {
	{"column", 0, "NAME", "search only the series of this name"},
	{"direction", 0, "D", "the better direction: lower, higher or none"},
	{"linear", 0, NULL, "search the values, not their logarithms: shifts are differences"},
	CLI_OPTIONS_PERIOD,
	CLI_OPTIONS_SHIFT,
	CLI_OPTION_FORMAT,
	{0},
};

static const struct cli_default defaults[] = {
	{"column", NULL, NULL, "all"},
	{"direction", NULL, NULL, "that of the unit"},
	{"threshold", NULL, "1.25%", NULL},
	{0},
};

static int read_options(const struct cli_args *args, struct bench_app_series_options *chosen,
			struct bench_error *error)
{
	static const char *const directions[] = {"lower", "higher", "none"};
	const char *given = cli_value(args, "direction"), *direction = given ? given : "none";
	*chosen = (struct bench_app_series_options){.linear = cli_given(args, "linear"), .as_stated = !given};
	if (!bench_record_better_parse(direction, &chosen->better))
		return bench_text_no_such("direction", direction, directions, 3, "", error);
	if (args->operand_count == 0)
		return bench_fail(error, BENCH_USAGE,
				  "bench changepoints: name a file, or '-' for standard input");
	return cli_read_judging(args, NULL, &chosen->least, &chosen->alpha, error);
}

/* All files' series; of several files, with the file's name before them. */
static int read_files(const struct cli_args *args, struct bench_app_series_set *set,
		      struct bench_error *error)
{
	for (size_t i = 0; i < args->operand_count; i++) {
		size_t first = set->count;
		if (bench_app_series_read(args->operands[i], cli_value(args, "column"), args->arena, set,
					  error) != 0)
			return -1;
		for (size_t s = first; args->operand_count > 1 && s < set->count; s++)
			set->items[s].name = bench_arena_format(args->arena, "%s: %s", args->operands[i],
								set->items[s].name);
	}
	if (!cli_given(args, "since") && !cli_given(args, "until"))
		return 0;
	struct bench_app_period period;
	return cli_read_period(args, NULL, &period, error) != 0 ? -1
								: bench_app_series_cut(set, &period, error);
}

/* What was read otherwise than a reader of the file may think, and left out. Returns how much was lost. */
static size_t say_read(const struct bench_app_series_set *set)
{
	size_t lost = set->lost, said = 0;
	for (size_t i = 0; i < set->note_count; i++)
		cli_say("%s", set->notes[i]);
	for (size_t i = 0; i < set->count; i++) {
		const struct bench_app_series *series = &set->items[i];
		lost += series->lost;
		if (series->lost > 0 && ++said <= LOSERS_MOST)
			cli_say("series '%s': %zu of %zu value%s %s no number, and left out: %s%s",
				series->name, series->lost, series->count, bench_text_plural(series->count),
				series->lost == 1 ? "is" : "are", series->lost_where,
				series->lost > 3 ? ", ..." : "");
	}
	if (said > LOSERS_MOST)
		cli_say("%zu more series have values that are no numbers, and left out", said - LOSERS_MOST);
	return lost;
}

/* What the table does not say. Returns how many series were searched. */
static size_t say_found(const struct bench_app_series_set *set, size_t changes, size_t linear,
			const struct bench_app_series_options *chosen)
{
	size_t values = 0, searched = 0;
	for (size_t i = 0; i < set->count; i++)
		if (bench_app_series_is_searched(&set->items[i])) {
			values += set->items[i].count;
			searched++;
		}
	const size_t brief = set->count - searched;
	if (brief > 0)
		cli_say("%zu of %zu series %s fewer than %d values: too few for a change", brief, set->count,
			brief == 1 ? "has" : "have", 2 * BENCH_STATS_LEVEL_VALUES);
	if (linear > 0)
		cli_say("%zu of %zu series %s values that are not above 0: %s searched without "
			"logarithms, as with --linear",
			linear, searched, linear == 1 ? "has" : "have", linear == 1 ? "it is" : "they are");
	if (changes == 0 && searched > 0)
		cli_say("no change of %.3g%% or more in %zu value%s of %zu series", 100 * chosen->least,
			values, bench_text_plural(values), searched);
	return searched;
}

static int changepoints(struct cli_call *call, struct bench_error *error)
{
	struct bench_app_series_options chosen;
	struct bench_app_series_set set = {0};
	struct bench_change *changes;
	size_t linear;
	if (read_options(call->args, &chosen, error) != 0 || read_files(call->args, &set, error) != 0) {
		for (size_t i = 0; i < set.note_count; i++)
			cli_say("%s", set.notes[i]);
		return -1;
	}
	const size_t lost = say_read(&set);
	size_t change_count =
		bench_app_series_changes(set.items, set.count, &chosen, call->args->arena, &changes, &linear);
	bench_render_changes_series_grid(changes, change_count, call->report.format->exact, &call->grid);
	const size_t searched = say_found(&set, change_count, linear, &chosen);
	if (change_count > 0 || call->report.format->exact)
		cli_add_grid(call);
	return cli_print(&call->out, lost > 0 ? CLI_WRONG : searched > 0 ? CLI_OK : CLI_NOTHING);
}

const struct cli_verb cli_changepoints = {
	.name = "changepoints",
	.summary = "find where the series of a CSV or JSON file shifted for good",
	.usage = "FILE.. [--column NAME] [--since WHEN] [--until WHEN] [--threshold P] [--direction D] "
		 "[--linear] [--format F]",
	.about = "Searches any series of values, from any tool; '-' is standard input. A level needs at "
		 "least three values. index and first are the number and the label of the first value of the "
		 "new level; "
		 "last is the label of the last value of the old one.\nCSV: each column of numbers is a "
		 "series, or each name in a column called name, metric, benchmark or test.\nJSON and JSON "
		 "Lines: each array of numbers or pairs [label, number] is a series. In an array of "
		 "objects, each member that is a number is one; names tell apart the elements of inner "
		 "arrays.\nA column of dates and one of "
		 "commits, found by name and content, label the values. Values are searched oldest first if "
		 "they have dates, else in the order of the file. A note names the columns that are not "
		 "searched, and why.\nEmpty fields, null, NaN and infinities are missing. Other text among "
		 "numbers is left out and reported, and the exit status is 4. Units are converted to SI. A "
		 "series with values that are not above 0 is searched without logarithms.\n--since and "
		 "--until search the values of a period, and need dates.",
	.examples = "bench changepoints nightly.csv\n"
		    "bench changepoints results.json --threshold 3% --direction higher\n"
		    "cut -d, -f1,4 all.csv | bench changepoints - --format json",
	.options = options,
	.defaults = defaults,
	.rendered = BENCH_RENDERED_GRID,
	.max_operands = 1000,
	.run = changepoints,
};
