/* bench baseline: named sets of runs to compare with. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "core/clock.h"
#include "core/text.h"

static const struct cli_option options[] = {
	CLI_OPTION_DB,
	CLI_OPTION_RUNS_DIR,
	CLI_OPTION_FORMAT,
	{0},
};

/* The ids of the runs that the operands from `first` on name; a run folder is taken into the history first.
 */
static int run_ids(const struct cli_args *args, struct bench_store *store, size_t first, char **ids,
		   size_t *count, struct bench_error *error)
{
	static const char *const last[] = {"last"};
	struct bench_arena *arena = (struct bench_arena *)(uintptr_t)&args->arena;
	bool named = args->operand_count > first;
	const char *const *names = named ? args->operands + first : last;
	*count = named ? args->operand_count - first : 1;
	for (size_t i = 0; i < *count; i++) {
		struct bench_run *run;
		bool added;
		if (cli_load_run(args, store, names[i], &run, error) != 0)
			return -1;
		int result = bench_store_ingest(store, run, &added, error);
		ids[i] = bench_arena_string(arena, run->id);
		bench_run_free(run);
		if (result != 0)
			return -1;
	}
	return 0;
}

static int set(const struct cli_args *args, struct bench_store *store, struct bench_error *error)
{
	char **ids = bench_arena_alloc((struct bench_arena *)(uintptr_t)&args->arena, args->operand_count + 1,
				       sizeof(*ids));
	size_t count;
	const char *name = args->operands[1];
	unsigned char bad = 0;
	for (const char *c = name; *c; c++)
		bad |= *c <= ' ' || *c == '/' || *c == ':' || *c == '~' || *c == 127;
	if (bad || !*name || strlen(name) > 64 || strcmp(name, "last") == 0)
		return bench_fail(error, BENCH_USAGE,
				  "'%s' cannot name a baseline: expected up to 64 characters without blanks, "
				  "'/', ':' and '~', "
				  "and not 'last'",
				  name);
	if (run_ids(args, store, 2, ids, &count, error) != 0 ||
	    bench_store_baseline_set(store, name, ids, count, error) != 0)
		return -1;
	fprintf(stderr, "bench: baseline %s is %s%s\n", name, ids[0], count > 1 ? " and others" : "");
	return 0;
}

static void add_row(struct bench_grid *grid, const struct bench_baseline_row *row)
{
	char created[40];
	bench_clock_iso(row->created, created, sizeof(created));
	for (size_t r = 0; r < row->run_count; r++) {
		size_t at = bench_grid_row(grid);
		bench_grid_set(grid, at, 0, BENCH_TONE_PLAIN, row->name);
		bench_grid_set(grid, at, 1, BENCH_TONE_PLAIN, row->runs[r]);
		bench_grid_set(grid, at, 2, BENCH_TONE_PLAIN, created);
	}
}

/* All baselines, or the one called `name`. */
static int list(struct bench_store *store, const char *name, const struct bench_report_options *report,
		struct bench_text *out, struct bench_error *error)
{
	struct bench_arena arena = {0};
	struct bench_baseline_row *rows;
	struct bench_grid grid = {0};
	size_t count, found = 0;
	int result = bench_store_baselines(store, &arena, &rows, &count, error);
	const char *names[256];
	size_t name_count = 0;
	bench_grid_column(&grid, "baseline", false, 0);
	bench_grid_column(&grid, "run", false, 0);
	bench_grid_column(&grid, "set", false, 1);
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
				    nearest ? "; did you mean '" : "", nearest ? nearest : "",
				    nearest ? "'?" : "");
	} else if (result == 0) {
		cli_print_grid(&grid, report, out);
	}
	bench_grid_free(&grid);
	bench_arena_free(&arena);
	return result;
}

static int wrong_operands(const struct cli_args *args, struct bench_error *error)
{
	static const char *const verbs[] = {"set", "list", "show", "rm"};
	const char *word = args->operand_count ? args->operands[0] : "";
	for (size_t i = 0; i < 4; i++)
		if (strcmp(word, verbs[i]) == 0)
			return bench_fail(error, BENCH_USAGE, "bench baseline %s takes %s", word,
					  i == 1   ? "no argument"
					  : i == 0 ? "a name and runs"
						   : "one name");
	const char *nearest = bench_text_nearest(word, verbs, 4);
	return bench_fail(error, BENCH_USAGE, "bench baseline: '%s' is none of set, list, show, rm%s%s%s",
			  word, nearest ? "; did you mean '" : "", nearest ? nearest : "",
			  nearest ? "'?" : "");
}

static int run(const struct cli_args *args)
{
	struct bench_error error;
	struct bench_report_options report;
	struct bench_store *store = NULL;
	struct bench_text out = {0};
	const char *word = args->operand_count ? args->operands[0] : "";
	size_t operands = args->operand_count;
	bool writes = strcmp(word, "set") == 0 || strcmp(word, "rm") == 0;
	int result;
	if (!(strcmp(word, "set") == 0 && operands >= 2) && !(strcmp(word, "list") == 0 && operands == 1) &&
	    !((strcmp(word, "show") == 0 || strcmp(word, "rm") == 0) && operands == 2))
		result = wrong_operands(args, &error);
	else if (cli_report_options(args, &report, &error) != 0 || cli_open_store(args, &store, &error) != 0)
		result = -1;
	else if (writes) {
		bench_store_close(store);
		store = NULL;
		result = bench_store_open(cli_value(args, "db", "results.db"), BENCH_STORE_WRITE, &store,
					  &error);
		if (result == 0)
			result = strcmp(word, "set") == 0
					 ? set(args, store, &error)
					 : bench_store_baseline_remove(store, args->operands[1], &error);
	} else {
		result = list(store, operands == 2 ? args->operands[1] : NULL, &report, &out, &error);
	}
	bench_store_close(store);
	return result == 0 ? cli_print(&out, CLI_OK) : cli_fail(&error);
}

const struct cli_verb cli_baseline = {
	.name = "baseline",
	.summary = "name runs to compare with",
	.usage = "set NAME [RUN..]\nlist\nshow NAME\nrm NAME",
	.about = "A baseline is one run or several, pooled; set without RUN takes the last run. Setting a "
		 "name again\n"
		 "replaces its runs.",
	.examples = "bench baseline set main\n"
		    "bench baseline set fixed last~2 last~1 last\n"
		    "bench baseline list\n"
		    "bench baseline rm fixed",
	.options = options,
	.max_operands = 1000,
	.run = run,
};
