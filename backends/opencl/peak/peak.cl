/* SPDX-License-Identifier: MIT */
/*
 * A device's ceilings: arithmetic and reading with nothing in their way
 * (include/bench/peak.h has the contract).
 *
 * fma_peak: a work-item keeps CHAINS vectors, each a chain of dependent fma, enough to hide the latency of one.
 * A CPU core starts two a cycle and waits four for each; a GPU's many work-items hide it, too. CHAINS is a
 * fixed loop, so that the vectors live in registers.
 *
 * read_peak: work-item p makes part p. On CPUs (CONTIGUOUS) it reads its own stretch from
 * end to end, as one core does best; on GPUs neighbors read neighboring vectors, so that
 * accesses join into whole lines. With HELD, `a` has mask + 1 vectors, which are read over and over: a group of
 * work-items walks through it together, and groups start at different places, so that they share no lines of a
 * cache that is smaller.
 */
#ifndef WIDTH /* lanes of a vector: 1, 2, 4, 8 or 16 */
#define WIDTH 4
#endif
#ifndef CHAINS /* WIDTH * CHAINS divides 256 */
#define CHAINS 8
#endif
#ifndef CONTIGUOUS
#define CONTIGUOUS 0
#endif
#ifndef HELD
#define HELD 0
#endif
#define GROUP 256

#include "vector.cl"

#define STARTS 1024
#define FACTOR ((REAL)(1 - 0x1p-12))
#define ADDEND ((REAL)0x1p-12)

__kernel void fma_peak(__global REAL *out, uint rounds)
{
	const ulong first = get_global_id(0) * (WIDTH * CHAINS);
	union {
		VECTOR vector[CHAINS];
		REAL lane[CHAINS * WIDTH];
	} start;
	VECTOR x[CHAINS];
	const VECTOR factor = (VECTOR)FACTOR, addend = (VECTOR)ADDEND;
	for (int i = 0; i < CHAINS * WIDTH; i++)
		start.lane[i] = (REAL)((first + i) % STARTS) / STARTS;
#pragma unroll
	for (int i = 0; i < CHAINS; i++)
		x[i] = start.vector[i];
#pragma unroll 128
	for (uint round = 0; round < rounds; round++) {
#pragma unroll
		for (int i = 0; i < CHAINS; i++)
			x[i] = fma(x[i], factor, addend);
	}
#pragma unroll
	for (int i = 0; i < CHAINS; i++)
		((__global VECTOR *)(out + first))[i] = x[i];
}

/* Vectors that a part adds. */
__kernel void read_peak(__global const VECTOR *a, __global REAL *out, ulong vectors
#if HELD
			,
			ulong mask
#endif
)
{
	const ulong part = get_global_id(0), parts = get_global_size(0);
#if HELD && CONTIGUOUS
	const ulong first = (part * vectors) & mask, step = 1;
#elif CONTIGUOUS
	const ulong first = part * vectors, step = 1;
#elif HELD
	const ulong first = part / GROUP * (mask + 1) / parts * GROUP + part % GROUP, step = GROUP;
#else
	const ulong first = part, step = parts;
#endif
#if HELD && !CONTIGUOUS
#define PLACE(i) ((first + (i) * step) & mask)
#else
#define PLACE(i) (first + (i) * step)
#endif
	VECTOR sum[4] = {(VECTOR)0, (VECTOR)0, (VECTOR)0, (VECTOR)0};
	for (ulong i = 0; i < vectors; i += 4) {
#pragma unroll
		for (int j = 0; j < 4; j++)
			sum[j] += a[PLACE(i + j)];
	}
	union {
		VECTOR vector;
		REAL lane[WIDTH];
	} all = {.vector = (sum[0] + sum[1]) + (sum[2] + sum[3])};
	REAL total = 0;
	for (int i = 0; i < WIDTH; i++)
		total += all.lane[i];
	out[part] = total;
}
