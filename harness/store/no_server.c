/* SPDX-License-Identifier: MIT */
/* In place of libpq.c, postgres.c and server.c where bench is built without libpq's header. */
#include "store/place.h"
#include "store/server.h"

static int absent(struct bench_error *error)
{
	return bench_fail(
		error, BENCH_ENVIRONMENT,
		"this bench was built without libpq, which a history on a server needs: install its "
		"header (Debian, Ubuntu: libpq-dev) and build again");
}

static int find(const char *path, bool *there, struct bench_error *error)
{
	(void)path;
	*there = false;
	return absent(error);
}

static int open_server(const char *path, enum bench_store_mode mode, struct bench_store **store,
		       struct bench_error *error)
{
	(void)path, (void)mode, (void)store;
	return absent(error);
}

static int grant(const char *path, enum store_use use, const char *role, struct bench_error *error)
{
	(void)path, (void)use, (void)role;
	return absent(error);
}

const struct store_place store_server = {
	.shown = store_address_shown,
	.beside = store_address_beside,
	.find = find,
	.open = open_server,
	.grant = grant,
};
