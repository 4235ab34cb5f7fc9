/* SPDX-License-Identifier: MIT */
/* bench list: what there is to measure, to measure on, and what has been measured. */
#include <stdio.h>
#include <string.h>

#include "app/runs.h"
#include "backends/backends.h"
#include "cli/arguments.h"
#include "cli/call.h"
#include "cli/extensions.h"
#include "cli/output.h"
#include "cli/say.h"
#include "core/clock.h"
#include "core/text.h"
#include "extend/extend.h"
#include "plan/probe.h"
#include "suites/suites.h"

static const struct cli_option options[] = {
	CLI_OPTIONS_PLAN,   {"limit", 0, "N", "runs: list at most N"},
	CLI_OPTIONS_PERIOD, CLI_OPTION_DB,
	CLI_OPTION_FORMAT,  {0},
};

static const struct cli_default defaults[] = {
	{"limit", NULL, "0", "all"},
	{0},
};

static int list_suites(struct cli_call *call, struct bench_error *error)
{
	static const struct bench_grid_column columns[] = {
		{"name", false, 0}, {"summary", false, 0}, {"parameters", false, 5}};
	if (cli_extend(call->args, error) != 0)
		return -1;
	bench_render_grid_columns(&call->grid, columns, 3);
	for (size_t s = 0; bench_suites[s]; s++) {
		struct bench_text params = {0};
		for (const struct bench_param *p = bench_suites[s]->params; p->name; p++)
			bench_text_add(&params, "%s%s", params.length ? " " : "", p->name);
		bench_render_grid_add(&call->grid,
				      (const char *[]){bench_suites[s]->name, bench_suites[s]->summary,
						       bench_text_keep(&params, call->args->arena)});
	}
	return cli_print_grid(call, CLI_OK);
}

static int list_backends(struct cli_call *call, struct bench_error *error)
{
	static const struct bench_grid_column columns[] = {{"name", false, 0}, {"summary", false, 0}};
	if (cli_extend(call->args, error) != 0)
		return -1;
	bench_render_grid_columns(&call->grid, columns, 2);
	for (size_t b = 0; bench_backends[b]; b++)
		bench_render_grid_add(&call->grid,
				      (const char *[]){bench_backends[b]->name, bench_backends[b]->summary});
	return cli_print_grid(call, CLI_OK);
}

static void add_device(struct bench_grid *grid, const struct bench_backend *backend, size_t index,
		       const struct bench_device_info *info, bool exact)
{
	char name[64], units[16], memory[64];
	snprintf(name, sizeof(name), "%s:%zu", backend->name, index);
	snprintf(units, sizeof(units), "%u", info->compute_units);
	snprintf(memory, sizeof(memory), "%llu", (unsigned long long)info->memory_bytes);
	if (!exact)
		bench_text_quantity(memory, sizeof(memory), (double)info->memory_bytes, "B");
	bench_render_grid_add(grid, (const char *[]){name, info->slug, bench_device_kind_name(info->kind),
						     units, memory, info->f64 ? "yes" : "no", info->name,
						     info->platform, info->driver});
}

static int list_devices(struct cli_call *call, struct bench_error *error)
{
	static const struct bench_grid_column columns[] = {
		{"device", false, 0}, {"slug", false, 0},     {"kind", false, 0},
		{"units", true, 0},   {"memory", true, 0},    {"f64", false, 0},
		{"name", false, 0},   {"platform", false, 6}, {"driver", false, 5}};
	if (cli_extend(call->args, error) != 0)
		return -1;
	bench_render_grid_columns(&call->grid, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t b = 0; bench_backends[b]; b++) {
		struct bench_device_info *devices;
		size_t count;
		struct bench_error reason;
		if (bench_plan_probe(bench_backends[b], call->args->arena, &devices, &count, &reason) != 0) {
			cli_say("%s: %s", bench_backends[b]->name, reason.text);
			continue;
		}
		for (size_t i = 0; i < count; i++)
			add_device(&call->grid, bench_backends[b], i, &devices[i],
				   call->report.format->exact);
	}
	return cli_print_grid(call, CLI_OK);
}

static int list_cases(struct cli_call *call, struct bench_error *error)
{
	static const struct bench_grid_column columns[] = {{"case", false, 0}, {"unsupported", false, 0}};
	struct bench_app_cases cases = {0};
	struct bench_plan *plan;
	if (cli_read_cases(call->args, &cases, error) != 0 || bench_app_plan(&cases, NULL, &plan, error) != 0)
		return -1;
	bench_render_grid_columns(&call->grid, columns, 2);
	for (size_t i = 0; i < plan->case_count; i++) {
		const char *why = plan->cases[i].unsupported;
		/* People read the reason below the case: a column would break both. */
		const bool below = why && call->report.width > 0;
		bench_render_grid_add(&call->grid,
				      (const char *[]){plan->cases[i].key, why && !below ? why : ""});
		if (below)
			bench_render_grid_under(
				&call->grid, i,
				bench_arena_format(call->args->arena, "unsupported: %s", why));
	}
	bench_render_grid_sort(&call->grid);
	bench_plan_free(plan);
	return cli_print_grid(call, CLI_OK);
}

#define SUITES_SHOWN 3 /* of a run, where people read a list */

/* "gemm,spmv,fused +11": where there are many, they would leave no room on a terminal. */
static void add_suites(const char *suites, bool all, struct bench_text *out)
{
	size_t count = 0, shown = 0;
	for (const char *at = suites; *at; at++) {
		count += *at == ',';
		shown += count < SUITES_SHOWN || all;
	}
	bench_text_add_bytes(out, suites, shown);
	if (!all && count >= SUITES_SHOWN)
		bench_text_add(out, " +%zu", count + 1 - SUITES_SHOWN);
}

/* brief: for a terminal, on which columns of long texts would take the room of others; the note stands below
 * its run. */
static void add_run(struct bench_grid *grid, const struct bench_run_row *run, bool brief)
{
	char started[40], results[16], not_ok[16], commit[64];
	BENCH_SCOPED_TEXT note = {0}, suites = {0};
	add_suites(run->suites, !brief, &suites);
	(brief ? bench_clock_minute : bench_clock_iso)(run->started, started, sizeof(started));
	snprintf(results, sizeof(results), "%u", run->results);
	snprintf(not_ok, sizeof(not_ok), "%u", run->not_ok);
	snprintf(commit, sizeof(commit), "%.12s%s", run->commit, run->dirty ? ", dirty" : "");
	const char *cut = run->interrupted ? "interrupted" : run->finished ? "" : "cut short: no baseline";
	bench_text_add(&note, "%s%s%s%s", cut, *cut && *run->aside ? "; " : "", *run->aside ? "aside: " : "",
		       run->aside);
	bench_render_grid_add(grid, (const char *[]){run->id, started, run->shown_preset,
						     suites.data ? suites.data : "", results, not_ok, commit,
						     run->branch, run->host, brief ? "" : note.data});
	if (brief && note.length)
		bench_render_grid_under(grid, grid->row_count - 1, note.data);
}

static int list_runs(struct cli_call *call, struct bench_error *error)
{
	static const struct bench_grid_column columns[] = {
		{"run", false, 0},  {"started", false, 8}, {"preset", false, 5}, {"suites", false, 0},
		{"cases", true, 0}, {"not ok", true, 0},   {"commit", false, 4}, {"branch", false, 7},
		{"host", false, 6}, {"note", false, 0}};
	struct bench_run_row *rows;
	struct bench_app_period period;
	size_t count;
	uint64_t limit;
	if (cli_read_whole(call->args, "limit", 0, 1000000000, &limit, error) != 0 ||
	    cli_open_store(call, error) != 0 ||
	    cli_read_period(call->args, call->store, &period, error) != 0 ||
	    bench_store_runs(call->store, 0, call->args->arena, &rows, &count, error) != 0)
		return -1;
	count = bench_app_period_runs(&period, rows, count);
	if (limit > 0 && count > limit)
		count = (size_t)limit;
	bench_render_grid_columns(&call->grid, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; i < count; i++)
		add_run(&call->grid, &rows[i], call->report.width > 0);
	return cli_print_grid(call, CLI_OK);
}

static int list_metrics(struct cli_call *call, struct bench_error *error)
{
	const struct cli_args *args = call->args;
	char **keys;
	size_t count;
	if (cli_open_store(call, error) != 0 ||
	    bench_store_metrics(call->store, args->operand_count > 1 ? args->operands[1] : "*", args->arena,
				&keys, &count, error) != 0)
		return -1;
	bench_render_grid_column(&call->grid, "metric", false, 0);
	for (size_t i = 0; i < count; i++)
		bench_render_grid_add(&call->grid, (const char *[]){keys[i]});
	bench_render_grid_sort(&call->grid);
	return cli_print_grid(call, CLI_OK);
}

static int list_extensions(struct cli_call *call, struct bench_error *error)
{
	struct bench_app_cases cases = {0};
	size_t count;
	if (cli_read_cases(call->args, &cases, error) != 0)
		return -1;
	bench_render_grid_column(&call->grid, "extension", false, 0);
	const char *const *texts = bench_extend_texts(&count);
	for (size_t i = 0; i < count; i++)
		bench_render_grid_add(&call->grid, (const char *[]){texts[i]});
	return cli_print_grid(call, CLI_OK);
}

static const struct cli_word words[] = {
	{"suites", NULL, 1, 1, {0}, list_suites},
	{"cases", NULL, 1, 1, {0}, list_cases},
	{"backends", NULL, 1, 1, {0}, list_backends},
	{"devices", NULL, 1, 1, {0}, list_devices},
	{"runs", NULL, 1, 1, {"since", "until"}, list_runs},
	{"metrics", NULL, 1, 2, {0}, list_metrics},
	{"extensions", NULL, 1, 1, {0}, list_extensions},
	{0},
};

const struct cli_verb cli_list = {
	.name = "list",
	.summary = "list suites, cases, backends, devices, runs or metrics",
	.usage = "suites|backends|devices\nruns [--since WHEN] [--until WHEN] [--limit N]\ncases [--suite "
		 "S,..] [--set k=v,..] [--preset P]\nmetrics [PATTERN]",
	.examples = "bench list suites\n"
		    "bench list devices\n"
		    "bench list cases --suite gemm --preset quick\n"
		    "bench list runs --since 7d\n"
		    "bench list metrics 'gemm/*'",
	.options = options,
	.defaults = defaults,
	.rendered = BENCH_RENDERED_GRID,
	.max_operands = 2,
	.words = words,
};
