/* What a repository says lies between two commits: subjects and files, for people. */
#ifndef BENCH_APP_CHANGES_H
#define BENCH_APP_CHANGES_H

#include <stddef.h>

#include "core/arena.h"

#define BENCH_APP_CHANGES_NAMED 20 /* commits, and files, that are named */

/* All in the arena that it was made with. Texts are from outside. */
struct bench_app_changes {
	const char *unknown; /* why nothing is known; NULL: it is, and as far as it goes it is all */
	char **commits;      /* "4af884b1c2d3 Wider tiles", newest first */
	size_t commit_count, commits_in_all;
	size_t left_behind; /* commits of the first that the second does not have */
	char **files;       /* "kernels/gemm.cl +10 -3", what changed most first */
	size_t file_count, files_in_all;
};

/*
 * From commit `base` to commit `head`, which come from records and may be anything, in the repository that
 * has the folder. Git runs nothing of the repository (machine/git.h).
 */
void bench_app_changes(const char *folder, const char *base, const char *head, struct bench_arena *arena,
		       struct bench_app_changes *changes);

#endif
