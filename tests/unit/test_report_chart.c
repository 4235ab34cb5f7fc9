/* SPDX-License-Identifier: MIT */
/* The charts on the pages of bench report: levels, marks, ranges, samples, roofs. */
#include "html_fixture.h"

/* A shift that is too small to be shown may lie before the old level. */
static void levels_cover_all_runs(void **state)
{
	struct bench_change change = change_at(7, 1.2);
	struct made *made = make(10);
	(void)state;
	change.from = FIRST + 3 * DAY;
	change.until = FIRST + 9 * DAY;
	made->data.changes = &change;
	made->data.change_count = 1;
	render(made);
	assert_int_equal(count_of(page(made, "metrics/"), "class=\"line level\""), 3);
	forget(made);
	made = make(10);
	render(made);
	assert_int_equal(count_of(page(made, "metrics/"), "class=\"line level\""), 1);
	forget(made);
}

static void what_changed_between_runs_is_marked(void **state)
{
	struct made *made = make(10);
	(void)state;
	made->runs[4].facts = "kernel: 6.1, now 6.2";
	made->points[10 + 2].accepted = "the new allocator";
	made->points[10 + 3].disturbed = true;
	render(made);
	assert_has(page(made, "metrics/"), "class=\"mark environment\"");
	assert_has(page(made, "metrics/"), "<td>kernel: 6.1, now 6.2</td>");
	assert_has(page(made, "metrics/"), "class=\"mark accepted\"");
	assert_has(page(made, "metrics/"), "<td>the new allocator</td>");
	assert_has(page(made, "metrics/"), "class=\"point disturbed\"");
	forget(made);
}

static struct html_axis range_of(const struct made *made, size_t nights)
{
	struct html_axis axis = {0};
	html_trend_range(made->points + nights, nights, true, &axis);
	return axis;
}

static void a_spike_or_a_wide_interval_flattens_nothing(void **state)
{
	struct made *made = make(30);
	(void)state;
	made->points[30 + 10].median = 45e-3;
	made->points[30 + 11].median = 45e-3;
	made->points[30 + 20].ci_hi = 45e-3;
	struct html_axis axis = range_of(made, 30);
	assert_true(axis.hi < 1.1e-3 && axis.lo > 0.9e-3);
	render(made);
	assert_int_equal(count_of(page(made, "metrics/"), "class=\"point outside\""), 2);
	forget(made);
}

static void a_new_level_and_the_newest_value_are_within_the_chart(void **state)
{
	struct made *made = make(30);
	(void)state;
	for (size_t i = 5; i < 8; i++)
		made->points[30 + i].median = 1.3e-3;
	made->points[30 + 29].median = 0.5e-3;
	struct html_axis axis = range_of(made, 30);
	assert_true(axis.hi > 1.3e-3 && axis.lo < 0.5e-3);
	forget(made);
}

static void one_run_no_spread_and_no_value_can_be_drawn(void **state)
{
	struct made *made = make(1);
	(void)state;
	made->points[1].ci_lo = made->points[1].ci_hi = made->points[1].median;
	struct html_axis axis = range_of(made, 1);
	assert_true(axis.lo < axis.hi);
	render(made);
	assert_has(page(made, "metrics/"), "over 1 run<");
	forget(made);
	made = make(3);
	for (size_t i = 0; i < 3; i++)
		made->points[3 + i].median = made->points[3 + i].ci_lo = made->points[3 + i].ci_hi = NAN;
	render(made);
	assert_has_not(page(made, "metrics/"), "nan");
	forget(made);
}

static void the_time_relative_to_the_anchor_has_a_chart_of_its_own(void **state)
{
	struct made *made = make(20);
	(void)state;
	/* The rate becomes the ratio; two runs have none. */
	for (size_t i = 0; i < 20; i++) {
		made->points[i].key = (char *)"gemm/openblas:cpu/n=64/relative_time";
		made->points[i].unit = (char *)"ratio";
		made->points[i].better = BENCH_BETTER_LOWER;
		made->points[i].derived = false;
		made->points[i].median = 1.1;
		made->points[i].level_shift = 0.1;
		made->points[i].anchor = i < 2 ? "" : "night-00";
	}
	render(made);
	const char *metric = page(made, html_find_series(made->site, TIME, NULL)->page);
	assert_has(metric, "class=\"ratio\"");
	/* The anchor's own shift is chained: 1.1 * exp(0.1). */
	assert_int_equal(count_of(metric, ", 1.216, commit"), 18);
	forget(made);
}

/* The run of report_fixture.h as the newest, of its host and with its samples. */
static void samples_and_the_command_that_repeats_them_are_shown(void **state)
{
	struct made *made = make(4);
	struct bench_run *whole = fixture_run();
	const struct bench_run *const list[] = {whole};
	(void)state;
	bench_record_attribute_set(&whole->arena, &whole->host, &whole->host_count, "fingerprint", "f00d");
	for (size_t i = 0; i < 4; i++)
		made->points[4 + i].key = bench_arena_format(&made->arena, "%s/time", whole->results[0].key);
	made->data.whole = list;
	made->data.whole_count = 1;
	render(made);
	const char *metric = page(made, "metrics/");
	assert_has(metric, "distribution of the samples");
	assert_has(metric, "samples in the order");
	assert_has(metric, "bench run --suite gemm --backend opencl:" POCL);
	assert_has_not(metric, "class=\"bar before\"");
	forget(made);
	bench_record_free(whole);
}

static void draw_device(double moved)
{
	struct made *made = make(2);
	struct bench_run *whole = fixture_run();
	const struct bench_run *const list[] = {whole};
	bench_record_attribute_set(&whole->arena, &whole->host, &whole->host_count, "fingerprint", "f00d");
	for (size_t i = 0; i < whole->result_count; i++)
		whole->results[i].work = (struct bench_work){.flops = 1e9, .bytes = 1e7};
	if (moved > 0) {
		struct bench_result *result = &whole->results[2];
		fixture_metric(whole, result, "dram_bytes", "B", "", moved, 0.01);
		bench_record_attribute_set(&whole->arena, &result->notes, &result->note_count, "traffic",
					   moved > 1.5e7 ? "far" : "");
	}
	whole->devices[0].ceilings = (struct bench_ceilings){.flop_rate = {1e9}, .bandwidth = 1e10};
	struct bench_result *peak =
		fixture_result(whole, "peak", "opencl", POCL, "what=read,bytes=32768", BENCH_STATUS_OK, "");
	fixture_metric(whole, peak, "bandwidth", "B/s", "", 9e10, 0);
	fixture_metric(whole, peak, "time", "s", "", 1e-6, 0);
	for (size_t i = 0; i < 4; i++) {
		made->points[i] = made->points[2 + i % 2];
		made->points[i].key = bench_arena_format(&made->arena, "%s/time",
							 i < 2 ? whole->results[2].key : peak->key);
	}
	made->runs[0].head = whole;
	made->data.whole = list;
	made->data.whole_count = 1;
	render(made);
	const char *device = page(made, "devices/f00d_opencl");
	/* 2 * 1024^3 in 7.161 ms */
	assert_has(device, "f32: 299.9 GFLOP/s");
	assert_has(device, "memory: 10.00 GB/s");
	assert_has(device, "32 KiB: 90.00 GB/s");
	assert_int_equal(count_of(device, "<circle class=\"point series-1\""), 1);
	assert_has(device, "<td data-value=\"100\">100</td>"); /* FLOPs per byte */
	if (moved > 0)
		assert_has(device, moved > 1.5e7 ? ">3.1, far above</td>" : ">1.05</td>");
	assert_int_equal(strstr(device, "bytes moved over model") != NULL, moved > 0);
	forget(made);
	bench_record_free(whole);
}

static void no_roof_is_below_a_rate_that_was_checked(void **state)
{
	(void)state;
	draw_device(0);
}

static void measured_traffic_has_a_column(void **state)
{
	(void)state;
	draw_device(1.05e7);
	draw_device(3.1e7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_cover_all_runs),
		cmocka_unit_test(what_changed_between_runs_is_marked),
		cmocka_unit_test(a_spike_or_a_wide_interval_flattens_nothing),
		cmocka_unit_test(a_new_level_and_the_newest_value_are_within_the_chart),
		cmocka_unit_test(one_run_no_spread_and_no_value_can_be_drawn),
		cmocka_unit_test(the_time_relative_to_the_anchor_has_a_chart_of_its_own),
		cmocka_unit_test(samples_and_the_command_that_repeats_them_are_shown),
		cmocka_unit_test(no_roof_is_below_a_rate_that_was_checked),
		cmocka_unit_test(measured_traffic_has_a_column),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
