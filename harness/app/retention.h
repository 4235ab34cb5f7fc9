/* SPDX-License-Identifier: MIT */
/* Which runs stay: some go, from the history and from disk, and some get other labels. */
#ifndef BENCH_APP_RETENTION_H
#define BENCH_APP_RETENTION_H

#include "app/host.h"
#include "app/measure.h"
#include "store/store.h"

/* A run that could go. */
struct bench_app_old_run {
	const struct bench_run_row *row;
	const char *stays; /* why it stays all the same; "": it goes */
	bool held;         /* by its folder, which is not the run's alone, or cannot be removed */
};

struct bench_app_prune {
	const char *runs_dir; /* where folders go, too; NULL: they stay */
	int64_t before;       /* runs that began before; Unix seconds */
	size_t newest; /* how many stay of each host, preset, selection of suites and reason to be aside */
};

/* The runs that both hold for, newest first; what the history needs (bench_store_needs) stays. In `arena`. */
int bench_app_old_runs(struct bench_store *store, const struct bench_app_prune *prune,
		       struct bench_arena *arena, struct bench_app_old_run **runs, size_t *count,
		       struct bench_error *error);

/*
 * Removes runs from the history, and their folders from `runs_dir` (NULL: these stay), the folder first.
 * BENCH_USAGE for a run that the history needs, BENCH_ENVIRONMENT for one whose folder is not its own alone
 * (record/removal.h): then nothing is removed. *removed: how many are gone; fewer than `count`, and -1, where
 * a folder could not be removed after all, and its run stays in the history.
 */
int bench_app_remove_runs(struct bench_store *store, const char *runs_dir, const char *const *ids,
			  size_t count, size_t *removed, const struct bench_app_host *host,
			  struct bench_error *error);

/*
 * Sets a label of a stored run, or takes it away where `value` is "". Its folder stays as it was measured.
 * BENCH_USAGE for the label "anchor", which a gate sets.
 */
int bench_app_label_run(struct bench_store *store, const char *id, const char *name, const char *value,
			struct bench_error *error);

#endif
