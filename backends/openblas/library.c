/* SPDX-License-Identifier: MIT */
#include "backends/openblas/library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cpu.h"
#include "backends/library.h"

#define CORE_VARIABLE "OPENBLAS_CORETYPE"

/* What a library may be called by, beside the four functions; each NULL where it has no such function. */
struct teller {
	char *(*get_config)(void);
	char *(*get_corename)(void);
	int (*get_num_procs)(void);
	int (*get_num_threads)(void);
	void (*set_num_threads)(int threads);
	const char *(*blis_version)(void);
	int (*blis_arch_id)(void);
	const char *(*blis_arch)(int id);
	int64_t (*blis_get_threads)(void);
	void (*blis_set_threads)(int64_t threads);
	void (*mkl_version)(char *text, int size);
	int (*mkl_get_threads)(void);
	void (*mkl_set_threads)(int threads);
};

static const struct bench_symbol functions[] = {
	{"cblas_sgemm", offsetof(struct openblas, sgemm)},
	{"cblas_dgemm", offsetof(struct openblas, dgemm)},
	{"cblas_sdot", offsetof(struct openblas, sdot)},
	{"cblas_ddot", offsetof(struct openblas, ddot)},
	{0},
};

static const struct bench_symbol more_functions[] = {
	{"cblas_cgemm", offsetof(struct openblas, cgemm)},
	{0},
};

static const struct bench_symbol tellers[] = {
	{"openblas_get_config", offsetof(struct teller, get_config)},
	{"openblas_get_corename", offsetof(struct teller, get_corename)},
	{"openblas_get_num_procs", offsetof(struct teller, get_num_procs)},
	{"openblas_get_num_threads", offsetof(struct teller, get_num_threads)},
	{"openblas_set_num_threads", offsetof(struct teller, set_num_threads)},
	{"bli_info_get_version_str", offsetof(struct teller, blis_version)},
	{"bli_arch_query_id", offsetof(struct teller, blis_arch_id)},
	{"bli_arch_string", offsetof(struct teller, blis_arch)},
	{"bli_thread_get_num_threads", offsetof(struct teller, blis_get_threads)},
	{"bli_thread_set_num_threads", offsetof(struct teller, blis_set_threads)},
	{"MKL_Get_Version_String", offsetof(struct teller, mkl_version)},
	{"MKL_Get_Max_Threads", offsetof(struct teller, mkl_get_threads)},
	{"MKL_Set_Num_Threads", offsetof(struct teller, mkl_set_threads)},
	{0},
};

/* How builds of OpenBLAS name their functions. */
static const struct naming {
	const char *before, *after;
	bool wide;
} namings[] = {
	{"", "", sizeof(blasint) == 8},
	{"scipy_", "", false},
	{"scipy_", "64_", true},
	{"", "64_", true},
	{"", "_64", true},
};

/* Fills what there is of the symbols; false where one of them is missing. */
static bool find_all(void *handle, const struct naming *naming, const struct bench_symbol *symbols, void *to)
{
	char name[64];
	bool all = true;
	for (; symbols->name; symbols++) {
		snprintf(name, sizeof(name), "%s%s%s", naming->before, symbols->name, naming->after);
		void *symbol = dlsym(handle, name);
		memcpy((char *)to + symbols->offset, &symbol, sizeof(symbol));
		all = all && symbol;
	}
	return all;
}

/* What the library says of itself: version, build, kernels, threads. */
static void ask(void *handle, const struct naming *naming, struct openblas *library)
{
	static const struct naming plain = {"", "", false};
	struct teller told;
	find_all(handle, &plain, tellers, &told);
	if (!told.get_config)
		find_all(handle, naming, tellers, &told);
	if (told.get_config) {
		/* "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ...": its first two words. */
		const char *config = told.get_config();
		size_t word = strcspn(config, " ");
		if (config[word])
			word += 1 + strcspn(config + word + 1, " ");
		snprintf(library->version, sizeof(library->version), "%.*s", (int)word, config);
		snprintf(library->config, sizeof(library->config), "%s", config);
		snprintf(library->core, sizeof(library->core), "%s",
			 told.get_corename ? told.get_corename() : "");
		library->get_procs = told.get_num_procs;
		library->get_threads = told.get_num_threads;
		library->set_threads = told.set_num_threads;
	} else if (told.blis_version) {
		snprintf(library->version, sizeof(library->version), "BLIS %s", told.blis_version());
		snprintf(library->core, sizeof(library->core), "%s",
			 told.blis_arch_id && told.blis_arch ? told.blis_arch(told.blis_arch_id()) : "");
		library->get_threads_wide = told.blis_get_threads;
		library->set_threads_wide = told.blis_set_threads;
	} else if (told.mkl_version) {
		told.mkl_version(library->config, sizeof(library->config) - 1);
		/* "Intel(R) oneAPI Math Kernel Library Version 2024.0-Product Build ...". */
		const char *number = strstr(library->config, "Version ");
		snprintf(library->version, sizeof(library->version), "oneMKL %.*s",
			 number ? (int)strcspn(number + 8, "- ") : 0, number ? number + 8 : "");
		library->get_threads = told.mkl_get_threads;
		library->set_threads = told.mkl_set_threads;
	} else {
		snprintf(library->version, sizeof(library->version), "a library of unknown version");
	}
	if (!*library->config)
		snprintf(library->config, sizeof(library->config), "%s", library->version);
}

unsigned openblas_core_bits(const char *core)
{
	static const struct {
		const char *core;
		unsigned bits;
	} known[] = {
		{"SkylakeX", 512}, {"Cooperlake", 512}, {"SapphireRapids", 512}, {"skx", 512},
		{"zen4", 512},     {"zen5", 512},       {"Haswell", 256},        {"Zen", 256},
		{"zen2", 256},     {"zen3", 256},       {"Excavator", 256},
	};
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcasecmp(core, known[i].core) == 0)
			return known[i].bits;
#if defined(__x86_64__)
	return *core ? 128 : 0;
#else
	return 0;
#endif
}

/* The kernels that suit the CPU better than `core`, or NULL where `core` is as good as any. */
static const char *better_core(const char *core)
{
	if (openblas_core_bits(core) >= bench_cpu_vector_bits())
		return NULL;
	return bench_cpu_vector_bits() == 512 ? "SkylakeX" : "Haswell";
}

/* Opens the file and fills *library; the handle, or NULL with what is wrong. */
static void *open_library(const char *file, struct openblas *library, struct bench_error *error)
{
	void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	*library = (struct openblas){0};
	if (!handle) {
		bench_fail(error, BENCH_UNSUPPORTED, "cannot be loaded: %s", dlerror());
		return NULL;
	}
	for (size_t i = 0; i < sizeof(namings) / sizeof(namings[0]); i++)
		if (find_all(handle, &namings[i], functions, library)) {
			library->wide = namings[i].wide;
			find_all(handle, &namings[i], more_functions, library);
			ask(handle, &namings[i], library);
			return handle;
		}
	dlclose(handle);
	bench_fail(
		error, BENCH_UNSUPPORTED,
		"lacks cblas_sgemm, cblas_dgemm, cblas_sdot or cblas_ddot: a library with the C interface of "
		"BLAS has them");
	return NULL;
}

/* The same, with better kernels than its own choice where it does not know this CPU. */
static int load(const char *file, struct openblas *library, struct bench_error *error)
{
	void *handle = open_library(file, library, error);
	if (!handle)
		return -1;
	const char *core = library->get_threads && !getenv(CORE_VARIABLE) ? better_core(library->core) : NULL;
	if (!core)
		return 0;
	dlclose(handle);
	setenv(CORE_VARIABLE, core, 1);
	handle = open_library(file, library, error);
	/* For this library alone: another one may know the CPU. */
	unsetenv(CORE_VARIABLE);
	/* A library that could not be unloaded kept its kernels. */
	library->core_chosen = handle && strcasecmp(library->core, core) == 0;
	return handle ? 0 : -1;
}

const struct openblas *openblas_load(struct bench_error *error)
{
	static struct openblas library;
	static bool loaded;
	struct bench_error cause;
	if (!loaded && load("libopenblas.so.0", &library, &cause) != 0) {
		bench_fail(error, BENCH_UNSUPPORTED, "OpenBLAS %s; install it (Debian: libopenblas0-pthread)",
			   cause.text);
		return NULL;
	}
	loaded = true;
	return &library;
}

int openblas_load_path(const char *path, struct openblas *library, struct bench_error *error)
{
	struct bench_error cause;
	if (load(path, library, &cause) != 0)
		return bench_fail(error, BENCH_USAGE, "%s %s", path, cause.text);
	return 0;
}

const struct openblas *openblas_of(const struct bench_device *device, struct bench_error *error)
{
	return device->library ? device->library : openblas_load(error);
}

/* A call by integers of one size. */
#define DEFINE_CALLS(integer, name)                                                                          \
	typedef void name##_sgemm(CBLAS_ORDER, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, integer, integer, integer,  \
				  float, const float *, integer, const float *, integer, float, float *,     \
				  integer);                                                                  \
	typedef void name##_dgemm(CBLAS_ORDER, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, integer, integer, integer,  \
				  double, const double *, integer, const double *, integer, double,          \
				  double *, integer);                                                        \
	typedef void name##_cgemm(CBLAS_ORDER, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, integer, integer, integer,  \
				  const void *, const void *, integer, const void *, integer, const void *,  \
				  void *, integer);                                                          \
	typedef float name##_sdot(integer, const float *, integer, const float *, integer);                  \
	typedef double name##_ddot(integer, const double *, integer, const double *, integer);               \
	static void name##_gemm(const struct openblas *library, enum bench_dtype dtype,                      \
				CBLAS_TRANSPOSE op_a, CBLAS_TRANSPOSE op_b, size_t m, size_t n, size_t k,    \
				double alpha, const void *a, size_t lda, const void *b, size_t ldb,          \
				double beta, void *c, size_t ldc)                                            \
	{                                                                                                    \
		const float factors[] = {(float)alpha, 0, (float)beta, 0};                                   \
		if (dtype == BENCH_C32)                                                                      \
			((name##_cgemm *)library->cgemm)(CblasRowMajor, op_a, op_b, (integer)m, (integer)n,  \
							 (integer)k, factors, a, (integer)lda, b,            \
							 (integer)ldb, factors + 2, c, (integer)ldc);        \
		else if (dtype == BENCH_F64)                                                                 \
			((name##_dgemm *)library->dgemm)(CblasRowMajor, op_a, op_b, (integer)m, (integer)n,  \
							 (integer)k, alpha, a, (integer)lda, b,              \
							 (integer)ldb, beta, c, (integer)ldc);               \
		else                                                                                         \
			((name##_sgemm *)library->sgemm)(CblasRowMajor, op_a, op_b, (integer)m, (integer)n,  \
							 (integer)k, (float)alpha, a, (integer)lda, b,       \
							 (integer)ldb, (float)beta, c, (integer)ldc);        \
	}                                                                                                    \
	static double name##_dot(const struct openblas *library, enum bench_dtype dtype, size_t count,       \
				 const void *a, const void *b)                                               \
	{                                                                                                    \
		if (dtype == BENCH_F64)                                                                      \
			return ((name##_ddot *)library->ddot)((integer)count, a, 1, b, 1);                   \
		return (double)((name##_sdot *)library->sdot)((integer)count, a, 1, b, 1);                   \
	}
DEFINE_CALLS(int32_t, narrow)
DEFINE_CALLS(int64_t, wide)

void openblas_gemm(const struct openblas *library, enum bench_dtype dtype, CBLAS_TRANSPOSE op_a,
		   CBLAS_TRANSPOSE op_b, size_t m, size_t n, size_t k, double alpha, const void *a,
		   size_t lda, const void *b, size_t ldb, double beta, void *c, size_t ldc)
{
	(library->wide ? wide_gemm : narrow_gemm)(library, dtype, op_a, op_b, m, n, k, alpha, a, lda, b, ldb,
						  beta, c, ldc);
}

double openblas_dot(const struct openblas *library, enum bench_dtype dtype, size_t count, const void *a,
		    const void *b)
{
	return (library->wide ? wide_dot : narrow_dot)(library, dtype, count, a, b);
}

size_t openblas_most(const struct openblas *library)
{
	return library->wide ? (size_t)INT64_MAX : (size_t)INT32_MAX;
}

int openblas_threads(const struct openblas *library)
{
	return library->get_threads        ? library->get_threads()
	       : library->get_threads_wide ? (int)library->get_threads_wide()
					   : 0;
}

void openblas_set_threads(const struct openblas *library, int threads)
{
	if (library->set_threads)
		library->set_threads(threads);
	else if (library->set_threads_wide)
		library->set_threads_wide(threads);
}
