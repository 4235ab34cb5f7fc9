/*
 * The load of the machine, as its kernel counts it: what the processors that this process may run on did,
 * what of it was this process, and how long its threads waited for one of them.
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

/* What lies between two moments, in processor cores; NaN where it is not known. */
struct bench_load_use {
	double seconds;
	double others; /* used by other processes */
	double steal;  /* at least: one tick may be of before */
	double waited; /* threads of this process waited, for others; see bench_machine_load_between */
};

/* Now. Takes tens of microseconds, more with many threads or processors. */
void bench_machine_load_read(struct bench_load *load);

/*
 * /proc/stat (proc(5)) into busy, steal, total and processors, of the processors in `allowed` (NULL: all).
 * Where there is nothing to read, they are NaN.
 */
void bench_machine_load_read_stat(const char *path, const cpu_set_t *allowed, struct bench_load *load);
/*
 * The second number of TASK/schedstat (sched-stats in the kernel's documentation), over the folders of
 * `path`: waited and threads.
 */
void bench_machine_load_read_threads(const char *path, struct bench_load *load);

/*
 * Pure. Of /proc/stat, shares are taken and not ticks, so that where a window's ends fall between two ticks
 * does not matter. What is left of their error: each of the two counts of busy ones (user, system) is cut to
 * 10 ms, under 0.1 cores together over 0.2 s, mostly under 0.03. Under 0.1 s of window: NaN.
 *
 * Threads of one process wait for each other, too, where there are more of them than processors. So `waited`
 * is at most what others used; where that is not known, it is NaN unless each thread could have a processor.
 */
struct bench_load_use bench_machine_load_between(const struct bench_load *from, const struct bench_load *to);

#endif
