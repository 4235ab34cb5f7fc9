/* SPDX-License-Identifier: MIT */
/*
 * The images of suite mnist: read from a folder of IDX files as MNIST comes in, or drawn.
 */
#ifndef SUITES_MNIST_DATA_H
#define SUITES_MNIST_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/error.h"
#include "bench/param.h"

enum {
	BENCH_MNIST_SIDE = 28,
	BENCH_MNIST_PIXELS = BENCH_MNIST_SIDE * BENCH_MNIST_SIDE,
	BENCH_MNIST_CLASSES = 10,
	BENCH_MNIST_TRAIN = 60000, /* images of a folder */
	BENCH_MNIST_TEST = 10000,
};

struct bench_mnist_set {
	size_t count;
	uint8_t *images; /* count x BENCH_MNIST_PIXELS, row by row, 0 to 255 */
	uint8_t *labels; /* count, 0 to BENCH_MNIST_CLASSES - 1 */
};

struct bench_mnist_data {
	struct bench_mnist_set train, test;
	bool drawn;                            /* not read from files */
	bool genuine;                          /* the four files are MNIST's own, by their CRC-32 */
	double images_seconds, labels_seconds; /* that reading took; 0 where the images were drawn */
};

/*
 * The suite's parameter `data`: "synthetic", "mnist" for what scripts/fetch_mnist fetched, or the
 * path of a folder. Results are kept under the last name of it, so it must not name what it is
 * not: BENCH_USAGE for a folder that is named synthetic.
 */
int bench_mnist_check(const struct bench_value *value, struct bench_error *error);

/*
 * The first `train` and `test` images of what a checked value names. BENCH_ENVIRONMENT as
 * bench_mnist_load gives it, and for a folder named mnist whose files are not MNIST's.
 * bench_mnist_free frees, after a failure too.
 */
int bench_mnist_get(const struct bench_value *value, uint64_t seed, size_t train, size_t test,
		    struct bench_mnist_data *data, struct bench_error *error);

/*
 * Reads {train,t10k}-{images-idx3,labels-idx1}-ubyte, each plain or .gz, of `train` and `test` images.
 * BENCH_ENVIRONMENT with the file and what is wrong with it, including a label that is not a digit and
 * unequal numbers of labels and images. bench_mnist_free frees, after a failure too.
 */
int bench_mnist_load(const char *folder, size_t train, size_t test, struct bench_mnist_data *data,
		     struct bench_error *error);

/* Draws them (suites/mnist/digits.h); the training images of a seed are the same for any number of them. */
int bench_mnist_draw(uint64_t seed, size_t train, size_t test, struct bench_mnist_data *data,
		     struct bench_error *error);

void bench_mnist_free(struct bench_mnist_data *data);

#endif
