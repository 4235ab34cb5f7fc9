/* SPDX-License-Identifier: MIT */
/* What GEMM keeps on a device beside kernels. */
#ifndef BENCH_OPENCL_GEMM_STATE_H
#define BENCH_OPENCL_GEMM_STATE_H

#include "backends/opencl/gemm/choice.h"

/* A map (maps.h) of matrices in this memory, and where it is. */
struct bench_opencl_gemm_map {
	cl_mem memory;
	size_t bytes, rows, columns, count, ld, stride, box_rows;
};
enum { BENCH_OPENCL_GEMM_MAPS = 64, BENCH_OPENCL_GEMM_CHOSEN = 8 };

struct bench_opencl_gemm {
	struct bench_buffer packed_a, packed_b; /* operands as a kernel wants them; they grow */
	struct bench_buffer maps;
	struct bench_opencl_gemm_map made[BENCH_OPENCL_GEMM_MAPS];
	size_t made_count; /* the last BENCH_OPENCL_GEMM_MAPS of them are kept */
	uint64_t released; /* device->released when the first was made */
	/* How the last problems are computed: repeated calls do not evaluate the model again. */
	struct {
		struct bench_gemm gemm;
		bool exact;
		struct bench_opencl_gemm_choice choice;
	} chosen[BENCH_OPENCL_GEMM_CHOSEN];
	size_t chosen_count; /* of all; the last BENCH_OPENCL_GEMM_CHOSEN are kept */
};
extern const struct bench_opencl_state bench_opencl_gemm_state;
struct bench_opencl_gemm *bench_opencl_gemm_of(const struct bench_device *device);

/*
 * Memory for sums of groups that share tiles (device->parts), and a counter for each tile, at most
 * BENCH_OPENCL_GEMM_SPLIT_GROUPS of them (device->arrived).
 */
int bench_opencl_gemm_reserve_parts(struct bench_device *device, size_t bytes, struct bench_error *error);

#endif
