/* SPDX-License-Identifier: MIT */
#include "backends/conv2d.h"

#include <stdlib.h>

#include "core/clock.h"

/*
 * How AUTO measures: an untimed call and a single one, then ROUNDS times every algorithm in turn,
 * each for sample_seconds but at the most SAMPLE_CALLS calls; the fastest sample counts. After
 * SURE_ROUNDS, one that took more than `hopeless` times as long as the fastest is not asked again.
 */
enum { ROUNDS = 5, SURE_ROUNDS = 2, SAMPLE_CALLS = 50 };
static const double sample_seconds = 2e-3, hopeless = 2;

void bench_conv2d_forget(struct bench_conv2d_measured **measured)
{
	while (*measured) {
		struct bench_conv2d_measured *next = (*measured)->next;
		free(*measured);
		*measured = next;
	}
}

static int check_buffers(const struct bench_conv2d *conv, bench_buffer_size *bytes, struct bench_error *error)
{
	struct bench_conv2d_sizes sizes;
	if (bench_conv2d_check(conv, &sizes, error))
		return -1;
	size_t real = bench_dtype_bytes(conv->dtype);
	const struct {
		const char *name;
		size_t elements, bytes;
	} buffers[] = {{"in", sizes.in, bytes(conv->in)},
		       {"weights", sizes.weights, bytes(conv->weights)},
		       {"out", sizes.out, bytes(conv->out)}};
	for (size_t i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++)
		if (buffers[i].elements > buffers[i].bytes / real)
			return bench_fail(error, BENCH_USAGE,
					  "conv2d: %s of %zu elements exceeds its buffer of %zu bytes",
					  buffers[i].name, buffers[i].elements, buffers[i].bytes);
	return 0;
}

/* What `count` costs in wholes of `of`, for each of them. */
static double whole(size_t count, size_t of)
{
	size_t wholes = (count + of - 1) / of;
	return (double)(wholes * of) / (double)count;
}

/*
 * What both cost for a vector of the output, in multiply-adds (measured on AVX-512): of places also the
 * turning of sums, which in nhwc there is none of, and of a lone vector of filters additions that wait for
 * each other; of tiles what lanes compute beyond the end of a row, and what the last one of filters does.
 */
bool bench_conv2d_prefers_places(const struct bench_conv2d *conv, size_t lanes)
{
	const double turning = 12, lone = 1.8, writing = 4;
	const size_t tile_filters = 8;
	size_t filters = conv->k / conv->groups, columns = bench_conv2d_extent(conv, conv->w, conv->s);
	double steps = (double)bench_conv2d_length(conv);
	if (filters < lanes || conv->layout == BENCH_CONV2D_NHWC)
		return filters >= lanes;
	return ((filters > lanes ? 1 : lone) * steps + turning) * whole(filters, lanes) <
	       (steps + writing) * whole(columns, lanes) * whole(filters, tile_filters);
}

bool bench_conv2d_is_depthwise(const struct bench_conv2d *conv)
{
	return conv->layout == BENCH_CONV2D_NHWC && conv->groups == conv->c && conv->k == conv->c;
}

size_t bench_conv2d_depthwise_vectors(size_t channels, size_t lanes)
{
	const size_t most = 3;
	size_t best = 1;
	for (size_t i = 2; i <= most && i * lanes <= channels; i++)
		best = whole(channels, i * lanes) <= whole(channels, best * lanes) ? i : best;
	return best;
}

bool bench_conv2d_is_like(const struct bench_conv2d *a, const struct bench_conv2d *b)
{
	return a->dtype == b->dtype && a->layout == b->layout && a->n == b->n && a->c == b->c &&
	       a->h == b->h && a->w == b->w && a->k == b->k && a->r == b->r && a->s == b->s &&
	       a->stride == b->stride && a->pad == b->pad && a->dilation == b->dilation &&
	       a->groups == b->groups;
}

static int run_one(const struct bench_conv2d_methods *methods, struct bench_device *device,
		   enum bench_conv2d_algorithm algorithm, const struct bench_conv2d *conv,
		   struct bench_error *error)
{
	if (!methods->run[algorithm])
		return bench_fail(error, BENCH_UNSUPPORTED, "backend %s has no algorithm=%s for conv2d",
				  methods->backend, bench_conv2d_algorithm_name(algorithm));
	return methods->run[algorithm](device, conv, error);
}

/* Seconds of one call, out of `calls`. */
static int time_calls(const struct bench_conv2d_methods *methods, struct bench_device *device,
		      enum bench_conv2d_algorithm algorithm, const struct bench_conv2d *conv, unsigned calls,
		      double *seconds, struct bench_error *error)
{
	uint64_t start = bench_clock_real.now_ns(bench_clock_real.context);
	for (unsigned i = 0; i < calls; i++)
		if (run_one(methods, device, algorithm, conv, error))
			return -1;
	if (methods->finish(device, error))
		return -1;
	*seconds = 1e-9 * (double)(bench_clock_real.now_ns(bench_clock_real.context) - start) / calls;
	return 0;
}

/*
 * The first two calls of each algorithm, of which the first compiles and allocates. Those that cannot do the
 * shape, or not in the memory there is, keep 0 seconds; where all cannot, the error is the last one's reason.
 */
static int try_all(const struct bench_conv2d_methods *methods, struct bench_device *device,
		   const struct bench_conv2d *conv, struct bench_conv2d_choice *choice, size_t *candidates,
		   struct bench_error *error)
{
	struct bench_error reason = {0};
	/* The work before is not part of what is timed. */
	if (methods->finish(device, error))
		return -1;
	for (enum bench_conv2d_algorithm i = BENCH_CONV2D_DIRECT; i < BENCH_CONV2D_ALGORITHMS; i++) {
		double seconds = 0;
		int status = 0;
		for (int call = 0; call < 2 && status == 0; call++)
			status = time_calls(methods, device, i, conv, 1, &seconds, &reason);
		if (status && (reason.code == BENCH_UNSUPPORTED || reason.code == BENCH_NO_MEMORY))
			continue;
		if (status)
			return bench_fail(error, reason.code, "%s", reason.text);
		choice->seconds[i] = seconds;
		if (*candidates == 0 || seconds < choice->seconds[choice->algorithm])
			choice->algorithm = i;
		++*candidates;
	}
	return *candidates ? 0 : bench_fail(error, reason.code, "%s", reason.text);
}

static int measure(const struct bench_conv2d_methods *methods, struct bench_device *device,
		   const struct bench_conv2d *conv, struct bench_conv2d_choice *choice,
		   struct bench_error *error)
{
	size_t candidates = 0;
	if (try_all(methods, device, conv, choice, &candidates, error))
		return -1;
	/* One alone needs no comparing. */
	for (int round = 0; round < ROUNDS && candidates > 1; round++)
		for (enum bench_conv2d_algorithm i = BENCH_CONV2D_DIRECT; i < BENCH_CONV2D_ALGORITHMS; i++) {
			double *least = &choice->seconds[i], seconds;
			if (*least == 0 ||
			    (round >= SURE_ROUNDS && *least > hopeless * choice->seconds[choice->algorithm]))
				continue;
			double calls = sample_seconds / *least;
			if (time_calls(methods, device, i, conv,
				       calls < 1              ? 1
				       : calls > SAMPLE_CALLS ? SAMPLE_CALLS
							      : (unsigned)calls,
				       &seconds, error))
				return -1;
			*least = seconds < *least ? seconds : *least;
			if (*least < choice->seconds[choice->algorithm])
				choice->algorithm = i;
		}
	return 0;
}

int bench_conv2d_dispatch(const struct bench_conv2d_methods *methods, struct bench_device *device,
			  struct bench_conv2d_measured **measured, const struct bench_conv2d *conv,
			  struct bench_error *error)
{
	if (check_buffers(conv, methods->bytes, error))
		return -1;
	if (conv->algorithm != BENCH_CONV2D_AUTO) {
		if (conv->choice)
			*conv->choice = (struct bench_conv2d_choice){.algorithm = conv->algorithm};
		return run_one(methods, device, conv->algorithm, conv, error);
	}
	struct bench_conv2d_measured *known = *measured;
	while (known && !bench_conv2d_is_like(&known->shape, conv))
		known = known->next;
	if (!known) {
		known = calloc(1, sizeof(*known));
		if (!known)
			return bench_fail(error, BENCH_NO_MEMORY, "no host memory for a measured shape");
		known->shape = *conv;
		known->shape.in = known->shape.weights = NULL;
		known->shape.out = NULL;
		known->shape.choice = NULL;
		if (measure(methods, device, conv, &known->choice, error)) {
			free(known);
			return -1;
		}
		known->next = *measured;
		*measured = known;
	}
	if (conv->choice)
		*conv->choice = known->choice;
	return run_one(methods, device, known->choice.algorithm, conv, error);
}
