/* SPDX-License-Identifier: MIT */
#include "kit/conv2d.h"

/* Sizes and their sums stay far below overflow under these. */
static const size_t side_limit = (size_t)1 << 32, bytes_limit = (size_t)1 << 60;

const char *bench_conv2d_algorithm_name(enum bench_conv2d_algorithm algorithm)
{
	static const char *const names[BENCH_CONV2D_ALGORITHMS] = {
		[BENCH_CONV2D_AUTO] = "auto",
		[BENCH_CONV2D_DIRECT] = "direct",
		[BENCH_CONV2D_IM2COL] = "im2col",
		[BENCH_CONV2D_WINOGRAD] = "winograd",
	};
	return names[algorithm];
}

/* The product of four sizes, as elements of an array; false where its bytes are too many. */
static bool multiply(const struct bench_conv2d *conv, size_t a, size_t b, size_t c, size_t d,
		     size_t *elements)
{
	size_t bytes;
	return !__builtin_mul_overflow(a, b, elements) && !__builtin_mul_overflow(*elements, c, elements) &&
	       !__builtin_mul_overflow(*elements, d, elements) &&
	       !__builtin_mul_overflow(*elements, bench_dtype_bytes(conv->dtype), &bytes) &&
	       bytes < bytes_limit;
}

static int check_values(const struct bench_conv2d *conv, struct bench_error *error)
{
	const struct {
		const char *name;
		size_t value, least;
	} values[] = {{"n", conv->n, 1},          {"c", conv->c, 1},
		      {"h", conv->h, 1},          {"w", conv->w, 1},
		      {"k", conv->k, 1},          {"r", conv->r, 1},
		      {"s", conv->s, 1},          {"stride", conv->stride, 1},
		      {"pad", conv->pad, 0},      {"dilation", conv->dilation, 1},
		      {"groups", conv->groups, 1}};
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		if (values[i].value < values[i].least || values[i].value >= side_limit)
			return bench_fail(error, BENCH_USAGE, "conv2d: %s=%zu: it is %zu to 2^32 - 1",
					  values[i].name, values[i].value, values[i].least);
	if (conv->c % conv->groups || conv->k % conv->groups)
		return bench_fail(error, BENCH_USAGE,
				  "conv2d: groups=%zu does not divide both c=%zu and k=%zu", conv->groups,
				  conv->c, conv->k);
	return 0;
}

/* Does the dilated kernel fit the padded input? */
static int check_side(const struct bench_conv2d *conv, const char *names, size_t size, size_t kernel,
		      struct bench_error *error)
{
	size_t spread;
	if (__builtin_mul_overflow(kernel - 1, conv->dilation, &spread) || spread >= size + 2 * conv->pad)
		return bench_fail(error, BENCH_USAGE,
				  "conv2d: a kernel of %zu %s, dilation=%zu, exceeds the input of %zu with "
				  "pad=%zu",
				  kernel, names, conv->dilation, size, conv->pad);
	return 0;
}

int bench_conv2d_check(const struct bench_conv2d *conv, struct bench_conv2d_sizes *sizes,
		       struct bench_error *error)
{
	if (check_values(conv, error) || check_side(conv, "rows", conv->h, conv->r, error) ||
	    check_side(conv, "columns", conv->w, conv->s, error))
		return -1;
	size_t rows = bench_conv2d_extent(conv, conv->h, conv->r);
	size_t columns = bench_conv2d_extent(conv, conv->w, conv->s), positions, padded;
	if (!multiply(conv, conv->n, conv->c, conv->h, conv->w, &sizes->in) ||
	    !multiply(conv, conv->k, conv->c / conv->groups, conv->r, conv->s, &sizes->weights) ||
	    !multiply(conv, conv->n, conv->k, rows, columns, &sizes->out) ||
	    !multiply(conv, conv->n, rows, columns, 1, &positions) ||
	    !multiply(conv, positions, conv->c, conv->r, conv->s, &sizes->windows) ||
	    !multiply(conv, conv->n, conv->c, conv->h + 2 * conv->pad, conv->w + 2 * conv->pad, &padded))
		return bench_fail(error, BENCH_USAGE, "conv2d: the arrays of this shape are too large");
	return 0;
}

int bench_conv2d_winograd_can(const struct bench_conv2d *conv, struct bench_error *error)
{
	if (conv->r == 3 && conv->s == 3 && conv->stride == 1 && conv->dilation == 1 && conv->groups == 1)
		return 0;
	return bench_fail(error, BENCH_UNSUPPORTED,
			  "winograd is for kernels of 3x3 with stride=1, dilation=1 and groups=1");
}
