/* SPDX-License-Identifier: MIT */
/*
 * The calls of a captured program, counted in memory that bench, the program and its child processes share.
 * So no count is lost, however a process ends. `bench capture` makes the memory; the library that it loads
 * into the program (preload/) counts; `bench capture` reads the counts when the program has ended.
 *
 * Counting takes no lock. Several threads and processes may call all functions at once, except
 * bench_capture_make.
 */
#ifndef BENCH_CAPTURE_CALLS_H
#define BENCH_CAPTURE_CALLS_H

#include <stdatomic.h>
#include <stdint.h>

/* The variable of the environment with the path of the memory. */
#define BENCH_CAPTURE_VARIABLE "BENCH_CAPTURE"

#define BENCH_CAPTURE_CALLS 16384 /* different ones */

enum bench_capture_kind { BENCH_CAPTURE_PRODUCT = 1, BENCH_CAPTURE_LAUNCH };

/* What tells calls apart. */
struct bench_capture_call {
	uint32_t kind;
	uint32_t detail; /* of a launch, its dimensions; of a product, 1 if it adds to C (beta is not 0) */
	char type[4];    /* of a product: "f32", "f64", "f16" */
	char trans[4];   /* "NT": of A and of B as they lie in rows, as suite gemm has them */
	/* m, n, k, lda, ldb, ldc of matrices in rows; or global sizes, and local ones, 0 if the driver chose
	 */
	uint64_t sizes[6];
	char name[96]; /* "gemm", "gemv", "syrk"; or the kernel's name, cut to fit */
};

struct bench_capture_count {
	_Atomic uint32_t state; /* private to calls.c */
	struct bench_capture_call call;
	_Atomic uint64_t count;
	_Atomic uint64_t timed; /* of launches: those whose time is known */
	_Atomic uint64_t nanoseconds;
};

struct bench_capture {
	uint64_t version;
	_Atomic uint64_t lost; /* calls for which there was no room */
	struct bench_capture_count counts[BENCH_CAPTURE_CALLS];
};

/* New, empty memory, and its descriptor, which is closed on exec; NULL with errno. */
struct bench_capture *bench_capture_make(int *fd);

/* The memory that the environment names; NULL without one, or if another version of bench made it. */
struct bench_capture *bench_capture_open(void);

/* The count of a call, made at its first use; NULL if the memory is full. Does not add to the count. */
struct bench_capture_count *bench_capture_find(struct bench_capture *capture,
					       const struct bench_capture_call *call);

/* Has bench_capture_find filled it in? */
int bench_capture_is_used(const struct bench_capture_count *count);

#endif
