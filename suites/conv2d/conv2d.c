/* SPDX-License-Identifier: MIT */
/*
 * Suite conv2d: the two-dimensional convolution of networks, by shape and algorithm.
 * docs/suites/conv2d.md says how to read it.
 */
#include <stdio.h>
#include <string.h>

#include "kit/conv2d.h"
#include "suites/conv2d/check.h"
#include "suites/operands.h"
#include "suites/params.h"
#include "suites/suites.h"

enum { DTYPE, LAYOUT, N, C, H, W, K, R, S, STRIDE, PAD, DILATION, GROUPS, ALGORITHM };
enum { SIDE_LIMIT = 1 << 20 };

static const struct bench_param params[] = {
	[DTYPE] = BENCH_CHOICE("dtype", "f32", "f32|f64|f16|bf16|tf32", "type of the elements"),
	[LAYOUT] = BENCH_CHOICE("layout", "nchw", "nchw|nhwc", "channels before rows and columns, or last"),
	[N] = BENCH_INT("n", "1", 1, SIDE_LIMIT, "images"),
	[C] = BENCH_INT("c", "32", 1, SIDE_LIMIT, "channels of the input"),
	[H] = BENCH_INT("h", "28", 1, SIDE_LIMIT, "rows of the input"),
	[W] = BENCH_INT("w", "=h", 1, SIDE_LIMIT, "columns of the input"),
	[K] = BENCH_INT("k", "64", 1, SIDE_LIMIT, "channels of the output"),
	[R] = BENCH_INT("r", "3", 1, SIDE_LIMIT, "rows of the kernel"),
	[S] = BENCH_INT("s", "=r", 1, SIDE_LIMIT, "columns of the kernel"),
	[STRIDE] = BENCH_INT("stride", "1", 1, SIDE_LIMIT, "rows and columns from one window to the next"),
	[PAD] = BENCH_INT("pad", "1", 0, SIDE_LIMIT, "zeros around the input, on each side"),
	[DILATION] = BENCH_INT("dilation", "1", 1, SIDE_LIMIT,
			       "rows and columns from one tap of the kernel to the next"),
	[GROUPS] = BENCH_INT("groups", "1", 1, SIDE_LIMIT,
			     "parts of the channels that do not mix; c: depthwise"),
	[ALGORITHM] = BENCH_CHOICE("algorithm", "auto", "auto|direct|im2col|winograd",
				   "auto: the fastest of the others, measured before the first sample"),
	BENCH_DATA,
	{.name = NULL},
};

#define QUICK "c=32 h=28 k=64"
/* First layers of networks of images: VGG's, ResNet's; then a 1x1, a depthwise, a grouped and a dilated one.
 */
#define NIGHTLY                                                                                              \
	QUICK, "c=3 h=224 k=64", "c=3 h=224 k=64 r=7 stride=2 pad=3", "c=64 h=56 k=256 r=1 pad=0",           \
		"c=64 h=56 k=64 groups=64", "layout=nhwc", "pad=2 dilation=2", "groups=4"

static const char *const quick[] = {QUICK, "c=64 h=56 k=256 r=1 pad=0", NULL};
static const char *const nightly[] = {NIGHTLY, NULL};
static const char *const full[] = {NIGHTLY,
				   "algorithm=direct,im2col,winograd",
				   "c=3 h=224 k=64 algorithm=direct,im2col,winograd",
				   "c=3 h=224 k=64 r=7 stride=2 pad=3 algorithm=direct,im2col",
				   "c=64 h=56 k=256 r=1 pad=0 algorithm=direct,im2col",
				   "c=64 h=56 k=64 groups=64 algorithm=direct,im2col",
				   "layout=nhwc c=64 h=56 k=64 algorithm=auto,direct,im2col,winograd",
				   "c=128 h=28 k=128 n=1,8 algorithm=auto,direct,im2col,winograd",
				   "dtype=f64 algorithm=auto,direct,im2col",
				   "dtype=f16,bf16,tf32 c=64 h=56 k=64 layout=nchw,nhwc",
				   "n=32 dtype=f32,f16 c=64 h=56 k=64",
				   "n=32 dtype=f32,f16 c=256 h=14 k=256",
				   "n=32 dtype=f32,f16 c=256 h=56 k=64 r=1 pad=0",
				   "n=32 dtype=f32,f16 c=96 h=112 k=96 groups=96",
				   NULL};

struct state {
	struct bench_operands operands;
	struct bench_operand in, weights, out;
	struct bench_conv2d conv2d;
	struct bench_conv2d_choice choice; /* of the last run */
};

/* Streams of the case's seed. */
enum { STREAM_IN = 1, STREAM_WEIGHTS };

/* The case's convolution, without its buffers. */
static struct bench_conv2d conv_of(const struct bench_case *bench_case)
{
	const struct bench_value *values = bench_case->values;
	return (struct bench_conv2d){
		.dtype = bench_operand_dtype(&values[DTYPE]),
		.layout = strcmp(values[LAYOUT].text, "nhwc") == 0 ? BENCH_CONV2D_NHWC : BENCH_CONV2D_NCHW,
		.algorithm = (enum bench_conv2d_algorithm)values[ALGORITHM].integer,
		.n = (size_t)values[N].integer,
		.c = (size_t)values[C].integer,
		.h = (size_t)values[H].integer,
		.w = (size_t)values[W].integer,
		.k = (size_t)values[K].integer,
		.r = (size_t)values[R].integer,
		.s = (size_t)values[S].integer,
		.stride = (size_t)values[STRIDE].integer,
		.pad = (size_t)values[PAD].integer,
		.dilation = (size_t)values[DILATION].integer,
		.groups = (size_t)values[GROUPS].integer,
	};
}

static int work(const struct bench_case *bench_case, struct bench_work *work, struct bench_error *error)
{
	struct bench_conv2d conv = conv_of(bench_case);
	struct bench_conv2d_sizes sizes;
	if (bench_conv2d_check(&conv, &sizes, error))
		return -1;
	uint64_t real = bench_dtype_bytes(conv.dtype);
	uint64_t arrays = real * ((uint64_t)sizes.in + sizes.weights + sizes.out);
	/* Winograd needs four ninths of the products, or less; what is counted is the definition's. */
	work->flops = 2.0 * (double)sizes.out * (double)bench_conv2d_length(&conv);
	work->bytes = (double)arrays;
	work->largest_bytes = real * (sizes.in > sizes.out ? sizes.in : sizes.out);
	work->largest_bytes =
		work->largest_bytes > real * sizes.weights ? work->largest_bytes : real * sizes.weights;
	work->device_bytes = arrays;
	if (conv.algorithm == BENCH_CONV2D_IM2COL)
		work->device_bytes += real * sizes.windows;
	work->host_bytes = arrays + bench_conv2d_check_bytes(&conv);
	return 0;
}

static int setup(struct bench_case *bench_case, struct bench_error *error)
{
	struct bench_conv2d conv = conv_of(bench_case);
	struct bench_conv2d_sizes sizes;
	if (bench_operands_supported(bench_case, bench_case->backend->conv2d ? NULL : "conv2d", conv.dtype,
				     error) ||
	    bench_conv2d_check(&conv, &sizes, error))
		return -1;
	struct state *state = bench_state_make(bench_case, sizeof(*state), "conv2d", error);
	if (!state || bench_operand_input(bench_case, conv.dtype, sizes.in, STREAM_IN, &state->in, error) ||
	    bench_operand_input(bench_case, conv.dtype, sizes.weights, STREAM_WEIGHTS, &state->weights,
				error) ||
	    bench_operand_output(bench_case, conv.dtype, sizes.out, &state->out, error))
		return -1;
	conv.in = state->in.buffer;
	conv.weights = state->weights.buffer;
	conv.out = state->out.buffer;
	conv.choice = &state->choice;
	state->conv2d = conv;
	return 0;
}

BENCH_RUN(conv2d)

/* Appends to the method of a check: "; im2col of direct 1.2 ms, im2col 0.4 ms". */
static void add_choice(const struct bench_conv2d_choice *choice, struct bench_check *check)
{
	size_t size = sizeof(check->method), at = strlen(check->method);
	const char *between = " of";
	at += (size_t)snprintf(check->method + at, size - at, "; %s",
			       bench_conv2d_algorithm_name(choice->algorithm));
	for (enum bench_conv2d_algorithm i = 0; i < BENCH_CONV2D_ALGORITHMS && at < size; i++) {
		if (choice->seconds[i] == 0)
			continue;
		at += (size_t)snprintf(check->method + at, size - at, "%s %s %.2g ms", between,
				       bench_conv2d_algorithm_name(i), choice->seconds[i] * 1e3);
		between = ",";
	}
}

static int check(struct bench_case *bench_case, uint64_t iterations, struct bench_check *check,
		 struct bench_error *error)
{
	(void)iterations; /* every iteration writes the same */
	struct state *state = bench_case->state;
	if (bench_operand_download(bench_case, &state->out, error) ||
	    bench_conv2d_check_output(&state->conv2d, state->in.host, state->weights.host, state->out.host,
				      state->choice.algorithm, bench_operand_data(bench_case),
				      bench_case->seed, check, error))
		return -1;
	add_choice(&state->choice, check);
	return 0;
}

const struct bench_suite bench_suite_conv2d = {
	.name = "conv2d",
	.summary = "two-dimensional convolution of networks: direct, im2col, Winograd",
	.sweeps = {quick, nightly, full},
	.joined = "data",
	BENCH_OPERANDS_HOOKS,
};
