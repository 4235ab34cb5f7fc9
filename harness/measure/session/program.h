/* SPDX-License-Identifier: MIT */
/*
 * A program of a duel: one of its two executables, with the assignments of the environment that it alone
 * gets.
 */
#ifndef BENCH_MEASURE_SESSION_PROGRAM_H
#define BENCH_MEASURE_SESSION_PROGRAM_H

#include <stddef.h>

#include "bench/error.h"
#include "core/arena.h"
#include "core/text.h"
#include "measure/worker/job.h"
#include "plan/target.h"

struct bench_session_program {
	const char *text;   /* as it was given */
	char *executable;   /* its path */
	char **assignments; /* "NAME=value" */
	size_t assignment_count;
	char **options; /* behind it, "--plugin=F.so": what it measures beyond what it ships */
	size_t option_count;
	const char *backend;               /* behind it, "--backend B[:DEV]"; NULL: that of the duel */
	const struct bench_target *target; /* what `backend` means; NULL: the plan's */
	const char *const *extensions;     /* what these are (extend/extend.h), or others that it gets */
	size_t extension_count;
	char *version; /* what it prints: "0.1.0 (commit, type)"; NULL: not asked yet */
};

/*
 * Reads "NAME=value ... EXECUTABLE [--OPTION [VALUE]]...", split at blanks as a shell does it: '...' and
 * "..." hold blanks, a backslash outside of '...' takes the next character as it is. A name without a slash
 * is searched in PATH. BENCH_USAGE for a text that is not of this form, BENCH_NOTHING for an executable that
 * does not exist. Memory is the arena's.
 */
int bench_session_program_parse(const char *text, struct bench_arena *arena,
				struct bench_session_program *program, struct bench_error *error);

/*
 * Runs it with these arguments (from argv[0] on, NULL-terminated), and puts what it prints into *out.
 * BENCH_UNSUPPORTED if it ends with status 2 or 3, as a bench does that does not know the request.
 * BENCH_NOTHING if it cannot be started, does not end, or ends with a status other than 0.
 */
int bench_session_program_query(const struct bench_session_program *program, const char *const *arguments,
				struct bench_text *out, struct bench_error *error);

/*
 * Asks for its version, and whether it knows duels. BENCH_NOTHING if it is not a bench, or too old.
 */
int bench_session_program_identify(struct bench_session_program *program, struct bench_arena *arena,
				   struct bench_error *error);

/*
 * The environment of its processes, ending with NULL: that of this process and its assignments, padded to
 * the size of the other program's. The size of the environment decides where the stack begins, and a loop's
 * speed may depend on that. Source: Mytkowicz, Diwan, Hauswirth & Sweeney, "Producing wrong data without
 * doing anything obviously wrong!", ASPLOS 2009. The overrides are in it as well as in the job, since older
 * versions read them only there.
 */
char **bench_session_program_environment(const struct bench_session_program *program,
					 const struct bench_session_program *other,
					 const struct bench_overrides *overrides, struct bench_arena *arena);

/* The overrides of a program: its own assignments of BENCH_TUNING and BENCH_SLOWDOWN take precedence over
 * `overrides`. */
struct bench_overrides bench_session_program_overrides(const struct bench_session_program *program,
						       const struct bench_overrides *overrides);

#endif
