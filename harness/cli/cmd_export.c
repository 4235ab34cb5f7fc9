/* SPDX-License-Identifier: MIT */
/* bench export: a run as others read it. */
#include <string.h>

#include "cli/arguments.h"
#include "cli/call.h"
#include "cli/output.h"
#include "cli/say.h"
#include "interchange/interchange.h"

static const struct cli_option options[] = {
	{"to", 0, "F", "gbench, bmf, go, csv or openmetrics; of samples, csv or jsonl"},
	{"samples", 0, NULL, "every sample as a row, for analysis"},
	CLI_OPTIONS_PERIOD,
	CLI_OPTION_DB,
	CLI_OPTION_RUNS_DIR,
	{0},
};

static const struct cli_default defaults[] = {
	{"to", "--samples", "csv", NULL},
	{0},
};

/* Where --to stands for it: of a tool, or NULL for rows of samples. */
struct form {
	const struct bench_interchange_format *format;
	bool json;
};

static int read_form(const struct cli_args *args, struct form *form, struct bench_error *error)
{
	static const char *const rows[] = {"csv", "jsonl"};
	const char *to = cli_value(args, "to");
	*form = (struct form){0};
	if (!to)
		return bench_fail(error, BENCH_USAGE,
				  "bench export needs a format: --to gbench ('bench help export')");
	form->json = strcmp(to, rows[1]) == 0;
	if (cli_given(args, "samples"))
		return form->json || strcmp(to, rows[0]) == 0
			       ? 0
			       : bench_text_no_such("format of samples", to, rows, 2, "", error);
	if (form->json)
		return bench_fail(error, BENCH_USAGE, "jsonl holds samples: add --samples");
	return bench_interchange_find(to, true, &form->format, error);
}

static int print_all(struct cli_call *call, const struct bench_interchange_notes *notes)
{
	for (size_t i = 0; i < notes->count; i++)
		cli_say("%s", notes->lines[i]);
	return cli_print(&call->out, CLI_OK);
}

/* Adds a run behind others. The first line of CSV names the columns, which depend on what was measured. */
static int add_run(const struct form *form, const struct bench_run *run,
		   struct bench_interchange_notes *notes, struct bench_text *out, struct bench_error *error)
{
	BENCH_SCOPED_TEXT one = {0};
	int result = 0;
	if (!form->format) {
		bench_interchange_samples(run, form->json, out);
		return 0;
	}
	form->format->write(run, notes, &one);
	const bool again = strcmp(form->format->name, "csv") == 0 && out->length > 0;
	const size_t head = again ? strcspn(one.data, "\n") + 1 : 0;
	if (head == 0 || strncmp(out->data, one.data, head) == 0)
		bench_text_add(out, "%s", one.data + head);
	else
		result = bench_fail(
			error, BENCH_USAGE,
			"run %s has other parameters than the runs before it, and so other columns: "
			"export it separately",
			run->id);
	return result;
}

/*
 * The runs of a period, oldest first, in a form that holds several. Samples are many: those of each run are
 * printed at once.
 */
static int write_period(struct cli_call *call, const struct form *form, struct bench_interchange_notes *notes,
			struct bench_error *error)
{
	const struct cli_args *args = call->args;
	const char *to = form->format ? form->format->name : "csv";
	struct bench_app_period period;
	struct bench_run_row *rows;
	size_t count;
	int status = CLI_OK;
	if (args->operand_count > 0)
		return bench_fail(error, BENCH_USAGE, "bench export takes a run or a period, and not both");
	if (strcmp(to, "csv") != 0 && strcmp(to, "go") != 0)
		return bench_fail(error, BENCH_USAGE,
				  "bench export --to %s holds one run; --since and --until are for csv, go "
				  "and --samples",
				  to);
	if (cli_open_store(call, error) != 0 || cli_read_period(args, call->store, &period, error) != 0 ||
	    bench_store_runs(call->store, 0, args->arena, &rows, &count, error) != 0)
		return -1;
	count = bench_app_period_runs(&period, rows, count);
	if (count == 0)
		return bench_fail(error, BENCH_NOTHING, "no run began in that period");
	for (size_t i = count; i-- > 0 && status == CLI_OK;) {
		BENCH_SCOPED_RUN *run = NULL;
		if (bench_store_load(call->store, rows[i].id, &run, error) != 0 ||
		    add_run(form, run, notes, &call->out, error) != 0)
			status = -1;
		else if (!form->format)
			status = cli_print(&call->out, CLI_OK);
	}
	return status == CLI_OK ? print_all(call, notes) : status;
}

static int write_run(struct cli_call *call, const struct form *form, struct bench_interchange_notes *notes,
		     struct bench_error *error)
{
	const char *name = call->args->operand_count ? call->args->operands[0] : "last";
	BENCH_SCOPED_RUN *run = NULL;
	int result = cli_load_run(call, name, false, &run, error);
	if (result == 0)
		result = add_run(form, run, notes, &call->out, error);
	return result == 0 ? print_all(call, notes) : -1;
}

static int export(struct cli_call *call, struct bench_error *error)
{
	struct form form;
	struct bench_interchange_notes notes = {0};
	if (read_form(call->args, &form, error) != 0)
		return -1;
	if (!form.format && !form.json)
		bench_interchange_samples_head(&call->out);
	const bool period = cli_given(call->args, "since") || cli_given(call->args, "until");
	int status = (period ? write_period : write_run)(call, &form, &notes, error);
	bench_arena_free(&notes.arena);
	return status;
}

const struct cli_verb cli_export = {
	.name = "export",
	.summary = "write a run in the format of another benchmark tool",
	.usage = "[RUN] --to F\n--since WHEN [--until WHEN] --to csv|go\n[RUN | --since WHEN [--until WHEN]] "
		 "--samples [--to csv|jsonl]",
	.about = "RUN is last (the default), last~N, a run's id, a run folder, or a baseline of one run. "
		 "Standard error lists what the format cannot hold; csv holds every sample. To export "
		 "verdicts, use 'bench compare --format junit'. csv and go hold all runs of a period, oldest "
		 "first. --samples has the same columns for every run, named as those of the views in the "
		 "database, and is not meant to be imported.",
	.examples = "bench export --to gbench > after.json\n"
		    "bench export last~1 --to go > old.txt\n"
		    "bench export --since 7d --to go > week.txt\n"
		    "bench export --since 90d --samples > samples.csv\n"
		    "bench export --to openmetrics > /var/lib/node_exporter/bench.prom",
	.options = options,
	.max_operands = 1,
	.defaults = defaults,
	.run = export,
};
