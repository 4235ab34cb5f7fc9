/*
 * Suite conv2d: the two-dimensional convolution of networks, by shape and algorithm.
 * docs/suites/conv2d.md says how to read it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kit/conv2d.h"
#include "kit/dense.h"
#include "suites/conv2d_check.h"
#include "suites/suites.h"

enum { DTYPE, LAYOUT, N, C, H, W, K, R, S, STRIDE, PAD, DILATION, GROUPS, ALGORITHM };
enum { SIDE_LIMIT = 1 << 20 };

static const struct bench_param params[] = {
	[DTYPE] = {.name = "dtype",
		   .type = BENCH_PARAM_CHOICE,
		   .fallback = "f32",
		   .choices = "f32|f64",
		   .help = "type of the elements"},
	[LAYOUT] = {.name = "layout",
		    .type = BENCH_PARAM_CHOICE,
		    .fallback = "nchw",
		    .choices = "nchw|nhwc",
		    .help = "channels before rows and columns, or last"},
	[N] = {.name = "n",
	       .type = BENCH_PARAM_INT,
	       .fallback = "1",
	       .min = 1,
	       .max = SIDE_LIMIT,
	       .help = "images"},
	[C] = {.name = "c",
	       .type = BENCH_PARAM_INT,
	       .fallback = "32",
	       .min = 1,
	       .max = SIDE_LIMIT,
	       .help = "channels of the input"},
	[H] = {.name = "h",
	       .type = BENCH_PARAM_INT,
	       .fallback = "28",
	       .min = 1,
	       .max = SIDE_LIMIT,
	       .help = "rows of the input"},
	[W] = {.name = "w",
	       .type = BENCH_PARAM_INT,
	       .fallback = "=h",
	       .min = 1,
	       .max = SIDE_LIMIT,
	       .help = "columns of the input"},
	[K] = {.name = "k",
	       .type = BENCH_PARAM_INT,
	       .fallback = "64",
	       .min = 1,
	       .max = SIDE_LIMIT,
	       .help = "channels of the output"},
	[R] = {.name = "r",
	       .type = BENCH_PARAM_INT,
	       .fallback = "3",
	       .min = 1,
	       .max = SIDE_LIMIT,
	       .help = "rows of the kernel"},
	[S] = {.name = "s",
	       .type = BENCH_PARAM_INT,
	       .fallback = "=r",
	       .min = 1,
	       .max = SIDE_LIMIT,
	       .help = "columns of the kernel"},
	[STRIDE] = {.name = "stride",
		    .type = BENCH_PARAM_INT,
		    .fallback = "1",
		    .min = 1,
		    .max = SIDE_LIMIT,
		    .help = "rows and columns from one window to the next"},
	[PAD] = {.name = "pad",
		 .type = BENCH_PARAM_INT,
		 .fallback = "1",
		 .min = 0,
		 .max = SIDE_LIMIT,
		 .help = "zeros around the input, on each side"},
	[DILATION] = {.name = "dilation",
		      .type = BENCH_PARAM_INT,
		      .fallback = "1",
		      .min = 1,
		      .max = SIDE_LIMIT,
		      .help = "rows and columns from one tap of the kernel to the next"},
	[GROUPS] = {.name = "groups",
		    .type = BENCH_PARAM_INT,
		    .fallback = "1",
		    .min = 1,
		    .max = SIDE_LIMIT,
		    .help = "parts of the channels that do not mix; c: depthwise"},
	[ALGORITHM] = {.name = "algorithm",
		       .type = BENCH_PARAM_CHOICE,
		       .fallback = "auto",
		       .choices = "auto|direct|im2col|winograd",
		       .help = "auto: the fastest of the others, measured before the first sample"},
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
				   NULL};

struct state {
	struct bench_operand in, weights, out;
	struct bench_conv2d conv;
	struct bench_conv2d_choice choice; /* of the last run */
};

/* Streams of the case's seed. */
enum { STREAM_IN = 1, STREAM_WEIGHTS };

/* The case's convolution, but for its buffers. */
static struct bench_conv2d conv_of(const struct bench_case *bench_case)
{
	const struct bench_value *values = bench_case->values;
	return (struct bench_conv2d){
		.dtype = bench_dense_dtype(&values[DTYPE]),
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
	if (!bench_case->backend->conv2d)
		return bench_fail(error, BENCH_UNSUPPORTED, "backend %s has no conv2d",
				  bench_case->backend->name);
	if (bench_dense_dtype_supported(bench_case, conv.dtype, error) ||
	    bench_conv2d_check(&conv, &sizes, error))
		return -1;
	struct state *state = bench_case->state = calloc(1, sizeof(*state));
	if (!state)
		return bench_fail(error, BENCH_NO_MEMORY, "conv2d: no host memory");
	if (bench_operand_make(bench_case, conv.dtype, sizes.in, &state->in, error) ||
	    bench_operand_make(bench_case, conv.dtype, sizes.weights, &state->weights, error) ||
	    bench_operand_make(bench_case, conv.dtype, sizes.out, &state->out, error) ||
	    bench_operand_fill(bench_case, STREAM_IN, &state->in, error) ||
	    bench_operand_fill(bench_case, STREAM_WEIGHTS, &state->weights, error))
		return -1;
	conv.in = state->in.buffer;
	conv.weights = state->weights.buffer;
	conv.out = state->out.buffer;
	conv.choice = &state->choice;
	state->conv = conv;
	return 0;
}

static int run(struct bench_case *bench_case, uint64_t iterations, struct bench_error *error)
{
	struct state *state = bench_case->state;
	for (uint64_t i = 0; i < iterations; i++)
		if (bench_case->backend->conv2d(bench_case->device, &state->conv, error))
			return -1;
	return 0;
}

static int prepare(struct bench_case *bench_case, struct bench_error *error)
{
	struct state *state = bench_case->state;
	return bench_operand_spoil(bench_case, &state->out, error);
}

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
	    bench_conv2d_check_output(&state->conv, state->in.host, state->weights.host, state->out.host,
				      state->choice.algorithm, bench_case->seed, check, error))
		return -1;
	add_choice(&state->choice, check);
	return 0;
}

static void teardown(struct bench_case *bench_case)
{
	struct state *state = bench_case->state;
	if (!state)
		return;
	bench_operand_free(bench_case, &state->in);
	bench_operand_free(bench_case, &state->weights);
	bench_operand_free(bench_case, &state->out);
	free(state);
	bench_case->state = NULL;
}

const struct bench_suite bench_suite_conv2d = {
	.abi = BENCH_SUITE_ABI,
	.name = "conv2d",
	.summary = "two-dimensional convolution of networks: direct, im2col, Winograd",
	.params = params,
	.sweeps = {quick, nightly, full},
	.work = work,
	.setup = setup,
	.run = run,
	.prepare = prepare,
	.check = check,
	.teardown = teardown,
};
