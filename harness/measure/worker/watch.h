/*
 * The watch: sees whether the machine was slowed from outside while a worker took its samples. It looks after
 * every visit, between what is timed, and judges windows of visits that are long enough for the kernel's
 * counters.
 */
#ifndef BENCH_MEASURE_WORKER_WATCH_H
#define BENCH_MEASURE_WORKER_WATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "core/arena.h"
#include "machine/canary.h"
#include "machine/load.h"
#include "machine/nvml.h"
#include "measure/worker/sampler.h"
#include "record/record.h"

/*
 * From where on a window is disturbed. A quiet machine's own services stay below 0.05 cores; a process that
 * is busy on one core is at 1. The canary of an idle machine varies by some per cent, and by 10 where the
 * clock does.
 */
#define BENCH_WATCH_OTHERS 0.25 /* cores used by other processes; an eighth of all, where that is more */
#define BENCH_WATCH_WAITED 0.1  /* cores that threads of this process waited for while others had them */
#define BENCH_WATCH_STEAL  0.05 /* cores */
#define BENCH_WATCH_CANARY 1.25 /* times the fastest of the run */

/* What is shorter cannot be judged by the kernel's counters. */
#define BENCH_WATCH_LEAST_SECONDS 0.11

/* What was seen in a window. NaN: not known, which disturbs nothing. */
struct bench_watch_reading {
	double others, waited, steal; /* processor cores */
	size_t processors;            /* that they are of */
	double canary;                /* the slowest over the fastest of the run */
	bool throttled;               /* the driver of a GPU has slowed it */
};

/* Pure. `reason`: in words, what of it was too much; "" where nothing was. */
bool bench_worker_watch_is_disturbed(const struct bench_watch_reading *reading, char *reason, size_t size);

/* Of one worker. Private to watch.c, but for `fastest` and `reason`, which may be read. */
struct bench_watch {
	struct bench_canary canary;
	bool has_canary;
	bool never_idle;  /* threads of this process spin for ever: no canary is worth waiting for */
	double fastest;   /* seconds of the canary; NaN: not known */
	double canary_at; /* when it was last done */
	double slowest;   /* of the window at hand; NaN: none yet */
	double *canaries; /* all */
	size_t canary_count;
	struct bench_load before, opened; /* at the start of the window before, and of the one at hand */
	struct bench_watch_reading worst;
	double frequency; /* Hz, lowest; NaN */
	long gpu;         /* watched, in NVML's order; negative: none */
	int device_mhz;   /* lowest; -1: not told */
	long throttle;    /* all reasons that there were; -1: not told */
	char reason[160]; /* of the last window that was disturbed */
	struct bench_arena arena;
};

/*
 * Begins to watch, before anything is set up: `fastest` is the canary's that the run has seen (NaN or 0:
 * none), `gpu` one of NVML's to watch as well, through `library` (BENCH_NVML_LIBRARY); negative: none. Where
 * there is no such library or GPU, nothing is watched of it.
 */
void bench_worker_watch_start(struct bench_watch *watch, double fastest, const char *library, long gpu);
void bench_worker_watch_end(struct bench_watch *watch);

/* Sampling begins: what setting up has used is not held against the visits. */
void bench_worker_watch_open(struct bench_watch *watch);

/*
 * After a visit. OPEN: it is judged later, together with those that follow; else it and all since the last
 * judgement are what is said. `last`: no other visit may follow, judge now. A window is 0.2 s long at least;
 * a last one that is shorter is judged together with the one before it, or with the setting up.
 */
enum bench_visits bench_worker_watch_visited(struct bench_watch *watch, bool last);

/* What it has seen, but for the invocation and the share of the visits, which are the caller's; in
 * watch->arena. */
void bench_worker_watch_summarize(struct bench_watch *watch, struct bench_watched *watched);

#endif
