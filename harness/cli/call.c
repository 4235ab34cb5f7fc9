/* SPDX-License-Identifier: MIT */
#include "cli/call.h"

#include <string.h>

#include "app/runs.h"
#include "cli/arguments.h"
#include "cli/output.h"
#include "cli/say.h"

/* Refuses what is on the command line, and is an option of other words alone. */
static int check_options(const struct cli_args *args, const struct cli_word *word, struct bench_error *error)
{
	for (size_t i = args->project_count; i < args->given_count; i++) {
		const char *name = args->given[i]->name;
		const struct cli_word *other = args->verb->words;
		while (other->name && !cli_is_among(name, other->options))
			other++;
		if (other->name && !cli_is_among(name, word->options))
			return bench_fail(error, BENCH_USAGE, "bench %s %s has no --%s; %s has it",
					  args->verb->name, word->name, name, other->name);
	}
	return 0;
}

static int check_operands(const struct cli_args *args, const struct cli_word *word, struct bench_error *error)
{
	if (args->operand_count >= word->least && args->operand_count <= word->most)
		return check_options(args, word, error);
	if (word->takes)
		return bench_fail(error, BENCH_USAGE, "bench %s %s takes %s", args->verb->name, word->name,
				  word->takes);
	return bench_fail(error, BENCH_USAGE, "bench %s %s takes no '%s'", args->verb->name, word->name,
			  args->operands[word->most]);
}

/* BENCH_USAGE, with the list of words, where the first operand is missing or none of them. */
static int no_such_word(const struct cli_args *args, struct bench_error *error)
{
	const struct cli_verb *verb = args->verb;
	const char *more = verb->more ? verb->more : "", **names = NULL;
	struct bench_text text = {0};
	size_t count = 0;
	for (const struct cli_word *word = verb->words; word->name; word++) {
		bench_text_add(&text, "%s%s", count ? ", " : "", word->name);
		BENCH_PUSH(args->arena, names, count) = word->name;
	}
	const char *list = bench_text_keep(&text, args->arena);
	if (args->operand_count == 0)
		return bench_fail(error, BENCH_USAGE, "bench %s takes one of %s%s", verb->name, list, more);
	const char *given = args->operands[0], *nearest = bench_text_nearest(given, names, count);
	return bench_fail(error, BENCH_USAGE, "bench %s: '%s' is not one of %s%s%s%s%s", verb->name, given,
			  list, BENCH_DID_YOU_MEAN(nearest), more);
}

static int run_word(struct cli_call *call, struct bench_error *error)
{
	const struct cli_args *args = call->args;
	const struct cli_word *word = args->verb->words;
	if (args->operand_count)
		while (word->name && strcmp(word->name, args->operands[0]) != 0)
			word++;
	else if (word->least)
		return no_such_word(args, error);
	if (!word->name)
		return no_such_word(args, error);
	return check_operands(args, word, error) == 0 ? word->run(call, error) : -1;
}

int cli_call(struct cli_args *args)
{
	struct cli_call call = {.args = args};
	struct bench_error error;
	int status = cli_report_options(args, &call.report, &error);
	if (status == 0)
		status = args->verb->words ? run_word(&call, &error) : args->verb->run(&call, &error);
	if (status < 0)
		status = cli_refuse(args, &call.report, &error);
	bench_render_grid_free(&call.grid);
	bench_text_free(&call.out);
	bench_store_close(call.store);
	return status;
}

int cli_open_store(struct cli_call *call, struct bench_error *error)
{
	return bench_app_open_store(cli_places(call->args).db, &call->store, error);
}

int cli_change_store(struct cli_call *call, struct bench_error *error)
{
	return bench_app_change_store(cli_places(call->args).db, &call->store, error);
}

int cli_load_run(struct cli_call *call, const char *name, bool history, struct bench_run **run,
		 struct bench_error *error)
{
	const struct bench_app_places places = cli_places(call->args);
	struct bench_error no_store;
	if (!call->store &&
	    bench_app_try_store(places.db, history ? NULL : name, &call->store, &no_store) != 0) {
		*error = no_store;
		return -1;
	}
	int result = bench_app_load_run(call->store, places.runs_dir, name, run, error);
	if (result != 0 && !call->store)
		cli_say("%s", no_store.text);
	return result;
}

void cli_add_grid(struct cli_call *call)
{
	call->report.format->grid(&call->grid, &call->report, &call->out);
}

int cli_print_grid(struct cli_call *call, int status)
{
	cli_add_grid(call);
	return cli_print(&call->out, status);
}

int cli_print_rows(struct cli_call *call, int status)
{
	if (call->grid.row_count > 0 || !call->report.format->terminal)
		cli_add_grid(call);
	return cli_print(&call->out, status);
}
