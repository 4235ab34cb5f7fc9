/* SPDX-License-Identifier: MIT */
/*
 * The load of the machine, as the kernel counts it: how busy the processors were that this process may run
 * on, how much of that was this process, and how long its threads waited for a processor.
 */
#ifndef BENCH_MACHINE_LOAD_H
#define BENCH_MACHINE_LOAD_H

#include <sched.h>
#include <stddef.h>

/* Counters at one moment; NaN where they cannot be read. */
struct bench_load {
	double at;                 /* seconds of the clock */
	double busy, steal, total; /* ticks of the processors: at work, taken by a hypervisor, in all */
	size_t processors;         /* that those are of */
	double own;    /* seconds of processor time of this process and the children it has waited for */
	double waited; /* seconds that its threads have waited for a processor, ready to run */
	size_t threads;
};

/* The load between two moments, in processor cores; NaN if not known. */
struct bench_load_use {
	double seconds;
	double others; /* used by other processes */
	double steal;  /* taken by a hypervisor, at least: one tick may belong to the time before */
	double waited; /* for which threads of this process waited; see bench_machine_load_between */
};

/* Reads the counters now. Takes tens of microseconds, more with many threads or processors. */
void bench_machine_load_read(struct bench_load *load);

/*
 * /proc/stat (proc(5)) into busy, steal, total and processors, of the processors in `allowed` (NULL: all).
 * If there is nothing to read, they are NaN.
 */
void bench_machine_load_read_stat(const char *path, const cpu_set_t *allowed, struct bench_load *load);
/*
 * The second number of TASK/schedstat (sched-stats in the kernel's documentation), over the folders of
 * `path`: waited and threads.
 */
void bench_machine_load_read_threads(const char *path, struct bench_load *load);

/*
 * Pure. It takes shares of /proc/stat's ticks, not their number, so that it does not matter where between two
 * ticks a window begins and ends. The error that is left: both counts of busy ticks (user, system) are cut to
 * 10 ms, which is under 0.1 cores together over 0.2 s, mostly under 0.03. A window under 0.1 s: NaN.
 *
 * Threads of one process also wait for each other if there are more of them than processors. So `waited` is
 * at most what others used; if that is not known, it is NaN unless each thread could have a processor.
 */
struct bench_load_use bench_machine_load_between(const struct bench_load *from, const struct bench_load *to);

#endif
