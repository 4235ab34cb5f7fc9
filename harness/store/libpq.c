#include "store/libpq.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

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
