/* SPDX-License-Identifier: MIT */
/*
 * The loops of backends/cpu/conv2d_direct.c for a group to each channel where channels are neighbors in
 * memory: lanes are channels, and nothing is copied. conv2d_tiles.h includes this, and says with which
 * macros.
 */

enum { NAME(NEAR) = 4 }; /* neighboring places that share a vector of weights */

/* `count` places from x on, all channels; `inside`: no tap is left or right of the input. */
ATTRIBUTES __attribute__((always_inline)) static inline void
NAME(places_depthwise)(const struct direct *direct, const REAL *in, REAL *out, size_t y, size_t x,
		       const size_t count, const bool inside)
{
	const struct bench_conv2d *conv = direct->conv;
	for (size_t next = 0; next < conv->c; next += LANES) {
		size_t channel = smaller(next, conv->c - LANES); /* the last ones move in */
		NAME(vector) sum[NAME(NEAR)] = {{0}};
		const REAL *weights = (const REAL *)conv->weights->data + channel;
		/* Above or left of the input wraps around, to beyond it. */
		size_t row = y * conv->stride - conv->pad;
		for (size_t r = 0; r < conv->r; r++, row += conv->dilation) {
			size_t column = x * conv->stride - conv->pad;
			if (row >= conv->h) {
				weights += conv->s * conv->c;
				continue;
			}
			for (size_t s = 0; s < conv->s; s++, column += conv->dilation, weights += conv->c) {
				if (!inside && column >= conv->w)
					continue;
				const REAL *from = in + (row * conv->w + column) * conv->c + channel;
#pragma GCC unroll 4
				for (size_t i = 0; i < count; i++)
					sum[i] += *(const NAME(vector) *)weights *
						  *(const NAME(vector) *)(from + i * conv->stride * conv->c);
			}
		}
#pragma GCC unroll 4
		for (size_t i = 0; i < count; i++)
			*(NAME(vector) *)(out + (x + i) * conv->c + channel) = sum[i];
	}
}

/* Row y of an image's output. */
ATTRIBUTES static void NAME(row_depthwise)(const struct direct *direct, size_t image, size_t y)
{
	const struct bench_conv2d *conv = direct->conv;
	const REAL *in = (const REAL *)conv->in->data + image * conv->h * conv->w * conv->c;
	REAL *out = (REAL *)conv->out->data + (image * direct->rows + y) * direct->columns * conv->c;
	size_t reach = (conv->s - 1) * conv->dilation;
	for (size_t x = 0; x < direct->columns;) {
		size_t last = x + NAME(NEAR) - 1;
		if (x * conv->stride >= conv->pad && last < direct->columns &&
		    last * conv->stride + reach - conv->pad < conv->w) {
			NAME(places_depthwise)(direct, in, out, y, x, NAME(NEAR), true);
			x += NAME(NEAR);
		} else {
			NAME(places_depthwise)(direct, in, out, y, x++, 1, false);
		}
	}
}
