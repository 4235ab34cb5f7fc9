/* SPDX-License-Identifier: MIT */
/*
 * NVML's GPU performance monitoring (GPM), of Hopper and newer: which share of a stretch of time a GPU's
 * parts were busy, whatever API keeps them so. Reads only. The library is open (nvml.h).
 */
#ifndef BENCH_MACHINE_NVML_GPM_H
#define BENCH_MACHINE_NVML_GPM_H

#include "machine/nvml.h"

enum bench_gpm {
	BENCH_GPM_SM,        /* share of the multiprocessors that were busy */
	BENCH_GPM_OCCUPANCY, /* warps that were active, of those that they could hold */
	BENCH_GPM_TENSOR,    /* share of the time in which the pipe was busy, and so on */
	BENCH_GPM_DRAM,      /* bandwidth used, of the most that there is */
	BENCH_GPM_F64,
	BENCH_GPM_F32,
	BENCH_GPM_F16,
	BENCH_GPMS,
};

struct bench_nvml_gpm {
	struct nvml_device *gpu; /* NULL: closed */
	void *samples[2];        /* the older first */
	unsigned marks;          /* taken */
};

/* A new reading of the hardware comes each 100 ms: two marks should be further apart than that. */
#define BENCH_GPM_SECONDS 0.1

/* BENCH_UNSUPPORTED with the reason: driver or GPU are too old, or a call failed. Closed then. */
int bench_machine_nvml_gpm_open(struct bench_nvml_gpm *gpm, unsigned index, struct bench_error *error);
/* Takes a reading. */
int bench_machine_nvml_gpm_mark(struct bench_nvml_gpm *gpm, struct bench_error *error);
/* Shares, 0 to 1, between the last two marks; NaN: one that the GPU did not give, or that cannot be. */
int bench_machine_nvml_gpm_read(struct bench_nvml_gpm *gpm, double shares[BENCH_GPMS],
				struct bench_error *error);
/* A closed one is allowed. */
void bench_machine_nvml_gpm_close(struct bench_nvml_gpm *gpm);

#endif
