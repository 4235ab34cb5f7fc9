/* SPDX-License-Identifier: MIT */
/* 'bench db': is the history whole; a copy of it; a new one of what can be saved. docs/database.md. */
#ifndef BENCH_APP_DB_H
#define BENCH_APP_DB_H

#include "app/measure.h"

/* A part of a history that was rebuilt. */
struct bench_app_repaired {
	const char *what; /* "run:ID", "baselines", "accepted" ... */
	const char *from; /* "database", or the run folder; "": it is lost */
	const char *note; /* what is to be known of it; "": it is as it was */
};

struct bench_app_repair {
	struct bench_app_repaired *parts;
	size_t count, lost; /* lost: parts of which something is */
	const char *aside;  /* the name of the old file now */
	struct bench_arena arena;
};

/* All damage; none: it is whole. *runs: how many it has. In `arena`. BENCH_NOTHING without a history. */
int bench_app_db_check(const char *db, struct bench_arena *arena, struct bench_store_finding **findings,
		       size_t *count, size_t *runs, struct bench_error *error);

/*
 * Makes the history anew: runs of it whose rows are those that were written, what is in the run folders, and
 * of everything else what can be read. The old file is kept aside, with its log, as "<db>.damaged-<time>".
 * Until the new one takes its place nothing is changed. BENCH_NOTHING without a history; BENCH_ENVIRONMENT if
 * a process has it open, or another program or a newer bench wrote it. bench_app_db_repair_free in any case.
 */
int bench_app_db_repair(const struct bench_app_places *places, struct bench_app_repair *repair,
			struct bench_error *error);
void bench_app_db_repair_free(struct bench_app_repair *repair);

#endif
