/* SPDX-License-Identifier: MIT */
/* bench runs: what is changed about runs that are there. */
#include <string.h>

#include "app/retention.h"
#include "app/runs.h"
#include "cli/arguments.h"
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
static int find_runs(const struct cli_args *args, struct bench_store *store, struct bench_arena *arena,
		     const char ***ids, size_t *count, struct bench_error *error)
{
	*ids = bench_arena_alloc(arena, args->operand_count, sizeof(**ids));
	*count = 0;
	for (size_t i = 1; i < args->operand_count; i++) {
		const char *id;
		bool again = false;
		if (bench_app_find_run(store, args->operands[i], arena, &id, error) != 0)
			return -1;
		again |= BENCH_FIND(*ids, *count, id) != NULL;
		if (!again)
			(*ids)[(*count)++] = id;
	}
	return 0;
}

static int rm(const struct cli_args *args, struct bench_store *store, struct bench_arena *arena,
	      struct bench_error *error)
{
	const char **ids;
	size_t count, removed;
	if (find_runs(args, store, arena, &ids, &count, error) != 0)
		return -1;
	const int result = bench_app_remove_runs(
		store, cli_given(args, "keep-folders") ? NULL : cli_places(args).runs_dir, ids, count,
		&removed, cli_host(), error);
	if (result == 0)
		cli_say("removed %zu run%s", count, bench_text_plural(count));
	else if (removed)
		cli_say("removed %zu of %zu run%s", removed, count, bench_text_plural(count));
	return result;
}

static bool has_period(const struct cli_args *args)
{
	return cli_given(args, "since") || cli_given(args, "until");
}

/* The runs of --since and --until, else the one that the second operand names. *rest: the operand behind it.
 */
static int choose_runs(const struct cli_args *args, struct bench_store *store, struct bench_arena *arena,
		       const char ***ids, size_t *count, size_t *rest, struct bench_error *error)
{
	struct bench_app_period period;
	struct bench_run_row *rows;
	*rest = has_period(args) ? 1 : 2;
	if (!has_period(args)) {
		*ids = bench_arena_alloc(arena, 1, sizeof(**ids));
		*count = 1;
		return bench_app_find_run(store, args->operands[1], arena, &(*ids)[0], error);
	}
	if (cli_read_period(args, store, &period, error) != 0 ||
	    bench_store_runs(store, 0, arena, &rows, count, error) != 0)
		return -1;
	*count = bench_app_period_runs(&period, rows, *count);
	*ids = bench_arena_alloc(arena, *count + 1, sizeof(**ids));
	for (size_t i = 0; i < *count; i++)
		(*ids)[i] = rows[i].id;
	return *count > 0 ? 0 : bench_fail(error, BENCH_NOTHING, "no run began in that period");
}

static int label(const struct cli_args *args, struct bench_store *store, struct bench_arena *arena,
		 struct bench_error *error)
{
	const char **ids;
	size_t count, rest;
	for (size_t i = has_period(args) ? 1 : 2; i < args->operand_count; i++)
		if (args->operands[i][0] == '=' || !strchr(args->operands[i], '='))
			return bench_fail(
				error, BENCH_USAGE,
				"bench runs label: '%s': expected NAME=VALUE, or NAME= to remove it",
				args->operands[i]);
	if (choose_runs(args, store, arena, &ids, &count, &rest, error) != 0 ||
	    bench_store_begin(store, error) != 0)
		return -1;
	int result = 0;
	for (size_t r = 0; r < count; r++)
		for (size_t i = rest; result == 0 && i < args->operand_count; i++) {
			char *name = bench_arena_string(arena, args->operands[i]), *value = strchr(name, '=');
			*value++ = '\0';
			result = bench_app_label_run(store, ids[r], name, value, error);
		}
	if (bench_store_end(store, result, error) != 0)
		return -1;
	if (count == 1)
		cli_say("run %s has new labels; its folder is unchanged", ids[0]);
	else
		cli_say("%zu runs have new labels; their folders are unchanged", count);
	return 0;
}

static int aside(const struct cli_args *args, struct bench_store *store, struct bench_arena *arena,
		 struct bench_error *error)
{
	const char **ids, *why = args->operands[has_period(args) ? 1 : 2];
	size_t count, rest;
	if (!*why)
		return bench_fail(error, BENCH_USAGE,
				  "bench runs aside needs a reason; 'bench runs label RUN aside=' undoes it");
	if (choose_runs(args, store, arena, &ids, &count, &rest, error) != 0 ||
	    bench_store_begin(store, error) != 0)
		return -1;
	int result = 0;
	for (size_t r = 0; r < count && result == 0; r++)
		result = bench_app_label_run(store, ids[r], "aside", why, error);
	if (bench_store_end(store, result, error) != 0)
		return -1;
	if (count == 1)
		cli_say("run %s is set aside: rolling baselines and 'last' skip it", ids[0]);
	else
		cli_say("%zu runs are set aside: rolling baselines and 'last' skip them", count);
	return 0;
}

static int list_renames(struct bench_store *store, struct bench_arena *arena, struct bench_error *error)
{
	struct bench_rename_row *rows;
	struct bench_text out = {0};
	size_t count;
	if (bench_store_renames(store, arena, &rows, &count, error) != 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		char created[40];
		bench_clock_iso(rows[i].created, created, sizeof(created));
		bench_text_add(&out, "%s  %s -> %s\n", created, rows[i].old, rows[i].now);
	}
	cli_print(&out, CLI_OK);
	if (count == 0)
		cli_say("no case was renamed");
	return 0;
}

static int rename_case(const struct cli_args *args, struct bench_store *store, struct bench_arena *arena,
		       struct bench_error *error)
{
	const bool undo = cli_given(args, "undo");
	const char *const *names = args->operands + 1;
	if (args->operand_count == 1 && !undo)
		return list_renames(store, arena, error);
	if (args->operand_count != (undo ? 2 : 3))
		return bench_fail(error, BENCH_USAGE,
				  "bench runs rename takes the old and the new name of a case, or --undo and "
				  "the old one");
	if (undo ? bench_store_rename_undo(store, names[0], error) != 0
		 : bench_store_rename(store, names[0], names[1], error) != 0)
		return -1;
	if (undo)
		cli_say("%s has its old name again", names[0]);
	else
		cli_say("%s is %s from now on, in all runs; what was measured is unchanged", names[0],
			names[1]);
	return 0;
}

static const struct word {
	const char *name, *takes;
	size_t least, most; /* operands, the word and one run included */
	int (*run)(const struct cli_args *args, struct bench_store *store, struct bench_arena *arena,
		   struct bench_error *error);
} words[] = {
	{"rm", "runs", 2, SIZE_MAX, rm},
	{"label", "a run (or --since, --until), and labels as NAME=VALUE", 3, SIZE_MAX, label},
	{"aside", "a run (or --since, --until), and why", 3, 3, aside},
	{"rename", "nothing, or the old and the new name of a case", 1, 3, rename_case},
};

#define WORDS (sizeof(words) / sizeof(words[0]))

static const struct word *find_word(const struct cli_args *args, struct bench_error *error)
{
	const struct word *word = cli_find_word(args, words, WORDS, sizeof(*words),
						" ('bench list runs' lists the runs)", error);
	const size_t period = has_period(args) ? 1 : 0, operands = args->operand_count + period;
	if (!word)
		return NULL;
	if (word->run == rename_case && period)
		bench_fail(error, BENCH_USAGE, "bench runs rename takes names, and no period");
	else if (cli_given(args, "undo") && word->run != rename_case)
		bench_fail(error, BENCH_USAGE, "--undo belongs to bench runs rename");
	else if (word->run == rm && period)
		bench_fail(error, BENCH_USAGE,
			   "bench runs rm takes runs, and no period: 'bench prune --older DAYS' removes "
			   "old ones");
	else if (word->run != rm && cli_given(args, "keep-folders"))
		bench_fail(error, BENCH_USAGE, "--keep-folders belongs to bench runs rm");
	else if (operands < word->least || operands > word->most)
		bench_fail(error, BENCH_USAGE, "bench runs %s takes %s", word->name, word->takes);
	else
		return word;
	return NULL;
}

static int runs(const struct cli_args *args)
{
	struct bench_store *store = NULL;
	struct bench_arena arena = {0};
	struct bench_error error;
	const struct word *word = find_word(args, &error);
	int status = CLI_OK;
	if (!word || bench_app_change_store(cli_places(args).db, &store, &error) != 0 ||
	    word->run(args, store, &arena, &error) != 0)
		status = cli_fail(&error);
	bench_arena_free(&arena);
	bench_store_close(store);
	return status;
}

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
		 "read, so that it keeps its history. --undo, or a rename back, takes that back; without a "
		 "name, it lists what was renamed.\n"
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
	.run = runs,
};
