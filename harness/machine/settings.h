/*
 * How a run is measured, beside how much: whether threads stay where they are put, what is in
 * the caches, in what order. They travel with the record, as facts about its host.
 */
#ifndef BENCH_MACHINE_SETTINGS_H
#define BENCH_MACHINE_SETTINGS_H

#include <stdbool.h>

#include "machine/environment.h"

struct bench_settings {
	bool pin;
	bool cold;      /* the caches are flushed before each sample */
	bool in_order;  /* groups and rounds are not shuffled */
	bool unwatched; /* nothing looks whether the machine is disturbed (watch.h), and nothing is marked */
};

/*
 * Tells libraries of pinning and of how long threads spin: by the variables that they read as they are
 * loaded, in the environment of this process, which its workers inherit. What the user has set stays. Before
 * a backend is loaded, here too: what a driver says of its device may depend on it.
 */
void bench_machine_settings_apply(const struct bench_settings *settings);

/* Adds the facts "pin", "cache", "shuffle", "watch", and "env.NAME" of each variable of threads that is set.
 */
void bench_machine_settings_describe(const struct bench_settings *settings,
				     struct bench_environment *environment);

/* Those of a record. One that does not say was measured without pinning, hot, shuffled and
 * watched. */
struct bench_settings bench_machine_settings_of(const struct bench_run *run);

#endif
