/*
 * The loops of backends/openblas/conv2d.c for one type of element: included once with
 * REAL=float, NAME(x)=x_f32 and once for double.
 */

/* One row of an output channel, NCHW: a kernel's tap after the other, over the columns that it meets inside.
 */
static void NAME(direct_row)(const struct bench_conv2d *conv, const REAL *in, const REAL *weights, size_t y,
			     REAL *restrict out)
{
	size_t columns = bench_conv2d_extent(conv, conv->w, conv->s);
	for (size_t x = 0; x < columns; x++)
		out[x] = 0;
	for (size_t c = 0; c < conv->c / conv->groups; c++)
		for (size_t r = 0; r < conv->r; r++) {
			size_t row =
				y * conv->stride + r * conv->dilation - conv->pad; /* wraps around above */
			if (row >= conv->h)
				continue;
			for (size_t s = 0; s < conv->s; s++) {
				struct range inside = range_inside(conv, conv->w, columns, s);
				REAL weight = weights[(c * conv->r + r) * conv->s + s];
				const REAL *restrict from = in + (c * conv->h + row) * conv->w;
				size_t first = s * conv->dilation - conv->pad;
				if (conv->stride == 1)
					for (size_t x = inside.from; x < inside.to; x++)
						out[x] += weight * from[x + first];
				else
					for (size_t x = inside.from; x < inside.to; x++)
						out[x] += weight * from[x * conv->stride + first];
			}
		}
}

static void NAME(direct_nchw)(const struct bench_conv2d *conv, const REAL *in, const REAL *weights, REAL *out,
			      unsigned threads)
{
	size_t rows = bench_conv2d_extent(conv, conv->h, conv->r);
	size_t columns = bench_conv2d_extent(conv, conv->w, conv->s);
	size_t channels = conv->c / conv->groups, filters = conv->k / conv->groups;
#pragma omp parallel for num_threads(threads) if (threads > 1)
	for (size_t i = 0; i < conv->n * conv->k * rows; i++) {
		size_t image = i / (conv->k * rows), q = i / rows % conv->k, y = i % rows;
		NAME(direct_row)
		(conv, in + (image * conv->c + q / filters * channels) * conv->h * conv->w,
		 weights + q * bench_conv2d_length(conv), y, out + i * columns);
	}
}

/* One place of the output, NHWC: all channels, tap by tap. */
static void NAME(direct_place)(const struct bench_conv2d *conv, const REAL *in, const REAL *weights, size_t y,
			       size_t x, REAL *restrict out)
{
	size_t channels = conv->c / conv->groups, filters = conv->k / conv->groups;
	for (size_t q = 0; q < conv->k; q++)
		out[q] = 0;
	for (size_t tap = 0; tap < conv->r * conv->s; tap++) {
		size_t row = y * conv->stride + tap / conv->s * conv->dilation - conv->pad;
		size_t column = x * conv->stride + tap % conv->s * conv->dilation - conv->pad;
		if (row >= conv->h || column >= conv->w)
			continue;
		for (size_t c = 0; c < conv->c; c++) {
			REAL value = in[(row * conv->w + column) * conv->c + c];
			size_t first = c / channels * filters;
			const REAL *restrict weight =
				weights + (tap * channels + c % channels) * conv->k + first;
			for (size_t q = 0; q < filters; q++)
				out[first + q] += value * weight[q];
		}
	}
}

static void NAME(direct_nhwc)(const struct bench_conv2d *conv, const REAL *in, const REAL *weights, REAL *out,
			      unsigned threads)
{
	size_t rows = bench_conv2d_extent(conv, conv->h, conv->r);
	size_t columns = bench_conv2d_extent(conv, conv->w, conv->s);
#pragma omp parallel for num_threads(threads) if (threads > 1)
	for (size_t i = 0; i < conv->n * rows * columns; i++)
		NAME(direct_place)
	(conv, in + i / (rows * columns) * conv->h * conv->w * conv->c, weights, i / columns % rows,
	 i % columns, out + i * conv->k);
}

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
