/*
 * The loops of backends/openblas/conv2d_direct.c for one type of element and one width of vectors: included
 * once for each, with REAL (float), BYTES of a vector, MR filters of a tile, NAME(x) (x_f32_avx2), and
 * ATTRIBUTES, which let the compiler use such vectors.
 */

typedef REAL NAME(vector) __attribute__((vector_size(BYTES), aligned(sizeof(REAL)), may_alias));

/* Lines first..end-1 of the padded input, of `pitch` elements each. */
ATTRIBUTES static void NAME(pad)(const struct direct *direct, size_t first, size_t end)
{
	const struct bench_conv2d *conv = direct->conv;
	bool nhwc = conv->layout == BENCH_CONV2D_NHWC;
	size_t stride = conv->stride, step = nhwc ? conv->c : 1;
	for (size_t line = first; line < end; line++) {
		size_t plane = line / direct->lines / stride / stride; /* image and channel */
		/* Above or left of the input wraps around, to beyond it. */
		size_t row =
			line % direct->lines * stride + line / direct->lines / stride % stride - conv->pad;
		size_t start = line / direct->lines % stride - conv->pad;
		REAL *restrict to = (REAL *)direct->padded + line * direct->pitch;
		if (row >= conv->h) {
			memset(to, 0, direct->pitch * sizeof(REAL));
			continue;
		}
		const REAL *restrict from =
			(const REAL *)conv->in->data +
			(nhwc ? (plane / conv->c * conv->h + row) * conv->w * conv->c + plane % conv->c
			      : (plane * conv->h + row) * conv->w);
		if (stride == 1 && step == 1) {
			memset(to, 0, conv->pad * sizeof(REAL));
			memcpy(to + conv->pad, from, conv->w * sizeof(REAL));
			memset(to + conv->pad + conv->w, 0, conv->pad * sizeof(REAL));
			continue;
		}
		for (size_t j = 0; j < direct->pitch; j++) {
			size_t column = j * stride + start;
			to[j] = column < conv->w ? from[column * step] : 0;
		}
	}
}

/* A tile: `mr` filters from weights on, NV vectors of places from number v on. */
ATTRIBUTES __attribute__((always_inline)) static inline void NAME(tile)(const struct direct *direct,
									const REAL *padded,
									const REAL *weights, REAL *out,
									size_t v, const size_t mr)
{
	enum { LANES = BYTES / sizeof(REAL) };
	size_t across = (direct->columns + LANES - 1) / LANES, vectors = direct->rows * across;
	const REAL *at[NV];
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
		at[j] = padded + y * direct->pitch + x;
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
			size_t offset = channel * direct->plane + direct->offsets[tap];
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

/* Jobs first..end-1: places run fastest, then blocks of filters, groups and images. */
ATTRIBUTES static void NAME(sum)(const struct direct *direct, size_t first, size_t end)
{
	const struct bench_conv2d *conv = direct->conv;
	enum { LANES = BYTES / sizeof(REAL) };
	size_t mr = direct->filters < MR ? 1 : MR;
	size_t vectors = direct->rows * ((direct->columns + LANES - 1) / LANES);
	size_t tiles = (vectors + NV - 1) / NV, blocks = (direct->filters + mr - 1) / mr;
	for (size_t job = first; job < end; job++) {
		size_t v = job % tiles * NV, block = job / tiles % blocks;
		size_t group = job / tiles / blocks % conv->groups,
		       image = job / tiles / blocks / conv->groups;
		/* The last block moves in so that it is whole. */
		size_t filter = block * mr + mr > direct->filters ? direct->filters - mr : block * mr;
		size_t q = group * direct->filters + filter;
		const REAL *padded = (const REAL *)direct->padded +
				     (image * conv->groups + group) * direct->channels * direct->plane;
		const REAL *weights = (const REAL *)conv->weights->data + q * direct->filter_step;
		REAL *out = (REAL *)conv->out->data + image * conv->k * direct->rows * direct->columns +
			    q * direct->out_step;
		if (mr == MR)
			NAME(tile)(direct, padded, weights, out, v, MR);
		else
			NAME(tile)(direct, padded, weights, out, v, 1);
	}
}

static const struct loops NAME(loops) = {NAME(pad), NAME(sum), MR, BYTES / sizeof(REAL)};
