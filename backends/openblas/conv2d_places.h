/*
 * The loops of backends/openblas/conv2d_direct.c where channels are neighbours in memory, for one type of
 * element and one width of vectors; conv2d_tiles.h includes this, and says with which macros. Beside those:
 * MP places and NF vectors of filters of a tile.
 *
 * A vector is of neighbouring filters, and an element of the input is multiplied by all of them: input,
 * weights and output are read and written as they lie. The taps of a row with all their channels follow each
 * other, in the input and in the weights alike, and are one run.
 */

/* The lines that rows y.. of the output are computed from, with the channels of one group and zeros around.
 */
ATTRIBUTES static void NAME(pad_places)(const struct direct *direct, void *padded, size_t image, size_t group,
					size_t y)
{
	const struct bench_conv2d *conv = direct->conv;
	size_t channels = direct->channels, margin = conv->pad * channels;
	if (direct->in_place)
		return;
	for (size_t line = 0; line < direct->lines; line++) {
		/* Above the input wraps around, to beyond it. */
		size_t row = y * conv->stride + line - conv->pad;
		REAL *restrict to = (REAL *)padded + line * direct->pitch;
		if (row >= conv->h) {
			memset(to, 0, direct->pitch * sizeof(REAL));
			continue;
		}
		const REAL *restrict from = (const REAL *)conv->in->data +
					    (image * conv->h + row) * conv->w * conv->c + group * channels;
		memset(to, 0, margin * sizeof(REAL));
		if (conv->groups == 1)
			memcpy(to + margin, from, conv->w * channels * sizeof(REAL));
		for (size_t x = 0; conv->groups > 1 && x < conv->w; x++)
			memcpy(to + margin + x * channels, from + x * conv->c, channels * sizeof(REAL));
		memset(to + margin + conv->w * channels, 0, margin * sizeof(REAL));
	}
}

/* A tile: MP of the band's places from number `place` on, `nf` vectors of filters from weights on. */
ATTRIBUTES __attribute__((always_inline)) static inline void
NAME(places)(const struct direct *direct, const REAL *padded, const REAL *weights, REAL *out, size_t place,
	     size_t places, const size_t nf)
{
	const struct bench_conv2d *conv = direct->conv;
	const REAL *at[MP];
	REAL *to[MP];
	NAME(vector) sum[MP][NF];
#pragma GCC unroll 8
	for (size_t p = 0; p < MP; p++) {
		/* Past the last place comes that one again, with the same bits. */
		size_t own = place + p < places ? place + p : places - 1;
		size_t y = own / direct->columns, x = own % direct->columns;
		at[p] = padded + y * conv->stride * direct->pitch + x * conv->stride * direct->channels;
		to[p] = out + own * conv->k;
#pragma GCC unroll 4
		for (size_t v = 0; v < nf; v++)
			sum[p][v] = (NAME(vector)){0};
	}
	for (size_t run = 0; run < direct->runs; run++) {
		size_t offset = direct->offsets[run];
		for (size_t i = 0; i < direct->run; i++, weights += conv->k) {
			NAME(vector) b[NF];
#pragma GCC unroll 4
			for (size_t v = 0; v < nf; v++)
				b[v] = ((const NAME(vector) *)weights)[v];
#pragma GCC unroll 8
			for (size_t p = 0; p < MP; p++) {
				REAL a = at[p][offset + i];
#pragma GCC unroll 4
				for (size_t v = 0; v < nf; v++)
					sum[p][v] += a * b[v];
			}
		}
	}
#pragma GCC unroll 8
	for (size_t p = 0; p < MP; p++)
#pragma GCC unroll 4
		for (size_t v = 0; v < nf; v++)
			((NAME(vector) *)to[p])[v] = sum[p][v];
}

/* All filters of a group, for `rows` rows of an image's output from y on. */
ATTRIBUTES static void NAME(sum_places)(const struct direct *direct, const void *padded, size_t image,
					size_t group, size_t y, size_t rows)
{
	const struct bench_conv2d *conv = direct->conv;
	enum { LANES = BYTES / sizeof(REAL) };
	size_t places = rows * direct->columns, vectors;
	const REAL *from = direct->in_place ? (const REAL *)conv->in->data +
						      (image * conv->h + y * conv->stride) * direct->pitch
					    : padded;
	for (size_t next = 0; next < direct->filters; next += vectors * LANES) {
		size_t left = direct->filters - next, filter = next;
		vectors = left / LANES < NF ? left / LANES : NF;
		/* The last filters move in so that they are a vector. */
		if (vectors == 0) {
			vectors = 1;
			filter = direct->filters - LANES;
		}
		size_t q = group * direct->filters + filter;
		const REAL *weights = (const REAL *)conv->weights->data + q;
		REAL *out =
			(REAL *)conv->out->data + (image * direct->rows + y) * direct->columns * conv->k + q;
		for (size_t place = 0; place < places; place += MP) {
			if (vectors == 1)
				NAME(places)(direct, from, weights, out, place, places, 1);
			else if (vectors == 2)
				NAME(places)(direct, from, weights, out, place, places, 2);
			else if (NF > 2 && vectors == 3)
				NAME(places)(direct, from, weights, out, place, places, 3);
			else if (NF > 3)
				NAME(places)(direct, from, weights, out, place, places, 4);
		}
	}
}
