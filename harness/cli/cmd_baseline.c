/* SPDX-License-Identifier: MIT */
/* bench baseline: named sets of runs to compare with, and shifts that were accepted. */
#include <string.h>

#include "app/baseline.h"
#include "cli/arguments.h"
#include "cli/call.h"
#include "cli/host.h"
#include "cli/output.h"
#include "cli/say.h"
#include "core/clock.h"
#include "core/text.h"

static const struct cli_option options[] = {
	{"why", 0, "TEXT", "accept: why the shift is right"},
	{"since", 0, "RUN", "accept, unaccept: the first run of the new level"},
	{"all-hosts", 0, NULL, "accept: for all hosts, not only the run's"},
	CLI_OPTION_DB,
	CLI_OPTION_RUNS_DIR,
	CLI_OPTION_FORMAT,
	{0},
};

static const struct cli_default defaults[] = {
	{"since", NULL, NULL, "the last run of this host with such a metric"},
	{0},
};

/* The command that one goes on with, where a person reads. */
static void say_next(struct cli_call *call, const char *what, const char *command)
{
	if (call->report.format->terminal)
		cli_say("%s: %s%s", what, command, cli_same_places(call->args));
}

static int set(struct cli_call *call, struct bench_error *error)
{
	const struct cli_args *args = call->args;
	const char *name = args->operands[1];
	size_t count = args->operand_count - 2;
	char *first;
	if (cli_change_store(call, error) != 0 ||
	    bench_app_baseline_set(call->store, cli_places(args).runs_dir, name, args->operands + 2, count,
				   cli_host(), call->args->arena, &first, error) != 0)
		return -1;
	cli_say("baseline %s is run %s%s", name, first,
		count > 1 ? bench_arena_format(call->args->arena, " and %zu more", count - 1) : "");
	say_next(call, "to compare the newest run with it",
		 bench_arena_format(call->args->arena, "bench compare last --baseline %s", name));
	return CLI_OK;
}

static const char *moment(struct cli_call *call, int64_t seconds)
{
	char text[40];
	(call->report.format->exact ? bench_clock_iso : bench_clock_minute)(seconds, text, sizeof(text));
	return bench_arena_string(call->args->arena, text);
}

static void add_row(struct cli_call *call, const struct bench_baseline_row *row)
{
	for (size_t r = 0; r < row->run_count; r++)
		bench_render_grid_add(&call->grid,
				      (const char *[]){row->name, row->runs[r], moment(call, row->created)});
}

/* All baselines, or the one that is named. */
static int list(struct cli_call *call, struct bench_error *error)
{
	static const struct bench_grid_column columns[] = {
		{"baseline", false, 0}, {"run", false, 0}, {"set", false, 1}};
	const char *name = call->args->operand_count > 1 ? call->args->operands[1] : NULL, *names[256];
	struct bench_baseline_row *rows;
	size_t count, found = 0, name_count = 0;
	if (cli_open_store(call, error) != 0 ||
	    bench_store_baselines(call->store, call->args->arena, &rows, &count, error) != 0)
		return -1;
	bench_render_grid_columns(&call->grid, columns, 3);
	for (size_t i = 0; i < count; i++) {
		if (name_count < 256)
			names[name_count++] = rows[i].name;
		if (name && strcmp(rows[i].name, name) != 0)
			continue;
		add_row(call, &rows[i]);
		found++;
	}
	if (!name || found)
		return cli_print_grid(call, CLI_OK);
	const char *nearest = bench_text_nearest(name, names, name_count);
	return bench_fail(error, BENCH_USAGE, "there is no baseline '%s'%s%s%s", name,
			  BENCH_DID_YOU_MEAN(nearest));
}

static int rm(struct cli_call *call, struct bench_error *error)
{
	if (cli_change_store(call, error) != 0)
		return -1;
	return bench_store_baseline_remove(call->store, call->args->operands[1], error);
}

static struct bench_app_shift shift_of(const struct cli_args *args)
{
	return (struct bench_app_shift){.pattern = args->operands[1],
					.why = cli_value(args, "why"),
					.since = cli_value(args, "since"),
					.all_hosts = cli_given(args, "all-hosts")};
}

static int accept(struct cli_call *call, struct bench_error *error)
{
	const struct bench_app_shift shift = shift_of(call->args);
	const struct bench_app_places places = cli_places(call->args);
	struct bench_app_accepted accepted;
	if (!shift.why)
		return bench_fail(error, BENCH_USAGE,
				  "bench baseline accept needs --why TEXT, the reason to accept it");
	if (cli_change_store(call, error) != 0 ||
	    bench_app_accept(call->store, &places, &shift, call->args->arena, &accepted, error) != 0)
		return -1;
	const char *many = bench_text_plural(accepted.metrics);
	if (accepted.removal)
		cli_say("accepted that %zu metric%s %s gone since run %s", accepted.metrics, many,
			accepted.metrics == 1 ? "is" : "are", accepted.run);
	else
		cli_say("accepted the new level of %zu metric%s: baselines for %s start with run %s",
			accepted.metrics, many, accepted.metrics == 1 ? "it" : "them", accepted.run);
	if (accepted.alarms)
		cli_say("the alarm on %zu of them is closed", accepted.alarms);
	struct bench_text pattern = {0};
	bench_text_add_shell(&pattern, shift.pattern);
	say_next(call, "to take it back",
		 bench_arena_format(call->args->arena, "bench baseline unaccept %s",
				    bench_text_keep(&pattern, call->args->arena)));
	return CLI_OK;
}

static int unaccept(struct cli_call *call, struct bench_error *error)
{
	const struct bench_app_shift shift = shift_of(call->args);
	size_t alarms;
	if (cli_change_store(call, error) != 0 ||
	    bench_app_unaccept(call->store, cli_places(call->args).runs_dir, &shift, &alarms, error) != 0)
		return -1;
	cli_say("taken back: the old level counts again for %s", shift.pattern);
	if (alarms)
		cli_say("the alarm on %zu metric%s is open again", alarms, bench_text_plural(alarms));
	return CLI_OK;
}

static int accepted(struct cli_call *call, struct bench_error *error)
{
	static const struct bench_grid_column columns[] = {{"metric", false, 0},   {"since", false, 0},
							   {"why", false, 0},      {"host", false, 1},
							   {"accepted", false, 1}, {"what", false, 1}};
	struct bench_accepted_row *rows;
	size_t count;
	if (cli_open_store(call, error) != 0 ||
	    bench_store_accepted(call->store, NULL, call->args->arena, &rows, &count, error) != 0)
		return -1;
	bench_render_grid_columns(&call->grid, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < count; i++)
		bench_render_grid_add(&call->grid,
				      (const char *[]){rows[i].pattern, rows[i].run, rows[i].why,
						       *rows[i].fingerprint ? rows[i].host : "all",
						       moment(call, rows[i].created),
						       rows[i].removal ? "removal" : "shift"});
	return cli_print_grid(call, CLI_OK);
}

static const struct cli_word words[] = {
	{"set", "a name and runs", 2, SIZE_MAX, {0}, set},
	{"list", "no argument", 1, 1, {0}, list},
	{"show", "one name", 2, 2, {0}, list},
	{"rm", "one name", 2, 2, {0}, rm},
	{"accept", "one pattern", 2, 2, {"why", "since", "all-hosts"}, accept},
	{"accepted", "no argument", 1, 1, {0}, accepted},
	{"unaccept", "one pattern", 2, 2, {"since"}, unaccept},
	{0},
};

const struct cli_verb cli_baseline = {
	.name = "baseline",
	.summary = "name runs to compare with",
	.usage =
		"set NAME [RUN..]\nlist\nshow NAME\nrm NAME\naccept METRIC-PATTERN --why TEXT [--since RUN]\n"
		"accepted\nunaccept METRIC-PATTERN [--since RUN]",
	.about = "A baseline is one run, or several pooled. set without RUN takes the last run. Setting a "
		 "name again replaces its runs.\n"
		 "accept declares the new level of shifted metrics right: earlier runs are no longer a "
		 "baseline for them, under any name. If later runs should have measured these metrics, but "
		 "have "
		 "none of them, accept marks them as removed, and they no longer count as missing. The "
		 "pattern (*, "
		 "?, [...]) is matched against full metric names. accepted lists accepted shifts; unaccept "
		 "takes one back.",
	.examples = "bench baseline set main\n"
		    "bench baseline set fixed last~2 last~1 last\n"
		    "bench baseline list\n"
		    "bench baseline rm fixed\n"
		    "bench baseline accept 'gemm/openblas:*n=1024*' --why 'OpenBLAS 0.3.27 packs twice'\n"
		    "bench baseline accept 'spmv/*format=ell*' --why 'the format was dropped'\n"
		    "bench baseline unaccept 'gemm/openblas:*n=1024*'",
	.options = options,
	.defaults = defaults,
	.rendered = BENCH_RENDERED_GRID,
	.max_operands = 1000,
	.words = words,
};
