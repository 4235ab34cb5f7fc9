/*
 * Roofline: arithmetic over intensity, below what each device allows (Williams, Waterman and
 * Patterson, Communications of the ACM 52(4), 2009). A colour a device, a shape a suite.
 */
#include <math.h>
#include <string.h>

#include "report/plot/gnuplot.h"
#include "report/plot/lines.h"
#include "report/plot/plot.h"

#define WIDTH  960
#define HEIGHT 560
#define ROW    20 /* a line of the legend */
#define BELOW  60 /* the axis' labels and name */

/* The points of one suite on one device. */
struct cloud {
	const char *suite;
	size_t device; /* index in the run's devices */
	struct bench_plot_point *points;
	size_t count;
};

struct roofline {
	struct bench_arena arena;
	const struct bench_run *run;
	struct cloud *clouds;
	size_t cloud_count;
	const char **suites; /* in the order of their first point */
	size_t suite_count;
	double x_min, x_max, y_min, y_max; /* of the points and the roofs; GFLOP/s */
};

#define GIGA 1e9

static bool has_roof(const struct bench_ceilings *ceilings)
{
	return ceilings->bandwidth > 0 && (ceilings->flop_rate_f32 > 0 || ceilings->flop_rate_f64 > 0);
}

static size_t device_of(const struct bench_run *run, const struct bench_result *result)
{
	size_t i = 0;
	while (i < run->device_count && (strcmp(run->devices[i].backend, result->backend) != 0 ||
					 strcmp(run->devices[i].info.slug, result->device) != 0))
		i++;
	return i;
}

static size_t suite_index(struct roofline *roofline, const char *suite)
{
	for (size_t i = 0; i < roofline->suite_count; i++)
		if (strcmp(roofline->suites[i], suite) == 0)
			return i;
	*(const char **)bench_arena_push(&roofline->arena, &roofline->suites, &roofline->suite_count,
					 sizeof(*roofline->suites)) = suite;
	return roofline->suite_count - 1;
}

static struct cloud *cloud_of(struct roofline *roofline, const char *suite, size_t device)
{
	for (size_t i = 0; i < roofline->cloud_count; i++)
		if (roofline->clouds[i].device == device && strcmp(roofline->clouds[i].suite, suite) == 0)
			return &roofline->clouds[i];
	struct cloud *cloud =
		bench_arena_push(&roofline->arena, &roofline->clouds, &roofline->cloud_count, sizeof(*cloud));
	*cloud = (struct cloud){.suite = suite, .device = device};
	return cloud;
}

static void extend(struct roofline *roofline, double x, double y)
{
	roofline->x_min = fmin(roofline->x_min, x);
	roofline->x_max = fmax(roofline->x_max, x);
	roofline->y_min = fmin(roofline->y_min, y);
	roofline->y_max = fmax(roofline->y_max, y);
}

static void collect(struct roofline *roofline)
{
	const struct bench_run *run = roofline->run;
	for (size_t i = 0; i < run->result_count; i++) {
		const struct bench_result *result = &run->results[i];
		const struct bench_metric *rate = bench_record_metric(result, "flop_rate");
		size_t device = device_of(run, result);
		if (result->status != BENCH_STATUS_OK || !rate || !(result->work.bytes > 0) ||
		    device == run->device_count || !has_roof(&run->devices[device].ceilings) ||
		    !(rate->summary.median > 0))
			continue;
		suite_index(roofline, result->suite);
		struct cloud *cloud = cloud_of(roofline, result->suite, device);
		struct bench_plot_point *point =
			bench_arena_push(&roofline->arena, &cloud->points, &cloud->count, sizeof(*point));
		point->x = result->work.flops / result->work.bytes;
		point->y = rate->summary.median / GIGA;
		extend(roofline, point->x, point->y);
	}
	for (size_t i = 0; i < run->device_count; i++) {
		const struct bench_ceilings *ceilings = &run->devices[i].ceilings;
		double highest = fmax(ceilings->flop_rate_f32, ceilings->flop_rate_f64);
		if (has_roof(ceilings))
			extend(roofline, highest / ceilings->bandwidth, highest / GIGA);
	}
	roofline->x_min /= 2;
	roofline->x_max *= 2;
	roofline->y_min /= 2;
	roofline->y_max *= 2;
}

/* The roof of one device and type: up with the bandwidth to the ridge, then level. */
static void add_roof(const struct roofline *roofline, size_t device, double flop_rate, size_t number,
		     struct bench_text *script)
{
	double bandwidth = roofline->run->devices[device].ceilings.bandwidth;
	double ridge = flop_rate / bandwidth;
	bench_text_add(script, "$roof%zu << END_OF_DATA\n", number);
	if (ridge > roofline->x_min)
		bench_text_add(script, "%.17g %.17g\n", roofline->x_min, roofline->x_min * bandwidth / GIGA);
	bench_text_add(script, "%.17g %.17g\n%.17g %.17g\nEND_OF_DATA\n", ridge, flop_rate / GIGA,
		       fmax(roofline->x_max, ridge), flop_rate / GIGA);
}

static void add_title(struct bench_text *script, const char *text)
{
	bench_text_add(script, " title ");
	bench_plot_gnuplot_add_string(script, text);
}

/* Adds the data to `script` and what plots it to `plots`; returns the lines of the legend. */
static size_t add_roofs(struct roofline *roofline, struct bench_text *script, struct bench_text *plots)
{
	const struct bench_run *run = roofline->run;
	size_t number = 0;
	for (size_t i = 0; i < run->device_count; i++) {
		const struct bench_ceilings *ceilings = &run->devices[i].ceilings;
		const struct {
			const char *type;
			double flop_rate;
		} roofs[] = {{"f32", ceilings->flop_rate_f32}, {"f64", ceilings->flop_rate_f64}};
		for (size_t r = 0; has_roof(ceilings) && r < 2; r++) {
			double factor, bytes_factor;
			if (!(roofs[r].flop_rate > 0))
				continue;
			const char *unit = bench_text_scale(roofs[r].flop_rate, "FLOP/s", &factor);
			const char *bytes = bench_text_scale(ceilings->bandwidth, "B/s", &bytes_factor);
			add_roof(roofline, i, roofs[r].flop_rate, number, script);
			bench_text_add(plots, "%s$roof%zu using 1:2 with lines lc rgb '%s' lw 2 dt %zu",
				       number ? ", " : "", number, bench_plot_color(i), r + 1);
			add_title(plots,
				  bench_arena_format(&roofline->arena, "%s:%s, %s: %.3g %s, %.3g %s",
						     run->devices[i].backend, run->devices[i].info.slug,
						     roofs[r].type, roofs[r].flop_rate / factor, unit,
						     ceilings->bandwidth / bytes_factor, bytes));
			number++;
		}
	}
	return number;
}

/* The clouds; then, for the legend, each suite's shape once. */
static size_t add_clouds(struct roofline *roofline, struct bench_text *script, struct bench_text *plots)
{
	for (size_t i = 0; i < roofline->cloud_count; i++) {
		const struct cloud *cloud = &roofline->clouds[i];
		bench_text_add(script, "$cloud%zu << END_OF_DATA\n", i);
		for (size_t p = 0; p < cloud->count; p++)
			bench_text_add(script, "%.17g %.17g\n", cloud->points[p].x, cloud->points[p].y);
		bench_text_add(script, "END_OF_DATA\n");
		bench_text_add(plots, ", $cloud%zu using 1:2 with points lc rgb '%s' pt %d ps 0.9 notitle", i,
			       bench_plot_color(cloud->device),
			       bench_plot_shape(suite_index(roofline, cloud->suite)));
	}
	for (size_t s = 0; s < roofline->suite_count; s++) {
		bench_text_add(plots, ", NaN with points lc rgb '#666666' pt %d ps 0.9", bench_plot_shape(s));
		add_title(plots, roofline->suites[s]);
	}
	return roofline->suite_count;
}

static int draw(struct roofline *roofline, const char *output, struct bench_error *error)
{
	struct bench_text script = {0}, data = {0}, plots = {0};
	size_t entries = add_roofs(roofline, &data, &plots);
	entries += add_clouds(roofline, &data, &plots);
	unsigned legend = ROW * (unsigned)((entries + 1) / 2), height = HEIGHT + BELOW + legend;
	int result = bench_plot_gnuplot_start(&script, output, WIDTH, height, error);
	if (result == 0) {
		bench_text_add(&script, "set title ");
		bench_plot_gnuplot_add_string(
			&script, bench_arena_format(&roofline->arena, "roofline, run %s", roofline->run->id));
		bench_text_add(&script,
			       "\nset border 3 lc rgb '#666666'\n"
			       "set grid xtics ytics lt 1 dt solid lc rgb '#e0e0e0' lw 1\n"
			       "set logscale xy 10\nset xtics nomirror out\nset ytics nomirror out\n"
			       "set xlabel 'FLOP per byte that must move'\nset ylabel 'GFLOP/s'\n"
			       "set xrange [%.17g:%.17g]\nset yrange [%.17g:%.17g]\n"
			       "set bmargin at screen %.4f\n"
			       "set key at screen 0.5, screen %.4f center top vertical Left reverse maxrows "
			       "%u samplen 3 spacing 1.1\n",
			       roofline->x_min, roofline->x_max, roofline->y_min, roofline->y_max,
			       (double)(BELOW + legend) / height, (double)legend / height, legend / ROW);
		bench_text_add(&script, "%splot %s\n", data.data, plots.data);
		result = bench_plot_gnuplot_run(&script, output, error);
	}
	bench_text_free(&script);
	bench_text_free(&data);
	bench_text_free(&plots);
	return result;
}

int bench_plot_roofline(const struct bench_run *run, const char *output, struct bench_error *error)
{
	struct roofline roofline = {
		.run = run, .x_min = INFINITY, .x_max = -INFINITY, .y_min = INFINITY, .y_max = -INFINITY};
	bool roofs = false;
	int result;
	for (size_t i = 0; i < run->device_count; i++)
		roofs |= has_roof(&run->devices[i].ceilings);
	collect(&roofline);
	if (!roofs)
		result = bench_fail(error, BENCH_NOTHING,
				    "run %s knows no ceilings of its devices: 'bench run --suite peak' "
				    "measures them, for itself and the runs after it",
				    run->id);
	else if (roofline.cloud_count == 0)
		result = bench_fail(error, BENCH_NOTHING,
				    "run %s has no case that is ok and counts both FLOPs and bytes: there is "
				    "nothing to draw under the roof",
				    run->id);
	else
		result = draw(&roofline, output, error);
	bench_arena_free(&roofline.arena);
	return result;
}
