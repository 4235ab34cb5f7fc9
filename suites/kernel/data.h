/* SPDX-License-Identifier: MIT */
/* Arrays of a kernel's arguments in host memory: types of elements, contents, and the guard zones around
 * them. */
#ifndef SUITES_KERNEL_DATA_H
#define SUITES_KERNEL_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/backend.h"

/* Bytes before and behind what the kernel sees of a buffer, in which nothing may be written. */
#define BENCH_KERNEL_GUARD ((size_t)65536)

struct bench_kernel_type {
	const char *name; /* in OpenCL C */
	size_t bytes;
	double least, most;     /* of an integer type */
	enum bench_dtype dtype; /* of a real one: for its roundings */
	bool real;
};

/* BENCH_USAGE, with the known types, if no type has that name. */
int bench_kernel_type_find(const char *name, const struct bench_kernel_type **type,
			   struct bench_error *error);

/* One number, a vector of them, or an array of numbers or vectors: "float", "float4", "uchar[16]". */
struct bench_kernel_wide {
	const struct bench_kernel_type *type; /* of an element */
	size_t count;                         /* of elements, in all */
	size_t bytes, alignment;              /* a vector of 3 takes the memory of 4 */
	bool vector, array;
};
/* BENCH_USAGE if it is none. */
int bench_kernel_type_wide(const char *name, struct bench_kernel_wide *wide, struct bench_error *error);

/* An element, exactly: a long double of x86-64 or aarch64 holds 64-bit integers, which a double rounds from
 * 2^53 on. */
long double bench_kernel_data_get(const struct bench_kernel_type *type, const void *data, size_t index);
/* Rounds to a real type. false: the number does not fit: it is too large for the type, or a fraction for one
 * of integers. */
bool bench_kernel_data_set(const struct bench_kernel_type *type, void *data, size_t index, double value);
/* For the end of a message: why does a number not fit? "" where its size says so. */
const char *bench_kernel_data_why_not(double value);

/*
 * Writes both guards around `bytes` of contents: the image has 2 * BENCH_KERNEL_GUARD more. Read as elements
 * of a real type they are NaN. `salt` tells buffers apart.
 */
void bench_kernel_data_guard(const struct bench_kernel_type *type, unsigned char *image, size_t bytes,
			     size_t salt);

/*
 * The first byte in the guards of `found` that differs from what bench_kernel_data_guard left in `image`;
 * false if all are intact. *place counts from the start of the contents: it is negative in front of them, and
 * at least `bytes` behind them.
 */
bool bench_kernel_data_overrun(const unsigned char *image, const unsigned char *found, size_t bytes,
			       int64_t *place);

#endif
