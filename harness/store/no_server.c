/* In place of libpq.c, postgres.c and server.c, where bench is built without libpq's header. */
#include "store/server.h"
#include "store/store.h"

static int absent(struct bench_error *error)
{
	return bench_fail(error, BENCH_ENVIRONMENT,
			  "bench was built without libpq, by which a history on a server is reached: install "
			  "its header (Debian, Ubuntu: libpq-dev), and build again");
}

int store_server_check(const char *address, struct bench_error *error)
{
	(void)address;
	return absent(error);
}

int store_server_connect(const char *address, struct bench_store **store, struct bench_error *error)
{
	(void)address, (void)store;
	return absent(error);
}

int store_server_open(const char *address, enum bench_store_mode mode, struct bench_store **store,
		      struct bench_error *error)
{
	(void)address, (void)mode, (void)store;
	return absent(error);
}

int store_server_renumber(struct bench_store *store, struct bench_error *error)
{
	(void)store;
	return absent(error);
}

int bench_store_grant(const char *path, const char *what, const char *role, struct bench_error *error)
{
	(void)path, (void)what, (void)role;
	return absent(error);
}
