/* SPDX-License-Identifier: MIT */
/*
 * Hooks: commands that are told what happens to an alarm, one JSON document each on their input. An event is
 * due from the transaction that stores it (record/alarm.h) until every hook for it has ended with status 0:
 * at least once, by this command or a later one of the same host and track.
 *
 * A hook cannot change what a gate says: it runs when the verdict is stored and printed, its output goes
 * nowhere, and what it leaves behind is killed. All hooks for an event run at the same time. One that takes
 * longer than BENCH_APP_HOOKS_SECONDS is killed, and not run again by the same command. cli/hooks.h says how
 * long a gate waits for them.
 */
#ifndef BENCH_APP_HOOKS_H
#define BENCH_APP_HOOKS_H

#include "app/host.h"
#include "record/alarm.h"
#include "store/store.h"

#define BENCH_APP_HOOKS_SECONDS        10
#define BENCH_APP_HOOKS_SECONDS_IN_ALL 60

struct bench_app_hook {
	const char *command; /* as it was given */
	const char *event;   /* that it is for; NULL: all */
	char **words;        /* NULL-terminated; no shell reads them */
};

struct bench_app_hooks {
	struct bench_app_hook *items;
	size_t count;
	const char *folder; /* where they run; NULL: here */
};

/* Adds "[EVENT=]COMMAND", in the arena. BENCH_USAGE where it has no word, or one for a shell. */
int bench_app_hooks_add(struct bench_app_hooks *hooks, const char *text, struct bench_arena *arena,
			struct bench_error *error);

/* The document of an event, malloc'd. */
typedef char *bench_app_hooks_describe(void *context, const struct bench_alarm *alarm,
				       enum bench_alarm_event event);

/* Alarms of one host and track. */
struct bench_app_hooks_scope {
	const char *fingerprint, *track;
};

/*
 * Runs the hooks for what is due in these scopes, and keeps what they were told. What fails is a warning of
 * the host.
 */
void bench_app_hooks_run(struct bench_store *store, const struct bench_app_hooks *hooks,
			 const struct bench_app_hooks_scope *scopes, size_t count,
			 bench_app_hooks_describe *describe, void *context,
			 const struct bench_app_host *host);

#endif
