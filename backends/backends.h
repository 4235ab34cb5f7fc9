/* SPDX-License-Identifier: MIT */
/* The table of built-in backends, and the check that every backend passes before use. */
#ifndef BACKENDS_BACKENDS_H
#define BACKENDS_BACKENDS_H

#include "bench/backend.h"

/* The built-in backends, in the order that lists show them: each is bench_backend_NAME. */
/* clang-format off */
#define BENCH_BACKENDS(DO) \
	DO(opencl) \
	DO(clblast) \
	DO(openblas) \
	DO(onednn) \
	DO(reference)
/* clang-format on */

#define BENCH_BACKEND_DECLARE(name) extern const struct bench_backend bench_backend_##name;
BENCH_BACKENDS(BENCH_BACKEND_DECLARE)

/* The backends of this process, the built-in ones first; ends with NULL. */
extern const struct bench_backend *const *const bench_backends;

/*
 * Adds a backend that is not built in, and lives as long as the process; before there are threads.
 * BENCH_USAGE where it does not pass bench_backend_check, or its name is taken.
 */
#define BENCH_BACKENDS_MOST 32
int bench_backends_add(const struct bench_backend *backend, struct bench_error *error);

/*
 * Is this a backend that can be called: the ABI number of this build, a legal name, every
 * required hook, optional hooks whole where they come in pairs? BENCH_USAGE with the
 * backend's name and what is wrong.
 */
int bench_backend_check(const struct bench_backend *backend, struct bench_error *error);

/* bench_backend_check for each of a NULL-terminated table, and no name twice. */
int bench_backends_check(const struct bench_backend *const *backends, struct bench_error *error);

#endif
