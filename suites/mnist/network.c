/* SPDX-License-Identifier: MIT */
#include "suites/mnist/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kit/rng.h"

enum {
	PIXELS = BENCH_MNIST_PIXELS,
	HIDDEN = BENCH_MNIST_HIDDEN,
	CLASSES = BENCH_MNIST_CLASSES,
	BATCH = BENCH_MNIST_BATCH
};

const size_t bench_mnist_counts[BENCH_MNIST_TENSORS] = {
	[BENCH_MNIST_W1] = (size_t)PIXELS * HIDDEN,
	[BENCH_MNIST_B1] = HIDDEN,
	[BENCH_MNIST_W2] = (size_t)HIDDEN * CLASSES,
	[BENCH_MNIST_B2] = CLASSES,
};

/* Of the seed, one for each tensor. */
enum { FIRST_STREAM = 16 };

int bench_mnist_weights_make(struct bench_mnist_weights *weights, struct bench_error *error)
{
	*weights = (struct bench_mnist_weights){0};
	for (size_t t = 0; t < BENCH_MNIST_TENSORS; t++) {
		weights->tensors[t] = calloc(bench_mnist_counts[t], sizeof(float));
		if (!weights->tensors[t])
			return bench_fail(error, BENCH_NO_MEMORY, "mnist: no host memory for weights");
	}
	return 0;
}

void bench_mnist_weights_free(struct bench_mnist_weights *weights)
{
	for (size_t t = 0; t < BENCH_MNIST_TENSORS; t++)
		free(weights->tensors[t]);
	*weights = (struct bench_mnist_weights){0};
}

void bench_mnist_weights_start(struct bench_mnist_weights *weights, uint64_t seed)
{
	const float bounds[BENCH_MNIST_TENSORS] = {
		[BENCH_MNIST_W1] = sqrtf(6.0F / PIXELS),
		[BENCH_MNIST_W2] = sqrtf(6.0F / (HIDDEN + CLASSES)),
	};
	for (size_t t = 0; t < BENCH_MNIST_TENSORS; t++) {
		bench_rng_fill(seed, FIRST_STREAM + t, BENCH_F32, weights->tensors[t], bench_mnist_counts[t]);
		for (size_t i = 0; i < bench_mnist_counts[t]; i++)
			weights->tensors[t][i] *= bounds[t];
	}
}

/* The buffers of a network. */
enum { BUFFERS = BENCH_MNIST_TENSORS + 6 };
struct part {
	struct bench_buffer **buffer;
	uint64_t bytes;
};

static void list_parts(struct bench_mnist_network *network, uint64_t samples, struct part parts[BUFFERS])
{
	const struct part others[] = {
		{&network->x, (uint64_t)BATCH * PIXELS * sizeof(float)},
		{&network->labels, BATCH},
		{&network->hidden, (uint64_t)BATCH * HIDDEN * sizeof(float)},
		{&network->output, (uint64_t)BATCH * CLASSES * sizeof(float)},
		{&network->hidden_gradient, (uint64_t)BATCH * HIDDEN * sizeof(float)},
		{&network->classes, samples},
	};
	for (size_t t = 0; t < BENCH_MNIST_TENSORS; t++)
		parts[t] = (struct part){&network->weights[t], bench_mnist_counts[t] * sizeof(float)};
	memcpy(parts + BENCH_MNIST_TENSORS, others, sizeof(others));
}

uint64_t bench_mnist_network_bytes(uint64_t samples)
{
	struct bench_mnist_network network = {0};
	struct part parts[BUFFERS];
	uint64_t sum = 0;
	list_parts(&network, samples, parts);
	for (size_t i = 0; i < BUFFERS; i++)
		sum += parts[i].bytes;
	return sum;
}

int bench_mnist_network_make(const struct bench_case *bench_case, size_t samples,
			     struct bench_mnist_network *network, struct bench_error *error)
{
	struct part parts[BUFFERS];
	*network = (struct bench_mnist_network){.backend = bench_case->backend, .device = bench_case->device};
	if (!network->backend->gemm || !network->backend->training)
		return bench_fail(error, BENCH_UNSUPPORTED, "backend %s has no operations to train with",
				  network->backend->name);
	list_parts(network, samples, parts);
	for (size_t i = 0; i < BUFFERS; i++)
		if (network->backend->alloc(network->device, parts[i].bytes, parts[i].buffer, error) != 0)
			return -1;
	return 0;
}

void bench_mnist_network_free(struct bench_mnist_network *network)
{
	struct part parts[BUFFERS];
	if (!network->backend)
		return;
	list_parts(network, 1, parts);
	for (size_t i = 0; i < BUFFERS; i++)
		network->backend->release(network->device, *parts[i].buffer);
	*network = (struct bench_mnist_network){0};
}

int bench_mnist_network_upload(struct bench_mnist_network *network, const struct bench_mnist_weights *weights,
			       struct bench_error *error)
{
	for (size_t t = 0; t < BENCH_MNIST_TENSORS; t++)
		if (network->backend->upload(network->device, network->weights[t], weights->tensors[t],
					     bench_mnist_counts[t] * sizeof(float), error) != 0)
			return -1;
	return 0;
}

int bench_mnist_network_download(struct bench_mnist_network *network, struct bench_mnist_weights *weights,
				 struct bench_error *error)
{
	for (size_t t = 0; t < BENCH_MNIST_TENSORS; t++)
		if (network->backend->download(network->device, network->weights[t], weights->tensors[t],
					       bench_mnist_counts[t] * sizeof(float), error) != 0)
			return -1;
	return 0;
}

int bench_mnist_network_spoil(struct bench_mnist_network *network, size_t samples, struct bench_error *error)
{
	struct part parts[BUFFERS];
	size_t largest = 0;
	list_parts(network, samples, parts);
	for (size_t i = BENCH_MNIST_TENSORS; i < BUFFERS; i++)
		largest = parts[i].bytes > largest ? parts[i].bytes : largest;
	char *spoiled = malloc(largest);
	if (!spoiled)
		return bench_fail(error, BENCH_NO_MEMORY, "mnist: no host memory to spoil the buffers");
	memset(spoiled, 0xff, largest); /* NaN, as a float */
	int result = 0;
	for (size_t i = BENCH_MNIST_TENSORS; i < BUFFERS && result == 0; i++)
		result = network->backend->upload(network->device, *parts[i].buffer, spoiled, parts[i].bytes,
						  error);
	free(spoiled);
	return result;
}

/* C = alpha op(A) op(B) + beta C of matrices without gaps. */
static int multiply(struct bench_mnist_network *network, struct bench_gemm gemm, struct bench_error *error)
{
	gemm.dtype = BENCH_F32;
	gemm.lda = gemm.trans_a ? gemm.m : gemm.k;
	gemm.ldb = gemm.trans_b ? gemm.k : gemm.n;
	gemm.ldc = gemm.n;
	return network->backend->gemm(network->device, &gemm, error);
}

/* hidden = relu(x W1 + b1), in one call where the backend's product can end so. */
static int hidden_layer(struct bench_mnist_network *network, size_t count, struct bench_error *error)
{
	struct bench_gemm gemm = {.m = count,
				  .n = HIDDEN,
				  .k = PIXELS,
				  .alpha = 1,
				  .a = network->x,
				  .b = network->weights[BENCH_MNIST_W1],
				  .c = network->hidden};
	const struct bench_training_relu relu = {.rows = count,
						 .columns = HIDDEN,
						 .bias = network->weights[BENCH_MNIST_B1],
						 .x = network->hidden};
	if (!network->no_end) {
		struct bench_gemm whole = gemm;
		whole.bias = relu.bias;
		whole.activation = BENCH_ACTIVATION_RELU;
		if (multiply(network, whole, error) == 0)
			return 0;
		if (error->code != BENCH_UNSUPPORTED)
			return -1;
		network->no_end = true;
	}
	return multiply(network, gemm, error) != 0 ||
			       network->backend->training->relu(network->device, &relu, error) != 0
		       ? -1
		       : 0;
}

/* The samples order[first..] to the output layer, whose bias and softmax are still to come. */
static int forward(struct bench_mnist_network *network, const struct bench_mnist_samples *samples,
		   const struct bench_buffer *order, size_t first, size_t count, struct bench_error *error)
{
	const struct bench_training *training = network->backend->training;
	const struct bench_training_gather gather = {.first = first,
						     .count = count,
						     .pixels = PIXELS,
						     .images = samples->images,
						     .labels = samples->labels,
						     .order = order,
						     .x = network->x,
						     .x_labels = network->labels};
	const struct bench_gemm output = {.m = count,
					  .n = CLASSES,
					  .k = HIDDEN,
					  .alpha = 1,
					  .a = network->hidden,
					  .b = network->weights[BENCH_MNIST_W2],
					  .c = network->output};
	if (training->gather(network->device, &gather, error) != 0 ||
	    hidden_layer(network, count, error) != 0)
		return -1;
	return multiply(network, output, error);
}

/*
 * From the gradient of the output, the mean over the minibatch, back to all weights. The products
 * that are a matrix's gradient add to it at once: W = -rate gradient + W.
 */
static int backward(struct bench_mnist_network *network, double rate, struct bench_error *error)
{
	const struct bench_training *training = network->backend->training;
	const struct bench_gemm hidden_gradient = {.trans_b = true,
						   .m = BATCH,
						   .n = HIDDEN,
						   .k = CLASSES,
						   .alpha = 1,
						   .a = network->output,
						   .b = network->weights[BENCH_MNIST_W2],
						   .c = network->hidden_gradient};
	const struct bench_gemm w2 = {.trans_a = true,
				      .m = HIDDEN,
				      .n = CLASSES,
				      .k = BATCH,
				      .alpha = -rate,
				      .beta = 1,
				      .a = network->hidden,
				      .b = network->output,
				      .c = network->weights[BENCH_MNIST_W2]};
	const struct bench_training_bias b2 = {.rows = BATCH,
					       .columns = CLASSES,
					       .factor = -rate,
					       .gradient = network->output,
					       .bias = network->weights[BENCH_MNIST_B2]};
	const struct bench_training_bias b1 = {.rows = BATCH,
					       .columns = HIDDEN,
					       .factor = -rate,
					       .activations = network->hidden,
					       .gradient = network->hidden_gradient,
					       .bias = network->weights[BENCH_MNIST_B1]};
	const struct bench_gemm w1 = {.trans_a = true,
				      .m = PIXELS,
				      .n = HIDDEN,
				      .k = BATCH,
				      .alpha = -rate,
				      .beta = 1,
				      .a = network->x,
				      .b = network->hidden_gradient,
				      .c = network->weights[BENCH_MNIST_W1]};
	if (multiply(network, hidden_gradient, error) != 0 || multiply(network, w2, error) != 0 ||
	    training->bias(network->device, &b2, error) != 0 ||
	    training->bias(network->device, &b1, error) != 0)
		return -1;
	return multiply(network, w1, error);
}

int bench_mnist_network_step(struct bench_mnist_network *network, const struct bench_mnist_samples *samples,
			     const struct bench_buffer *order, size_t first, double rate,
			     struct bench_error *error)
{
	const struct bench_training_softmax softmax = {.rows = BATCH,
						       .columns = CLASSES,
						       .factor = 1.0 / BATCH,
						       .bias = network->weights[BENCH_MNIST_B2],
						       .labels = network->labels,
						       .x = network->output};
	if (forward(network, samples, order, first, BATCH, error) != 0 ||
	    network->backend->training->softmax(network->device, &softmax, error) != 0)
		return -1;
	return backward(network, rate, error);
}

int bench_mnist_network_classify(struct bench_mnist_network *network,
				 const struct bench_mnist_samples *samples,
				 const struct bench_buffer *sequence, uint8_t *classes,
				 struct bench_error *error)
{
	for (size_t first = 0; first < samples->count; first += BATCH) {
		size_t left = samples->count - first, count = left < BATCH ? left : BATCH;
		const struct bench_training_classify classify = {.rows = count,
								 .columns = CLASSES,
								 .first = first,
								 .x = network->output,
								 .bias = network->weights[BENCH_MNIST_B2],
								 .classes = network->classes};
		if (forward(network, samples, sequence, first, count, error) != 0 ||
		    network->backend->training->classify(network->device, &classify, error) != 0)
			return -1;
	}
	return network->backend->download(network->device, network->classes, classes, samples->count, error);
}
