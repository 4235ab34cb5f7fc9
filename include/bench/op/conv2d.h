/* SPDX-License-Identifier: MIT */
/* The two-dimensional convolution of networks, an operation of a backend. */
#ifndef BENCH_CONV2D_H
#define BENCH_CONV2D_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/dtype.h"

struct bench_buffer;

/*
 * Where the channels stand. In memory, the last index running fastest:
 *
 *           in             weights               out
 *   NCHW    n c h w        k c/groups r s        n k ho wo
 *   NHWC    n h w c        r s c/groups k        n ho wo k
 */
enum bench_conv2d_layout { BENCH_CONV2D_NCHW, BENCH_CONV2D_NHWC };

enum bench_conv2d_algorithm {
	BENCH_CONV2D_AUTO,     /* the fastest of the others, by measurement */
	BENCH_CONV2D_DIRECT,   /* the sums as they are defined, on the input as it is or padded */
	BENCH_CONV2D_IM2COL,   /* windows copied to the columns of a matrix, then a matrix product */
	BENCH_CONV2D_WINOGRAD, /* F(2x2, 3x3) or F(4x4, 3x3) of Lavin and Gray */
	BENCH_CONV2D_ALGORITHMS,
};

/* What a call did. */
struct bench_conv2d_choice {
	enum bench_conv2d_algorithm algorithm; /* that ran; never AUTO */
	/* Of one call, as AUTO measured it on this device for this shape; 0: not measured, or cannot. */
	double seconds[BENCH_CONV2D_ALGORITHMS];
};

/*
 * out[i][q][y][x] = sum over c, r, s of in[i][c][y * stride + r * dilation - pad][x * stride +
 * s * dilation - pad] * weights[q][c][r][s]: a cross-correlation, as networks have it. `in` is
 * zero outside of its h x w. Output channel q sees the c / groups input channels of its group,
 * (q / (k / groups)), alone. The output is ho x wo, as bench_conv2d_extent says.
 *
 * All sizes are elements and >= 1 (pad: >= 0); groups divides c and k. out overlaps neither in
 * nor weights, is written as a whole and never read. Memory that an algorithm works in is the
 * backend's own and lives until the device is closed.
 *
 * algorithm: one that the backend lacks or that cannot do the shape is BENCH_UNSUPPORTED with
 * the reason. AUTO: the first call with a shape runs each that can, several times, and takes
 * the fastest, then and in all later calls with that shape on the device. Such a first call
 * finishes the device; the others only enqueue.
 */
struct bench_conv2d {
	enum bench_dtype dtype;
	enum bench_conv2d_layout layout;
	enum bench_conv2d_algorithm algorithm;
	size_t n;       /* images */
	size_t c, h, w; /* of an image of the input: channels, rows, columns */
	size_t k;       /* channels of the output */
	size_t r, s;    /* rows and columns of the kernel */
	size_t stride, pad, dilation, groups;
	const struct bench_buffer *in, *weights;
	struct bench_buffer *out;
	struct bench_conv2d_choice *choice; /* NULL, or filled when the call returns 0 */
};

/* Rows (size h, kernel r) or columns (w, s) of the output. The kernel must fit, see kit/conv2d.h. */
static inline size_t bench_conv2d_extent(const struct bench_conv2d *conv, size_t size, size_t kernel)
{
	return (size + 2 * conv->pad - (kernel - 1) * conv->dilation - 1) / conv->stride + 1;
}

/* Products that make one element of the output. */
static inline size_t bench_conv2d_length(const struct bench_conv2d *conv)
{
	return conv->c / conv->groups * conv->r * conv->s;
}

#endif
