/* SPDX-License-Identifier: MIT */
/*
 * The loops of backends/cpu/conv2d_direct.c for a group to each channel where channels are neighbors in
 * memory: lanes are channels, and nothing is copied. conv2d_tiles.h includes this, and says with which
 * macros.
 */

enum { NAME(NEAR) = 4 }; /* neighboring places that share vectors of weights */

/* `count` places from `out` on, of a vector of channels or several. Their taps begin at `row` and `column` of
 * the input: above or left of it wraps around, to beyond it. `inside`: no tap is left or right of it. */
ATTRIBUTES __attribute__((always_inline)) static inline void
NAME(places_depthwise)(const struct bench_conv2d *conv, const REAL *in, const REAL *weights, REAL *out,
		       size_t row, size_t column, const size_t count, const size_t vectors, const bool inside)
{
	NAME(vector) sum[NAME(NEAR)][3] = {{{0}}};
	for (size_t r = 0; r < conv->r; r++, row += conv->dilation) {
		if (row >= conv->h) {
			weights += conv->s * conv->c;
			continue;
		}
		size_t x = column;
		for (size_t s = 0; s < conv->s; s++, x += conv->dilation, weights += conv->c) {
			const NAME(vector) *b = (const NAME(vector) *)weights;
#pragma GCC unroll 4
			for (size_t i = 0; i < count; i++) {
				size_t own = x + i * conv->stride;
				if (!inside && own >= conv->w)
					continue;
				const REAL *from = in + (row * conv->w + own) * conv->c;
#pragma GCC unroll 3
				for (size_t v = 0; v < vectors; v++)
					sum[i][v] += b[v] * ((const NAME(vector) *)from)[v];
			}
		}
	}
#pragma GCC unroll 4
	for (size_t i = 0; i < count; i++)
#pragma GCC unroll 3
		for (size_t v = 0; v < vectors; v++)
			((NAME(vector) *)(out + i * conv->c))[v] = sum[i][v];
}

/* `rows` rows of an image's output from y on; what they share of the input stays in a cache. The last
 * channels move in so that they are whole, and the last places. */
ATTRIBUTES __attribute__((always_inline)) static inline void
NAME(band_depthwise)(const struct direct *direct, size_t image, size_t y, size_t rows, const size_t vectors)
{
	const struct bench_conv2d *conv = direct->conv;
	size_t near = direct->columns < NAME(NEAR) ? 1 : NAME(NEAR);
	size_t reach = (near - 1) * conv->stride + (conv->s - 1) * conv->dilation;
	for (size_t next = 0; next < conv->c; next += vectors * LANES)
		for (size_t place = 0; place < direct->columns; place += near)
			for (size_t i = y; i < y + rows; i++) {
				size_t x = smaller(place, direct->columns - near);
				size_t channel = smaller(next, conv->c - vectors * LANES);
				size_t row = i * conv->stride - conv->pad;
				size_t column = x * conv->stride - conv->pad;
				const REAL *weights = (const REAL *)conv->weights->data + channel;
				const REAL *in = (const REAL *)conv->in->data +
						 image * conv->h * conv->w * conv->c + channel;
				REAL *out = (REAL *)conv->out->data + channel +
					    ((image * direct->rows + i) * direct->columns + x) * conv->c;
				if (near == 1)
					NAME(places_depthwise)
				(conv, in, weights, out, row, column, 1, vectors, false);
				else if (x * conv->stride < conv->pad || column + reach >= conv->w)
					NAME(places_depthwise)(conv, in, weights, out, row, column,
							       NAME(NEAR), vectors, false);
				else NAME(places_depthwise)(conv, in, weights, out, row, column, NAME(NEAR),
							    vectors, true);
			}
}

ATTRIBUTES static void NAME(rows_depthwise)(const struct direct *direct, size_t image, size_t y, size_t rows)
{
	if (direct->vectors == 1)
		NAME(band_depthwise)(direct, image, y, rows, 1);
	else if (direct->vectors == 2)
		NAME(band_depthwise)(direct, image, y, rows, 2);
	else
		NAME(band_depthwise)(direct, image, y, rows, 3);
}
