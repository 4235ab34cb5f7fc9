/* bench log: an entry of the experiment log. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/runs.h"
#include "cli/arguments.h"
#include "cli/output.h"
#include "cli/say.h"
#include "report/log/log.h"

static const struct cli_option options[] = {
	{"append", 'a', "FILE", "put the entry into FILE, newest first (else it is printed)"},
	{"index", 0, "FILE", "make the index of FILE anew, and nothing else"},
	{"note", 0, "TEXT", "what came of it"},
	CLI_OPTIONS_COMPARE_WITH("put a comparison with this into the entry"),
	CLI_OPTION_DB,
	CLI_OPTION_RUNS_DIR,
	{0},
};

/* A log stands in the tree that it is about: the run folder is named from where the user stands, if it is
 * below. */
static void shorten_folder(struct bench_run *run)
{
	char here[PATH_MAX];
	if (!getcwd(here, sizeof(here)))
		return;
	size_t length = strlen(here);
	if (strncmp(run->folder, here, length) == 0 && run->folder[length] == '/')
		run->folder = bench_arena_string(&run->arena, run->folder + length + 1);
}

static int write_index(const struct cli_args *args)
{
	struct bench_error error;
	const char *path = cli_value(args, "index", NULL);
	if (args->operand_count > 0 || args->given_count > 1) {
		bench_fail(&error, BENCH_USAGE,
			   "bench log --index takes a file, and no run or other option beside it: --append "
			   "makes the index too");
		return cli_fail(&error);
	}
	if (bench_log_index(path, &error) != 0)
		return cli_fail(&error);
	cli_say("the index of %s is made anew", path);
	return CLI_OK;
}

static int write_log(const struct cli_args *args)
{
	if (cli_given(args, "index"))
		return write_index(args);
	struct bench_error error;
	struct bench_store *store = NULL;
	struct bench_run *run = NULL;
	struct bench_comparison *comparison = NULL;
	struct bench_text out = {0};
	int status;
	const char *name = args->operand_count ? args->operands[0] : "last";
	const char *path = cli_value(args, "append", NULL);
	/* A run folder needs no history. */
	if (bench_app_try_store(cli_places(args).db, cli_given(args, "baseline") ? NULL : name, &store,
				&error) != 0 ||
	    bench_app_load_run(store, cli_places(args).runs_dir, name, &run, &error) != 0 ||
	    /* An entry has a comparison where one is asked for. */
	    (cli_given(args, "baseline") && cli_compare_run(args, store, run, &comparison, &error) != 0)) {
		status = cli_fail(&error);
		goto out;
	}
	shorten_folder(run);
	bench_log_entry(run, comparison, cli_value(args, "note", NULL), &out);
	if (!path) {
		status = cli_print(&out, CLI_OK);
	} else if (bench_log_append(path, run, out.data, &error) != 0) {
		status = cli_fail(&error);
	} else {
		cli_say("%s has an entry for run %s", path, run->id);
		status = CLI_OK;
	}
out:
	bench_text_free(&out);
	bench_compare_free(comparison);
	bench_record_free(run);
	bench_store_close(store);
	return status;
}

const struct cli_verb cli_log = {
	.name = "log",
	.summary = "write an entry of the experiment log",
	.usage =
		"[RUN] [--baseline NAME|RUN] [--note TEXT] [--append EXPERIMENTS.md]\n--index EXPERIMENTS.md",
	.about = "One run has one entry: a second one is refused. The index at the top is made anew with "
		 "each.",
	.examples = "bench log\n"
		    "bench log last --baseline main --note 'Wider tiles pay from 1024 on.' --append "
		    "EXPERIMENTS.md\n"
		    "bench log --index EXPERIMENTS.md",
	.options = options,
	.max_operands = 1,
	.run = write_log,
};
