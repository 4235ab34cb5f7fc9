/* SPDX-License-Identifier: MIT */
/* Shapes of convolutions: which are valid, and how large their arrays are. */
#ifndef KIT_CONV2D_H
#define KIT_CONV2D_H

#include "bench/error.h"
#include "bench/op/conv2d.h"

/* Elements of the three arrays, and of all windows as a matrix, which IM2COL works in. */
struct bench_conv2d_sizes {
	size_t in, weights, out, windows;
};

/*
 * Fills `sizes` if the shape is valid: everything as struct bench_conv2d says, the kernel no larger than the
 * padded input, and every array, the padded input and the windows below 2^60 bytes. Else BENCH_USAGE with
 * what is wrong.
 */
int bench_conv2d_check(const struct bench_conv2d *conv, struct bench_conv2d_sizes *sizes,
		       struct bench_error *error);

/* "auto", "direct", ... */
const char *bench_conv2d_algorithm_name(enum bench_conv2d_algorithm algorithm);

/* BENCH_UNSUPPORTED, with the reason, for a shape that Winograd's F(2x2, 3x3) and F(4x4, 3x3) cannot do. */
int bench_conv2d_winograd_can(const struct bench_conv2d *conv, struct bench_error *error);

#endif
