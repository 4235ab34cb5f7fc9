/*
 * What surrounds the product in a convolution by im2col (Chellapilla, Puri, Simard, "High
 * performance convolutional neural networks for document processing", 2006), one group.
 */
#ifndef REAL
#define REAL float
#endif
#ifndef NHWC /* the layout of in */
#define NHWC 0
#endif
#ifndef SPREAD /* work-items that share a line, and the size of a group; 1 on CPUs */
#define SPREAD 1
#endif

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

/*
 * The windows. NCHW: [channel][tap][image][row][column], a line being a row of the output;
 * NHWC: [image][row][column][tap][channel], a line being the channels of one tap. SPREAD
 * work-items make `per_item` lines, of `lines` in all.
 */
__kernel __attribute__((reqd_work_group_size(SPREAD, 1, 1))) void
conv2d_windows(__global const REAL *restrict in, __global REAL *restrict windows, uint images, uint channels,
	       uint h, uint w, uint r, uint s, uint stride, uint pad, uint dilation, uint rows, uint columns,
	       ulong lines, ulong per_item)
{
	const ulong first = get_global_id(0) / SPREAD * per_item, end = min(first + per_item, lines);
	const uint lane = get_global_id(0) % SPREAD, taps = r * s;
	for (ulong line = first; line < end; line++) {
#if NHWC
		const ulong place = line / taps, image = place / columns / rows;
		const uint tap = line % taps, x = place % columns, y = place / columns % rows;
#else
		const uint y = line % rows, image = line / rows % images, tap = line / rows / images % taps;
		const ulong channel = line / rows / images / taps;
#endif
		/* Above or left of the input wraps around, to beyond it. */
		const uint row = y * stride + tap / s * dilation - pad, start = tap % s * dilation - pad;
#if NHWC
		const uint column = x * stride + start;
		__global const REAL *from = in + ((image * h + row) * w + column) * channels;
		__global REAL *to = windows + line * channels;
		const bool inside = row < h && column < w;
		for (uint i = lane; i < channels; i += SPREAD)
			to[i] = inside ? from[i] : 0;
#else
		__global const REAL *from = in + ((image * channels + channel) * h + row) * w;
		__global REAL *to = windows + line * columns;
		for (uint i = lane; i < columns; i += SPREAD) {
			const uint column = i * stride + start;
			to[i] = row < h && column < w ? from[column] : 0;
		}
#endif
	}
}

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
