/* SPDX-License-Identifier: MIT */
/*
 * What the training of a classifier needs beside matrix products: the hooks of
 * include/bench/op/training.h, a kernel each. They move little and compute less; what counts is
 * that neighboring work-items take neighboring elements, and that none goes to the host.
 *
 * Comparisons are written so that a NaN stays one: max() would turn it into the other operand.
 */
#ifndef WIDTH /* neighboring pixels that a work-item of `gather` converts as one vector: 2, 4, 8 or 16 */
#define WIDTH 4
#endif
#ifndef FETCHES_AHEAD
#define FETCHES_AHEAD 0
#endif
#define AHEAD 2 /* images */
#define LINE  64 /* bytes of a cache line */
#ifndef COLUMNS /* of a group of `bias_step`: neighboring columns, ... */
#define COLUMNS 16
#endif
#ifndef ROWS /* ... each summed by this many work-items */
#define ROWS 16
#endif

#include "prefetch.cl"
#include "real.cl"
#define VECTOR PASTE(float, WIDTH)

/*
 * A work-item WIDTH pixels, the last of a row what is left of them one by one; those beyond, with
 * which the launch fills its groups, find nothing to do.
 */
__kernel void gather(__global const uchar *restrict images, __global const uchar *restrict labels,
		     __global const uint *restrict order, ulong first, uint pixels, __global float *restrict x,
		     __global uchar *restrict x_labels)
{
	uint p = get_global_id(0) * WIDTH;
	const ulong i = get_global_id(1), row = order[first + i];
	__global const uchar *image = images + row * pixels;
	__global float *to = x + i * pixels;
	if (p == 0)
		x_labels[i] = labels[row];
	if (p + WIDTH <= pixels)
		PASTE(vstore, WIDTH)(PASTE(convert_float, WIDTH)(PASTE(vload, WIDTH)(0, image + p)) * (1 / 255.0f), 0, to + p);
	else
		for (; p < pixels; p++)
			to[p] = convert_float(image[p]) * (1 / 255.0f);
}

/* The same on a CPU: a work-item `per_item` whole rows. */
__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
gather_rows(__global const uchar *restrict images, __global const uchar *restrict labels,
	    __global const uint *restrict order, ulong first, uint pixels, __global float *restrict x,
	    __global uchar *restrict x_labels, uint rows, uint per_item)
{
	const uint from = (uint)get_global_id(0) * per_item, end = min(from + per_item, rows);
	for (uint i = from; i < end; i++) {
		const ulong row = order[first + i];
		__global const uchar *image = images + row * pixels;
		__global float *to = x + (ulong)i * pixels;
		uint p = 0;
		x_labels[i] = labels[row];
		/* Images lie anywhere: those that follow are on their way while one is converted. */
		if (i + AHEAD < rows)
			for (uint line = 0; line < pixels; line += LINE)
				PREFETCH(images + order[first + i + AHEAD] * (ulong)pixels + line);
		for (; p + WIDTH <= pixels; p += WIDTH)
			PASTE(vstore, WIDTH)(PASTE(convert_float, WIDTH)(PASTE(vload, WIDTH)(0, image + p)) * (1 / 255.0f), 0,
					     to + p);
		for (; p < pixels; p++)
			to[p] = convert_float(image[p]) * (1 / 255.0f);
	}
}

/* A work-item an element. */
__kernel void relu(__global float *x, __global const float *restrict bias, uint columns)
{
	const uint j = get_global_id(0);
	const ulong at = get_global_id(1) * columns + j;
	if (j < columns) {
		const float sum = x[at] + bias[j];
		x[at] = sum < 0 ? 0.0f : sum;
	}
}

/* A work-item a row: a row has a few classes. The largest is taken off so that no exp overflows. */
__kernel void softmax(__global float *x, __global const float *restrict bias,
		      __global const uchar *restrict labels, uint rows, uint columns, float factor)
{
	const uint i = get_global_id(0);
	if (i >= rows)
		return;
	__global float *row = x + (ulong)i * columns;
	float largest = -INFINITY, sum = 0;
	for (uint j = 0; j < columns; j++) {
		const float value = row[j] + bias[j];
		row[j] = value;
		largest = value > largest ? value : largest;
	}
	for (uint j = 0; j < columns; j++) {
		const float power = exp(row[j] - largest);
		row[j] = power;
		sum += power;
	}
	for (uint j = 0; j < columns; j++)
		row[j] = factor * (row[j] / sum - (j == labels[i] ? 1.0f : 0.0f));
}

/*
 * A group takes COLUMNS columns; in each, work-item r of ROWS adds up the rows r, r + ROWS, ...,
 * and the first adds up what they have. Without activations the same buffer is given twice, and
 * masked is 0.
 */
__kernel __attribute__((reqd_work_group_size(COLUMNS, ROWS, 1))) void
bias_step(__global const float *activations, __global float *gradient, __global float *restrict bias,
	  uint rows, uint columns, uint masked, float factor)
{
	__local float sums[ROWS][COLUMNS];
	const uint lane = get_local_id(0), part = get_local_id(1);
	const uint j = get_global_id(0);
	float sum = 0;
	if (j < columns)
		for (uint i = part; i < rows; i += ROWS) {
			const ulong at = (ulong)i * columns + j;
			const float value = masked && activations[at] <= 0 ? 0.0f : gradient[at];
			if (masked)
				gradient[at] = value;
			sum += value;
		}
	sums[part][lane] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (part == 0 && j < columns) {
		for (uint r = 1; r < ROWS; r++)
			sum += sums[r][lane];
		bias[j] += factor * sum;
	}
}

/* The same on a CPU: a work-item WIDTH columns as one vector, the last ones one by one. */
__kernel void bias_columns(__global const float *activations, __global float *gradient, __global float *restrict bias,
			   uint rows, uint columns, uint masked, float factor)
{
	const uint j = get_global_id(0) * WIDTH;
	if (j + WIDTH <= columns) {
		VECTOR sum = 0;
		for (ulong i = 0, at = j; i < rows; i++, at += columns) {
			VECTOR value = PASTE(vload, WIDTH)(0, gradient + at);
			if (masked) {
				value = PASTE(vload, WIDTH)(0, activations + at) <= 0 ? (VECTOR)0 : value;
				PASTE(vstore, WIDTH)(value, 0, gradient + at);
			}
			sum += value;
		}
		PASTE(vstore, WIDTH)(PASTE(vload, WIDTH)(0, bias + j) + factor * sum, 0, bias + j);
		return;
	}
	for (uint k = j; k < columns; k++) {
		float sum = 0;
		for (ulong i = 0, at = k; i < rows; i++, at += columns) {
			const float value = masked && activations[at] <= 0 ? 0.0f : gradient[at];
			if (masked)
				gradient[at] = value;
			sum += value;
		}
		bias[k] += factor * sum;
	}
}

/* A work-item a row. */
__kernel void classify(__global const float *restrict x, __global const float *restrict bias, uint rows,
		       uint columns, ulong first, __global uchar *restrict classes)
{
	const uint i = get_global_id(0);
	if (i >= rows)
		return;
	__global const float *row = x + (ulong)i * columns;
	float largest = row[0] + bias[0];
	uint best = 0;
	for (uint j = 1; j < columns; j++) {
		const float value = row[j] + bias[j];
		best = value > largest ? j : best;
		largest = value > largest ? value : largest;
	}
	classes[first + i] = (uchar)best;
}
