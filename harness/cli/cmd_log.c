/* SPDX-License-Identifier: MIT */
/* bench log: the experiment log. */
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "app/anchor.h"
#include "app/changes.h"
#include "app/runs.h"
#include "cli/arguments.h"
#include "cli/call.h"
#include "cli/output.h"
#include "cli/say.h"
#include "compare/duel.h"
#include "report/log/log.h"

#define MOST_RUNS      16
#define DUEL_THRESHOLD 0.01 /* as bench duel has it */

static const struct cli_option options[] = {
	{"append", 'a', "FILE", "put the entry into FILE, newest first (else it is printed)"},
	{"rewrite", 0, "FILE", "replace the entry of the run in FILE, and keep what people wrote"},
	{"show", 0, "FILE", "print an entry of FILE"},
	{"list", 0, "FILE", "list the entries of FILE"},
	{"grep", 0, "REGEX", "list: only entries with a line that matches, which is shown"},
	CLI_OPTIONS_PERIOD,
	{"index", 0, "FILE", "update the index of FILE, and nothing else"},
	{"title", 0, "TEXT", "what was tried"},
	{"hypothesis", 0, "TEXT", "what was expected, and why"},
	{"result", 0, "TEXT", "the outcome"},
	{"cause", 0, "TEXT", "the reason for it"},
	{"next", 0, "TEXT", "the next step"},
	{"note", 0, "TEXT", "anything else"},
	CLI_OPTIONS_COMPARE_WITH("what the entry compares with"),
	CLI_OPTION_DB,
	CLI_OPTION_RUNS_DIR,
	CLI_OPTION_FORMAT,
	{0},
};

static const struct cli_default defaults[] = {
	{"baseline", NULL, NULL, "the previous run"},
	{"title", NULL, NULL, "the label 'title', else suites and devices"},
	{0},
};

/* Names of the options of the fields, in the order of enum bench_log_field. */
static const char *const field_options[BENCH_LOG_FIELDS] = {"hypothesis", "result", "cause", "next", "note"};

static void read_texts(const struct cli_args *args, struct bench_log_texts *texts)
{
	texts->title = cli_value(args, "title");
	for (size_t i = 0; i < BENCH_LOG_FIELDS; i++)
		texts->fields[i] = cli_value(args, field_options[i]);
}

/* A run folder below the current folder gets its relative path, since a log is part of its tree. */
static void shorten_folder(struct bench_run *run)
{
	char here[PATH_MAX];
	if (!getcwd(here, sizeof(here)))
		return;
	size_t length = strlen(here);
	if (strncmp(run->folder, here, length) == 0 && run->folder[length] == '/')
		run->folder = bench_arena_string(&run->arena, run->folder + length + 1);
}

/* The runs of an entry, with their comparisons. */
struct logged {
	struct cli_call *call; /* whose store is NULL where run folders need none */
	struct bench_run *runs[MOST_RUNS];
	struct bench_comparison *comparisons[MOST_RUNS];
	struct bench_log_run parts[MOST_RUNS];
	size_t count;
};

static void free_logged(struct logged *logged)
{
	for (size_t i = 0; i < logged->count; i++) {
		bench_compare_free(logged->comparisons[i]);
		bench_record_free(logged->runs[i]);
	}
}

/* With the named baseline, or the run before; a duel compares its two sides. */
static int compare(struct logged *logged, size_t at, struct bench_error *error)
{
	const struct bench_run *run = logged->runs[at];
	const char *base = bench_record_label(run, "duel_base");
	const struct bench_duel_options judging = {
		.base_name = base, .threshold = DUEL_THRESHOLD, .alpha = 0.01, .floor = BENCH_COMPARE_FLOOR};
	logged->parts[at].pairs =
		!cli_given(logged->call->args, "baseline") && *base && !bench_app_anchor_has(run);
	if (logged->parts[at].pairs)
		return bench_compare_duel(run, &judging, &logged->comparisons[at], error);
	return cli_compare_run(logged->call->args, logged->call->store, run, &logged->comparisons[at], error);
}

/* The commit of the newest run of the baseline, which may be a folder outside the history; "": unknown. */
static int commit_of_baseline(struct logged *logged, const struct bench_comparison *comparison,
			      const char **commit, struct bench_error *error)
{
	const char *const names[] = {
		comparison->baseline_count ? comparison->baseline_ids[0] : "",
		cli_given(logged->call->args, "baseline") ? cli_value(logged->call->args, "baseline") : ""};
	const char *runs_dir = cli_places(logged->call->args).runs_dir;
	*commit = "";
	for (size_t i = 0; i < 2; i++) {
		BENCH_SCOPED_RUN *run = NULL;
		if (!*names[i])
			continue;
		if (bench_app_load_run(logged->call->store, runs_dir, names[i], &run, error) == 0) {
			*commit = bench_arena_string(logged->call->args->arena,
						     run->git.present ? run->git.commit : "");
			return 0;
		}
		if (error->code == BENCH_NO_MEMORY)
			return -1;
	}
	return 0;
}

static int find_changes(struct logged *logged, size_t at, const struct bench_commits **known,
			struct bench_error *error)
{
	struct bench_arena *arena = logged->call->args->arena;
	const struct bench_git *git = &logged->runs[at]->git;
	const char *base;
	if (commit_of_baseline(logged, logged->comparisons[at], &base, error) != 0)
		return -1;
	if (!*base || !git->present || !*git->commit)
		return 0;
	struct bench_commits *changes = bench_arena_alloc(arena, 1, sizeof(*changes));
	bench_app_changes(".", base, git->commit, arena, changes);
	*known = changes;
	return 0;
}

static int load(struct logged *logged, const char *name, struct bench_error *error)
{
	const struct cli_args *args = logged->call->args;
	size_t at = logged->count;
	struct bench_log_run *part = &logged->parts[at];
	if (bench_app_load_run(logged->call->store, cli_places(args).runs_dir, name, &logged->runs[at],
			       error) != 0)
		return -1;
	logged->count++;
	shorten_folder(logged->runs[at]);
	part->run = logged->runs[at];
	for (size_t i = 0; i < at; i++)
		if (strcmp(logged->runs[i]->id, logged->runs[at]->id) == 0)
			return bench_fail(error, BENCH_USAGE, "run %s is named twice", logged->runs[at]->id);
	if (compare(logged, at, error) == 0) {
		part->comparison = logged->comparisons[at];
		return part->pairs ? 0 : find_changes(logged, at, &part->changes, error);
	}
	/* A baseline that the user named must exist; otherwise the entry says why there is no comparison. */
	if (cli_given(args, "baseline") || error->code == BENCH_USAGE || error->code == BENCH_ENVIRONMENT ||
	    error->code == BENCH_NO_MEMORY)
		return -1;
	part->why_not = bench_arena_string(logged->call->args->arena, error->text);
	part->first = error->code == BENCH_NOTHING;
	return 0;
}

static int load_all(struct logged *logged, struct bench_error *error)
{
	const struct cli_args *args = logged->call->args;
	const char *first = args->operand_count ? args->operands[0] : "last";
	/* A run folder needs no history. */
	if (bench_app_try_store(cli_places(args).db, cli_given(args, "baseline") ? NULL : first,
				&logged->call->store, error) != 0)
		return -1;
	if (args->operand_count == 0)
		return load(logged, first, error);
	for (size_t i = 0; i < args->operand_count; i++)
		if (load(logged, args->operands[i], error) != 0)
			return -1;
	return 0;
}

static int write_entry(struct cli_call *call, struct bench_error *error)
{
	struct logged logged = {.call = call};
	struct bench_log_texts texts;
	BENCH_SCOPED_TEXT entry = {0};
	const char *append = cli_value(call->args, "append"), *rewrite = cli_value(call->args, "rewrite");
	read_texts(call->args, &texts);
	int result = load_all(&logged, error);
	if (result == 0)
		bench_log_entry(logged.parts, logged.count, &texts, &entry);
	if (result == 0 && append)
		result = bench_log_append(append, logged.parts, logged.count, entry.data, error);
	else if (result == 0 && rewrite)
		result = bench_log_rewrite(rewrite, logged.parts, logged.count, entry.data, &texts, error);
	else if (result == 0)
		result = cli_print(&entry, CLI_OK);
	if (result == 0 && (append || rewrite))
		cli_say("%s has an entry for run %s", append ? append : rewrite, logged.runs[0]->id);
	free_logged(&logged);
	return result;
}

static int write_index(struct cli_call *call, const char *path, const char *name, struct bench_error *error)
{
	(void)call;
	(void)name;
	if (bench_log_index(path, error) != 0)
		return -1;
	cli_say("%s has a new index", path);
	return CLI_OK;
}

static int show(struct cli_call *call, const char *path, const char *name, struct bench_error *error)
{
	BENCH_SCOPED_TEXT entry = {0};
	if (bench_log_show(path, name, &entry, error) != 0)
		return -1;
	bench_text_add_lines(&call->out, entry.data);
	return cli_print(&call->out, CLI_OK);
}

/* On a terminal, sentences stand below their entry: columns of them would cut one another. */
static void add_item(struct bench_grid *grid, const struct bench_log_item *item, bool below)
{
	bench_render_grid_add(grid,
			      (const char *const[]){item->date, item->title, item->suites, item->runs,
						    below ? "" : item->result, below ? "" : item->match});
	if (below && *item->result)
		bench_render_grid_under(grid, grid->row_count - 1, item->result);
	if (below && *item->match && strcmp(item->match, item->result) != 0)
		bench_render_grid_under(grid, grid->row_count - 1, item->match);
}

static int list(struct cli_call *call, const char *path, const char *name, struct bench_error *error)
{
	static const struct bench_grid_column columns[] = {{"date", false, 0},   {"title", false, 0},
							   {"suites", false, 6}, {"runs", false, 5},
							   {"result", false, 0}, {"match", false, 0}};
	const char *pattern = cli_value(call->args, "grep");
	struct bench_app_period period;
	struct bench_log_item *items;
	size_t count;
	(void)name;
	if (cli_read_period(call->args, NULL, &period, error) != 0 ||
	    bench_log_list(path, pattern, call->args->arena, &items, &count, error) != 0)
		return -1;
	bench_render_grid_columns(&call->grid, columns, sizeof(columns) / sizeof(columns[0]) - !pattern);
	for (size_t i = 0; i < count; i++)
		if (bench_app_period_has_date(&period, items[i].date))
			add_item(&call->grid, &items[i], call->report.width > 0);
	return cli_print_grid(call, CLI_OK);
}

/* What --index, --show and --list do, and what they take. */
static const struct action {
	const char *option;
	int (*run)(struct cli_call *call, const char *path, const char *name, struct bench_error *error);
	bool named;          /* takes a run or a date */
	const char *also[5]; /* options that it takes */
} actions[] = {
	{"index", write_index, false, {0}},
	{"show", show, true, {0}},
	{"list", list, false, {"format", "grep", "since", "until"}},
};

enum { LIST = 2 }; /* its place among the actions */

static bool takes(const struct action *action, const char *option)
{
	bool is = strcmp(option, action->option) == 0 || strcmp(option, CLI_PROJECT) == 0;
	for (size_t i = 0; action->also[i] && !is; i++)
		is = strcmp(option, action->also[i]) == 0;
	return is;
}

/* Refuses every option that would have no effect. */
static int check_action(const struct cli_args *args, const struct action *action, struct bench_error *error)
{
	if (args->operand_count > (action->named ? 1 : 0))
		return bench_fail(error, BENCH_USAGE, "bench log --%s takes %s", action->option,
				  action->named ? "one run, or a date" : "a file, and no run");
	for (size_t i = args->project_count; i < args->given_count; i++) {
		const char *name = args->given[i]->name;
		if (!takes(action, name))
			return bench_fail(error, BENCH_USAGE,
					  "bench log --%s and --%s cannot be given together", action->option,
					  name);
	}
	return 0;
}

static int write_log(struct cli_call *call, struct bench_error *error)
{
	const struct cli_args *args = call->args;
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		if (!cli_given(args, actions[i].option))
			continue;
		if (check_action(args, &actions[i], error) != 0)
			return -1;
		return actions[i].run(call, cli_value(args, actions[i].option),
				      args->operand_count ? args->operands[0] : NULL, error);
	}
	if (cli_given(args, "append") && cli_given(args, "rewrite"))
		return bench_fail(
			error, BENCH_USAGE,
			"--append is for a run without an entry, --rewrite for one with; give one of them");
	for (size_t i = args->project_count; i < args->given_count; i++) {
		const char *name = args->given[i]->name;
		if (takes(&actions[LIST], name) && strcmp(name, CLI_PROJECT) != 0)
			return bench_fail(error, BENCH_USAGE, "bench log: --%s is for --list%s", name,
					  strcmp(name, "format") == 0 ? "; an entry is Markdown" : "");
	}
	return write_entry(call, error);
}

const struct cli_verb cli_log = {
	.name = "log",
	.summary = "write, list and show entries of the experiment log",
	.usage = "[RUN..] [--baseline NAME|RUN] [--title TEXT] [--append|--rewrite EXPERIMENTS.md]\n"
		 "[RUN|DATE] --show EXPERIMENTS.md\n"
		 "--list EXPERIMENTS.md [--grep REGEX] [--since WHEN] [--until WHEN]\n"
		 "--index EXPERIMENTS.md",
	.about = "An entry has the outcome in a sentence, the commands with their environment, the machine, "
		 "what changed since the baseline's commit and in the work tree, the cases that moved and\n"
		 "the verdicts, and fields for people: Hypothesis, Result, Cause, Next, Notes. One run has "
		 "one\n"
		 "entry: a second one is refused. --rewrite replaces it by an entry of the same runs, or "
		 "more, and\n"
		 "keeps title, fields and all sections that people added. Each change updates the index.",
	.examples = "bench log\n"
		    "bench log last --baseline main --title 'Wider tiles' --result 'They pay from 1024 on.' "
		    "--append EXPERIMENTS.md\n"
		    "bench log 20261120-231503 20261120-233949 --append EXPERIMENTS.md\n"
		    "bench log 20261120-231503 --rewrite EXPERIMENTS.md --cause 'The tile fits the cache.'\n"
		    "bench log --list EXPERIMENTS.md --grep 'tile|cache' --since 2026-11-01\n"
		    "bench log --index EXPERIMENTS.md",
	.options = options,
	.defaults = defaults,
	.rendered = BENCH_RENDERED_GRID,
	.max_operands = MOST_RUNS,
	.run = write_log,
};
