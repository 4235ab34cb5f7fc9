/* bench baseline: named sets of runs to compare with. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/accept.h"
#include "core/clock.h"
#include "core/text.h"

static const struct cli_option options[] = {
	CLI_OPTIONS_ACCEPT, CLI_OPTION_DB, CLI_OPTION_RUNS_DIR, CLI_OPTION_FORMAT, {0},
};

/* Can the run be compared with? What is odd about it is said, what is hopeless refused. */
static int check_run(const struct bench_run *run, struct bench_error *error)
{
	const char *aside = bench_pair_get(run->labels, run->label_count, "aside");
	size_t ok = 0;
	for (size_t i = 0; i < run->result_count; i++)
		ok += run->results[i].status == BENCH_STATUS_OK;
	if (ok == 0)
		return bench_fail(error, BENCH_NOTHING,
				  "no case of run %s is ok: there is nothing in it to compare with", run->id);
	if (*aside)
		fprintf(stderr, "bench: warning: run %s was set aside: %s\n", run->id, aside);
	if (run->interrupted || run->finished == 0)
		fprintf(stderr, "bench: warning: run %s was cut short\n", run->id);
	return 0;
}

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
		int result = check_run(run, error);
		if (result == 0)
			result = bench_store_ingest(store, run, &added, error);
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
				    BENCH_DID_YOU_MEAN(nearest));
	} else if (result == 0) {
		report->format->grid(&grid, report, out);
	}
	bench_grid_free(&grid);
	bench_arena_free(&arena);
	return result;
}

enum word { SET, LIST, SHOW, RM, ACCEPT, ACCEPTED, UNACCEPT, WORDS };

/* What follows `bench baseline`. */
static const struct {
	const char *name, *takes;
	size_t least, most; /* operands, itself among them */
	bool writes;
	const char *options; /* those of CLI_OPTIONS_ACCEPT that it has */
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
	return bench_fail(error, BENCH_USAGE,
			  "bench baseline: '%s' is none of set, list, show, rm, accept, accepted, "
			  "unaccept%s%s%s",
			  given, BENCH_DID_YOU_MEAN(nearest));
}

static int open_store(const struct cli_args *args, bool writes, struct bench_store **store,
		      struct bench_error *error)
{
	const char *path = cli_value(args, "db", "results.db");
	return writes && access(path, F_OK) == 0 ? bench_store_open(path, BENCH_STORE_WRITE, store, error)
						 : cli_open_store(args, store, error);
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
		result = cli_accept(args, store, &error);
		break;
	case ACCEPTED:
		result = cli_accepted(store, &report, &out, &error);
		break;
	case UNACCEPT:
		result = cli_unaccept(args, store, &error);
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
	.about =
		"A baseline is one run or several, pooled; set without RUN takes the last run. Setting a "
		"name again\n"
		"replaces its runs. accept says that metrics have shifted and are right so: what was "
		"measured "
		"before\n"
		"the run (default: the last one of this host that has such a metric) is no baseline for them "
		"any more,\n"
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
