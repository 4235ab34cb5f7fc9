/* bench baseline: named sets of runs to compare with, and shifts that were accepted. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/baseline.h"
#include "app/runs.h"
#include "cli/arguments.h"
#include "cli/host.h"
#include "cli/output.h"
#include "core/clock.h"
#include "core/text.h"

static const struct cli_option options[] = {
	{"why", 0, "TEXT", "accept: why the shift is right"},
	{"since", 0, "RUN", "accept, unaccept: the first run that counts (default: the last one here)"},
	{"all-hosts", 0, NULL, "accept: for every host, not for that of the run alone"},
	CLI_OPTION_DB,
	CLI_OPTION_RUNS_DIR,
	CLI_OPTION_FORMAT,
	{0},
};

static int set(const struct cli_args *args, struct bench_store *store, struct bench_error *error)
{
	struct bench_arena arena = {0};
	const char *name = args->operands[1];
	size_t count = args->operand_count - 2;
	char *first;
	int result = bench_app_baseline_set(store, cli_places(args).runs_dir, name, args->operands + 2, count,
					    cli_host(), &arena, &first, error);
	if (result == 0)
		fprintf(stderr, "bench: baseline %s is %s%s\n", name, first, count > 1 ? " and others" : "");
	bench_arena_free(&arena);
	return result;
}

static void add_row(struct bench_grid *grid, const struct bench_baseline_row *row)
{
	char created[40];
	bench_clock_iso(row->created, created, sizeof(created));
	for (size_t r = 0; r < row->run_count; r++)
		bench_render_grid_add(grid, (const char *[]){row->name, row->runs[r], created});
}

/* All baselines, or the one called `name`. */
static int list(struct bench_store *store, const char *name, const struct bench_report_options *report,
		struct bench_text *out, struct bench_error *error)
{
	static const struct bench_grid_column columns[] = {
		{"baseline", false, 0}, {"run", false, 0}, {"set", false, 1}};
	struct bench_arena arena = {0};
	struct bench_baseline_row *rows;
	struct bench_grid grid = {0};
	size_t count, found = 0;
	int result = bench_store_baselines(store, &arena, &rows, &count, error);
	const char *names[256];
	size_t name_count = 0;
	bench_render_grid_columns(&grid, columns, 3);
	for (size_t i = 0; result == 0 && i < count; i++) {
		if (name_count < 256)
			names[name_count++] = rows[i].name;
		if (name && strcmp(rows[i].name, name) != 0)
			continue;
		add_row(&grid, &rows[i]);
		found++;
	}
	if (result == 0 && name && !found) {
		const char *nearest = bench_text_nearest(name, names, name_count);
		result = bench_fail(error, BENCH_NOTHING, "there is no baseline '%s'%s%s%s", name,
				    BENCH_DID_YOU_MEAN(nearest));
	} else if (result == 0) {
		report->format->grid(&grid, report, out);
	}
	bench_render_grid_free(&grid);
	bench_arena_free(&arena);
	return result;
}

static struct bench_app_shift shift_of(const struct cli_args *args)
{
	return (struct bench_app_shift){.pattern = args->operands[1],
					.why = cli_value(args, "why", NULL),
					.since = cli_value(args, "since", NULL),
					.all_hosts = cli_given(args, "all-hosts")};
}

static int accept(const struct cli_args *args, struct bench_store *store, struct bench_error *error)
{
	struct bench_arena arena = {0};
	const struct bench_app_shift shift = shift_of(args);
	const char *run;
	size_t count;
	if (!shift.why)
		return bench_fail(error, BENCH_USAGE,
				  "bench baseline accept needs --why TEXT: in a year nobody knows any more");
	int result = bench_app_accept(store, cli_places(args).runs_dir, &shift, &arena, &count, &run, error);
	if (result == 0)
		fprintf(stderr, "bench: for %zu metric%s, runs before %s are no baseline any more\n", count,
			count == 1 ? "" : "s", run);
	bench_arena_free(&arena);
	return result;
}

static int unaccept(const struct cli_args *args, struct bench_store *store, struct bench_error *error)
{
	const struct bench_app_shift shift = shift_of(args);
	return bench_app_unaccept(store, cli_places(args).runs_dir, &shift, error);
}

static int accepted(struct bench_store *store, const struct bench_report_options *report,
		    struct bench_text *out, struct bench_error *error)
{
	static const struct bench_grid_column columns[] = {{"metric", false, 0},
							   {"since", false, 0},
							   {"why", false, 0},
							   {"host", false, 1},
							   {"accepted", false, 1}};
	struct bench_arena arena = {0};
	struct bench_accepted_row *rows;
	struct bench_grid grid = {0};
	size_t count;
	int result = bench_store_accepted(store, NULL, &arena, &rows, &count, error);
	bench_render_grid_columns(&grid, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t i = 0; result == 0 && i < count; i++) {
		char created[40];
		bench_clock_iso(rows[i].created, created, sizeof(created));
		bench_render_grid_add(&grid,
				      (const char *[]){rows[i].pattern, rows[i].run, rows[i].why,
						       *rows[i].fingerprint ? rows[i].host : "all", created});
	}
	if (result == 0)
		report->format->grid(&grid, report, out);
	bench_render_grid_free(&grid);
	bench_arena_free(&arena);
	return result;
}

enum word { SET, LIST, SHOW, RM, ACCEPT, ACCEPTED, UNACCEPT, WORDS };

/* What follows `bench baseline`. */
static const struct {
	const char *name, *takes;
	size_t least, most; /* operands, itself among them */
	bool writes;
	const char *options; /* those of check_options that it has */
} words[WORDS] = {
	[SET] = {"set", "a name and runs", 2, SIZE_MAX, true, ""},
	[LIST] = {"list", "no argument", 1, 1, false, ""},
	[SHOW] = {"show", "one name", 2, 2, false, ""},
	[RM] = {"rm", "one name", 2, 2, true, ""},
	[ACCEPT] = {"accept", "one pattern", 2, 2, true, "why since all-hosts"},
	[ACCEPTED] = {"accepted", "no argument", 1, 1, false, ""},
	[UNACCEPT] = {"unaccept", "one pattern", 2, 2, true, "since"},
};

static int check_options(const struct cli_args *args, int word, struct bench_error *error)
{
	static const char *const names[] = {"why", "since", "all-hosts"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (cli_given(args, names[i]) && !strstr(words[word].options, names[i]))
			return bench_fail(error, BENCH_USAGE, "bench baseline %s has no --%s: %s has",
					  words[word].name, names[i], words[ACCEPT].name);
	return 0;
}

/* The word that was given, or -1. */
static int find_word(const struct cli_args *args, struct bench_error *error)
{
	const char *names[WORDS], *given = args->operand_count ? args->operands[0] : "";
	for (unsigned i = 0; i < WORDS; i++) {
		names[i] = words[i].name;
		if (strcmp(given, words[i].name) != 0)
			continue;
		if (args->operand_count < words[i].least || args->operand_count > words[i].most)
			return bench_fail(error, BENCH_USAGE, "bench baseline %s takes %s", given,
					  words[i].takes);
		return check_options(args, (int)i, error) == 0 ? (int)i : -1;
	}
	const char *nearest = bench_text_nearest(given, names, WORDS);
	return bench_fail(
		error, BENCH_USAGE,
		"bench baseline: '%s' is none of set, list, show, rm, accept, accepted, unaccept%s%s%s",
		given, BENCH_DID_YOU_MEAN(nearest));
}

static int open_store(const struct cli_args *args, bool writes, struct bench_store **store,
		      struct bench_error *error)
{
	const char *path = cli_places(args).db;
	return writes && access(path, F_OK) == 0 ? bench_store_open(path, BENCH_STORE_WRITE, store, error)
						 : bench_app_open_store(path, store, error);
}

static int run(const struct cli_args *args)
{
	struct bench_error error;
	struct bench_report_options report;
	struct bench_store *store = NULL;
	struct bench_text out = {0};
	int result = -1, word = find_word(args, &error);
	if (word < 0 || cli_report_options(args, &report, &error) != 0 ||
	    open_store(args, words[word].writes, &store, &error) != 0)
		return cli_fail(&error);
	switch ((enum word)word) {
	case SET:
		result = set(args, store, &error);
		break;
	case LIST:
		result = list(store, NULL, &report, &out, &error);
		break;
	case SHOW:
		result = list(store, args->operands[1], &report, &out, &error);
		break;
	case RM:
		result = bench_store_baseline_remove(store, args->operands[1], &error);
		break;
	case ACCEPT:
		result = accept(args, store, &error);
		break;
	case ACCEPTED:
		result = accepted(store, &report, &out, &error);
		break;
	case UNACCEPT:
		result = unaccept(args, store, &error);
		break;
	case WORDS:
		break;
	}
	bench_store_close(store);
	return result == 0 ? cli_print(&out, CLI_OK) : cli_fail(&error);
}

const struct cli_verb cli_baseline = {
	.name = "baseline",
	.summary = "name runs to compare with",
	.usage =
		"set NAME [RUN..]\nlist\nshow NAME\nrm NAME\naccept METRIC-PATTERN --why TEXT [--since RUN]\n"
		"accepted\nunaccept METRIC-PATTERN [--since RUN]",
	.about = "A baseline is one run or several, pooled; set without RUN takes the last run. Setting a "
		 "name again\n"
		 "replaces its runs. accept says that metrics have shifted and are right so: what was "
		 "measured before\n"
		 "the run (default: the last one of this host that has such a metric) is no baseline for "
		 "them any more,\n"
		 "whatever the baseline. The pattern (*, ?, [...]) is matched against a metric's full name. "
		 "accepted\n"
		 "lists what was accepted, and unaccept takes it back.",
	.examples = "bench baseline set main\n"
		    "bench baseline set fixed last~2 last~1 last\n"
		    "bench baseline list\n"
		    "bench baseline rm fixed\n"
		    "bench baseline accept 'gemm/openblas:*n=1024*' --why 'OpenBLAS 0.3.27 packs twice'\n"
		    "bench baseline unaccept 'gemm/openblas:*n=1024*'",
	.options = options,
	.rendered = BENCH_RENDERED_GRID,
	.max_operands = 1000,
	.run = run,
};
