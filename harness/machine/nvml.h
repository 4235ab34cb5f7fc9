/* SPDX-License-Identifier: MIT */
/*
 * NVIDIA's management library: what a GPU is doing, and what holds its clocks back. Reads only. It is loaded
 * at run time, because it comes with the driver and most machines have none.
 */
#ifndef BENCH_MACHINE_NVML_H
#define BENCH_MACHINE_NVML_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/error.h"

enum {
	BENCH_NVML_POWER_CAP = 0x4,
	BENCH_NVML_SLOWDOWN = 0x8, /* by hardware: heat or power */
	BENCH_NVML_HEAT = 0x20 | 0x40,
	BENCH_NVML_POWER_BRAKE = 0x80,
};

/* Figures that the driver does not give are -1. */
struct bench_nvml_gpu {
	char name[96];
	int persistent;          /* 1: the driver stays loaded; 0: not */
	long throttle;           /* the bits above, and others of no concern */
	int clock_mhz, most_mhz; /* of the multiprocessors: now, and at most */
	int processes;           /* that compute on it */
	int busy_percent;        /* of the last moment */
};

#define BENCH_NVML_LIBRARY "libnvidia-ml.so.1"

/*
 * Loads the library; BENCH_UNSUPPORTED with the reason without a library or a driver. Of one library, opens
 * may nest: each has its close.
 */
int bench_machine_nvml_open(const char *library, unsigned *count, struct bench_error *error);
int bench_machine_nvml_read(unsigned index, struct bench_nvml_gpu *gpu, struct bench_error *error);
/* Reads only what changes while measuring, the bits and the clock, in a few microseconds; -1: not given. */
void bench_machine_nvml_read_clock(unsigned index, long *throttle, int *clock_mhz);
/*
 * The share of the GPU's time, 0 to 1, in which processes other than `own` used it, in the last second. Takes
 * about 2 ms. NaN: not given; `own`, which must be using it, is not among its processes, so that their
 * numbers are those of another namespace; or there are too many.
 */
double bench_machine_nvml_others(unsigned index, long own);
void bench_machine_nvml_close(void);

/* The number of the GPU at that address, "0000:3b:00.0". -1: it has none, or the driver is too old to tell.
 */
int bench_machine_nvml_find(const char *pci, unsigned *index);
/* Joules since the driver was loaded: a new value each 100 ms. BENCH_UNSUPPORTED with the reason. */
int bench_machine_nvml_energy(unsigned index, double *joules, struct bench_error *error);
/*
 * B/s of its memory at the clock that it has now: two transfers a cycle and bit of the bus, as NVIDIA's
 * deviceQuery computes it. BENCH_UNSUPPORTED.
 */
int bench_machine_nvml_bandwidth(unsigned index, double *bytes_per_second, struct bench_error *error);

/* For nvml_gpm.c. A function of the library, or NULL; the handle of a GPU; a call that failed, in words. */
struct nvml_device;
void *bench_machine_nvml_symbol(const char *name);
int bench_machine_nvml_handle(unsigned index, struct nvml_device **handle, struct bench_error *error);
int bench_machine_nvml_failed(struct bench_error *error, const char *what, int status);

/*
 * Pure. Is the GPU slowed by something else than its own work? Heat, power brake and hardware count; idling,
 * clocks that were set and the power limit do not.
 */
bool bench_machine_nvml_is_throttled(long throttle);
/* Pure. "power limit, heat": the reasons that matter to a person; "" for none. */
void bench_machine_nvml_words(long throttle, char *out, size_t size);

#endif
