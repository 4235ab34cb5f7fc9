/* SPDX-License-Identifier: MIT */
/*
 * Suite spmv: y = A x with a sparse matrix, made or from a file, once or many times over.
 * docs/suites/spmv.md says how to read it.
 */
#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "core/text.h"
#include "suites/operands.h"
#include "suites/params.h"
#include "suites/spmv/check.h"
#include "suites/spmv/matrix.h"
#include "suites/spmv/plan.h"
#include "suites/suites.h"

enum { DTYPE, MATRIX, N, PER_ROW, KERNEL, REPEAT };

static const struct bench_param params[] = {
	[DTYPE] = BENCH_CHOICE("dtype", "f32", "f32|f64", "type of the values and vectors"),
	[MATRIX] = BENCH_PATH("matrix", "cycle", BENCH_SPMV_MATRICES,
			      "a made matrix, or the path of a Matrix Market file, FILE.mtx or FILE.mtx.gz"),
	[N] = BENCH_INT("n", "0", 0, INT32_MAX, "rows and columns; 0: 1000000, or what the file has"),
	[PER_ROW] =
		BENCH_INT("per_row", "0", 0, INT32_MAX, "entries of a row, in the mean; 0: the matrix's own"),
	[KERNEL] = BENCH_CHOICE("kernel", "auto", "auto|row|group|adaptive",
				"how rows are shared out; auto: by the lengths of the rows"),
	[REPEAT] = BENCH_INT("repeat", "1", 1, 100000,
			     "times that A is applied in an iteration, each to the last one's result"),
	{.name = NULL},
};

/* The first of each list sets no size, so that `--set matrix=FILE` goes with every preset. */
static const char *const quick[] = {"repeat=1", "n=100000 repeat=10", "matrix=powerlaw n=100000", NULL};

#define NIGHTLY                                                                                              \
	"dtype=f32,f64", "repeat=100", "matrix=poisson2d,random,powerlaw,banded",                            \
		"matrix=poisson2d repeat=100", "matrix=powerlaw dtype=f64"

static const char *const nightly[] = {NIGHTLY, NULL};
static const char *const full[] = {NIGHTLY,
				   "n=10000,100000,10000000",
				   "dtype=f64 repeat=100",
				   "dtype=f64 matrix=poisson2d,random,banded",
				   "matrix=random,powerlaw per_row=2,32",
				   "matrix=cycle,poisson2d,random,powerlaw,banded kernel=row,group,adaptive",
				   NULL};

static const struct bench_metric_spec metrics[] = {
	{"rows", "count", BENCH_BETTER_NONE, "rows of the matrix"},
	{"entries", "count", BENCH_BETTER_NONE, "stored entries of the matrix"},
	{"longest_row", "count", BENCH_BETTER_NONE, "entries of its longest row"},
	{"analysis_time", "s", BENCH_BETTER_NONE,
	 "counting the rows' lengths and cutting blocks, once a matrix"},
	{.name = NULL},
};

struct state {
	struct bench_operands operands;
	struct bench_csr csr;
	struct bench_csr_rows rows;
	struct bench_operand values, x, y[2]; /* the result of application i is in y[i % 2] */
	struct bench_buffer *offsets, *columns, *blocks, *splits; /* splits: NULL where no row is in parts */
	struct bench_spmv spmv;                                   /* but for x and y */
	uint64_t repeat;
	double analysis_seconds;
	struct bench_spmv_expected expected; /* made by the first check */
};

/* Streams of the case's seed; the matrix has its own. */
enum { STREAM_X = 1 };

/* Applications times entries and rows whose check in double still ends in seconds. */
static const double check_limit = 0x1p32;

static int source_of(const struct bench_case *bench_case, struct bench_spmv_source *source,
		     struct bench_error *error)
{
	const struct bench_value *matrix = &bench_case->values[MATRIX];
	*source = (struct bench_spmv_source){
		.kind = (enum bench_spmv_kind)matrix->integer,
		.path = matrix->path,
		.n = (uint64_t)bench_case->values[N].integer,
		.per_row = (uint64_t)bench_case->values[PER_ROW].integer,
		.seed = bench_case->seed,
		.f32 = bench_operand_dtype(&bench_case->values[DTYPE]) == BENCH_F32,
		/* Else what is applied many times grows until it overflows. */
		.normalised = bench_case->values[REPEAT].integer > 1,
	};
	if (source->kind == BENCH_SPMV_FILE && !bench_text_match("*.mtx", matrix->path) &&
	    !bench_text_match("*.mtx.gz", matrix->path))
		return bench_fail(error, BENCH_USAGE,
				  "spmv: matrix=%s: a Matrix Market file is named FILE.mtx or FILE.mtx.gz",
				  matrix->path);
	return 0;
}

static int work(const struct bench_case *bench_case, struct bench_work *work, struct bench_error *error)
{
	struct bench_spmv_source source;
	struct bench_csr sizes;
	double repeat = (double)bench_case->values[REPEAT].integer;
	if (source_of(bench_case, &source, error) || bench_spmv_matrix_sizes(&source, &sizes, error))
		return -1;
	if (repeat > 1 && sizes.rows != sizes.cols)
		return bench_fail(error, BENCH_USAGE,
				  "spmv: repeat=%g of a matrix of %zu rows and %zu columns: it is not square",
				  repeat, sizes.rows, sizes.cols);
	if (repeat * (double)(sizes.entries + sizes.rows) > check_limit)
		return bench_fail(error, BENCH_USAGE,
				  "spmv: repeat=%g of %zu entries: checking them would take minutes; use a "
				  "smaller repeat",
				  repeat, sizes.entries);
	uint64_t real = bench_dtype_bytes(bench_operand_dtype(&bench_case->values[DTYPE])),
		 entries = sizes.entries, rows = sizes.rows;
	uint64_t matrix = entries * (real + 4) + (rows + 1) * 4;
	uint64_t vectors = (sizes.cols + rows) * real;
	work->flops = 2 * (double)entries * repeat;
	work->bytes = (double)(matrix + vectors) * repeat;
	work->device_bytes = matrix + vectors + rows * (real + 4);
	work->largest_bytes = entries * real > vectors ? entries * real : vectors;
	/* The matrix, with what sorts it when it is read; values and vectors in their type; the check. */
	work->host_bytes = entries * (12 + real + 2 * sizeof(struct bench_csr_entry)) + rows * 24 +
			   2 * vectors + bench_spmv_check_bytes(rows, sizes.cols);
	return 0;
}

static int upload_blocks(struct bench_case *bench_case, struct state *state,
			 const struct bench_spmv_blocks *blocks, struct bench_error *error)
{
	const size_t word = sizeof(uint32_t);
	if (bench_buffer_make(bench_case, blocks->places, word * 2 * (blocks->count + 1), &state->blocks,
			      error) ||
	    (blocks->split_count && bench_buffer_make(bench_case, blocks->splits, word * blocks->split_count,
						      &state->splits, error)))
		return -1;
	state->spmv.blocks = state->blocks;
	state->spmv.splits = state->splits;
	state->spmv.block_count = blocks->count;
	state->spmv.split_count = blocks->split_count;
	return 0;
}

/* The work done once for a matrix, however often it is applied; timed, without the upload. */
static int analyse(struct bench_case *bench_case, struct state *state, struct bench_error *error)
{
	const char *kernel = bench_case->values[KERNEL].text;
	struct bench_spmv_blocks blocks = {0};
	bool cpu = bench_case->info->kind == BENCH_DEVICE_CPU;
	uint64_t start = bench_clock_real.now_ns(NULL);
	state->rows = bench_csr_count_rows(&state->csr);
	state->spmv.kernel = strcmp(kernel, "row") == 0        ? BENCH_SPMV_ROW
			     : strcmp(kernel, "group") == 0    ? BENCH_SPMV_GROUP
			     : strcmp(kernel, "adaptive") == 0 ? BENCH_SPMV_ADAPTIVE
							       : bench_spmv_choose(&state->rows);
	state->spmv.block_entries =
		cpu ? BENCH_SPMV_BLOCK_CPU
		    : bench_spmv_block_entries(&state->csr, bench_case->info->compute_units);
	state->spmv.part_entries = cpu ? BENCH_SPMV_BLOCK_CPU : BENCH_SPMV_BLOCK_GPU;
	bool adaptive = state->spmv.kernel == BENCH_SPMV_ADAPTIVE;
	int result = adaptive ? bench_spmv_make_blocks(&state->csr, state->spmv.block_entries,
						       state->spmv.part_entries, &blocks, error)
			      : 0;
	state->analysis_seconds = (double)(bench_clock_real.now_ns(NULL) - start) * 1e-9;
	if (adaptive && result == 0)
		result = upload_blocks(bench_case, state, &blocks, error);
	bench_spmv_blocks_free(&blocks);
	return result;
}

static int upload_matrix(struct bench_case *bench_case, struct state *state, struct bench_error *error)
{
	const struct bench_csr *csr = &state->csr;
	enum bench_dtype dtype = bench_operand_dtype(&bench_case->values[DTYPE]);
	const size_t word = sizeof(uint32_t);
	if (bench_buffer_make(bench_case, csr->offsets, word * (csr->rows + 1), &state->offsets, error) ||
	    bench_buffer_make(bench_case, csr->columns, word * csr->entries, &state->columns, error) ||
	    bench_operand_make(bench_case, dtype, csr->entries ? csr->entries : 1, &state->values, error))
		return -1;
	for (size_t k = 0; k < csr->entries; k++)
		bench_operand_set(&state->values, k, csr->values[k]);
	return bench_operand_upload(bench_case, &state->values, error);
}

static int setup(struct bench_case *bench_case, struct bench_error *error)
{
	struct bench_spmv_source source;
	enum bench_dtype dtype = bench_operand_dtype(&bench_case->values[DTYPE]);
	if (bench_operands_supported(bench_case, bench_case->backend->spmv ? NULL : "spmv", dtype, error) ||
	    source_of(bench_case, &source, error))
		return -1;
	struct state *state = bench_state_make(bench_case, sizeof(*state), "spmv", error);
	if (!state)
		return -1;
	struct bench_csr *csr = &state->csr;
	state->repeat = (uint64_t)bench_case->values[REPEAT].integer;
	if (bench_spmv_matrix_make(&source, csr, error))
		return -1;
	state->spmv = (struct bench_spmv){
		.dtype = dtype, .rows = csr->rows, .cols = csr->cols, .entries = csr->entries};
	if (upload_matrix(bench_case, state, error) || analyse(bench_case, state, error) ||
	    bench_operand_input(bench_case, dtype, csr->cols, STREAM_X, &state->x, error) ||
	    bench_operand_output(bench_case, dtype, csr->rows, &state->y[0], error) ||
	    bench_operand_output(bench_case, dtype, csr->rows, &state->y[1], error))
		return -1;
	state->spmv.offsets = state->offsets;
	state->spmv.columns = state->columns;
	state->spmv.values = state->values.buffer;
	return 0;
}

/* Each iteration begins with the same x, so that all are alike and none has to copy it. */
static int run(struct bench_case *bench_case, uint64_t iterations, struct bench_error *error)
{
	struct state *state = bench_case->state;
	struct bench_spmv spmv = state->spmv;
	for (uint64_t i = 0; i < iterations; i++)
		for (uint64_t application = 0; application < state->repeat; application++) {
			spmv.x = application ? state->y[(application - 1) % 2].buffer : state->x.buffer;
			spmv.y = state->y[application % 2].buffer;
			if (bench_case->backend->spmv(bench_case->device, &spmv, error))
				return -1;
		}
	return 0;
}

static int check(struct bench_case *bench_case, uint64_t iterations, struct bench_check *check,
		 struct bench_error *error)
{
	(void)iterations; /* every iteration computes the same */
	static const char *const names[] = {
		[BENCH_SPMV_ROW] = "row", [BENCH_SPMV_GROUP] = "group", [BENCH_SPMV_ADAPTIVE] = "adaptive"};
	struct state *state = bench_case->state;
	struct bench_operand *y = &state->y[(state->repeat - 1) % 2];
	if (bench_operand_download(bench_case, y, error))
		return -1;
	if (!state->expected.y &&
	    bench_spmv_expect(&state->csr, y->dtype, state->x.host, state->repeat, &state->expected, error))
		return -1;
	*check = (struct bench_check){0};
	bench_spmv_check_result(&state->csr, y->dtype, y->host, &state->expected, check);
	snprintf(check->method, sizeof(check->method), "every row against A x in double; kernel %s",
		 names[state->spmv.kernel]);
	return 0;
}

static int report(struct bench_case *bench_case, const struct bench_report *report, struct bench_error *error)
{
	(void)error;
	struct state *state = bench_case->state;
	const double values[] = {(double)state->csr.rows, (double)state->csr.entries,
				 (double)state->rows.longest, state->analysis_seconds};
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		report->value(report->context, &metrics[i], values[i]);
	return 0;
}

static void teardown(struct bench_case *bench_case)
{
	struct state *state = bench_case->state;
	if (!state)
		return;
	bench_case->backend->release(bench_case->device, state->offsets);
	bench_case->backend->release(bench_case->device, state->columns);
	bench_case->backend->release(bench_case->device, state->blocks);
	bench_case->backend->release(bench_case->device, state->splits);
	bench_spmv_expected_free(&state->expected);
	bench_csr_free(&state->csr);
	bench_operands_teardown(bench_case);
}

const struct bench_suite bench_suite_spmv = {
	.name = "spmv",
	.summary = "sparse matrix times vector, generated or from Matrix Market files",
	.sweeps = {quick, nightly, full},
	.variants = "kernel",
	.metrics = metrics,
	.prepare = bench_operands_spoil,
	.report = report,
	.teardown = teardown,
	BENCH_SUITE_HOOKS,
};
