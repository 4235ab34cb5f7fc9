/* SPDX-License-Identifier: MIT */
/*
 * How a GPU computes a product: which kernel, with which tile, and how many groups to a tile. A model of the
 * time decides; it looks at the problem and at what the device says of itself, and touches nothing.
 */
#ifndef BENCH_OPENCL_GEMM_CHOICE_H
#define BENCH_OPENCL_GEMM_CHOICE_H

#include "backends/opencl/gemm/problem.h"

/* How large a tile of C a group computes. */
enum bench_opencl_gemm_size {
	BENCH_OPENCL_GEMM_SMALL,
	BENCH_OPENCL_GEMM_LARGE,
	BENCH_OPENCL_GEMM_WIDE,
	BENCH_OPENCL_GEMM_NARROW,
	BENCH_OPENCL_GEMM_SQUARE,
	BENCH_OPENCL_GEMM_TINY,
	BENCH_OPENCL_GEMM_SIZES
};
enum {
	BENCH_OPENCL_GEMM_SPLITS = 12, /* numbers of groups to a tile that are tried */
	BENCH_OPENCL_GEMM_CHOICES = BENCH_OPENCL_GEMM_SIZES * BENCH_OPENCL_GEMM_SPLITS
};

/* Which operands a kernel takes as they are stored; the others are turned first, by a copy. */
enum bench_opencl_gemm_takes {
	BENCH_OPENCL_GEMM_TAKES_ALL,
	BENCH_OPENCL_GEMM_TAKES_B_BY_STEPS,     /* B not transposed: the columns of a step are neighbors */
	BENCH_OPENCL_GEMM_TAKES_STEPS_TOGETHER, /* A not transposed, B transposed: the steps are neighbors */
};

/*
 * A kernel, the tile of C that one of its groups computes, and what that costs on an H100, in ns: `start` for
 * each launch; for a round of tile_k steps `latency` where a group is alone on its compute unit, and `busy`
 * for each of many; `between` for each further tile of a unit, or for each tile if operands are copied
 * by maps; `join` where groups share a tile, and `join_kib` for each KiB that the last of them adds up. The
 * costs on tensor cores at capability 9, and of f32 there, are fits to tests/measure_gemm.c on H100s and
 * H200s; other ones are estimates. On other devices the ratios count.
 */
struct bench_opencl_gemm_scheme {
	const char *source, *name;
	size_t tile_m, tile_n, tile_k; /* tile_m 0: there is none */
	size_t items;                  /* work-items of a group */
	const char *options;
	struct {
		double start, latency, busy, between, join, join_kib;
	} ns;
	enum bench_opencl_gemm_takes takes;
	bool can_split; /* a tile can have several groups */
	bool maps;      /* operands are copied by maps of them (maps.h), and a group computes one tile after
			   another, with `busy` for every round */
};

/*
 * What the kernel may rely on: nothing, rows at multiples of its vectors, no edges. Where operands are copied
 * by maps, of C alone: nothing, or, as EXACT, rows of whole 16 bytes.
 */
enum bench_opencl_gemm_fit {
	BENCH_OPENCL_GEMM_ANY,
	BENCH_OPENCL_GEMM_ALIGNED,
	BENCH_OPENCL_GEMM_EXACT,
};

struct bench_opencl_gemm_choice {
	bool mma;               /* tensor cores */
	enum bench_dtype dtype; /* the problem's, or f32 for tf32 without mma */
	enum bench_opencl_gemm_fit fit;
	enum bench_opencl_gemm_size size;
	const struct bench_opencl_gemm_scheme *scheme;
	bool turn_a, turn_b;   /* the kernel is to get these operands stored the other way */
	bool pad_a, pad_b;     /* or with rows at multiples of 16 bytes */
	size_t tiles;          /* of all products */
	size_t groups, rounds; /* of a tile, and the rounds of each of these */
	double cost;           /* ns on an H100 */
};

/* All ways to compute a product; returns how many. exact: as for bench_opencl_gemm_gpu. */
size_t bench_opencl_gemm_choices(const struct bench_device *device, const struct bench_gemm *gemm, bool exact,
				 struct bench_opencl_gemm_choice choices[BENCH_OPENCL_GEMM_CHOICES]);
/* The one that costs least. */
struct bench_opencl_gemm_choice bench_opencl_gemm_choose(const struct bench_device *device,
							 const struct bench_gemm *gemm, bool exact);

/* Elements of a vector: 16 bytes of the type that is computed in. */
static inline size_t bench_opencl_gemm_lanes(enum bench_dtype dtype)
{
	return 16 / bench_dtype_bytes(bench_opencl_gemm_computes(dtype));
}

#endif
