/* SPDX-License-Identifier: MIT */
/* Named baselines, and shifts that people have accepted. */
#ifndef BENCH_APP_BASELINE_H
#define BENCH_APP_BASELINE_H

#include "app/measure.h"
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
	const char *class;       /* of machines, that it holds for instead of a host; NULL: none */
	const char *fingerprint; /* of the host whose last run is meant; NULL: this one */
};

/* What an accepted shift came to. */
struct bench_app_accepted {
	size_t metrics;  /* that match */
	size_t alarms;   /* of them: those under an open alarm, which is closed for them */
	const char *run; /* the id of the first run that counts, in the arena */
	bool removal;    /* the metrics are gone with that run */
};

/*
 * Accepts it, moves the anchor's level to it, and closes the open alarms on the metrics that match. Where a
 * later run that was asked for these metrics lacks them all, it is their removal that is accepted.
 */
int bench_app_accept(struct bench_store *store, const struct bench_app_places *places,
		     const struct bench_app_shift *shift, struct bench_arena *arena,
		     struct bench_app_accepted *accepted, struct bench_error *error);
/*
 * Accepts what alarms are open about, metric by metric: those of the alarm with that id, or those that match
 * the pattern; `since` as in a shift. BENCH_NOTHING where no open alarm is meant.
 */
int bench_app_accept_alarms(struct bench_store *store, const struct bench_app_places *places,
			    const char *id_or_pattern, const char *why, const char *since,
			    struct bench_arena *arena, struct bench_app_accepted *accepted,
			    struct bench_error *error);
/*
 * Takes back what was accepted under exactly this pattern, from the shift's run on (NULL: from any): the
 * levels of before count again, and alarms that it closed are open. *alarms: the metrics that are under one
 * again.
 */
int bench_app_unaccept(struct bench_store *store, const char *runs_dir, const struct bench_app_shift *shift,
		       size_t *alarms, struct bench_error *error);

#endif
