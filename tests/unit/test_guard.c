/* SPDX-License-Identifier: MIT */
/* Suite guard: both variants are right, on every backend, and the check sees what is not. */
#include <inttypes.h>
#include <stdlib.h>

#include "suite_fixture.h"

static const struct bench_backend *const every_backend[] = {&bench_backend_reference, &bench_backend_openblas,
							    &bench_backend_opencl};

static struct bench_check check_of(const struct bench_backend *backend, const char *settings, bool *there)
{
	struct fixture fixture;
	struct bench_check check = {.error = 0};
	struct bench_error error = {0};
	*there = open_fixture(&fixture, &bench_suite_guard, backend, settings, &error);
	if (!*there) {
		print_message("skipped on %s: %s\n", backend->name, error.text);
		return check;
	}
	must(fixture.suite->setup(&fixture.bench_case, &error), &fixture, "setup", &error);
	check = once(&fixture);
	close_fixture(&fixture);
	return check;
}

static void both_variants_are_right_and_the_guarded_one_at_odd_sizes_too(void **state)
{
	(void)state;
	static const char *const settings[] = {
		"n=128 variant=raw",
		"n=256 variant=raw",
		"n=128 variant=raw dtype=f64",
		"n=1 variant=guarded",
		"n=2 variant=guarded",
		"n=17 variant=guarded",
		"n=127 variant=guarded",
		"n=128 variant=guarded",
		"n=129 variant=guarded",
		"n=127 variant=guarded dtype=f64",
		"n=129 variant=guarded dtype=f64",
	};
	for (size_t b = 0; b < sizeof(every_backend) / sizeof(every_backend[0]); b++) {
		for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
			bool there;
			struct bench_check check = check_of(every_backend[b], settings[i], &there);
			if (!there)
				break;
			if (!(check.error <= check.tolerance))
				fail_msg("%s %s: error %g, tolerance %g", every_backend[b]->name, settings[i],
					 check.error, check.tolerance);
		}
	}
}

static int work_of(const char *settings, struct bench_work *work, struct bench_error *error)
{
	struct bench_value values[MAX_PARAMS];
	set_values(&bench_suite_guard, settings, values);
	struct bench_case bench_case = {.values = values};
	*work = (struct bench_work){0};
	return bench_suite_guard.work(&bench_case, work, error);
}

static void sizes_that_the_raw_product_cannot_have_are_refused(void **state)
{
	(void)state;
	static const char *const refused[] = {"n=1 variant=raw", "n=127 variant=raw", "n=129 variant=raw",
					      "n=192 variant=raw", "n=1000 variant=raw"};
	struct bench_error error;
	struct bench_work work;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		assert_int_equal(work_of(refused[i], &work, &error), -1);
		assert_int_equal(error.code, BENCH_USAGE);
		assert_non_null(strstr(error.text, "variant=guarded"));
	}
	assert_int_equal(work_of("n=1000 variant=guarded", &work, &error), 0);
	assert_int_equal(work_of("n=384 variant=raw", &work, &error), 0);
}

static void both_variants_are_the_same_work(void **state)
{
	(void)state;
	struct bench_error error;
	struct bench_work raw, guarded;
	assert_int_equal(work_of("n=256 variant=raw", &raw, &error), 0);
	assert_int_equal(work_of("n=256 variant=guarded", &guarded, &error), 0);
	assert_memory_equal(&raw, &guarded, sizeof(raw));
	assert_true(raw.flops == 2.0 * 256 * 256 * 256);
	assert_true(raw.bytes == 3.0 * 256 * 256 * 4);
	assert_int_equal(raw.device_bytes, 3 * 256 * 256 * 4);
}

/* What the backend was asked for last. */
static struct bench_gemm asked;

static int gemm_noted(struct bench_device *device, const struct bench_gemm *gemm, struct bench_error *error)
{
	asked = *gemm;
	return bench_backend_reference.gemm(device, gemm, error);
}

static void the_backend_is_asked_for_the_variant_that_is_named(void **state)
{
	(void)state;
	struct bench_backend noting = bench_backend_reference;
	bool there;
	noting.gemm = gemm_noted;
	check_of(&noting, "n=128 variant=raw", &there);
	assert_true(there && asked.raw);
	check_of(&noting, "n=128 variant=guarded", &there);
	assert_true(there && !asked.raw);
}

static int gemm_does_nothing(struct bench_device *device, const struct bench_gemm *gemm,
			     struct bench_error *error)
{
	(void)device;
	(void)gemm;
	(void)error;
	return 0;
}

/* As a raw kernel would that is run on a size that is no multiple of its tile: nothing of the last row. */
static int gemm_drops_the_tail(struct bench_device *device, const struct bench_gemm *gemm,
			       struct bench_error *error)
{
	struct bench_gemm shorter = *gemm;
	shorter.m--;
	return bench_backend_reference.gemm(device, &shorter, error);
}

static int gemm_with_one_wrong(struct bench_device *device, const struct bench_gemm *gemm,
			       struct bench_error *error)
{
	const struct bench_backend *real = &bench_backend_reference;
	size_t bytes = gemm->m * gemm->n * bench_dtype_bytes(gemm->dtype);
	float *c = malloc(bytes);
	int status = real->gemm(device, gemm, error) || real->download(device, gemm->c, c, bytes, error);
	if (status == 0) {
		c[gemm->m * gemm->n / 2 + gemm->n / 3] *= 1.01F;
		status = real->upload(device, gemm->c, c, bytes, error);
	}
	free(c);
	return status;
}

static int gemm_with_operands_swapped(struct bench_device *device, const struct bench_gemm *gemm,
				      struct bench_error *error)
{
	struct bench_gemm other = *gemm;
	other.a = gemm->b;
	other.b = gemm->a;
	return bench_backend_reference.gemm(device, &other, error);
}

static void a_wrong_product_is_incorrect_in_both_variants(void **state)
{
	(void)state;
	static const struct {
		const char *fault;
		int (*gemm)(struct bench_device *device, const struct bench_gemm *gemm,
			    struct bench_error *error);
	} faults[] = {{"nothing", gemm_does_nothing},
		      {"a dropped tail", gemm_drops_the_tail},
		      {"one wrong element", gemm_with_one_wrong},
		      {"A and B swapped", gemm_with_operands_swapped}};
	static const char *const settings[] = {"n=128 variant=raw", "n=128 variant=guarded",
					       "n=129 variant=guarded"};
	for (size_t f = 0; f < sizeof(faults) / sizeof(faults[0]); f++) {
		struct bench_backend wrong = bench_backend_reference;
		wrong.gemm = faults[f].gemm;
		for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
			bool there;
			struct bench_check check = check_of(&wrong, settings[i], &there);
			if (check.error <= check.tolerance)
				fail_msg("%s did not see %s", settings[i], faults[f].fault);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_variants_are_right_and_the_guarded_one_at_odd_sizes_too),
		cmocka_unit_test(sizes_that_the_raw_product_cannot_have_are_refused),
		cmocka_unit_test(both_variants_are_the_same_work),
		cmocka_unit_test(the_backend_is_asked_for_the_variant_that_is_named),
		cmocka_unit_test(a_wrong_product_is_incorrect_in_both_variants),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
