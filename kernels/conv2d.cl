/*
 * Convolution by its definition: a tile of the output is MR channels by NV vectors of LANES
 * neighbours of a row, and is summed in registers over all channels and taps of the kernel.
 *
 * That there is no edge and no stride in the loop is the work of conv2d_pad before: it copies
 * the input with its zeros around it, and takes it apart by phase, so that columns that are
 * `stride` apart become neighbours (rows likewise). A tap of the kernel is then an offset into
 * the padded channel, the same for every place of the output. conv2d_pack computes these
 * offsets, and puts the weights of MR channels side by side.
 *
 * A row's last vector moves in so that it is whole; what it has in common with the one before
 * is written twice, with the same bits. On GPUs a vector is one element, and neighbouring work-items have neighbouring ones.
 */
#ifndef REAL
#define REAL float
#endif
#ifndef LANES
#define LANES 16
#endif
#ifndef MR
#define MR 8
#endif
#ifndef NV
#define NV 3
#endif
#ifndef NHWC /* the layout of in, weights and out: channels last */
#define NHWC 0
#endif
#ifndef SPREAD /* work-items that share a line of a copy, and the size of a group; 1 on CPUs */
#define SPREAD 1
#endif

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#if LANES == 1
#define VECTOR REAL
#define LOAD(at) (*(at))
#define STORE(value, at) (*(at) = (value))
#else
#define VECTOR PASTE(REAL, LANES)
#define LOAD(at) PASTE(vload, LANES)(0, at)
#define STORE(value, at) PASTE(vstore, LANES)(value, 0, at)
#endif

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

/*
 * padded[image][channel][phase of rows][phase of columns][rows_out][pitch]: element (i, j) of phases
 * (p, q) is the input's row i * stride + p - pad, column j * stride + q - pad, or 0. SPREAD
 * work-items copy `per_item` lines of `pitch` elements, of `lines` in all.
 */
__kernel __attribute__((reqd_work_group_size(SPREAD, 1, 1))) void
conv2d_pad(__global const REAL *restrict in, __global REAL *restrict padded, uint channels, uint h, uint w,
	   uint stride, uint pad, uint rows_out, uint pitch, ulong lines, ulong per_item)
{
	const ulong first = get_global_id(0) / SPREAD * per_item, end = min(first + per_item, lines);
	for (ulong line = first; line < end; line++) {
		const ulong plane = line / rows_out / stride / stride;
		/* Above or left of the input wraps around, to beyond it. */
		const uint row = (uint)(line % rows_out) * stride + (uint)(line / rows_out / stride % stride) - pad;
		const uint start = (uint)(line / rows_out % stride) - pad;
		__global REAL *to = padded + line * pitch;
		if (row >= h) {
			for (uint j = get_global_id(0) % SPREAD; j < pitch; j += SPREAD)
				to[j] = 0;
			continue;
		}
#if NHWC
		__global const REAL *from = in + (plane / channels * h + row) * w * channels + plane % channels;
		const uint step = channels;
#else
		__global const REAL *from = in + (plane * h + row) * w;
		const uint step = 1;
#endif
#if SPREAD == 1
		if (stride == 1) { /* a plain copy between two edges, which compilers vectorise */
			const uint edge = min(pad, pitch), inside = min(edge + w, pitch);
			for (uint j = 0; j < edge; j++)
				to[j] = 0;
			for (uint j = edge; j < inside; j++)
				to[j] = from[(ulong)(j - edge) * step];
			for (uint j = inside; j < pitch; j++)
				to[j] = 0;
			continue;
		}
#endif
		for (uint j = get_global_id(0) % SPREAD; j < pitch; j += SPREAD) {
			const uint column = j * stride + start;
			to[j] = column < w ? from[(ulong)column * step] : 0;
		}
	}
}

/*
 * packed[group][block of MR filters][channel][tap][MR], zero beyond the last filter; and
 * offsets[tap] into a padded channel. A line is the MR weights of one tap.
 */
__kernel __attribute__((reqd_work_group_size(SPREAD, 1, 1))) void
conv2d_pack(__global const REAL *restrict weights, __global REAL *restrict packed, __global uint *restrict offsets,
	    uint channels, uint filters, uint groups, uint r, uint s, uint stride, uint dilation, uint rows_out,
	    uint pitch, ulong lines, ulong per_item)
{
	const uint taps = r * s, blocks = (filters + MR - 1) / MR;
	const ulong first = get_global_id(0) / SPREAD * per_item, end = min(first + per_item, lines);
	for (ulong line = first; line < end; line++) {
		const ulong block = line / taps / channels;
		const uint tap = line % taps, channel = line / taps % channels;
		const uint group = block / blocks, filter = block % blocks * MR;
		for (uint i = get_global_id(0) % SPREAD; i < MR; i += SPREAD) {
			const ulong q = (ulong)group * filters + filter + i;
#if NHWC
			const ulong from = ((ulong)tap * channels + channel) * filters * groups + q;
#else
			const ulong from = (q * channels + channel) * taps + tap;
#endif
			packed[line * MR + i] = filter + i < filters ? weights[from] : 0;
		}
	}
	for (uint tap = get_global_id(0); tap < taps; tap += get_global_size(0)) {
		const uint row = tap / s * dilation, column = tap % s * dilation;
		const uint phase = row % stride * stride + column % stride;
		offsets[tap] = (phase * rows_out + row / stride) * pitch + column / stride;
	}
}

/* The tile's sums; at[j]: where vector j starts in a padded channel of `plane` elements. */
static inline void multiply(VECTOR sum[MR][NV], __global const REAL *restrict padded, const uint at[NV],
			    __global const uint *restrict offsets, __global const REAL *restrict packed,
			    ulong plane, uint channels, uint taps)
{
#pragma unroll
	for (uint i = 0; i < MR; i++)
#pragma unroll
		for (uint j = 0; j < NV; j++)
			sum[i][j] = 0;
	for (uint channel = 0; channel < channels; channel++) {
		for (uint tap = 0; tap < taps; tap++) {
			__global const REAL *from = padded + offsets[tap];
			VECTOR b[NV];
#pragma unroll
			for (uint j = 0; j < NV; j++)
				b[j] = LOAD(from + at[j]);
#pragma unroll
			for (uint i = 0; i < MR; i++) {
				const VECTOR weight = packed[i];
#pragma unroll
				for (uint j = 0; j < NV; j++)
					sum[i][j] += weight * b[j];
			}
			packed += MR;
		}
		padded += plane;
	}
}

/* LANES neighbours of a row of one channel, of which `left` are within it. */
static inline void write(__global REAL *restrict out, ulong step, VECTOR value, uint left)
{
	if (step == 1 && left >= LANES) {
		STORE(value, out);
		return;
	}
	REAL line[LANES];
	STORE(value, line);
#pragma unroll
	for (uint lane = 0; lane < LANES; lane++)
		if (lane < left)
			out[lane * step] = line[lane];
}

/*
 * The first dimension runs over the tiles of a channel's places, per_item of them to a
 * work-item; the second over groups and their blocks of MR filters; the third over images.
 */
__kernel __attribute__((reqd_work_group_size(SPREAD, 1, 1))) void
conv2d_direct(__global const REAL *restrict padded, __global const uint *restrict offsets,
	      __global const REAL *restrict packed, __global REAL *restrict out, ulong plane, uint pitch,
	      uint channels, uint taps, uint filters, uint groups, uint rows, uint columns, uint tiles, uint per_item)
{
	const uint block = get_global_id(1), image = get_global_id(2);
	const uint blocks = (filters + MR - 1) / MR, group = block / blocks, filter = block % blocks * MR;
	const uint across = (columns + LANES - 1) / LANES, vectors = rows * across;
	const ulong q = (ulong)group * filters + filter, k = (ulong)groups * filters;
	padded += ((ulong)image * groups + group) * channels * plane;
	packed += (ulong)block * channels * taps * MR;
#if NHWC
	const ulong step = k, apart = 1; /* of neighbours in a row, of channels */
	out += (ulong)image * rows * columns * k + q;
#else
	const ulong step = 1, apart = (ulong)rows * columns;
	out += (image * k + q) * apart;
#endif
	const uint first = (uint)get_global_id(0) * per_item, end = min(first + per_item, tiles);
	for (uint tile = first; tile < end; tile++) {
		VECTOR sum[MR][NV];
		uint at[NV], to[NV];
#if SPREAD == 1
#define VECTOR_OF(j) (tile * NV + (j))
#else
#define VECTOR_OF(j) (tile + (j) * tiles)
#endif
#pragma unroll
		for (uint j = 0; j < NV; j++) {
			const uint v = min(VECTOR_OF(j), vectors - 1), y = v / across;
			const uint x = min((v - y * across) * LANES, max(columns, (uint)LANES) - LANES);
			at[j] = y * pitch + x;
			to[j] = y * columns + x;
		}
		multiply(sum, padded, at, offsets, packed, plane, channels, taps);
#pragma unroll
		for (uint j = 0; j < NV; j++)
#pragma unroll
			for (uint i = 0; i < MR; i++)
				if (VECTOR_OF(j) < vectors && filter + i < filters)
					write(out + i * apart + to[j] * step, step, sum[i][j], columns);
	}
}
