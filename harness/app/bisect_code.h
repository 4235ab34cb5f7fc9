/* SPDX-License-Identifier: MIT */
/*
 * The user's code in a bisection: kernels, plug-ins and commands of a commit, which this bench measures.
 * Their paths are those of the working tree; in a commit they are below its own work tree.
 */
#ifndef BENCH_APP_BISECT_CODE_H
#define BENCH_APP_BISECT_CODE_H

#include "app/project.h"
#include "bench/error.h"
#include "core/arena.h"
#include "core/text.h"

/* Nothing of it is owned. */
struct bench_app_bisect_code {
	const struct bench_project_setting *options; /* kernel, spec, plugin, exec and what belongs to exec */
	size_t count;
	const char *folder; /* where commands run; NULL: the working directory */
};

/* The options that bring code, and those that belong to them; NULL-terminated. */
extern const char *const bench_app_bisect_code_options[];

/*
 * Replaces paths by those below the top of the work tree of `repository`; the folder too. BENCH_USAGE where a
 * file lies outside of it. Memory is the arena's.
 */
int bench_app_bisect_code_place(const struct bench_app_bisect_code *given, const char *repository,
				struct bench_arena *arena, struct bench_app_bisect_code *placed,
				struct bench_error *error);
/* The files that a build has to leave, NULL-terminated. */
const char *const *bench_app_bisect_code_files(const struct bench_app_bisect_code *placed,
					       struct bench_arena *arena, size_t *count);
/* Writes what commands need into the kept folder of a commit. BENCH_ENVIRONMENT. */
int bench_app_bisect_code_finish(const struct bench_app_bisect_code *placed, const char *kept,
				 struct bench_error *error);
/* What is kept in that folder, in `arena`, as a side of a duel is written: `program` there (NULL: `self`, a
 * side itself), and behind it the options that bring the code. */
char *bench_app_bisect_code_side(const struct bench_app_bisect_code *placed, const char *program,
				 const char *self, const char *kept, struct bench_arena *arena);

#endif
