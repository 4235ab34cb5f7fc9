/* SPDX-License-Identifier: MIT */
/* bench export: a run as others read it. */
#include "app/runs.h"
#include "cli/arguments.h"
#include "cli/output.h"
#include "cli/say.h"
#include "interchange/interchange.h"

static const struct cli_option options[] = {
	{"to", 0, "F", "gbench, bmf, go, csv or openmetrics"},
	CLI_OPTION_DB,
	CLI_OPTION_RUNS_DIR,
	{0},
};

static int export(const struct cli_args *args)
{
	const struct bench_app_places places = cli_places(args);
	const char *name = args->operand_count ? args->operands[0] : "last";
	const char *to = cli_value(args, "to");
	const struct bench_interchange_format *format;
	struct bench_interchange_notes notes = {0};
	struct bench_error error, no_store = {0};
	struct bench_store *store = NULL;
	struct bench_run *run = NULL;
	struct bench_text out = {0};
	int status;
	if (!to)
		bench_fail(&error, BENCH_USAGE,
			   "bench export needs a format: --to gbench ('bench help export')");
	if (!to || bench_interchange_find(to, true, &format, &error) != 0)
		return cli_fail(&error);
	if (bench_app_try_store(places.db, name, &store, &no_store) != 0)
		return cli_fail(&no_store);
	if (bench_app_load_run(store, places.runs_dir, name, &run, &error) == 0) {
		format->write(run, &notes, &out);
		for (size_t i = 0; i < notes.count; i++)
			cli_say("%s", notes.lines[i]);
		status = cli_print(&out, CLI_OK);
	} else {
		status = cli_fail(&error);
		if (!store)
			cli_fail(&no_store);
	}
	bench_arena_free(&notes.arena);
	bench_record_free(run);
	bench_store_close(store);
	return status;
}

const struct cli_verb cli_export = {
	.name = "export",
	.summary = "write a run in the format of another benchmark tool",
	.usage = "[RUN] --to F",
	.about = "RUN is last (the default), last~N, a run's id, a run folder, or a baseline of one run. "
		 "Standard error lists what the format cannot hold; csv holds every sample. To export "
		 "verdicts, use 'bench compare --format junit'.",
	.examples = "bench export --to gbench > after.json\n"
		    "bench export last~1 --to go > old.txt\n"
		    "bench export --to openmetrics > /var/lib/node_exporter/bench.prom",
	.options = options,
	.max_operands = 1,
	.run = export,
};
