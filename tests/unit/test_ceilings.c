/* SPDX-License-Identifier: MIT */
/* Ceilings of devices: taken from suite peak, carried by files and history, and what is set against them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "made_run.h"
#include "report/plot/plot.h"
#include "store/store.h"

#define LARGE ((uint64_t)1 << 30)

/* A case of one invocation with three equal times. */
static struct bench_result *timed(struct bench_run *run, const char *suite, unsigned n, double flops,
				  double bytes, uint64_t device_bytes, double seconds)
{
	struct bench_result *result = made_result(run, suite, "openblas", "cpu", n, BENCH_STATUS_OK);
	result->work = (struct bench_work){.flops = flops, .bytes = bytes, .device_bytes = device_bytes};
	struct bench_metric *metric =
		bench_arena_push(&run->arena, &result->metrics, &result->metric_count, sizeof(*metric));
	metric->name = bench_arena_string(&run->arena, "time");
	metric->unit = bench_arena_string(&run->arena, "s");
	metric->better = BENCH_BETTER_LOWER;
	metric->derived_from = bench_arena_string(&run->arena, "");
	struct bench_series *series =
		bench_arena_push(&run->arena, &metric->series, &metric->series_count, sizeof(*series));
	series->values = bench_arena_alloc(&run->arena, 3, sizeof(double));
	series->count = 3;
	for (size_t i = 0; i < 3; i++)
		series->values[i] = seconds;
	return result;
}

/* 100 FLOP/s and 10 B/s. */
static void add_peaks(struct bench_run *run)
{
	timed(run, "peak", 1, 100, 0, 0, 1);
	timed(run, "peak", 2, 0, 10, LARGE, 1);
	timed(run, "peak", 3, 0, 1000, 1024, 1); /* of a cache */
}

static double share(const struct bench_run *run, size_t index)
{
	const struct bench_metric *metric = bench_record_metric(&run->results[index], "peak_share");
	return metric ? metric->summary.median : (double)NAN;
}

static const char *remark(const struct bench_run *run, size_t index)
{
	const struct bench_result *result = &run->results[index];
	return bench_record_attribute_get(result->notes, result->note_count, "implausible");
}

static void assert_near(double found, double expected)
{
	if (!(fabs(found - expected) <= 1e-12 * fabs(expected)))
		fail_msg("found %.17g, expected %.17g", found, expected);
}

static void a_run_takes_what_it_reached_itself(void **state)
{
	(void)state;
	struct bench_run *run = made_run("r1");
	add_peaks(run);
	timed(run, "gemm", 4, 50, 1, LARGE, 1);  /* half of the arithmetic */
	timed(run, "gemm", 5, 10, 8, LARGE, 1);  /* 0.8 of the memory */
	timed(run, "gemm", 6, 10, 80, 1024, 1);  /* eight times the memory: a cache's */
	timed(run, "gemm", 7, 10, 80, LARGE, 1); /* the same of too much for a cache */
	timed(run, "gemm", 8, 1000, 1, 1024, 1); /* ten times the arithmetic */
	timed(run, "gemm", 9, 105, 1, LARGE, 1); /* within what ceilings err */
	bench_record_finalise(run);
	const struct bench_ceilings *ceilings = &run->devices[0].ceilings;
	assert_near(ceilings->flop_rate[BENCH_F32], 100);
	assert_near(ceilings->bandwidth, 10);
	assert_string_equal(ceilings->run, "r1");
	assert_true(isnan(share(run, 0))); /* a ceiling is no share of itself */
	static const double expected[] = {0.5, 0.8, 8, 8, 10, 1.05};
	for (size_t i = 0; i < 6; i++)
		assert_near(share(run, 3 + i), expected[i]);
	assert_string_equal(remark(run, 5), "");
	assert_non_null(strstr(remark(run, 6), "8 times the bandwidth"));
	assert_non_null(strstr(remark(run, 7), "10 times the arithmetic"));
	assert_string_equal(remark(run, 8), "");
	bench_record_free(run);
}

static void a_busy_day_lowers_no_ceiling(void **state)
{
	(void)state;
	struct bench_run *run = made_run("r2");
	run->devices[0].ceilings = (struct bench_ceilings){.flop_rate = {150}, .bandwidth = 5, .run = "r0"};
	add_peaks(run);
	bench_record_finalise(run);
	assert_near(run->devices[0].ceilings.flop_rate[BENCH_F32], 150);
	assert_near(run->devices[0].ceilings.bandwidth, 10);
	assert_string_equal(run->devices[0].ceilings.run, "r2");
	bench_record_free(run);
}

static void half_a_roof_gives_no_share(void **state)
{
	(void)state;
	struct bench_run *run = made_run("r3");
	run->devices[0].ceilings = (struct bench_ceilings){.bandwidth = 10, .run = "r0"};
	timed(run, "gemm", 1, 50, 1, LARGE, 1);
	timed(run, "transfer", 1, 0, 5, LARGE, 1);
	bench_record_finalise(run);
	assert_true(isnan(share(run, 0)));
	assert_near(share(run, 1), 0.5);
	bench_record_free(run);
}

static void a_wrong_or_failed_peak_is_no_ceiling(void **state)
{
	(void)state;
	struct bench_run *run = made_run("r4");
	timed(run, "peak", 1, 100, 0, 0, 1)->status = BENCH_STATUS_FAILED;
	timed(run, "gemm", 1, 50, 0, 0, 1);
	bench_record_finalise(run);
	assert_true(run->devices[0].ceilings.flop_rate[BENCH_F32] == 0);
	assert_true(isnan(share(run, 1)));
	bench_record_free(run);
}

static struct bench_result *typed(struct bench_run *run, struct bench_result *result, const char *dtype)
{
	bench_record_attribute_set(&run->arena, &result->params, &result->param_count, "dtype", dtype);
	return result;
}

/* f16 on a CPU is done in f32; on a GPU by units that `tensor` alone measures. */
static void short_types_have_the_ceiling_of_the_units_that_compute_them(void **state)
{
	(void)state;
	for (int gpu = 0; gpu < 2; gpu++)
		for (int tensor = 0; tensor < 2; tensor++) {
			struct bench_run *run = made_run("r5"), *back;
			struct bench_error error = {0};
			run->devices[0].info.kind = gpu ? BENCH_DEVICE_GPU : BENCH_DEVICE_CPU;
			add_peaks(run);
			typed(run, timed(run, "gemm", 4, 500, 1, LARGE, 1), "f16");
			typed(run, timed(run, "gemm", 5, 50, 1, LARGE, 1), "bf16");
			if (tensor)
				typed(run, timed(run, "peak", 6, 1000, 0, 0, 1), "f16");
			bench_record_finalise(run);
			if (tensor)
				assert_near(share(run, 3), 0.5);
			else if (gpu)
				assert_true(isnan(share(run, 3)));
			else
				assert_near(share(run, 3), 5);
			assert_int_equal(*remark(run, 3) != '\0', !tensor && !gpu);
			assert_int_equal(isnan(share(run, 4)), gpu); /* bf16 was not measured */
			assert_near(run->devices[0].ceilings.flop_rate[BENCH_F32], 100);
			char *text = bench_record_to_json(run);
			assert_int_equal(strstr(text, "flop_rate_f16") != NULL, tensor);
			if (bench_record_from_json(text, strlen(text), "text", &back, &error) != 0)
				fail_msg("%s", error.text);
			assert_near(back->devices[0].ceilings.flop_rate[BENCH_F16], tensor ? 1000 : 0);
			bench_record_free(back);
			free(text);
			bench_record_free(run);
		}
}

static void files_and_history_carry_ceilings(void **state)
{
	(void)state;
	char path[] = "/tmp/bench-ceilings-XXXXXX", id[64];
	struct bench_error error = {0};
	struct bench_store *store;
	struct bench_run *run = made_run("20260101-000000"), *back;
	int file = mkstemp(path);
	assert_true(file >= 0);
	close(file);
	bench_record_attribute_set(&run->arena, &run->labels, &run->label_count, "k", "v");
	run->command = bench_arena_string(&run->arena, "bench run");
	add_peaks(run);
	bench_record_finalise(run);
	char *text = bench_record_to_json(run);
	if (bench_record_from_json(text, strlen(text), "text", &back, &error) != 0)
		fail_msg("%s", error.text);
	assert_near(back->devices[0].ceilings.bandwidth, 10);
	assert_string_equal(back->devices[0].ceilings.run, run->id);
	bench_record_free(back);
	free(text);
	bool added;
	if (bench_store_open(path, BENCH_STORE_WRITE, &store, &error) != 0 ||
	    bench_store_ingest(store, run, &added, &error) != 0)
		fail_msg("%s", error.text);
	static const struct {
		const char *suite, *device, *fingerprint, *id;
	} asked[] = {{"peak", "cpu", "0123456789abcdef", "20260101-000000"},
		     {"gemm", "cpu", "0123456789abcdef", ""},
		     {"peak", "gpu", "0123456789abcdef", ""},
		     {"peak", "cpu", "another", ""}};
	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		assert_int_equal(bench_store_last_of(store, asked[i].suite, "openblas", asked[i].device,
						     asked[i].fingerprint, id, sizeof(id), &error),
				 0);
		assert_string_equal(id, asked[i].id);
	}
	bench_store_close(store);
	unlink(path);
	bench_record_free(run);
}

static void a_roofline_needs_roofs_and_points(void **state)
{
	(void)state;
	struct bench_error error = {0};
	struct bench_plot_place place = {.file = "/tmp/never.svg"};
	struct bench_run *run = made_run("r5");
	timed(run, "gemm", 1, 50, 1, LARGE, 1);
	bench_record_finalise(run);
	assert_int_equal(bench_plot_roofline(run, NULL, 0, &place, &error), -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	assert_non_null(strstr(error.text, "bench run --suite peak"));
	bench_record_free(run);
	run = made_run("r6");
	add_peaks(run);
	bench_record_finalise(run);
	assert_int_equal(bench_plot_roofline(run, NULL, 0, &place, &error), -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	bench_record_free(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_takes_what_it_reached_itself),
		cmocka_unit_test(a_busy_day_lowers_no_ceiling),
		cmocka_unit_test(half_a_roof_gives_no_share),
		cmocka_unit_test(a_wrong_or_failed_peak_is_no_ceiling),
		cmocka_unit_test(short_types_have_the_ceiling_of_the_units_that_compute_them),
		cmocka_unit_test(files_and_history_carry_ceilings),
		cmocka_unit_test(a_roofline_needs_roofs_and_points),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
