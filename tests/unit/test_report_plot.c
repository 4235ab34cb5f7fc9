/* Plots: what gnuplot is given and what comes back. The pictures themselves are for eyes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/file.h"
#include "report/plot/gnuplot.h"
#include "report/plot/plot.h"
#include "report_fixture.h"

static char folder[64];

static int make_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/bench-plot-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

/* Fails where anything but the plot was left behind. */
static int remove_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

static const char *output(const char *name)
{
	static char path[128];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

/* The picture as text, removed from the folder; the caller frees it. */
static char *take(const char *path, size_t *length)
{
	char *data;
	struct bench_error error;
	if (bench_file_read(path, 16 << 20, &data, length, &error) != 0)
		fail_msg("%s", error.text);
	unlink(path);
	return data;
}

static void assert_drawn(int result, const struct bench_error *error)
{
	if (result != 0)
		fail_msg("%s", error->text);
}

static bool no_gnuplot(void)
{
	if (system("gnuplot --version >/dev/null 2>&1") == 0)
		return false;
	print_message("skipped: gnuplot is not installed\n");
	return true;
}

static struct bench_point point(char *key, char *run, int64_t started, double median)
{
	static char unit[] = "s", commit[] = "4af884b1c2d35e6f7081920a3b4c5d6e7f809182";
	return (struct bench_point){.run = run,
				    .commit = commit,
				    .key = key,
				    .unit = unit,
				    .started = started,
				    .median = median,
				    .ci_lo = median * 0.98,
				    .ci_hi = median * 1.03,
				    .better = BENCH_BETTER_LOWER,
				    .accepted = ""};
}

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
		assert_drawn(bench_plot_scaling(run, "gemm", NULL, output(kinds[i].name), &error), &error);
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
	assert_drawn(bench_plot_scaling(run, "gemm", NULL, output("a.svg"), &error), &error);
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
	assert_drawn(bench_plot_scaling(run, "gemm", "m", output("a.svg"), &error), &error);
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
	assert_int_equal(bench_plot_scaling(run, "gem", NULL, output("a.svg"), &error), -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	assert_non_null(strstr(error.text, "'gem'"));
	assert_int_equal(bench_plot_scaling(run, "gemm", "q", output("a.svg"), &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);
	assert_non_null(strstr(error.text, "dtype, m, n, k, trans"));
	assert_int_equal(bench_plot_scaling(run, "gemm", "trans", output("a.svg"), &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);
	assert_int_equal(bench_plot_scaling(run, "gemm", "m", output("a.gif"), &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);
	assert_non_null(strstr(error.text, ".svg, .png or .pdf"));
	run->result_count = 0;
	fixture_result(run, "spmv", "opencl", POCL, "n=1", BENCH_STATUS_FAILED, "lost");
	assert_int_equal(bench_plot_scaling(run, "spmv", NULL, output("a.svg"), &error), -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	bench_record_free(run);
}

static void trend_of_one_run_and_of_many_is_drawn(void **state)
{
	(void)state;
	if (no_gnuplot())
		return;
	struct bench_error error;
	struct bench_point points[12 * 30];
	static char keys[12][64], runs[30][16];
	size_t length, count = 0;
	for (size_t k = 0; k < 12; k++) {
		snprintf(keys[k], sizeof(keys[k]), "gemm/openblas:skylakex/m=%02zu,n=%02zu/time", k, k);
		for (size_t r = 0; r < 30; r++) {
			snprintf(runs[r], sizeof(runs[r]), "run-%02zu", r);
			points[count++] = point(keys[k], runs[r], 1795216503 + 86400 * (int64_t)r,
						1e-3 * (double)(k + 1));
		}
	}
	assert_drawn(bench_plot_trend(points, count, NULL, 0, output("a.svg"), &error), &error);
	char *svg = take(output("a.svg"), &length);
	assert_non_null(strstr(svg, ">m=n=11, median 12.00 ms<"));
	assert_non_null(strstr(svg, ">Trend:  gemm  openblas:skylakex  time<"));
	assert_non_null(strstr(svg, ">4af884b<"));
	free(svg);
	assert_drawn(bench_plot_trend(points, 1, NULL, 0, output("a.svg"), &error), &error);
	svg = take(output("a.svg"), &length);
	assert_non_null(strstr(svg, ">run, on 2026-11-20<"));
	free(svg);
}

static size_t occurrences(const char *text, const char *part)
{
	size_t count = 0;
	for (; (text = strstr(text, part)); text += strlen(part))
		count++;
	return count;
}

static void trend_marks_accepted_shifts_once(void **state)
{
	(void)state;
	if (no_gnuplot())
		return;
	struct bench_error error;
	struct bench_point points[6];
	static char keys[2][32] = {"gemm/a:b/m=1/time", "gemm/a:b/m=2/time"}, runs[3][4] = {"r1", "r2", "r3"};
	size_t length;
	for (size_t i = 0; i < 6; i++)
		points[i] = point(keys[i / 3], runs[i % 3], 1795216503 + 86400 * (int64_t)(i % 3), 1e-3);
	assert_drawn(bench_plot_trend(points, 6, NULL, 0, output("a.svg"), &error), &error);
	char *svg = take(output("a.svg"), &length);
	assert_int_equal(occurrences(svg, "accepted"), 0);
	free(svg);
	/* Both metrics at the second run, one of them at the third again. */
	points[1].accepted = points[4].accepted = "a 'new' library";
	points[5].accepted = "another \033[1m one";
	assert_drawn(bench_plot_trend(points, 6, NULL, 0, output("a.svg"), &error), &error);
	svg = take(output("a.svg"), &length);
	assert_int_equal(occurrences(svg, "accepted: "), 2);
	assert_int_equal(occurrences(svg, "accepted: a &apos;new&apos; library") +
				 occurrences(svg, "accepted: a 'new' library"),
			 1);
	assert_int_equal(occurrences(svg, "accepted: another ?[1m one"), 1);
	free(svg);
}

static struct bench_change change(const char *key, const char *host, const struct bench_point *first,
				  double ratio)
{
	return (struct bench_change){.key = key,
				     .fingerprint = host,
				     .first_run = first->run,
				     .started = first->started,
				     .before = 1e-3,
				     .after = 1e-3 * ratio,
				     .ratio = {ratio, ratio * 0.99, ratio * 1.01, 0.95}};
}

static void trend_marks_changes_with_their_levels(void **state)
{
	(void)state;
	if (no_gnuplot())
		return;
	struct bench_error error;
	struct bench_point points[12];
	static char keys[2][32] = {"gemm/a:b/m=1/time", "gemm/a:b/m=2/time"};
	static char runs[6][4] = {"r1", "r2", "r3", "r4", "r5", "r6"};
	size_t length;
	for (size_t i = 0; i < 12; i++)
		points[i] = point(keys[i / 6], runs[i % 6], 1795216503 + 86400 * (int64_t)(i % 6), 1e-3);
	/* Of two hosts and both metrics at the second run, of one metric again at the fourth. */
	const struct bench_change changes[] = {
		change(keys[0], "h", &points[1], 1.1), change(keys[0], "h", &points[3], 0.5),
		change(keys[0], "i", &points[1], 1.2), change(keys[1], "h", &points[1], 1.3),
		change("gone", "h", &points[1], 7)};
	assert_drawn(bench_plot_trend(points, 12, changes, 4, output("a.svg"), &error), &error);
	char *svg = take(output("a.svg"), &length);
	assert_int_equal(occurrences(svg, ">3 metrics, +10.0% to +30.0%<"), 1);
	assert_int_equal(occurrences(svg, ">-50.0%<"), 1);
	free(svg);
	assert_drawn(bench_plot_trend(points, 12, changes + 4, 1, output("a.svg"), &error), &error);
	free(take(output("a.svg"), &length));
}

static void trend_refuses_what_one_axis_cannot_show(void **state)
{
	(void)state;
	struct bench_error error;
	struct bench_point points[13];
	static char keys[13][32], rate[] = "FLOP/s";
	for (size_t i = 0; i < 13; i++) {
		snprintf(keys[i], sizeof(keys[i]), "s/b:d/m=%02zu/time", i);
		points[i] = point(keys[i], "r", 1795216503, 1);
	}
	assert_int_equal(bench_plot_trend(points, 13, NULL, 0, output("a.svg"), &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);
	points[1].unit = rate;
	assert_int_equal(bench_plot_trend(points, 2, NULL, 0, output("a.svg"), &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);
	assert_non_null(strstr(error.text, "FLOP/s"));
	assert_int_equal(bench_plot_trend(points, 0, NULL, 0, output("a.svg"), &error), -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	points[0].median = NAN;
	assert_int_equal(bench_plot_trend(points, 1, NULL, 0, output("a.svg"), &error), -1);
	assert_int_equal(error.code, BENCH_NOTHING);
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
	assert_drawn(bench_plot_trend(&one, 1, NULL, 0, output("a'b `c`.svg"), &error), &error);
	char *svg = take(output("a'b `c`.svg"), &length);
	assert_non_null(strstr(svg, "it's"));
	assert_non_null(strstr(svg, "{b}_c"));
	assert_int_not_equal(access(output("owned"), F_OK), 0);
	free(svg);
}

static void gnuplot_that_is_not_there_is_named_with_its_package(void **state)
{
	(void)state;
	struct bench_error error;
	struct bench_run *run = fixture_run();
	char *path = strdup(getenv("PATH"));
	setenv("PATH", folder, 1);
	int result = bench_plot_scaling(run, "gemm", NULL, output("a.svg"), &error);
	setenv("PATH", path, 1);
	free(path);
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
	assert_int_equal(bench_plot_gnuplot_start(&script, "a.svg", 100, 100, &error), 0);
	bench_text_add(&script, "set nonsense 1\n");
	assert_int_equal(bench_plot_gnuplot_run(&script, output("a.svg"), &error), -1);
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
	assert_int_equal(bench_plot_scaling(run, "gemm", NULL, output("no/a.svg"), &error), -1);
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
		cmocka_unit_test(trend_of_one_run_and_of_many_is_drawn),
		cmocka_unit_test(trend_marks_accepted_shifts_once),
		cmocka_unit_test(trend_marks_changes_with_their_levels),
		cmocka_unit_test(trend_refuses_what_one_axis_cannot_show),
		cmocka_unit_test(names_are_drawn_and_never_acted_upon),
		cmocka_unit_test(gnuplot_that_is_not_there_is_named_with_its_package),
		cmocka_unit_test(gnuplot_that_fails_is_quoted_and_leaves_no_file),
		cmocka_unit_test(folder_that_is_not_there_is_named),
	};
	setenv("TZ", "UTC", 1);
	tzset();
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
