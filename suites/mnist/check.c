/* SPDX-License-Identifier: MIT */
#include "suites/mnist/check.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "kit/dense.h"

enum {
	PIXELS = BENCH_MNIST_PIXELS,
	HIDDEN = BENCH_MNIST_HIDDEN,
	CLASSES = BENCH_MNIST_CLASSES,
	BATCH = BENCH_MNIST_BATCH
};

static const double roundoff = (double)FLT_EPSILON / 2;

/* One image's way through the network. `_off`: by how much rounding may change the value of that name. */
struct pass {
	double x[PIXELS];
	double input[HIDDEN], input_off[HIDDEN]; /* of the hidden units */
	double hidden[HIDDEN];
	double output[CLASSES], output_off[CLASSES];
};

static double tau(size_t length)
{
	return bench_dense_tolerance(BENCH_F32, length);
}

static void hidden_layer(const struct bench_mnist_weights *weights, const uint8_t *image, struct pass *pass)
{
	const float *w1 = weights->tensors[BENCH_MNIST_W1], *b1 = weights->tensors[BENCH_MNIST_B1];
	for (size_t j = 0; j < HIDDEN; j++)
		pass->input[j] = (double)b1[j];
	for (size_t p = 0; p < PIXELS; p++) {
		double x = pass->x[p] = image[p] / 255.0;
		const float *row = w1 + p * HIDDEN;
		for (size_t j = 0; j < HIDDEN && image[p]; j++)
			pass->input[j] += x * (double)row[j];
	}
	for (size_t j = 0; j < HIDDEN; j++)
		pass->hidden[j] = pass->input[j] > 0 ? pass->input[j] : 0;
}

static void output_layer(const struct bench_mnist_weights *weights, struct pass *pass)
{
	const float *w2 = weights->tensors[BENCH_MNIST_W2], *b2 = weights->tensors[BENCH_MNIST_B2];
	for (size_t c = 0; c < CLASSES; c++)
		pass->output[c] = (double)b2[c];
	for (size_t j = 0; j < HIDDEN; j++)
		for (size_t c = 0; c < CLASSES; c++)
			pass->output[c] += pass->hidden[j] * (double)w2[j * CLASSES + c];
}

static void forward(const struct bench_mnist_weights *weights, const uint8_t *image, struct pass *pass)
{
	hidden_layer(weights, image, pass);
	output_layer(weights, pass);
}

/* The `_off` of a pass that went forward. */
static void bound(const struct bench_mnist_weights *weights, struct pass *pass)
{
	const float *w1 = weights->tensors[BENCH_MNIST_W1], *b1 = weights->tensors[BENCH_MNIST_B1];
	const float *w2 = weights->tensors[BENCH_MNIST_W2], *b2 = weights->tensors[BENCH_MNIST_B2];
	for (size_t j = 0; j < HIDDEN; j++)
		pass->input_off[j] = fabs((double)b1[j]);
	for (size_t p = 0; p < PIXELS; p++)
		for (size_t j = 0; j < HIDDEN && pass->x[p] > 0; j++)
			pass->input_off[j] += pass->x[p] * fabs((double)w1[p * HIDDEN + j]);
	for (size_t j = 0; j < HIDDEN; j++)
		pass->input_off[j] *= tau(PIXELS);
	for (size_t c = 0; c < CLASSES; c++) {
		double magnitude = fabs((double)b2[c]), inherited = 0;
		for (size_t j = 0; j < HIDDEN; j++) {
			double weight = fabs((double)w2[j * CLASSES + c]);
			magnitude += pass->hidden[j] * weight;
			inherited += pass->input_off[j] * weight;
		}
		pass->output_off[c] = tau(HIDDEN) * magnitude + inherited;
	}
}

/* The gradient of the output, d = (softmax - label) / BATCH. */
static void output_gradient(const struct pass *pass, size_t label, double d[CLASSES], double d_off[CLASSES])
{
	double largest = -INFINITY, sum = 0, off = 0;
	for (size_t c = 0; c < CLASSES; c++) {
		largest = fmax(largest, pass->output[c]);
		off = fmax(off, pass->output_off[c]);
	}
	for (size_t c = 0; c < CLASSES; c++)
		sum += exp(pass->output[c] - largest);
	for (size_t c = 0; c < CLASSES; c++) {
		double p = exp(pass->output[c] - largest) / sum, target = c == label ? 1 : 0;
		d[c] = (p - target) / BATCH;
		/* Of softmax |dp| <= 2 p max|dz|; exp and the divisions add some roundings. */
		d_off[c] = (2 * p * off + 16 * roundoff * (p + target)) / BATCH;
	}
}

/* Adds one image's part to the gradients of weights that are sums over the minibatch. */
static void add_gradients(const struct bench_mnist_weights *weights, const struct pass *pass, size_t label,
			  struct bench_mnist_reference *sums)
{
	const float *w2 = weights->tensors[BENCH_MNIST_W2];
	double d[CLASSES], d_off[CLASSES], g[HIDDEN], g_off[HIDDEN];
	output_gradient(pass, label, d, d_off);
	for (size_t c = 0; c < CLASSES; c++) {
		d_off[c] += tau(BATCH) * fabs(d[c]);
		sums->weights[BENCH_MNIST_B2][c] += d[c];
		sums->allowed[BENCH_MNIST_B2][c] += d_off[c];
	}
	for (size_t j = 0; j < HIDDEN; j++) {
		double sum = 0, off = 0;
		for (size_t c = 0; c < CLASSES; c++) {
			double weight = (double)w2[j * CLASSES + c];
			size_t at = j * CLASSES + c;
			sum += d[c] * weight;
			off += (d_off[c] + (tau(CLASSES) + tau(BATCH)) * fabs(d[c])) * fabs(weight);
			sums->weights[BENCH_MNIST_W2][at] += pass->hidden[j] * d[c];
			sums->allowed[BENCH_MNIST_W2][at] +=
				pass->hidden[j] * d_off[c] + pass->input_off[j] * fabs(d[c]);
		}
		bool uncertain = fabs(pass->input[j]) <= pass->input_off[j], active = pass->input[j] > 0;
		g[j] = active ? sum : 0;
		g_off[j] = uncertain ? off + fabs(sum) : active ? off : 0;
		sums->weights[BENCH_MNIST_B1][j] += g[j];
		sums->allowed[BENCH_MNIST_B1][j] += g_off[j];
	}
	for (size_t p = 0; p < PIXELS; p++) {
		double x = pass->x[p];
		double *gradient = sums->weights[BENCH_MNIST_W1] + p * HIDDEN;
		double *allowed = sums->allowed[BENCH_MNIST_W1] + p * HIDDEN;
		for (size_t j = 0; j < HIDDEN && x > 0; j++) {
			gradient[j] += x * g[j];
			allowed[j] += x * (g_off[j] + 2 * roundoff * fabs(g[j]));
		}
	}
}

int bench_mnist_reference_step(const struct bench_mnist_weights *start, const uint8_t *images,
			       const uint8_t *labels, double rate, struct bench_mnist_reference *reference,
			       struct bench_error *error)
{
	*reference = (struct bench_mnist_reference){0};
	struct pass pass;
	for (size_t t = 0; t < BENCH_MNIST_TENSORS; t++) {
		reference->weights[t] = bench_dense_scratch(bench_mnist_counts[t], error);
		reference->allowed[t] = bench_dense_scratch(bench_mnist_counts[t], error);
		if (!reference->weights[t] || !reference->allowed[t])
			return -1;
	}
	for (size_t i = 0; i < BATCH; i++) {
		forward(start, images + i * PIXELS, &pass);
		bound(start, &pass);
		add_gradients(start, &pass, labels[i], reference);
	}
	/* From the sums to the weights: the product with the rate and the sum are rounded too. */
	for (size_t t = 0; t < BENCH_MNIST_TENSORS; t++)
		for (size_t i = 0; i < bench_mnist_counts[t]; i++) {
			double weight = (double)start->tensors[t][i],
			       change = rate * reference->weights[t][i];
			reference->weights[t][i] = weight - change;
			reference->allowed[t][i] = rate * reference->allowed[t][i] +
						   4 * roundoff * (fabs(weight) + fabs(change));
		}
	return 0;
}

void bench_mnist_reference_free(struct bench_mnist_reference *reference)
{
	for (size_t t = 0; t < BENCH_MNIST_TENSORS; t++) {
		free(reference->weights[t]);
		free(reference->allowed[t]);
	}
	*reference = (struct bench_mnist_reference){0};
}

double bench_mnist_step_error(const struct bench_mnist_reference *reference,
			      const struct bench_mnist_weights *found)
{
	double worst = 0;
	for (size_t t = 0; t < BENCH_MNIST_TENSORS; t++)
		for (size_t i = 0; i < bench_mnist_counts[t]; i++)
			worst = bench_dense_worse(worst, bench_dense_error((double)found->tensors[t][i],
									   reference->weights[t][i],
									   reference->allowed[t][i]));
	return worst;
}

static bool all_finite(const struct bench_mnist_weights *weights)
{
	for (size_t t = 0; t < BENCH_MNIST_TENSORS; t++)
		for (size_t i = 0; i < bench_mnist_counts[t]; i++)
			if (!isfinite(weights->tensors[t][i]))
				return false;
	return true;
}

double bench_mnist_classes_error(const struct bench_mnist_weights *weights, const uint8_t *images,
				 const uint8_t *labels, const uint8_t *classes, size_t count, double *right)
{
	struct pass pass;
	size_t hits = 0;
	double worst = 0;
	*right = 0;
	if (!all_finite(weights))
		return INFINITY;
	for (size_t i = 0; i < count; i++) {
		size_t best = 0;
		forward(weights, images + i * PIXELS, &pass);
		for (size_t c = 1; c < CLASSES; c++)
			if (pass.output[c] > pass.output[best])
				best = c;
		hits += best == labels[i];
		if (classes[i] == best)
			continue;
		if (classes[i] >= CLASSES)
			return INFINITY;
		bound(weights, &pass);
		worst = fmax(worst, (pass.output[best] - pass.output[classes[i]]) /
					    (pass.output_off[best] + pass.output_off[classes[i]]));
	}
	*right = (double)hits / (double)count;
	return worst;
}
