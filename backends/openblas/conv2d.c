/* SPDX-License-Identifier: MIT */
/*
 * Convolution. OpenBLAS has none: its users copy the windows to the columns of a matrix and call
 * gemm (im2col: Chellapilla, Puri, Simard, "High performance convolutional neural networks for
 * document processing", 2006). The algorithm `direct` is conv2d_direct.c.
 */
#include <stdint.h>
#include <string.h>

#include "backends/conv2d.h"
#include "backends/cpu.h"
#include "backends/cpu/conv2d_direct.h"
#include "backends/openblas/library.h"
#include "backends/openblas/operations.h"

/* Columns from..to-1 of the output, which one tap of the kernel meets inside of the input. */
struct range {
	size_t from, to;
};

static struct range range_inside(const struct bench_conv2d *conv, size_t size, size_t count, size_t tap)
{
	size_t offset = tap * conv->dilation, step = conv->stride, end = size + conv->pad;
	struct range range = {.from = offset < conv->pad ? (conv->pad - offset + step - 1) / step : 0,
			      .to = offset < end ? (end - offset + step - 1) / step : 0};
	range.to = range.to < count ? range.to : count;
	range.from = range.from < range.to ? range.from : range.to;
	return range;
}

#define REAL    float
#define NAME(x) x##_f32
#include "backends/openblas/conv2d_loops.h"
#undef REAL
#undef NAME
#define REAL    double
#define NAME(x) x##_f64
#include "backends/openblas/conv2d_loops.h"

/* Windows that are the input as it is. */
static bool is_product(const struct bench_conv2d *conv)
{
	return conv->r == 1 && conv->s == 1 && conv->stride == 1 && conv->pad == 0;
}

/* How im2col is divided: an image's group into blocks of rows of the output, each windows and product. */
struct plan {
	const struct openblas *library;
	size_t rows, columns; /* of the output */
	size_t block;         /* rows of a block */
	size_t blocks, jobs;  /* of an image's group; of all */
	size_t bytes;         /* of a block's windows, 0 where nothing needs them */
	unsigned threads;
};

/* Windows of a block: in a second-level cache, with room to spare. */
#define BLOCK_BYTES ((size_t)512 << 10)

static struct plan make_plan(const struct bench_device *device, const struct bench_conv2d *conv)
{
	struct plan plan = {.rows = bench_conv2d_extent(conv, conv->h, conv->r),
			    .columns = bench_conv2d_extent(conv, conv->w, conv->s)};
	size_t row_bytes = plan.columns * bench_conv2d_length(conv) * bench_dtype_bytes(conv->dtype);
	plan.threads = bench_cpu_threads(device, conv->n * conv->k * plan.rows * plan.columns *
							 bench_conv2d_length(conv));
	plan.blocks = (plan.rows * row_bytes + BLOCK_BYTES - 1) / BLOCK_BYTES;
	/* The same number of blocks for each thread. */
	if (conv->n * conv->groups % plan.threads)
		plan.blocks = (plan.blocks + plan.threads - 1) / plan.threads * plan.threads;
	plan.block = (plan.rows + plan.blocks - 1) / plan.blocks;
	plan.blocks = (plan.rows + plan.block - 1) / plan.block;
	plan.jobs = conv->n * conv->groups * plan.blocks;
	plan.bytes = is_product(conv) ? 0 : (plan.block * row_bytes + 63) / 64 * 64;
	return plan;
}

/* C = A B of the convolution's type. */
static void multiply(const struct plan *plan, enum bench_dtype dtype, size_t m, size_t n, size_t k,
		     const void *a, size_t lda, const void *b, size_t ldb, void *c, size_t ldc)
{
	openblas_gemm(plan->library, dtype, CblasNoTrans, CblasNoTrans, m, n, k, 1, a, lda, b, ldb, 0, c,
		      ldc);
}

static char *at(const struct bench_conv2d *conv, const struct bench_buffer *buffer, size_t element)
{
	return (char *)buffer->data + element * bench_dtype_bytes(conv->dtype);
}

/*
 * out (k/groups x places) = weights (k/groups x length) windows (length x places) for rows first..end-1 of
 * the output. windows: room for those of the block; NULL where they are the input as it is.
 */
static void run_nchw(const struct plan *plan, const struct bench_conv2d *conv, size_t image, size_t group,
		     size_t first, size_t end, void *windows)
{
	size_t filters = conv->k / conv->groups, channels = conv->c / conv->groups;
	size_t length = bench_conv2d_length(conv), places = (end - first) * plan->columns;
	char *in = at(conv, conv->in, (image * conv->c + group * channels) * conv->h * conv->w);
	char *out = at(conv, conv->out,
		       ((image * conv->k + group * filters) * plan->rows + first) * plan->columns);
	const char *b = windows;
	size_t ldb = places;
	if (!windows) {
		b = in + first * conv->w * bench_dtype_bytes(conv->dtype);
		ldb = conv->h * conv->w;
	} else if (conv->dtype == BENCH_F64) {
		windows_nchw_f64(conv, (const double *)in, first, end, windows);
	} else {
		windows_nchw_f32(conv, (const float *)in, first, end, windows);
	}
	multiply(plan, conv->dtype, filters, places, length,
		 at(conv, conv->weights, group * filters * length), length, b, ldb, out,
		 plan->rows * plan->columns);
}

/* out (places x k/groups) = windows (places x length) weights (length x k/groups). */
static void run_nhwc(const struct plan *plan, const struct bench_conv2d *conv, size_t image, size_t group,
		     size_t first, size_t end, void *windows)
{
	size_t filters = conv->k / conv->groups, channels = conv->c / conv->groups;
	size_t length = bench_conv2d_length(conv), places = (end - first) * plan->columns;
	char *in = at(conv, conv->in, image * conv->h * conv->w * conv->c + group * channels);
	char *out =
		at(conv, conv->out, (image * plan->rows + first) * plan->columns * conv->k + group * filters);
	const char *a = windows;
	size_t lda = length;
	if (!windows) {
		a = in + first * conv->w * conv->c * bench_dtype_bytes(conv->dtype);
		lda = conv->c;
	} else if (conv->dtype == BENCH_F64) {
		windows_nhwc_f64(conv, (const double *)in, first, end, windows);
	} else {
		windows_nhwc_f32(conv, (const float *)in, first, end, windows);
	}
	multiply(plan, conv->dtype, places, filters, length, a, lda, at(conv, conv->weights, group * filters),
		 conv->k, out, conv->k);
}

/* Every `threads`th job from `thread` on. */
static void run_jobs(const struct plan *plan, const struct bench_conv2d *conv, unsigned thread, void *windows)
{
	for (size_t job = thread; job < plan->jobs; job += plan->threads) {
		size_t first = job % plan->blocks * plan->block, end = first + plan->block;
		size_t group = job / plan->blocks % conv->groups, image = job / plan->blocks / conv->groups;
		end = end < plan->rows ? end : plan->rows;
		(conv->layout == BENCH_CONV2D_NHWC ? run_nhwc : run_nchw)(plan, conv, image, group, first,
									  end, windows);
	}
}

/* Each dimension and stride of the products must fit the library's integer type. */
static int check_sizes(const struct plan *plan, const struct bench_conv2d *conv, struct bench_error *error)
{
	const size_t limit = INT32_MAX;
	if (conv->c <= limit && conv->k <= limit && bench_conv2d_length(conv) <= limit &&
	    plan->rows * plan->columns <= limit && conv->h * conv->w <= limit)
		return 0;
	return bench_fail(error, BENCH_UNSUPPORTED,
			  "openblas: conv2d by im2col takes channels, windows and images up to %zu", limit);
}

/*
 * Each thread makes the windows of a block and multiplies them, with OpenBLAS on one thread, so that they
 * are in its cache. (Windows by OpenMP and products by OpenBLAS's own threads would be two pools that wait
 * spinning, each on the other's cores.)
 */
static int im2col(struct bench_device *device, const struct bench_conv2d *conv, struct bench_error *error)
{
	struct plan plan = make_plan(device, conv);
	void *workspace = NULL;
	plan.library = openblas_of(device, error);
	if (!plan.library || check_sizes(&plan, conv, error) ||
	    (plan.bytes && bench_cpu_reserve(device, plan.threads * plan.bytes, &workspace, error)))
		return -1;
	int library_threads = openblas_threads(plan.library);
	openblas_set_threads(plan.library, 1);
#pragma omp parallel for num_threads(plan.threads) schedule(static, 1) if (plan.threads > 1)
	for (unsigned thread = 0; thread < plan.threads; thread++)
		run_jobs(&plan, conv, thread, plan.bytes ? (char *)workspace + thread * plan.bytes : NULL);
	openblas_set_threads(plan.library, library_threads);
	return 0;
}

int bench_openblas_conv2d(struct bench_device *device, const struct bench_conv2d *conv,
			  struct bench_error *error)
{
	static const struct bench_conv2d_methods methods = {
		.backend = "openblas",
		.run = {[BENCH_CONV2D_DIRECT] = bench_cpu_conv2d_direct, [BENCH_CONV2D_IM2COL] = im2col},
		.finish = bench_cpu_finish,
		.bytes = bench_cpu_bytes,
	};
	if (bench_cpu_check_dtype("openblas", "conv2d", conv->dtype, error))
		return -1;
	return bench_conv2d_dispatch(&methods, device, &device->conv2d, conv, error);
}
