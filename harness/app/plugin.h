/* Plug-ins that the user names: what a run records of them. */
#ifndef BENCH_APP_PLUGIN_H
#define BENCH_APP_PLUGIN_H

#include "machine/environment.h"

/*
 * The extension (extend/extend.h) of the file, in `arena`, after its code was tried in a process of its own.
 * NULL, BENCH_USAGE: it is no file, no plug-in of this bench, or it crashes, ends the process, hangs or
 * prints while it is loaded.
 */
const char *bench_app_plugin(const char *path, struct bench_arena *arena, struct bench_error *error);

/* Adds a fact `plugin.NAME` for each plug-in of this process: its hash, and the commit of its repository. */
void bench_app_plugin_describe(struct bench_environment *environment);

#endif
