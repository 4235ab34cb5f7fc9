/*
 * A program of a duel: an executable of bench, and what of the environment is its own.
 */
#ifndef BENCH_MEASURE_SESSION_PROGRAM_H
#define BENCH_MEASURE_SESSION_PROGRAM_H

#include <stddef.h>

#include "bench/error.h"
#include "core/arena.h"
#include "core/text.h"
#include "measure/worker/job.h"

struct bench_session_program {
	const char *text;   /* as it was given */
	char *executable;   /* its path */
	char **assignments; /* "NAME=value" */
	size_t assignment_count;
	char *version; /* what it says of itself: "0.1.0 (commit, type)"; NULL: not asked */
};

/*
 * Reads "NAME=value ... EXECUTABLE", split at blanks as a shell does it: '...' and "..." hold blanks, a
 * backslash outside of '...' takes the next character as it is. A name without a slash is searched in PATH.
 * BENCH_USAGE for what is none, BENCH_NOTHING for an executable that is not there. Memory is the arena's.
 */
int bench_session_program_parse(const char *text, struct bench_arena *arena,
				struct bench_session_program *program, struct bench_error *error);

/*
 * Runs it with these arguments (from argv[0] on, NULL-terminated), and gives what it printed. BENCH_NOTHING
 * where it cannot be started, does not end, or ends with another status than 0.
 */
int bench_session_program_query(const struct bench_session_program *program, const char *const *arguments,
				struct bench_text *out, struct bench_error *error);

/*
 * Asks for its version, and whether it can fight a duel. BENCH_NOTHING where it is no bench, or too old.
 */
int bench_session_program_identify(struct bench_session_program *program, struct bench_arena *arena,
				   struct bench_error *error);

/*
 * The environment of its processes, ending with NULL: that of this process and its assignments, filled up to
 * what the other program's takes. Where the stack begins depends on how long they are, and how fast a loop is
 * may depend on that (Mytkowicz, Diwan, Hauswirth & Sweeney, "Producing wrong data without doing anything
 * obviously wrong!", ASPLOS 2009). An older version reads the overrides there and not in its job: they are in
 * it, too.
 */
char **bench_session_program_environment(const struct bench_session_program *program,
					 const struct bench_session_program *other,
					 const struct bench_overrides *overrides, struct bench_arena *arena);

/* The overrides of a program: its own assignments of BENCH_TUNING and BENCH_SLOWDOWN before those of all. */
struct bench_overrides bench_session_program_overrides(const struct bench_session_program *program,
						       const struct bench_overrides *overrides);

#endif
