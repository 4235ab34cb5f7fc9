/* SPDX-License-Identifier: MIT */
/* Plug-ins: shared objects with suites, backends and functions (bench/plugin.h). */
#ifndef BENCH_EXTEND_PLUGIN_H
#define BENCH_EXTEND_PLUGIN_H

#include <cjson/cJSON.h>

#include "bench/error.h"

/* The hash of a plug-in's file, 16 hexadecimal digits. BENCH_USAGE where it cannot be read. */
#define BENCH_EXTEND_HASH_SIZE   17
#define BENCH_EXTEND_MOST_PLUGIN ((size_t)1 << 30) /* bytes */
int bench_extend_plugin_hash(const char *path, char hash[BENCH_EXTEND_HASH_SIZE], struct bench_error *error);

/* The file of a plug-in or library (`what`): its members "path" and "hash", checked against its content. The
 * path is the extension's. */
int bench_extend_plugin_file(const cJSON *extension, const char *what, const char **path,
			     struct bench_error *error);

/*
 * The extension {"kind": "plugin", "path": absolute, "hash": of its content}: loads it and adds what it has.
 * BENCH_USAGE if it is not a plug-in, has other content, or belongs to another bench.
 */
int bench_extend_plugin_add(const cJSON *extension, struct bench_error *error);

#endif
