/* Named baselines, and shifts that people have accepted. */
#ifndef BENCH_APP_BASELINE_H
#define BENCH_APP_BASELINE_H

#include "app/host.h"
#include "store/store.h"

/*
 * The baseline `name` is from now on the runs that `texts` name (none: the last run); a run folder is taken
 * into the history first. The host is warned of what is odd about a run. *first: the id of the first, in
 * `arena`. BENCH_USAGE for a name that cannot be one, BENCH_NOTHING for a run that says nothing.
 */
int bench_app_baseline_set(struct bench_store *store, const char *runs_dir, const char *name,
			   const char *const *texts, size_t count, const struct bench_app_host *host,
			   struct bench_arena *arena, char **first, struct bench_error *error);

/* A shift that is right. */
struct bench_app_shift {
	const char *pattern; /* of metrics' full names */
	const char *why;
	const char *
		since; /* the first run that counts; NULL: the last one of this host that has such a metric */
	bool all_hosts;
};

/*
 * *count: the metrics that it is about; *run: the id of the first run that counts, in `arena`. Where a later
 * run that was asked for these metrics lacks them all, it is their removal that is accepted: *removal is
 * true, and *run the first run without them.
 */
int bench_app_accept(struct bench_store *store, const char *runs_dir, const struct bench_app_shift *shift,
		     struct bench_arena *arena, size_t *count, const char **run, bool *removal,
		     struct bench_error *error);
int bench_app_unaccept(struct bench_store *store, const char *runs_dir, const struct bench_app_shift *shift,
		       struct bench_error *error);

#endif
