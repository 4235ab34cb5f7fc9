/* SPDX-License-Identifier: MIT */
/*
 * Suite gemm_chain: X = A B_1, then X B_2, ..., on the device throughout, as the layers of a
 * network are. docs/suites/gemm_chain.md says how to read it.
 *
 * Every factor is n x n, uniform in [-1, 1), and each product is scaled by alpha =
 * sqrt(3 / n): the variance of an element of alpha X B is alpha^2 n (1/3) times that of X. So the whole chain
 * has the magnitude of A, and nothing over- or underflows.
 */
#include <inttypes.h>

#include "kit/dense.h"
#include "suites/gemm_chain/check.h"
#include "suites/gemm_check.h"
#include "suites/operands.h"
#include "suites/params.h"
#include "suites/suites.h"

enum { DTYPE, N, LENGTH };

static const struct bench_param params[] = {
	[DTYPE] = BENCH_CHOICE("dtype", "f32", "f32|f64", "type of the elements"),
	[N] = BENCH_INT("n", "512", 1, 1 << 16, "rows and columns of every matrix"),
	[LENGTH] = BENCH_INT("length", "2", 2, BENCH_CHAIN_LENGTH_MAX, "products in the chain"),
	{.name = NULL},
};

static const char *const quick[] = {"n=256 length=2,8", "n=512 length=4", NULL};
static const char *const nightly[] = {"n=256,512,1024 length=2,4,8", "dtype=f64 n=512 length=4", NULL};

struct state {
	struct bench_operands operands;
	struct bench_operand factors[BENCH_CHAIN_LENGTH_MAX + 1]; /* A, B_1, B_2, ... */
	struct bench_operand products[2];                         /* product i is in products[i % 2] */
	struct bench_gemm gemms[BENCH_CHAIN_LENGTH_MAX];
	size_t length;
};

static int work(const struct bench_case *bench_case, struct bench_work *work, struct bench_error *error)
{
	int64_t n = bench_case->values[N].integer, length = bench_case->values[LENGTH].integer;
	uint64_t bytes;
	if (n < 1 || length < 2 || length > BENCH_CHAIN_LENGTH_MAX ||
	    !bench_dense_bytes((uint64_t)n, (uint64_t)n, bench_operand_dtype(&bench_case->values[DTYPE]),
			       &bytes) ||
	    bytes >= BENCH_DENSE_BYTES_LIMIT / 16)
		return bench_fail(error, BENCH_USAGE,
				  "gemm_chain: n=%" PRId64 " length=%" PRId64
				  ": the sizes of the matrices overflow; use a smaller n",
				  n, length);
	uint64_t factors = (uint64_t)length + 1;
	work->flops = 2.0 * (double)length * (double)n * (double)n * (double)n;
	/* Every factor read and the last product written; those between could stay in a cache. */
	work->bytes = (double)(factors + 1) * (double)bytes;
	work->device_bytes = (factors + 2) * bytes;
	work->largest_bytes = bytes;
	work->host_bytes = (factors + 2) * bytes + bench_chain_check_bytes((uint64_t)n);
	return 0;
}

static int setup(struct bench_case *bench_case, struct bench_error *error)
{
	size_t n = (size_t)bench_case->values[N].integer;
	enum bench_dtype dtype = bench_operand_dtype(&bench_case->values[DTYPE]);
	struct state *state = bench_operands_begin(bench_case, sizeof(*state), "gemm_chain",
						   bench_case->backend->gemm ? NULL : "gemm", dtype, error);
	if (!state)
		return -1;
	state->length = (size_t)bench_case->values[LENGTH].integer;
	for (size_t i = 0; i <= state->length; i++)
		if (bench_operand_input(bench_case, dtype, n * n, i + 1, &state->factors[i], error))
			return -1;
	for (size_t i = 0; i < 2; i++)
		if (bench_operand_output(bench_case, dtype, n * n, &state->products[i], error))
			return -1;
	for (size_t i = 0; i < state->length; i++) {
		struct bench_gemm *gemm = &state->gemms[i];
		*gemm = bench_gemm_square(dtype, n);
		gemm->alpha = bench_chain_alpha(n);
		gemm->a = i == 0 ? state->factors[0].buffer : state->products[(i - 1) % 2].buffer;
		gemm->b = state->factors[i + 1].buffer;
		gemm->c = state->products[i % 2].buffer;
	}
	return 0;
}

static int run(struct bench_case *bench_case, uint64_t iterations, struct bench_error *error)
{
	struct state *state = bench_case->state;
	for (uint64_t i = 0; i < iterations; i++)
		for (size_t product = 0; product < state->length; product++)
			if (bench_case->backend->gemm(bench_case->device, &state->gemms[product], error))
				return -1;
	return 0;
}

static int check(struct bench_case *bench_case, uint64_t iterations, struct bench_check *check,
		 struct bench_error *error)
{
	(void)iterations; /* every iteration computes the same */
	struct state *state = bench_case->state;
	struct bench_operand *result = &state->products[(state->length - 1) % 2];
	if (bench_operand_download(bench_case, result, error))
		return -1;
	size_t n = state->gemms[0].n;
	struct bench_chain_problem problem = {
		.length = state->length,
		.result = bench_gemm_matrix(result->dtype, n, result->host),
		.seed = bench_case->seed,
	};
	for (size_t i = 0; i <= state->length; i++)
		problem.factors[i] = bench_gemm_matrix(result->dtype, n, state->factors[i].host);
	return bench_chain_check(&problem, check, error);
}

const struct bench_suite bench_suite_gemm_chain = {
	.name = "gemm_chain",
	.summary = "a chain of matrix products on the device, each fed by the last",
	.sweeps = {quick, nightly, NULL},
	BENCH_OPERANDS_HOOKS,
};
