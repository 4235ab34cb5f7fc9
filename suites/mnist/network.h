/* SPDX-License-Identifier: MIT */
/*
 * The network of suite mnist on a device: 784 pixels, 128 hidden units with ReLU, 10 classes with
 * softmax and cross-entropy, trained by plain stochastic gradient descent.
 */
#ifndef SUITES_MNIST_NETWORK_H
#define SUITES_MNIST_NETWORK_H

#include "bench/case.h"
#include "suites/mnist/data.h"

enum {
	BENCH_MNIST_HIDDEN = 128,
	BENCH_MNIST_BATCH = 256,
};

/* The weights: matrices of inputs x outputs, row after row, and biases. */
enum { BENCH_MNIST_W1, BENCH_MNIST_B1, BENCH_MNIST_W2, BENCH_MNIST_B2, BENCH_MNIST_TENSORS };
extern const size_t bench_mnist_counts[BENCH_MNIST_TENSORS]; /* elements of each */

/* Weights on the host; {0} has none. */
struct bench_mnist_weights {
	float *tensors[BENCH_MNIST_TENSORS];
};
int bench_mnist_weights_make(struct bench_mnist_weights *weights, struct bench_error *error);
void bench_mnist_weights_free(struct bench_mnist_weights *weights);
/*
 * Initial weights, uniform around 0. W1: within sqrt(6 / inputs) (He et al., "Delving deep into rectifiers",
 * ICCV 2015). W2: within sqrt(6 / (inputs + outputs)) (Glorot and Bengio, "Understanding the difficulty of
 * training deep feedforward neural networks", AISTATS 2010). Biases are 0.
 */
void bench_mnist_weights_start(struct bench_mnist_weights *weights, uint64_t seed);

/* Images and labels on the device. */
struct bench_mnist_samples {
	size_t count;
	struct bench_buffer *images, *labels;
};

/* Everything on the device but samples and order; {0} has nothing. */
struct bench_mnist_network {
	const struct bench_backend *backend;
	struct bench_device *device;
	struct bench_buffer *weights[BENCH_MNIST_TENSORS];
	/* Of a minibatch; `output` holds its own gradient on the way back. */
	struct bench_buffer *x, *labels, *hidden, *output, *hidden_gradient;
	struct bench_buffer *classes; /* what the network takes each sample for */
	bool no_end; /* the backend's product cannot end in a bias and an activation: it said so */
};

/* Device memory of a network that classifies up to `samples`, in bytes. */
uint64_t bench_mnist_network_bytes(uint64_t samples);

/* Allocates. BENCH_UNSUPPORTED where the backend cannot train. Freed after a failure too. */
int bench_mnist_network_make(const struct bench_case *bench_case, size_t samples,
			     struct bench_mnist_network *network, struct bench_error *error);
void bench_mnist_network_free(struct bench_mnist_network *network);

int bench_mnist_network_upload(struct bench_mnist_network *network, const struct bench_mnist_weights *weights,
			       struct bench_error *error);
int bench_mnist_network_download(struct bench_mnist_network *network, struct bench_mnist_weights *weights,
				 struct bench_error *error);
/* NaN and 0xff everywhere except in the weights, so that the check sees what an operation leaves out. */
int bench_mnist_network_spoil(struct bench_mnist_network *network, size_t samples, struct bench_error *error);

/* Enqueues one step, on samples order[first] to order[first + BENCH_MNIST_BATCH - 1]. */
int bench_mnist_network_step(struct bench_mnist_network *network, const struct bench_mnist_samples *samples,
			     const struct bench_buffer *order, size_t first, double rate,
			     struct bench_error *error);

/*
 * Classifies all samples on the device and downloads what it took them for into classes
 * [samples->count]. `sequence` holds the numbers from 0 on, of 32 bits.
 */
int bench_mnist_network_classify(struct bench_mnist_network *network,
				 const struct bench_mnist_samples *samples,
				 const struct bench_buffer *sequence, uint8_t *classes,
				 struct bench_error *error);

#endif
