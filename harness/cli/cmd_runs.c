/* SPDX-License-Identifier: MIT */
/* bench runs: what is changed about runs that are there. */
#include <string.h>

#include "app/retention.h"
#include "app/runs.h"
#include "cli/arguments.h"
#include "cli/call.h"
#include "cli/host.h"
#include "cli/output.h"
#include "cli/say.h"
#include "core/clock.h"
#include "core/text.h"

static const struct cli_option options[] = {
	{"keep-folders", 0, NULL, "rm: remove runs only from the history"},
	{"undo", 0, NULL, "rename: give the case its old name again"},
	CLI_OPTIONS_PERIOD,
	CLI_OPTION_DB,
	CLI_OPTION_RUNS_DIR,
	{0},
};

/* The ids of the runs that operands name, from the second on. */
static int find_runs(struct cli_call *call, const char ***ids, size_t *count, struct bench_error *error)
{
	const struct cli_args *args = call->args;
	*ids = bench_arena_alloc(args->arena, args->operand_count, sizeof(**ids));
	*count = 0;
	for (size_t i = 1; i < args->operand_count; i++) {
		const char *id;
		if (bench_app_find_run(call->store, args->operands[i], args->arena, &id, error) != 0)
			return -1;
		if (!BENCH_FIND(*ids, *count, id))
			(*ids)[(*count)++] = id;
	}
	return 0;
}

/* A period takes the place of the run. */
static const char label_takes[] = "a run (or --since, --until), and labels as NAME=VALUE",
		  aside_takes[] = "a run (or --since, --until), and why";

static bool has_period(const struct cli_args *args)
{
	return cli_given(args, "since") || cli_given(args, "until");
}

static int rm(struct cli_call *call, struct bench_error *error)
{
	const struct cli_args *args = call->args;
	const char **ids;
	size_t count, removed;
	if (has_period(args))
		return bench_fail(error, BENCH_USAGE,
				  "bench runs rm takes runs, and no period: 'bench prune --older DAYS' "
				  "removes old ones");
	if (args->operand_count < 2)
		return bench_fail(error, BENCH_USAGE, "bench runs rm takes runs");
	if (cli_change_store(call, error) != 0 || find_runs(call, &ids, &count, error) != 0)
		return -1;
	const int result = bench_app_remove_runs(
		call->store, cli_given(args, "keep-folders") ? NULL : cli_places(args).runs_dir, ids, count,
		&removed, cli_host(), error);
	if (result == 0)
		cli_say("removed %zu run%s", count, bench_text_plural(count));
	else if (removed)
		cli_say("removed %zu of %zu run%s", removed, count, bench_text_plural(count));
	return result;
}

/* The runs of --since and --until, else the one that the second operand names. */
static int choose_runs(struct cli_call *call, const char ***ids, size_t *count, struct bench_error *error)
{
	const struct cli_args *args = call->args;
	struct bench_app_period period;
	struct bench_run_row *rows;
	if (cli_change_store(call, error) != 0)
		return -1;
	if (!has_period(args)) {
		*ids = bench_arena_alloc(args->arena, 1, sizeof(**ids));
		*count = 1;
		return bench_app_find_run(call->store, args->operands[1], args->arena, &(*ids)[0], error);
	}
	if (cli_read_period(args, call->store, &period, error) != 0 ||
	    bench_store_runs(call->store, 0, args->arena, &rows, count, error) != 0)
		return -1;
	*count = bench_app_period_runs(&period, rows, *count);
	*ids = bench_arena_alloc(args->arena, *count + 1, sizeof(**ids));
	for (size_t i = 0; i < *count; i++)
		(*ids)[i] = rows[i].id;
	return *count > 0 ? 0 : bench_fail(error, BENCH_NOTHING, "no run began in that period");
}

/* The labels, as NAME=VALUE, in all runs that are chosen, or in none. */
static int set_labels(struct cli_call *call, const char *const *labels, size_t label_count, const char ***ids,
		      size_t *count, struct bench_error *error)
{
	int result = 0;

	if (choose_runs(call, ids, count, error) != 0 || bench_store_begin(call->store, error) != 0)
		return -1;
	for (size_t r = 0; r < *count; r++)
		for (size_t i = 0; result == 0 && i < label_count; i++) {
			char *name = bench_arena_string(call->args->arena, labels[i]),
			     *value = strchr(name, '=');
			*value++ = '\0';
			result = bench_app_label_run(call->store, (*ids)[r], name, value, error);
		}
	return bench_store_end(call->store, result, error);
}

static int label(struct cli_call *call, struct bench_error *error)
{
	const struct cli_args *args = call->args;
	const char **ids;
	size_t count;
	const size_t first = has_period(args) ? 1 : 2;
	if (args->operand_count <= first)
		return bench_fail(error, BENCH_USAGE, "bench runs label takes %s", label_takes);
	for (size_t i = first; i < args->operand_count; i++)
		if (args->operands[i][0] == '=' || !strchr(args->operands[i], '='))
			return bench_fail(
				error, BENCH_USAGE,
				"bench runs label: '%s': expected NAME=VALUE, or NAME= to remove it",
				args->operands[i]);
	if (set_labels(call, args->operands + first, args->operand_count - first, &ids, &count, error) != 0)
		return -1;
	if (count == 1)
		cli_say("run %s has new labels; its folder is unchanged", ids[0]);
	else
		cli_say("%zu runs have new labels; their folders are unchanged", count);
	return 0;
}

static int aside(struct cli_call *call, struct bench_error *error)
{
	const struct cli_args *args = call->args;
	const size_t first = has_period(args) ? 1 : 2;
	const char **ids;
	size_t count;
	if (args->operand_count != first + 1)
		return bench_fail(error, BENCH_USAGE, "bench runs aside takes %s", aside_takes);
	const char *why = args->operands[first];
	if (!*why)
		return bench_fail(error, BENCH_USAGE,
				  "bench runs aside needs a reason; 'bench runs label RUN aside=' undoes it");
	why = bench_arena_format(args->arena, "aside=%s", why);
	if (set_labels(call, &why, 1, &ids, &count, error) != 0)
		return -1;
	if (count == 1)
		cli_say("run %s is set aside: rolling baselines and 'last' skip it", ids[0]);
	else
		cli_say("%zu runs are set aside: rolling baselines and 'last' skip them", count);
	return 0;
}

static int list_renames(struct cli_call *call, struct bench_error *error)
{
	struct bench_rename_row *rows;
	size_t count;
	if (bench_store_renames(call->store, call->args->arena, &rows, &count, error) != 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		char created[40];
		bench_clock_iso(rows[i].created, created, sizeof(created));
		bench_text_add(&call->out, "%s  %s -> %s\n", created, rows[i].old, rows[i].now);
	}
	cli_print(&call->out, CLI_OK);
	if (count == 0)
		cli_say("no case was renamed");
	return 0;
}

static int rename_case(struct cli_call *call, struct bench_error *error)
{
	const struct cli_args *args = call->args;
	const bool undo = cli_given(args, "undo"), listed = args->operand_count == 1 && !undo;
	const char *const *names = args->operands + 1;
	if (has_period(args))
		return bench_fail(error, BENCH_USAGE, "bench runs rename takes names, and no period");
	if (!listed && args->operand_count != (undo ? 2 : 3))
		return bench_fail(error, BENCH_USAGE,
				  "bench runs rename takes the old and the new name of a case, or --undo and "
				  "the old one");
	if (cli_change_store(call, error) != 0)
		return -1;
	if (listed)
		return list_renames(call, error);
	if (undo ? bench_store_rename_undo(call->store, names[0], error) != 0
		 : bench_store_rename(call->store, names[0], names[1], error) != 0)
		return -1;
	if (undo)
		cli_say("%s has its old name again", names[0]);
	else
		cli_say("%s is %s from now on, in all runs; what was measured is unchanged", names[0],
			names[1]);
	return 0;
}

static const struct cli_word words[] = {
	{"rm", "runs", 1, SIZE_MAX, {"keep-folders"}, rm},
	{"label", label_takes, 2, SIZE_MAX, {0}, label},
	{"aside", aside_takes, 2, 3, {0}, aside},
	{"rename", "nothing, or the old and the new name of a case", 1, 3, {"undo"}, rename_case},
	{0},
};

const struct cli_verb cli_runs = {
	.name = "runs",
	.summary = "remove runs, label them, set them aside, or rename their cases",
	.usage = "rm RUN.. [--keep-folders]\nlabel RUN NAME=VALUE..\naside RUN WHY\n"
		 "label|aside --since WHEN [--until WHEN] ...\nrename OLD NEW\nrename [--undo OLD]",
	.about = "RUN is last, last~N or a run's id; 'bench list runs' lists them.\n"
		 "rm removes runs from the history, and their folders. It refuses, and removes nothing, if a "
		 "run belongs to a baseline, measured an anchor, is named by an open alarm, or begins an "
		 "accepted shift. It also refuses if a folder holds other files, is a link, or belongs to "
		 "another run; --keep-folders leaves all folders alone.\n"
		 "label changes labels in the history; NAME= removes one.\n"
		 "aside takes a run out of the comparison history: rolling baselines and 'last' skip it. "
		 "'label RUN aside=' undoes that.\n"
		 "rename gives a case (SUITE/BACKEND:DEVICE/PARAMETERS) another name wherever the history is "
		 "read, so that it keeps its history. 'rename --undo OLD' or a rename back reverses this; "
		 "'rename' alone lists what was renamed.\n"
		 "With --since or --until, label and aside take all runs of that period in place of RUN.\n"
		 "Exit status: 0; 2 usage, an unknown run, or one that is needed; 3 no history; 5 storage "
		 "failed, or a folder remains.",
	.examples = "bench runs rm last\n"
		    "bench runs rm 20261120-231503 20261121-231502 --keep-folders\n"
		    "bench runs label last host=quiet ticket=\n"
		    "bench runs aside last 'the fan was broken'\n"
		    "bench runs aside --since 2026-11-20 --until 2026-11-22 'the fan was broken'",
	.options = options,
	.max_operands = 10000,
	.words = words,
	.more = " ('bench list runs' lists the runs)",
};
