/*
 * OpenBLAS, loaded at its first use: a program that measures something else does not start
 * its threads, and one on a machine without it still starts.
 *
 * OpenBLAS picks its kernels by the CPU's model number when it is loaded. A release that is
 * older than the CPU takes those of a much older one (0.3.21 on an Emerald Rapids Xeon:
 * SSE3 kernels, a fifth of the speed), which would make every comparison with it worthless.
 * Where that has happened and the CPU has AVX-512 or AVX2, the library is loaded again with
 * OPENBLAS_CORETYPE set to SkylakeX or Haswell. A value that the user has set is kept.
 */
#ifndef BACKENDS_OPENBLAS_LIBRARY_H
#define BACKENDS_OPENBLAS_LIBRARY_H

#include <cblas.h>
#include <stdbool.h>

#include "bench/error.h"

struct openblas {
	__typeof__(openblas_get_config) *get_config;
	__typeof__(openblas_get_corename) *get_corename;
	__typeof__(openblas_get_num_procs) *get_num_procs;
	__typeof__(openblas_get_num_threads) *get_num_threads;
	__typeof__(openblas_set_num_threads) *set_num_threads;
	__typeof__(cblas_sgemm) *sgemm;
	__typeof__(cblas_dgemm) *dgemm;
	__typeof__(cblas_sdot) *sdot;
	__typeof__(cblas_ddot) *ddot;
	bool core_chosen; /* the kernels are our choice, not the library's own */
};

/* The library, the same at every call; NULL with BENCH_UNSUPPORTED where there is none. */
const struct openblas *openblas_load(struct bench_error *error);

#endif
