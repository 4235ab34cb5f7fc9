/*
 * Convolution by its definition, in C: kernels/conv2d.cl says how, these are the same loops. A tile of MR
 * filters by NV vectors of a row's neighbours is summed in registers over all channels and taps. The input
 * is copied before, with its zeros around it and taken apart by phase, so that there is no edge and no stride
 * in the loop; the weights are read where they are. Where channels are neighbours in memory, lanes are
 * filters instead, unless a group has too few of them (conv2d_places.h). Here a thread copies what a band of
 * rows is computed from, and then computes it, while the copy is in its cache and without waiting for the
 * others.
 *
 * The program is built for any CPU of its architecture; these loops are built for the wide vectors as well
 * that this one may have. CMakeLists.txt lets the compiler join a * b + c into one operation here.
 */
#include <omp.h>
#include <stdint.h>
#include <string.h>

#include "backends/cpu.h"
#include "backends/openblas/conv2d_direct.h"

#define NV         3     /* vectors of a tile */
#define BAND_BYTES 32768 /* of the copy that a band is computed from, where a row takes no more */
#define BANDS      4     /* for each thread: one that is held up leaves the others more */

/* The problem as the loops see it. Steps are in elements. */
struct direct {
	const struct bench_conv2d *conv;
	/* The copy for a band is [channel][phase of rows][phase of columns][lines][pitch]; where lanes are
	 * filters [lines][pitch], a line having all channels of all columns. */
	size_t band;                                /* rows of the output */
	size_t lines, pitch;                        /* of a phase */
	size_t plane;                               /* elements of a channel of the copy */
	const size_t *offsets;                      /* of each tap in it, bytes; of each run, elements */
	size_t runs, run;                           /* where lanes are filters: taps that follow each other */
	bool in_place;                              /* then: there is nothing to add around the input */
	size_t channels, filters, taps;             /* of a group */
	size_t rows, columns;                       /* of the output */
	size_t filter_step, channel_step, tap_step; /* of the weights */
	size_t out_step, place_step;                /* of the output: to the next channel, and place */
};

struct way {
	void (*pad)(const struct direct *direct, void *padded, size_t image, size_t group, size_t y);
	void (*sum)(const struct direct *direct, const void *padded, size_t image, size_t group, size_t y,
		    size_t rows);
};

struct loops {
	struct way tiles, places; /* lanes are neighbours of a row, or filters */
	size_t lanes;
};

#define ATTRIBUTES
#define MR      4
#define MP      6
#define NF      2
#define BYTES   16
#define REAL    float
#define NAME(x) x##_f32
#include "backends/openblas/conv2d_tiles.h"
#undef REAL
#undef NAME
#define REAL    double
#define NAME(x) x##_f64
#include "backends/openblas/conv2d_tiles.h"
#undef REAL
#undef NAME
#undef BYTES
#undef ATTRIBUTES
#if defined(__x86_64__)
#define ATTRIBUTES __attribute__((target("avx2,fma")))
#define BYTES      32
#define REAL       float
#define NAME(x)    x##_f32_avx2
#include "backends/openblas/conv2d_tiles.h"
#undef REAL
#undef NAME
#define REAL    double
#define NAME(x) x##_f64_avx2
#include "backends/openblas/conv2d_tiles.h"
#undef REAL
#undef NAME
#undef BYTES
#undef ATTRIBUTES
#undef MR
#undef MP
#undef NF
#define ATTRIBUTES __attribute__((target("avx512f")))
#define MR         8 /* there are 32 registers */
#define MP         7
#define NF         4
#define BYTES      64
#define REAL       float
#define NAME(x)    x##_f32_avx512
#include "backends/openblas/conv2d_tiles.h"
#undef REAL
#undef NAME
#define REAL    double
#define NAME(x) x##_f64_avx512
#include "backends/openblas/conv2d_tiles.h"
#endif

static const struct loops *choose(enum bench_dtype dtype)
{
	bool wide = dtype == BENCH_F64;
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx512f"))
		return wide ? &loops_f64_avx512 : &loops_f32_avx512;
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		return wide ? &loops_f64_avx2 : &loops_f32_avx2;
#endif
	return wide ? &loops_f64 : &loops_f32;
}

static size_t divide_up(size_t a, size_t b)
{
	return (a + b - 1) / b;
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Rows of a band: as many as their input, `line_bytes` for each and for `more` rows beside, fits into a
 * first-level cache, and few enough for every thread to have some bands. */
static size_t band_of(const struct direct *direct, size_t line_bytes, size_t more, unsigned threads)
{
	const struct bench_conv2d *conv = direct->conv;
	size_t fit = BAND_BYTES / line_bytes;
	size_t share = direct->rows * conv->n * conv->groups / threads / (threads > 1 ? BANDS : 1);
	size_t band = smaller(fit > more ? fit - more : 1, smaller(share, direct->rows));
	return band ? band : 1;
}

static struct direct make_direct(const struct bench_conv2d *conv)
{
	return (struct direct){.conv = conv,
			       .channels = conv->c / conv->groups,
			       .filters = conv->k / conv->groups,
			       .taps = conv->r * conv->s,
			       .rows = bench_conv2d_extent(conv, conv->h, conv->r),
			       .columns = bench_conv2d_extent(conv, conv->w, conv->s)};
}

/* Lanes are neighbours of a row. */
static void lay_tiles(struct direct *direct, unsigned threads)
{
	const struct bench_conv2d *conv = direct->conv;
	direct->pitch = divide_up(conv->w + 2 * conv->pad, conv->stride);
	size_t more = (conv->r - 1) * conv->dilation / conv->stride; /* lines than rows */
	size_t phases = conv->stride * conv->stride;
	size_t line = direct->channels * phases * direct->pitch;
	direct->band = band_of(direct, line * bench_dtype_bytes(conv->dtype), more, threads);
	direct->lines = direct->band + more;
	direct->plane = phases * direct->lines * direct->pitch;
	if (conv->layout == BENCH_CONV2D_NHWC) {
		direct->filter_step = 1;
		direct->channel_step = conv->k;
		direct->tap_step = direct->channels * conv->k;
		direct->out_step = 1;
		direct->place_step = conv->k;
	} else {
		direct->filter_step = bench_conv2d_length(conv);
		direct->channel_step = direct->taps;
		direct->tap_step = 1;
		direct->out_step = direct->rows * direct->columns;
		direct->place_step = 1;
	}
}

static void fill_offsets(const struct direct *direct, size_t *offsets)
{
	const struct bench_conv2d *conv = direct->conv;
	for (size_t tap = 0; tap < direct->taps; tap++) {
		size_t row = tap / conv->s * conv->dilation, column = tap % conv->s * conv->dilation;
		size_t phase = row % conv->stride * conv->stride + column % conv->stride;
		size_t element =
			(phase * direct->lines + row / conv->stride) * direct->pitch + column / conv->stride;
		offsets[tap] = element * bench_dtype_bytes(conv->dtype);
	}
}

/* Lanes are filters. */
static void lay_places(struct direct *direct, unsigned threads)
{
	const struct bench_conv2d *conv = direct->conv;
	direct->pitch = (conv->w + 2 * conv->pad) * direct->channels;
	size_t more = ((conv->r - 1) * conv->dilation + 1) / conv->stride;
	size_t line = conv->stride * direct->pitch;
	direct->band = band_of(direct, line * bench_dtype_bytes(conv->dtype), more, threads);
	direct->lines = (direct->band - 1) * conv->stride + (conv->r - 1) * conv->dilation + 1;
	direct->in_place = conv->pad == 0 && conv->groups == 1;
	/* The taps of a row follow each other, or are each by itself. */
	direct->runs = conv->dilation == 1 ? conv->r : direct->taps;
	direct->run = direct->taps / direct->runs * direct->channels;
}

static void fill_runs(const struct direct *direct, size_t *offsets)
{
	const struct bench_conv2d *conv = direct->conv;
	size_t of_row = direct->runs / conv->r;
	for (size_t run = 0; run < direct->runs; run++)
		offsets[run] = run / of_row * conv->dilation * direct->pitch +
			       run % of_row * conv->dilation * direct->channels;
}

int bench_openblas_conv2d_direct(struct bench_device *device, const struct bench_conv2d *conv,
				 struct bench_error *error)
{
	const struct loops *loops = choose(conv->dtype);
	struct direct direct = make_direct(conv);
	unsigned threads = bench_cpu_threads(device, direct.rows * direct.columns * conv->n * conv->k *
							     bench_conv2d_length(conv));
	bool places = conv->layout == BENCH_CONV2D_NHWC && direct.filters >= loops->lanes;
	const struct way *way = places ? &loops->places : &loops->tiles;
	(places ? lay_places : lay_tiles)(&direct, threads);
	size_t bands = divide_up(direct.rows, direct.band), jobs = bands * conv->groups * conv->n;
	/* A row that is shorter than a vector is read past its end, the last one past all. */
	size_t elements =
		places ? direct.lines * direct.pitch : direct.channels * direct.plane + loops->lanes;
	size_t each = divide_up(elements * bench_dtype_bytes(conv->dtype), 64) * 64;
	size_t before = divide_up(direct.taps * sizeof(size_t), 64) * 64;
	void *workspace;
	if (bench_cpu_reserve(device, before + threads * each, &workspace, error))
		return -1;
	(places ? fill_runs : fill_offsets)(&direct, workspace);
	direct.offsets = workspace;
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (threads > 1)
	for (size_t job = 0; job < jobs; job++) {
		char *padded = (char *)workspace + before + (size_t)omp_get_thread_num() * each;
		size_t y = job % bands * direct.band, group = job / bands % conv->groups;
		size_t image = job / bands / conv->groups;
		way->pad(&direct, padded, image, group, y);
		way->sum(&direct, padded, image, group, y, smaller(direct.band, direct.rows - y));
	}
	return 0;
}
