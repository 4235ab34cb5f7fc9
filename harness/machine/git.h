/* SPDX-License-Identifier: MIT */
/*
 * Git, which reads a repository that others may have written and runs nothing of theirs: no hook, file-system
 * monitor, filter or transport, whatever the repository's own settings say. Submodules' work trees are left
 * alone. Nothing is fetched: what a partial clone lacks is missing.
 */
#ifndef BENCH_MACHINE_GIT_H
#define BENCH_MACHINE_GIT_H

#include "bench/error.h"
#include "core/text.h"

/*
 * Runs "git WORDS", which end with NULL, in a folder. *out gets what it prints, and may be NULL. The folder
 * decides which repository is meant, and no variable (GIT_DIR). BENCH_ENVIRONMENT with git's own words.
 */
int bench_machine_git(const char *folder, const char *const *words, double limit_seconds,
		      struct bench_text *out, struct bench_error *error);

#endif
