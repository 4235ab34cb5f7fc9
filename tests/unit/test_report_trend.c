/* SPDX-License-Identifier: MIT */
/* Plots of metrics over time: what gnuplot is given and what comes back. */
#include "plot_fixture.h"

static int draw_trend(const void *what, struct bench_error *error)
{
	return bench_plot_trend(what, into("a.svg"), error);
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
	assert_int_equal(occurrences(svg, ">2 levels, +10.0% to +30.0%<"), 1);
	assert_int_equal(occurrences(svg, ">level -50.0%<"), 1);
	assert_int_equal(occurrences(svg, ">level +20.0%<"), 1);
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
	const struct bench_verdict_row suspected[] = {{.key = key, .verdict = "suspected"}};
	const struct bench_kept_comparison comparisons[] = {{"r4", "main", faster, 1},
							    {"r2", "main", faster, 1},
							    {"r2", "other", slower, 2},
							    {"r3", "main", suspected, 1},
							    {"r2", "same", same, 1}};
	struct bench_alarm_metric metrics[] = {{.key = key,
						.state = BENCH_ALARM_RECOVERED,
						.ratio = 1.31,
						.lo = 1.3,
						.hi = 1.32,
						.ci_level = 0.9,
						.closed = points[3].started}};
	const struct bench_alarm alarms[] = {{.id = 7,
					      .fingerprint = points[0].fingerprint,
					      .first_bad = points[1].run,
					      .since = points[1].started,
					      .metrics = metrics,
					      .metric_count = 1}};
	const struct bench_change change = {.key = key,
					    .fingerprint = points[0].fingerprint,
					    .first_run = points[1].run,
					    .started = points[1].started,
					    .before = 1,
					    .after = 1.3,
					    .ratio = {1.3, 1.2, 1.4, 0.95}};
	struct bench_plot_trend trend = {.points = points,
					 .count = 4,
					 .comparisons = comparisons,
					 .comparison_count = 5,
					 .changes = &change,
					 .change_count = 1,
					 .alarms = alarms,
					 .alarm_count = 1};
	char *script = script_of(draw_trend, &trend);
	assert_non_null(strstr(script, "'alarm 7: +31.0%, 90% +30.0..+32.0, recovered'"));
	assert_null(strstr(script, "'level ")); /* one event has one number */
	assert_non_null(strstr(script, "set object rectangle from first 1.5, graph 0 to first 3.5,"));
	assert_non_null(strstr(script, "'judged slower'"));
	assert_non_null(strstr(script, "'suspected'"));
	assert_non_null(strstr(script, "'judged faster'"));
	assert_non_null(strstr(script, "'disturbed throughout'"));
	free(script);
	metrics[0].state = BENCH_ALARM_OPEN;
	script = script_of(draw_trend, &trend);
	assert_non_null(strstr(script, "set object rectangle from first 1.5, graph 0 to first 4.5,"));
	free(script);
}

/* The height of a mark's label, as a share of the panel. */
static double height_of(const char *script, const char *label)
{
	const char *at = strstr(script, label);
	double x, height;
	assert_non_null(at);
	assert_int_equal(sscanf(strstr(at, " at first"), " at first %lg, graph %lg", &x, &height), 2);
	return height;
}

/* Labels at the left of their marks: the newest is the highest, and no line of another crosses it. */
static void labels_of_marks_are_crossed_by_no_line(void **state)
{
	struct bench_point points[12];
	static char key[] = "s/b:d/m=1/time", runs[12][4];
	struct bench_change *changes = bench_arena_alloc(&scratch, 9, sizeof(*changes));
	(void)state;
	for (size_t i = 0; i < 12; i++) {
		snprintf(runs[i], sizeof(runs[i]), "r%zu", i);
		points[i] = point(key, runs[i], 1795216503 + 86400 * (int64_t)i, 1e-3);
	}
	for (size_t c = 0; c < 9; c++)
		changes[c] = change(key, points[0].fingerprint, &points[c + 2], 1.11 + 0.01 * (double)c);
	struct bench_plot_trend trend = {
		.points = points, .count = 12, .changes = changes, .change_count = 9};
	char *script = script_of(draw_trend, &trend);
	assert_null(strstr(script, "'level +13.0%'")); /* there is room for six */
	assert_int_equal(occurrences(script, "nohead back dt 2"), 9);
	assert_true(height_of(script, "'level +19.0%' ") > height_of(script, "'level +18.0%' "));
	assert_true(height_of(script, "'level +18.0%' ") > height_of(script, "'level +17.0%' "));
	free(script);
}

/* Of names that are too long the end tells them apart. */
static void long_names_of_panels_keep_their_ends(void **state)
{
	struct bench_point points[10];
	(void)state;
	for (size_t i = 0; i < 10; i++)
		points[i] = point(bench_arena_format(&scratch,
						     "a_suite_whose_name_is_longer_than_one_of_three_panels_"
						     "has_room%zu/a_backend_too:its_device/n=%zu/time",
						     i % 2, i),
				  "r", 1795216503, 1);
	const struct bench_plot_trend trend = {.points = points, .count = 10};
	char *script = script_of(draw_trend, &trend);
	for (size_t i = 0; i < 10; i++)
		assert_non_null(strstr(script, bench_arena_format(&scratch, "  n=%zu  [s]'", i)));
	/* The suite is cut in its middle. */
	assert_non_null(strstr(script, "'a_suite_"));
	assert_non_null(strstr(script, "has_room0  "));
	assert_null(strstr(script, "'..."));
	free(script);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trend_of_one_run_and_of_many_is_drawn),
		cmocka_unit_test(trend_marks_accepted_shifts_once),
		cmocka_unit_test(trend_marks_changes_with_their_levels),
		cmocka_unit_test(trend_of_far_apart_metrics_is_relative),
		cmocka_unit_test(trend_of_several_units_has_a_panel_each),
		cmocka_unit_test(outliers_do_not_flatten_a_trend),
		cmocka_unit_test(trend_marks_verdicts_alarms_and_disturbed_runs),
		cmocka_unit_test(labels_of_marks_are_crossed_by_no_line),
		cmocka_unit_test(long_names_of_panels_keep_their_ends),
		cmocka_unit_test(trend_of_nothing_is_refused),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
