/* SPDX-License-Identifier: MIT */
/* A spec at one point of its parameters: all expressions of sizes and numbers have their values. */
#ifndef SUITES_KERNEL_POINT_H
#define SUITES_KERNEL_POINT_H

#include "suites/kernel/spec.h"

struct bench_kernel_point_argument {
	const struct bench_kernel_type *type;
	size_t extents[BENCH_KERNEL_DIMENSIONS], dimensions;
	size_t count, bytes; /* of its elements; of a number 1 */
	unsigned char number[8];
	char file[512]; /* of what must come out; "": none */
};

struct bench_kernel_point_launch {
	const struct bench_kernel_spec_launch *spec;
	char options[512];
	size_t global[BENCH_KERNEL_DIMENSIONS], local[BENCH_KERNEL_DIMENSIONS];
};

struct bench_kernel_point {
	double values[BENCH_KERNEL_SYMBOLS];
	struct bench_kernel_point_argument arguments[BENCH_KERNEL_ARGUMENTS];
	struct bench_kernel_point_launch launch, reference;
};

/* From the values of a case alone. BENCH_USAGE, with the place in the spec, where they fit none. */
int bench_kernel_point_make(const struct bench_case *bench_case, struct bench_kernel_point *point,
			    struct bench_error *error);

/* The work of one launch: by default of `bytes`, each buffer is read, or written, or both, once. */
int bench_kernel_point_work(const struct bench_kernel_spec *spec, const struct bench_kernel_point *point,
			    struct bench_work *work, struct bench_error *error);

#endif
