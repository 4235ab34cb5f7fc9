/* SPDX-License-Identifier: MIT */
/*
 * A function to measure, as a row of a plug-in's table, and what its hooks may call. bench/fn.h makes the row
 * and gives the hooks their types; this is what lies beneath it.
 *
 * Threads: hooks are called from one thread, and what they call here is called from that one.
 */
#ifndef BENCH_FUNCTION_H
#define BENCH_FUNCTION_H

#include <stddef.h>
#include <stdint.h>

#include "bench/case.h"
#include "bench/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One case: the function at one point of its parameters. Known to bench alone. */
struct bench_fn_case;

struct bench_fn {
	const char *name;  /* required: [a-z][a-z0-9_]*, the name of its suite */
	const char *file;  /* required: the source, for the summary */
	const char *sweep; /* required: "n=1,2 mode=a,b", as struct bench_suite has it; may be "" */

	/* required. The state of a case, zeroed; NULL without memory. drop() frees it. */
	void *(*make)(void);
	void (*drop)(void *state);

	/* optional. The work of one iteration, from the parameters alone. */
	void (*work)(struct bench_fn_case *fn, struct bench_work *work);
	/* required. Makes the inputs. */
	void (*setup)(struct bench_fn_case *fn, void *state);
	/* optional. Puts back inputs that run() changes, and spoils its outputs. */
	void (*prepare)(struct bench_fn_case *fn, void *state);
	/* required. Calls the function `iterations` times. */
	void (*run)(struct bench_fn_case *fn, void *state, uint64_t iterations);
	/* required. Sets error and tolerance. */
	void (*check)(struct bench_fn_case *fn, void *state, struct bench_check *check);
};

/* The value of a parameter. One that is none of the sweep, or of another type, fails the case. */
size_t bench_fn_size(struct bench_fn_case *fn, const char *name);      /* a whole number, not negative */
double bench_fn_real(struct bench_fn_case *fn, const char *name);      /* any number */
const char *bench_fn_word(struct bench_fn_case *fn, const char *name); /* as it was written */

/*
 * Memory of the case, aligned to 64 bytes, which bench frees after it: zeroed; or numbers uniform in [-1, 1),
 * the same in every run with one --seed, and others at each call. NULL, and the case fails, without enough
 * memory and for a count of 0.
 */
void *bench_fn_alloc(struct bench_fn_case *fn, size_t count, size_t size);
float *bench_fn_floats(struct bench_fn_case *fn, size_t count);
double *bench_fn_doubles(struct bench_fn_case *fn, size_t count);
/* A random number of 64 bits. */
uint64_t bench_fn_random(struct bench_fn_case *fn);

/* Fails the case, with this reason, once the hook returns: BENCH_UNSUPPORTED or BENCH_FAILED. The first
 * counts.
 */
void bench_fn_fail(struct bench_fn_case *fn, enum bench_code code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#ifdef __cplusplus
}
#endif
#endif
