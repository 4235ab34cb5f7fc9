/* SPDX-License-Identifier: MIT */
/* Numbers that are measured: the kernels' best shapes depend on more than a device's own facts. */
#include "backends/opencl/tuning/tuning.h"

#include <string.h>

#define CANDIDATES(...)                                                                                      \
	.values = (const uint64_t[]){__VA_ARGS__},                                                           \
	.value_count = sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t)

const struct bench_tunable bench_opencl_tunables[] = {
	[BENCH_OPENCL_GEMM_ROWS] = {.name = "gemm.rows",
				    .help = "rows of C that a work-item keeps in registers, beside two "
					    "vectors of columns, at most; 6 where vectors have less than "
					    "512 bits",
				    .suite = "gemm",
				    .sets = "n=256,1024",
				    .kind = BENCH_DEVICE_CPU,
				    CANDIDATES(4, 6, 8, 10, 12, 14),
				    .fallback = 14},
	[BENCH_OPENCL_GEMM_SLICE] = {.name = "gemm.slice",
				     .help = "bytes of a lane of a packed slice of the operands",
				     .suite = "gemm",
				     .sets = "n=1024,2048",
				     .kind = BENCH_DEVICE_CPU,
				     CANDIDATES(1024, 1536, 2048, 3072, 4096, 8192),
				     .fallback = 4096},
	[BENCH_OPENCL_GEMM_BLOCK] = {.name = "gemm.block",
				     .help = "panels of A that stay in a cache while those of B pass by",
				     .suite = "gemm",
				     .sets = "n=1024,2048",
				     .kind = BENCH_DEVICE_CPU,
				     CANDIDATES(4, 8, 16, 32, 64),
				     .fallback = 16},
	[BENCH_OPENCL_GEMM_DIRECT] =
		{.name = "gemm.direct",
		 .help = "side of the largest square product that is not packed; of others, as "
			 "many operations, and up to four times as many steps; less where A is "
			 "transposed",
		 .suite = "gemm",
		 .sets = "n=128,192,256,384,512,768",
		 .kind = BENCH_DEVICE_CPU,
		 CANDIDATES(64, 128, 192, 256, 320, 384, 512, 640, 1024),
		 .fallback = 640},
	[BENCH_OPENCL_GEMM_BAND] = {.name = "gemm.band",
				    .help = "rows of tiles that groups work on at one time",
				    .suite = "gemm",
				    .sets = "n=2048,4096",
				    .kind = BENCH_DEVICE_GPU,
				    CANDIDATES(2, 4, 8, 16, 32),
				    .fallback = 8},
	[BENCH_OPENCL_GEMM_SHARE] =
		{.name = "gemm.share",
		 .help = "what it costs that several groups share a tile, in percent of what "
			 "it costs an H200; 1000000: none do",
		 .suite = "gemm",
		 .sets = "n=256,512,768,1024,1536",
		 .kind = BENCH_DEVICE_GPU,
		 CANDIDATES(12, 25, 50, 100, 200, 400, 1000000),
		 .fallback = 100},
	[BENCH_OPENCL_GEMM_THIN] = {.name = "gemm.thin",
				    .help = "rows or columns of C, at most, with which a product reads the "
					    "other operand once; 0: none does",
				    .suite = "gemm",
				    .sets = "m=1,8,16 n=4096 k=4096",
				    .kind = BENCH_DEVICE_GPU,
				    CANDIDATES(0, 4, 8, 16),
				    .fallback = 16},
	[BENCH_OPENCL_SPMV_SPAN] = {.name = "spmv.span",
				    .help = "entries and rows that a work-item takes",
				    .suite = "spmv",
				    .sets = "matrix=cycle,poisson2d",
				    .kind = BENCH_DEVICE_CPU,
				    CANDIDATES(4096, 16384, 65536, 262144),
				    .fallback = 16384},
	[BENCH_OPENCL_SPMV_EACH] = {.name = "spmv.each",
				    .help = "entries of a row of the mean length for each work-item of its "
					    "team, at least",
				    .suite = "spmv",
				    .sets = "matrix=banded kernel=group",
				    .kind = BENCH_DEVICE_GPU,
				    CANDIDATES(1, 2, 4, 8),
				    .fallback = 2},
	[BENCH_OPENCL_REDUCTION_GROUPS] = {.name = "reduction.groups",
					   .help = "work-groups for each compute unit",
					   .suite = "reduction",
					   .sets = "op=sum stages=two count=1000000,16000000",
					   .kind = BENCH_DEVICE_GPU,
					   CANDIDATES(2, 4, 8, 16, 32),
					   .fallback = 8},
	[BENCH_OPENCL_TUNABLES] = {.name = NULL},
};

void bench_opencl_tune(struct bench_device *device, const struct bench_open_options *options)
{
	for (size_t i = 0; i < BENCH_OPENCL_TUNABLES; i++) {
		device->tuned[i] = bench_opencl_tunables[i].fallback;
		for (size_t j = 0; options && j < options->tuned_count; j++)
			if (strcmp(options->tuned[j].name, bench_opencl_tunables[i].name) == 0)
				device->tuned[i] = options->tuned[j].value;
	}
	if (device->caller)
		memcpy(device->caller->tuned, device->tuned, sizeof(device->tuned));
}
