/* SPDX-License-Identifier: MIT */
/* --on-alarm, and the project file's hooks, of the verbs that open or close alarms. */
#ifndef BENCH_CLI_HOOKS_H
#define BENCH_CLI_HOOKS_H

#include "app/hooks.h"
#include "cli/arguments.h"

#define CLI_OPTION_ON_ALARM                                                                                  \
	CLI_OPTION("on-alarm", 0, "[EVENT=]CMD",                                                             \
		   "run CMD for each event of an alarm, which it reads as JSON; EVENT is opened, "           \
		   "second-night, week-old, recovered or accepted; repeatable")

/* In the arena of the arguments. BENCH_USAGE. */
int cli_read_hooks(const struct cli_args *args, struct bench_app_hooks *hooks, struct bench_error *error);
/*
 * Runs them for what is due: last, when the verdict is printed, and with no store open. Nothing that they do
 * is a failure. After `wait_seconds`, and a moment at least, this process goes on without them: another one,
 * in a session of its own, sees to it that they end. INFINITY: it waits until they have ended.
 */
void cli_run_hooks(const struct cli_args *args, const struct bench_app_hooks *hooks,
		   const struct bench_app_hooks_scope *scopes, size_t count, double wait_seconds);

#endif
