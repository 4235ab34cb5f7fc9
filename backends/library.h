/* SPDX-License-Identifier: MIT */
/* Libraries that backends load when they are used: bench runs without them. */
#ifndef BACKENDS_LIBRARY_H
#define BACKENDS_LIBRARY_H

#include <stddef.h>

#include "bench/error.h"

struct bench_library {
	const char *file, *name; /* "libopenblas.so.0", "OpenBLAS" */
	const char *packages;    /* that have it: "Debian: libopenblas0-pthread" */
	const char *least;       /* what it must be: "OpenBLAS" */
};

/* A function, and where its pointer goes in the struct that `functions` of bench_library_open is. */
struct bench_symbol {
	const char *name; /* NULL: no more */
	size_t offset;
};

/*
 * Loads a library and fills `functions`; the handle, for dlclose, or NULL with BENCH_UNSUPPORTED where the
 * library or a function is missing.
 */
void *bench_library_open(const struct bench_library *library, const struct bench_symbol *symbols,
			 void *functions, struct bench_error *error);

#endif
