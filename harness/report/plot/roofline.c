/* SPDX-License-Identifier: MIT */
/*
 * Roofline: arithmetic rate over intensity, below the ceilings of each device (report/render/roofline.h). One
 * panel per device, one color per type, one shape per suite. What the lines are is in the legend, where no
 * point is.
 */
#include <math.h>
#include <string.h>

#include "report/plot/page.h"
#include "report/render/roofline.h"
#include "report/render/words.h"

#define GIGA 1e9

struct device {
	struct bench_roofline model;
	struct bench_roofline_frame frame; /* of points, and of the corners of slopes and roofs */
	size_t points;
};

struct roofline {
	struct bench_plot plot;
	const struct bench_run *run;
	const struct bench_run *const *peaks;
	size_t peak_count;
	size_t device_count; /* those with ceilings */
	const char **suites; /* in the order of their first point */
	size_t suite_count;
};

static bool has_roof(const struct bench_ceilings *ceilings)
{
	bool any = false;
	for (size_t i = 0; i < BENCH_CEILING_TYPES; i++)
		any |= bench_render_axis_is_positive(ceilings->flop_rate[i]);
	return any && bench_render_axis_is_positive(ceilings->bandwidth);
}

static void find_device(struct roofline *roofline, const struct bench_device_record *record,
			struct device *device)
{
	*device = (struct device){0};
	bench_render_roofline_begin(&device->model, record, &roofline->plot.arena);
	for (size_t i = 0; i < roofline->run->result_count; i++)
		if (bench_render_roofline_is_on(record, &roofline->run->results[i]))
			bench_render_roofline_add(&device->model, roofline->run, &roofline->run->results[i]);
	for (size_t p = 0; p < roofline->peak_count; p++)
		for (size_t i = 0; i < roofline->peaks[p]->result_count; i++)
			if (bench_render_roofline_is_on(record, &roofline->peaks[p]->results[i]))
				bench_render_roofline_add_cache(&device->model, roofline->peaks[p],
								&roofline->peaks[p]->results[i]);
	bench_render_roofline_end(&device->model);
}

static size_t suite_index(struct roofline *roofline, const char *suite)
{
	for (size_t i = 0; i < roofline->suite_count; i++)
		if (strcmp(roofline->suites[i], suite) == 0)
			return i;
	BENCH_PUSH(&roofline->plot.arena, roofline->suites, roofline->suite_count) = suite;
	return roofline->suite_count - 1;
}

static bool has_point(const struct bench_result *result, const struct device *device)
{
	return bench_render_roofline_is_on(device->model.device, result) &&
	       bench_render_roofline_intensity(result) > 0;
}

static void extend(struct device *device, double x, double y)
{
	struct bench_roofline_frame *frame = &device->frame;
	frame->x_lo = frame->x_lo > 0 ? fmin(frame->x_lo, x) : x;
	frame->x_hi = fmax(frame->x_hi, x);
	frame->y_lo = frame->y_lo > 0 ? fmin(frame->y_lo, y) : y;
	frame->y_hi = fmax(frame->y_hi, y);
}

/* FLOPs for each byte that it was seen to move; 0: not known. */
static double moved_intensity(const struct bench_result *result)
{
	const double traffic = bench_record_traffic(result);
	return traffic > 0 ? bench_render_roofline_intensity(result) / traffic : 0;
}

static void find_range(const struct roofline *roofline, struct device *device)
{
	for (size_t i = 0; i < roofline->run->result_count; i++) {
		const struct bench_result *result = &roofline->run->results[i];
		if (!has_point(result, device))
			continue;
		extend(device, bench_render_roofline_intensity(result),
		       bench_render_roofline_rate(result, "flop_rate"));
		if (moved_intensity(result) > 0)
			extend(device, moved_intensity(result),
			       bench_render_roofline_rate(result, "flop_rate"));
		device->points++;
	}
	for (size_t s = 0; s < device->model.slope_count; s++)
		extend(device,
		       bench_render_roofline_highest(&device->model) / device->model.slopes[s].bandwidth,
		       bench_render_roofline_highest(&device->model));
	device->frame.x_lo /= 3;
	device->frame.x_hi *= 2;
	device->frame.y_lo /= 2;
	device->frame.y_hi *= 2;
}

static const char *quantity(struct roofline *roofline, double value, const char *unit)
{
	double factor;
	const char *name = bench_text_scale(value, unit, &factor);
	return bench_arena_format(&roofline->plot.arena, "%.3g %s", value / factor, name);
}

/* A line, and its entry in the legend; on a terminal, where lines look alike, the remarks name them. */
static void draw_line(struct roofline *roofline, struct bench_plot_panel *panel, const double ends[4],
		      struct bench_plot_entry entry)
{
	struct bench_plot *plot = &roofline->plot;
	size_t block = bench_plot_page_begin(plot, panel);
	bench_text_add(&panel->data, "%.17g %.17g\n%.17g %.17g\n", ends[0], ends[1], ends[2], ends[3]);
	bench_plot_page_end(panel);
	bench_plot_page_add_layer(panel, "$d%zu using 1:2 with lines lc rgb '%s' lw 2 dt %d", block,
				  bench_plot_page_color(plot, entry.role),
				  entry.dash == BENCH_PLOT_DASHED ? 2 : 1);
	if (!bench_plot_page_is_text(plot))
		bench_plot_page_add_entry(plot, entry);
}

/* "memory 12 GB/s"; of several devices, with the device. */
static const char *line_name(struct roofline *roofline, const struct device *device, const char *name,
			     double value, const char *unit)
{
	const struct bench_device_record *record = device->model.device;
	const char *shown =
		bench_arena_format(&roofline->plot.arena, "%s %s", name, quantity(roofline, value, unit));
	return roofline->device_count == 1 ? shown
					   : bench_arena_format(&roofline->plot.arena, "%s, %s:%s", shown,
								record->backend, record->info.slug);
}

static enum bench_plot_role type_role(const char *type)
{
	return bench_plot_theme_series(strcmp(type, "f32") == 0 ? 0 : strcmp(type, "f64") == 0 ? 1 : 2);
}

/* Memory in ink; caches in the colors after those of types. */
static void draw_slope(struct roofline *roofline, const struct device *device, size_t index,
		       struct bench_plot_panel *panel)
{
	const struct bench_roofline_slope *slope = &device->model.slopes[index];
	bool memory = strcmp(slope->name, BENCH_ROOFLINE_MEMORY) == 0;
	double bandwidth = slope->bandwidth / GIGA, start, end;
	if (!bench_render_roofline_line(&device->model, slope->bandwidth, &device->frame, &start, &end))
		return;
	draw_line(roofline, panel, (double[]){start, start * bandwidth, end, end * bandwidth},
		  (struct bench_plot_entry){
			  .label = line_name(roofline, device, slope->name, slope->bandwidth, "B/s"),
			  .role = memory ? BENCH_PLOT_INK : bench_plot_theme_series(3 + 2 * (index % 2)),
			  .dash = memory ? BENCH_PLOT_SOLID : BENCH_PLOT_DASHED});
}

static void draw_roof(struct roofline *roofline, const struct device *device,
		      const struct bench_roofline_roof *roof, struct bench_plot_panel *panel)
{
	double fastest = 0, level = roof->flop_rate / GIGA;
	if (!(level > 0))
		return;
	for (size_t s = 0; s < device->model.slope_count; s++)
		fastest = fmax(fastest, device->model.slopes[s].bandwidth);
	draw_line(roofline, panel, (double[]){roof->flop_rate / fastest, level, device->frame.x_hi, level},
		  (struct bench_plot_entry){
			  .label = line_name(roofline, device, roof->type, roof->flop_rate, "FLOP/s"),
			  .role = type_role(roof->type),
			  .dash = BENCH_PLOT_SOLID});
}

/* The points of a suite and a role, in a layer. */
static bool draw_type(struct roofline *roofline, const struct device *device, size_t suite,
		      enum bench_plot_role role, struct bench_plot_panel *panel)
{
	struct bench_plot *plot = &roofline->plot;
	size_t block = bench_plot_page_begin(plot, panel);
	for (size_t i = 0; i < roofline->run->result_count; i++) {
		const struct bench_result *result = &roofline->run->results[i];
		if (has_point(result, device) && strcmp(result->suite, roofline->suites[suite]) == 0 &&
		    type_role(bench_record_param(result, "dtype")) == role)
			bench_text_add(&panel->data, "%.17g %.17g\n", bench_render_roofline_intensity(result),
				       bench_render_roofline_rate(result, "flop_rate") / GIGA);
	}
	if (!bench_plot_page_end(panel))
		return false;
	bench_plot_page_add_layer(panel, "$d%zu using 1:2 with points lc rgb '%s' pt %d ps 1", block,
				  bench_plot_page_color(plot, role), bench_plot_page_shape(plot, suite));
	return true;
}

static bool has_moved(const struct roofline *roofline, const struct device *device)
{
	for (size_t i = 0; i < roofline->run->result_count; i++)
		if (has_point(&roofline->run->results[i], device) &&
		    moved_intensity(&roofline->run->results[i]) > 0)
			return true;
	return false;
}

/* The same cases at the bytes that they were seen to move: a hollow point, on a level with its case. */
static void draw_moved(struct roofline *roofline, const struct device *device, struct bench_plot_panel *panel)
{
	enum { HOLLOW = 6, LETTER = 'Z' - 'A' };
	struct bench_plot *plot = &roofline->plot;
	size_t block = bench_plot_page_begin(plot, panel);
	for (size_t i = 0; i < roofline->run->result_count; i++) {
		const struct bench_result *result = &roofline->run->results[i];
		if (has_point(result, device) && moved_intensity(result) > 0)
			bench_text_add(&panel->data, "%.17g %.17g\n", moved_intensity(result),
				       bench_render_roofline_rate(result, "flop_rate") / GIGA);
	}
	bench_plot_page_end(panel);
	bench_plot_page_add_layer(panel, "$d%zu using 1:2 with points lc rgb '%s' pt %d ps 1.4", block,
				  bench_plot_page_color(plot, BENCH_PLOT_DOUBT),
				  bench_plot_page_is_text(plot) ? bench_plot_page_shape(plot, LETTER)
								: HOLLOW);
	bench_plot_page_add_entry(plot, (struct bench_plot_entry){.label = "by measured traffic",
								  .role = BENCH_PLOT_DOUBT,
								  .shape = HOLLOW,
								  .letter = 'Z'});
}

static void draw_points(struct roofline *roofline, const struct device *device,
			struct bench_plot_panel *panel)
{
	static const char *const types[] = {"f32", "f64", "other types"};
	for (size_t s = 0; s < roofline->suite_count; s++) {
		bool any = false;
		for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++)
			any |= draw_type(roofline, device, s, type_role(types[t]), panel);
		if (any)
			bench_plot_page_add_entry(
				&roofline->plot, (struct bench_plot_entry){.label = roofline->suites[s],
									   .role = BENCH_PLOT_INK,
									   .shape = bench_plot_theme_shape(s),
									   .letter = (char)('A' + s % 26)});
	}
}

/* The lines of a panel in words: those of a terminal have no colors. */
static void add_line_remark(struct roofline *roofline, const struct device *device, const char *name)
{
	BENCH_SCOPED_TEXT lines = {0};
	for (size_t r = 0; r < BENCH_CEILING_TYPES; r++)
		if (device->model.roofs[r].flop_rate > 0)
			bench_text_add(&lines, ", %s %s", device->model.roofs[r].type,
				       quantity(roofline, device->model.roofs[r].flop_rate, "FLOP/s"));
	bench_text_add(&lines, "; slopes");
	for (size_t s = 0; s < device->model.slope_count; s++)
		bench_text_add(&lines, ", %s %s", device->model.slopes[s].name,
			       quantity(roofline, device->model.slopes[s].bandwidth, "B/s"));
	bench_plot_page_add_remark(&roofline->plot, "%s: level lines%s", name, lines.data);
}

/* The cases that move far more than their model says: it is theirs, or the model's, to explain. */
static void add_traffic_remarks(struct roofline *roofline, const struct device *device)
{
	enum { MOST = 4 };
	struct bench_plot *plot = &roofline->plot;
	size_t far = 0;
	for (size_t i = 0; i < roofline->run->result_count; i++) {
		const struct bench_result *result = &roofline->run->results[i];
		const char *note = bench_record_note(result, "traffic");
		if (has_point(result, device) && *note && ++far <= MOST)
			bench_plot_page_add_remark(plot, "%s moves %s",
						   bench_render_words_line(&plot->arena, result->key), note);
	}
	if (far > MOST)
		bench_plot_page_add_remark(plot, "%zu more cases move far more than their models say",
					   far - MOST);
}

/* What a reader would wonder about. */
static void add_remarks(struct roofline *roofline, const struct device *device, const char *name)
{
	struct bench_plot *plot = &roofline->plot;
	size_t above = 0;
	if (bench_plot_page_is_text(plot))
		add_line_remark(roofline, device, name);
	for (size_t i = 0; i < roofline->run->result_count; i++) {
		const struct bench_result *result = &roofline->run->results[i];
		above +=
			has_point(result, device) && bench_render_roofline_rate(result, "flop_rate") /
								     bench_render_roofline_intensity(result) >
							     bench_render_roofline_memory(&device->model);
	}
	if (above)
		bench_plot_page_add_remark(
			plot, "%s: %zu point%s above the slope of memory: data that stays in caches%s", name,
			above, above == 1 ? "" : "s",
			device->model.slope_count > 1 ? ""
						      : ", whose slopes 'bench run --suite peak' measures");
	add_traffic_remarks(roofline, device);
	for (size_t r = 0; r < BENCH_CEILING_TYPES; r++) {
		const struct bench_roofline_roof *roof = &device->model.roofs[r];
		const struct bench_ceilings *ceilings = &device->model.device->ceilings;
		if (roof->raised)
			bench_plot_page_add_remark(
				plot, "%s: the %s ceiling is what %s reached, checked; suite peak reached %s",
				name, roof->type, roof->raised->suite,
				quantity(roofline, ceilings->flop_rate[r], "FLOP/s"));
	}
}

static void add_panel(struct roofline *roofline, struct device *device)
{
	struct bench_plot *plot = &roofline->plot;
	const struct bench_roofline_frame *frame = &device->frame;
	const char *name = bench_render_words_line(
		&plot->arena, bench_arena_format(&plot->arena, "%s:%s", device->model.device->backend,
						 device->model.device->info.slug));
	struct bench_plot_panel *panel = bench_plot_page_add_panel(plot, name);
	panel->x = (struct bench_plot_axis){.label = "FLOP per byte that must move",
					    .min = frame->x_lo,
					    .max = frame->x_hi,
					    .log = true,
					    .grid = true,
					    .rows = 1};
	panel->y = (struct bench_plot_axis){.label = "GFLOP/s",
					    .min = frame->y_lo / GIGA,
					    .max = frame->y_hi / GIGA,
					    .log = true,
					    .grid = true};
	bench_plot_page_add_log_ticks(plot, &panel->x);
	bench_plot_page_add_log_ticks(plot, &panel->y);
	for (size_t s = 0; s < device->model.slope_count; s++)
		draw_slope(roofline, device, s, panel);
	for (size_t r = 0; r < BENCH_CEILING_TYPES; r++)
		draw_roof(roofline, device, &device->model.roofs[r], panel);
	draw_points(roofline, device, panel);
	if (has_moved(roofline, device))
		draw_moved(roofline, device, panel);
	add_remarks(roofline, device, name);
}

static int draw(struct roofline *roofline, struct bench_error *error)
{
	const struct bench_run *run = roofline->run;
	for (size_t i = 0; i < run->result_count; i++)
		if (run->results[i].status == BENCH_STATUS_OK && run->results[i].work.bytes > 0 &&
		    bench_render_roofline_rate(&run->results[i], "flop_rate") > 0)
			suite_index(roofline, run->results[i].suite);
	for (size_t i = 0; i < run->device_count; i++)
		roofline->device_count += has_roof(&run->devices[i].ceilings);
	for (size_t i = 0; i < run->device_count; i++) {
		struct device device;
		if (!has_roof(&run->devices[i].ceilings))
			continue;
		find_device(roofline, &run->devices[i], &device);
		find_range(roofline, &device);
		if (device.points > 0)
			add_panel(roofline, &device);
	}
	if (roofline->device_count == 0)
		return bench_fail(error, BENCH_NOTHING,
				  "run %s knows no ceilings of its devices: 'bench run --suite peak' "
				  "measures them, for itself and the runs after it",
				  run->id);
	if (roofline->plot.panel_count == 0)
		return bench_fail(error, BENCH_NOTHING,
				  "run %s has no case that is ok and counts both FLOPs and bytes: there is "
				  "nothing to draw under the roof",
				  run->id);
	roofline->plot.title = bench_arena_format(&roofline->plot.arena, "Roofline, run %s", run->id);
	roofline->plot.rows =
		bench_plot_page_is_text(&roofline->plot) || roofline->plot.panel_count <= 2 ? 22 : 16;
	return bench_plot_page_draw(&roofline->plot, error);
}

int bench_plot_roofline(const struct bench_run *run, const struct bench_run *const *peaks, size_t peak_count,
			struct bench_plot_place *place, struct bench_error *error)
{
	struct roofline roofline = {.run = run, .peaks = peaks, .peak_count = peak_count};
	BENCH_SCOPED_PLOT *plot = &roofline.plot;

	plot->place = place;
	return draw(&roofline, error);
}
