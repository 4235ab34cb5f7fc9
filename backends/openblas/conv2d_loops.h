/* SPDX-License-Identifier: MIT */
/*
 * The loops of backends/openblas/conv2d.c for one type of element: included once with
 * REAL=float, NAME(x)=x_f32 and once for double.
 */

/*
 * The windows of rows first..end-1 of the output, NCHW: a row for each channel and tap, a column for each
 * place. `in` starts at the group's first channel of the image.
 */
static void NAME(windows_nchw)(const struct bench_conv2d *conv, const REAL *in, size_t first, size_t end,
			       REAL *restrict out)
{
	size_t columns = bench_conv2d_extent(conv, conv->w, conv->s);
	for (size_t i = 0; i < bench_conv2d_length(conv); i++) {
		size_t c = i / (conv->r * conv->s), r = i / conv->s % conv->r, s = i % conv->s;
		struct range inside = range_inside(conv, conv->w, columns, s);
		size_t start = s * conv->dilation - conv->pad; /* wraps around left of the input */
		for (size_t y = first; y < end; y++, out += columns) {
			size_t row = y * conv->stride + r * conv->dilation - conv->pad;
			const REAL *restrict from = in + (c * conv->h + row) * conv->w;
			if (row >= conv->h) {
				memset(out, 0, columns * sizeof(REAL));
				continue;
			}
			memset(out, 0, inside.from * sizeof(REAL));
			if (conv->stride == 1)
				memcpy(out + inside.from, from + inside.from + start,
				       (inside.to - inside.from) * sizeof(REAL));
			else
				for (size_t x = inside.from; x < inside.to; x++)
					out[x] = from[x * conv->stride + start];
			memset(out + inside.to, 0, (columns - inside.to) * sizeof(REAL));
		}
	}
}

/* The same, NHWC: a row for each place, a column for each tap and channel. */
static void NAME(windows_nhwc)(const struct bench_conv2d *conv, const REAL *in, size_t first, size_t end,
			       REAL *restrict out)
{
	size_t columns = bench_conv2d_extent(conv, conv->w, conv->s), channels = conv->c / conv->groups;
	for (size_t i = first * columns; i < end * columns; i++)
		for (size_t tap = 0; tap < conv->r * conv->s; tap++, out += channels) {
			size_t row = i / columns * conv->stride + tap / conv->s * conv->dilation - conv->pad;
			size_t column =
				i % columns * conv->stride + tap % conv->s * conv->dilation - conv->pad;
			if (row < conv->h && column < conv->w)
				memcpy(out, in + (row * conv->w + column) * conv->c, channels * sizeof(REAL));
			else
				memset(out, 0, channels * sizeof(REAL));
		}
}
