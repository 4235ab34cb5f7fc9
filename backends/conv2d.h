/* SPDX-License-Identifier: MIT */
/*
 * What the backends' convolutions share: the check of a problem, and the choice of an
 * algorithm by measurement.
 */
#ifndef BACKENDS_CONV2D_H
#define BACKENDS_CONV2D_H

#include <stdbool.h>
#include <stddef.h>

#include "backends/check.h"
#include "bench/backend.h"
#include "kit/conv2d.h"

/* The algorithms of a backend. */
struct bench_conv2d_methods {
	const char *backend;
	/* By algorithm; NULL: it has none such. Each enqueues; BENCH_UNSUPPORTED where the shape is not for
	 * it. */
	int (*run[BENCH_CONV2D_ALGORITHMS])(struct bench_device *device, const struct bench_conv2d *conv,
					    struct bench_error *error);
	int (*finish)(struct bench_device *device, struct bench_error *error);
	bench_buffer_size *bytes;
};

/* The shapes that a device has measured, last first; freed when it is closed. */
struct bench_conv2d_measured {
	struct bench_conv2d shape; /* without buffers */
	struct bench_conv2d_choice choice;
	struct bench_conv2d_measured *next;
};
void bench_conv2d_forget(struct bench_conv2d_measured **measured);

/* Do they ask for the same, with whatever buffers and algorithm? */
bool bench_conv2d_is_like(const struct bench_conv2d *a, const struct bench_conv2d *b);

/*
 * For the loops of CPUs, of vectors of `lanes` elements: is it faster to take filters for the lanes (places)
 * than neighbors of a row (tiles)? false where the filters of a group do not fill a vector.
 */
bool bench_conv2d_prefers_places(const struct bench_conv2d *conv, size_t lanes);

/* A group for each channel, with one filter, and the channels last. */
bool bench_conv2d_is_depthwise(const struct bench_conv2d *conv);

/* How many vectors of its channels share a tile on CPUs: of 1 to 3, those that cover them with the least left
 * over. */
size_t bench_conv2d_depthwise_vectors(size_t channels, size_t lanes);

/*
 * Runs the algorithm asked for, or the one that `measured` knows, or learns, to be the fastest. BENCH_USAGE
 * where the shape is impossible, or an array exceeds its buffer.
 */
int bench_conv2d_dispatch(const struct bench_conv2d_methods *methods, struct bench_device *device,
			  struct bench_conv2d_measured **measured, const struct bench_conv2d *conv,
			  struct bench_error *error);

#endif
