/* SPDX-License-Identifier: MIT */
/* Where a history lies, chosen by the path that names it: a file (file.c), or a schema on a server
 * (server.c). */
#ifndef BENCH_STORE_PLACE_H
#define BENCH_STORE_PLACE_H

#include "store/store.h"

/* What a role of a server may do with a history. */
enum store_use { STORE_USE_NONE, STORE_USE_READER, STORE_USE_WRITER, STORE_USES };

/* Each does for its paths what store.h promises of the function bench_store_<name>. */
struct store_place {
	char *(*shown)(const char *path, struct bench_arena *arena);
	char *(*beside)(const char *path, struct bench_arena *arena);
	int (*find)(const char *path, bool *there, struct bench_error *error);
	int (*open)(const char *path, enum bench_store_mode mode, struct bench_store **store,
		    struct bench_error *error);
	int (*grant)(const char *path, enum store_use use, const char *role, struct bench_error *error);
};
extern const struct store_place store_file, store_server;

#endif
