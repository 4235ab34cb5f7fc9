/* SPDX-License-Identifier: MIT */
#include "library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TOOLKIT "/usr/local/cuda/lib64"

enum { OLDEST_BLAS = 11, OLDEST_COMPILER = 12, PROPERTIES = 3 };

struct symbol {
	const char *name; /* NULL: no more */
	size_t offset;
};

#define SYMBOL(type, name, arguments) {#name, offsetof(struct cuda, name)},
static const struct symbol driver_symbols[] = {CUDA_FUNCTIONS(SYMBOL){0}};
static const struct symbol blas_symbols[] = {CUBLAS_FUNCTIONS(SYMBOL){0}};
static const struct symbol kernel_symbols[] = {CUDA_KERNEL_FUNCTIONS(SYMBOL){0}};
static const struct symbol compiler_symbols[] = {NVRTC_FUNCTIONS(SYMBOL){0}};

struct cuda cuda;

/* What the user can do about a status; the rest is of the device or of this program. */
static const char *remedy(int status)
{
	switch (status) {
	case CUDA_OUT_OF_MEMORY:
		return "; free memory on the GPU, or choose smaller sizes";
	case CUDA_NO_DEVICE:
		return "; look at nvidia-smi, and at CUDA_VISIBLE_DEVICES";
	case CUDA_OLD_DRIVER:
		return "; restart the machine, so that the kernel's module and libcuda are of one release";
	default:
		return "; look at nvidia-smi, and for Xid in the kernel's log";
	}
}

static enum bench_code code_of(bool no_memory, const char *where)
{
	return !where ? BENCH_UNSUPPORTED : no_memory ? BENCH_NO_MEMORY : BENCH_FAILED;
}

int cuda_check(int status, const char *call, const char *where, struct bench_error *error)
{
	const char *name = NULL, *text = NULL;
	if (status == 0)
		return 0;
	cuda.cuGetErrorName(status, &name);
	cuda.cuGetErrorString(status, &text);
	return bench_fail(error, code_of(status == CUDA_OUT_OF_MEMORY, where), "%s: %s (%d, %s)%s%s%s", call,
			  name ? name : "unknown error", status, text ? text : "no text",
			  where ? ", device " : "", where ? where : "", remedy(status));
}

int cublas_check(int status, const char *call, const char *where, struct bench_error *error)
{
	if (status == 0)
		return 0;
	return bench_fail(error, code_of(status == CUBLAS_ALLOC_FAILED, where),
			  "%s: %s (%d, %s), device %s, %s%s", call, cuda.cublasGetStatusName(status), status,
			  cuda.cublasGetStatusString(status), where ? where : "none", cuda.versions,
			  status == CUBLAS_NOT_INITIALIZED
				  ? "; is there memory left on the GPU, and is the driver new enough?"
			  : status == CUBLAS_ALLOC_FAILED ? remedy(CUDA_OUT_OF_MEMORY)
							  : "");
}

int nvrtc_check(int status, const char *call, const char *where, struct bench_error *error)
{
	return status == 0 ? 0
			   : bench_fail(error, BENCH_FAILED, "%s: %s (%d), device %s", call,
					cuda.nvrtcGetErrorString(status), status, where);
}

/* Where the libraries are looked for; "": the loader's path. */
static const char *folder(size_t i)
{
	const char *own = getenv(CUDA_PATH);
	const char *const folders[] = {own && *own ? own : "", "", TOOLKIT, NULL};
	return folders[i];
}

static int find_symbols(void *handle, const char *file, const struct symbol *symbols,
			struct bench_error *error)
{
	for (; symbols->name; symbols++) {
		void *symbol = dlsym(handle, symbols->name);
		if (!symbol)
			return bench_fail(
				error, BENCH_UNSUPPORTED,
				"%s has no function %s: is it of CUDA 11.5 (for kernels 12.4) or newer?",
				file, symbols->name);
		memcpy((char *)&cuda + symbols->offset, &symbol, sizeof(symbol));
	}
	return 0;
}

/* Opens FOLDER/NAME, or NAME by the loader. `why`, if any, keeps the reason of a file that exists. */
static void *open_in(const char *where, const char *name, char *why, size_t size)
{
	char path[1024];
	snprintf(path, sizeof(path), "%s%s%s", where, *where ? "/" : "", name);
	if (*where && access(path, F_OK) != 0)
		return NULL;
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!handle && why && (!*why || *where))
		snprintf(why, size, "%s", dlerror());
	return handle;
}

static void *open_driver(struct bench_error *error)
{
	char why[512] = "";
	void *handle = NULL;
	for (size_t i = 0; !handle && folder(i); i++)
		handle = open_in(folder(i), "libcuda.so.1", why, sizeof(why));
	if (!handle)
		bench_fail(error, BENCH_UNSUPPORTED,
			   "no NVIDIA driver: %s; install it, or name the folder of "
			   "libcuda.so.1 in " CUDA_PATH,
			   why);
	return handle;
}

/* The newest release of a library that the driver's CUDA runs, from the first folder that has one. */
static void *open_newest(const char *library, int oldest, struct bench_error *error)
{
	char why[512] = "";
	int newest = cuda.version / 1000;
	for (size_t i = 0; folder(i); i++)
		for (int major = newest; major >= oldest; major--) {
			char name[32];
			snprintf(name, sizeof(name), "%s.so.%d", library, major);
			void *handle = open_in(folder(i), name, why, sizeof(why));
			if (handle)
				return handle;
		}
	bench_fail(
		error, BENCH_UNSUPPORTED,
		"no %s.so.%d to .%d, which this driver (CUDA %d.%d) runs: %s; install it (CUDA toolkit, or "
		"NVIDIA's wheels for pip), and name its folder in " CUDA_PATH,
		library, oldest, newest, newest, cuda.version % 1000 / 10,
		*why ? why : "the driver is too old for all of them");
	return NULL;
}

/* Libraries stay open after a failure, too: a driver that was started cannot be unloaded safely. */
static int load(struct bench_error *error)
{
	int parts[PROPERTIES];
	void *handle = open_driver(error);
	if (!handle || find_symbols(handle, "libcuda.so.1", driver_symbols, error) ||
	    CUDA_CALL(cuInit, NULL, error, 0) || CUDA_CALL(cuDriverGetVersion, NULL, error, &cuda.version))
		return -1;
	/* libcublas needs it, and the loader might not look in that folder. */
	open_newest("libcublasLt", OLDEST_BLAS, NULL);
	handle = open_newest("libcublas", OLDEST_BLAS, error);
	if (!handle || find_symbols(handle, "libcublas", blas_symbols, error))
		return -1;
	for (int i = 0; i < PROPERTIES; i++)
		if (CUBLAS_CALL(cublasGetProperty, NULL, error, i, &parts[i]))
			return -1;
	snprintf(cuda.versions, sizeof(cuda.versions), "CUDA %d.%d, cuBLAS %d.%d.%d", cuda.version / 1000,
		 cuda.version % 1000 / 10, parts[0], parts[1], parts[2]);
	return 0;
}

static int load_compiler(struct bench_error *error)
{
	void *handle = open_driver(error);
	if (!handle || find_symbols(handle, "libcuda.so.1", kernel_symbols, error))
		return -1;
	handle = open_newest("libnvrtc", OLDEST_COMPILER, error);
	return handle ? find_symbols(handle, "libnvrtc", compiler_symbols, error) : -1;
}

static int load_once(int (*loader)(struct bench_error *error), bool *loaded, struct bench_error *error)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&mutex);
	int result = *loaded ? 0 : loader(error);
	*loaded = result == 0;
	pthread_mutex_unlock(&mutex);
	return result;
}

int cuda_load(struct bench_error *error)
{
	static bool loaded;
	return load_once(load, &loaded, error);
}

int cuda_load_compiler(struct bench_error *error)
{
	static bool loaded;
	return load_once(load_compiler, &loaded, error);
}
