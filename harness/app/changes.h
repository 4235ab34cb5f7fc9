/* SPDX-License-Identifier: MIT */
/* What a repository says lies between two commits: subjects and files, for people. */
#ifndef BENCH_APP_CHANGES_H
#define BENCH_APP_CHANGES_H

#include "core/arena.h"
#include "record/commits.h"

#define BENCH_APP_CHANGES_NAMED 20 /* commits, and files, that are named */

/*
 * From commit `base` to commit `head`, which come from records and may be anything, in the repository that
 * has the folder. Of equal ones it asks nothing. Git runs nothing of the repository (machine/git.h).
 */
void bench_app_changes(const char *folder, const char *base, const char *head, struct bench_arena *arena,
		       struct bench_commits *changes);

#endif
