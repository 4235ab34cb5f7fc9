/* SPDX-License-Identifier: MIT */
#include "backends/library.h"

#include <dlfcn.h>
#include <string.h>

void *bench_library_open(const struct bench_library *library, const struct bench_symbol *symbols,
			 void *functions, struct bench_error *error)
{
	void *handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		bench_fail(error, BENCH_UNSUPPORTED, "%s cannot be loaded: %s; install it (%s)",
			   library->name, dlerror(), library->packages);
		return NULL;
	}
	for (; symbols->name; symbols++) {
		void *symbol = dlsym(handle, symbols->name);
		if (!symbol) {
			bench_fail(error, BENCH_UNSUPPORTED, "%s has no function %s: is it %s?",
				   library->file, symbols->name, library->least);
			dlclose(handle);
			return NULL;
		}
		memcpy((char *)functions + symbols->offset, &symbol, sizeof(symbol));
	}
	return handle;
}
