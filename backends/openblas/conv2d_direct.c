/*
 * Convolution by its definition, in C: kernels/conv2d.cl says how, these are the same loops. A tile of MR
 * filters by NV vectors of a row's neighbours is summed in registers over all channels and taps. The input
 * is copied before, with its zeros around it and taken apart by phase, so that there is no edge and no stride
 * in the loop; the weights are read where they are.
 *
 * The program is built for any CPU of its architecture; these loops are built for the wide vectors as well
 * that this one may have. CMakeLists.txt lets the compiler join a * b + c into one operation here.
 */
#include <stdint.h>
#include <string.h>

#include "backends/cpu.h"
#include "backends/openblas/conv2d_direct.h"

#define NV     3 /* vectors of a tile */
#define CHUNKS 8 /* of the jobs, for each thread: one that is held up leaves the others more */

/* The problem as the loops see it. Steps are in elements. */
struct direct {
	const struct bench_conv2d *conv;
	void *padded;                   /* [image][channel][phase of rows][phase of columns][lines][pitch] */
	const size_t *offsets;          /* of each tap, in a padded channel */
	size_t lines, pitch;            /* of a phase */
	size_t plane;                   /* elements of a padded channel */
	size_t channels, filters, taps; /* of a group */
	size_t rows, columns;           /* of the output */
	size_t filter_step, channel_step, tap_step; /* of the weights */
	size_t out_step, place_step;                /* of the output: to the next channel, and place */
};

struct loops {
	void (*pad)(const struct direct *direct, size_t first, size_t end);
	void (*sum)(const struct direct *direct, size_t first, size_t end);
	size_t mr, lanes;
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

static struct direct make_direct(const struct bench_conv2d *conv)
{
	struct direct direct = {.conv = conv,
				.lines = divide_up(conv->h + 2 * conv->pad, conv->stride),
				.pitch = divide_up(conv->w + 2 * conv->pad, conv->stride),
				.channels = conv->c / conv->groups,
				.filters = conv->k / conv->groups,
				.taps = conv->r * conv->s,
				.rows = bench_conv2d_extent(conv, conv->h, conv->r),
				.columns = bench_conv2d_extent(conv, conv->w, conv->s)};
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
		offsets[tap] =
			(phase * direct->lines + row / conv->stride) * direct->pitch + column / conv->stride;
	}
}

int bench_openblas_conv2d_direct(struct bench_device *device, const struct bench_conv2d *conv,
				 struct bench_error *error)
{
	struct direct direct = make_direct(conv);
	const struct loops *loops = choose(conv->dtype);
	size_t mr = direct.filters < loops->mr ? 1 : loops->mr;
	size_t lines = conv->n * conv->c * conv->stride * conv->stride * direct.lines;
	size_t tiles = divide_up(direct.rows * divide_up(direct.columns, loops->lanes), NV);
	size_t jobs = tiles * divide_up(direct.filters, mr) * conv->groups * conv->n;
	unsigned threads = bench_cpu_threads(device, direct.rows * direct.columns * conv->n * conv->k *
							     bench_conv2d_length(conv));
	size_t chunks = threads > 1 ? (size_t)threads * CHUNKS : 1;
	/* A row that is shorter than a vector is read past its end, the last one past all. */
	size_t bytes = (lines * direct.pitch + loops->lanes) * bench_dtype_bytes(conv->dtype);
	size_t before = divide_up(direct.taps * sizeof(size_t), 64) * 64;
	void *workspace;
	if (bench_cpu_reserve(device, before + bytes, &workspace, error))
		return -1;
	fill_offsets(&direct, workspace);
	direct.offsets = workspace;
	direct.padded = (char *)workspace + before;
#pragma omp parallel num_threads(threads) if (threads > 1)
	{
#pragma omp for schedule(static)
		for (size_t i = 0; i < chunks; i++)
			loops->pad(&direct, i * lines / chunks, (i + 1) * lines / chunks);
#pragma omp for schedule(dynamic)
		for (size_t i = 0; i < chunks; i++)
			loops->sum(&direct, i * jobs / chunks, (i + 1) * jobs / chunks);
	}
	return 0;
}
