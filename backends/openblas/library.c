#include "backends/openblas/library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "backends/library.h"

static const struct bench_library file = {
	.file = "libopenblas.so.0",
	.name = "OpenBLAS",
	.packages = "Debian: libopenblas0-pthread",
	.least = "OpenBLAS",
};

static const struct bench_symbol symbols[] = {
	{"openblas_get_config", offsetof(struct openblas, get_config)},
	{"openblas_get_corename", offsetof(struct openblas, get_corename)},
	{"openblas_get_num_procs", offsetof(struct openblas, get_num_procs)},
	{"openblas_get_num_threads", offsetof(struct openblas, get_num_threads)},
	{"openblas_set_num_threads", offsetof(struct openblas, set_num_threads)},
	{"cblas_sgemm", offsetof(struct openblas, sgemm)},
	{"cblas_dgemm", offsetof(struct openblas, dgemm)},
	{"cblas_sdot", offsetof(struct openblas, sdot)},
	{"cblas_ddot", offsetof(struct openblas, ddot)},
	{0},
};

/* The kernels that suit the CPU better than `core`, or NULL where `core` is as good as any. */
static const char *better_core(const char *core)
{
#if defined(__x86_64__)
	/* What 0.3.x falls back to for x86 models that it does not know, and the SSE kernels beside it. */
	static const char *const old[] = {"Prescott", "Core2", "Nehalem", "Atom", "Generic", "generic"};
	bool is_old = false;
	for (size_t i = 0; i < sizeof(old) / sizeof(old[0]); i++)
		is_old |= strcmp(core, old[i]) == 0;
	if (!is_old)
		return NULL;
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
		return "SkylakeX";
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		return "Haswell";
#else
	(void)core;
#endif
	return NULL;
}

const struct openblas *openblas_load(struct bench_error *error)
{
	static struct openblas library;
	static bool loaded;
	if (loaded)
		return &library;
	void *handle = bench_library_open(&file, symbols, &library, error);
	if (!handle)
		return NULL;
	const char *core = getenv("OPENBLAS_CORETYPE") ? NULL : better_core(library.get_corename());
	if (core) {
		dlclose(handle);
		setenv("OPENBLAS_CORETYPE", core, 1);
		if (!bench_library_open(&file, symbols, &library, error))
			return NULL;
		/* A library that could not be unloaded kept its kernels. */
		library.core_chosen = strcasecmp(library.get_corename(), core) == 0;
	}
	loaded = true;
	return &library;
}
