/* SPDX-License-Identifier: MIT */
/*
 * Convolution by its definition, in C: sums in registers over all channels and taps, in one of two ways, as
 * bench_conv2d_prefers_places says. A tile is MP places by up to NF vectors of filters (conv2d_places.h); or
 * MR filters by NV vectors of a row's neighbors (conv2d_tiles.h). In both a thread copies what a band of
 * rows is computed from, with zeros around it, and then computes the band while the copy is in its cache.
 * Depthwise convolutions with the channels last have other loops (conv2d_depthwise.h).
 *
 * The program is built for any CPU of its architecture; these loops are built for the wide vectors as well
 * that this one may have. CMakeLists.txt lets the compiler join a * b + c into one operation here.
 */
#include <omp.h>
#include <stdint.h>
#include <string.h>

#include "backends/conv2d.h"
#include "backends/cpu.h"
#include "backends/cpu/conv2d_direct.h"

#define NV 3 /* vectors of a tile */
/* Of the copy that a band is computed from, where a row takes no more; of the weights that a thread goes
 * through for a band, or more; and of those that all tiles of a band pass through at a time. */
#define BAND_BYTES    ((size_t)256 << 10)
#define PART_BYTES    ((size_t)1 << 20)
#define CHUNK_BYTES   ((size_t)384 << 10)
#define PACKED_PLACES 1000 /* more of them repay a copy of the weights */
#define ROWS          4    /* that pass through a tile's channels together, depthwise */
#define BANDS         2    /* for each thread: one that is held up leaves the others more */

/* The problem as the loops see it. Steps are in elements. */
struct direct {
	const struct bench_conv2d *conv;
	/* The copy for a band is [channel][phase of rows][phase of columns][lines][pitch]; with places in
	 * nhwc [lines][pitch], a line having all channels of all columns. */
	size_t bands, band;                         /* of an image; rows of the output of the largest */
	size_t phases;                              /* of a direction */
	size_t lines, pitch;                        /* of a phase */
	size_t plane, copy;                         /* elements of a channel of the copy, and of all */
	const size_t *offsets;                      /* of each tap in it, bytes; of each run, elements */
	size_t channels, filters, taps;             /* of a group */
	size_t rows, columns;                       /* of the output */
	size_t filter_step, channel_step, tap_step; /* of the weights */
	size_t out_step, place_step;                /* of the output: to the next channel, and place */
	/* With places: */
	const void *packed;   /* the weights, [group][panel][step][filter]; NULL: where they lie */
	size_t steps;         /* channels times taps */
	size_t vectors;       /* of a group's filters; depthwise, of channels, that share a tile */
	size_t panels, parts; /* that these are divided into, and panels into */
	size_t runs, run;     /* of steps, and how many one has */
	size_t chunk;         /* runs whose weights stay in a cache while all tiles of a band pass */
	size_t next;          /* in the copy, to the next place of a row */
	bool packs;           /* are the weights copied? */
	bool in_place;        /* there is nothing to add around the input */
};

struct way {
	void (*pad)(const struct direct *direct, void *padded, size_t image, size_t group, size_t y);
	void (*sum)(const struct direct *direct, const void *padded, void *waiting, size_t image,
		    size_t group, size_t y, size_t rows, size_t part);
};

/* Where the sums of a panel go: places `step` apart, vectors at `at`. */
struct sums {
	void *first;
	size_t step, at[4];
};

struct loops {
	struct way tiles, places; /* lanes are neighbors of a row, or filters */
	void (*pack)(const struct direct *direct, void *packed, size_t vector);
	void (*depthwise)(const struct direct *direct, size_t image, size_t y, size_t rows);
	size_t lanes, widest; /* of a vector; vectors of a panel at most */
};

static size_t divide_up(size_t a, size_t b)
{
	return (a + b - 1) / b;
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* The first vector of a panel: panels differ by one vector at most. */
static size_t first_of(const struct direct *direct, size_t panel)
{
	return panel * direct->vectors / direct->panels;
}

static size_t panel_of(const struct direct *direct, size_t vector)
{
	return ((vector + 1) * direct->panels - 1) / direct->vectors;
}

/* Which elements of two vectors make the lower half of what interleaves them, and which the higher. */
#define LOW_2        0, 2
#define HIGH_2       1, 3
#define LOW_4        0, 4, 1, 5
#define HIGH_4       2, 6, 3, 7
#define LOW_8        0, 8, 1, 9, 2, 10, 3, 11
#define HIGH_8       4, 12, 5, 13, 6, 14, 7, 15
#define LOW_16       0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define HIGH_16      8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define JOINED(a, b) a##b
#define JOIN(a, b)   JOINED(a, b)

#define ATTRIBUTES
#define MR      4
#define MP      6
#define NF      2
#define LANES   4
#define REAL    float
#define NAME(x) x##_f32
#include "backends/cpu/conv2d_tiles.h"
#undef REAL
#undef NAME
#undef LANES
#define LANES   2
#define REAL    double
#define NAME(x) x##_f64
#include "backends/cpu/conv2d_tiles.h"
#undef REAL
#undef NAME
#undef LANES
#undef ATTRIBUTES
#if defined(__x86_64__)
#define ATTRIBUTES __attribute__((target("avx2,fma")))
#define LANES      8
#define REAL       float
#define NAME(x)    x##_f32_avx2
#include "backends/cpu/conv2d_tiles.h"
#undef REAL
#undef NAME
#undef LANES
#define LANES   4
#define REAL    double
#define NAME(x) x##_f64_avx2
#include "backends/cpu/conv2d_tiles.h"
#undef REAL
#undef NAME
#undef LANES
#undef ATTRIBUTES
#undef MR
#undef MP
#undef NF
#define ATTRIBUTES __attribute__((target("avx512f")))
#define MR         8 /* there are 32 registers */
#define MP         6
#define NF         4
#define LANES      16
#define REAL       float
#define NAME(x)    x##_f32_avx512
#include "backends/cpu/conv2d_tiles.h"
#undef REAL
#undef NAME
#undef LANES
#define LANES   8
#define REAL    double
#define NAME(x) x##_f64_avx512
#include "backends/cpu/conv2d_tiles.h"
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

/* Bands of an image's rows: so few rows that their input, `line_bytes` for each and for `more` rows beside,
 * fits into a cache. */
static void divide_into_bands(struct direct *direct, size_t line_bytes, size_t more)
{
	size_t fit = BAND_BYTES / line_bytes;
	direct->bands = divide_up(direct->rows, fit > more ? fit - more : 1);
}

/* More bands, until every thread has some. */
static void share_bands(struct direct *direct, unsigned threads)
{
	size_t images = direct->conv->n * direct->conv->groups;
	size_t wanted = divide_up(threads > 1 ? (size_t)threads * BANDS : 1, images * direct->parts);
	if (direct->bands < wanted)
		direct->bands = smaller(wanted, direct->rows);
	direct->band = divide_up(direct->rows, direct->bands);
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

/* Lanes are neighbors of a row. */
static void lay_tiles(struct direct *direct, size_t lanes, unsigned threads)
{
	const struct bench_conv2d *conv = direct->conv;
	direct->phases = conv->stride;
	direct->pitch = divide_up(conv->w + 2 * conv->pad, conv->stride);
	size_t more = (conv->r - 1) * conv->dilation / conv->stride; /* lines than rows */
	size_t phases = conv->stride * conv->stride;
	size_t line = direct->channels * phases * direct->pitch;
	direct->parts = 1;
	divide_into_bands(direct, line * bench_dtype_bytes(conv->dtype), more);
	share_bands(direct, threads);
	direct->lines = direct->band + more;
	direct->plane = phases * direct->lines * direct->pitch;
	/* A row that is shorter than a vector is read past its end, the last one past all. */
	direct->copy = direct->channels * direct->plane + lanes;
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
static void lay_places(struct direct *direct, const struct loops *loops, unsigned threads)
{
	const struct bench_conv2d *conv = direct->conv;
	bool nhwc = conv->layout == BENCH_CONV2D_NHWC;
	size_t width = conv->w + 2 * conv->pad, reach = (conv->r - 1) * conv->dilation + 1;
	size_t real = bench_dtype_bytes(conv->dtype);
	direct->phases = 1;
	direct->pitch = nhwc ? width * direct->channels : width;
	direct->next = nhwc ? conv->stride * direct->channels : conv->stride;
	direct->steps = bench_conv2d_length(conv);
	direct->vectors = divide_up(direct->filters, loops->lanes);
	direct->panels = divide_up(direct->vectors, loops->widest);
	size_t wanted = divide_up(threads > 1 ? (size_t)threads * BANDS : 1, conv->n * conv->groups);
	size_t weights = direct->vectors * loops->lanes * direct->steps * real;
	direct->parts = smaller(divide_up(weights, PART_BYTES), smaller(wanted, direct->panels));
	direct->parts = divide_up(direct->panels, divide_up(direct->panels, direct->parts)); /* even ones */
	divide_into_bands(direct, conv->stride * width * direct->channels * real, reach / conv->stride);
	share_bands(direct, threads);
	direct->lines = (direct->band - 1) * conv->stride + reach;
	direct->plane = direct->lines * direct->pitch;
	direct->copy = direct->plane * (nhwc ? 1 : direct->channels);
	direct->in_place = nhwc && conv->pad == 0 && conv->groups == 1;
	/* In nhwc the rows of many filters lie so far apart that a cache keeps few of them. */
	bool far = weights > PART_BYTES && conv->n * direct->rows * direct->columns > PACKED_PLACES;
	direct->packs = !nhwc || direct->filters % loops->lanes || far;
	/* The taps of a row follow each other, in nhwc with all their channels; or each is by itself. */
	direct->run = (conv->dilation == 1 ? conv->s : 1) * (nhwc ? direct->channels : 1);
	direct->runs = direct->steps / direct->run;
	direct->chunk = CHUNK_BYTES / (direct->run * loops->widest * loops->lanes * real);
	direct->chunk = direct->chunk ? direct->chunk : 1;
}

static void fill_runs(const struct direct *direct, size_t *offsets)
{
	const struct bench_conv2d *conv = direct->conv;
	bool nhwc = conv->layout == BENCH_CONV2D_NHWC;
	size_t of_row = conv->dilation == 1 ? 1 : conv->s, of_channel = conv->r * of_row;
	size_t column = conv->dilation * (nhwc ? direct->channels : 1);
	for (size_t run = 0; run < direct->runs; run++)
		offsets[run] = run / of_channel * direct->plane +
			       run / of_row % conv->r * conv->dilation * direct->pitch +
			       run % of_row * column;
}

/* Bytes, up to the next cache line. */
static size_t round_up(size_t bytes)
{
	return divide_up(bytes, 64) * 64;
}

/* A job is some rows of an image that follow each other: what they share is in the thread's cache. */
static void depthwise(struct direct *direct, const struct loops *loops, unsigned threads)
{
	const size_t most = 32;
	const struct bench_conv2d *conv = direct->conv;
	size_t wanted = divide_up((size_t)threads * BANDS, conv->n);
	direct->vectors = bench_conv2d_depthwise_vectors(conv->c, loops->lanes);
	direct->band = smaller(divide_up(direct->rows, wanted), most);
	direct->bands = divide_up(direct->rows, direct->band);
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (threads > 1)
	for (size_t job = 0; job < conv->n * direct->bands; job++) {
		size_t y = job % direct->bands * direct->band;
		for (size_t end = smaller(y + direct->band, direct->rows); y < end; y += ROWS)
			loops->depthwise(direct, job / direct->bands, y, smaller(ROWS, end - y));
	}
}

int bench_cpu_conv2d_direct(struct bench_device *device, const struct bench_conv2d *conv,
			    struct bench_error *error)
{
	const struct loops *loops = choose(conv->dtype);
	struct direct direct = make_direct(conv);
	size_t real = bench_dtype_bytes(conv->dtype);
	unsigned threads = bench_cpu_threads(device, direct.rows * direct.columns * conv->n * conv->k *
							     bench_conv2d_length(conv));
	if (bench_conv2d_is_depthwise(conv) && conv->c >= loops->lanes) {
		depthwise(&direct, loops, threads);
		return 0;
	}
	bool places = bench_conv2d_prefers_places(conv, loops->lanes);
	const struct way *way = places ? &loops->places : &loops->tiles;
	if (places)
		lay_places(&direct, loops, threads);
	else
		lay_tiles(&direct, loops->lanes, threads);
	size_t jobs = direct.bands * conv->groups * conv->n * direct.parts;
	size_t vectors = direct.packs ? direct.vectors * conv->groups : 0; /* to be copied */
	size_t copy = round_up(direct.copy * real);
	size_t waiting =
		places && conv->layout == BENCH_CONV2D_NCHW
			? round_up(direct.band * direct.columns * loops->widest * loops->lanes * real)
			: 0;
	size_t table = round_up((places ? direct.runs : direct.taps) * sizeof(size_t));
	size_t packed = vectors * loops->lanes * direct.steps * real, each = copy + waiting;
	void *workspace;
	if (bench_cpu_reserve(device, table + packed + threads * each, &workspace, error))
		return -1;
	(places ? fill_runs : fill_offsets)(&direct, workspace);
	direct.offsets = workspace;
	direct.packed = direct.packs ? (char *)workspace + table : NULL;
#pragma omp parallel num_threads(threads) if (threads > 1)
	{
		char *own = (char *)workspace + table + packed + (size_t)omp_get_thread_num() * each;
		if (vectors) {
#pragma omp for schedule(static)
			for (size_t vector = 0; vector < vectors; vector++)
				loops->pack(&direct, (char *)workspace + table, vector);
		}
#pragma omp for schedule(dynamic) nowait
		for (size_t job = 0; job < jobs; job++) {
			size_t band = job % direct.bands, group = job / direct.bands % conv->groups;
			size_t image = job / direct.bands / conv->groups % conv->n;
			size_t part = job / direct.bands / conv->groups / conv->n;
			size_t y = band * direct.rows / direct.bands;
			size_t end = (band + 1) * direct.rows / direct.bands;
			way->pad(&direct, own, image, group, y);
			way->sum(&direct, own, own + copy, image, group, y, end - y, part);
		}
	}
	return 0;
}
