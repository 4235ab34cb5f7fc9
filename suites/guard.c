/*
 * Suite guard: the raw matrix product against the guarded one, which takes any size.
 * docs/suites/guard.md says how to read it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kit/dense.h"
#include "suites/gemm_check.h"
#include "suites/suites.h"

enum { DTYPE, N, VARIANT };
enum { SIZE_MAX_VALUE = 1 << 20, RAW_MULTIPLE = 128 };

static const struct bench_param params[] = {
	[DTYPE] = {.name = "dtype",
		   .type = BENCH_PARAM_CHOICE,
		   .fallback = "f32",
		   .choices = "f32|f64",
		   .help = "type of the elements"},
	[N] = {.name = "n",
	       .type = BENCH_PARAM_INT,
	       .fallback = "1024",
	       .min = 1,
	       .max = SIZE_MAX_VALUE,
	       .help = "rows and columns of A, B and C; raw: a multiple of 128"},
	[VARIANT] = {.name = "variant",
		     .type = BENCH_PARAM_CHOICE,
		     .fallback = "raw",
		     .choices = "raw|guarded",
		     .help = "raw: nothing is looked at; guarded: sizes and alignment are"},
	{.name = NULL},
};

static const char *const quick[] = {"n=256,1024 variant=raw,guarded", NULL};
static const char *const nightly[] = {"n=128,256,512,1024,2048,4096 variant=raw,guarded", NULL};
static const char *const full[] = {"n=128,256,512,1024,2048,4096 variant=raw,guarded",
				   "dtype=f64 n=256,1024,4096 variant=raw,guarded", NULL};

struct state {
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
	    !bench_dense_bytes(n, n, bench_dense_dtype(&bench_case->values[DTYPE]), &bytes))
		return bench_fail(error, BENCH_USAGE, "guard: n=%" PRId64 " is no size of a matrix", size);
	if (is_raw(bench_case) && n % RAW_MULTIPLE != 0)
		return bench_fail(error, BENCH_USAGE,
				  "guard: n=%" PRId64
				  " is no multiple of %d, which a raw product has to be: take another, or "
				  "variant=guarded alone",
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
	enum bench_dtype dtype = bench_dense_dtype(&bench_case->values[DTYPE]);
	size_t n = (size_t)bench_case->values[N].integer;
	if (bench_dense_supported(bench_case, dtype, error))
		return -1;
	struct state *state = bench_case->state = calloc(1, sizeof(*state));
	if (!state)
		return bench_fail(error, BENCH_NO_MEMORY, "guard: no host memory");
	if (bench_operand_make(bench_case, dtype, n * n, &state->a, error) ||
	    bench_operand_make(bench_case, dtype, n * n, &state->b, error) ||
	    bench_operand_make(bench_case, dtype, n * n, &state->c, error) ||
	    bench_operand_fill(bench_case, STREAM_A, &state->a, error) ||
	    bench_operand_fill(bench_case, STREAM_B, &state->b, error))
		return -1;
	state->gemm = (struct bench_gemm){
		.dtype = dtype,
		.m = n,
		.n = n,
		.k = n,
		.alpha = 1,
		.a = state->a.buffer,
		.b = state->b.buffer,
		.c = state->c.buffer,
		.lda = n,
		.ldb = n,
		.ldc = n,
		.raw = is_raw(bench_case),
	};
	return 0;
}

static int run(struct bench_case *bench_case, uint64_t iterations, struct bench_error *error)
{
	const struct state *state = bench_case->state;
	for (uint64_t i = 0; i < iterations; i++)
		if (bench_case->backend->gemm(bench_case->device, &state->gemm, error))
			return -1;
	return 0;
}

static int prepare(struct bench_case *bench_case, struct bench_error *error)
{
	struct state *state = bench_case->state;
	return bench_operand_spoil(bench_case, &state->c, error);
}

static int check(struct bench_case *bench_case, uint64_t iterations, struct bench_check *check,
		 struct bench_error *error)
{
	struct state *state = bench_case->state;
	const struct bench_gemm *gemm = &state->gemm;
	struct bench_gemm_problem problem = {
		.a = {gemm->dtype, false, gemm->m, gemm->k, gemm->lda, state->a.host},
		.b = {gemm->dtype, false, gemm->k, gemm->n, gemm->ldb, state->b.host},
		.c = {gemm->dtype, false, gemm->m, gemm->n, gemm->ldc, state->c.host},
		.seed = bench_case->seed,
	};
	bench_gemm_grow(gemm->alpha, gemm->beta, iterations, &problem.growth);
	if (bench_operand_download(bench_case, &state->c, error))
		return -1;
	return bench_gemm_check(&problem, check, error);
}

static void teardown(struct bench_case *bench_case)
{
	struct state *state = bench_case->state;
	if (!state)
		return;
	bench_operand_free(bench_case, &state->a);
	bench_operand_free(bench_case, &state->b);
	bench_operand_free(bench_case, &state->c);
	free(state);
	bench_case->state = NULL;
}

const struct bench_suite bench_suite_guard = {
	.abi = BENCH_SUITE_ABI,
	.name = "guard",
	.summary = "a matrix product that looks at its sizes first, against one that does not",
	.params = params,
	.sweeps = {quick, nightly, full},
	.variants = "variant",
	.work = work,
	.setup = setup,
	.run = run,
	.prepare = prepare,
	.check = check,
	.teardown = teardown,
};
