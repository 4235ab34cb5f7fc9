/* SPDX-License-Identifier: MIT */
/*
 * What 'bench run' prints at 80, 100 and 160 columns. Expected texts lie in tests/golden/report/; after a
 * change that is meant, run this test with BENCH_GOLDEN=write in the environment, and read what it wrote.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/file.h"
#include "report/format/format.h"
#include "report_fixture.h"

static void assert_golden(const char *name, const char *text)
{
	char path[512], *expected;
	size_t length;
	struct bench_error error;
	snprintf(path, sizeof(path), "%s/tests/golden/report/%s", BENCH_SOURCE_DIR, name);
	const char *mode = getenv("BENCH_GOLDEN");
	if (mode && strcmp(mode, "write") == 0)
		assert_int_equal(bench_file_write(path, text, strlen(text), &error), 0);
	if (bench_file_read(path, 1 << 20, &expected, &length, &error) != 0)
		fail_msg("%s", error.text);
	if (strcmp(expected, text) != 0)
		fail_msg("%s differs; this is what came:\n%s", path, text);
	free(expected);
}

static void assert_width(const char *text, size_t width)
{
	while (*text) {
		size_t length = strcspn(text, "\n");
		if (length > width)
			fail_msg("%zu columns, more than %zu: %.*s", length, width, (int)length, text);
		text += length + (text[length] == '\n');
	}
}

/* At every width one golden text, in which nothing is cut. */
static void assert_widths(const char *name, const struct bench_run *run)
{
	static const unsigned widths[] = {80, 100, 160};
	struct bench_text all = {0};
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		struct bench_report_options options = {.format = &bench_format_table, .width = widths[i]};
		struct bench_text out = {0};
		bench_format_table.run(run, NULL, &options, &out);
		assert_width(out.data, widths[i]);
		if (strstr(out.data, "..."))
			fail_msg("cut at %u columns:\n%s", widths[i], out.data);
		bench_text_add(&all, "=== %u columns\n%s", widths[i], out.data);
		bench_text_free(&out);
	}
	assert_golden(name, all.data);
	bench_text_free(&all);
}

/* One value an invocation, the same for each case, so that ratios are paired; `disturbed`: the first of them.
 */
static void add_times(struct bench_run *run, struct bench_result *result, double time, double half,
		      size_t invocations, size_t disturbed)
{
	static const double pattern[] = {0, 0.5, -1, 1, -0.5, 0.25, -0.25, 0.75, -0.75, 0.1};
	struct bench_metric *metric = fixture_metric(run, result, "time", "s", "", time, half);
	metric->series = bench_arena_alloc(&run->arena, invocations, sizeof(*metric->series));
	metric->series_count = invocations;
	for (size_t i = 0; i < invocations; i++) {
		struct bench_series *series = &metric->series[i];
		bool *mark = bench_arena_alloc(&run->arena, 1, sizeof(*mark));
		*mark = i < disturbed;
		*series = (struct bench_series){
			.invocation = (int)i,
			.values = bench_arena_alloc(&run->arena, 1, sizeof(double)),
			.count = 1,
			.disturbed = mark,
		};
		series->values[0] = time * (1 + half * pattern[(i + result->param_count) % 10]);
	}
	bench_record_summarize(metric->series, metric->series_count, &metric->summary);
}

static struct bench_result *add_gemm(struct bench_run *run, const char *backend, const char *dtype, int n,
				     double time, double half, size_t invocations, size_t disturbed)
{
	char params[96];
	bool opencl = strcmp(backend, "opencl") == 0;
	snprintf(params, sizeof(params), "dtype=%s,m=%d,n=%d,k=%d,trans=NN,alpha=1,beta=0,batch=1", dtype, n,
		 n, n);
	struct bench_result *result =
		fixture_result(run, "gemm", backend, opencl ? POCL : BLAS, params, BENCH_STATUS_OK, "");
	add_times(run, result, time, half, invocations, disturbed);
	double rate = 2.0 * n * n * n / result->metrics[0].summary.median;
	fixture_metric(run, result, "flop_rate", "FLOP/s", "time", rate, half);
	fixture_metric(run, result, "first_call", "s", "", time * 10, 0);
	if (opencl) {
		fixture_metric(run, result, "device_time", "s", "", time * 0.8, 0.003);
		fixture_metric(run, result, "launch_overhead", "s", "time", time * 0.2, 0.02);
		bench_record_attribute_set(
			&run->arena, &result->notes, &result->note_count, "launch_overhead",
			bench_arena_format(&run->arena,
					   "below 0 in %d of 9 invocations: with its time stamps on, the "
					   "device takes longer than a call without them",
					   n % 7 + 1));
	}
	return result;
}

static struct bench_run *new_run(unsigned invocations)
{
	struct bench_run *run = fixture_empty("20261120-231503");
	run->invocations = invocations;
	run->budget_seconds = 30;
	fixture_device(run, "opencl", POCL, "pthread-skylake-avx512", "3.1+debian");
	fixture_device(run, "openblas", BLAS, "Intel(R) Xeon(R) Platinum 8481C",
		       "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY SkylakeX MAX_THREADS=64");
	return run;
}

static void add_unsupported(struct bench_run *run, const char *dtype, int n)
{
	struct bench_result *result = add_gemm(run, "openblas", dtype, n, 1, 0, 1, 0);
	result->status = BENCH_STATUS_UNSUPPORTED;
	result->metric_count = 0;
	result->reason = bench_arena_string(&run->arena, "OpenBLAS has f32 and f64 only");
}

/* In the order of a plan that is not that of the numbers. */
static struct bench_run *two_backends(void)
{
	struct bench_run *run = new_run(10);
	static const int sizes[] = {1024, 128, 512, 64};
	for (size_t i = 0; i < 4; i++) {
		double n = sizes[i], ideal = 2 * n * n * n / 450e9;
		add_gemm(run, "opencl", "f32", sizes[i], ideal * 1.05 + 8e-6, 0.012, 10, 0);
		add_gemm(run, "openblas", "f32", sizes[i], ideal * (sizes[i] < 1000 ? 1 : 1.05) + 2e-6, 0.008,
			 10, 0);
		add_gemm(run, "opencl", "f16", sizes[i], ideal * 0.6 + 8e-6, 0.02, 10, 0);
		add_unsupported(run, "f16", sizes[i]);
	}
	return run;
}

static void two_backends_stand_side_by_side(void **state)
{
	(void)state;
	struct bench_run *run = two_backends();
	assert_widths("run-two-backends.txt", run);
	bench_record_free(run);
}

static void one_backend_has_a_row_a_case(void **state)
{
	(void)state;
	struct bench_run *run = new_run(6);
	static const int sizes[] = {256, 64, 1024};
	for (size_t i = 0; i < 3; i++) {
		double n = sizes[i];
		add_gemm(run, "opencl", "f32", sizes[i], 2 * n * n * n / 450e9 + 8e-6, 0.012, 6, 0);
	}
	run->device_count = 1;
	assert_widths("run-one-backend.txt", run);
	bench_record_free(run);
}

/* Eight of nine invocations disturbed: what is left is no interval, and must not look like the best known. */
static void an_unknown_precision_looks_unknown(void **state)
{
	(void)state;
	struct bench_run *run = new_run(9);
	static const int sizes[] = {64, 256};
	for (size_t i = 0; i < 2; i++) {
		double n = sizes[i];
		struct bench_result *result =
			add_gemm(run, "opencl", "f32", sizes[i], 2 * n * n * n / 450e9, 0.09, 9, 8);
		add_gemm(run, "openblas", "f32", sizes[i], 2 * n * n * n / 420e9, 0.4, 9, 5);
		struct bench_watched *watched = bench_arena_push(&run->arena, &result->watched,
								 &result->watched_count, sizeof(*watched));
		*watched = (struct bench_watched){
			.disturbed = 0.304, .others = 1.44, .steal = 0.09, .canary_worst = 1.7};
		watched->device = bench_arena_string(&run->arena, "");
	}
	assert_widths("run-noisy.txt", run);
	bench_record_free(run);
}

/* The budget held too few invocations for a verdict, and for an interval of 95%. */
static void too_few_invocations_give_no_verdict(void **state)
{
	(void)state;
	struct bench_run *run = new_run(6);
	static const int sizes[] = {64, 256};
	for (size_t i = 0; i < 2; i++) {
		double n = sizes[i];
		add_gemm(run, "opencl", "f32", sizes[i], 2 * n * n * n / 450e9, 0.09, 3, 0);
		add_gemm(run, "openblas", "f32", sizes[i], 2 * n * n * n / 220e9, 0.04, 3, 0);
	}
	assert_widths("run-few.txt", run);
	bench_record_free(run);
}

static void a_broken_kernel_is_explained_once(void **state)
{
	(void)state;
	struct bench_run *run = new_run(6);
	static const int sizes[] = {64, 256, 512, 1024, 2048, 4096};
	for (size_t i = 0; i < 6; i++) {
		double n = sizes[i];
		struct bench_result *result = add_gemm(run, "opencl", "f32", sizes[i], 1, 0, 6, 0);
		add_gemm(run, "openblas", "f32", sizes[i], 2 * n * n * n / 450e9 + 2e-6, 0.008, 6, 0);
		result->status = i == 5 ? BENCH_STATUS_INCORRECT : BENCH_STATUS_FAILED;
		result->metric_count = 0;
		result->reason = bench_arena_string(
			&run->arena,
			i == 5 ? "error nan is above the tolerance 1e-05 (c[16] was never written)"
			       : "the program does not compile: gemm.cl:14:9: error: use of undeclared "
				 "identifier 'lane'");
	}
	assert_widths("run-failed.txt", run);
	bench_record_free(run);
}

static void three_backends_stand_side_by_side_where_there_is_room(void **state)
{
	(void)state;
	struct bench_run *run = new_run(6);
	static const int sizes[] = {64, 1024};
	fixture_device(run, "onednn", BLAS, "Intel(R) Xeon(R) Platinum 8481C", "oneDNN 3.0");
	for (size_t i = 0; i < 2; i++) {
		double n = sizes[i];
		add_gemm(run, "opencl", "f32", sizes[i], 2 * n * n * n / 450e9 + 8e-6, 0.012, 6, 0);
		add_gemm(run, "openblas", "f32", sizes[i], 2 * n * n * n / 450e9 + 2e-6, 0.008, 6, 0);
		add_gemm(run, "onednn", "f32", sizes[i], 2 * n * n * n / 400e9 + 1e-6, 0.008, 6, 0);
	}
	assert_widths("run-three-backends.txt", run);
	bench_record_free(run);
}

static void asked_columns_are_shown(void **state)
{
	(void)state;
	struct bench_run *run = two_backends();
	static const char *const columns[] = {"first_call", "launch_overhead", NULL};
	struct bench_text out = {0};
	bench_format_table.run(run, NULL, &(struct bench_report_options){.columns = columns}, &out);
	assert_golden("run-columns.txt", out.data);
	bench_text_free(&out);
	bench_record_free(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_backends_stand_side_by_side),
		cmocka_unit_test(one_backend_has_a_row_a_case),
		cmocka_unit_test(an_unknown_precision_looks_unknown),
		cmocka_unit_test(too_few_invocations_give_no_verdict),
		cmocka_unit_test(a_broken_kernel_is_explained_once),
		cmocka_unit_test(three_backends_stand_side_by_side_where_there_is_room),
		cmocka_unit_test(asked_columns_are_shown),
	};
	return cmocka_run_group_tests_name("report_run", tests, NULL, NULL);
}
