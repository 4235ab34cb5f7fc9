/* SPDX-License-Identifier: MIT */
/* The check of a convolution's output against the reference in double. docs/suites/conv2d.md says how it
 * works. */
#ifndef SUITES_CONV2D_CHECK_H
#define SUITES_CONV2D_CHECK_H

#include <stdint.h>

#include "bench/case.h"
#include "bench/op/conv2d.h"
#include "kit/rng.h"

/* Host memory that the check takes. */
uint64_t bench_conv2d_check_bytes(const struct bench_conv2d *conv);

/*
 * Fills error, tolerance and method. `conv`: the shape, its buffers are not looked at; in,
 * weights, out: in host memory; algorithm: that made `out`; data: what `in` was filled with; seed: of signs
 * and samples.
 */
int bench_conv2d_check_output(const struct bench_conv2d *conv, const void *in, const void *weights,
			      const void *out, enum bench_conv2d_algorithm algorithm, enum bench_data data,
			      uint64_t seed, struct bench_check *check, struct bench_error *error);

#endif
