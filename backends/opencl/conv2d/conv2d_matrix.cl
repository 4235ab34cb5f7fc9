/* SPDX-License-Identifier: MIT */
/*
 * What surrounds the product in a convolution by im2col (Chellapilla, Puri, Simard, "High
 * performance convolutional neural networks for document processing", 2006), one group.
 */
#include "real.cl"
#include "conv2d_shape.cl"
#ifndef SPREAD /* work-items that share a line, and the size of a group; 1 on CPUs */
#define SPREAD 1
#endif

/*
 * The windows. NCHW: [channel][tap][image][row][column], a line being all places of an image;
 * NHWC: [image][row][column][tap][channel], a line being a window. SPREAD work-items make
 * `per_item` lines, of `lines` in all. What is above or left of the input wraps around, to beyond it.
 */
#if NHWC

__kernel __attribute__((reqd_work_group_size(SPREAD, 1, 1))) void
conv2d_windows(__global const REAL *restrict in, __global REAL *restrict windows, uint images, uint channels,
	       uint h, uint w, uint r, uint s, uint stride, uint pad, uint dilation, uint rows, uint columns,
	       ulong lines, ulong per_item)
{
	const ulong first = get_global_id(0) / SPREAD * per_item, end = min(first + per_item, lines);
	for (ulong line = first; line < end; line++) {
		const ulong image = line / columns / rows;
		const uint y = line / columns % rows, x = line % columns;
		__global REAL *to = windows + line * r * s * channels;
		for (uint i = 0; i < r; i++) {
			const uint row = y * stride + i * dilation - pad;
			for (uint j = 0; j < s; j++, to += channels) {
				const uint column = x * stride + j * dilation - pad;
				__global const REAL *from = in + ((image * h + row) * w + column) * channels;
				const bool inside = row < h && column < w;
				for (uint c = get_global_id(0) % SPREAD; c < channels; c += SPREAD)
					to[c] = inside ? from[c] : 0;
			}
		}
	}
}

#else

__kernel __attribute__((reqd_work_group_size(SPREAD, 1, 1))) void
conv2d_windows(__global const REAL *restrict in, __global REAL *restrict windows, uint images, uint channels,
	       uint h, uint w, uint r, uint s, uint stride, uint pad, uint dilation, uint rows, uint columns,
	       ulong lines, ulong per_item)
{
	const ulong first = get_global_id(0) / SPREAD * per_item, end = min(first + per_item, lines);
	for (ulong line = first; line < end; line++) {
		const uint tap = line / images % (r * s);
		const uint down = tap / s * dilation - pad, right = tap % s * dilation - pad;
		__global const REAL *from = in + (line % images * channels + line / images / (r * s)) * h * w;
		__global REAL *to = windows + line * rows * columns;
#if SPREAD == 1
		/*
		 * Columns edge..inside-1 of the output lie within the input: where stride is 1, a plain copy.
		 */
		const uint edge = min(right < w ? 0 : -right, columns);
		const uint inside = min(w - right, columns);
		for (uint y = 0; y < rows; y++, to += columns) {
			const uint row = y * stride + down;
			if (stride > 1 || row >= h || edge >= inside)
				for (uint x = 0; x < columns; x++) {
					const uint column = x * stride + right;
					to[x] = row < h && column < w ? from[(ulong)row * w + column] : 0;
				}
			else {
				__global const REAL *line_from = from + (ulong)row * w + (int)right;
				for (uint x = 0; x < edge; x++)
					to[x] = 0;
				for (uint x = edge; x < inside; x++)
					to[x] = line_from[x];
				for (uint x = inside; x < columns; x++)
					to[x] = 0;
			}
		}
#else
		for (uint i = get_global_id(0) % SPREAD; i < rows * columns; i += SPREAD) {
			const uint row = i / columns * stride + down, column = i % columns * stride + right;
			to[i] = row < h && column < w ? from[(ulong)row * w + column] : 0;
		}
#endif
	}
}

#endif

/* out[image][channel][place] = product[channel][image][place]; a line is the places of one of them. */
__kernel __attribute__((reqd_work_group_size(SPREAD, 1, 1))) void
conv2d_by_image(__global const REAL *restrict product, __global REAL *restrict out, uint images, uint channels,
		ulong places, ulong lines, ulong per_item)
{
	const ulong first = get_global_id(0) / SPREAD * per_item, end = min(first + per_item, lines);
	for (ulong line = first; line < end; line++) {
		__global const REAL *from = product + (line % channels * images + line / channels) * places;
		for (ulong i = get_global_id(0) % SPREAD; i < places; i += SPREAD)
			out[line * places + i] = from[i];
	}
}
