/* The runs and baselines that a text names. */
#ifndef BENCH_APP_RUNS_H
#define BENCH_APP_RUNS_H

#include "record/folder.h"
#include "store/store.h"

/* Opens the history for reading. BENCH_NOTHING where there is none yet. */
int bench_app_open_store(const char *path, struct bench_store **store, struct bench_error *error);

/*
 * Loads the run that `text` names: "last", "last~N", a run's id, a run directory, or a
 * baseline of one run. `store` may be NULL: then directories only. BENCH_NOTHING.
 */
int bench_app_load_run(struct bench_store *store, const char *runs_dir, const char *text,
		       struct bench_run **run, struct bench_error *error);

/* The baseline `name`, in `arena`; false where there is none. */
bool bench_app_find_baseline(struct bench_store *store, const char *name, struct bench_arena *arena,
			     struct bench_baseline_row *found);

#endif
