/* SPDX-License-Identifier: MIT */
/* Which place a path names, and what all places have in common. */
#include <string.h>

#include "core/text.h"
#include "store/place.h"
#include "store/sql.h"

static const struct store_place *place_of(const char *path)
{
	return bench_store_is_server(path) ? &store_server : &store_file;
}

char *bench_store_shown(const char *path, struct bench_arena *arena)
{
	return place_of(path)->shown(path, arena);
}

char *bench_store_beside(const char *path, struct bench_arena *arena)
{
	return place_of(path)->beside(path, arena);
}

int bench_store_find(const char *path, bool *there, struct bench_error *error)
{
	return place_of(path)->find(path, there, error);
}

int bench_store_open(const char *path, enum bench_store_mode mode, struct bench_store **store,
		     struct bench_error *error)
{
	if (place_of(path)->open(path, mode, store, error) != 0)
		return -1;
	(*store)->as_written = mode == BENCH_STORE_ANY;
	return 0;
}

int bench_store_grant(const char *path, const char *what, const char *role, struct bench_error *error)
{
	static const char *const uses[STORE_USES] = {"none", "reader", "writer"};
	for (int use = 0; use < STORE_USES; use++)
		if (strcmp(uses[use], what) == 0)
			return place_of(path)->grant(path, (enum store_use)use, role, error);
	return bench_text_no_such("role", what, uses, STORE_USES, "", error);
}
