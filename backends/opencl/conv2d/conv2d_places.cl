/* SPDX-License-Identifier: MIT */
/*
 * Convolution for CPU devices with filters for the lanes of a vector, by the scheme of backends/cpu/conv2d_places.h: a tile
 * of MP places by up to NF vectors of filters is summed in registers, an element of the input times a vector of filters. So any
 * place of the output may stand beside any other in a tile, and no lane is idle where rows are no multiple of a vector.
 *
 * The weights are read step by step, a panel of up to NF vectors. With NHWC they may be stored like this; else
 * conv2d_pack copies them. Steps are in the order in which they lie: channel, row, column; with NHWC row,
 * column, channel.
 *
 * A work-item computes a band of rows of an image (dimensions 0 and 1), of one group or some of its filters
 * (2). First it copies its input, with zeros around it, to local memory, which is its thread's and stays in its
 * cache.
 */
#include "real.cl"
#ifndef LANES
#define LANES 16
#endif
#ifndef MP /* places of a tile */
#define MP 6
#endif
#ifndef NF /* vectors of filters of a tile, at most: 2 or 4 */
#define NF 4
#endif
#include "conv2d_shape.cl"
#include "buffer.cl"
#include "gemm_vectors.cl"

#define CHUNK_BYTES 393216 /* of weights */

#define UNROLL _Pragma("unroll") for

typedef VECTOR unaligned_own __attribute__((aligned(sizeof(REAL))));

/* LANES rows of LANES elements become columns: each round joins the halves of all rows. */
#define DEFINE_TURN(name, FROM, TO)                                                                             \
	static inline void name##_block(FROM const REAL *from, ulong from_step, TO REAL *to, ulong to_step)     \
	{                                                                                                       \
		VECTOR v[LANES];                                                                                \
		UNROLL (uint i = 0; i < LANES; i++)                                                             \
			v[i] = *(FROM const unaligned_own *)(from + i * from_step);                             \
		UNROLL (uint left = LANES; left > 1; left /= 2) {                                               \
			VECTOR mixed[LANES];                                                                    \
			UNROLL (uint i = 0; i < LANES / 2; i++) {                                               \
				mixed[2 * i].even = v[i].lo;                                                    \
				mixed[2 * i].odd = v[i + LANES / 2].lo;                                         \
				mixed[2 * i + 1].even = v[i].hi;                                                \
				mixed[2 * i + 1].odd = v[i + LANES / 2].hi;                                     \
			}                                                                                       \
			UNROLL (uint i = 0; i < LANES; i++)                                                     \
				v[i] = mixed[i];                                                                \
		}                                                                                               \
		UNROLL (uint i = 0; i < LANES; i++)                                                             \
			*(TO unaligned_own *)(to + i * to_step) = v[i];                                         \
	}                                                                                                       \
	/* to[j][i] = from[i][j]; the last blocks move in so that they are whole. */                            \
	static inline void name(FROM const REAL *from, ulong from_step, uint rows, uint columns, TO REAL *to,   \
				ulong to_step)                                                                  \
	{                                                                                                       \
		if (rows < LANES || columns < LANES) {                                                          \
			for (uint i = 0; i < rows; i++)                                                         \
				for (uint j = 0; j < columns; j++)                                              \
					to[j * to_step + i] = from[i * from_step + j];                          \
			return;                                                                                 \
		}                                                                                               \
		for (uint i = 0; i < rows; i += LANES)                                                          \
			for (uint j = 0; j < columns; j += LANES) {                                             \
				const uint y = min(i, rows - LANES), x = min(j, columns - LANES);               \
				name##_block(from + y * from_step + x, from_step, to + x * to_step + y, to_step); \
			}                                                                                       \
	}
DEFINE_TURN(turn_weights, __global, __global)
DEFINE_TURN(turn_sums, __local, __global)

/*
 * A group's `filters` are vectors, the last of which moves in so that it is whole. They form panels of up to NF
 * vectors, which differ by one at most.
 */
#define VECTORS(filters) (((filters) + LANES - 1) / LANES)
#define PANELS(filters) ((VECTORS(filters) + NF - 1) / NF)

static inline uint first_of(uint panel, uint filters)
{
	return panel * VECTORS(filters) / PANELS(filters);
}

static inline uint filter_of(uint vector, uint filters)
{
	return min(vector * LANES, filters - LANES);
}

/* packed[group][panel][step][filter]; a work-item takes a vector of a group (dimensions 0, from `begin` on, and 1); some find none. */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
conv2d_pack(TAKES(const REAL *restrict, weights), TAKES(REAL *restrict, packed), uint filters, uint steps, uint begin)
{
	OPEN(const REAL *restrict, weights);
	OPEN(REAL *restrict, packed);
	const uint own = begin + get_global_id(0), group = get_global_id(1);
	if (own >= VECTORS(filters))
		return;
	const uint panel = ((own + 1) * PANELS(filters) - 1) / VECTORS(filters), first = first_of(panel, filters);
	const uint width = (first_of(panel + 1, filters) - first) * LANES;
	const ulong q = (ulong)group * filters + filter_of(own, filters), k = (ulong)get_global_size(1) * filters;
	packed += ((ulong)group * VECTORS(filters) + first) * LANES * steps + (own - first) * LANES;
#if NHWC
	for (uint step = 0; step < steps; step++)
		KEEP(FETCH(0, weights + step * k + q), 0, packed + (ulong)step * width);
#else
	turn_weights(weights + q * steps, steps, LANES, steps, packed, width);
#endif
}

#if NHWC
#define OUTPUT __global
#else /* sums wait beside the copy, to be turned */
#define OUTPUT __local
#endif

/* What all tiles of a panel have in common. */
struct band {
	uint line, next;                      /* elements from a row's input to the next's, from a place's to the next's */
	uint columns, places;                 /* of the output: of a row, of the band */
	uint planes, rows, taps, run;         /* runs: planes of rows of them, runs in a row, and elements of one */
	uint plane_step, row_step, tap_step;  /* their distances */
	ulong step;                           /* from a step's weights to the next's */
	ulong apart;                          /* from a place's sums to the next's */
	uint at[NF];                          /* of each vector of filters, there */
};

/*
 * DEFINE_TILE(vectors): MP places from number `place` on, that many vectors of filters, planes `plane` to `end`. Past the last place comes that one again,
 * with the same bits.
 */
#define DEFINE_TILE(vectors)                                                                                    \
	static inline void tile_##vectors(const struct band *band, __local const REAL *input,                     \
					  __global const REAL *weights, OUTPUT REAL *out, uint place, uint plane,  \
					  uint end)                                                             \
	{                                                                                                       \
		uint at[MP];                                                                                    \
		VECTOR sum[MP][vectors];                                                                        \
		UNROLL (uint p = 0; p < MP; p++) {                                                              \
			const uint own = min(place + p, band->places - 1), y = own / band->columns;             \
			at[p] = y * band->line + (own - y * band->columns) * band->next;                        \
			UNROLL (uint v = 0; v < vectors; v++)                                                   \
				sum[p][v] = plane ? *(OUTPUT const unaligned_own *)(out + own * band->apart + band->at[v]) : 0; \
		}                                                                                               \
		input += plane * band->plane_step;                                                              \
		for (; plane < end; plane++, input += band->plane_step)                                         \
			for (uint row = 0; row < band->rows; row++)                                             \
				for (uint tap = 0; tap < band->taps; tap++) {                                   \
					__local const REAL *from =                                                \
						input + row * band->row_step + tap * band->tap_step;            \
					for (uint i = 0; i < band->run; i++, from++, weights += band->step) {   \
						VECTOR b[vectors];                                              \
						UNROLL (uint v = 0; v < vectors; v++)                           \
							b[v] = FETCH(v, weights);                               \
						UNROLL (uint p = 0; p < MP; p++) {                              \
							const VECTOR a = from[at[p]];                           \
							UNROLL (uint v = 0; v < vectors; v++)                   \
								sum[p][v] += a * b[v];                          \
						}                                                               \
					}                                                                       \
				}                                                                               \
		UNROLL (uint p = 0; p < MP; p++) {                                                              \
			OUTPUT REAL *to = out + min(place + p, band->places - 1) * band->apart;                 \
			UNROLL (uint v = 0; v < vectors; v++)                                                   \
				*(OUTPUT unaligned_own *)(to + band->at[v]) = sum[p][v];                        \
		}                                                                                               \
	}
DEFINE_TILE(1)
DEFINE_TILE(2)
#if NF > 2
DEFINE_TILE(3)
DEFINE_TILE(4)
#endif

static inline void clear(__local REAL *to, uint count)
{
	for (uint i = 0; i < count; i++)
		to[i] = 0;
}

/* `lines` lines from `first` on, of `channels` of all channels, with `pad` zeros on either side. */
static inline void copy_lines(__global const REAL *restrict in, __local REAL *restrict to, uint lines, int first, uint h,
			      uint w, uint all_channels, uint channels, uint pad)
{
#if NHWC
	const uint margin = pad * channels, inside = w * channels, planes = 1;
#else
	const uint margin = pad, inside = w, planes = channels;
#endif
	for (uint plane = 0; plane < planes; plane++, in += h * w)
		for (uint line = 0; line < lines; line++, to += 2 * margin + inside) {
			const int row = first + (int)line;
			if (row < 0 || row >= (int)h) {
				clear(to, 2 * margin + inside);
				continue;
			}
			clear(to, margin);
			clear(to + margin + inside, margin);
#if NHWC
			__global const REAL *from = in + (ulong)row * w * all_channels;
			if (channels != all_channels) {
				for (uint x = 0; x < w; x++, from += all_channels)
					for (uint i = 0; i < channels; i++)
						to[margin + x * channels + i] = from[i];
				continue;
			}
#else
			__global const REAL *from = in + (ulong)row * w;
#endif
			for (uint i = 0; i < inside; i++)
				to[margin + i] = from[i];
		}
}

/*
 * What a call is about, as struct problem of places.c. weights: packed, or with NHWC and `packed` 0 as
 * they lie, where the filters of a group are whole vectors. parts: that the panels of a group are divided into.
 * Band i of `bands` has the rows from i * rows / bands on. The launch covers bands and images from `band` and
 * `image` on, and some beyond the last. The addresses are used with ADDRESSES alone.
 */
struct problem {
	ulong in_address, weights_address, out_address;
	uint copy, packed, parts, h, w, c, k, r, s, stride, pad, dilation, rows, columns;
	uint bands, images, band, image;
};

/* own: `copy` elements for the copy, and without NHWC NF vectors for each place of a band. */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
conv2d_places(const struct problem p, __local REAL *own
#if !ADDRESSES
	      ,
	      __global const REAL *restrict in, __global const REAL *restrict weights, __global REAL *restrict out
#endif
)
{
#if ADDRESSES
	__global const REAL *restrict in = (__global const REAL *)p.in_address;
	__global const REAL *restrict weights = (__global const REAL *)p.weights_address;
	__global REAL *restrict out = (__global REAL *)p.out_address;
#endif
	const uint copy = p.copy, packed = p.packed, parts = p.parts, h = p.h, w = p.w, c = p.c, k = p.k, r = p.r, s = p.s;
	const uint stride = p.stride, pad = p.pad, dilation = p.dilation, rows = p.rows, columns = p.columns;
	const ulong own_band = p.band + get_global_id(0);
	if (own_band >= p.bands || p.image + get_global_id(1) >= p.images)
		return;
	const uint image = p.image + get_global_id(1), groups = get_global_size(2) / parts;
	const uint part = get_global_id(2) / groups, group = get_global_id(2) % groups;
	const uint channels = c / groups, filters = k / groups;
	const uint y = (uint)(own_band * rows / p.bands), count = (uint)((own_band + 1) * rows / p.bands) - y;
	const uint lines = (count - 1) * stride + (r - 1) * dilation + 1, of_row = dilation == 1 ? 1 : s;
	const ulong area = (ulong)rows * columns, steps = (ulong)channels * r * s;
	struct band band = {.columns = columns, .places = count * columns, .taps = of_row};
#if NHWC
	const uint pitch = (w + 2 * pad) * channels, next = channels;
	band.planes = r, band.rows = 1;
	band.plane_step = dilation * pitch;
	in += (ulong)image * h * w * c + group * channels;
	out += ((ulong)image * area + (ulong)y * columns) * k + group * filters;
#else
	const uint pitch = w + 2 * pad, next = 1;
	band.planes = channels, band.rows = r;
	band.plane_step = lines * pitch;
	in += ((ulong)image * c + group * channels) * h * w;
	out += ((ulong)image * k + group * filters) * area + (ulong)y * columns;
#endif
	band.line = stride * pitch;
	band.next = stride * next;
	band.row_step = dilation * pitch;
	band.tap_step = dilation * next;
	band.run = s / of_row * next;
	copy_lines(in, own, lines, (int)(y * stride) - (int)pad, h, w, c, channels, pad);
	for (uint panel = part * PANELS(filters) / parts; panel < (part + 1) * PANELS(filters) / parts; panel++) {
		const uint first = first_of(panel, filters), vectors = first_of(panel + 1, filters) - first;
		__global const REAL *from = weights + group * filters + first * LANES;
		band.step = k;
		if (packed) {
			from = weights + ((ulong)group * VECTORS(filters) + first) * LANES * steps;
			band.step = vectors * LANES;
		}
#if NHWC
		__global REAL *sums = out;
		band.apart = k;
#else
		__local REAL *sums = own + copy;
		band.apart = vectors * LANES;
#endif
		for (uint v = 0; v < vectors; v++)
			band.at[v] = NHWC ? filter_of(first + v, filters) : v * LANES;
		/* All tiles pass through some of the weights, which stay in a cache, before any goes on. */
		const uint plane_steps = band.rows * band.taps * band.run;
		const uint some = max((uint)(CHUNK_BYTES / sizeof(VECTOR)) / (vectors * plane_steps), 1u);
		for (uint plane = 0; plane < band.planes; plane += some, from += band.step * some * plane_steps)
			for (uint place = 0; place < band.places; place += MP) {
				const uint end = min(plane + some, band.planes);
				if (vectors == 1)
					tile_1(&band, own, from, sums, place, plane, end);
				else if (vectors == 2)
					tile_2(&band, own, from, sums, place, plane, end);
#if NF > 2
				else if (vectors == 3)
					tile_3(&band, own, from, sums, place, plane, end);
				else
					tile_4(&band, own, from, sums, place, plane, end);
#endif
			}
#if !NHWC
		for (uint v = 0; v < vectors; v++)
			turn_sums(sums + v * LANES, band.apart, band.places, LANES,
				  out + filter_of(first + v, filters) * area, area);
#endif
	}
}
