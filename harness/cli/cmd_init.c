/* SPDX-License-Identifier: MIT */
/* bench init: a project file for the repository that is worked in. */
#include "app/project.h"
#include "cli/arguments.h"
#include "cli/call.h"
#include "cli/output.h"
#include "core/text.h"

static const struct cli_option options[] = {
	{0},
};

static int init(struct cli_call *call, struct bench_error *error)
{
	const char *folder = call->args->operand_count ? call->args->operands[0] : ".";
	BENCH_SCOPED_TEXT found = {0};
	int result = bench_app_project_init(folder, &found, error);
	if (result == 0) {
		bench_text_add_line(&call->out, folder);
		bench_text_add(&call->out,
			       "/" BENCH_APP_PROJECT " measures:\n%s\nto measure it now:\n  bench run\n",
			       found.data);
		result = cli_print(&call->out, CLI_OK);
	}
	return result;
}

const struct cli_verb cli_init = {
	.name = "init",
	.summary = "create a project file in this folder, and a .gitignore",
	.usage = "[FOLDER]",
	.about =
		"The file, .bench.json, holds what is measured in this repository, how a commit is built, "
		"presets, thresholds and owners of metrics, metrics to ignore, labels, and the place of runs "
		"and history. bench init looks for kernels (.cl with a specification), plug-ins, programs "
		"and binaries of Google Benchmark in the folder and below, and writes a file that measures "
		"them. So build first. It loads plug-ins and asks Google Benchmark for its list, and starts "
		"no other program. Verbs look for the file in the current folder and its parents. bench init "
		"also adds what bench writes to .gitignore. It does not change an "
		"existing project file: exit status 2.",
	.examples = "bench init\n"
		    "bench init benchmarks",
	.options = options,
	.max_operands = 1,
	.run = init,
};
