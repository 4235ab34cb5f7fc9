/* SPDX-License-Identifier: MIT */
#include "report/render/roofline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "report/render/axis.h"

#define RESIDENT ((uint64_t)256 << 20) /* what caches may hold */
#define FASTER   1.1 /* than memory: what is not was measured on a busy machine, or is memory */

bool bench_render_roofline_is_on(const struct bench_device_record *device, const struct bench_result *result)
{
	return result->status == BENCH_STATUS_OK && strcmp(result->backend, device->backend) == 0 &&
	       strcmp(result->device, device->info.slug) == 0;
}

double bench_render_roofline_rate(const struct bench_result *result, const char *name)
{
	const struct bench_metric *metric = bench_record_metric(result, name);
	return metric && bench_render_axis_is_positive(metric->summary.median) ? metric->summary.median : 0;
}

double bench_render_roofline_intensity(const struct bench_result *result)
{
	const double intensity = result->work.flops / result->work.bytes;
	return bench_render_axis_is_positive(intensity) && bench_render_roofline_rate(result, "flop_rate") > 0
		       ? intensity
		       : 0;
}

/* Of each name the fastest. */
static void add_slope(struct bench_roofline *roofline, const char *name, double bandwidth)
{
	size_t at = 0;
	while (at < roofline->slope_count && strcmp(roofline->slopes[at].name, name) != 0)
		at++;
	if (at == BENCH_ROOFLINE_SLOPES || !bench_render_axis_is_positive(bandwidth))
		return;
	if (at == roofline->slope_count)
		roofline->slopes[roofline->slope_count++] = (struct bench_roofline_slope){name, 0};
	roofline->slopes[at].bandwidth = fmax(roofline->slopes[at].bandwidth, bandwidth);
}

void bench_render_roofline_begin(struct bench_roofline *roofline, const struct bench_device_record *device,
				 struct bench_arena *arena)
{
	const struct bench_ceilings *ceilings = &device->ceilings;
	*roofline = (struct bench_roofline){.device = device, .arena = arena};
	for (size_t i = 0; i < BENCH_CEILING_TYPES; i++)
		roofline->roofs[i] = (struct bench_roofline_roof){bench_record_ceiling_types[i],
								  ceilings->flop_rate[i], NULL};
	add_slope(roofline, BENCH_ROOFLINE_MEMORY, ceilings->bandwidth);
}

/* "L2" for data that a core's second cache holds, as the host says; else "256 KiB". */
static const char *level_of(const struct bench_roofline *roofline, const struct bench_run *run, double bytes)
{
	static const char *const levels[] = {"l1_bytes", "l2_bytes", "l3_bytes"};
	double factor, size;
	for (size_t i = 0; i < 3 && roofline->device->info.kind == BENCH_DEVICE_CPU; i++)
		if (bench_text_real(bench_record_fact(run, levels[i]), &size) && bytes <= size)
			return bench_arena_format(roofline->arena, "L%zu", i + 1);
	const char *unit = bench_text_scale(bytes, "B", &factor);
	return bench_arena_format(roofline->arena, "%.4g %s", bytes / factor, unit);
}

void bench_render_roofline_add_cache(struct bench_roofline *roofline, const struct bench_run *run,
				     const struct bench_result *result)
{
	double bytes;
	if (strcmp(result->suite, "peak") == 0 && strcmp(bench_record_param(result, "what"), "read") == 0 &&
	    result->work.device_bytes < RESIDENT &&
	    bench_text_real(bench_record_param(result, "bytes"), &bytes))
		add_slope(roofline, level_of(roofline, run, bytes),
			  bench_render_roofline_rate(result, "bandwidth"));
}

/* A ceiling is a measurement too: what was checked and is faster has shown that it was too low. */
void bench_render_roofline_add(struct bench_roofline *roofline, const struct bench_run *run,
			       const struct bench_result *result)
{
	const double reached = bench_render_roofline_rate(result, "flop_rate");
	struct bench_roofline_roof *roof = &roofline->roofs[bench_record_ceiling_type(result)];
	bench_render_roofline_add_cache(roofline, run, result);
	if (result->checked && roof->flop_rate > 0 && reached > roof->flop_rate) {
		roof->flop_rate = reached;
		roof->raised = result;
	}
	if (result->checked && result->work.device_bytes >= RESIDENT)
		add_slope(roofline, BENCH_ROOFLINE_MEMORY, bench_render_roofline_rate(result, "bandwidth"));
}

static int fastest_first(const void *left, const void *right)
{
	const struct bench_roofline_slope *a = left, *b = right;
	return (a->bandwidth < b->bandwidth) - (a->bandwidth > b->bandwidth);
}

void bench_render_roofline_end(struct bench_roofline *roofline)
{
	const double least = FASTER * bench_render_roofline_memory(roofline);
	size_t kept = 0;
	for (size_t i = 0; i < roofline->slope_count; i++)
		if (roofline->slopes[i].bandwidth > least ||
		    strcmp(roofline->slopes[i].name, BENCH_ROOFLINE_MEMORY) == 0)
			roofline->slopes[kept++] = roofline->slopes[i];
	roofline->slope_count = kept;
	qsort(roofline->slopes, kept, sizeof(roofline->slopes[0]), fastest_first);
}

double bench_render_roofline_highest(const struct bench_roofline *roofline)
{
	double highest = 0;
	for (size_t i = 0; i < BENCH_CEILING_TYPES; i++)
		highest = fmax(highest, roofline->roofs[i].flop_rate);
	return highest;
}

double bench_render_roofline_memory(const struct bench_roofline *roofline)
{
	const struct bench_roofline_slope *slope =
		BENCH_FIND(roofline->slopes, roofline->slope_count, BENCH_ROOFLINE_MEMORY);
	return slope ? slope->bandwidth : 0;
}

bool bench_render_roofline_line(const struct bench_roofline *roofline, double bandwidth,
				const struct bench_roofline_frame *frame, double *from, double *to)
{
	double roof = bench_render_roofline_highest(roofline);
	*from = fmax(frame->x_lo, frame->y_lo / bandwidth);
	*to = fmin(frame->x_hi, (roof > 0 ? roof : frame->y_hi) / bandwidth);
	return *from < *to;
}
