/* SPDX-License-Identifier: MIT */
/* Plots: what gnuplot is given and what comes back. The pictures themselves are for eyes. */
#include "plot_fixture.h"

static void each_ending_gives_its_kind_of_file(void **state)
{
	(void)state;
	static const struct {
		const char *name, *magic;
	} kinds[] = {{"a.svg", "<?xml"}, {"a.png", "\x89PNG"}, {"a.PDF", "%PDF"}};
	if (no_gnuplot())
		return;
	struct bench_run *run = fixture_run();
	for (size_t i = 0; i < 3; i++) {
		struct bench_error error;
		size_t length;
		assert_drawn(bench_plot_scaling(run, "gemm", NULL, into(kinds[i].name), &error), &error);
		char *data = take(output(kinds[i].name), &length);
		assert_memory_equal(data, kinds[i].magic, strlen(kinds[i].magic));
		free(data);
	}
	bench_record_free(run);
}

static void scaling_names_axis_lines_and_sizes(void **state)
{
	(void)state;
	if (no_gnuplot())
		return;
	struct bench_run *run = fixture_run();
	struct bench_error error;
	size_t length;
	assert_drawn(bench_plot_scaling(run, "gemm", NULL, into("a.svg"), &error), &error);
	char *svg = take(output("a.svg"), &length);
	assert_non_null(strstr(svg, ">m = n = k<"));
	assert_non_null(strstr(svg, ">GFLOP/s<"));
	assert_non_null(strstr(svg, ">opencl:pocl-skylake-avx512<"));
	assert_non_null(strstr(svg, ">openblas:skylakex<"));
	assert_non_null(strstr(svg, ">1024<"));
	assert_null(strstr(svg, ">8192<")); /* a case that failed has no place on the axis */
	free(svg);
	bench_record_free(run);
}

/* A default GEMM run: square sizes, and many shapes that stand alone, more of them than lines can be told
 * apart. */
static void scaling_leaves_out_what_stands_alone(void **state)
{
	(void)state;
	if (no_gnuplot())
		return;
	struct bench_run *run = fixture_run();
	struct bench_error error;
	size_t length;
	for (int k = 1; k <= 20; k++) {
		char params[96];
		snprintf(params, sizeof(params), "dtype=f32,m=3,n=5,k=%d,trans=tt", k);
		struct bench_result *result =
			fixture_result(run, "gemm", "opencl", POCL, params, BENCH_STATUS_OK, "");
		fixture_metric(run, result, "flop_rate", "FLOP/s", "time", 1e9, 0.004);
	}
	assert_drawn(bench_plot_scaling(run, "gemm", "m", into("a.svg"), &error), &error);
	char *svg = take(output("a.svg"), &length);
	assert_non_null(strstr(svg, "without 20 cases at one m only"));
	assert_non_null(strstr(svg, ">opencl:pocl-skylake-avx512<"));
	assert_null(strstr(svg, "k=20"));
	free(svg);
	bench_record_free(run);
}

static void scaling_over_what_cannot_be_plotted_is_refused(void **state)
{
	(void)state;
	struct bench_run *run = fixture_run();
	struct bench_error error;
	assert_int_equal(bench_plot_scaling(run, "gem", NULL, into("a.svg"), &error), -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	assert_non_null(strstr(error.text, "'gem'"));
	assert_int_equal(bench_plot_scaling(run, "gemm", "q", into("a.svg"), &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);
	assert_non_null(strstr(error.text, "dtype, m, n, k, trans"));
	assert_int_equal(bench_plot_scaling(run, "gemm", "trans", into("a.svg"), &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);
	assert_int_equal(bench_plot_scaling(run, "gemm", "m", into("a.gif"), &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);
	assert_non_null(strstr(error.text, ".svg, .png or .pdf"));
	run->result_count = 0;
	fixture_result(run, "spmv", "opencl", POCL, "n=1", BENCH_STATUS_FAILED, "lost");
	assert_int_equal(bench_plot_scaling(run, "spmv", NULL, into("a.svg"), &error), -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	bench_record_free(run);
}

static void many_metrics_go_on_in_further_files(void **state)
{
	(void)state;
	if (no_gnuplot())
		return;
	struct bench_error error;
	struct bench_point points[40];
	struct bench_plot_place *place = into("a.svg");
	size_t length;
	for (size_t i = 0; i < 40; i++)
		points[i] = point(bench_arena_format(&scratch, "s/b:d/m=%02zu/time", i), "r", 1795216503, 1);
	const struct bench_plot_trend trend = {.points = points, .count = 40};
	assert_drawn(bench_plot_trend(&trend, place, &error), &error);
	assert_int_equal(place->files, 2);
	free(take(output("a.svg"), &length));
	char *svg = take(output("a-2.svg"), &length);
	assert_non_null(strstr(svg, ">m=39  [s]<"));
	free(svg);
	struct bench_text text = {0};
	struct bench_plot_place terminal = {.columns = 80, .text = &text};
	assert_drawn(bench_plot_trend(&trend, &terminal, &error), &error);
	assert_int_equal(occurrences(text.data, " m="), 40);
	bench_text_free(&text);
	place = into("a.pdf");
	assert_drawn(bench_plot_trend(&trend, place, &error), &error);
	assert_int_equal(place->files, 1);
	free(take(output("a.pdf"), &length));
}

static void a_terminal_gets_lines_of_its_width(void **state)
{
	(void)state;
	if (no_gnuplot())
		return;
	struct bench_error error;
	struct bench_text text = {0};
	struct bench_plot_place place = {.columns = 70, .text = &text};
	struct bench_run *run = fixture_run();
	assert_drawn(bench_plot_scaling(run, "gemm", NULL, &place, &error), &error);
	assert_int_equal(place.files, 0);
	assert_non_null(strstr(text.data, "A  opencl:" POCL));
	assert_non_null(strstr(text.data, "m = n = k"));
	for (const char *line = text.data; *line; line += strcspn(line, "\n") + 1)
		assert_true(strcspn(line, "\n") <= 70);
	assert_null(strchr(text.data, '\f'));
	bench_text_free(&text);
	bench_record_free(run);
}

static void an_svg_is_dark_where_its_reader_is(void **state)
{
	(void)state;
	if (no_gnuplot())
		return;
	struct bench_error error;
	size_t length;
	struct bench_run *run = fixture_run();
	struct bench_plot_place *place = into("a.svg");
	assert_drawn(bench_plot_scaling(run, "gemm", NULL, place, &error), &error);
	char *svg = take(output("a.svg"), &length);
	assert_non_null(strstr(svg, "prefers-color-scheme: dark"));
	assert_non_null(strstr(svg, "[fill=\"#ffffff\" i]{fill:#14181d}"));
	free(svg);
	place = into("a.svg");
	place->dark = true;
	assert_drawn(bench_plot_scaling(run, "gemm", NULL, place, &error), &error);
	svg = take(output("a.svg"), &length);
	assert_null(strstr(svg, "prefers-color-scheme"));
	assert_non_null(strstr(svg, "#14181d"));
	free(svg);
	bench_record_free(run);
}

static int draw_scaling(const void *what, struct bench_error *error)
{
	return bench_plot_scaling(what, "gemm", "m", into("a.svg"), error);
}

static void ticks_have_units_and_forty_lines_have_panels(void **state)
{
	(void)state;
	struct bench_run *run = fixture_empty("20261120-231503");
	for (int line = 0; line < 40; line++)
		for (int m = 4096; m <= 1 << 24; m <<= 4) {
			struct bench_result *result =
				fixture_result(run, "gemm", line % 2 ? "opencl" : "openblas", POCL,
					       bench_arena_format(&scratch, "m=%d,batch=%d", m, line / 2),
					       BENCH_STATUS_OK, "");
			fixture_metric(run, result, "flop_rate", "FLOP/s", "time", 1e9 * (double)m, 0.01);
		}
	char *script = script_of(draw_scaling, run);
	assert_non_null(
		strstr(script, "(\"4096\" 4096, \"64 Ki\" 65536, \"1 Mi\" 1048576, \"16 Mi\" 16777216)"));
	assert_int_equal(occurrences(script, "set label 'batch="), 20);
	assert_int_equal(occurrences(script, "set label 'openblas:"), 1);
	free(script);
	bench_record_free(run);
}

static void a_heatmap_has_a_cell_a_case(void **state)
{
	(void)state;
	if (no_gnuplot())
		return;
	struct bench_error error;
	struct bench_run *run = fixture_empty("20261120-231503");
	size_t length;
	for (int m = 1; m <= 3; m++)
		for (int n = 1; n <= 2; n++) {
			struct bench_result *result =
				fixture_result(run, "gemm", "opencl", POCL,
					       bench_arena_format(&scratch, "m=%d,n=%d,trans=nn", m, n),
					       m == 3 && n == 2 ? BENCH_STATUS_FAILED : BENCH_STATUS_OK, "");
			if (result->status == BENCH_STATUS_OK)
				fixture_metric(run, result, "flop_rate", "FLOP/s", "time", 1e9 * m * n, 0.01);
		}
	assert_drawn(bench_plot_heatmap(run, "gemm", NULL, into("a.svg"), &error), &error);
	char *svg = take(output("a.svg"), &length);
	assert_non_null(strstr(svg, ">gemm, run 20261120-231503:  GFLOP/s<"));
	assert_int_equal(
		occurrences(svg, "fill=\"rgb(1,1,1)\"") + occurrences(svg, "fill=\"rgb(254,254,254)\""), 5);
	free(svg);
	static const struct {
		const char *over, *says;
	} refused[] = {{"m", "two parameters"},     {"m,m", "two parameters"}, {"m,n,m", "two parameters"},
		       {"m,q", "no parameter 'q'"}, {"trans,m", "'trans'"},    {"m,", "no parameter ''"}};
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		assert_int_equal(bench_plot_heatmap(run, "gemm", refused[i].over, into("a.svg"), &error), -1);
		assert_int_equal(error.code, BENCH_USAGE);
		assert_non_null(strstr(error.text, refused[i].says));
	}
	run->result_count = 0;
	fixture_metric(run, fixture_result(run, "one", "opencl", POCL, "m=1,trans=nn", BENCH_STATUS_OK, ""),
		       "time", "s", "", 1, 0);
	assert_int_equal(bench_plot_heatmap(run, "one", NULL, into("a.svg"), &error), -1);
	assert_non_null(strstr(error.text, "bench plot scaling"));
	bench_record_free(run);
}

static int draw_distribution(const void *what, struct bench_error *error)
{
	const struct bench_run *const *runs = what;
	return bench_plot_distribution(runs[0], runs[1], "*/time", into("a.svg"), error);
}

static void a_distribution_shows_the_shift(void **state)
{
	(void)state;
	struct bench_error error;
	struct bench_run *run = fixture_empty("20261120-231503"), *base = fixture_empty("20261119-231503");
	double disturbed_too[] = {1, 1.01, 45};
	bool disturbed[] = {false, true, false};
	struct bench_metric *before =
		fixture_metric(base, fixture_result(base, "s", "opencl", POCL, "m=1", BENCH_STATUS_OK, ""),
			       "time", "s", "", 1, 0.01);
	struct bench_metric *now =
		fixture_metric(run, fixture_result(run, "s", "opencl", POCL, "m=1", BENCH_STATUS_OK, ""),
			       "time", "s", "", 1.25, 0.01);
	now->series[0] = (struct bench_series){.values = disturbed_too, .count = 3, .disturbed = disturbed};
	const struct bench_run *const both[] = {run, base}, *const alone[] = {run, NULL};
	char *script = script_of(draw_distribution, both);
	assert_non_null(strstr(script, "'+25.0%'"));
	assert_non_null(strstr(script, "'base 20261119-231503, commit 4af884b1c2d3"));
	assert_non_null(strstr(script, "'disturbed'"));
	free(script);
	script = script_of(draw_distribution, alone);
	assert_null(strstr(script, "+25.0%"));
	free(script);
	before->unit = bench_arena_string(&base->arena, "B/s"); /* no shift from one unit to another */
	script = script_of(draw_distribution, both);
	assert_null(strstr(script, "+25.0%"));
	free(script);
	assert_int_equal(bench_plot_distribution(run, base, "no*", into("a.svg"), &error), -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	bench_record_free(run);
	bench_record_free(base);
}

static int draw_comparison(const void *what, struct bench_error *error)
{
	return bench_plot_compare(what, into("a.svg"), error);
}

static void a_comparison_is_sorted_by_slowdown(void **state)
{
	(void)state;
	struct bench_error error;
	struct bench_comparison comparison = {0};
	fixture_comparison(&comparison);
	/* A rate that has halved is twice as slow. */
	fixture_verdict(&comparison, BENCH_SLOWER, GEMM("openblas:" BLAS, 2048) "/flop_rate", 0.5, "")
		->better = BENCH_BETTER_HIGHER;
	char *script = script_of(draw_comparison, &comparison);
	const char *first = strstr(script, "right offset character -1,0");
	assert_non_null(first);
	while (first[-1] != '\n')
		first--;
	assert_non_null(strstr(first, "m=n=k=2048  flop_rate"));
	assert_true(strstr(first, "m=n=k=2048  flop_rate") < strchr(first, '\n'));
	assert_non_null(strstr(script, "'not shown, having no ratio: 3'"));
	free(script);
	for (size_t i = 0; i < comparison.verdict_count; i++)
		comparison.verdicts[i].ratio = NAN;
	assert_int_equal(bench_plot_compare(&comparison, into("a.svg"), &error), -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	bench_arena_free(&comparison.arena);
}

static int draw_learning(const void *what, struct bench_error *error)
{
	return bench_plot_learning(what, NULL, into("a.svg"), error);
}

static void a_learning_curve_goes_step_by_step(void **state)
{
	(void)state;
	struct bench_error error;
	struct bench_run *run = fixture_empty("20261120-231503");
	for (int i = 0; i < 5; i++) {
		char *params = bench_arena_format(&scratch, "epochs=%d", i);
		struct bench_result *result =
			fixture_result(run, "mnist", "opencl", POCL, params, BENCH_STATUS_OK, "");
		fixture_metric(run, result, "epoch_accuracy_test", "ratio", "", 0.9, 0.01);
		fixture_metric(run, result, "epoch_accuracy_train", "ratio", "", 0.95, 0.01);
	}
	run->result_count = 1;
	char *one = script_of(draw_learning, run);
	assert_non_null(strstr(one, "'Learning, run 20261120-231503:  opencl:" POCL "  epochs=0'"));
	assert_non_null(strstr(one, "'accuracy_train  [ratio]'"));
	assert_non_null(strstr(one, "\n5 0.90"));
	free(one);
	run->result_count = 5;
	char *script = script_of(draw_learning, run); /* a panel each, with the others behind it */
	assert_int_equal(occurrences(script, "set lmargin"), 10);
	assert_int_equal(occurrences(script, "with lines lc rgb '#e3e5e8' lw 3"), 10 * 9);
	free(script);
	assert_int_equal(bench_plot_learning(run, "gemm", into("a.svg"), &error), -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	assert_non_null(strstr(error.text, "in suite gemm"));
	bench_record_free(run);
}

struct rooflines {
	const struct bench_run *run, *peaks;
};

static int draw_roofline(const void *what, struct bench_error *error)
{
	const struct rooflines *in = what;
	return bench_plot_roofline(in->run, &in->peaks, 1, into("a.svg"), error);
}

static void add_peak(struct bench_run *run, const char *params, double bandwidth)
{
	struct bench_result *result =
		fixture_result(run, "peak", "openblas", BLAS, params, BENCH_STATUS_OK, "");
	fixture_metric(run, result, "bandwidth", "B/s", "time", bandwidth, 0.01);
}

static void a_roof_is_never_below_what_was_checked(void **state)
{
	(void)state;
	struct bench_run *run = fixture_run(), *peaks = fixture_empty("20261101-231503");
	const struct rooflines in = {run, peaks};
	run->devices[1].info.kind = BENCH_DEVICE_CPU;
	run->devices[1].ceilings =
		(struct bench_ceilings){.flop_rate = {123e9}, .bandwidth = 25e9, .run = "20261101-231503"};
	for (size_t i = 0; i < run->result_count; i++)
		run->results[i].work = (struct bench_work){.flops = 1e9, .bytes = 1e8};
	bench_record_attribute_set(&peaks->arena, &peaks->host, &peaks->host_count, "l1_bytes", "32768");
	bench_record_attribute_set(&peaks->arena, &peaks->host, &peaks->host_count, "l2_bytes", "1048576");
	add_peak(peaks, "what=read,bytes=16384", 300e9);
	add_peak(peaks, "what=read,bytes=8192", 310e9);
	add_peak(peaks, "what=read,bytes=4194304", 60e9);
	add_peak(peaks, "what=add,bytes=4194304", 90e9);
	char *script = script_of(draw_roofline, &in);
	/* gemm of 1024 takes 5.368 ms. */
	assert_non_null(strstr(script, "'f32 400 GFLOP/s'"));
	assert_non_null(strstr(
		script, "the f32 ceiling is what gemm reached, checked; suite peak reached 123 GFLOP/s"));
	assert_non_null(strstr(script, "'memory 25 GB/s'"));
	assert_non_null(strstr(script, "'L1 310 GB/s'"));
	assert_non_null(strstr(script, "'4 MiB 60 GB/s'"));
	assert_null(strstr(script, "90 GB/s"));
	/* The names are in the legend; a type has one color. */
	assert_null(strstr(script, "GFLOP/s' at first"));
	assert_non_null(strstr(script, "with lines lc rgb '#0072b2' lw 2 dt 1"));
	assert_non_null(strstr(script, "with points lc rgb '#0072b2' pt 7"));
	free(script);
	for (size_t i = 0; i < run->result_count; i++)
		run->results[i].checked = false; /* what nobody has checked proves nothing */
	script = script_of(draw_roofline, &in);
	assert_non_null(strstr(script, "'f32 123 GFLOP/s'"));
	free(script);
	bench_record_free(run);
	bench_record_free(peaks);
}

static void measured_traffic_stands_beside_the_model(void **state)
{
	(void)state;
	struct bench_run *run = fixture_run(), *peaks = fixture_empty("20261101-231503");
	const struct rooflines in = {run, peaks};
	run->devices[1].ceilings =
		(struct bench_ceilings){.flop_rate = {900e9}, .bandwidth = 25e9, .run = "20261101-231503"};
	for (size_t i = 0; i < run->result_count; i++)
		run->results[i].work = (struct bench_work){.flops = 1e9, .bytes = 1e8};
	char *script = script_of(draw_roofline, &in);
	assert_null(strstr(script, "by measured traffic"));
	free(script);
	struct bench_result *result = &run->results[5]; /* gemm of 1024, 400 GFLOP/s */
	fixture_metric(run, result, "dram_bytes", "B", "", 4e8, 0.01);
	bench_record_attribute_set(&run->arena, &result->notes, &result->note_count, "traffic",
				   "4 times the bytes that its model says");
	script = script_of(draw_roofline, &in);
	/* A quarter of the intensity at the same rate, and the words. */
	assert_non_null(strstr(script, "'by measured traffic'"));
	assert_non_null(strstr(script, "\n2.5 400.0"));
	assert_non_null(strstr(script, "pt 6 ps 1.4"));
	assert_non_null(strstr(script, "k=1024,trans=nn moves 4 times the bytes that its model says"));
	free(script);
	bench_record_free(run);
	bench_record_free(peaks);
}

static void names_are_drawn_and_never_acted_upon(void **state)
{
	(void)state;
	if (no_gnuplot())
		return;
	struct bench_error error;
	size_t length;
	char key[256];
	snprintf(key, sizeof(key), "it's/`touch %s/owned`:\"@x\"/a={b}_c,d=$(e)\n!touch %s/owned\n,f=\\/time",
		 folder, folder);
	struct bench_point one = point(key, "r", 1795216503, 1e-3);
	static char commit[] = "\"; system 'touch owned'";
	one.commit = commit;
	assert_drawn(trend(&one, 1, NULL, 0, "a'b `c`.svg", &error), &error);
	char *svg = take(output("a'b `c`.svg"), &length);
	assert_non_null(strstr(svg, "it's"));
	assert_non_null(strstr(svg, "{b}_c"));
	assert_int_not_equal(access(output("owned"), F_OK), 0);
	free(svg);
}

/* What a file may say, and no machine measures. */
static void extreme_numbers_are_drawn_or_left_out(void **state)
{
	(void)state;
	if (no_gnuplot())
		return;
	static const double values[] = {5e-324, 1e-308, 1, 1e150, 1.7e308};
	enum { VALUES = sizeof(values) / sizeof(values[0]) };
	struct bench_error error;
	struct bench_point points[VALUES];
	struct bench_run *run = fixture_empty("20261120-231503");
	struct bench_comparison comparison = {0};
	size_t length;
	fixture_comparison(&comparison);
	fixture_device(run, "opencl", POCL, "d", "v");
	run->devices[0].ceilings = (struct bench_ceilings){.flop_rate = {1e9}, .bandwidth = 1e9, .run = "r"};
	for (size_t i = 0; i < VALUES; i++) {
		points[i] = point("s/b:d/m=1/time", bench_arena_format(&scratch, "r%zu", i),
				  1795216503 + 86400 * (int64_t)i, values[i]);
		struct bench_result *result = fixture_result(
			run, "s", "opencl", POCL, bench_arena_format(&scratch, "m=%zu,n=%zu", i, i % 2),
			BENCH_STATUS_OK, "");
		fixture_metric(run, result, "time", "s", "", values[i], 0.01);
		fixture_metric(run, result, "flop_rate", "FLOP/s", "time", values[VALUES - 1 - i], 0.01);
		result->work = (struct bench_work){.flops = 1, .bytes = values[i]};
		fixture_verdict(&comparison, BENCH_SLOWER,
				bench_arena_format(&scratch, "s/b:d/m=%zu/time", i), values[i], "");
	}
	assert_drawn(trend(points, VALUES, NULL, 0, "a.svg", &error), &error);
	assert_drawn(bench_plot_scaling(run, "s", "m", into("a.svg"), &error), &error);
	assert_drawn(bench_plot_heatmap(run, "s", "m,n", into("a.svg"), &error), &error);
	assert_drawn(bench_plot_distribution(run, run, "*/time", into("a.svg"), &error), &error);
	assert_drawn(bench_plot_roofline(run, NULL, 0, into("a.svg"), &error), &error);
	assert_drawn(bench_plot_compare(&comparison, into("a.svg"), &error), &error);
	free(take(output("a.svg"), &length));
	bench_arena_free(&comparison.arena);
	bench_record_free(run);
}

static void gnuplot_that_is_not_there_is_named_with_its_package(void **state)
{
	(void)state;
	struct bench_error error;
	struct bench_run *run = fixture_run();
	char *path = bench_arena_string(&scratch, getenv("PATH"));
	setenv("PATH", folder, 1);
	int result = bench_plot_scaling(run, "gemm", NULL, into("a.svg"), &error);
	setenv("PATH", path, 1);
	assert_int_equal(result, -1);
	assert_int_equal(error.code, BENCH_ENVIRONMENT);
	assert_non_null(strstr(error.text, "gnuplot-nox"));
	bench_record_free(run);
}

static void gnuplot_that_fails_is_quoted_and_leaves_no_file(void **state)
{
	(void)state;
	if (no_gnuplot())
		return;
	struct bench_error error;
	struct bench_text script = {0};
	assert_int_equal(bench_plot_gnuplot_start(&script, into("a.svg"), 100, 100, &error), 0);
	bench_text_add(&script, "set nonsense 1\n");
	assert_int_equal(bench_plot_gnuplot_run(&script, into("a.svg"), &error), -1);
	assert_int_equal(error.code, BENCH_ENVIRONMENT);
	assert_non_null(strstr(error.text, "unrecognized option"));
	assert_int_not_equal(access(output("a.svg"), F_OK), 0);
	bench_text_free(&script);
}

static void folder_that_is_not_there_is_named(void **state)
{
	(void)state;
	if (no_gnuplot())
		return;
	struct bench_error error;
	struct bench_run *run = fixture_run();
	assert_int_equal(bench_plot_scaling(run, "gemm", NULL, into("no/a.svg"), &error), -1);
	assert_int_equal(error.code, BENCH_ENVIRONMENT);
	assert_non_null(strstr(error.text, output("no/a.svg")));
	bench_record_free(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_ending_gives_its_kind_of_file),
		cmocka_unit_test(scaling_names_axis_lines_and_sizes),
		cmocka_unit_test(scaling_leaves_out_what_stands_alone),
		cmocka_unit_test(scaling_over_what_cannot_be_plotted_is_refused),
		cmocka_unit_test(many_metrics_go_on_in_further_files),
		cmocka_unit_test(a_terminal_gets_lines_of_its_width),
		cmocka_unit_test(an_svg_is_dark_where_its_reader_is),
		cmocka_unit_test(ticks_have_units_and_forty_lines_have_panels),
		cmocka_unit_test(a_heatmap_has_a_cell_a_case),
		cmocka_unit_test(a_distribution_shows_the_shift),
		cmocka_unit_test(a_comparison_is_sorted_by_slowdown),
		cmocka_unit_test(a_learning_curve_goes_step_by_step),
		cmocka_unit_test(a_roof_is_never_below_what_was_checked),
		cmocka_unit_test(measured_traffic_stands_beside_the_model),
		cmocka_unit_test(names_are_drawn_and_never_acted_upon),
		cmocka_unit_test(extreme_numbers_are_drawn_or_left_out),
		cmocka_unit_test(gnuplot_that_is_not_there_is_named_with_its_package),
		cmocka_unit_test(gnuplot_that_fails_is_quoted_and_leaves_no_file),
		cmocka_unit_test(folder_that_is_not_there_is_named),
	};
	setenv("TZ", "UTC", 1);
	tzset();
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
