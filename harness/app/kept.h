/* SPDX-License-Identifier: MIT */
/*
 * Programs that are kept beside the history, by content, so that later runs can be interleaved with them:
 * "results.db.anchors/CONTENT/" (store.h: bench_store_beside) holds the executable, its live kernels, its
 * extensions and about.json. The latter has the build and the relevant environment.
 *
 * CONTENT is the executable's content, as in the host's fact `executable`, or that of all of these files. A
 * program that was changed, or that others may write, is refused. Several processes may keep and prune at
 * once.
 */
#ifndef BENCH_APP_KEPT_H
#define BENCH_APP_KEPT_H

#include "core/arena.h"
#include "record/record.h"

/*
 * Can all extensions of this process be kept? Commands can if each starts a program of the repository (its
 * name has a '/'), which loads no library of it, and none of whose arguments names a file.
 */
bool bench_app_can_be_kept(void);

/*
 * Keeps this executable beside the history `db`, as what measures `run` (which says of which commit it is).
 * *content: in `arena`. Its extensions can be kept. BENCH_ENVIRONMENT where it cannot be
 * written.
 */
int bench_app_kept_add(const char *db, const struct bench_run *run, struct bench_arena *arena, char **content,
		       struct bench_error *error);

/*
 * A kept program as a duel takes it: "NAME=value ... EXECUTABLE OPTIONS", in `arena`. Requests of this
 * process's environment (a slowdown, kernels of another folder) do not apply to it. BENCH_NOTHING where it is
 * not kept or damaged.
 */
int bench_app_kept_text(const char *db, const char *content, struct bench_arena *arena, char **text,
			struct bench_error *error);

/* Removes what is kept and neither among `used` nor among the last few that were added or used. */
void bench_app_kept_prune(const char *db, const char *const *used, size_t count);

#endif
