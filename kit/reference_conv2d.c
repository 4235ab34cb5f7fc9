/* SPDX-License-Identifier: MIT */
/* Convolution as it is defined, window by window, with sums in double. */
#include <stdlib.h>

#include "kit/reference.h"

size_t bench_reference_conv2d_index(const struct bench_conv2d *conv, size_t image, size_t channel, size_t y,
				    size_t x)
{
	size_t rows = bench_conv2d_extent(conv, conv->h, conv->r);
	size_t columns = bench_conv2d_extent(conv, conv->w, conv->s);
	if (conv->layout == BENCH_CONV2D_NHWC)
		return ((image * rows + y) * columns + x) * conv->k + channel;
	return ((image * conv->k + channel) * rows + y) * columns + x;
}

void bench_reference_conv2d_weights(const struct bench_conv2d *conv, const void *weights, size_t group,
				    double *out)
{
	size_t channels = conv->c / conv->groups, count = conv->k / conv->groups, first = group * count;
	size_t length = bench_conv2d_length(conv);
	if (conv->layout == BENCH_CONV2D_NCHW) {
		for (size_t i = 0; i < count * length; i++)
			out[i] = bench_reference_element(conv->dtype, weights, first * length + i);
		return;
	}
	for (size_t q = 0; q < count; q++)
		for (size_t c = 0; c < channels; c++)
			for (size_t tap = 0; tap < conv->r * conv->s; tap++)
				*out++ = bench_reference_element(conv->dtype, weights,
								 (tap * channels + c) * conv->k + first + q);
}

void bench_reference_conv2d_window(const struct bench_conv2d *conv, const void *in, size_t image,
				   size_t group, size_t y, size_t x, double *out)
{
	size_t channels = conv->c / conv->groups;
	for (size_t c = group * channels; c < (group + 1) * channels; c++)
		for (size_t r = 0; r < conv->r; r++)
			for (size_t s = 0; s < conv->s; s++) {
				/* Above or left of the input wraps around, to beyond it. */
				size_t row = y * conv->stride + r * conv->dilation - conv->pad;
				size_t column = x * conv->stride + s * conv->dilation - conv->pad;
				size_t index =
					conv->layout == BENCH_CONV2D_NHWC
						? ((image * conv->h + row) * conv->w + column) * conv->c + c
						: ((image * conv->c + c) * conv->h + row) * conv->w + column;
				bool inside = row < conv->h && column < conv->w;
				*out++ = inside ? bench_reference_element(conv->dtype, in, index) : 0;
			}
}

/* One place of the output, all channels of a group. */
static void store(const struct bench_conv2d *conv, size_t image, size_t group, size_t y, size_t x,
		  const double *sums, void *out)
{
	size_t count = conv->k / conv->groups;
	for (size_t q = 0; q < count; q++) {
		size_t index = bench_reference_conv2d_index(conv, image, group * count + q, y, x);
		bench_reference_store(conv->dtype, out, index, sums[q]);
	}
}

int bench_reference_convolution(const struct bench_conv2d *conv, const void *in, const void *weights,
				void *out, struct bench_error *error)
{
	size_t count = conv->k / conv->groups, length = bench_conv2d_length(conv);
	size_t rows = bench_conv2d_extent(conv, conv->h, conv->r);
	size_t columns = bench_conv2d_extent(conv, conv->w, conv->s);
	double *matrix = calloc(count * length + length + count, sizeof(*matrix));
	if (!matrix)
		return bench_fail(error, BENCH_NO_MEMORY,
				  "no memory for the weights of a reference convolution");
	double *window = matrix + count * length, *sums = window + length;
	const struct bench_matrix view = {
		.dtype = BENCH_F64, .rows = count, .cols = length, .ld = length, .data = matrix};
	for (size_t group = 0; group < conv->groups; group++) {
		bench_reference_conv2d_weights(conv, weights, group, matrix);
		for (size_t i = 0; i < conv->n * rows * columns; i++) {
			size_t image = i / (rows * columns), y = i / columns % rows, x = i % columns;
			bench_reference_conv2d_window(conv, in, image, group, y, x, window);
			bench_matrix_vectors(&view, BENCH_MAP_VALUE, 1, window, sums);
			store(conv, image, group, y, x, sums, out);
		}
	}
	free(matrix);
	return 0;
}
