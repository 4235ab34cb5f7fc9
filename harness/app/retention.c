/* SPDX-License-Identifier: MIT */
#include "app/retention.h"

#include <string.h>

#include "record/removal.h"

static bool of_a_kind(const struct bench_run_row *a, const struct bench_run_row *b)
{
	return bench_store_is_same_kind(a, b) && strcmp(a->aside, b->aside) == 0;
}

/* Why the folder of a run stays; "": it goes, or does not exist. */
static int folder_stays(struct bench_store *store, const char *runs_dir, const char *id,
			struct bench_arena *arena, char **why, struct bench_error *error)
{
	BENCH_SCOPED_RUN *run = NULL;
	struct bench_error cause = {0};
	if (bench_store_load_head(store, id, &run, error) != 0)
		return -1;
	bench_record_removal_check(runs_dir, run, &cause);
	*why = bench_arena_string(arena, cause.text);
	return 0;
}

int bench_app_old_runs(struct bench_store *store, const struct bench_app_prune *prune,
		       struct bench_arena *arena, struct bench_app_old_run **runs, size_t *count,
		       struct bench_error *error)
{
	struct bench_run_row *rows;
	size_t row_count;
	*runs = NULL;
	*count = 0;
	if (bench_store_runs(store, 0, arena, &rows, &row_count, error) != 0)
		return -1;
	for (size_t i = 0; i < row_count; i++) {
		size_t newer = 0;
		char *stays, *folder_why = NULL;
		for (size_t j = 0; j < i && newer < prune->newest; j++)
			newer += of_a_kind(&rows[i], &rows[j]);
		if (newer < prune->newest || rows[i].started >= prune->before)
			continue;
		if (bench_store_needs(store, rows[i].id, arena, &stays, error) != 0 ||
		    (!*stays && prune->runs_dir &&
		     folder_stays(store, prune->runs_dir, rows[i].id, arena, &folder_why, error) != 0))
			return -1;
		const bool held = folder_why && *folder_why;
		BENCH_PUSH(arena, *runs, *count) =
			(struct bench_app_old_run){&rows[i], held ? folder_why : stays, held};
	}
	return 0;
}

/* Transactions nest: the folders go inside of one that holds off whoever would need a run meanwhile. A folder
 * goes before its row, so that what is cut short can be asked for again, and nothing comes back by an ingest.
 */
static int remove_in_transaction(struct bench_store *store, const char *runs_dir, const char *const *ids,
				 size_t count, size_t *removed, struct bench_arena *arena,
				 struct bench_error *error)
{
	struct bench_error first = {0}, cause;
	const char **gone = bench_arena_alloc(arena, count + 1, sizeof(*gone));
	*removed = 0;
	for (size_t i = 0; i < count; i++) {
		char *why;
		if (bench_store_needs(store, ids[i], arena, &why, error) != 0)
			return -1;
		if (*why)
			return bench_fail(error, BENCH_USAGE, "run %s is needed: %s; nothing was removed",
					  ids[i], why);
	}
	for (size_t i = 0; i < count; i++) {
		if (!runs_dir || bench_record_removal_do(runs_dir, ids[i], &cause) == 0)
			gone[(*removed)++] = ids[i];
		else if (first.code == BENCH_OK)
			first = cause;
	}
	if (*removed && bench_store_remove(store, gone, *removed, error) != 0)
		return -1;
	if (*removed < count)
		*error = first;
	return 0;
}

int bench_app_remove_runs(struct bench_store *store, const char *runs_dir, const char *const *ids,
			  size_t count, size_t *removed, const struct bench_app_host *host,
			  struct bench_error *error)
{
	BENCH_SCOPED_ARENA arena = {0};
	struct bench_error cause;
	int result = 0;
	*removed = 0;
	for (size_t i = 0; runs_dir && result == 0 && i < count; i++) {
		char *why;
		result = folder_stays(store, runs_dir, ids[i], &arena, &why, error);
		if (result == 0 && *why)
			result = bench_fail(error, BENCH_ENVIRONMENT, "run %s: %s; nothing was removed",
					    ids[i], why);
	}
	if (result == 0 && (result = bench_store_begin(store, error)) == 0)
		result = bench_store_end(
			store, remove_in_transaction(store, runs_dir, ids, count, removed, &arena, error),
			error);
	if (result != 0)
		return -1;
	if (*removed && bench_store_compact(store, &cause) != 0)
		bench_app_warn(host, "the file keeps its size: %s", cause.text);
	return *removed < count ? -1 : 0;
}

static void drop_label(struct bench_run *run, const char *name)
{
	size_t kept = 0;
	for (size_t i = 0; i < run->label_count; i++)
		if (strcmp(run->labels[i].name, name) != 0)
			run->labels[kept++] = run->labels[i];
	run->label_count = kept;
}

int bench_app_label_run(struct bench_store *store, const char *id, const char *name, const char *value,
			struct bench_error *error)
{
	BENCH_SCOPED_RUN *run = NULL;
	if (strcmp(name, "anchor") == 0)
		return bench_fail(error, BENCH_USAGE,
				  "the label anchor names what a run was interleaved with: it stays");
	if (bench_store_load_head(store, id, &run, error) != 0)
		return -1;
	if (*value)
		bench_record_attribute_set(&run->arena, &run->labels, &run->label_count, name, value);
	else
		drop_label(run, name);
	return bench_store_relabel(store, run, error);
}
