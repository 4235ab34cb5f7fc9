/* SPDX-License-Identifier: MIT */
#include "store/libpq.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "store/server.h"

#define LIBRARY "libpq.so.5"

struct store_libpq store_pq;

#define SYMBOL(name) {#name, offsetof(struct store_libpq, name)},
static const struct {
	const char *name;
	size_t offset;
} symbols[] = {STORE_LIBPQ_FUNCTIONS(SYMBOL)};

int store_libpq_load(struct bench_error *error)
{
	static bool loaded;
	if (loaded)
		return 0;
	/* Lazily: it brings thirty libraries for ways of authentication, of which one is used at most. */
	void *handle = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);
	if (!handle)
		return bench_fail(error, BENCH_ENVIRONMENT,
				  "libpq, by which a history on a server is reached, cannot be loaded: %s; "
				  "install it (Debian: libpq5)",
				  dlerror());
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		void *symbol = dlsym(handle, symbols[i].name);
		if (!symbol) {
			dlclose(handle);
			return bench_fail(error, BENCH_ENVIRONMENT,
					  LIBRARY
					  " has no function %s: PostgreSQL's version 14 or later does",
					  symbols[i].name);
		}
		memcpy((char *)&store_pq + symbols[i].offset, &symbol, sizeof(symbol));
	}
	loaded = true;
	return 0;
}

/* A password with a '/' in it would be taken for a port, and be in libpq's message. */
static bool has_ports(const PQconninfoOption *options)
{
	for (; options->keyword; options++)
		if (strcmp(options->keyword, "port") == 0 && options->val &&
		    options->val[strspn(options->val, "0123456789,")])
			return false;
	return true;
}

/* libpq would take pass%77ord for a password, which nobody would know to hide. */
static bool has_plain_keys(const char *address)
{
	const char *key = strchr(address, '?');
	for (; key; key = strchr(key + 1, '&'))
		if (key[1 + strcspn(key + 1, "=&%")] == '%')
			return false;
	return true;
}

int store_address_check(const char *address, struct bench_error *error)
{
	if (store_libpq_load(error) != 0)
		return -1;
	char *cause = NULL;
	PQconninfoOption *parsed = store_pq.PQconninfoParse(address, &cause);
	const bool right = parsed && has_ports(parsed) && has_plain_keys(address);
	store_pq.PQconninfoFree(parsed);
	/* libpq's own text repeats a part of the address, which may be the password. */
	store_pq.PQfreemem(cause);
	return right ? 0
		     : bench_fail(error, BENCH_ENVIRONMENT,
				  "the address of the database is none that libpq takes: "
				  "postgresql://USER@HOST:PORT/NAME?sslmode=verify-full, in which other "
				  "characters than letters and digits are written %%XX");
}
