/* SPDX-License-Identifier: MIT */
/*
 * The loops of backends/cpu/conv2d_direct.c for one type of element and one width of vectors: included
 * once for each, with REAL (float), LANES of a vector, MR filters of a tile, NAME(x) (x_f32_avx2), and
 * ATTRIBUTES, which let the compiler use such vectors. These take neighbors of a row for the lanes of a
 * vector; conv2d_places.h takes filters.
 */

typedef REAL NAME(vector)
	__attribute__((vector_size(LANES * sizeof(REAL)), aligned(sizeof(REAL)), may_alias));

/* What rows y.. of the output are computed from, of one group of an image. */
ATTRIBUTES static void NAME(pad)(const struct direct *direct, void *padded, size_t image, size_t group,
				 size_t y)
{
	const struct bench_conv2d *conv = direct->conv;
	bool nhwc = conv->layout == BENCH_CONV2D_NHWC;
	size_t phases = direct->phases, step = nhwc ? conv->c : 1;
	REAL *restrict to = padded;
	for (size_t plane = 0; plane < direct->channels * phases * phases; plane++) {
		size_t channel = group * direct->channels + plane / phases / phases;
		/* Above or left of the input wraps around, to beyond it. */
		size_t row = y * conv->stride + plane / phases % phases - conv->pad;
		size_t start = plane % phases - conv->pad;
		const REAL *image_in = (const REAL *)conv->in->data + image * conv->c * conv->h * conv->w;
		for (size_t line = 0; line < direct->lines; line++, row += phases, to += direct->pitch) {
			if (row >= conv->h) {
				memset(to, 0, direct->pitch * sizeof(REAL));
				continue;
			}
			const REAL *restrict from = image_in + (nhwc ? row * conv->w * conv->c + channel
								     : (channel * conv->h + row) * conv->w);
			if (phases == 1 && step == 1) {
				for (size_t j = 0; j < conv->pad; j++)
					to[j] = to[conv->pad + conv->w + j] = 0;
				memcpy(to + conv->pad, from, conv->w * sizeof(REAL));
				continue;
			}
			for (size_t j = 0; j < direct->pitch; j++) {
				size_t column = j * phases + start;
				to[j] = column < conv->w ? from[column * step] : 0;
			}
		}
	}
}

#include "backends/cpu/conv2d_depthwise.h"
#include "backends/cpu/conv2d_places.h"

/* A tile: `mr` filters from weights on, NV of the band's vectors from number v on. */
ATTRIBUTES __attribute__((always_inline)) static inline void
NAME(tile)(const struct direct *direct, const REAL *padded, const REAL *weights, REAL *out, size_t v,
	   size_t vectors, const size_t mr)
{
	size_t across = (direct->columns + LANES - 1) / LANES;
	const char *at[NV];
	size_t to[NV];
	NAME(vector) sum[MR][NV];
	for (size_t j = 0; j < NV; j++) {
		/* Past the last vector comes that one again, with the same bits. */
		size_t own = v + j < vectors ? v + j : vectors - 1;
		size_t y = own / across, x = own % across * LANES;
		/* A row's last vector moves in so that it is whole; a row that is shorter is read past its
		 * end. */
		if (x + LANES > direct->columns)
			x = direct->columns > LANES ? direct->columns - LANES : 0;
		at[j] = (const char *)(padded + y * direct->pitch + x);
		to[j] = (y * direct->columns + x) * direct->place_step;
	}
#pragma GCC unroll 8
	for (size_t i = 0; i < mr; i++)
#pragma GCC unroll 3
		for (size_t j = 0; j < NV; j++)
			sum[i][j] = (NAME(vector)){0};
	for (size_t channel = 0; channel < direct->channels; channel++) {
		const REAL *weight = weights + channel * direct->channel_step;
		for (size_t tap = 0; tap < direct->taps; tap++, weight += direct->tap_step) {
			size_t offset = direct->offsets[tap];
			NAME(vector) b[NV];
#pragma GCC unroll 3
			for (size_t j = 0; j < NV; j++)
				b[j] = *(const NAME(vector) *)(at[j] + offset);
#pragma GCC unroll 8
			for (size_t i = 0; i < mr; i++) {
				REAL a = weight[i * direct->filter_step];
#pragma GCC unroll 3
				for (size_t j = 0; j < NV; j++)
					sum[i][j] += a * b[j];
			}
		}
#pragma GCC unroll 3
		for (size_t j = 0; j < NV; j++)
			at[j] += direct->plane * sizeof(REAL);
	}
	size_t lanes = direct->columns < LANES ? direct->columns : LANES;
#pragma GCC unroll 8
	for (size_t i = 0; i < mr; i++)
#pragma GCC unroll 3
		for (size_t j = 0; j < NV; j++) {
			REAL *place = out + i * direct->out_step + to[j];
			if (direct->place_step == 1 && lanes == LANES) {
				*(NAME(vector) *)place = sum[i][j];
				continue;
			}
			union {
				NAME(vector) whole;
				REAL element[LANES];
			} line = {.whole = sum[i][j]};
			for (size_t lane = 0; lane < lanes; lane++)
				place[lane * direct->place_step] = line.element[lane];
		}
}

/* All filters of a group, for `rows` rows of an image's output from y on. */
ATTRIBUTES static void NAME(sum)(const struct direct *direct, const void *padded, void *waiting, size_t image,
				 size_t group, size_t y, size_t rows, size_t part)
{
	const struct bench_conv2d *conv = direct->conv;
	(void)waiting, (void)part;
	size_t mr = direct->filters < MR ? 1 : MR;
	size_t vectors = rows * ((direct->columns + LANES - 1) / LANES);
	for (size_t next = 0; next < direct->filters; next += mr) {
		/* The last filters move in so that they are MR. */
		size_t filter = next + mr > direct->filters ? direct->filters - mr : next;
		size_t q = group * direct->filters + filter;
		const REAL *weights = (const REAL *)conv->weights->data + q * direct->filter_step;
		REAL *out = (REAL *)conv->out->data + image * conv->k * direct->rows * direct->columns +
			    q * direct->out_step + y * direct->columns * direct->place_step;
		for (size_t v = 0; v < vectors; v += NV) {
			if (mr == MR)
				NAME(tile)(direct, padded, weights, out, v, vectors, MR);
			else
				NAME(tile)(direct, padded, weights, out, v, vectors, 1);
		}
	}
}

static const struct loops NAME(loops) = {.tiles = {NAME(pad), NAME(sum)},
					 .places = {NAME(pad_places), NAME(sum_places)},
					 .pack = NAME(pack),
					 .depthwise = NAME(rows_depthwise),
					 .lanes = LANES,
					 .widest = NF};
