/*
 * Convolution by its definition, in C: kernels/conv2d.cl says how, these are the same loops. A tile of MR
 * filters by NV vectors of a row's neighbours is summed in registers over all channels and taps. The input
 * is copied before, with its zeros around it and taken apart by phase, so that there is no edge and no stride
 * in the loop; the weights are read where they are. Here a thread copies what a band of rows is computed
 * from, and then computes it, while the copy is in its cache and without waiting for the others.
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
	/* The copy for a band is [channel][phase of rows][phase of columns][lines][pitch]. */
	size_t band;                                /* rows of the output */
	size_t lines, pitch;                        /* of a phase */
	size_t plane;                               /* elements of a channel of the copy */
	const size_t *offsets;                      /* of each tap in it, bytes */
	size_t channels, filters, taps;             /* of a group */
	size_t rows, columns;                       /* of the output */
	size_t filter_step, channel_step, tap_step; /* of the weights */
	size_t out_step, place_step;                /* of the output: to the next channel, and place */
};

struct loops {
	void (*pad)(const struct direct *direct, void *padded, size_t image, size_t group, size_t y);
	void (*sum)(const struct direct *direct, const void *padded, size_t image, size_t group, size_t y,
		    size_t rows);
	size_t lanes;
};

#define ATTRIBUTES
#define MR      4
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
#define ATTRIBUTES __attribute__((target("avx512f")))
#define MR         8 /* there are 32 registers */
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

/* Rows of a band: as many as their input fits into a first-level cache, and few enough for every thread to
 * have some bands. */
static size_t band_of(const struct direct *direct, size_t more, unsigned threads)
{
	const struct bench_conv2d *conv = direct->conv;
	size_t line_bytes = direct->channels * conv->stride * conv->stride * direct->pitch *
			    bench_dtype_bytes(conv->dtype);
	size_t fit = BAND_BYTES / line_bytes;
	size_t share = direct->rows * conv->n * conv->groups / threads / (threads > 1 ? BANDS : 1);
	size_t band = smaller(fit > more ? fit - more : 1, smaller(share, direct->rows));
	return band ? band : 1;
}

static struct direct make_direct(const struct bench_conv2d *conv, unsigned threads)
{
	struct direct direct = {.conv = conv,
				.pitch = divide_up(conv->w + 2 * conv->pad, conv->stride),
				.channels = conv->c / conv->groups,
				.filters = conv->k / conv->groups,
				.taps = conv->r * conv->s,
				.rows = bench_conv2d_extent(conv, conv->h, conv->r),
				.columns = bench_conv2d_extent(conv, conv->w, conv->s)};
	size_t more = (conv->r - 1) * conv->dilation / conv->stride; /* lines than rows */
	direct.band = band_of(&direct, more, threads);
	direct.lines = direct.band + more;
	direct.plane = conv->stride * conv->stride * direct.lines * direct.pitch;
	if (conv->layout == BENCH_CONV2D_NHWC) {
		direct.filter_step = 1;
		direct.channel_step = conv->k;
		direct.tap_step = direct.channels * conv->k;
		direct.out_step = 1;
		direct.place_step = conv->k;
	} else {
		direct.filter_step = bench_conv2d_length(conv);
		direct.channel_step = direct.taps;
		direct.tap_step = 1;
		direct.out_step = direct.rows * direct.columns;
		direct.place_step = 1;
	}
	return direct;
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

int bench_openblas_conv2d_direct(struct bench_device *device, const struct bench_conv2d *conv,
				 struct bench_error *error)
{
	const struct loops *loops = choose(conv->dtype);
	unsigned threads = bench_cpu_threads(device, bench_conv2d_extent(conv, conv->h, conv->r) *
							     bench_conv2d_extent(conv, conv->w, conv->s) *
							     conv->n * conv->k * bench_conv2d_length(conv));
	struct direct direct = make_direct(conv, threads);
	size_t bands = divide_up(direct.rows, direct.band), jobs = bands * conv->groups * conv->n;
	/* A row that is shorter than a vector is read past its end, the last one past all. */
	size_t bytes = (direct.channels * direct.plane + loops->lanes) * bench_dtype_bytes(conv->dtype);
	size_t each = divide_up(bytes, 64) * 64, before = divide_up(direct.taps * sizeof(size_t), 64) * 64;
	void *workspace;
	if (bench_cpu_reserve(device, before + threads * each, &workspace, error))
		return -1;
	fill_offsets(&direct, workspace);
	direct.offsets = workspace;
#pragma omp parallel for num_threads(threads) schedule(dynamic) if (threads > 1)
	for (size_t job = 0; job < jobs; job++) {
		char *padded = (char *)workspace + before + (size_t)omp_get_thread_num() * each;
		size_t y = job % bands * direct.band, group = job / bands % conv->groups;
		size_t image = job / bands / conv->groups;
		loops->pad(&direct, padded, image, group, y);
		loops->sum(&direct, padded, image, group, y, smaller(direct.band, direct.rows - y));
	}
	return 0;
}
