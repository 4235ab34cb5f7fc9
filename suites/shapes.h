/* SPDX-License-Identifier: MIT */
/*
 * Named lists of shapes: the layers of published networks, for `--set shapes=NAME`. A list is sweeps of its
 * suite, as in struct bench_suite; what else is set replaces parameters of each.
 */
#ifndef SUITES_SHAPES_H
#define SUITES_SHAPES_H

struct bench_shapes {
	const char *suite;
	const char *name;
	const char *source;        /* where the shapes are published; for people */
	const char *const *sweeps; /* ends with NULL */
};

/* The list after `last` (NULL: the first) among those of a suite (NULL: of all suites). NULL at the end. */
const struct bench_shapes *bench_shapes_next(const char *suite, const struct bench_shapes *last);

/* The suite's list of that name, or NULL. */
const struct bench_shapes *bench_shapes_find(const char *suite, const char *name);

#endif
