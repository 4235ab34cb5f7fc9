/* SPDX-License-Identifier: MIT */
/*
 * OpenBLAS, loaded at its first use: a program that measures something else does not start
 * its threads, and one on a machine without it still starts. And other libraries that have its functions
 * (cblas_sgemm, cblas_dgemm, cblas_sdot, cblas_ddot), by their path: another release of it, BLIS, oneMKL.
 *
 * OpenBLAS picks its kernels by the CPU's model number when it is loaded. A release that is
 * older than the CPU takes those of a much older one (0.3.21 on an Emerald Rapids Xeon:
 * SSE3 kernels, a fifth of the speed), which would make every comparison with it worthless.
 * Where that has happened and the CPU has AVX-512 or AVX2, the library is loaded again with
 * OPENBLAS_CORETYPE set to SkylakeX or Haswell. A value that the user has set is kept, and the device says
 * what it costs.
 */
#ifndef BACKENDS_OPENBLAS_LIBRARY_H
#define BACKENDS_OPENBLAS_LIBRARY_H

#include <cblas.h>
#include <stdbool.h>
#include <stdint.h>

#include "bench/backend.h"

typedef void openblas_function(void);

struct openblas {
	/* By 32-bit or, if `wide`, 64-bit integers. */
	openblas_function *sgemm, *dgemm, *sdot, *ddot;
	openblas_function *cgemm; /* NULL: it has none */
	bool wide;
	char version[64]; /* "OpenBLAS 0.3.21" */
	char config[128]; /* all that it says of its build */
	char core[32];    /* the kernels that it uses; "": it does not say */
	bool core_chosen; /* they are our choice, not the library's own */
	/* Threads of a call, set and told; NULL: the library has no such function. */
	void (*set_threads)(int threads);
	int (*get_threads)(void);
	int (*get_procs)(void);                    /* of OpenBLAS: as many as it would take by itself */
	void (*set_threads_wide)(int64_t threads); /* BLIS; in place of the one above */
	int64_t (*get_threads_wide)(void);
};

/* The library of this machine, the same at every call; NULL with BENCH_UNSUPPORTED where it is missing. */
const struct openblas *openblas_load(struct bench_error *error);

/*
 * Loads one by its absolute path into *library. BENCH_USAGE where it cannot be loaded, or lacks a function.
 * Names may stand between "scipy_" and "64_", as SciPy's builds have them, or before "64_" or "_64" (64-bit
 * integers).
 */
int openblas_load_path(const char *path, struct openblas *library, struct bench_error *error);

/* That of an open device. */
const struct openblas *openblas_of(const struct bench_device *device, struct bench_error *error);

/* C = alpha op(A) op(B) + beta C in f32, f64 or, where it has cgemm, c32, by rows. Sizes are at most
 * openblas_most. */
void openblas_gemm(const struct openblas *library, enum bench_dtype dtype, CBLAS_TRANSPOSE op_a,
		   CBLAS_TRANSPOSE op_b, size_t m, size_t n, size_t k, double alpha, const void *a,
		   size_t lda, const void *b, size_t ldb, double beta, void *c, size_t ldc);
double openblas_dot(const struct openblas *library, enum bench_dtype dtype, size_t count, const void *a,
		    const void *b);
size_t openblas_most(const struct openblas *library);

/* Threads of the calls that follow; 0 where the library does not tell. */
int openblas_threads(const struct openblas *library);
void openblas_set_threads(const struct openblas *library, int threads);

/*
 * How many bits the vectors of a kernel set have ("Haswell": 256); 0: not known. An x86 kernel set without
 * AVX2 has 128.
 */
unsigned openblas_core_bits(const char *core);

#endif
