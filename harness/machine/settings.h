/* SPDX-License-Identifier: MIT */
/*
 * The settings of a run: pinning, caches, order, watch. They travel with the record, as facts about its host.
 */
#ifndef BENCH_MACHINE_SETTINGS_H
#define BENCH_MACHINE_SETTINGS_H

#include <stdbool.h>

#include "machine/environment.h"

struct bench_settings {
	bool pin;
	bool cold;      /* the caches are flushed before each sample */
	bool in_order;  /* groups and rounds are not shuffled */
	bool counters;  /* counters of the processor are read around each sample (kit/counters.h) */
	bool energy;    /* of each case, in a window after its samples (measure/worker/window.h) */
	bool unwatched; /* nothing watches whether the machine is disturbed (measure/worker/watch.h) */
};

/*
 * Tells libraries about pinning and how long threads spin, by the environment variables that they read when
 * they are loaded; workers inherit them. Keeps the user's own settings. Call it before loading a backend in
 * this process too: a driver's description of its device may depend on them.
 */
void bench_machine_settings_apply(const struct bench_settings *settings);

/*
 * Adds the facts "pin", "cache", "shuffle", "watch", "processors_allowed", and, where asked for,
 * "counters" and "energy". Also "env.NAME" for each variable that is set and may change a result. "env" holds
 * the names of all such variables, as patterns ("OMP_*").
 */
void bench_machine_settings_describe(const struct bench_settings *settings,
				     struct bench_environment *environment);

/* The settings of a record. One without these facts was measured without pinning, hot, shuffled and watched.
 */
struct bench_settings bench_machine_settings_of(const struct bench_run *run);

#endif
