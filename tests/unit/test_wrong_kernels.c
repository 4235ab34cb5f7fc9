/* SPDX-License-Identifier: MIT */
/* Suites on backends that are openblas but for one wrong hook: every check must see it. */
#include <stdlib.h>

#include "bench/plugin.h"
#include "kit/half.h"
#include "kit/rng.h"
#include "suite_fixture.h"
#include "suites/view/check.h"

extern const struct bench_plugin bench_plugin; /* of examples/suite.c */

static size_t c_bytes(const struct bench_gemm *gemm)
{
	return gemm->m * gemm->ldc * bench_dtype_bytes(gemm->dtype);
}

/* The right product, then `spoil` on its elements (f32, ldc == n). */
static int gemm_then(struct bench_device *device, const struct bench_gemm *gemm, struct bench_error *error,
		     void (*spoil)(const struct bench_gemm *gemm, float *c))
{
	const struct bench_backend *real = &bench_backend_openblas;
	float *c = malloc(c_bytes(gemm));
	if (real->gemm(device, gemm, error) || real->download(device, gemm->c, c, c_bytes(gemm), error))
		return -1;
	spoil(gemm, c);
	int status = real->upload(device, gemm->c, c, c_bytes(gemm), error);
	free(c);
	return status;
}

static int gemm_does_nothing(struct bench_device *device, const struct bench_gemm *gemm,
			     struct bench_error *error)
{
	(void)device;
	(void)gemm;
	(void)error;
	return 0;
}

static int gemm_drops_last_term(struct bench_device *device, const struct bench_gemm *gemm,
				struct bench_error *error)
{
	struct bench_gemm shorter = *gemm;
	shorter.k--;
	return bench_backend_openblas.gemm(device, &shorter, error);
}

static int gemm_ignores_beta(struct bench_device *device, const struct bench_gemm *gemm,
			     struct bench_error *error)
{
	struct bench_gemm other = *gemm;
	other.beta = 0;
	return bench_backend_openblas.gemm(device, &other, error);
}

static int gemm_ignores_alpha(struct bench_device *device, const struct bench_gemm *gemm,
			      struct bench_error *error)
{
	struct bench_gemm other = *gemm;
	other.alpha = 1;
	return bench_backend_openblas.gemm(device, &other, error);
}

static void transpose_c(const struct bench_gemm *gemm, float *c)
{
	for (size_t i = 0; i < gemm->m; i++)
		for (size_t j = 0; j < i; j++) {
			float element = c[i * gemm->n + j];
			c[i * gemm->n + j] = c[j * gemm->n + i];
			c[j * gemm->n + i] = element;
		}
}

static int gemm_transposed(struct bench_device *device, const struct bench_gemm *gemm,
			   struct bench_error *error)
{
	return gemm_then(device, gemm, error, transpose_c);
}

static void double_last_row(const struct bench_gemm *gemm, float *c)
{
	for (size_t j = 0; j < gemm->n; j++)
		c[(gemm->m - 1) * gemm->n + j] *= 2;
}

static int gemm_wrong_last_row(struct bench_device *device, const struct bench_gemm *gemm,
			       struct bench_error *error)
{
	return gemm_then(device, gemm, error, double_last_row);
}

static void drop_last_column(const struct bench_gemm *gemm, float *c)
{
	for (size_t i = 0; i < gemm->m; i++)
		c[i * gemm->n + gemm->n - 1] = 0;
}

static int gemm_wrong_last_column(struct bench_device *device, const struct bench_gemm *gemm,
				  struct bench_error *error)
{
	return gemm_then(device, gemm, error, drop_last_column);
}

static void write_gap(const struct bench_gemm *gemm, float *c)
{
	c[(gemm->m - 1) * gemm->ldc + gemm->n] = 0;
}

static int gemm_writes_between_rows(struct bench_device *device, const struct bench_gemm *gemm,
				    struct bench_error *error)
{
	return gemm_then(device, gemm, error, write_gap);
}

static void swap_middle_rows(const struct bench_gemm *gemm, float *c)
{
	size_t i = gemm->m / 2;
	for (size_t j = 0; j < gemm->n; j++) {
		float element = c[i * gemm->n + j];
		c[i * gemm->n + j] = c[(i + 1) * gemm->n + j];
		c[(i + 1) * gemm->n + j] = element;
	}
}

static int gemm_swaps_rows(struct bench_device *device, const struct bench_gemm *gemm,
			   struct bench_error *error)
{
	return gemm_then(device, gemm, error, swap_middle_rows);
}

static void plant_infinity(const struct bench_gemm *gemm, float *c)
{
	c[gemm->m * gemm->n / 2 + 1] = INFINITY;
}

static int gemm_gives_infinity(struct bench_device *device, const struct bench_gemm *gemm,
			       struct bench_error *error)
{
	return gemm_then(device, gemm, error, plant_infinity);
}

/* Products of rounded inputs: what half precision inside a kernel would do. */
static void round_to_half(const struct bench_gemm *gemm, float *c)
{
	for (size_t i = 0; i < gemm->m * gemm->n; i++) {
		int exponent;
		float fraction = frexpf(c[i], &exponent);
		c[i] = ldexpf(roundf(fraction * 0x1p11F) * 0x1p-11F, exponent);
	}
}

static int gemm_in_half_precision(struct bench_device *device, const struct bench_gemm *gemm,
				  struct bench_error *error)
{
	return gemm_then(device, gemm, error, round_to_half);
}

static void expect_incorrect(const struct bench_suite *suite, const struct bench_backend *backend,
			     const char *settings, const char *fault)
{
	struct fixture fixture;
	struct bench_error error = {0};
	assert_true(open_fixture(&fixture, suite, backend, settings, &error));
	must(suite->setup(&fixture.bench_case, &error), &fixture, "setup", &error);
	struct bench_check check = once(&fixture);
	if (check.error <= check.tolerance)
		fail_msg("%s %s did not see: %s (error %g, tolerance %g)", suite->name, settings, fault,
			 check.error, check.tolerance);
	close_fixture(&fixture);
}

typedef int gemm_hook(struct bench_device *device, const struct bench_gemm *gemm, struct bench_error *error);

static const struct {
	const char *fault;
	gemm_hook *gemm;
} faults[] = {
	{"a gemm that does nothing", gemm_does_nothing},
	{"the last k term dropped", gemm_drops_last_term},
	{"alpha ignored", gemm_ignores_alpha},
	{"C transposed", gemm_transposed},
	{"the last row doubled", gemm_wrong_last_row},
	{"the last column never written", gemm_wrong_last_column},
	{"two rows swapped", gemm_swaps_rows},
	{"an infinity", gemm_gives_infinity},
	{"half precision", gemm_in_half_precision},
};

static void a_wrong_gemm_is_incorrect_in_both_suites_at_small_and_large_sizes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		struct bench_backend wrong = bench_backend_openblas;
		wrong.gemm = faults[i].gemm;
		expect_incorrect(&bench_suite_gemm, &wrong, "n=24 alpha=1.5", faults[i].fault);
		expect_incorrect(&bench_suite_gemm, &wrong, "n=400 alpha=1.5 beta=0.5", faults[i].fault);
		expect_incorrect(&bench_suite_gemm_chain, &wrong, "n=24 length=3", faults[i].fault);
		expect_incorrect(&bench_suite_gemm_chain, &wrong, "n=300 length=7", faults[i].fault);
	}
	struct bench_backend wrong = bench_backend_openblas;
	wrong.gemm = gemm_ignores_beta;
	expect_incorrect(&bench_suite_gemm, &wrong, "n=24 beta=0.5", "beta ignored");
	expect_incorrect(&bench_suite_gemm, &wrong, "n=400 beta=1", "beta ignored");
	wrong.gemm = gemm_writes_between_rows;
	expect_incorrect(&bench_suite_gemm, &wrong, "n=24 ldc=25", "a gap between rows written");
	expect_incorrect(&bench_suite_gemm, &wrong, "n=24 ldc=25 beta=0.5", "a gap between rows written");
	expect_incorrect(&bench_suite_gemm, &wrong, "n=24 ldc=32 batch=2", "a gap between rows written");
}

static int gemm_drops_last_product(struct bench_device *device, const struct bench_gemm *gemm,
				   struct bench_error *error)
{
	struct bench_gemm shorter = *gemm;
	shorter.batch--;
	return bench_backend_reference.gemm(device, &shorter, error);
}

static int gemm_takes_one_b_for_all(struct bench_device *device, const struct bench_gemm *gemm,
				    struct bench_error *error)
{
	struct bench_gemm other = *gemm;
	other.stride_b = 0;
	return bench_backend_reference.gemm(device, &other, error);
}

static void a_batch_with_one_wrong_product_is_incorrect(void **state)
{
	(void)state;
	struct bench_backend wrong = bench_backend_reference;
	static const char *const settings[] = {"n=24 batch=3", "n=24 batch=3 beta=0.5", "n=200 batch=3"};
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		wrong.gemm = gemm_drops_last_product;
		expect_incorrect(&bench_suite_gemm, &wrong, settings[i], "the last product dropped");
		wrong.gemm = gemm_takes_one_b_for_all;
		expect_incorrect(&bench_suite_gemm, &wrong, settings[i], "one B for all");
	}
}

/* The right product in half precision (f16, NN), then one element off by a fiftieth of a typical one. */
static int gemm_f16_with_one_off(struct bench_device *device, const struct bench_gemm *gemm,
				 struct bench_error *error)
{
	const struct bench_backend *real = &bench_backend_reference;
	uint16_t *c = malloc(c_bytes(gemm));
	int status =
		real->gemm(device, gemm, error) || real->download(device, gemm->c, c, c_bytes(gemm), error);
	if (status == 0) {
		size_t at = gemm->m * gemm->n / 2 + 1;
		c[at] = bench_half_from_double((double)bench_half_to_float(c[at]) +
					       sqrt((double)gemm->k) / 3 / 50);
		status = real->upload(device, gemm->c, c, c_bytes(gemm), error);
	}
	free(c);
	return status ? -1 : 0;
}

/* Every sum rounded to half on the way: what a kernel that computes in half does. */
static int gemm_sums_in_half(struct bench_device *device, const struct bench_gemm *gemm,
			     struct bench_error *error)
{
	const struct bench_backend *real = &bench_backend_reference;
	struct bench_gemm part = *gemm;
	size_t step = gemm->k / 16; /* rounded sixteen times, many times fewer than there are terms */
	uint16_t *a = malloc(gemm->m * gemm->k * 2), *columns = malloc(gemm->m * step * 2);
	uint16_t *b = malloc(gemm->k * gemm->n * 2);
	struct bench_buffer *part_a = NULL, *part_b = NULL;
	int status = real->download(device, gemm->a, a, gemm->m * gemm->k * 2, error) ||
		     real->download(device, gemm->b, b, gemm->k * gemm->n * 2, error) ||
		     real->alloc(device, gemm->m * step * 2, &part_a, error) ||
		     real->alloc(device, step * gemm->n * 2, &part_b, error);
	part.a = part_a, part.b = part_b, part.k = part.lda = step;
	for (size_t first = 0; status == 0 && first < gemm->k; first += step) {
		for (size_t i = 0; i < gemm->m * step; i++)
			columns[i] = a[i / step * gemm->k + first + i % step];
		part.beta = first ? 1 : 0;
		status = real->upload(device, part_a, columns, gemm->m * step * 2, error) ||
			 real->upload(device, part_b, b + first * gemm->n, step * gemm->n * 2, error) ||
			 real->gemm(device, &part, error);
	}
	real->release(device, part_a);
	real->release(device, part_b);
	free(a);
	free(b);
	free(columns);
	return status ? -1 : 0;
}

static void a_wrong_gemm_in_half_precision_is_incorrect(void **state)
{
	(void)state;
	struct bench_backend wrong = bench_backend_reference;
	static const char *const settings[] = {"n=128 dtype=f16", "m=300 n=200 k=288 dtype=f16"};
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		wrong.gemm = gemm_does_nothing;
		expect_incorrect(&bench_suite_gemm, &wrong, settings[i], "a gemm that does nothing");
		wrong.gemm = gemm_f16_with_one_off;
		expect_incorrect(&bench_suite_gemm, &wrong, settings[i], "one element off by a fiftieth");
		wrong.gemm = gemm_sums_in_half;
		expect_incorrect(&bench_suite_gemm, &wrong, settings[i], "sums in half");
	}
}

/* Element `spoiled_index` of C is off by its own magnitude. */
static size_t spoiled_index;

static void spoil_one(const struct bench_gemm *gemm, float *c)
{
	(void)gemm;
	c[spoiled_index] *= 2;
}

static int gemm_with_one_wrong(struct bench_device *device, const struct bench_gemm *gemm,
			       struct bench_error *error)
{
	return gemm_then(device, gemm, error, spoil_one);
}

static void one_wrong_element_anywhere_is_incorrect(void **state)
{
	(void)state;
	static const struct {
		const struct bench_suite *suite;
		const char *settings;
		size_t count;
	} cases[] = {
		{&bench_suite_gemm, "n=24", 24 * 24},
		{&bench_suite_gemm, "n=1024", 1024 * 1024},
		{&bench_suite_gemm, "m=1 n=8192 k=4096", 8192},
		{&bench_suite_gemm_chain, "n=24 length=2", 24 * 24},
		{&bench_suite_gemm_chain, "n=256 length=8", 256 * 256},
	};
	struct bench_backend wrong = bench_backend_openblas;
	wrong.gemm = gemm_with_one_wrong;
	struct bench_rng rng;
	bench_rng_start(&rng, 5, 5);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t places[] = {0, cases[i].count - 1, cases[i].count / 2 + 1, 0};
		places[3] = (size_t)bench_rng_below(&rng, cases[i].count);
		for (size_t place = 0; place < sizeof(places) / sizeof(places[0]); place++) {
			spoiled_index = places[place];
			expect_incorrect(cases[i].suite, &wrong, cases[i].settings, "one wrong element");
		}
	}
}

static void what_was_never_written_is_nan_and_incorrect(void **state)
{
	(void)state;
	struct fixture fixture;
	struct bench_error error = {0};
	assert_true(open_fixture(&fixture, &bench_suite_gemm, &bench_backend_openblas, "n=300", &error));
	must(bench_suite_gemm.setup(&fixture.bench_case, &error), &fixture, "setup", &error);
	must(bench_suite_gemm.prepare(&fixture.bench_case, &error), &fixture, "prepare", &error);
	struct bench_check check = {0};
	must(bench_suite_gemm.check(&fixture.bench_case, 1, &check, &error), &fixture, "check", &error);
	assert_true(isnan(check.error));
	close_fixture(&fixture);
}

static int upload_drops_last_byte(struct bench_device *device, struct bench_buffer *buffer, const void *host,
				  size_t bytes, struct bench_error *error)
{
	return bytes > 1 ? bench_backend_openblas.upload(device, buffer, host, bytes - 1, error) : 0;
}

static int download_drops_last_byte(struct bench_device *device, const struct bench_buffer *buffer,
				    void *host, size_t bytes, struct bench_error *error)
{
	return bytes > 1 ? bench_backend_openblas.download(device, buffer, host, bytes - 1, error) : 0;
}

static int alloc_zeroed(struct bench_device *device, size_t bytes, struct bench_buffer **buffer,
			struct bench_error *error)
{
	if (bench_backend_openblas.alloc(device, bytes, buffer, error))
		return -1;
	void *zeros = calloc(1, bytes);
	int status = bench_backend_openblas.upload(device, *buffer, zeros, bytes, error);
	free(zeros);
	return status;
}

static int upload_does_nothing(struct bench_device *device, struct bench_buffer *buffer, const void *host,
			       size_t bytes, struct bench_error *error)
{
	(void)device;
	(void)buffer;
	(void)host;
	(void)bytes;
	(void)error;
	return 0;
}

static int gemm_ignores_ld(struct bench_device *device, const struct bench_gemm *gemm,
			   struct bench_error *error)
{
	struct bench_gemm other = *gemm;
	other.lda = other.ldb = gemm->n;
	return bench_backend_openblas.gemm(device, &other, error);
}

static int gemm_ignores_trans_b(struct bench_device *device, const struct bench_gemm *gemm,
				struct bench_error *error)
{
	struct bench_gemm other = *gemm;
	other.trans_b = false;
	return bench_backend_openblas.gemm(device, &other, error);
}

static void a_view_taken_for_another_or_a_copy_that_is_lost_is_incorrect(void **state)
{
	(void)state;
	struct bench_backend wrong = bench_backend_openblas;
	wrong.gemm = gemm_ignores_ld;
	expect_incorrect(&bench_suite_view_gemm, &wrong, "layout=sliced n=24", "ld ignored");
	expect_incorrect(&bench_suite_view_gemm, &wrong, "layout=sliced n=300", "ld ignored");
	wrong.gemm = gemm_ignores_trans_b;
	expect_incorrect(&bench_suite_view_gemm, &wrong, "layout=transposed n=24", "transposition ignored");
	expect_incorrect(&bench_suite_view_gemm, &wrong, "layout=transposed n=300", "transposition ignored");
	wrong = bench_backend_openblas;
	wrong.alloc = alloc_zeroed;
	wrong.upload = upload_does_nothing;
	expect_incorrect(&bench_suite_view_gemm, &wrong, "layout=copy_sliced n=24", "no upload at all");
	wrong = bench_backend_openblas;
	wrong.gemm = gemm_does_nothing;
	expect_incorrect(&bench_suite_view_gemm, &wrong, "layout=copy_transposed n=24", "no gemm at all");
}

static void a_wrong_view_is_seen(void **state)
{
	(void)state;
	static const size_t shape[] = {2, 3, 4};
	struct bench_view input, right, wrong;
	struct bench_error error = {0};
	assert_int_equal(bench_view_packed(BENCH_F32, 3, shape, &input, &error), 0);
	assert_int_equal(bench_view_transpose(&input, 1, 2, &right, &error), 0);
	assert_true(bench_view_is_right(BENCH_VIEW_TRANSPOSE, &input, shape, &right));
	assert_true(bench_view_answer(BENCH_VIEW_IS_CONTIGUOUS, &input));
	assert_true(bench_view_answer(BENCH_VIEW_IS_TRANSPOSED, &right));
	assert_false(bench_view_answer(BENCH_VIEW_IS_CONTIGUOUS, &right));
	assert_false(bench_view_answer(BENCH_VIEW_IS_TRANSPOSED, &input));
	assert_false(bench_view_is_right(BENCH_VIEW_TRANSPOSE, &input, shape, &input));
	wrong = right;
	wrong.offset++;
	assert_false(bench_view_is_right(BENCH_VIEW_TRANSPOSE, &input, shape, &wrong));
	wrong = right;
	wrong.stride[0]--;
	assert_false(bench_view_is_right(BENCH_VIEW_TRANSPOSE, &input, shape, &wrong));
	wrong = right;
	wrong.shape[2]--;
	assert_false(bench_view_is_right(BENCH_VIEW_TRANSPOSE, &input, shape, &wrong));
	wrong = right;
	wrong.rank = 2;
	assert_false(bench_view_is_right(BENCH_VIEW_TRANSPOSE, &input, shape, &wrong));
}

static void a_transfer_that_loses_a_byte_is_incorrect(void **state)
{
	(void)state;
	struct bench_backend wrong = bench_backend_openblas;
	wrong.alloc = alloc_zeroed;
	wrong.upload = upload_drops_last_byte;
	expect_incorrect(&bench_suite_transfer, &wrong, "direction=upload bytes=4099", "upload drops a byte");
	expect_incorrect(&bench_suite_transfer, &wrong, "direction=roundtrip bytes=4099",
			 "upload drops a byte");
	wrong.upload = upload_does_nothing;
	expect_incorrect(&bench_suite_transfer, &wrong, "direction=upload bytes=4099", "no upload at all");
	wrong = bench_backend_openblas;
	wrong.download = download_drops_last_byte;
	expect_incorrect(&bench_suite_transfer, &wrong, "direction=download bytes=4099",
			 "download drops a byte");
	expect_incorrect(&bench_suite_transfer, &wrong, "direction=roundtrip bytes=4099",
			 "download drops a byte");
}

static int elementwise_does_nothing(struct bench_device *device, const struct bench_elementwise *elementwise,
				    struct bench_error *error)
{
	(void)device;
	(void)elementwise;
	(void)error;
	return 0;
}

static int elementwise_drops_last(struct bench_device *device, const struct bench_elementwise *elementwise,
				  struct bench_error *error)
{
	struct bench_elementwise shorter = *elementwise;
	shorter.count--;
	return bench_backend_openblas.elementwise(device, &shorter, error);
}

static int elementwise_wrong_op(struct bench_device *device, const struct bench_elementwise *elementwise,
				struct bench_error *error)
{
	struct bench_elementwise other = *elementwise;
	other.op = other.op == BENCH_ELEMENTWISE_ADD ? BENCH_ELEMENTWISE_MUL : BENCH_ELEMENTWISE_ADD;
	return bench_backend_openblas.elementwise(device, &other, error);
}

static int elementwise_takes_a_twice(struct bench_device *device, const struct bench_elementwise *elementwise,
				     struct bench_error *error)
{
	struct bench_elementwise other = *elementwise;
	other.b = other.a;
	return bench_backend_openblas.elementwise(device, &other, error);
}

/* The element in the middle two units in the last place too far from zero (f32). */
static int elementwise_rounds_wrong(struct bench_device *device, const struct bench_elementwise *elementwise,
				    struct bench_error *error)
{
	const struct bench_backend *real = &bench_backend_openblas;
	size_t bytes = elementwise->count * sizeof(float), middle = elementwise->count / 2;
	float *c = malloc(bytes);
	int status = real->elementwise(device, elementwise, error) ||
		     real->download(device, elementwise->c, c, bytes, error);
	if (status == 0) {
		c[middle] = nextafterf(nextafterf(c[middle], INFINITY * c[middle]), INFINITY * c[middle]);
		status = real->upload(device, elementwise->c, c, bytes, error);
	}
	free(c);
	return status ? -1 : 0;
}

static void a_wrong_elementwise_operation_is_incorrect(void **state)
{
	(void)state;
	static const struct {
		const char *fault;
		int (*elementwise)(struct bench_device *device, const struct bench_elementwise *elementwise,
				   struct bench_error *error);
	} wrongs[] = {
		{"an operation that does nothing", elementwise_does_nothing},
		{"the last element dropped", elementwise_drops_last},
		{"the other operation", elementwise_wrong_op},
		{"the first operand twice", elementwise_takes_a_twice},
		{"an element two units in the last place off", elementwise_rounds_wrong},
	};
	for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++) {
		struct bench_backend wrong = bench_backend_openblas;
		wrong.elementwise = wrongs[i].elementwise;
		expect_incorrect(&bench_suite_elementwise, &wrong, "count=1", wrongs[i].fault);
		expect_incorrect(&bench_suite_elementwise, &wrong, "count=1023", wrongs[i].fault);
		expect_incorrect(&bench_suite_elementwise, &wrong, "count=65537 op=mul", wrongs[i].fault);
	}
}

static void a_suite_that_skips_iterations_is_incorrect(void **state)
{
	(void)state;
	struct fixture fixture;
	struct bench_error error = {0};
	struct bench_check check;
	assert_true(open_fixture(&fixture, &bench_suite_null, NULL, "spin=2", &error));
	must(bench_suite_null.setup(&fixture.bench_case, &error), &fixture, "setup", &error);
	must(bench_suite_null.prepare(&fixture.bench_case, &error), &fixture, "prepare", &error);
	must(bench_suite_null.run(&fixture.bench_case, 9, &error), &fixture, "run", &error);
	must(bench_suite_null.check(&fixture.bench_case, 10, &check, &error), &fixture, "check", &error);
	assert_true(check.error > check.tolerance);
	close_fixture(&fixture);
	assert_true(open_fixture(&fixture, &bench_suite_view, NULL, "op=is_contiguous", &error));
	must(bench_suite_view.setup(&fixture.bench_case, &error), &fixture, "setup", &error);
	must(bench_suite_view.prepare(&fixture.bench_case, &error), &fixture, "prepare", &error);
	must(bench_suite_view.run(&fixture.bench_case, 40, &error), &fixture, "run", &error);
	must(bench_suite_view.check(&fixture.bench_case, 41, &check, &error), &fixture, "check", &error);
	assert_true(check.error > check.tolerance);
	close_fixture(&fixture);
	const struct bench_suite *template = bench_plugin.suites[0];
	assert_true(open_fixture(&fixture, template, NULL, "count=100", &error));
	must(template->setup(&fixture.bench_case, &error), &fixture, "setup", &error);
	must(template->prepare(&fixture.bench_case, &error), &fixture, "prepare", &error);
	must(template->check(&fixture.bench_case, 1, &check, &error), &fixture, "check", &error);
	assert_false(check.error <= check.tolerance);
	close_fixture(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wrong_gemm_is_incorrect_in_both_suites_at_small_and_large_sizes),
		cmocka_unit_test(a_batch_with_one_wrong_product_is_incorrect),
		cmocka_unit_test(a_wrong_gemm_in_half_precision_is_incorrect),
		cmocka_unit_test(one_wrong_element_anywhere_is_incorrect),
		cmocka_unit_test(what_was_never_written_is_nan_and_incorrect),
		cmocka_unit_test(a_view_taken_for_another_or_a_copy_that_is_lost_is_incorrect),
		cmocka_unit_test(a_wrong_view_is_seen),
		cmocka_unit_test(a_transfer_that_loses_a_byte_is_incorrect),
		cmocka_unit_test(a_wrong_elementwise_operation_is_incorrect),
		cmocka_unit_test(a_suite_that_skips_iterations_is_incorrect),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
