/* SPDX-License-Identifier: MIT */
/*
 * The watch: finds out whether the machine was slowed from outside while a worker took its samples. It reads
 * counters after every visit, outside of what is timed, and judges windows of visits that are long enough for
 * the kernel's counters.
 */
#ifndef BENCH_MEASURE_WORKER_WATCH_H
#define BENCH_MEASURE_WORKER_WATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "core/arena.h"
#include "machine/canary.h"
#include "machine/drm.h"
#include "machine/load.h"
#include "machine/nvml.h"
#include "measure/worker/sampler.h"
#include "record/record.h"

/*
 * The limits above which a window is disturbed. A quiet machine's own services stay below 0.05 cores; a
 * process that keeps one core busy is at 1. The canary of an idle machine varies by some per cent, and by 10
 * if its clock varies.
 */
#define BENCH_WATCH_OTHERS 0.25 /* cores used by other processes; or an eighth of all, if that is more */
#define BENCH_WATCH_WAITED 0.1  /* cores that threads of this process waited for while others used them */
#define BENCH_WATCH_STEAL  0.05 /* cores */
#define BENCH_WATCH_CANARY 1.25 /* times the fastest of the run */
#define BENCH_WATCH_GPU    0.05 /* of the GPU's time that other processes used */

/* A shorter window cannot be judged by the kernel's counters. */
#define BENCH_WATCH_LEAST_SECONDS 0.11

/* What was seen in a window. NaN: not known, which disturbs nothing. */
struct bench_watch_reading {
	double others, waited, steal; /* processor cores */
	size_t processors;            /* of which `others` is a part */
	double canary;                /* the window's slowest over the run's fastest */
	bool throttled;               /* the driver of a GPU has slowed it */
	double gpu_others;            /* the share of its time in which other processes used it */
};

/* Pure. Is it the device, and not only its host, that was slowed? */
bool bench_worker_watch_is_device_disturbed(const struct bench_watch_reading *reading);
/* Pure. `reason`: which limits were passed, in words; "" if none was. */
bool bench_worker_watch_is_disturbed(const struct bench_watch_reading *reading, char *reason, size_t size);

/* Of one worker. Private to watch.c, except that others may read `fastest` and `reason`. */
struct bench_watch {
	struct bench_canary canary;
	bool has_canary;
	bool gpu_only;    /* what the worker measures runs on a GPU */
	bool never_idle;  /* threads of this process spin for ever: waiting to run the canary is useless */
	double fastest;   /* seconds of the canary; NaN: not known */
	double canary_at; /* when it was last run */
	double slowest;   /* canary in the open window; NaN: none yet */
	double *canaries; /* all */
	size_t canary_count;
	struct bench_load before, opened; /* at the start of the previous window, and of the open one */
	struct bench_watch_reading worst;
	double frequency;     /* Hz, lowest; NaN */
	long gpu;             /* watched, in NVML's order; negative: none */
	struct bench_drm drm; /* another vendor's, watched in its place */
	double gpu_others;    /* highest share; NaN: not known */
	int device_mhz;       /* lowest; -1: not known */
	long throttle;        /* all reasons that there were, as bits; -1: not known */
	char reason[160];     /* of the last window that was disturbed */
	struct bench_arena arena;
};

/*
 * Begins to watch, before anything is set up. `fastest`: seconds of the fastest canary in the run so far (NaN
 * or 0: none). `gpu`: a GPU to watch as well, by its number in NVML (negative: none), through `library`
 * (BENCH_NVML_LIBRARY). A library or GPU that does not exist is not watched. `gpu_only`: all work is a GPU's,
 * of which the canary of the processor says nothing; what disturbs only the host is told apart.
 */
void bench_worker_watch_start(struct bench_watch *watch, double fastest, const char *library, long gpu,
			      bool gpu_only);
void bench_worker_watch_end(struct bench_watch *watch);
/* Watches a GPU of another vendor, by its PCI address, where it watches none yet. `sys` NULL: "/sys". */
void bench_worker_watch_drm(struct bench_watch *watch, const char *sys, const char *pci);

/* Sampling begins: the load of setting up does not count against the visits. */
void bench_worker_watch_open(struct bench_watch *watch);

/*
 * After a visit. OPEN: it is judged later, together with those that follow. Else the result holds for it and
 * all visits since the last judgment. `last`: no other visit may follow, so judge now. A window is at least
 * 0.2 s long; a shorter last one is judged together with the one before it, or with the setting up.
 */
enum bench_visits bench_worker_watch_visited(struct bench_watch *watch, bool last);

/* Summarizes what it has seen, in watch->arena; the caller fills in the invocation and the share of disturbed
 * visits. */
void bench_worker_watch_summarize(struct bench_watch *watch, struct bench_watched *watched);

#endif
