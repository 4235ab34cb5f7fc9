/*
 * The environment of a run: what the machine, the build and the source tree are. Reads
 * /proc, /sys, hwloc and git; changes nothing.
 */
#ifndef BENCH_MACHINE_ENVIRONMENT_H
#define BENCH_MACHINE_ENVIRONMENT_H

#include "record/record.h"

/*
 * Fills run->host with name, fingerprint, cpu, cores, threads, memory, caches, kernel,
 * os, virtualization, governor, clocksource, the clock's tick and cost, load, cgroup limit, and the build:
 * version, build_commit, build_type, compiler, flags and the libraries' versions. What cannot be read is left
 * out. `threads`: what the run uses (0: all of the machine's).
 *
 * The fingerprint is 16 hexadecimal digits over the machine's id, CPU, cores, caches and
 * memory: the same at every run on one machine, whatever its load or hostname.
 */
void bench_environment_host(struct bench_run *run, unsigned threads);

/*
 * Adds `executable` to run->host, 16 hexadecimal digits over this program's file: runs that have the same
 * measured the same code. Not where it cannot be read, nor where kernels come from elsewhere (BENCH_KERNELS).
 */
void bench_environment_executable(struct bench_run *run);

/* Fills run->git from the work tree that the working directory is in; not present where there is none. */
void bench_environment_git(struct bench_run *run);

#endif
