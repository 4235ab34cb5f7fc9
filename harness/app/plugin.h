/* SPDX-License-Identifier: MIT */
/* Plug-ins that the user names: tried before they are loaded, and what a run records of them. */
#ifndef BENCH_APP_PLUGIN_H
#define BENCH_APP_PLUGIN_H

#include "machine/environment.h"

/* The extension (extend/extend.h) of the file, in `arena`. NULL, BENCH_USAGE: there is no such file. */
const char *bench_app_plugin(const char *path, struct bench_arena *arena, struct bench_error *error);

/*
 * As bench_extend_add, after a separate process has loaded the code. BENCH_USAGE, too, where it
 * crashes, ends the process, hangs or prints there.
 */
int bench_app_extend(const char *text, struct bench_error *error);

/* Adds a fact `plugin.NAME` for each plug-in of this process: its hash, and the commit of its repository. */
void bench_app_plugin_describe(struct bench_environment *environment);

#endif
