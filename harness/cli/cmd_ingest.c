/* bench ingest: run folders into the history. */

#include "cli/arguments.h"
#include "cli/exit.h"
#include "cli/say.h"

static const struct cli_option options[] = {
	CLI_OPTION_DB,
	{0},
};

static int ingest(const struct cli_args *args)
{
	struct bench_error error;
	struct bench_store *store = NULL;
	int status = CLI_OK;
	if (args->operand_count == 0) {
		bench_fail(&error, BENCH_USAGE, "bench ingest needs run folders: bench ingest runs/*");
		return cli_fail(&error);
	}
	if (bench_store_open(cli_places(args).db, BENCH_STORE_WRITE, &store, &error) != 0)
		return cli_fail(&error);
	for (size_t i = 0; i < args->operand_count; i++) {
		struct bench_run *run = NULL;
		bool added = false;
		/* One bad folder does not keep the others out. */
		bool loaded = bench_record_load_folder(args->operands[i], &run, &error) == 0;
		if (!loaded && error.code == BENCH_NOTHING) /* a run that was killed at its start */
			cli_say("%s; nothing to take in", error.text);
		else if (!loaded || bench_store_ingest(store, run, &added, &error) != 0)
			status = cli_fail(&error);
		else
			cli_say("%s: %s", args->operands[i],
				added ? "taken in" : "is in the history already");
		bench_record_free(run);
	}
	bench_store_close(store);
	return status;
}

const struct cli_verb cli_ingest = {
	.name = "ingest",
	.summary = "take run folders into the history",
	.usage = "RUN_DIR..",
	.about = "A run that is there already changes nothing. A run that was killed has no metrics.json; "
		 "what it\n"
		 "had finished is taken from its samples.jsonl.",
	.examples = "bench ingest runs/20261120-231503\n"
		    "bench ingest runs/2026*",
	.options = options,
	.max_operands = 1000000,
	.run = ingest,
};
