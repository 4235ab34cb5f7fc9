/* SPDX-License-Identifier: MIT */
/*
 * The loops of backends/cpu/conv2d_direct.c that take filters for the lanes of a vector, for one type of
 * element and one width of vectors; conv2d_tiles.h includes this, and says with which macros. Beside those:
 * MP places and NF vectors of filters of a tile.
 *
 * An element of the input is multiplied by a vector of neighboring filters, so that any place of the output
 * may stand beside any other in a tile, and no lane is idle where rows are no multiple of a vector. The
 * weights are read step by step, a panel of up to NF vectors; in nhwc they may be stored like this, else a
 * copy is. Steps are in the order in which they lie: channel, row, column in nchw; row, column, channel in
 * nhwc. Those that follow each other in the input as well are one run.
 */

/* The lines that rows y.. of the output are computed from, with the channels of one group and zeros around.
 */
ATTRIBUTES static void NAME(pad_places)(const struct direct *direct, void *padded, size_t image, size_t group,
					size_t y)
{
	const struct bench_conv2d *conv = direct->conv;
	size_t channels = direct->channels, margin = conv->pad * channels;
	if (conv->layout == BENCH_CONV2D_NCHW) {
		NAME(pad)(direct, padded, image, group, y);
		return;
	}
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

/* LANES rows of LANES elements become columns: each round joins the halves of all rows. */
ATTRIBUTES static inline void NAME(turn_block)(const REAL *from, size_t from_step, REAL *to, size_t to_step)
{
	NAME(vector) rows[LANES], next[LANES];
#pragma GCC unroll 16
	for (size_t i = 0; i < LANES; i++)
		rows[i] = *(const NAME(vector) *)(from + i * from_step);
#pragma GCC unroll 4
	for (size_t left = LANES; left > 1; left /= 2) {
#pragma GCC unroll 8
		for (size_t i = 0; i < LANES / 2; i++) {
			next[2 * i] =
				__builtin_shufflevector(rows[i], rows[i + LANES / 2], JOIN(LOW_, LANES));
			next[2 * i + 1] =
				__builtin_shufflevector(rows[i], rows[i + LANES / 2], JOIN(HIGH_, LANES));
		}
#pragma GCC unroll 16
		for (size_t i = 0; i < LANES; i++)
			rows[i] = next[i];
	}
#pragma GCC unroll 16
	for (size_t i = 0; i < LANES; i++)
		*(NAME(vector) *)(to + i * to_step) = rows[i];
}

/* to[j][i] = from[i][j]; the last blocks move in so that they are whole. */
ATTRIBUTES static void NAME(turn)(const REAL *from, size_t from_step, size_t rows, size_t columns, REAL *to,
				  size_t to_step)
{
	bool whole = rows >= LANES && columns >= LANES;
	for (size_t i = 0; whole && i < rows; i += LANES)
		for (size_t j = 0; j < columns; j += LANES) {
			size_t y = smaller(i, rows - LANES), x = smaller(j, columns - LANES);
			NAME(turn_block)(from + y * from_step + x, from_step, to + x * to_step + y, to_step);
		}
	for (size_t i = 0; !whole && i < rows; i++)
		for (size_t j = 0; j < columns; j++)
			to[j * to_step + i] = from[i * from_step + j];
}

/* The first filter of a group's vector; the last one moves in so that it is whole. */
static size_t NAME(filter_of)(const struct direct *direct, size_t vector)
{
	return smaller(vector * LANES, direct->filters - LANES);
}

/* The weights of number `vector` of all groups' vectors, to its place in its panel. */
ATTRIBUTES static void NAME(pack)(const struct direct *direct, void *packed, size_t vector)
{
	const struct bench_conv2d *conv = direct->conv;
	size_t group = vector / direct->vectors, own = vector % direct->vectors;
	size_t panel = panel_of(direct, own), first = first_of(direct, panel);
	size_t width = (first_of(direct, panel + 1) - first) * LANES;
	size_t q = group * direct->filters + NAME(filter_of)(direct, own);
	const REAL *weights = conv->weights->data;
	REAL *to = (REAL *)packed + (group * direct->vectors + first) * LANES * direct->steps +
		   (own - first) * LANES;
	if (conv->layout == BENCH_CONV2D_NCHW) {
		NAME(turn)(weights + q * direct->steps, direct->steps, LANES, direct->steps, to, width);
		return;
	}
	for (size_t step = 0; step < direct->steps; step++)
		*(NAME(vector) *)(to + step * width) = *(const NAME(vector) *)(weights + step * conv->k + q);
}

/* A tile: MP of the band's places from number `place` on, `nf` vectors of filters, a chunk of runs from
 * `start` on. */
ATTRIBUTES __attribute__((always_inline)) static inline void
NAME(places)(const struct direct *direct, const REAL *padded, const REAL *weights, size_t step, size_t start,
	     const struct sums *out, size_t place, size_t places, const size_t nf)
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
		at[p] = padded + y * conv->stride * direct->pitch + x * direct->next;
		to[p] = (REAL *)out->first + own * out->step;
#pragma GCC unroll 4
		for (size_t v = 0; v < nf; v++)
			sum[p][v] = start ? *(const NAME(vector) *)(to[p] + out->at[v]) : (NAME(vector)){0};
	}
	for (size_t run = start; run < direct->runs && run < start + direct->chunk; run++) {
		size_t offset = direct->offsets[run];
		for (size_t i = 0; i < direct->run; i++, weights += step) {
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
			*(NAME(vector) *)(to[p] + out->at[v]) = sum[p][v];
}

/* All filters of a group, for `rows` rows of an image's output from y on. In nchw the sums of a panel wait in
 * `waiting`, to be turned there, with places as neighbors. */
ATTRIBUTES static void NAME(sum_places)(const struct direct *direct, const void *padded, void *waiting,
					size_t image, size_t group, size_t y, size_t rows, size_t part)
{
	const struct bench_conv2d *conv = direct->conv;
	bool nhwc = conv->layout == BENCH_CONV2D_NHWC;
	size_t places = rows * direct->columns, area = direct->rows * direct->columns;
	const REAL *from = direct->in_place ? (const REAL *)conv->in->data +
						      (image * conv->h + y * conv->stride) * direct->pitch
					    : padded;
	REAL *out = (REAL *)conv->out->data + image * area * conv->k;
	out += nhwc ? y * direct->columns * conv->k + group * direct->filters
		    : group * direct->filters * area + y * direct->columns;
	for (size_t panel = part * direct->panels / direct->parts;
	     panel < (part + 1) * direct->panels / direct->parts; panel++) {
		size_t first = first_of(direct, panel), vectors = first_of(direct, panel + 1) - first;
		size_t before = group * direct->vectors + first,
		       step = direct->packed ? vectors * LANES : conv->k;
		const REAL *weights = direct->packed
					      ? (const REAL *)direct->packed + before * LANES * direct->steps
					      : (const REAL *)conv->weights->data + before * LANES;
		struct sums to = {.first = nhwc ? out : waiting, .step = nhwc ? conv->k : vectors * LANES};
		for (size_t v = 0; v < vectors; v++)
			to.at[v] = nhwc ? NAME(filter_of)(direct, first + v) : v * LANES;
		for (size_t run = 0; run < direct->runs;
		     run += direct->chunk, weights += direct->chunk * direct->run * step)
			for (size_t place = 0; place < places; place += MP) {
				if (vectors == 1)
					NAME(places)(direct, from, weights, step, run, &to, place, places, 1);
				else if (vectors == 2)
					NAME(places)(direct, from, weights, step, run, &to, place, places, 2);
				else if (NF > 2 && vectors == 3)
					NAME(places)(direct, from, weights, step, run, &to, place, places, 3);
				else if (NF > 3)
					NAME(places)(direct, from, weights, step, run, &to, place, places, 4);
			}
		for (size_t v = 0; v < vectors && !nhwc; v++) {
			REAL *plane = out + NAME(filter_of)(direct, first + v) * area;
			const REAL *sums = (const REAL *)waiting + v * LANES;
			NAME(turn)(sums, to.step, places, LANES, plane, area);
		}
	}
}
