/* SPDX-License-Identifier: MIT */
/*
 * The model of a roofline (Williams, Waterman and Patterson, Communications of the ACM 52(4), 2009): what a
 * device allows. A slope for memory and one for each cache that suite peak has read from, a roof for each
 * type; none is below what was checked.
 */
#ifndef BENCH_REPORT_RENDER_ROOFLINE_H
#define BENCH_REPORT_RENDER_ROOFLINE_H

#include "record/record.h"

#define BENCH_ROOFLINE_MEMORY "memory"
enum { BENCH_ROOFLINE_SLOPES = 8 };

struct bench_roofline {
	const struct bench_device_record *device;
	struct bench_arena *arena; /* of names */
	struct bench_roofline_slope {
		const char *name; /* "memory", "L2", "4 MiB" */
		double bandwidth; /* B/s */
	} slopes[BENCH_ROOFLINE_SLOPES];
	size_t slope_count;
	struct bench_roofline_roof {
		const char *type;
		double flop_rate;                  /* FLOP/s; 0: not known */
		const struct bench_result *raised; /* the checked result above what suite peak has reached;
						      NULL: none */
	} roofs[BENCH_CEILING_TYPES];
};

/* By the ceilings of its record. What is given stays the caller's. */
void bench_render_roofline_begin(struct bench_roofline *roofline, const struct bench_device_record *device,
				 struct bench_arena *arena);
/* Takes a result of the device into account, of whatever run on its machine; where suite peak has read from a
 * cache, that alone with bench_render_roofline_add_cache. */
void bench_render_roofline_add(struct bench_roofline *roofline, const struct bench_run *run,
			       const struct bench_result *result);
void bench_render_roofline_add_cache(struct bench_roofline *roofline, const struct bench_run *run,
				     const struct bench_result *result);
/* All are added: sorts slopes, the fastest first. */
void bench_render_roofline_end(struct bench_roofline *roofline);

double bench_render_roofline_highest(const struct bench_roofline *roofline); /* roof; 0: none */
double bench_render_roofline_memory(const struct bench_roofline *roofline);  /* B/s; 0: not known */

/* What a picture shows: FLOP/B across, FLOP/s up. */
struct bench_roofline_frame {
	double x_lo, x_hi, y_lo, y_hi;
};
/*
 * The intensities between which a slope is drawn: from the left edge, or where it enters at the bottom, up to
 * the highest roof, or the upper edge where no roof is known. False: it lies outside.
 */
bool bench_render_roofline_line(const struct bench_roofline *roofline, double bandwidth,
				const struct bench_roofline_frame *frame, double *from, double *to);

/* Is a result ok, and of that device? */
bool bench_render_roofline_is_on(const struct bench_device_record *device, const struct bench_result *result);
/* The median of a rate; 0: unknown, or too large to draw. */
double bench_render_roofline_rate(const struct bench_result *result, const char *name);
/* FLOPs for each byte that must move, where the result has a place under the roof; else 0. */
double bench_render_roofline_intensity(const struct bench_result *result);

#endif
