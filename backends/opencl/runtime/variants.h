/* SPDX-License-Identifier: MIT */
/* A device's kernels by variant: a launch finds its kernel again without composing build options. */
#ifndef BENCH_OPENCL_VARIANTS_H
#define BENCH_OPENCL_VARIANTS_H

#include "backends/opencl/runtime/program.h"

enum { BENCH_OPENCL_KEY = 12 };
struct bench_opencl_variant {
	const char *file, *name;      /* compared by address: constants */
	size_t key[BENCH_OPENCL_KEY]; /* the numbers that its options depend on */
	size_t items;                 /* of a group, which it is compiled for; 0: any number */
};

/*
 * The kernel of this variant, made at first use with options as of printf, at most 511 bytes.
 * BENCH_UNSUPPORTED where the device does not run groups of `items`.
 */
int bench_opencl_variant(struct bench_device *device, const struct bench_opencl_variant *variant,
			 struct bench_opencl_kernel **kernel, struct bench_error *error, const char *options,
			 ...) __attribute__((format(printf, 5, 6)));
void bench_opencl_variants_free(struct bench_device *device);

#endif
