/* SPDX-License-Identifier: MIT */
/*
 * Is this machine fit to measure? A list of checks. Each reads a fact (from /proc, /sys, a library or a short
 * measurement), grades it, and states its cost and how to change it. Changes nothing.
 */
#ifndef BENCH_MACHINE_FITNESS_FITNESS_H
#define BENCH_MACHINE_FITNESS_FITNESS_H

#include <stddef.h>

#include "bench/backend.h"
#include "bench/error.h"
#include "core/arena.h"
#include "machine/environment.h"

enum bench_grade {
	BENCH_GRADE_GOOD,    /* nothing to change */
	BENCH_GRADE_ADVICE,  /* worth knowing or changing; numbers hold all the same */
	BENCH_GRADE_BAD,     /* numbers taken now cannot be trusted */
	BENCH_GRADE_UNKNOWN, /* could not be read; `found` says why */
};

/* Strings live in the fitness's arena, NULL where there is nothing to say. */
struct bench_finding {
	const char *name; /* of the check, static */
	enum bench_grade grade;
	char *found;
	char *cost;    /* what it does to numbers: measured, or by what mechanism */
	char *change;  /* what to do about it, in words */
	char *command; /* the same, as a command line */
};

struct bench_fitness {
	struct bench_arena arena;
	struct bench_finding *findings; /* in the order of the checks */
	size_t count;
};

struct bench_fitness_options {
	const char *proc, *sys, *etc;                /* NULL: "/proc", "/sys", "/etc" */
	const struct bench_backend *const *backends; /* NULL-terminated: openblas and opencl are asked */
	struct bench_outputs outputs;                /* where runs are written; runs_dir NULL: "runs" */
	double memory_bytes;                         /* what the largest case takes; 0: not known */
	unsigned threads;                            /* that cases use; 0: one for each CPU allowed */
};

/*
 * Runs every check; takes under three seconds, two of them computing. BENCH_ENVIRONMENT if there is neither a
 * /proc nor a /sys to read. The caller frees `fitness` in any case.
 */
int bench_fitness_check(const struct bench_fitness_options *options, struct bench_fitness *fitness,
			struct bench_error *error);
void bench_fitness_free(struct bench_fitness *fitness);

/* "good", "advice", "bad", "unknown". */
const char *bench_fitness_grade_name(enum bench_grade grade);

/* Adds a finding of another room; its strings are copied. */
void bench_fitness_add(struct bench_fitness *fitness, const struct bench_finding *finding);

/* How many findings have this grade. */
size_t bench_fitness_count(const struct bench_fitness *fitness, enum bench_grade grade);

#endif
