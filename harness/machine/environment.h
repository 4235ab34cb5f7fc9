/* SPDX-License-Identifier: MIT */
/*
 * The environment of a run: what the machine, the build and the source tree are. Reads
 * /proc, /sys, hwloc and git; changes nothing.
 */
#ifndef BENCH_MACHINE_ENVIRONMENT_H
#define BENCH_MACHINE_ENVIRONMENT_H

#include "record/record.h"

/* {0} is empty. Its arena owns all its texts. */
struct bench_environment {
	struct bench_arena arena;
	struct bench_attribute *facts; /* of host, build and settings, in the order of the record */
	size_t fact_count;
	struct bench_git git;
};

/*
 * Adds the facts name, fingerprint, cpu, cores, threads, memory, caches, kernel, os, virtualization,
 * governor, boost, no_turbo, microcode, huge_pages, clocksource, the clock's tick and cost, load, cgroup
 * limit, and the build: version, build_commit, build_type, compiler, flags and the libraries' versions; and
 * `executable`, the identity of this program (program.h): runs with the same one measured the same code. It
 * is left out if the folder of live kernels (BENCH_KERNELS) cannot be read, and so is any other fact that
 * cannot be read. `threads`: those that the run uses (0: all of the machine's).
 */
void bench_machine_environment_host(struct bench_environment *environment, unsigned threads);
/* Those of the build alone: the version, the compiler, the libraries ("lib.sqlite", ...). */
void bench_machine_environment_build(struct bench_environment *environment);
/* What else is part of the program that is measured: the fact `executable` then depends on these texts, too.
 */
void bench_machine_environment_extend(struct bench_environment *environment, const char *const *texts,
				      size_t count);

/* What this program writes, SQLite's own files included: no change of a work tree. */
struct bench_outputs {
	const char *runs_dir, *db; /* NULL: none; they need not be there yet */
};

/*
 * Fills in `git` from the work tree that contains `folder`; not present without one. NULL: from the sources
 * of this program. If the working directory is in a work tree at the same commit, that tree supplies the
 * facts. Otherwise the build does: the commit, no branch, and whether files had changed. If git does not list
 * the changes within a minute, the tree counts as dirty, with no file named. Runs nothing from the repository
 * (git.h). Does not see changes inside a submodule's work tree.
 */
void bench_machine_environment_git(const char *folder, const struct bench_outputs *outputs,
				   struct bench_git *git, struct bench_arena *arena);

void bench_machine_environment_add(struct bench_environment *environment, const char *name,
				   const char *value);
/* The value of a fact; "" if it is not known. */
const char *bench_machine_environment_fact(const struct bench_environment *environment, const char *name);

/* Puts the facts and the state of the tree into the record. */
void bench_machine_environment_record(const struct bench_environment *environment, struct bench_run *run);
void bench_machine_environment_free(struct bench_environment *environment);

/*
 * A hash of the machine's id, CPU, cores, caches and memory, 16 hexadecimal digits in `arena`: the same for
 * every run on one machine, whatever its load or hostname.
 */
char *bench_machine_environment_fingerprint(struct bench_arena *arena);

#endif
