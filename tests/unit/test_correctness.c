/* SPDX-License-Identifier: MIT */
/* The suite correctness: it passes what is right, and names the point of what is wrong. */
#include "suite_fixture.h"

static const struct bench_backend *const backends[] = {&bench_backend_opencl, &bench_backend_openblas,
						       &bench_backend_reference};

static const struct bench_param *suite_param(void)
{
	return &bench_suite_correctness.params[param_index(&bench_suite_correctness, "suite")];
}

/* Every word of the parameter `suite`, on every backend, with both kinds of shapes. */
static void all_operations_are_right_at_all_points(void **state)
{
	(void)state;
	for (size_t b = 0; b < sizeof(backends) / sizeof(backends[0]); b++) {
		char words[512], *rest = words;
		snprintf(words, sizeof(words), "%s", suite_param()->choices);
		for (char *word; (word = bench_text_next(&rest, '|'));)
			for (int random = 0; random < 2; random++) {
				char settings[128];
				struct fixture fixture;
				struct bench_error error = {0};
				struct bench_case *bench_case = &fixture.bench_case;
				snprintf(settings, sizeof(settings), "suite=%s shapes=%s", word,
					 random ? "random" : "edges");
				if (!open_fixture(&fixture, &bench_suite_correctness, backends[b], settings,
						  &error)) {
					print_message("[  skipped ] %s: %s\n", backends[b]->name, error.text);
					continue;
				}
				must(bench_suite_correctness.setup(bench_case, &error), &fixture, "setup",
				     &error);
				must(bench_suite_correctness.prepare(bench_case, &error), &fixture, "prepare",
				     &error);
				if (bench_suite_correctness.run(bench_case, 1, &error)) {
					/* Nothing of it on this backend: said so, with a reason. */
					if (error.code != BENCH_UNSUPPORTED)
						fail_msg("%s %s: %s", backends[b]->name, settings,
							 error.text);
					print_message("[   left   ] %s %s: %s\n", backends[b]->name, settings,
						      error.text);
				} else {
					struct bench_check check;
					must(bench_suite_correctness.check(bench_case, 1, &check, &error),
					     &fixture, "check", &error);
					if (!(check.error <= check.tolerance))
						fail_msg("%s %s: error %g: %s", backends[b]->name, settings,
							 check.error, check.method);
				}
				close_fixture(&fixture);
			}
	}
}

static int wrong_at_31(struct bench_device *device, const struct bench_gemm *gemm, struct bench_error *error)
{
	struct bench_gemm other = *gemm;
	if (gemm->n == 31 && gemm->trans_b)
		other.alpha = 2 * gemm->alpha;
	return bench_backend_openblas.gemm(device, &other, error);
}

static int nothing_at_31(struct bench_device *device, const struct bench_gemm *gemm,
			 struct bench_error *error)
{
	return gemm->n == 31 ? 0 : bench_backend_openblas.gemm(device, gemm, error);
}

static void one_wrong_point_is_incorrect_and_named(void **state)
{
	(void)state;
	int (*const wrong[])(struct bench_device *, const struct bench_gemm *,
			     struct bench_error *) = {wrong_at_31, nothing_at_31};
	for (size_t i = 0; i < 2; i++) {
		struct bench_backend backend = bench_backend_openblas;
		struct fixture fixture;
		struct bench_error error = {0};
		backend.gemm = wrong[i];
		if (!open_fixture(&fixture, &bench_suite_correctness, &backend, "suite=gemm", &error))
			skip();
		must(bench_suite_correctness.setup(&fixture.bench_case, &error), &fixture, "setup", &error);
		struct bench_check check = once(&fixture);
		assert_false(check.error <= check.tolerance);
		assert_non_null(strstr(check.method, "n=31"));
		close_fixture(&fixture);
	}
}

static int refuses(struct bench_device *device, const struct bench_gemm *gemm, struct bench_error *error)
{
	(void)device;
	(void)gemm;
	return bench_fail(error, BENCH_UNSUPPORTED, "not on a Friday");
}

static int breaks(struct bench_device *device, const struct bench_gemm *gemm, struct bench_error *error)
{
	(void)device;
	(void)gemm;
	return bench_fail(error, BENCH_FAILED, "smoke");
}

static void what_cannot_be_done_says_why(void **state)
{
	(void)state;
	struct bench_backend backend = bench_backend_openblas;
	struct fixture fixture;
	struct bench_error error = {0};
	backend.gemm = refuses;
	if (!open_fixture(&fixture, &bench_suite_correctness, &backend, "suite=gemm", &error))
		skip();
	must(bench_suite_correctness.setup(&fixture.bench_case, &error), &fixture, "setup", &error);
	must(bench_suite_correctness.prepare(&fixture.bench_case, &error), &fixture, "prepare", &error);
	assert_int_equal(bench_suite_correctness.run(&fixture.bench_case, 1, &error), -1);
	assert_int_equal(error.code, BENCH_UNSUPPORTED);
	assert_string_equal(error.text, "not on a Friday");
	backend.gemm = breaks;
	assert_int_equal(bench_suite_correctness.run(&fixture.bench_case, 1, &error), -1);
	assert_int_equal(error.code, BENCH_FAILED);
	assert_non_null(strstr(error.text, "n=1"));
	assert_non_null(strstr(error.text, "smoke"));
	close_fixture(&fixture);
}

static void its_work_counts_the_points(void **state)
{
	(void)state;
	struct bench_value values[MAX_PARAMS];
	struct bench_work work = {0};
	struct bench_error error;
	set_values(&bench_suite_correctness, "suite=elementwise", values);
	const struct bench_case bench_case = {.values = values};
	assert_int_equal(bench_suite_correctness.work(&bench_case, &work, &error), 0);
	assert_true(work.items == 18 * 2 * 6);
	assert_int_equal(work.samples, 1);
	assert_int_equal(work.largest_bytes, 129 * 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_operations_are_right_at_all_points),
		cmocka_unit_test(one_wrong_point_is_incorrect_and_named),
		cmocka_unit_test(what_cannot_be_done_says_why),
		cmocka_unit_test(its_work_counts_the_points),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
