/* SPDX-License-Identifier: MIT */
/*
 * Products of which C has few rows or few columns, on GPUs: gemm_thin.cl, which reads the other
 * operand once, at the memory's speed.
 */
#ifndef BENCH_OPENCL_GEMM_THIN_H
#define BENCH_OPENCL_GEMM_THIN_H

#include "backends/opencl/gemm/problem.h"

/* How the kernel reads: element by element, in vectors of the matrix, with tensor cores, and then both in
 * vectors. */
enum bench_opencl_gemm_thin_reads {
	BENCH_OPENCL_GEMM_THIN_ELEMENTS,
	BENCH_OPENCL_GEMM_THIN_VECTORS,
	BENCH_OPENCL_GEMM_THIN_TENSOR,
	BENCH_OPENCL_GEMM_THIN_TENSOR_VECTORS,
	BENCH_OPENCL_GEMM_THIN_READS
};

/* How it is done: what the kernel is compiled with, and how many groups there are. */
struct bench_opencl_gemm_thin {
	bool columns; /* C has few columns, and the thin operand is op(B); else few rows, and it is op(A) */
	bool along; /* of the other operand, the matrix, steps are neighbors; else op(B)'s columns or op(A)'s
		       rows */
	enum bench_opencl_gemm_thin_reads reads;
	bool narrow;                  /* groups take few lanes and more steps */
	unsigned rows_log;            /* log2 of the rows of sums */
	size_t items, across, depth;  /* the kernel's -D */
	size_t of_unit;               /* groups that a compute unit is to have */
	size_t tile, round;           /* lanes of a tile, steps of a round */
	size_t tiles, groups, rounds; /* of all products; groups of a tile, and the rounds of each of these */
};

/* Is C so thin? gemm.thin says how thin. */
bool bench_opencl_gemm_is_thin(const struct bench_device *device, const struct bench_gemm *gemm);
/* Looks at nothing but the problem and what the device says of itself. */
struct bench_opencl_gemm_thin bench_opencl_gemm_choose_thin(const struct bench_device *device,
							    const struct bench_gemm *gemm);
/* A problem that is thin, and as bench_opencl_gemm_gpu takes them. */
int bench_opencl_gemm_thin(struct bench_device *device, const struct bench_gemm *gemm,
			   struct bench_error *error);

#endif
