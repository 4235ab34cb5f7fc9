/* The runs and baselines that arguments name, and comparing them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "core/file.h"
#include "core/text.h"

int cli_open_store(const struct cli_args *args, struct bench_store **store, struct bench_error *error)
{
	const char *path = cli_value(args, "db", "results.db");
	if (access(path, F_OK) != 0)
		return bench_fail(error, BENCH_NOTHING,
				  "there is no history yet: no file '%s' ('bench run' makes it)", path);
	return bench_store_open(path, BENCH_STORE_READ, store, error);
}

/* "last" or "last~N". */
static bool parse_last(const char *text, unsigned *back)
{
	*back = 0;
	if (strncmp(text, "last", 4) != 0)
		return false;
	if (!text[4])
		return true;
	char *end;
	unsigned long n = strtoul(text + 5, &end, 10);
	*back = (unsigned)n;
	return text[4] == '~' && text[5] >= '0' && text[5] <= '9' && !*end && n < 1000000;
}

/* The baseline `name`, in `arena`; false where there is none. */
static bool find_baseline(struct bench_store *store, const char *name, struct bench_arena *arena,
			  struct bench_baseline_row *found)
{
	struct bench_baseline_row *rows;
	size_t count;
	struct bench_error ignored;
	if (bench_store_baselines(store, arena, &rows, &count, &ignored) != 0)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (strcmp(rows[i].name, name) == 0) {
			*found = rows[i];
			return true;
		}
	}
	return false;
}

int cli_load_run(const struct cli_args *args, struct bench_store *store, const char *text,
		 struct bench_run **run, struct bench_error *error)
{
	char path[4096], id[64];
	unsigned back;
	if (bench_file_is_folder(text))
		return bench_record_load_folder(text, run, error);
	if (strchr(text, '/'))
		return bench_fail(error, BENCH_NOTHING, "there is no run folder '%s'", text);
	if (parse_last(text, &back)) {
		if (!store)
			return bench_fail(error, BENCH_NOTHING,
					  "'%s' is looked up in the history, and there is none", text);
		if (bench_store_last(store, back, id, sizeof(id), error) != 0)
			return -1;
		return bench_store_load(store, id, run, error);
	}
	struct bench_arena arena = {0};
	struct bench_baseline_row baseline;
	int result = -1;
	if (store && find_baseline(store, text, &arena, &baseline) && baseline.run_count == 1)
		result = bench_store_load(store, baseline.runs[0], run, error);
	else if (store && (result = bench_store_load(store, text, run, error)) == 0)
		result = 0;
	/* A run that never reached the database is still in its folder. */
	else if (bench_file_join(path, sizeof(path), cli_value(args, "runs-dir", "runs"), text) &&
		 bench_file_is_folder(path))
		result = bench_record_load_folder(path, run, error);
	else if (!store)
		bench_fail(error, BENCH_NOTHING, "there is no run '%s': no history, and no folder '%s'", text,
			   path);
	bench_arena_free(&arena);
	return result;
}

static void free_runs(struct bench_run **runs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		bench_run_free(runs[i]);
	free(runs);
}

/* The suites of a run as the history lists them, "gemm,transfer"; of one yet to be measured, those asked for.
 */
static char *suites_of(const struct bench_run *run, struct bench_arena *arena)
{
	char *list = bench_arena_string(arena, "");
	const char *last = "";
	bool measured = run->result_count > 0;
	size_t count = measured ? run->result_count : run->selection.suite_count;
	for (size_t i = 0; i < count; i++) {
		const char *suite = measured ? run->results[i].suite : run->selection.suites[i];
		if (strcmp(suite, last) != 0)
			list = bench_arena_format(arena, "%s%s%s", list, *list ? "," : "", suite);
		last = suite;
	}
	return list;
}

/* The ids of the last N finished runs before the candidate with its host, preset and suites, newest first. */
static int rolling_ids(struct bench_store *store, size_t wanted, const struct bench_run *candidate,
		       struct bench_arena *arena, char ***ids, size_t *count, struct bench_error *error)
{
	struct bench_run_row *rows = NULL;
	size_t row_count = 0;
	*count = 0;
	if (store && bench_store_runs(store, 0, arena, &rows, &row_count, error) != 0)
		return -1;
	const char *host = bench_pair_get(candidate->host, candidate->host_count, "fingerprint");
	const char *suites = suites_of(candidate, arena);
	/* Newest first: what stands behind the candidate is older, also within one second. */
	size_t i = 0;
	while (i < row_count && strcmp(rows[i].id, candidate->id) != 0 &&
	       rows[i].started >= candidate->started)
		i++;
	for (; i < row_count && *count < wanted; i++) {
		if (strcmp(rows[i].id, candidate->id) == 0 || rows[i].interrupted || !rows[i].finished ||
		    strcmp(rows[i].fingerprint, host) != 0 ||
		    strcmp(rows[i].preset, candidate->preset) != 0 || strcmp(rows[i].suites, suites) != 0)
			continue;
		*(char **)bench_arena_push(arena, ids, count, sizeof(char *)) = rows[i].id;
	}
	if (*count == 0)
		return bench_fail(error, BENCH_NOTHING,
				  "nothing to compare with: no finished run before %s on this host with "
				  "preset '%s' and "
				  "suites '%s'; name another with --baseline",
				  candidate->id, candidate->preset, suites);
	return 0;
}

/* What failed to name a run may have been meant as a baseline. */
static void name_baselines(struct bench_store *store, const char *text, struct bench_arena *arena,
			   struct bench_error *error)
{
	struct bench_baseline_row *rows;
	size_t count;
	struct bench_error cause = *error, ignored;
	if (bench_store_baselines(store, arena, &rows, &count, &ignored) != 0 || count == 0)
		return;
	const char **names = bench_arena_alloc(arena, count, sizeof(*names));
	char *list = bench_arena_string(arena, "");
	for (size_t i = 0; i < count; i++) {
		names[i] = rows[i].name;
		list = bench_arena_format(arena, "%s%s%s", list, i ? ", " : "", names[i]);
	}
	const char *nearest = bench_text_nearest(text, names, count);
	bench_fail(error, BENCH_NOTHING, "%s; baselines: %s%s%s%s", cause.text, list,
		   nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

/* The ids that "rolling:N" or the name of a baseline stands for; none where `text` is neither. */
static int baseline_ids(struct bench_store *store, const char *text, const struct bench_run *candidate,
			struct bench_arena *arena, char ***ids, size_t *count, struct bench_error *error)
{
	struct bench_baseline_row baseline;
	*count = 0;
	if (strncmp(text, "rolling:", 8) == 0) {
		char *end;
		unsigned long n = strtoul(text + 8, &end, 10);
		if (*end || n < 1 || n > 1000)
			return bench_fail(error, BENCH_USAGE,
					  "--baseline %s: expected rolling:N with N from 1 to 1000", text);
		return rolling_ids(store, n, candidate, arena, ids, count, error);
	}
	if (store && find_baseline(store, text, arena, &baseline)) {
		*ids = baseline.runs;
		*count = baseline.run_count;
	}
	return 0;
}

/*
 * The runs that `text` names: a baseline, a run, or rolling:N, the last N finished runs before `candidate` on
 * its host, with its preset and suites. *runs and what is in it are malloc'd: free_runs.
 */
static int load_baseline(const struct cli_args *args, struct bench_store *store, const char *text,
			 const struct bench_run *candidate, struct bench_run ***runs, size_t *count,
			 struct bench_error *error)
{
	struct bench_arena arena = {0};
	char **ids = NULL;
	size_t id_count;
	int result = -1;
	*count = 0;
	*runs = NULL;
	if (baseline_ids(store, text, candidate, &arena, &ids, &id_count, error) != 0)
		goto out;
	*runs = calloc(id_count + 1, sizeof(**runs));
	if (!*runs) {
		bench_fail(error, BENCH_NO_MEMORY, "no memory for the baseline");
		goto out;
	}
	for (size_t i = 0; i < id_count; i++, ++*count)
		if (bench_store_load(store, ids[i], &(*runs)[i], error) != 0)
			goto out;
	if (id_count == 0) {
		result = cli_load_run(args, store, text, &(*runs)[0], error);
		*count = result == 0;
		if (result != 0 && store && error->code == BENCH_NOTHING && strpbrk(text, "/~") == NULL)
			name_baselines(store, text, &arena, error);
	} else {
		result = 0;
	}
out:
	if (result != 0) {
		free_runs(*runs, *count);
		*runs = NULL;
		*count = 0;
	}
	bench_arena_free(&arena);
	return result;
}

static int read_fraction(const struct cli_args *args, const char *name, const char *fallback, double least,
			 double most, double *value, struct bench_error *error)
{
	const char *text = cli_value(args, name, fallback);
	if (!bench_text_fraction(text, value) || *value < least || *value > most)
		return bench_fail(error, BENCH_USAGE,
				  "--%s '%s': expected a fraction such as %s, from %g to %g", name, text,
				  fallback, least, most);
	return 0;
}

int cli_prepare_comparison(const struct cli_args *args, struct bench_store *store,
			   const struct bench_run *candidate, struct cli_baseline *baseline,
			   struct bench_error *error)
{
	const char *text = cli_value(args, "baseline", NULL);
	*baseline = (struct cli_baseline){.name = text ? text : "the run before"};
	baseline->options.allow_env_change = cli_given(args, "allow-env-change");
	if (read_fraction(args, "threshold", "5%", 0.001, 10, &baseline->options.threshold, error) != 0 ||
	    read_fraction(args, "alpha", "0.01", 1e-6, 0.5, &baseline->options.alpha, error) != 0)
		return -1;
	return load_baseline(args, store, text ? text : "rolling:1", candidate, &baseline->runs,
			     &baseline->count, error);
}

int cli_compare_with(const struct cli_baseline *baseline, const struct bench_run *candidate,
		     struct bench_comparison **comparison, struct bench_error *error)
{
	return bench_compare((const struct bench_run *const *)(uintptr_t)baseline->runs, baseline->count,
			     baseline->name, candidate, &baseline->options, comparison, error);
}

void cli_baseline_free(struct cli_baseline *baseline)
{
	free_runs(baseline->runs, baseline->count);
	*baseline = (struct cli_baseline){0};
}

int cli_compare_runs(const struct cli_args *args, struct bench_store *store,
		     const struct bench_run *candidate, struct bench_comparison **comparison,
		     struct bench_error *error)
{
	struct cli_baseline baseline;
	if (cli_prepare_comparison(args, store, candidate, &baseline, error) != 0)
		return -1;
	int result = cli_compare_with(&baseline, candidate, comparison, error);
	cli_baseline_free(&baseline);
	return result;
}
