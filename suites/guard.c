/* SPDX-License-Identifier: MIT */
/*
 * Suite guard: the raw matrix product against the guarded one, which takes any size.
 * docs/suites/guard.md says how to read it.
 */
#include <inttypes.h>
#include <string.h>

#include "kit/dense.h"
#include "suites/gemm_check.h"
#include "suites/operands.h"
#include "suites/params.h"
#include "suites/suites.h"

enum { DTYPE, N, VARIANT };
enum { SIZE_MAX_VALUE = 1 << 20, RAW_MULTIPLE = 128 };

static const struct bench_param params[] = {
	[DTYPE] = BENCH_CHOICE("dtype", "f32", "f32|f64", "type of the elements"),
	[N] = BENCH_INT("n", "1024", 1, SIZE_MAX_VALUE,
			"rows and columns of A, B and C; raw: a multiple of 128"),
	[VARIANT] = BENCH_CHOICE("variant", "raw", "raw|guarded",
				 "raw: nothing is looked at; guarded: sizes and alignment are"),
	{.name = NULL},
};

static const char *const quick[] = {"n=256,1024 variant=raw,guarded", NULL};
static const char *const nightly[] = {"n=128,256,512,1024,2048,4096 variant=raw,guarded", NULL};
static const char *const full[] = {"n=128,256,512,1024,2048,4096 variant=raw,guarded",
				   "dtype=f64 n=256,1024,4096 variant=raw,guarded", NULL};

struct state {
	struct bench_operands operands;
	struct bench_operand a, b, c;
	struct bench_gemm gemm;
};

/* Streams of the case's seed. */
enum { STREAM_A = 1, STREAM_B };

static bool is_raw(const struct bench_case *bench_case)
{
	return strcmp(bench_case->values[VARIANT].text, "raw") == 0;
}

static int work(const struct bench_case *bench_case, struct bench_work *work, struct bench_error *error)
{
	int64_t size = bench_case->values[N].integer;
	uint64_t n = (uint64_t)size, bytes;
	if (size < 1 || size > SIZE_MAX_VALUE ||
	    !bench_dense_bytes(n, n, bench_operand_dtype(&bench_case->values[DTYPE]), &bytes))
		return bench_fail(error, BENCH_USAGE, "guard: n=%" PRId64 " is no size of a matrix", size);
	if (is_raw(bench_case) && n % RAW_MULTIPLE != 0)
		return bench_fail(error, BENCH_USAGE,
				  "guard: n=%" PRId64 " is no multiple of %d, which a raw product has to be: "
				  "take another, or variant=guarded alone",
				  size, RAW_MULTIPLE);
	work->flops = 2.0 * (double)n * (double)n * (double)n;
	work->bytes = 3.0 * (double)bytes;
	work->device_bytes = 3 * bytes;
	work->largest_bytes = bytes;
	work->host_bytes = 3 * bytes + bench_gemm_check_bytes(n, n, n);
	return 0;
}

static int setup(struct bench_case *bench_case, struct bench_error *error)
{
	enum bench_dtype dtype = bench_operand_dtype(&bench_case->values[DTYPE]);
	size_t n = (size_t)bench_case->values[N].integer;
	struct state *state = bench_operands_begin(bench_case, sizeof(*state), "guard",
						   bench_case->backend->gemm ? NULL : "gemm", dtype, error);
	if (!state || bench_operand_input(bench_case, dtype, n * n, STREAM_A, &state->a, error) ||
	    bench_operand_input(bench_case, dtype, n * n, STREAM_B, &state->b, error) ||
	    bench_operand_output(bench_case, dtype, n * n, &state->c, error))
		return -1;
	state->gemm = bench_gemm_square(dtype, n);
	state->gemm.a = state->a.buffer;
	state->gemm.b = state->b.buffer;
	state->gemm.c = state->c.buffer;
	state->gemm.raw = is_raw(bench_case);
	return 0;
}

BENCH_RUN(gemm)

static int check(struct bench_case *bench_case, uint64_t iterations, struct bench_check *check,
		 struct bench_error *error)
{
	(void)iterations; /* every iteration writes the same */
	struct state *state = bench_case->state;
	const size_t n = state->gemm.n;
	const enum bench_dtype dtype = state->gemm.dtype;
	if (bench_operand_download(bench_case, &state->c, error))
		return -1;
	return bench_gemm_check_square(
		bench_gemm_matrix(dtype, n, state->a.host), bench_gemm_matrix(dtype, n, state->b.host),
		bench_gemm_matrix(dtype, n, state->c.host), bench_case->seed, check, error);
}

const struct bench_suite bench_suite_guard = {
	.name = "guard",
	.summary = "a matrix product with and without a check of its sizes",
	.sweeps = {quick, nightly, full},
	.variants = "variant",
	BENCH_OPERANDS_HOOKS,
};
