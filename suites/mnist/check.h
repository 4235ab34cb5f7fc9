/* SPDX-License-Identifier: MIT */
/*
 * Was the network trained right? The check of suite mnist, apart from its work: pure functions
 * over host arrays, in double.
 */
#ifndef SUITES_MNIST_CHECK_H
#define SUITES_MNIST_CHECK_H

#include "suites/mnist/network.h"

/*
 * The weights after one step, and by how much rounding in single precision may miss them.
 *
 * A product of length k errs by tau(k) times the sum of its magnitudes (kit/dense.h). The bound follows that
 * error through the network to first order. A unit whose input is so near 0 that rounding decides whether it
 * is active may go either way, and its gradient is allowed to.
 */
struct bench_mnist_reference {
	double *weights[BENCH_MNIST_TENSORS];
	double *allowed[BENCH_MNIST_TENSORS];
};

/* A step from `start` on BENCH_MNIST_BATCH images and labels. BENCH_NO_MEMORY is the only error. */
int bench_mnist_reference_step(const struct bench_mnist_weights *start, const uint8_t *images,
			       const uint8_t *labels, double rate, struct bench_mnist_reference *reference,
			       struct bench_error *error);
void bench_mnist_reference_free(struct bench_mnist_reference *reference);

/* The worst |found - reference| / allowed: at most 1 where the step was right; NaN for a NaN. */
double bench_mnist_step_error(const struct bench_mnist_reference *reference,
			      const struct bench_mnist_weights *found);

/*
 * Classifies `count` images with `weights`: *right is the share of those whose label it hits. The
 * result is the worst margin, in units of what rounding may shift it by, by which a class in
 * `classes` is behind the best: at most 1 where they are right; infinite for one that is no class
 * and for weights that are not finite.
 */
double bench_mnist_classes_error(const struct bench_mnist_weights *weights, const uint8_t *images,
				 const uint8_t *labels, const uint8_t *classes, size_t count, double *right);

#endif
