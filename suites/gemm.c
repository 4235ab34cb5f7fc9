/* SPDX-License-Identifier: MIT */
/*
 * Suite gemm: the matrix product, C = alpha op(A) op(B) + beta C, at many sizes and shapes, one
 * or a batch of them.
 * docs/suites/gemm.md says how to read it.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kit/dense.h"
#include "suites/gemm_check.h"
#include "suites/operands.h"
#include "suites/params.h"
#include "suites/suites.h"

enum { DTYPE, M, N, K, TRANS, ALPHA, BETA, BATCH, LDA, LDB, LDC };
enum { SIZE_MAX_VALUE = 1 << 20, BATCH_MAX = 1 << 20, LD_MAX = 1 << 24 };

static const struct bench_param params[] = {
	[DTYPE] = BENCH_CHOICE("dtype", "f32", "f32|f64|f16|bf16|tf32|c32",
			       "type of the elements; c32: complex"),
	[M] = BENCH_INT("m", "=n", 1, SIZE_MAX_VALUE, "rows of op(A) and C"),
	[N] = BENCH_INT("n", "1024", 1, SIZE_MAX_VALUE, "columns of op(B) and C"),
	[K] = BENCH_INT("k", "=n", 1, SIZE_MAX_VALUE, "columns of op(A), rows of op(B)"),
	[TRANS] = BENCH_CHOICE("trans", "NN", "NN|NT|TN|TT", "of A and of B: N as stored, T transposed"),
	[ALPHA] = BENCH_REAL("alpha", "1", "factor of the product"),
	[BETA] = BENCH_REAL("beta", "0", "factor of what C held before"),
	[BATCH] = BENCH_INT("batch", "1", 1, BATCH_MAX,
			    "products of this shape in one call, each with separate matrices"),
	[LDA] = BENCH_INT("lda", "0", 0, LD_MAX, "elements from a row of A to the next; 0: no gaps"),
	[LDB] = BENCH_INT("ldb", "0", 0, LD_MAX, "elements from a row of B to the next; 0: no gaps"),
	[LDC] = BENCH_INT("ldc", "0", 0, LD_MAX, "elements from a row of C to the next; 0: no gaps"),
	BENCH_DATA,
	{.name = NULL},
};

static const char *const quick[] = {"n=256,1024", "n=64 batch=16", NULL};

/* 256x128x784 and 256x10x128 are the layers of a small network; 1000 is a multiple of no tile. */
#define NIGHTLY_SHAPES                                                                                       \
	"dtype=f64 n=512,1024", "dtype=f16 n=256,512,1024,2048,4096", "dtype=bf16,tf32 n=1024,4096",         \
		"trans=NT,TN,TT n=1024", "beta=0.5 n=1024", "n=1000", "m=256 n=128 k=784",                   \
		"m=256 n=10 k=128", "m=1 n=4096 k=4096", "m=4096 n=1 k=4096", "batch=64 n=64,128",           \
		"batch=16 n=256"

static const char *const nightly[] = {"n=64,128,256,512,1024,2048,4096", NIGHTLY_SHAPES, NULL};
static const char *const full[] = {"n=64,128,256,512,1024,2048,4096,8192,16384", NIGHTLY_SHAPES,
				   "dtype=f64 n=2048,4096", NULL};

struct state {
	struct bench_operands operands;
	struct bench_operand a, b, c;
	void *c0; /* what C holds before the first iteration; NULL where beta is 0 */
	struct bench_gemm gemm;
};

/* Streams of the case's seed. */
enum { STREAM_A = 1, STREAM_B, STREAM_C };

/* A leading dimension; 0 is the length of a row. */
static size_t ld_of(const struct bench_value *value, size_t row)
{
	return value->integer > 0 ? (size_t)value->integer : row;
}

/* The case's product, without its buffers. The matrices of a batch follow each other without gaps. */
static struct bench_gemm gemm_of(const struct bench_case *bench_case)
{
	const struct bench_value *values = bench_case->values;
	size_t m = (size_t)values[M].integer, n = (size_t)values[N].integer, k = (size_t)values[K].integer;
	bool trans_a = values[TRANS].text[0] == 'T', trans_b = values[TRANS].text[1] == 'T';
	size_t lda = ld_of(&values[LDA], trans_a ? m : k), ldb = ld_of(&values[LDB], trans_b ? k : n);
	size_t ldc = ld_of(&values[LDC], n);
	return (struct bench_gemm){
		.dtype = bench_operand_dtype(&bench_case->values[DTYPE]),
		.trans_a = trans_a,
		.trans_b = trans_b,
		.m = m,
		.n = n,
		.k = k,
		.alpha = values[ALPHA].real,
		.beta = values[BETA].real,
		.lda = lda,
		.ldb = ldb,
		.ldc = ldc,
		.batch = (size_t)values[BATCH].integer,
		.stride_a = (trans_a ? k : m) * lda,
		.stride_b = (trans_b ? n : k) * ldb,
		.stride_c = m * ldc,
	};
}

static int check_factors(const struct bench_case *bench_case, const struct bench_gemm *gemm,
			 struct bench_error *error)
{
	/* Sums of 2^20 products then stay in the range of the type, and of its normal numbers. */
	bool uniform = bench_operand_data(bench_case) == BENCH_DATA_UNIFORM;
	double largest = gemm->dtype != BENCH_F16 ? 1e30 : uniform ? 10 : 4, smallest = 1 / largest;
	if (gemm->alpha == 0)
		return bench_fail(error, BENCH_USAGE, "gemm: alpha=0 leaves no product to measure");
	if (fabs(gemm->alpha) > largest || fabs(gemm->alpha) < smallest)
		return bench_fail(error, BENCH_USAGE, "gemm: alpha=%g: its magnitude must be %g to %g",
				  gemm->alpha, smallest, largest);
	if (gemm->beta != 0 && (fabs(gemm->beta) > largest || fabs(gemm->beta) < smallest))
		return bench_fail(error, BENCH_USAGE, "gemm: beta=%g: its magnitude must be 0 or %g to %g",
				  gemm->beta, smallest, largest);
	return 0;
}

static int check_rows(const struct bench_gemm *gemm, struct bench_error *error)
{
	const struct {
		const char *matrix;
		size_t ld, row;
	} rows[] = {{"a", gemm->lda, gemm->trans_a ? gemm->m : gemm->k},
		    {"b", gemm->ldb, gemm->trans_b ? gemm->k : gemm->n},
		    {"c", gemm->ldc, gemm->n}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].ld < rows[i].row)
			return bench_fail(error, BENCH_USAGE,
					  "gemm: ld%s=%zu: it must be 0, or no less than a row of %zu",
					  rows[i].matrix, rows[i].ld, rows[i].row);
	return 0;
}

/* rows x cols elements, of all products; false where that is too much. */
static bool bytes_of(const struct bench_gemm *gemm, size_t rows, size_t cols, uint64_t *bytes)
{
	uint64_t one;
	return bench_dense_bytes(rows, cols, gemm->dtype, &one) &&
	       !__builtin_mul_overflow(one, (uint64_t)gemm->batch, bytes) && *bytes < BENCH_DENSE_BYTES_LIMIT;
}

static int work(const struct bench_case *bench_case, struct bench_work *work, struct bench_error *error)
{
	const struct bench_value *values = bench_case->values;
	struct bench_gemm gemm = gemm_of(bench_case);
	if (check_factors(bench_case, &gemm, error) || check_rows(&gemm, error))
		return -1;
	uint64_t a, b, c, stored_a, stored_b, stored_c;
	if (values[M].integer < 1 || values[N].integer < 1 || values[K].integer < 1 ||
	    values[BATCH].integer < 1 || !bytes_of(&gemm, gemm.m, gemm.k, &a) ||
	    !bytes_of(&gemm, gemm.k, gemm.n, &b) || !bytes_of(&gemm, gemm.m, gemm.n, &c) ||
	    !bytes_of(&gemm, gemm.stride_a, 1, &stored_a) || !bytes_of(&gemm, gemm.stride_b, 1, &stored_b) ||
	    !bytes_of(&gemm, gemm.stride_c, 1, &stored_c))
		return bench_fail(error, BENCH_USAGE,
				  "gemm: m=%" PRId64 " n=%" PRId64 " k=%" PRId64 " batch=%" PRId64
				  ": the sizes of the matrices overflow; use smaller m, n, k, batch",
				  values[M].integer, values[N].integer, values[K].integer,
				  values[BATCH].integer);
	uint64_t c_copies = gemm.beta != 0 ? 2 : 1;
	/* The scaling by alpha and beta is not counted, as is the custom. */
	work->flops = (gemm.dtype == BENCH_C32 ? 8.0 : 2.0) * (double)gemm.batch * (double)gemm.m *
		      (double)gemm.n * (double)gemm.k;
	work->bytes = (double)(a + b) + (double)(c * c_copies);
	work->device_bytes = stored_a + stored_b + stored_c;
	work->largest_bytes = stored_a > stored_b ? stored_a : stored_b;
	work->largest_bytes = work->largest_bytes > stored_c ? work->largest_bytes : stored_c;
	work->host_bytes =
		stored_a + stored_b + stored_c * c_copies + bench_gemm_check_bytes(gemm.m, gemm.n, gemm.k);
	if (gemm.dtype == BENCH_C32)
		work->host_bytes += a / gemm.batch + 2 * (b / gemm.batch) +
				    bench_gemm_check_bytes(gemm.m, 2 * gemm.n, 2 * gemm.k);
	return 0;
}

static int setup(struct bench_case *bench_case, struct bench_error *error)
{
	struct bench_gemm gemm = gemm_of(bench_case);
	struct state *state =
		bench_operands_begin(bench_case, sizeof(*state), "gemm",
				     bench_case->backend->gemm ? NULL : "gemm", gemm.dtype, error);
	if (!state ||
	    bench_operand_input(bench_case, gemm.dtype, gemm.batch * gemm.stride_a, STREAM_A, &state->a,
				error) ||
	    bench_operand_input(bench_case, gemm.dtype, gemm.batch * gemm.stride_b, STREAM_B, &state->b,
				error) ||
	    bench_operand_output(bench_case, gemm.dtype, gemm.batch * gemm.stride_c, &state->c, error))
		return -1;
	if (gemm.beta != 0) {
		state->c0 = malloc(bench_operand_bytes(&state->c));
		if (!state->c0)
			return bench_fail(error, BENCH_NO_MEMORY, "gemm: no host memory for a copy of C");
		bench_rng_fill_data(bench_operand_data(bench_case), bench_case->seed, STREAM_C, gemm.dtype,
				    state->c0, state->c.count);
	}
	gemm.a = state->a.buffer;
	gemm.b = state->b.buffer;
	gemm.c = state->c.buffer;
	state->gemm = gemm;
	return 0;
}

BENCH_RUN(gemm)

static int prepare(struct bench_case *bench_case, struct bench_error *error)
{
	struct state *state = bench_case->state;
	if (!state->c0)
		return bench_operands_spoil(bench_case, error);
	memcpy(state->c.host, state->c0, bench_operand_bytes(&state->c));
	return bench_operand_upload(bench_case, &state->c, error);
}

/*
 * Half runs out of range at 65504, long before its rounding has grown as much as bench_gemm_grow allows; and
 * that of bf16 would soon be as large as C.
 */
static bool grow(const struct bench_gemm *gemm, uint64_t iterations, struct bench_gemm_growth *growth)
{
	const double limit = 4;
	return bench_gemm_grow(gemm->alpha, gemm->beta, iterations, growth) &&
	       (bench_dense_rounding(gemm->dtype) == 0 ||
		(growth->product_error <= limit * fabs(gemm->alpha) &&
		 growth->start_error <= limit * fmax(fabs(gemm->beta), 1)));
}

/* A matrix of product `i` in host memory that holds those of all. */
static struct bench_matrix matrix_of(const struct bench_gemm *gemm, bool trans, size_t rows, size_t cols,
				     size_t ld, const void *host, size_t i)
{
	size_t offset = i * (trans ? cols : rows) * ld * bench_dtype_bytes(gemm->dtype);
	return (struct bench_matrix){gemm->dtype, trans, rows,
				     cols,        ld,    host ? (const char *)host + offset : NULL};
}

/* Are the gaps between the rows of C as they were? */
static bool gaps_are_left(const struct state *state)
{
	const struct bench_gemm *gemm = &state->gemm;
	size_t bytes = bench_dtype_bytes(gemm->dtype), gap = (gemm->ldc - gemm->n) * bytes;
	for (size_t row = 0; gap && row < gemm->batch * gemm->m; row++) {
		size_t at = (row * gemm->ldc + gemm->n) * bytes;
		const unsigned char *found = (const unsigned char *)state->c.host + at;
		for (size_t i = 0; i < gap; i++)
			if (found[i] != (state->c0 ? ((const unsigned char *)state->c0)[at + i] : 0xff))
				return false;
	}
	return true;
}

/* The worst of all products. */
static int check_all(const struct bench_case *bench_case, const struct bench_gemm_growth *growth,
		     struct bench_check *check, struct bench_error *error)
{
	const struct state *state = bench_case->state;
	const struct bench_gemm *gemm = &state->gemm;
	size_t m = gemm->m, n = gemm->n, k = gemm->k;
	double worst = 0;
	for (size_t i = 0; i < gemm->batch; i++) {
		const struct bench_gemm_problem problem = {
			.a = matrix_of(gemm, gemm->trans_a, m, k, gemm->lda, state->a.host, i),
			.b = matrix_of(gemm, gemm->trans_b, k, n, gemm->ldb, state->b.host, i),
			.c = matrix_of(gemm, false, m, n, gemm->ldc, state->c.host, i),
			.c0 = matrix_of(gemm, false, m, n, gemm->ldc, state->c0, i),
			.growth = *growth,
			.seed = bench_case->seed,
			.batch = gemm->batch,
		};
		if (gemm->dtype == BENCH_C32 ? bench_gemm_check_complex(&problem, check, error)
					     : bench_gemm_check(&problem, check, error))
			return -1;
		worst = bench_dense_worse(worst, check->error);
	}
	check->error = worst;
	if (!gaps_are_left(state)) {
		check->error = INFINITY;
		snprintf(check->method, sizeof(check->method), "something was written between the rows of C");
	}
	return 0;
}

static int check(struct bench_case *bench_case, uint64_t iterations, struct bench_check *check,
		 struct bench_error *error)
{
	struct state *state = bench_case->state;
	struct bench_gemm_growth growth;
	if (!grow(&state->gemm, iterations, &growth)) {
		/* C has grown beyond use: one iteration from C0, on the buffers that were timed, says it. */
		if (prepare(bench_case, error) || run(bench_case, 1, error) ||
		    bench_case->backend->finish(bench_case->device, error))
			return -1;
		bench_gemm_grow(state->gemm.alpha, state->gemm.beta, 1, &growth);
	}
	if (bench_operand_download(bench_case, &state->c, error))
		return -1;
	return check_all(bench_case, &growth, check, error);
}

static void teardown(struct bench_case *bench_case)
{
	struct state *state = bench_case->state;
	if (state)
		free(state->c0);
	bench_operands_teardown(bench_case);
}

const struct bench_suite bench_suite_gemm = {
	.name = "gemm",
	.summary = "matrix products, one or a batch, C = alpha op(A) op(B) + beta C",
	.sweeps = {quick, nightly, full},
	.joined = "lda",
	.prepare = prepare,
	.teardown = teardown,
	BENCH_SUITE_HOOKS,
};
