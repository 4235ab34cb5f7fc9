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
static struct bench_arena scratch;

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
	bench_arena_free(&scratch);
	return rmdir(folder);
}

static const char *output(const char *name)
{
	static char path[128];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

/* A place for one plot. */
static struct bench_plot_place *into(const char *name)
{
	static struct bench_plot_place place;
	static char path[128];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	place = (struct bench_plot_place){.file = path};
	return &place;
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

static struct bench_point point(const char *key, const char *run, int64_t started, double median)
{
	static char unit[] = "s", host[] = "h", commit[] = "4af884b1c2d35e6f7081920a3b4c5d6e7f809182";
	return (struct bench_point){.run = bench_arena_string(&scratch, run),
				    .commit = commit,
				    .key = bench_arena_string(&scratch, key),
				    .unit = unit,
				    .started = started,
				    .median = median,
				    .ci_lo = median * 0.98,
				    .ci_hi = median * 1.03,
				    .better = BENCH_BETTER_LOWER,
				    .fingerprint = host,
				    .accepted = ""};
}

static int trend(const struct bench_point *points, size_t count, const struct bench_change *changes,
		 size_t change_count, const char *name, struct bench_error *error)
{
	const struct bench_plot_trend trend = {
		.points = points, .count = count, .changes = changes, .change_count = change_count};
	return bench_plot_trend(&trend, into(name), error);
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
	assert_drawn(trend(points, count, NULL, 0, "a.svg", &error), &error);
	char *svg = take(output("a.svg"), &length);
	assert_non_null(strstr(svg, ">m=n=11  [ms]<"));
	assert_non_null(strstr(svg, ">Trend:  gemm  openblas:skylakex  time<"));
	assert_non_null(strstr(svg, ">4af884b<"));
	free(svg);
	assert_drawn(trend(points, 1, NULL, 0, "a.svg", &error), &error);
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
	assert_drawn(trend(points, 6, NULL, 0, "a.svg", &error), &error);
	char *svg = take(output("a.svg"), &length);
	assert_int_equal(occurrences(svg, "accepted"), 0);
	free(svg);
	/* Both metrics at the second run, one of them at the third again. */
	points[1].accepted = points[4].accepted = "a 'new' library";
	points[5].accepted = "another \033[1m one";
	assert_drawn(trend(points, 6, NULL, 0, "a.svg", &error), &error);
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
	/* Both metrics at the second run, one again at the fourth; then another host, and what is not there.
	 */
	points[4].fingerprint = points[5].fingerprint = bench_arena_string(&scratch, "i");
	const struct bench_change changes[] = {
		change(keys[0], "h", &points[1], 1.1), change(keys[0], "h", &points[3], 0.5),
		change(keys[0], "i", &points[5], 1.2), change(keys[1], "h", &points[1], 1.3),
		change("gone", "h", &points[1], 7),    change(keys[1], "i", &points[1], 9)};
	assert_drawn(trend(points, 12, changes, 6, "a.svg", &error), &error);
	char *svg = take(output("a.svg"), &length);
	assert_int_equal(occurrences(svg, ">2 metrics, +10.0% to +30.0%<"), 1);
	assert_int_equal(occurrences(svg, ">-50.0%<"), 1);
	assert_int_equal(occurrences(svg, ">+20.0%<"), 1);
	assert_int_equal(occurrences(svg, ">m=1  host i<"), 1);
	assert_null(strstr(svg, "+800"));
	free(svg);
}

static void trend_of_far_apart_metrics_is_relative(void **state)
{
	(void)state;
	if (no_gnuplot())
		return;
	struct bench_error error;
	struct bench_point points[6];
	static char keys[3][32] = {"s/b:d/m=1/time", "s/b:d/m=2/time", "s/b:d/m=3/time"},
		    runs[2][4] = {"r1", "r2"};
	static const double times[] = {1e-3, 6e-3, 11e-3};
	size_t length;
	for (size_t i = 0; i < 6; i++)
		points[i] = point(keys[i / 2], runs[i % 2], 1795216503 + (int64_t)(i % 2), times[i / 2]);
	assert_drawn(trend(points, 6, NULL, 0, "a.svg", &error), &error);
	char *svg = take(output("a.svg"), &length);
	assert_non_null(strstr(svg, ">m=3, median 11.00 ms<"));
	assert_non_null(strstr(svg, ">relative to the median of the line<"));
	/* Two runs of one minute are told apart. */
	assert_non_null(strstr(svg, ">23:15:03<"));
	assert_non_null(strstr(svg, ">23:15:04<"));
	free(svg);
}

static void trend_of_several_units_has_a_panel_each(void **state)
{
	(void)state;
	if (no_gnuplot())
		return;
	struct bench_error error;
	struct bench_point points[2];
	static char keys[2][32] = {"s/b:d/m=1/flop_rate", "s/b:d/m=1/time"}, rate[] = "FLOP/s";
	size_t length;
	for (size_t i = 0; i < 2; i++)
		points[i] = point(keys[i], "r", 1795216503, 2);
	points[0].unit = rate;
	assert_drawn(trend(points, 2, NULL, 0, "a.svg", &error), &error);
	char *svg = take(output("a.svg"), &length);
	assert_non_null(strstr(svg, ">time  [s]<"));
	assert_non_null(strstr(svg, ">flop_rate  [FLOP/s]<"));
	free(svg);
}

/* The value of the script that a stand-in for gnuplot has been given; the caller frees it. */
static char *script_of(int (*draw)(const void *what, struct bench_error *error), const void *what)
{
	char path[128], program[160], *old = bench_arena_string(&scratch, getenv("PATH"));
	struct bench_error error;
	size_t length;
	snprintf(path, sizeof(path), "%s/bin", folder);
	snprintf(program, sizeof(program), "%s/gnuplot", path);
	assert_int_equal(mkdir(path, 0700), 0);
	FILE *file = fopen(program, "w");
	assert_non_null(file);
	fputs("#!/bin/sh\nexec cat\n", file);
	fclose(file);
	chmod(program, 0700);
	setenv("PATH", bench_arena_format(&scratch, "%s:%s", path, old), 1);
	int result = draw(what, &error);
	setenv("PATH", old, 1);
	unlink(program);
	rmdir(path);
	assert_drawn(result, &error);
	return take(output("a.svg"), &length);
}

static int draw_trend(const void *what, struct bench_error *error)
{
	return bench_plot_trend(what, into("a.svg"), error);
}

/* The y range of the first panel. */
static void range_of(const char *script, double *lo, double *hi)
{
	const char *at = strstr(script, "set yrange [");
	assert_non_null(at);
	assert_int_equal(sscanf(at, "set yrange [%lf:%lf]", lo, hi), 2);
}

#define NIGHTS 400

static void outliers_do_not_flatten_a_trend(void **state)
{
	(void)state;
	struct bench_point *points = bench_arena_alloc(&scratch, NIGHTS, sizeof(*points));
	double lo, hi;
	for (size_t i = 0; i < NIGHTS; i++) {
		points[i] = point("s/b:d/m=1/time", bench_arena_format(&scratch, "r%03zu", i),
				  1795216503 + 86400 * (int64_t)i, 1e-3 * (i < 200 ? 1 : 1.2));
		points[i].ci_hi = i % 50 == 7 ? 45e-3 : 1.01 * points[i].median;
		if (i % 100 == 3)
			points[i].median = points[i].ci_lo = 6e-3;
	}
	const struct bench_plot_trend trend = {.points = points, .count = NIGHTS};
	char *script = script_of(draw_trend, &trend);
	range_of(script, &lo, &hi);
	/* Both levels are inside; spikes and wide intervals are not. In ms. */
	assert_true(lo < 1 && hi > 1.2 && lo > 0.5 && hi < 2);
	assert_non_null(strstr(script, "beyond the axis"));
	free(script);
	/* A verdict on a spike does not change that, one within twice the median does. */
	points[20].median = points[20].ci_lo = points[20].ci_hi = 1.9e-3;
	const struct bench_verdict_row slower[] = {{.key = points[0].key, .verdict = "slower"}};
	const struct bench_kept_comparison comparisons[] = {{"r003", "main", slower, 1},
							    {"r020", "main", slower, 1}};
	const struct bench_plot_trend judged = {
		.points = points, .count = NIGHTS, .comparisons = comparisons, .comparison_count = 2};
	script = script_of(draw_trend, &judged);
	range_of(script, &lo, &hi);
	assert_true(hi > 1.9 && hi < 3);
	free(script);
	/* What is newest shows, however far it is. */
	points[NIGHTS - 1].median = points[NIGHTS - 1].ci_lo = points[NIGHTS - 1].ci_hi = 9e-3;
	script = script_of(draw_trend, &trend);
	range_of(script, &lo, &hi);
	assert_true(hi > 9);
	free(script);
	for (size_t i = 0; i < NIGHTS; i++)
		points[i].median = points[i].ci_lo = points[i].ci_hi = 0;
	script = script_of(draw_trend, &trend); /* no spread at all, and no level */
	range_of(script, &lo, &hi);
	assert_true(lo < 0 && hi > 0);
	free(script);
}

static void trend_marks_verdicts_alarms_and_disturbed_runs(void **state)
{
	(void)state;
	struct bench_point points[4];
	static char key[] = "s/b:d/m=1/time", runs[4][4] = {"r1", "r2", "r3", "r4"};
	for (size_t i = 0; i < 4; i++)
		points[i] = point(key, runs[i], 1795216503 + 86400 * (int64_t)i, 1e-3);
	points[0].disturbed = true;
	const struct bench_verdict_row slower[] = {{.key = "r", .verdict = "faster"},
						   {.key = key, .verdict = "slower"}};
	const struct bench_verdict_row faster[] = {{.key = key, .verdict = "faster"}};
	const struct bench_verdict_row same[] = {{.key = key, .verdict = "same"}};
	const struct bench_kept_comparison comparisons[] = {{"r4", "main", faster, 1},
							    {"r2", "main", faster, 1},
							    {"r2", "other", slower, 2},
							    {"r3", "main", same, 1},
							    {"r2", "same", same, 1}};
	struct bench_alarm_metric metrics[] = {
		{.key = key, .state = BENCH_ALARM_RECOVERED, .ratio = 1.31, .closed = points[3].started}};
	const struct bench_alarm alarms[] = {{.id = 7,
					      .fingerprint = points[0].fingerprint,
					      .since = points[1].started,
					      .metrics = metrics,
					      .metric_count = 1}};
	struct bench_plot_trend trend = {.points = points,
					 .count = 4,
					 .comparisons = comparisons,
					 .comparison_count = 5,
					 .alarms = alarms,
					 .alarm_count = 1};
	char *script = script_of(draw_trend, &trend);
	assert_non_null(strstr(script, "'alarm 7: +31.0%, recovered'"));
	assert_non_null(strstr(script, "set object rectangle from first 1.5, graph 0 to first 3.5,"));
	assert_non_null(strstr(script, "'judged slower'"));
	assert_non_null(strstr(script, "'judged faster'"));
	assert_non_null(strstr(script, "'all of it disturbed'"));
	free(script);
	metrics[0].state = BENCH_ALARM_OPEN;
	script = script_of(draw_trend, &trend);
	assert_non_null(strstr(script, "set object rectangle from first 1.5, graph 0 to first 4.5,"));
	free(script);
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

static void trend_of_nothing_is_refused(void **state)
{
	(void)state;
	struct bench_error error;
	struct bench_point one = point("s/b:d/m=1/time", "r", 1795216503, NAN);
	assert_int_equal(trend(&one, 0, NULL, 0, "a.svg", &error), -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	assert_int_equal(trend(&one, 1, NULL, 0, "a.svg", &error), -1);
	assert_int_equal(error.code, BENCH_NOTHING);
	one.median = 1;
	assert_int_equal(trend(&one, 1, NULL, 0, "a", &error), -1);
	assert_int_equal(error.code, BENCH_USAGE);
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
	assert_non_null(strstr(script, "'without a ratio, and so not shown: 3'"));
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
	assert_non_null(strstr(one, "'accuracy_train'"));
	assert_non_null(strstr(one, "\n5 0.90"));
	free(one);
	run->result_count = 5;
	char *script = script_of(draw_learning, run); /* ten lines: a panel each */
	assert_int_equal(occurrences(script, "set lmargin"), 10);
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
		(struct bench_ceilings){.flop_rate_f32 = 123e9, .bandwidth = 25e9, .run = "20261101-231503"};
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
	free(script);
	for (size_t i = 0; i < run->result_count; i++)
		run->results[i].checked = false; /* what nobody has checked proves nothing */
	script = script_of(draw_roofline, &in);
	assert_non_null(strstr(script, "'f32 123 GFLOP/s'"));
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
	run->devices[0].ceilings =
		(struct bench_ceilings){.flop_rate_f32 = 1e9, .bandwidth = 1e9, .run = "r"};
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
		cmocka_unit_test(trend_of_one_run_and_of_many_is_drawn),
		cmocka_unit_test(trend_marks_accepted_shifts_once),
		cmocka_unit_test(trend_marks_changes_with_their_levels),
		cmocka_unit_test(trend_of_far_apart_metrics_is_relative),
		cmocka_unit_test(trend_of_several_units_has_a_panel_each),
		cmocka_unit_test(outliers_do_not_flatten_a_trend),
		cmocka_unit_test(trend_marks_verdicts_alarms_and_disturbed_runs),
		cmocka_unit_test(many_metrics_go_on_in_further_files),
		cmocka_unit_test(trend_of_nothing_is_refused),
		cmocka_unit_test(a_terminal_gets_lines_of_its_width),
		cmocka_unit_test(an_svg_is_dark_where_its_reader_is),
		cmocka_unit_test(ticks_have_units_and_forty_lines_have_panels),
		cmocka_unit_test(a_heatmap_has_a_cell_a_case),
		cmocka_unit_test(a_distribution_shows_the_shift),
		cmocka_unit_test(a_comparison_is_sorted_by_slowdown),
		cmocka_unit_test(a_learning_curve_goes_step_by_step),
		cmocka_unit_test(a_roof_is_never_below_what_was_checked),
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
