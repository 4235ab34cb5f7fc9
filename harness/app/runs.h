/* SPDX-License-Identifier: MIT */
/* The runs and baselines that a text names. */
#ifndef BENCH_APP_RUNS_H
#define BENCH_APP_RUNS_H

#include "record/folder.h"
#include "store/store.h"

/* Opens the history for reading, or to change what is in it. BENCH_NOTHING if it does not exist yet. */
int bench_app_open_store(const char *path, struct bench_store **store, struct bench_error *error);
int bench_app_change_store(const char *path, struct bench_store **store, struct bench_error *error);
/*
 * The same for a verb that needs the history only if `run` is not a run folder (NULL: if the history exists).
 * *store is NULL if it was not needed and could not be opened; `error` then has the reason, after a 0.
 */
int bench_app_try_store(const char *path, const char *run, struct bench_store **store,
			struct bench_error *error);

/*
 * Loads the run that `text` names: "last", "last~N", a run's id, a run directory, or a
 * baseline of one run. `store` may be NULL: then directories only. BENCH_USAGE if the name is unknown,
 * BENCH_NOTHING if too few runs are stored, or no history exists.
 */
int bench_app_load_run(struct bench_store *store, const char *runs_dir, const char *text,
		       struct bench_run **run, struct bench_error *error);

/* The id, in `arena`, of the run of the history that `text` names: "last", "last~N" or an id. Fails as
 * bench_app_load_run does.
 */
int bench_app_find_run(struct bench_store *store, const char *text, struct bench_arena *arena,
		       const char **id, struct bench_error *error);

/* The baseline `name`, in `arena`; *found: whether it exists. */
int bench_app_find_baseline(struct bench_store *store, const char *name, struct bench_arena *arena,
			    struct bench_baseline_row *row, bool *found, struct bench_error *error);

/* What became of a run folder that was to be taken into the history. */
enum bench_app_ingested {
	BENCH_APP_TAKEN, /* it is in the history now, or a more complete record of it */
	BENCH_APP_KNOWN, /* it was, as far as the folder has it */
	BENCH_APP_LIVE,  /* nothing: it is still being measured */
	BENCH_APP_EMPTY, /* nothing: it was cut short before anything was written */
};
int bench_app_ingest(struct bench_store *store, const char *folder, enum bench_app_ingested *what,
		     struct bench_error *error);

#endif
