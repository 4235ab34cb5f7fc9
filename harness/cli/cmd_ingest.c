/* SPDX-License-Identifier: MIT */
/* bench ingest: run folders into the history. */

#include "app/runs.h"
#include "cli/arguments.h"
#include "cli/call.h"
#include "cli/exit.h"
#include "cli/say.h"

static const struct cli_option options[] = {
	CLI_OPTION_DB,
	{0},
};

static const char *const said[] = {
	[BENCH_APP_TAKEN] = "taken in",
	[BENCH_APP_KNOWN] = "is in the history already",
	[BENCH_APP_LIVE] =
		"is still being measured: it is taken in when it has ended (without --no-store, by itself)",
	[BENCH_APP_EMPTY] = "holds nothing: it was cut short before anything was written",
};

static int ingest(struct cli_call *call, struct bench_error *error)
{
	const struct cli_args *args = call->args;
	bool failed = false, some = false, live = false;
	if (args->operand_count == 0)
		return bench_fail(error, BENCH_USAGE, "bench ingest needs run folders: bench ingest runs/*");
	if (bench_store_open(cli_places(args).db, BENCH_STORE_WRITE, &call->store, error) != 0)
		return -1;
	for (size_t i = 0; i < args->operand_count; i++) {
		enum bench_app_ingested what;
		/* One bad folder does not keep the others out. */
		if (bench_app_ingest(call->store, args->operands[i], &what, error) != 0) {
			failed = true;
			cli_fail(error);
			continue;
		}
		cli_say("%s: %s", args->operands[i], said[what]);
		some |= what == BENCH_APP_TAKEN || what == BENCH_APP_KNOWN;
		live |= what == BENCH_APP_LIVE;
	}
	return failed ? CLI_ENVIRONMENT : live || !some ? CLI_NOTHING : CLI_OK;
}

const struct cli_verb cli_ingest = {
	.name = "ingest",
	.summary = "add run folders to the history",
	.usage = "RUN_DIR..",
	.about = "A run that is already stored does not change, unless its folder has more: a resumed run "
		 "replaces what was stored when it was killed or interrupted. A killed run has no "
		 "metrics.json; its finished cases are read from samples.jsonl.\n"
		 "Exit status: 5 if a folder could not be read; else 3 if one is still being measured, or "
		 "none has results; else 0.",
	.examples = "bench ingest runs/20261120-231503\n"
		    "bench ingest runs/2026*",
	.options = options,
	.max_operands = 1000000,
	.run = ingest,
};
